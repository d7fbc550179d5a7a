// SPDX-License-Identifier: Apache-2.0
// Runs what a plan has and a store has not, at a place.
#ifndef NEARBANK_POOL_H
#define NEARBANK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include "harness/base/schedule/machine.h"
#include "harness/study/plan/plan.h"
#include "harness/study/store/store.h"
#include "place.h"

typedef struct pool_options {
  place *place;
  const machine_ops *const *machines;  // beside MPU, up to a NULL
  bool again;                          // also runs that have failed
  bool quiet;                          // no progress
} pool_options;

typedef struct pool_report {
  size_t there, ran, failed;    // had a result before; got one now; of all, those that failed
  double seconds, cpu_seconds;  // of what ran now: wall clock of the pool; processor of the runs
  double run_seconds;           // sum of the wall clocks of the runs
  bool stopped;                 // by a signal
  size_t lost;                  // not made, because their place has lost them
  char lost_why[PLACE_WHY];     // one of these
} pool_report;

// Looks up each run of the plan: its state and row.
bool pool_look(plan *p, store *s, char *why);
// Executes what is missing. True also when runs failed: their rows say why. False: the store or the
// place failed, `why`.
bool pool_run(plan *p, store *s, const pool_options *o, pool_report *to, char *why);

// ---- collect.c

// What the statistics of a run have, flat, with its energy: energy.total, energy.alu and so on.
bool collect_values(const store_run *run, const tree *statistics,
                    const machine_ops *const *machines, values *to, char *why);

#endif
