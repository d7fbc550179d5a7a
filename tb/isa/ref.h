// SPDX-License-Identifier: Apache-2.0
// What an instruction must compute, written a second time: from the table and the PTX rules, not
// from the machine. Floats go through exact big integers, so no rounding mode of the host matters.
#ifndef NEARBANK_TB_ISA_REF_H
#define NEARBANK_TB_ISA_REF_H

#include <stdbool.h>
#include <stdint.h>
#include "csim/isa/isa.h"

// ---- exact floats. A format is f32 or f64; values travel as bits.
typedef struct ref_format {
  int digits;   // of the significand, the hidden one included
  int quantum;  // exponent of the smallest subnormal
  int exp_bits;
} ref_format;
extern const ref_format ref_f32, ref_f64;
const ref_format *ref_format_of(unsigned type);  // ISA_TYPE_F32 or F64

bool ref_is_nan(const ref_format *f, uint64_t x);
bool ref_is_inf(const ref_format *f, uint64_t x);
bool ref_is_zero(const ref_format *f, uint64_t x);
bool ref_is_subnormal(const ref_format *f, uint64_t x);
bool ref_is_negative(const ref_format *f, uint64_t x);
uint64_t ref_nan(const ref_format *f);  // the one NaN that arithmetic gives
uint64_t ref_inf(const ref_format *f, bool negative);
uint64_t ref_zero(const ref_format *f, bool negative);
uint64_t ref_flush(const ref_format *f, uint64_t x);  // subnormals become zeros

// A NaN result is ref_nan, whatever NaNs went in. `rnd` is ISA_RND_RN, RZ, RM or RP.
uint64_t ref_fma(const ref_format *f, uint64_t a, uint64_t b, uint64_t c, unsigned rnd);
uint64_t ref_add(const ref_format *f, uint64_t a, uint64_t b, unsigned rnd);
uint64_t ref_mul(const ref_format *f, uint64_t a, uint64_t b, unsigned rnd);
uint64_t ref_div(const ref_format *f, uint64_t a, uint64_t b, unsigned rnd);
uint64_t ref_sqrt(const ref_format *f, uint64_t a, unsigned rnd);
uint64_t ref_convert(const ref_format *to, const ref_format *from, uint64_t a, unsigned rnd);
uint64_t ref_integral(const ref_format *f, uint64_t a, unsigned rnd);  // rnd: ISA_RND_RNI ... RPI
uint64_t ref_from_int(const ref_format *f, bool negative, uint64_t magnitude, unsigned rnd);
// To an integer of type ISA_TYPE_U32 ... S64, clamped, rounded by ISA_RND_RNI ... RPI.
uint64_t ref_to_int(const ref_format *f, uint64_t a, unsigned type, unsigned rnd);
int ref_compare(const ref_format *f, uint64_t a, uint64_t b);  // -1 0 1; no NaN
long double ref_value(const ref_format *f, uint64_t a);        // exact; no NaN

// ---- instructions on registers
typedef struct ref_in {
  uint64_t a, b, c;  // operands, as wide as the instruction takes them
  bool ps, ps2;      // predicate sources, before their negation
} ref_in;

typedef enum ref_how {
  REF_BITS,    // d must have these bits
  REF_NUMBER,  // float: these bits, or ref_nan for any NaN
  REF_CLOSE,   // approximation: ask ref_close
} ref_how;

typedef struct ref_out {
  uint64_t d;
  bool pd, pq;
  ref_how how;
} ref_out;

// False when the opcode is none that works on registers alone.
bool ref_execute(const isa_inst *i, const ref_in *in, ref_out *out);
bool ref_execute_int(const isa_inst *i, const ref_in *in, ref_out *out);
bool ref_execute_float(const isa_inst *i, const ref_in *in, ref_out *out);
// Whether `got` is within PTX's bound of an approximate instruction's result.
bool ref_close(const isa_inst *i, const ref_in *in, uint64_t got);
bool ref_matches(const isa_inst *i, const ref_in *in, const ref_out *want, uint64_t got);

// Value of an immediate in operand 1 to 3.
uint64_t ref_immediate(const isa_inst *i, unsigned operand);
// One atomic operation on `old`.
uint64_t ref_atomic(const isa_inst *i, uint64_t old, uint64_t b, uint64_t c);
int64_t ref_sext(uint64_t x, unsigned bits);
uint64_t ref_mask(unsigned bits);

#endif
