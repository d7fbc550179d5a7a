// SPDX-License-Identifier: Apache-2.0
// Liveness of virtual registers, word by word, and of predicates.
//
// Word-wise, because vectors are built and taken apart in parts: a register is live only from the
// first write of a part. A guarded write leaves the lanes without the guard as they were, so it
// ends no liveness; the exception are temporaries of spilling, which are written and read under
// one guard.
#ifndef NEARBANK_LIVE_H
#define NEARBANK_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include "cfg.h"
#include "mir.h"

typedef struct live {
  uint32_t bits;       // register words, then predicates
  uint32_t stride;     // 64-bit words of a set
  uint32_t *base;      // base[v]: first bit of register v; base[vreg_count]: first predicate's
  uint32_t *owner;     // bit -> register, or vreg_count + predicate
  uint32_t temp_pred;  // predicates from here on are temporaries of spilling
  uint64_t *in, *out;  // of each block, `stride` apart; empty for unreachable blocks
} live;

live *live_new(const mir_kernel *k, const cfg *c, uint32_t temp_pred);
void live_free(live *l);

// Turns the set live after an instruction into the set live before it.
void live_step(const live *l, const mir_kernel *k, const mir_inst *mi, uint64_t *set);

// First bit and number of words of a register or of a part of it.
uint32_t live_bit(const live *l, isa_reg r);
bool live_any(const live *l, const mir_kernel *k, const uint64_t *set, isa_reg r);

#endif
