// SPDX-License-Identifier: Apache-2.0
// Sleeping copies of the process, forked now and then, of which one can be woken to go the same way
// again and look closer. They share memory with the process until it changes, cost nothing while
// they sleep, and end with it.
#ifndef NEARBANK_SNAPSHOT_H
#define NEARBANK_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/inspect/wave/wave.h"

typedef struct snapshots snapshots;

snapshots *snapshots_new(void);       // NULL: no memory
void snapshots_free(snapshots *s);    // and ends them
void snapshots_forget(snapshots *s);  // ends them

// One more, of now, which is called `at`; at most SNAPSHOTS live: the first one stays, of the
// others the newest. Returns true in the copy, when it is woken, with what it was told in `order`;
// else false.
enum { SNAPSHOTS = 4 };
bool snapshots_take(snapshots *s, uint64_t at, void *order, size_t bytes);
bool snapshots_is_time(const snapshots *s);  // another one would cost little beside what passed

// What comes of it: waves were written; or not, and why.
typedef struct snapshot_answer {
  bool ok;
  wave_summary waves;
  char why[300];
} snapshot_answer;

// Wakes the newest one of `at` or before, or else the oldest one, and waits until it has ended; it
// answers with snapshots_answer(). False: there is none, or it ended without an answer.
bool snapshots_wake(snapshots *s, uint64_t at, const void *order, size_t bytes, snapshot_answer *a);
// In a copy that was woken: ends it.
__attribute__((noreturn)) void snapshots_answer(snapshots *s, const snapshot_answer *a);

#endif
