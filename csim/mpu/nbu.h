// SPDX-License-Identifier: Apache-2.0
// The C twin of nbu: the twins of its blocks, wired. docs/blocks/nbu.md.
#pragma once

#include "structure.h"
#include "csim/base/prefetch.h"
#include "csim/base/block.h"
#include "nbu_glue.h"
#define BLOCK nbu
#include "csim/base/block_declare.h"

typedef enum nbu_part {
#define PART(name) NBU_PART_##name,
#include "nbu_parts.def"
#undef PART
  NBU_BLOCKS
} nbu_part;

typedef struct nbu nbu;

// After reset; NULL when memory is short. `sizes` NULL: the default ones.
nbu *nbu_create(const structure *sizes);
void nbu_destroy(nbu *u);
void nbu_step(nbu *u, const nbu_in *in, nbu_out *out);
bool nbu_idle(const nbu *u);
// The lanes of a register, as they are now.
const uint32_t *nbu_register(const nbu *u, uint32_t reg);
// The twin of a block in it, as a table, and its outputs in this cycle.
const block_ops *nbu_part_ops(nbu_part part);
const void *nbu_part_out(const nbu *u, nbu_part part);
// At the last edge; what a block does not look at is left as it was.
void nbu_glue_at(const nbu *u, nbu_glue *g);
// Parts inside, for observers.
const struct bankctl *nbu_bankctl(const nbu *u);
const struct lsux *nbu_lsux(const nbu *u);
// What the next edges will look at, but for the registers. Later parts look at what the first one
// has brought.
enum { NBU_PARTS = 4 };
void nbu_fetch(prefetch *a, const nbu *u, uint32_t part);
