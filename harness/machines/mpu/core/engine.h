// SPDX-License-Identifier: Apache-2.0
// Offload engine: where an instruction executes, which of its registers must move, and the moves.
// One that is issued enters here, and goes on to its unit, its NBU or the LSU.
#ifndef NEARBANK_CORE_ENGINE_H
#define NEARBANK_CORE_ENGINE_H

#include "far.h"

typedef struct move {
  op *o;
  uint8_t reg;
  bool to_near, zero;
} move;

// What the engine knows of an instruction under way.
typedef struct engine_op {
  _Alignas(64) uint64_t waits[REG_WORDS];  // registers that are on their way for it
  uint16_t far_valid, near_valid;          // bits of p->looks
  bool placed;                             // an access: the LSU has it
} engine_op;

typedef struct engine_sub {
  op *entering, *asking, *deciding;
  uint8_t asked, answered, ask_now;
  uint8_t updates_n, updates_at;
  struct {
    uint8_t reg, op;
  } updates[2 * LOOKS];
  op *ready_head, *ready_tail;  // moved, or never to be moved, that wait for their unit
  uint32_t moves_head, moves_count;
  uint64_t waiting;  // places of instructions that wait for registers
  move moves[OPS];
  engine_op of[OPS];  // by place of the instruction
} engine_sub;

typedef struct engine {
  base *base;
  board *board;
  bus *bus;
  lsu *lsu;
  far *far;
  uint8_t client;
  engine_sub sub[SUBCORES];
} engine;

void engine_new(engine *e, base *b, board *d, bus *u, lsu *l, far *f);
void engine_reset(engine *e);
// One a cycle of a subcore enters, if there is room.
static inline bool engine_room(const engine *e, uint32_t subcore) {
  return !e->sub[subcore].entering;
}
void engine_enter(engine *e, op *o);
void engine_step(engine *e, uint32_t subcore);
void engine_moves(engine *e, uint32_t subcore);

// Of most cycles nothing.
static inline bool engine_works(const engine *e, uint32_t subcore) {
  const engine_sub *s = &e->sub[subcore];
  return (s->ready_head != NULL) | (s->deciding != NULL) | (s->asking != NULL) |
         (s->entering != NULL);
}

static inline const engine_op *engine_of(const engine *e, const op *o) {
  return &e->sub[o->subcore].of[o->place];
}

#endif
