// SPDX-License-Identifier: Apache-2.0
// A wave file: signals of many sources, each of which gives VCD text (csim/base/rtl_trace.h), in
// one FST file. Cycle n begins at n ns; the clock is low from its middle on.
//
// Sources may write from threads of their own; all else is done by one. First all sources are made
// and give their headers; then, for each window of time, all their values and what changes.
#ifndef NEARBANK_WAVE_H
#define NEARBANK_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wave wave;
typedef struct wave_source wave_source;

// The file is FILE.part until it is closed and whole. `scopes`: a list "core0.nbu1.opc,core*.smem"
// of what is kept, * and ? as in file names; NULL: all. Scopes that end in .base are kept in any
// case. NULL: `why`.
wave *wave_new(const char *file, const char *scopes, char *why, size_t why_bytes);
// Would anything of scope `group`, or of `name` in it, be kept?
bool wave_wants(const wave *w, const char *group, const char *name);
// A group is a scope, or scopes with dots between them. Next to the sources of the same group that
// were made before. NULL: no memory.
wave_source *wave_source_new(wave *w, const char *group, const char *name);
void wave_write(void *source, const char *text, size_t bytes);  // as rtl_trace wants it
// Cycle n in the text that comes from now on is cycle n + `cycles`.
void wave_shift(wave_source *s, uint64_t cycles);

// What of `scopes` nothing is called; "": all are there. All sources have given their headers.
const char *wave_missed(wave *w);

// Values from cycle `from` on: before sources give theirs. The first time all must have given
// their headers. Values with earlier times count as of `from`.
void wave_begin(wave *w, uint64_t from);
// All sources have written what there is before cycle `until`.
void wave_step(wave *w, uint64_t until);
// No more values before the next wave_begin; those of cycle `until`, and behind it, are left out.
void wave_end(wave *w, uint64_t until);

bool wave_is_full(const wave *w);  // there is no room for more

// What came of it.
typedef struct wave_summary {
  uint64_t first, last;  // cycles, of all windows that are not empty
  uint64_t bytes, signals, windows;
  bool full;        // there was no room for more: what there is, if any, is FILE.part
  char lost[160];   // and why
  char missed[80];  // of `scopes`: what nothing is called; empty: there is no such
} wave_summary;
void wave_drop(wave *w);           // wave_close, and there is no file
wave_summary wave_close(wave *w);  // behind wave_end, or before all windows; and frees it
// Says it on stderr. False: not all that was asked for is there.
bool wave_tell(const wave_summary *s, const char *file);

#endif
