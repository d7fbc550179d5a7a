// SPDX-License-Identifier: Apache-2.0
// One-lane arithmetic that is too rare or too involved for vectors: directed rounding, conversions,
// division, approximate functions, bit fields. Bits in, bits out.
#ifndef NEARBANK_SCALAR_H
#define NEARBANK_SCALAR_H

#include <stdbool.h>
#include <stdint.h>
#include "isa.h"

#define F32_NAN 0x7fffffffu
#define F64_NAN 0x7ff8000000000000ull

// add, sub, mul, fma, div, rcp, sqrt and the approximate functions, in any rounding.
uint32_t scalar_f32(const isa_inst *i, uint32_t a, uint32_t b, uint32_t c);
uint64_t scalar_f64(const isa_inst *i, uint64_t a, uint64_t b, uint64_t c);

uint64_t scalar_i2f(const isa_inst *i, uint64_t a);
uint64_t scalar_f2i(const isa_inst *i, uint64_t a);
uint64_t scalar_f2f(const isa_inst *i, uint64_t a);
uint64_t scalar_i2i(const isa_inst *i, uint64_t a);

bool scalar_compare_f32(unsigned cmp, uint32_t a, uint32_t b);
bool scalar_compare_f64(unsigned cmp, uint64_t a, uint64_t b);

// Integer operations of BFE BFI BREV POPC CLZ BFIND PRMT SHF VABSDIFF4 DIV REM MULH.
uint64_t scalar_int(const isa_inst *i, uint64_t a, uint64_t b, uint64_t c);

uint32_t scalar_ftz(uint32_t a);  // subnormal to zero of its sign
uint32_t scalar_min_f32(uint32_t a, uint32_t b, bool max);
uint64_t scalar_min_f64(uint64_t a, uint64_t b, bool max);

#endif
