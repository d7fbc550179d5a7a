// SPDX-License-Identifier: Apache-2.0
// Scoreboard: the warps of each subcore and their instructions from issue to end. It says what may
// issue; whoever has an instruction tells it when registers were read and when it has ended.
#ifndef NEARBANK_CORE_BOARD_H
#define NEARBANK_CORE_BOARD_H

#include "emit.h"

// An instruction until all of it has ended. The base die needs none of this: what an NBU has is
// done in order there. It is for those who look on, and for messages.
typedef struct flight {
  const op *now;  // NULL: the base die has left it
  uint64_t begun;
  uint16_t packets;  // in its NBU
  uint8_t latency;   // of accesses: the histogram + 1
} flight;

typedef struct board_sub {
  uint32_t index;
  uint32_t near_used;  // the near register file in pieces of 4: 128 / 4 = 32 bits
  cwarp warps[SLOTS];
  uint32_t live;       // warps
  uint32_t ready;      // that could issue when last looked at
  uint32_t check;      // for which that may have changed
  uint32_t sync;       // that want to send SYNC
  uint64_t *stall;     // the counter of what the warps wait for, NULL: to be found out
  uint64_t *part;      // and that of the part of it
  uint64_t no_part;    // of what has no parts
  uint64_t under_way;  // places of the pool that are not free
  op *free_ops;
  uint32_t n_free_flights;
  op pool[OPS];
  uint16_t free_flights[FLIGHTS];
  flight flights[FLIGHTS];
  op was[FLIGHTS];  // as the base die left them
} board_sub;

// Who is told of an instruction that changes what its warp does next: a barrier, or the last one of
// a warp that is done. The record is free by then.
typedef void board_ended(void *ctx, cwarp *w, uop_kind kind);

typedef struct board {
  base *base;
  board_ended *ended;
  void *ended_ctx;
  board_sub sub[SUBCORES];
} board;

void board_reset(board *d);
op *board_issue(board *d, uint32_t subcore, cwarp *w, const uop *p, uint32_t pc, uint32_t lanes);
void board_sources_read(board *d, op *o);  // later instructions may write its sources
void board_address_read(board *d, op *o);  // or those of its address
void board_end(board *d, op *o);  // the base die has no more to do with it: its record is free
// A packet of an instruction is in its NBU, and is complete there.
void board_sent(board *d, const op *o);
// Nobody will be told of the end of a packet; bits of op_memory.
void board_owes(op *o, uint32_t nbu, uint32_t access);
void board_complete(board *d, uint32_t subcore, uint32_t flight);
// The instruction, whoever has it now.
static inline const op *board_op(const board *d, uint32_t subcore, uint32_t flight) {
  const board_sub *s = &d->sub[subcore];
  return s->flights[flight].now ? s->flights[flight].now : &s->was[flight];
}
void board_waits_for(board *d, op *o, op_memory m);  // an access: it is known from now on
// An instruction of the warp may not issue yet.
static inline bool board_hazard(const board *d, const cwarp *w, const uop *p) {
  uint64_t hazards = (w->preds_writing & (p->preds_read | p->preds_written)) |
                     (w->preds_reading & p->preds_written);
  for (uint32_t k = 0, words = d->base->reg_words; k < words; k++) {
    const uint64_t busy = w->writing[k] | w->to_near[k] | w->to_far[k];
    hazards |= (busy & (p->reads[k] | p->writes[k])) | (w->reading[k] & p->writes[k]);
  }
  return hazards;
}
// Cycles of a subcore that issues nothing; `stall` is known.
static inline void board_stalled(board_sub *s, uint64_t cycles) {
  *s->stall += cycles;
  *s->part += cycles;
}
// Something has changed for the warp of the instruction.
static inline void board_check(board *d, const cwarp *w) {
  board_sub *s = &d->sub[w->subcore];
  s->check |= 1u << w->slot & ~s->ready;
}

#endif
