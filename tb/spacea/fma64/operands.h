// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tb/cosim/cosim.h"

// binary64: zeros, subnormals, ends of ranges, halfway cases, infinities, NaNs, and any.
uint64_t fma64_number(cosim_rng *rng);

// Ways in which the operands of an operation are near a place where something changes.
typedef enum fma64_corner {
  FMA64_ANY,           // three numbers of fma64_number
  FMA64_ZERO_TIMES,    // a zero or a subnormal times an infinity or a large number
  FMA64_TINY,          // the result is subnormal, or just not
  FMA64_CANCEL,        // all but the last bits cancel
  FMA64_CANCEL_TINY,   // they do, and what is left is subnormal
  FMA64_CANCEL_ALL,    // all but the lowest bit of the product
  FMA64_DISTANCE,      // the addend is anywhere beside the product: each distance to a sticky bit
  FMA64_TIE,           // halfway between two numbers, or one bit beside that
  FMA64_OVERFLOW,      // the result overflows, or just not
  FMA64_NAN,           // a NaN in at least one operand
  FMA64_SIGNED_ZEROS,  // zeros of both signs, and products that round to them
  FMA64_CORNERS
} fma64_corner;

// Operands a, b, c of a corner, for FMA; of the other operations they are near places too.
void fma64_operands(cosim_rng *rng, fma64_corner corner, uint32_t op, uint64_t x[3]);
