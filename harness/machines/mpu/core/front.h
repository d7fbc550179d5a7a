// SPDX-License-Identifier: Apache-2.0
// Blocks, fetch and issue, and what control instructions do.
#ifndef NEARBANK_CORE_FRONT_H
#define NEARBANK_CORE_FRONT_H

#include "engine.h"

enum { BUFFERED = 4 };  // instructions that wait in a warp

typedef struct front_sub {
  uint32_t fetchable, fetch_check;  // masks of warps; fetch_check: `fetchable` may be out of date
  uint64_t age[SLOTS];              // when the warp started
  uint8_t order[SLOTS], n_order;    // of the live warps, the oldest first
  uint32_t last;                    // warp that issued last
  uint32_t fetch_next;
  struct {
    int8_t warp;
    uint8_t count;
  } decode;
  uint64_t miss_until;  // an I-cache line comes
  uint32_t miss_line;
  uint32_t miss_warp;    // which asked for it, and has not fetched since; SLOTS: none
  uint32_t served;       // warps whose line has come, and which have not fetched from it yet
  uint32_t far_used[8];  // its register file in pieces of 4: 256 / 4 = 64 bits
  uint16_t clears;       // rows of the track table to be cleared
} front_sub;

typedef struct block_slot {
  block *b;
  uint32_t warps_live;
  uint32_t shared_base, shared_bytes;
  uint16_t wins;  // NBUs whose window is still to be sent
} block_slot;

typedef struct front {
  base *base;
  board *board;
  bus *bus;
  engine *engine;
  uint8_t client;
  uint32_t *icache;      // a place each: the line of the kernel that is in it + 1, or 0
  uint32_t icache_mask;  // of the number of a line: its place
  uint32_t line_shift;   // of lines
  // of a launch
  core_share share;
  front_sub sub[SUBCORES];
  block_slot blocks[BLOCK_SLOTS];
  uint32_t blocks_live, next_block;  // next_block: of the share
  uint32_t placed;                   // warps, since the launch began
  bool crowded;                      // no room for the next block, and nothing has ended since
  uint32_t wins;                     // windows that are still to be sent
  uint32_t to_clear;                 // lines of local memory
  uint64_t ended;                    // behind the end of the last block
  uint32_t shared_used[32];          // 64 KB in pieces of 64 bytes
} front;

bool front_new(front *f, base *b, board *d, bus *u, engine *e);  // false: no memory
void front_delete(front *f);
void front_reset(front *f, const core_share *share);

void front_blocks(front *f);
bool front_dispatches(const front *f);  // front_blocks would do something
void front_fetch(front *f, uint32_t subcore);
void front_issue(front *f, uint32_t subcore);

// What a warp waits for that has sent SYNC. (It may owe other accesses: a barrier does not ask for
// stores.)
typedef enum sync_cause { SYNC_BARRIER, SYNC_MEMORY, SYNC_END } sync_cause;
static inline sync_cause front_sync_cause(const cwarp *w) {
  return w->w->state != WARP_DONE && w->next->kind == UOP_BARRIER && !w->acquiring ? SYNC_BARRIER
         : w->owed_access                                                          ? SYNC_MEMORY
                                                                                   : SYNC_END;
}

// Of most cycles: nothing can be issued, and it is known why.
static inline bool front_waits(const front *f, uint32_t subcore) {
  const board_sub *s = &f->board->sub[subcore];
  return !(s->check | s->ready | s->sync) && s->stall;
}
// Like front_fetches, but for waiting for a line of the I-cache.
static inline bool front_works(const front *f, uint32_t subcore) {
  const front_sub *s = &f->sub[subcore];
  return (s->decode.count | s->fetch_check | s->fetchable) != 0;
}
static inline bool front_fetches(const front *f, uint32_t subcore) {
  const front_sub *s = &f->sub[subcore];
  return (s->decode.count | s->fetch_check | s->fetchable | s->miss_until) != 0;
}

#endif
