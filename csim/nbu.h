// SPDX-License-Identifier: Apache-2.0
// The C twin of nbu: the twins of its blocks, wired. docs/blocks/nbu.md.
#pragma once

#include "ahead.h"
#include "block.h"
#define BLOCK nbu
#include "block_declare.h"

typedef struct nbu nbu;

nbu *nbu_create(void);  // after reset; NULL when memory is short
void nbu_destroy(nbu *u);
void nbu_step(nbu *u, const nbu_in *in, nbu_out *out);
bool nbu_idle(const nbu *u);
// The lanes of a register, as they are now.
const uint32_t *nbu_register(const nbu *u, uint32_t reg);
// What the next edges will look at, but for the registers. Later parts look at what the first one
// has brought.
enum { NBU_PARTS = 4 };
void nbu_fetch(ahead *a, const nbu *u, uint32_t part);
