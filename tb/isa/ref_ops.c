// SPDX-License-Identifier: Apache-2.0
// Float instructions on top of the exact arithmetic, and PTX's bounds of the approximate ones.
#include <assert.h>
#include <math.h>
#include "ref.h"

static uint64_t saturated(const ref_format *f, uint64_t x) {
  uint64_t one = ref_from_int(f, false, 1, ISA_RND_RN);
  if (ref_is_nan(f, x) || ref_is_negative(f, x))
    return 0;
  return ref_compare(f, x, one) > 0 ? one : x;
}

static bool compare(const ref_format *f, unsigned cmp, uint64_t a, uint64_t b) {
  bool nan = ref_is_nan(f, a) || ref_is_nan(f, b);
  if (cmp == ISA_CMP_NUM || cmp == ISA_CMP_NAN)
    return nan == (cmp == ISA_CMP_NAN);
  if (nan)
    return cmp >= ISA_CMP_EQU;
  int order = ref_compare(f, a, b);
  switch (cmp >= ISA_CMP_EQU ? cmp - ISA_CMP_EQU : cmp) {
    case ISA_CMP_EQ:
      return order == 0;
    case ISA_CMP_NE:
      return order != 0;
    case ISA_CMP_LT:
      return order < 0;
    case ISA_CMP_LE:
      return order <= 0;
    case ISA_CMP_GT:
      return order > 0;
    default:
      return order >= 0;
  }
}

static uint64_t extreme(const ref_format *f, uint64_t a, uint64_t b, bool want_larger) {
  if (ref_is_nan(f, a))
    return ref_is_nan(f, b) ? ref_nan(f) : b;
  if (ref_is_nan(f, b))
    return a;
  int order = ref_compare(f, a, b);
  if (order == 0)  // only the zeros differ in their bits
    order = ref_is_negative(f, a) == ref_is_negative(f, b) ? 0 : ref_is_negative(f, a) ? -1 : 1;
  return (order > 0) != want_larger ? b : a;
}

static bool classified(const ref_format *f, unsigned sub, uint64_t a) {
  bool nan = ref_is_nan(f, a), inf = ref_is_inf(f, a), subnormal = ref_is_subnormal(f, a);
  switch (sub) {
    case ISA_TESTP_FINITE:
      return !nan && !inf;
    case ISA_TESTP_INFINITE:
      return inf;
    case ISA_TESTP_NUMBER:
      return !nan;
    case ISA_TESTP_NOTANUMBER:
      return nan;
    case ISA_TESTP_NORMAL:
      return !nan && !inf && !subnormal;  // PTX: zeros count as normal
    case ISA_TESTP_SUBNORMAL:
      return subnormal;
    default:
      assert(!"a class");
      return false;
  }
}

static bool approximate(const isa_inst *i) {
  return i->fn == ISA_RND_APPROX || i->fn == ISA_RND_FULL;
}

static uint64_t flushed(const isa_inst *i, const ref_format *f, uint64_t x) {
  return i->ftz && f == &ref_f32 ? ref_flush(f, x) : x;
}

// Conversions: source and destination formats differ.
static bool convert(const isa_inst *i, const ref_in *in, ref_out *out) {
  if (i->op == ISA_OP_I2F) {
    const ref_format *f = ref_format_of(i->type);
    unsigned bits = isa_types[i->type2].bits;
    bool negative = isa_types[i->type2].kind == 'S' && ref_sext(in->a, bits) < 0;
    uint64_t a = negative ? -(uint64_t)ref_sext(in->a, bits) : in->a & ref_mask(bits);
    out->d = ref_from_int(f, negative, a, i->fn);
    if (i->sat)
      out->d = saturated(f, out->d);
    return true;
  }
  const ref_format *from = ref_format_of(i->type2);
  uint64_t a = flushed(i, from, in->a);
  if (i->op == ISA_OP_F2I) {
    out->how = REF_BITS;
    out->d = ref_to_int(from, a, i->type, i->fn);
    return true;
  }
  if (i->op != ISA_OP_F2F)
    return false;
  const ref_format *to = ref_format_of(i->type);
  if (to != from)
    out->d = ref_convert(to, from, a, i->fn ? i->fn : ISA_RND_RN);
  else
    out->d = i->fn ? ref_integral(to, a, i->fn) : a;
  out->d = flushed(i, to, out->d);
  if (i->sat)
    out->d = saturated(to, out->d);
  return true;
}

bool ref_execute_float(const isa_inst *i, const ref_in *in, ref_out *out) {
  out->how = REF_NUMBER;
  if (i->op == ISA_OP_I2F || i->op == ISA_OP_F2I || i->op == ISA_OP_F2F)
    return convert(i, in, out);
  unsigned type = i->op == ISA_OP_SET ? i->type2 : i->type;
  if (isa_types[type].kind != 'F')
    return false;
  const ref_format *f = ref_format_of(type);
  uint64_t a = flushed(i, f, in->a), b = flushed(i, f, in->b), c = flushed(i, f, in->c);
  uint64_t minus = ref_zero(f, true);
  unsigned rnd = i->fn ? i->fn : ISA_RND_RN;
  if (isa_ops[i->op].flags & ISA_F_RND && approximate(i)) {
    out->how = REF_CLOSE;
    out->d = 0;
    return true;
  }
  switch (i->op) {
    case ISA_OP_ADD:
      out->d = ref_add(f, a, b, rnd);
      break;
    case ISA_OP_SUB:
      out->d = ref_add(f, a, b ^ minus, rnd);
      break;
    case ISA_OP_MUL:
      out->d = ref_mul(f, a, b, rnd);
      break;
    case ISA_OP_FMA:
      out->d = ref_fma(f, a, b, c, rnd);
      break;
    case ISA_OP_DIV:
      out->d = ref_div(f, a, b, rnd);
      break;
    case ISA_OP_RCP:
      out->d = ref_div(f, ref_from_int(f, false, 1, ISA_RND_RN), a, rnd);
      break;
    case ISA_OP_SQRT:
      out->d = ref_sqrt(f, a, rnd);
      break;
    case ISA_OP_MIN:
      out->d = extreme(f, a, b, false);
      break;
    case ISA_OP_MAX:
      out->d = extreme(f, a, b, true);
      break;
    case ISA_OP_ABS:
      out->how = REF_BITS, out->d = a & ~minus;
      break;
    case ISA_OP_NEG:
      out->how = REF_BITS, out->d = a ^ minus;
      break;
    case ISA_OP_COPYSIGN:
      out->how = REF_BITS, out->d = (b & ~minus) | (a & minus);
      break;
    case ISA_OP_TESTP:
      out->pd = classified(f, i->fn, a);
      return true;
    case ISA_OP_SETP:
    case ISA_OP_SET: {
      bool yes = compare(f, i->fn, a, b), s = in->ps != i->ps_neg;
      const bool p[4] = {yes, yes && s, yes || s, yes != s};
      const bool q[4] = {!yes, !yes && s, !yes || s, !yes != s};
      out->pd = p[i->boolop];
      out->pq = q[i->boolop];
      out->how = REF_BITS;
      out->d = !yes ? 0 : i->type == ISA_TYPE_F32 ? 0x3f800000 : 0xffffffff;
      return true;
    }
    default:
      return false;
  }
  out->d = flushed(i, f, out->d);
  if (i->sat)
    out->d = saturated(f, out->d);
  return true;
}

// ---- approximations: an interval around the true value
static long double ulp_of(const ref_format *f, long double v) {
  int e;
  if (v == 0)
    return ldexpl(1, f->quantum);
  frexpl(v, &e);
  int q = e - f->digits;
  return ldexpl(1, q < f->quantum ? f->quantum : q);
}

// True when `got` is within `bound` of `want`, where values beyond the largest may be infinite, and
// zero stands for a flushed subnormal.
static bool within(const isa_inst *i, const ref_format *f, uint64_t got, long double want,
                   long double bound) {
  long double smallest_normal = ldexpl(1, f->quantum + f->digits - 1);
  long double largest = ref_value(f, ref_inf(f, false) - 1);
  if (ref_is_nan(f, got))
    return isnan(want);
  if (isnan(want))
    return false;
  long double g = ref_value(f, got);
  if (isinf(want))
    return g == want;
  if (isinf(g))
    return fabsl(want) + bound > largest && (g < 0) == (want < 0);
  if (i->ftz && g == 0 && fabsl(want) < smallest_normal + bound)
    return true;
  return fabsl(g - want) <= bound;
}

bool ref_close(const isa_inst *i, const ref_in *in, uint64_t got) {
  const ref_format *f = ref_format_of(i->type);
  uint64_t a = flushed(i, f, in->a), b = flushed(i, f, in->b);
  if (ref_is_nan(f, a) || (i->op == ISA_OP_DIV && ref_is_nan(f, b)))
    return ref_is_nan(f, got);
  long double x = ref_value(f, a), want, limit = ldexpl(1, 127), bound;
  if (i->ftz && ref_is_subnormal(f, got))
    return false;
  switch (i->op) {
    case ISA_OP_DIV: {
      long double y = ref_value(f, b);
      want = x / y;
      bound = 2 * ulp_of(f, want);
      if (i->fn == ISA_RND_APPROX && fabsl(y) > limit / 2 && !isinf(y) &&
          (ref_is_zero(f, got) || (isinf(x) && ref_is_nan(f, got))))
        return true;  // PTX leaves large divisors of .approx inexact
      break;
    }
    case ISA_OP_RCP:
      want = 1 / x, bound = ulp_of(f, want);
      break;
    case ISA_OP_SQRT:
      want = sqrtl(x), bound = fabsl(want) * ldexpl(1, -23);
      break;
    case ISA_OP_RSQRT:
      want = x == 0 ? 1 / x : 1 / sqrtl(x), bound = fabsl(want) * exp2l(-22.9L);
      break;
    case ISA_OP_SIN:
    case ISA_OP_COS:
      if (isinf(x))
        return ref_is_nan(f, got);
      want = i->op == ISA_OP_SIN ? sinl(x) : cosl(x), bound = exp2l(-20.5L);
      if (fabsl(x) > 6.2831855L)  // beyond two pi PTX promises nothing but a range
        return !ref_is_nan(f, got) && fabsl(ref_value(f, got)) <= 1 + bound;
      break;
    case ISA_OP_EX2:
      want = exp2l(x), bound = 2 * ulp_of(f, want);
      break;
    case ISA_OP_LG2:
      want = log2l(x), bound = ldexpl(x > 0.5L && x < 2 ? 1 : fabsl(want), -22);
      break;
    case ISA_OP_TANH:
      want = tanhl(x), bound = fabsl(want) * exp2l(-10.987L);
      break;
    default:
      return false;
  }
  if (i->type == ISA_TYPE_F64) {  // gross approximations: 20 bits, subnormals may count as zeros
    bound = fabsl(want) * ldexpl(1, -20);
    if (ref_is_subnormal(f, a) &&
        (ref_is_zero(f, got) || (ref_is_inf(f, got) && i->op != ISA_OP_SQRT)))
      return true;
  }
  // A result near the smallest subnormal rounds to a multiple of it.
  if (fabsl(want) < ldexpl(1, f->quantum + f->digits) && bound < ldexpl(1, f->quantum))
    bound = ldexpl(1, f->quantum);
  if (want == 0 && !ref_is_nan(f, got) && i->op != ISA_OP_LG2 && i->op != ISA_OP_COS &&
      ref_is_zero(f, got) && ref_is_negative(f, got) != !!signbit(want))
    return false;  // zeros keep their sign
  return within(i, f, got, want, bound);
}

bool ref_execute(const isa_inst *i, const ref_in *in, ref_out *out) {
  *out = (ref_out){0};
  return ref_execute_float(i, in, out) || ref_execute_int(i, in, out);
}

bool ref_matches(const isa_inst *i, const ref_in *in, const ref_out *want, uint64_t got) {
  if (want->how == REF_CLOSE)
    return ref_close(i, in, got) &&
           (!ref_is_nan(ref_format_of(i->type), got) || got == ref_nan(ref_format_of(i->type)));
  if (want->how == REF_NUMBER && ref_is_nan(ref_format_of(i->type), want->d))
    return got == ref_nan(ref_format_of(i->type));
  return got == want->d;
}
