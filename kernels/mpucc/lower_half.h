// SPDX-License-Identifier: Apache-2.0
// Lowering of numbers of 16 bits, and of atomics that the machine does not have: loops around a
// compare-and-swap of the word.
#ifndef NEARBANK_LOWER_HALF_H
#define NEARBANK_LOWER_HALF_H

#include "lower.h"

bool lower_is_half(ptx_type t);  // f16, bf16, or a pair of them
// A statement with such a type, but atomics. False: the opcode does not take it.
bool lower_half(lower *l);
// Registers of 16 bits, or pairs: old + x.
isa_reg lower_half_sum(lower *l, ptx_type t, isa_reg old, isa_reg x);

// Blocks behind the current one that the statement needs; 0: it is not such an atomic.
unsigned lower_loop_blocks(const ptx_stmt *s);
void lower_loop(lower *l);

#endif
