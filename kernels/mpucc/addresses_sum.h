// SPDX-License-Identifier: Apache-2.0
// Sums of the values of a kernel.
#ifndef NEARBANK_ADDRESSES_SUM_H
#define NEARBANK_ADDRESSES_SUM_H

#include "sums.h"
#include "ssa.h"

typedef struct adder adder;

adder *adder_new(const ssa *v);
void adder_free(adder *x);

// The sum of what a site reads as an operand, 1 to 3. It lives as long as the adder.
sum adder_operand(adder *x, uint32_t site, unsigned operand);
const sum_ranges *adder_ranges(const adder *x);
// Loops that sums count: LOOP n is that of head heads[n], and comes back from block backs[n].
uint32_t adder_loops(const adder *x, const uint32_t **heads, const uint32_t **backs);

// addresses_inst.c: what an instruction computes; `of` gives its operands.
sum adder_result(adder *x, uint32_t site);
sum_ranges *adder_own_ranges(adder *x);
const ssa *adder_ssa(const adder *x);

#endif
