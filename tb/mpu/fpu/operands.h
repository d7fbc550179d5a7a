// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tb/cosim/cosim.h"

// Changes any operands a, b, c to such for which the result of an operation (fpu_op) is close to a
// place where something changes: cancellation, ends of the ranges, halfway, one bit below all that
// are kept.
void fpu_aim(cosim_rng *rng, uint32_t op, uint32_t x[3]);
