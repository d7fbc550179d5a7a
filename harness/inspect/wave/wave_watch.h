// SPDX-License-Identifier: Apache-2.0
// A wave file of some cores of a machine, in a window of cycles.
#ifndef NEARBANK_WAVE_WATCH_H
#define NEARBANK_WAVE_WATCH_H

#include "harness/machines/mpu/machine/sim.h"
#include "wave.h"
#include "wave_view.h"

typedef struct wave_watch wave_watch;

typedef struct wave_order {
  const char *file, *scopes;  // scopes NULL: core0
  uint64_t from, until;       // cycles; until: behind the last one
  const wave_view *view;      // that is left beside it, NULL: what fits the scopes
} wave_order;

// The file begins anew. NULL: `why`.
wave_watch *wave_watch_new(const wave_order *o, char *why, size_t why_bytes);
// Looks on from the next launch on; when one is under way, `now` is true: from its next cycle on.
void wave_watch_start(wave_watch *w, sim *s, bool now);
// What of the scopes nothing is called in the machine; "": all are there. After wave_watch_start.
const char *wave_watch_missed(const wave_watch *w);
void wave_watch_drop(wave_watch *w);  // before the first launch: there is no file
// On and off, from the next window of cycles on: another time than the order says.
void wave_watch_toggle(wave_watch *w);
// The same between windows of a launch that is under way, at once: from the next cycle on.
void wave_watch_switch(wave_watch *w, sim *s, bool on);
bool wave_watch_is_over(const wave_watch *w);  // the window has been written
wave_summary wave_watch_close(wave_watch *w);  // and frees it

#endif
