// SPDX-License-Identifier: Apache-2.0
// Views of a wave file for GTKWave: waves/<view>.gtkw, made to fit a file, a core and an NBU.
#ifndef NEARBANK_WAVE_VIEW_H
#define NEARBANK_WAVE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wave_view {
  char view[32];           // "story", "opc"
  uint32_t core, nbu;      // nbu: and the subcore, the track table
  uint64_t cycle, marker;  // where it begins; marker UINT64_MAX: none
  bool seek;               // where something happens, from there on (waves/open.tcl)
  bool whole;              // as high as all of it is: for a picture
  bool near;               // a dozen cycles, so that the names of instructions can be read
  uint64_t cycles;         // or so many; 0: about fifty
  bool range;              // exactly these, whatever the size of the window (waves/open.tcl)
} wave_view;

// What shows scopes best, as wave_new has them: the block, if they are one, else the story.
wave_view wave_view_of_scopes(const char *scopes);
bool wave_view_is(const char *name);
// The names, with a space behind each.
void wave_views(char *to, size_t bytes);

// Of "axpy.fst": "axpy.gtkw", or with a view "axpy.opc.gtkw".
void wave_view_file(const char *wave_file, const char *view, char *to, size_t bytes);
bool wave_view_write(const wave_view *v, const char *wave_file, const char *to, char *why,
                     size_t why_bytes);
// What was written there. False: it is no such file.
bool wave_view_read(const char *file, wave_view *v);

// The cycles of a wave file: from *first on, before *end. False: it has none.
bool wave_view_cycles(const char *wave_file, uint64_t *first, uint64_t *end);

#endif
