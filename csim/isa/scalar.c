// SPDX-License-Identifier: Apache-2.0
// Directed rounding sets the host's rounding mode around one operation; this file is compiled with
// -frounding-math. Approximate functions use only exactly defined double operations, so that every
// host gives the same bits.
#include "scalar.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static float as_f32(uint32_t b) {
  float f;
  memcpy(&f, &b, sizeof f);
  return f;
}
static uint32_t f32_bits(float f) {
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return f != f ? F32_NAN : b;
}
static double as_f64(uint64_t b) {
  double f;
  memcpy(&f, &b, sizeof f);
  return f;
}
static uint64_t f64_bits(double f) {
  uint64_t b;
  memcpy(&b, &f, sizeof b);
  return f != f ? F64_NAN : b;
}

uint32_t scalar_ftz(uint32_t a) {
  return a & 0x7f800000 ? a : a & 0x80000000;
}

// ---- rounding modes

static int host_mode(unsigned rnd) {
  switch (rnd) {
    case ISA_RND_RZ:
    case ISA_RND_RZI:
      return FE_TOWARDZERO;
    case ISA_RND_RM:
    case ISA_RND_RMI:
      return FE_DOWNWARD;
    case ISA_RND_RP:
    case ISA_RND_RPI:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

static int mode_enter(unsigned rnd) {
  int mode = host_mode(rnd);
  if (mode != FE_TONEAREST)
    fesetround(mode);
  return mode;
}
static void mode_leave(int mode) {
  if (mode != FE_TONEAREST)
    fesetround(FE_TONEAREST);
}

// ---- approximate functions, in double

#define LOG2E 1.4426950408889634
#define LN2 0.6931471805599453

// 2^x for |x| < 1100; error far below a float's half ulp.
static double exp2_double(double x) {
  double n = nearbyint(x), t = (x - n) * LN2, sum = 1, term = 1;
  for (int k = 1; k <= 14; k++) {
    term = term * t / k;
    sum += term;
  }
  return ldexp(sum, (int)n);
}

// log2 of a positive finite number.
static double log2_double(double x) {
  int e;
  double m = frexp(x, &e);
  if (m < 0.7071067811865476) {
    m *= 2;
    e--;
  }
  double s = (m - 1) / (m + 1), z = s * s, sum = 0;
  for (int k = 25; k >= 1; k -= 2)
    sum = sum * z + 1.0 / k;
  return 2 * s * sum * LOG2E + e;
}

// sin (quarter 0) or cos (quarter 1) by reduction to [-pi/4, pi/4].
static double sine(double x, int quarter) {
  if (fabs(x) > 1e5)  // beyond what the two-part pi below can reduce; fmod is exact
    x = fmod(x, 6.283185307179586);
  double k = nearbyint(x * 0.6366197723675814);
  double r = (x - k * 1.5707963267341256) - k * 6.077100506506192e-11;
  long q = (long)fmod(k, 4.0) + quarter;
  double z = r * r, s = r, c = 1, term_s = r, term_c = 1;
  for (int n = 1; n <= 9; n++) {
    term_s = -term_s * z / (2 * n * (2 * n + 1));
    term_c = -term_c * z / ((2 * n - 1) * (2 * n));
    s += term_s;
    c += term_c;
  }
  switch (q & 3) {
    case 0:
      return s;
    case 1:
      return c;
    case 2:
      return -s;
    default:
      return -c;
  }
}

static float approx_f32(unsigned op, float x) {
  switch (op) {
    case ISA_OP_RSQRT:
      return (float)(1.0 / sqrt((double)x));
    case ISA_OP_SIN:
      return isinf(x) ? NAN : x == 0 ? x : (float)sine(x, 0);
    case ISA_OP_COS:
      return isinf(x) ? NAN : (float)sine(x, 1);
    case ISA_OP_EX2:
      return isnan(x) ? x : x > 130 ? INFINITY : x < -160 ? 0.0f : (float)exp2_double(x);
    case ISA_OP_LG2:
      return isnan(x) || x < 0 ? NAN : x == 0 ? -INFINITY : isinf(x) ? x : (float)log2_double(x);
    default:
      break;
  }
  if (isnan(x) || x == 0)  // tanh
    return x;
  if (fabsf(x) > 20)
    return copysignf(1, x);
  if (fabsf(x) < 0x1p-12f)
    return x;
  double e = exp2_double(2 * LOG2E * (double)x);
  return (float)((e - 1) / (e + 1));
}

// ---- arithmetic

static float arith_f32(unsigned op, float a, float b, float c) {
  volatile float x = a, y = b, z = c, r;
  switch (op) {
    case ISA_OP_ADD:
      r = x + y;
      break;
    case ISA_OP_SUB:
      r = x - y;
      break;
    case ISA_OP_MUL:
      r = x * y;
      break;
    case ISA_OP_FMA:
      r = fmaf(x, y, z);
      break;
    case ISA_OP_DIV:
      r = x / y;
      break;
    case ISA_OP_RCP:
      r = 1.0f / x;
      break;
    default:
      r = sqrtf(x);
      break;
  }
  return r;
}

static double arith_f64(unsigned op, double a, double b, double c) {
  volatile double x = a, y = b, z = c, r;
  switch (op) {
    case ISA_OP_ADD:
      r = x + y;
      break;
    case ISA_OP_SUB:
      r = x - y;
      break;
    case ISA_OP_MUL:
      r = x * y;
      break;
    case ISA_OP_FMA:
      r = fma(x, y, z);
      break;
    case ISA_OP_DIV:
      r = x / y;
      break;
    case ISA_OP_RCP:
      r = 1.0 / x;
      break;
    case ISA_OP_RSQRT:
      r = 1.0 / sqrt(x);
      break;
    default:
      r = sqrt(x);
      break;
  }
  return r;
}

static bool is_approximate(const isa_inst *i) {
  return i->op >= ISA_OP_RSQRT && i->op <= ISA_OP_TANH;
}

uint32_t scalar_f32(const isa_inst *i, uint32_t a, uint32_t b, uint32_t c) {
  if (i->ftz) {
    a = scalar_ftz(a);
    b = scalar_ftz(b);
    c = scalar_ftz(c);
  }
  uint32_t r;
  if (is_approximate(i)) {
    r = f32_bits(approx_f32(i->op, as_f32(a)));
  } else {
    int mode = mode_enter(i->fn);
    float f = arith_f32(i->op, as_f32(a), as_f32(b), as_f32(c));
    mode_leave(mode);
    r = f32_bits(f);
  }
  if (i->ftz)
    r = scalar_ftz(r);
  if (i->sat) {
    float f = as_f32(r);
    r = f != f || f <= 0 ? 0 : f >= 1 ? 0x3f800000 : r;
  }
  return r;
}

uint64_t scalar_f64(const isa_inst *i, uint64_t a, uint64_t b, uint64_t c) {
  int mode = mode_enter(i->fn);
  double f = arith_f64(i->op, as_f64(a), as_f64(b), as_f64(c));
  mode_leave(mode);
  return f64_bits(f);
}

uint32_t scalar_min_f32(uint32_t a, uint32_t b, bool max) {
  float x = as_f32(a), y = as_f32(b);
  if (x != x)
    return y != y ? F32_NAN : b;
  if (y != y)
    return a;
  if (x == y)  // zeros: -0 is below +0
    return max ? a & b : a | b;
  return (x < y) != max ? a : b;
}

uint64_t scalar_min_f64(uint64_t a, uint64_t b, bool max) {
  double x = as_f64(a), y = as_f64(b);
  if (x != x)
    return y != y ? F64_NAN : b;
  if (y != y)
    return a;
  if (x == y)
    return max ? a & b : a | b;
  return (x < y) != max ? a : b;
}

// ---- comparison

static bool compare(unsigned cmp, bool nan, int order) {
  switch (cmp) {
    case ISA_CMP_EQ:
      return !nan && order == 0;
    case ISA_CMP_NE:
      return !nan && order != 0;
    case ISA_CMP_LT:
      return !nan && order < 0;
    case ISA_CMP_LE:
      return !nan && order <= 0;
    case ISA_CMP_GT:
      return !nan && order > 0;
    case ISA_CMP_GE:
      return !nan && order >= 0;
    case ISA_CMP_EQU:
      return nan || order == 0;
    case ISA_CMP_NEU:
      return nan || order != 0;
    case ISA_CMP_LTU:
      return nan || order < 0;
    case ISA_CMP_LEU:
      return nan || order <= 0;
    case ISA_CMP_GTU:
      return nan || order > 0;
    case ISA_CMP_GEU:
      return nan || order >= 0;
    case ISA_CMP_NUM:
      return !nan;
    default:
      return nan;
  }
}

bool scalar_compare_f32(unsigned cmp, uint32_t a, uint32_t b) {
  float x = as_f32(a), y = as_f32(b);
  return compare(cmp, x != x || y != y, x < y ? -1 : x > y);
}

bool scalar_compare_f64(unsigned cmp, uint64_t a, uint64_t b) {
  double x = as_f64(a), y = as_f64(b);
  return compare(cmp, x != x || y != y, x < y ? -1 : x > y);
}

// ---- conversions

static uint64_t extend(uint64_t a, unsigned type) {
  unsigned bits = isa_types[type].bits;
  if (bits == 64)
    return a;
  uint64_t low = a & ((1ull << bits) - 1);
  return isa_types[type].kind == 'S' ? (uint64_t)((int64_t)(low << (64 - bits)) >> (64 - bits))
                                     : low;
}

uint64_t scalar_i2i(const isa_inst *i, uint64_t a) {
  uint64_t v = extend(a, i->type2);
  unsigned bits = isa_types[i->type].bits;
  bool from_signed = isa_types[i->type2].kind == 'S', to_signed = isa_types[i->type].kind == 'S';
  if (i->sat) {
    bool negative = from_signed && (int64_t)v < 0;
    uint64_t max = to_signed ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
    if (!negative && v > max)
      v = max;
    else if (negative && !to_signed)
      v = 0;
    else if (negative && (int64_t)v < -(int64_t)max - 1)
      v = 0 - max - 1;
  }
  return extend(v, i->type);
}

uint64_t scalar_i2f(const isa_inst *i, uint64_t a) {
  bool is_signed = isa_types[i->type2].kind == 'S';
  uint64_t v = extend(a, i->type2), r;
  int mode = mode_enter(i->fn);
  if (i->type == ISA_TYPE_F32) {
    volatile int64_t s = (int64_t)v;
    volatile uint64_t u = v;
    volatile float f = is_signed ? (float)s : (float)u;
    mode_leave(mode);
    r = f32_bits(f);
    if (i->sat)
      r = f <= 0 ? 0 : f >= 1 ? 0x3f800000 : r;
    return r;
  }
  volatile int64_t s = (int64_t)v;
  volatile uint64_t u = v;
  volatile double f = is_signed ? (double)s : (double)u;
  mode_leave(mode);
  return f64_bits(f);
}

static double round_integral(double x, unsigned rnd) {
  switch (rnd) {
    case ISA_RND_RZI:
      return trunc(x);
    case ISA_RND_RMI:
      return floor(x);
    case ISA_RND_RPI:
      return ceil(x);
    default:
      return nearbyint(x);
  }
}

uint64_t scalar_f2i(const isa_inst *i, uint64_t a) {
  bool from32 = i->type2 == ISA_TYPE_F32;
  double x = from32 ? (double)as_f32(i->ftz ? scalar_ftz((uint32_t)a) : (uint32_t)a) : as_f64(a);
  unsigned bits = isa_types[i->type].bits;
  bool is_signed = isa_types[i->type].kind == 'S';
  uint64_t top = 1ull << (bits - 1), all = ~0ull >> (64 - bits);
  if (x != x)
    return from32 && bits == 32 ? 0 : top;
  x = round_integral(x, i->fn);
  if (is_signed) {
    double limit = ldexp(1, (int)bits - 1);
    return x >= limit ? top - 1 : x < -limit ? top : (uint64_t)(int64_t)x & all;
  }
  return x <= 0 ? 0 : x >= ldexp(1, (int)bits) ? all : (uint64_t)x;
}

static uint32_t saturate_f32(uint32_t r) {
  float f = as_f32(r);
  return f != f || f <= 0 ? 0 : f >= 1 ? 0x3f800000 : r;
}

uint64_t scalar_f2f(const isa_inst *i, uint64_t a) {
  uint32_t in = i->ftz ? scalar_ftz((uint32_t)a) : (uint32_t)a;
  if (i->type == ISA_TYPE_F64) {
    double x = i->type2 == ISA_TYPE_F32 ? (double)as_f32(in) : as_f64(a);
    return f64_bits(i->fn ? round_integral(x, i->fn) : x);
  }
  uint32_t r;
  if (i->type2 == ISA_TYPE_F64) {
    int mode = mode_enter(i->fn);
    volatile double x = as_f64(a);
    volatile float f = (float)x;
    mode_leave(mode);
    r = f32_bits(f);
  } else {
    float x = as_f32(in);
    r = f32_bits(i->fn ? (float)round_integral(x, i->fn) : x);
  }
  if (i->ftz)
    r = scalar_ftz(r);
  return i->sat ? saturate_f32(r) : r;
}

// ---- integers

static uint64_t divide(const isa_inst *i, uint64_t a, uint64_t b) {
  bool rem = i->op == ISA_OP_REM, is_signed = isa_types[i->type].kind == 'S';
  unsigned bits = isa_types[i->type].bits;
  uint64_t x = extend(a, i->type), y = extend(b, i->type);
  if (y == 0)
    return rem ? a : ~0ull;
  if (!is_signed)
    return rem ? x % y : x / y;
  if ((int64_t)y == -1)  // the most negative number would trap
    return rem ? 0 : 0 - x;
  (void)bits;
  return (uint64_t)(rem ? (int64_t)x % (int64_t)y : (int64_t)x / (int64_t)y);
}

static uint64_t bit_field_extract(const isa_inst *i, uint64_t a, uint32_t at) {
  unsigned bits = isa_types[i->type].bits, pos = at & 0xff, len = at >> 8 & 0xff;
  bool is_signed = isa_types[i->type].kind == 'S';
  uint64_t v = extend(a, is_signed ? i->type : (bits == 64 ? ISA_TYPE_U64 : ISA_TYPE_U32));
  if (len == 0)
    return 0;
  uint64_t sign = is_signed && v >> 63 & 1;  // bits beyond the top repeat it
  unsigned top = pos + len - 1;
  uint64_t bit = is_signed ? (top < bits ? v >> top & 1 : sign) : 0;
  uint64_t field = pos >= bits ? 0 : (bits == 64 ? v : v & 0xffffffff) >> pos;
  unsigned have = pos >= bits ? 0 : bits - pos;
  if (len < have)
    have = len;
  uint64_t mask = have >= 64 ? ~0ull : (1ull << have) - 1;
  return (field & mask) | (bit ? ~mask : 0);
}

static uint64_t bit_field_insert(const isa_inst *i, uint64_t a, uint64_t b, uint32_t at) {
  unsigned bits = isa_types[i->type].bits, pos = at & 0xff, len = at >> 8 & 0xff;
  if (pos >= bits || len == 0)
    return b;
  if (len > bits - pos)
    len = bits - pos;
  uint64_t mask = (len >= 64 ? ~0ull : (1ull << len) - 1) << pos;
  return (b & ~mask) | (a << pos & mask);
}

static uint32_t permute(unsigned mode, uint32_t a, uint32_t b, uint32_t c) {
  uint64_t both = (uint64_t)b << 32 | a;
  uint32_t r = 0, n = c & 3;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t sel;
    switch (mode) {
      case ISA_PRMT_F4E:
        sel = n + k;
        break;
      case ISA_PRMT_B4E:
        sel = (n - k) & 7;
        break;
      case ISA_PRMT_RC8:
        sel = n;
        break;
      case ISA_PRMT_ECL:
        sel = k < n ? n : k;
        break;
      case ISA_PRMT_ECR:
        sel = k < n ? k : n;
        break;
      case ISA_PRMT_RC16:
        sel = 2 * (n & 1) + (k & 1);
        break;
      default:
        sel = c >> 4 * k & 15;
        break;
    }
    uint32_t byte = (uint32_t)(both >> 8 * (sel & 7)) & 0xff;
    if (mode == ISA_PRMT_PLAIN && (sel & 8))
      byte = byte & 0x80 ? 0xff : 0;
    r |= byte << 8 * k;
  }
  return r;
}

static uint32_t funnel(unsigned mode, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t n = mode == ISA_SHF_L_CLAMP || mode == ISA_SHF_R_CLAMP ? (c > 32 ? 32 : c) : c & 31;
  uint64_t both = (uint64_t)b << 32 | a;
  return mode == ISA_SHF_L_WRAP || mode == ISA_SHF_L_CLAMP ? (uint32_t)(both << n >> 32)
                                                           : (uint32_t)(both >> n);
}

static uint32_t leading(const isa_inst *i, uint64_t a) {
  unsigned bits = isa_types[i->type].bits;
  uint64_t v = extend(a, i->type);
  if (isa_types[i->type].kind == 'S' && (int64_t)v < 0)
    v = ~v;
  if (bits == 32)
    v &= 0xffffffff;
  if (v == 0)
    return 0xffffffff;
  uint32_t place = 63 - (uint32_t)__builtin_clzll(v);
  return i->fn == ISA_BFIND_SHIFTAMT ? bits - 1 - place : place;
}

static uint32_t absdiff4(const isa_inst *i, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0, sum = c;
  for (int k = 0; k < 4; k++) {
    int x = i->type == ISA_TYPE_S32 ? (int8_t)(a >> 8 * k) : (uint8_t)(a >> 8 * k);
    int y = i->type == ISA_TYPE_S32 ? (int8_t)(b >> 8 * k) : (uint8_t)(b >> 8 * k);
    uint32_t d = (uint32_t)(x > y ? x - y : y - x);
    r |= (d & 0xff) << 8 * k;
    sum += d;
  }
  return i->fn == ISA_VABSDIFF4_ADD ? sum : r;
}

static uint64_t multiply_high(const isa_inst *i, uint64_t a, uint64_t b) {
  switch (i->type) {
    case ISA_TYPE_U32:
      return (uint64_t)(uint32_t)a * (uint32_t)b >> 32;
    case ISA_TYPE_S32:
      return (uint64_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    case ISA_TYPE_U64:
      return (uint64_t)((unsigned __int128)a * b >> 64);
    default:
      return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
  }
}

static uint64_t reverse(uint64_t a, unsigned bits) {
  uint64_t r = 0;
  for (unsigned k = 0; k < bits; k++)
    r |= (a >> k & 1) << (bits - 1 - k);
  return r;
}

uint64_t scalar_int(const isa_inst *i, uint64_t a, uint64_t b, uint64_t c) {
  unsigned bits = isa_types[i->type].bits;
  switch (i->op) {
    case ISA_OP_DIV:
    case ISA_OP_REM:
      return divide(i, a, b);
    case ISA_OP_MULH:
      return multiply_high(i, a, b);
    case ISA_OP_BFE:
      return bit_field_extract(i, a, (uint32_t)b);
    case ISA_OP_BFI:
      return bit_field_insert(i, a, b, (uint32_t)c);
    case ISA_OP_BREV:
      return reverse(a, bits);
    case ISA_OP_POPC:
      return (uint64_t)__builtin_popcountll(a);
    case ISA_OP_CLZ:
      return a ? (uint64_t)__builtin_clzll(a) - (64 - bits) : bits;
    case ISA_OP_BFIND:
      return leading(i, a);
    case ISA_OP_PRMT:
      return permute(i->fn, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    case ISA_OP_SHF:
      return funnel(i->fn, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    default:
      return absdiff4(i, (uint32_t)a, (uint32_t)b, (uint32_t)c);
  }
}
