// SPDX-License-Identifier: Apache-2.0
// Every operation that near hardware computes: each legal combination of opcode, types and fn.
#pragma once

#include "csim/isa/isa.h"

// The list, made at the first call. Register fields are 0, or rz where there is no operand; ftz,
// sat and immediates are not set.
const isa_inst *near_ops(unsigned *count);

// It takes two beats of valu: its result has 64 bits.
bool near_op_has_two(const isa_inst *i);
