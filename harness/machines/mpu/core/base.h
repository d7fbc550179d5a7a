// SPDX-License-Identifier: Apache-2.0
// What all parts of a core share: how it is made, its part of the launch, the cycle, the wires to
// the near side, counters, and what went wrong. core.c makes it. The layers of the core stand on it
// (docs/core.md, "Layers").
#ifndef NEARBANK_CORE_BASE_H
#define NEARBANK_CORE_BASE_H

#include "csim/isa/model.h"
#include "core.h"
#include "csim/mpu/nbu_work.h"

enum {
  SUBCORES = NEAR_NBUS,
  SLOTS = EVENT_SLOTS,  // warps of a subcore at most
  BLOCK_SLOTS = 16,
  OPS = 64,                // instructions of a subcore under way, until its NBU has them
  FLIGHTS = EVENT_PLACES,  // and until they have ended
  REG_WORDS = 4,           // 64-bit words of a set of registers
};

typedef struct uop uop;
typedef struct emitter emitter;

typedef struct base {
  core_config config;
  core_place place;
  uint64_t mine, mine_mask;  // these bits of an address say whether it is in this core
  near *near;
  emitter *emitter;
  core_stats stats;
  bool watched;         // somebody wants to know of events (emit.h)
  core_arrays *arrays;  // the caller's; NULL: nobody asks for which arrays accesses are
  // of a launch
  launch *l;
  bool shared_far;        // its shared memory is on the base die
  uint32_t skew;          // of its shared memory (skew.h)
  const uint8_t *memory;  // of its machine
  const uop *uops;
  uint32_t n_uops, reg_words;  // reg_words: 64-bit words of the scoreboard in use
  // copies of arrays (machine/region.h), a bit each: all that there are; those that this core
  // reads; those that no core reads any more, as far as this one knows
  uint32_t copied, copies, copies_ended;
  uint64_t local_lines;      // device address of local memory of all cores, 0: none
  uint64_t cycle, last_end;  // last_end: in which an instruction ended last, or a cleared line
  near_in in;
  near_out out;
  core_result result;
  bool stalled;
  int32_t suspect;  // the subcore whose instruction is wrong + 1, or 0
  char message[4096];
} base;

// What lasts of it is kept.
void base_reset(base *b);

// The first thing that goes wrong ends the launch: this is CORE_WRONG, with the message that
// core_message gives.
void base_wrong(base *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- where a byte of device memory is
// For an access that takes it from this core's own one of these copies.
static inline uint64_t base_place(const base *b, uint64_t address, uint32_t copies) {
  return copies ? region_copy(b->place.map, address, b->place.index, copies)
                : map_place_of(b->place.map, address);
}
static inline bool base_has(const base *b, uint64_t address, uint32_t copies) {
  return (base_place(b, address, copies) & b->mine_mask) == b->mine;
}
static inline uint32_t base_nbu(const base *b, uint64_t address, uint32_t copies) {
  return map_get(&b->place.map->nbu, base_place(b, address, copies));
}
// Row, column and bank, as packets have them.
static inline uint64_t base_sector(const base *b, uint64_t address, uint32_t copies) {
  const address_map *m = b->place.map;
  const uint64_t at = base_place(b, address, copies);
  return (uint64_t)map_get(&m->row, at) << (2 + m->column_bits) | map_get(&m->column, at) << 2 |
         (at >> 5 & 3);
}
// A packet will access these bytes: the host had better have them in its caches by then.
static inline void base_touch(const base *b, uint64_t address) {
  __builtin_prefetch(b->memory + address, 1, 2);
}

// ---- where a warp is
// The subcore of a warp of a block that a core has started: they go on in turn from warp 0.
static inline uint32_t base_subcore(const block *b, uint32_t warp) {
  return (b->subcore + warp) % SUBCORES;
}

// ---- counting
static inline uint64_t base_lanes(uint32_t lanes) {
  return lanes == ~0u ? ISA_LANES : (uint64_t)__builtin_popcount(lanes);
}
static inline void base_count_work(nbu_stats *s, const nbu_work *w) {
  s->rf_reads += w->reads, s->rf_writes += w->writes;
  s->lsux += w->accesses, s->smem_words += w->words;
}

#endif
