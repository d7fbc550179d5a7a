// SPDX-License-Identifier: Apache-2.0
// What is told of a run that went wrong, beside the message: what the NBU worked on and did last,
// and a wave file of the cycles before it, which a forked snapshot of the run from before writes.
// Such a file can be had of other events too.
#ifndef NEARBANK_POSTMORTEM_H
#define NEARBANK_POSTMORTEM_H

#include <stdio.h>

#include "harness/machines/mpu/machine/sim.h"
#include "harness/inspect/wave/wave_event.h"

typedef struct postmortem postmortem;

typedef struct postmortem_order {
  const char *file;         // of waves, NULL: named by what happened: mismatch.fst
  const char *scopes;       // as of waves, NULL: the core where it happened
  const char *command;      // that does the run again, or NULL
  uint64_t before, after;   // cycles around it
  const wave_event *event;  // waves are written when this happens first, not when something goes
                            // wrong; or NULL
} postmortem_order;

postmortem *postmortem_new(const postmortem_order *o);  // NULL: no memory
void postmortem_free(postmortem *p);
void postmortem_start(postmortem *p, sim *s);  // looks on from the next launch on
// Once after a launch that went wrong, and after its message.
void postmortem_tell(postmortem *p, FILE *f);
bool postmortem_met(const postmortem *p);  // the event has happened

#endif
