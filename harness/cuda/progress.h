// SPDX-License-Identifier: Apache-2.0
// How far a launch is, on a terminal: cycles, cycles a second, blocks, time left.
#ifndef NEARBANK_PROGRESS_H
#define NEARBANK_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct progress {
  FILE *to;  // NULL: nothing is to be seen
  const char *name;
  double start, drawn;
  bool shown;
} progress;

// `name` stays the caller's. Nothing is drawn where `to` is NULL or not a terminal.
void progress_begin(progress *p, FILE *to, const char *name);
void progress_step(progress *p, uint64_t cycles, uint32_t done, uint32_t blocks);
void progress_end(progress *p);  // the line is gone

#endif
