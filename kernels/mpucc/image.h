// SPDX-License-Identifier: Apache-2.0
// What a program contains of a CUDA file: the object, and the PTX and options that it was made of,
// so that it can be made again for another machine. Without an object it is relocatable: device
// code of one file that others may complete (ptx_link.h).
#ifndef NEARBANK_IMAGE_H
#define NEARBANK_IMAGE_H

#include "mpucc.h"

typedef struct mpucc_image {
  const uint8_t *object;  // at a multiple of 8 from the beginning; NULL: it is relocatable
  size_t object_bytes;
  const char *ptx;  // not ended by a zero
  size_t ptx_bytes;
  const char *options;  // a text of mpucc_options_parse
} mpucc_image;

// The image's bytes are malloc'ed and the caller's. NULL: out of memory.
uint8_t *mpucc_image_make(const mpucc_image *parts, size_t *bytes);
// The parts of what lies at `from`; false: that does not begin as an image with an object does.
// Bytes after the first word are only read when it does.
bool mpucc_image_read(const void *from, mpucc_image *parts);
// The parts of the first image with an object in a file from an offset on, that is whole there. The
// offset behind it, or 0: there is none.
size_t mpucc_image_find(const char *file, size_t bytes, size_t from, mpucc_image *parts);
// The same of the first relocatable one.
size_t mpucc_relocatable_find(const char *file, size_t bytes, size_t from, mpucc_image *parts);

enum { MPUCC_OPTIONS_TEXT = 160 };
// Options that an object depends on, as of the command, one blank before each; a profile is none.
void mpucc_options_text(const mpucc_options *o, char to[MPUCC_OPTIONS_TEXT]);
// Takes such a text over the options that are there. False: a word is not one of them.
bool mpucc_options_parse(const char *text, mpucc_options *o);

#endif
