// SPDX-License-Identifier: Apache-2.0
// Warps of a core and their instructions under way: records that parts hand to each other. What
// only one part wants to know of an instruction is that part's (engine_op, access), by place.
#ifndef NEARBANK_CORE_OP_H
#define NEARBANK_CORE_OP_H

#include <assert.h>
#include "uop.h"

// What an access in flight waits for. Whether global and generic addresses are remote or shared is
// known when the LSU has split them.
typedef enum op_memory {
  OP_LOCAL,   // memory of this core, or what is not yet known
  OP_SHARED,  // shared memory only
  OP_REMOTE,  // for some lanes, memory of another core
  OP_MEMORIES
} op_memory;

typedef struct cwarp {
  bool live;
  uint8_t subcore, slot;  // slot: of the subcore
  uint8_t block_slot;
  uint32_t index;  // in the block
  block *b;
  warp *w;          // SIMT stack, predicates, far registers: of the launch
  const uop *next;  // what issues next
  uint32_t near_base, near_count, far_base, far_count, shared_base;
  uint32_t lines_to_clear;  // of local memory
  // fetch
  uint32_t fetch_pc;
  uint8_t buffered;     // instructions that can issue
  uint8_t arriving;     // being decoded
  bool fetch_stopped;   // behind one that may change the pc
  uint64_t fetch_from;  // first cycle in which it may fetch again
  // scoreboard
  uint16_t preds_writing, preds_reading;
  uint16_t ops;  // under way
  uint16_t accesses;
  // What NBUs have that nobody has asked for: which NBUs; accesses, a bit each of OP_LOCAL and
  // OP_SHARED. NBUs to which SYNC, which asks for it, is on its way.
  uint8_t owed, syncing;
  uint8_t owed_access;
  uint8_t lines;     // NBUs to which the base die has sent lines for it: only a fence asks for them
  uint16_t barrier;  // a barrier is under way
  bool acquiring;    // an acquire is: before anything else issues it has ended, as for a fence
  uint8_t waits[OP_MEMORIES];  // of the accesses, by what they wait for
  uint64_t writing[REG_WORDS], reading[REG_WORDS];
  uint64_t to_near[REG_WORDS], to_far[REG_WORDS];  // registers that are being moved
  uint8_t pred_readers[16], readers[256];
} cwarp;

typedef enum op_state {
  OP_FREE,
  OP_ENGINE,   // offload engine
  OP_MOVING,   // waits for registers
  OP_READY,    // for its unit
  OP_COLLECT,  // operands of the base die
  OP_UNIT,     // executes there
  OP_QUEUED,   // in the LSU
} op_state;

typedef struct op {
  _Alignas(64) struct op *next;  // in the list of the part that has it
  const uop *p;
  cwarp *w;
  uint32_t pc, lanes, alive;
  uint32_t number;  // of events
  uint64_t begun;   // cycle
  op_state state;
  uint8_t subcore, place;           // place: in the subcore's pool
  uint16_t flight;                  // number among those that have not ended
  bool sources_read, address_read;  // the scoreboard's
  // what the offload engine has decided
  bool near;
  bool data_far;       // data of an access can come from the far file
  uint8_t zero;        // operands (bit 0: a) that are valid nowhere
  uint8_t memory;      // op_memory, of an access
  uint16_t somewhere;  // p->looks that are valid on either side
} op;

static_assert(sizeof(op) == 64, "a line of the host's caches");

static inline uint32_t near_place(const cwarp *w, uint32_t reg) {
  assert(reg < w->near_count);
  return w->near_base + reg;
}

#endif
