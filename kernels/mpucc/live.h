// SPDX-License-Identifier: Apache-2.0
// Liveness of virtual registers, word by word, and of predicates.
//
// Word-wise, because vectors are built and taken apart in parts: a register is live only from the
// first write of a part. A guarded write leaves the lanes without the guard as they were, so it
// ends no liveness; the exception are temporaries of spilling, which are written and read under
// one guard.
//
// A set has a bit for each register (some word of it is live), at `vregs` on one for each
// predicate, and then the bits of the single words.
#ifndef NEARBANK_LIVE_H
#define NEARBANK_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include "cfg.h"
#include "mir.h"

typedef struct live {
  uint32_t vregs;      // first bit of the predicates
  uint32_t *base;      // base[v]: bit of word 0 of register v
  uint32_t words;      // 64-bit words of a set
  uint64_t *in, *out;  // of each block, `words` apart; empty for unreachable blocks
} live;

void live_build(live *l, const mir_kernel *k);
void live_free(live *l);  // what live_build put into *l

// Turns the set live after an instruction into the set live before it.
void live_step(const live *l, const mir_kernel *k, const mir_inst *mi, uint64_t *set);

static inline bool live_test(const uint64_t *set, uint32_t bit) {
  return set[bit / 64] >> bit % 64 & 1;
}
// Whether some word of a register or of a part of it is live.
bool live_any(const live *l, const mir_kernel *k, const uint64_t *set, isa_reg r);

// The most words that are live at once in a file (MIR_FILE_*), before allocation.
uint32_t live_peak(const mir_kernel *k, unsigned file);
uint32_t live_peak_predicates(const mir_kernel *k);

#endif
