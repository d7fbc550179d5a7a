// SPDX-License-Identifier: Apache-2.0
// Device code of several files becomes one PTX text: what one file declares, another one defines.
#ifndef NEARBANK_PTX_LINK_H
#define NEARBANK_PTX_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct ptx_unit {
  const char *name;  // of the file, for messages
  const char *text;  // PTX, `bytes` of it; need not end with a NUL
  size_t bytes;
} ptx_unit;

// Prints the PTX of all units together. False, and then what was printed is of no use, after
// messages: PTX with errors, names that are undefined, defined twice, or declared in two ways.
//
// A name without linkage is its file's own, and so is an array of dynamic shared memory: where
// others have the same name, it gets another one. Of several weak definitions the first one stays,
// or the one that is not weak.
bool ptx_link(const ptx_unit *units, size_t count, FILE *to, FILE *messages);

#endif
