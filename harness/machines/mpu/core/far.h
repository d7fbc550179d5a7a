// SPDX-License-Identifier: Apache-2.0
// Operand collectors and units of the base die. Addresses of accesses go to the LSU from here.
#ifndef NEARBANK_CORE_FAR_H
#define NEARBANK_CORE_FAR_H

#include "lsu.h"

enum { COLLECTORS = 16, WHEEL = 64 };

typedef struct collector {
  op *o;
  uint64_t enters;             // with all operands there: when it may enter its unit
  uint8_t left;                // registers that were not granted yet
  uint8_t of_bank[FAR_BANKS];  // of them
} collector;

typedef struct far_sub {
  collector collectors[COLLECTORS];
  uint32_t free_collectors, full;  // masks; full: with all operands granted
  uint32_t bank_wants[FAR_BANKS];  // collectors that want a register of the bank
  uint8_t bank_next[FAR_BANKS];
  uint32_t enter_next;
  uint64_t unit_free[UNITS];
  op *wheel[WHEEL];       // what executes, by the cycle in which it ends
  uint64_t done_at[OPS];  // by place of the instruction
  uint32_t executing;     // of it
  op *at_barrier;         // barriers that have been executed and wait, in this order
} far_sub;

typedef struct far {
  base *base;
  board *board;
  lsu *lsu;
  far_sub sub[SUBCORES];
} far;

void far_reset(far *f);
bool far_take(far *f, op *o);  // a collector takes it
void far_step(far *f, uint32_t subcore);
bool far_waits(const far *f, uint32_t subcore);  // for other warps at most

// Of most cycles nothing.
static inline bool far_works(const far *f, uint32_t subcore) {
  const far_sub *s = &f->sub[subcore];
  const uint32_t wants = s->bank_wants[0] | s->bank_wants[1] | s->bank_wants[2] | s->bank_wants[3];
  return (s->wheel[f->base->cycle % WHEEL] != NULL) | (s->at_barrier != NULL) |
         ((s->full | wants) != 0);
}

#endif
