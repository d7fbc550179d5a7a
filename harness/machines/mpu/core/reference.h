// SPDX-License-Identifier: Apache-2.0
// The functional machine beside a core: a listener to its events. The parts of the core know
// nothing of it.
#ifndef NEARBANK_CORE_REFERENCE_H
#define NEARBANK_CORE_REFERENCE_H

#include "front.h"

typedef struct reference reference;

// What it reads of the core; only `base` learns what is wrong.
typedef struct reference_view {
  base *base;
  const board *board;
  const front *front;
  const lsu *lsu;
} reference_view;

// `l`: the core's part of the launch on the other machine. It listens until it is freed. NULL: no
// memory.
reference *reference_new(const reference_view *of, launch *l);
void reference_free(reference *g);

#endif
