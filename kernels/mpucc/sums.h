// SPDX-License-Identifier: Apache-2.0
// Sums of addresses (csim/isa/affine.h) while the compiler looks for them, and what can be computed
// with them.
#ifndef NEARBANK_SUMS_H
#define NEARBANK_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include "csim/isa/affine.h"

enum { SUM_TERMS = 16, SUM_RANGES = 12 };
// In place of an AFFINE_ kind: a value where a loop begins, before it is known how it grows. Its
// number is in shift and index.
enum { SUM_UNKNOWN = AFFINE_KINDS };

typedef struct sum {
  uint8_t reason;  // AFFINE_IS, or why it is none; `site` then
  uint32_t site;
  uint32_t n, n_ranges;
  affine_term terms[SUM_TERMS + 1];
  uint32_t ranges[SUM_RANGES];  // in order
} sum;

typedef struct sum_range {  // what must be within bounds
  int64_t least, most;
  uint32_t n;
  affine_term terms[SUM_TERMS];
} sum_range;

typedef struct sum_ranges {
  sum_range *of;
  uint32_t n;
} sum_ranges;

sum sum_none(uint8_t reason, uint32_t site);
sum sum_number(int64_t number);
sum sum_symbol(affine_symbol s);
affine_symbol sum_unknown(uint32_t number);
bool sum_is_number(const sum *a, int64_t *number);
bool sum_same(const sum *a, const sum *b);

// Errors of operands come first; else `site` is where a sum becomes too long.
sum sum_add(const sum *a, const sum *b, int64_t times_b, uint32_t site);
sum sum_multiply(const sum *a, const sum *b, uint32_t site);
// The sum is a number of that range, or the value is not known.
sum sum_within(sum_ranges *all, const sum *a, int64_t least, int64_t most, uint32_t site);
// Divided by 2 to the power of `bits`, rounded down, and what is left. False: that is no sum.
bool sum_split(const sum *a, unsigned bits, uint32_t site, sum *quotient, sum *rest);
// All terms are multiples of 2 to the power of so many bits.
bool sum_is_multiple(const sum *a, unsigned bits);

// Whether a symbol of a kind, by number, is a factor of it or of its ranges.
typedef bool sum_test(const void *context, affine_symbol s);
bool sum_has(const sum_ranges *all, const sum *a, sum_test *test, const void *context);
// With `by` in place of a symbol.
sum sum_replace(sum_ranges *all, const sum *a, affine_symbol s, const sum *by, uint32_t site);

#endif
