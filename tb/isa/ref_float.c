// SPDX-License-Identifier: Apache-2.0
// Exact floats: every finite value, product and sum is an integer multiple of 2^-BIAS, held whole
// and rounded once.
#include <assert.h>
#include <string.h>
#include "ref.h"

enum { WORDS = 76, BIAS = 2300 };

typedef struct big {
  uint64_t w[WORDS];
} big;

typedef struct parts {
  bool negative;
  uint64_t significand;
  int exponent;  // value = significand * 2^exponent
} parts;

typedef unsigned __int128 u128;

const ref_format ref_f32 = {24, -149, 8}, ref_f64 = {53, -1074, 11};

const ref_format *ref_format_of(unsigned type) {
  assert(type == ISA_TYPE_F32 || type == ISA_TYPE_F64);
  return type == ISA_TYPE_F32 ? &ref_f32 : &ref_f64;
}

static uint64_t fraction_of(const ref_format *f, uint64_t x) {
  return x & ((1ull << (f->digits - 1)) - 1);
}
static unsigned exponent_of(const ref_format *f, uint64_t x) {
  return (unsigned)(x >> (f->digits - 1)) & ((1u << f->exp_bits) - 1);
}
static unsigned exponent_max(const ref_format *f) {
  return (1u << f->exp_bits) - 1;
}
static uint64_t sign_bit(const ref_format *f) {
  return 1ull << (f->digits - 1 + f->exp_bits);
}

bool ref_is_nan(const ref_format *f, uint64_t x) {
  return exponent_of(f, x) == exponent_max(f) && fraction_of(f, x) != 0;
}
bool ref_is_inf(const ref_format *f, uint64_t x) {
  return exponent_of(f, x) == exponent_max(f) && fraction_of(f, x) == 0;
}
bool ref_is_zero(const ref_format *f, uint64_t x) {
  return exponent_of(f, x) == 0 && fraction_of(f, x) == 0;
}
bool ref_is_subnormal(const ref_format *f, uint64_t x) {
  return exponent_of(f, x) == 0 && fraction_of(f, x) != 0;
}
bool ref_is_negative(const ref_format *f, uint64_t x) {
  return (x & sign_bit(f)) != 0;
}

uint64_t ref_zero(const ref_format *f, bool negative) {
  return negative ? sign_bit(f) : 0;
}
uint64_t ref_inf(const ref_format *f, bool negative) {
  return ref_zero(f, negative) | (uint64_t)exponent_max(f) << (f->digits - 1);
}
uint64_t ref_nan(const ref_format *f) {
  return f == &ref_f32 ? 0x7fffffff : 0x7ff8000000000000;
}
uint64_t ref_flush(const ref_format *f, uint64_t x) {
  return ref_is_subnormal(f, x) ? ref_zero(f, ref_is_negative(f, x)) : x;
}

static parts parts_of(const ref_format *f, uint64_t x) {
  unsigned e = exponent_of(f, x);
  parts p = {ref_is_negative(f, x), fraction_of(f, x), f->quantum};
  if (e) {
    p.significand |= 1ull << (f->digits - 1);
    p.exponent += (int)e - 1;
  }
  return p;
}

// *b += value << (exponent + BIAS)
static void big_add(big *b, u128 value, int exponent) {
  int at = exponent + BIAS;
  assert(at >= 0 && at / 64 + 3 < WORDS);
  int word = at / 64, bit = at % 64;
  u128 upper = bit ? value >> (64 - bit) : value >> 64;
  uint64_t part[3] = {(uint64_t)value << bit, (uint64_t)upper, (uint64_t)(upper >> 64)};
  uint64_t carry = 0;
  for (int k = word; k < WORDS && (k < word + 3 || carry); k++) {
    u128 sum = (u128)b->w[k] + (k < word + 3 ? part[k - word] : 0) + carry;
    b->w[k] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
}

static int big_compare(const big *a, const big *b) {
  for (int k = WORDS - 1; k >= 0; k--)
    if (a->w[k] != b->w[k])
      return a->w[k] < b->w[k] ? -1 : 1;
  return 0;
}

static void big_sub(big *a, const big *b) {  // a >= b
  uint64_t borrow = 0;
  for (int k = 0; k < WORDS; k++) {
    u128 d = (u128)a->w[k] - b->w[k] - borrow;
    a->w[k] = (uint64_t)d;
    borrow = (uint64_t)(d >> 64) & 1;
  }
}

static int big_top(const big *b) {  // exponent of the highest bit, INT_MIN-like if zero
  for (int k = WORDS - 1; k >= 0; k--)
    if (b->w[k])
      return k * 64 + 63 - __builtin_clzll(b->w[k]) - BIAS;
  return -BIAS - 1;
}

static bool big_bit(const big *b, int exponent) {
  int at = exponent + BIAS;
  return at >= 0 && (b->w[at / 64] >> (at % 64) & 1);
}

static bool big_any_below(const big *b, int exponent) {
  int at = exponent + BIAS;
  if (at <= 0)
    return false;
  for (int k = 0; k < at / 64; k++)
    if (b->w[k])
      return true;
  return at % 64 && (b->w[at / 64] & ((1ull << at % 64) - 1)) != 0;
}

static uint64_t big_slice(const big *b, int from, int to) {  // bits of weight 2^from ... 2^to
  uint64_t r = 0;
  for (int e = to; e >= from; e--)
    r = r << 1 | big_bit(b, e);
  return r;
}

static bool round_up(unsigned rnd, bool negative, bool odd, bool half, bool rest) {
  switch (rnd) {
    case ISA_RND_RN:
    case ISA_RND_RNI:
      return half && (rest || odd);
    case ISA_RND_RZ:
    case ISA_RND_RZI:
      return false;
    case ISA_RND_RM:
    case ISA_RND_RMI:
      return negative && (half || rest);
    case ISA_RND_RP:
    case ISA_RND_RPI:
      return !negative && (half || rest);
    default:
      assert(!"a rounding");
      return false;
  }
}

// Rounds to a multiple of 2^lowest that also fits the format. `sticky`: a bit below all of `b`.
static uint64_t round_to(const ref_format *f, bool negative, const big *b, bool sticky,
                         unsigned rnd, int lowest) {
  int top = big_top(b), quantum = top - (f->digits - 1);
  if (quantum < lowest)
    quantum = lowest;
  uint64_t m = top >= quantum ? big_slice(b, quantum, top) : 0;
  bool half = big_bit(b, quantum - 1), rest = big_any_below(b, quantum - 1) || sticky;
  if (round_up(rnd, negative, m & 1, half, rest))
    m++;
  if (m == 1ull << f->digits) {
    m >>= 1;
    quantum++;
  }
  // Move up to a normal significand when the quantum is coarser than the format needs.
  while (m && m < 1ull << (f->digits - 1) && quantum > f->quantum) {
    m <<= 1;
    quantum--;
  }
  uint64_t sign = ref_zero(f, negative);
  if (m < 1ull << (f->digits - 1))
    return sign | m;
  unsigned e = (unsigned)(quantum - f->quantum + 1);
  if (e >= exponent_max(f)) {
    bool to_inf =
        rnd == ISA_RND_RN || (rnd == ISA_RND_RM && negative) || (rnd == ISA_RND_RP && !negative);
    return to_inf ? ref_inf(f, negative) : ref_inf(f, negative) - 1;
  }
  return sign | (uint64_t)e << (f->digits - 1) | fraction_of(f, m);
}

static uint64_t round_big(const ref_format *f, bool negative, const big *b, bool sticky,
                          unsigned rnd) {
  return round_to(f, negative, b, sticky, rnd, f->quantum);
}

uint64_t ref_fma(const ref_format *f, uint64_t a, uint64_t b, uint64_t c, unsigned rnd) {
  bool product_negative = ref_is_negative(f, a) != ref_is_negative(f, b);
  if (ref_is_nan(f, a) || ref_is_nan(f, b) || ref_is_nan(f, c))
    return ref_nan(f);
  if (ref_is_inf(f, a) || ref_is_inf(f, b)) {
    if (ref_is_zero(f, a) || ref_is_zero(f, b))
      return ref_nan(f);
    if (ref_is_inf(f, c) && ref_is_negative(f, c) != product_negative)
      return ref_nan(f);
    return ref_inf(f, product_negative);
  }
  if (ref_is_inf(f, c))
    return c;
  parts x = parts_of(f, a), y = parts_of(f, b), z = parts_of(f, c);
  big product = {{0}}, addend = {{0}};
  big_add(&product, (u128)x.significand * y.significand, x.exponent + y.exponent);
  big_add(&addend, z.significand, z.exponent);
  if (product_negative == z.negative) {
    big_add(&product, z.significand, z.exponent);
    return round_big(f, z.negative, &product, false, rnd);  // a zero keeps the common sign
  }
  int order = big_compare(&product, &addend);
  if (order == 0)
    return ref_zero(f, rnd == ISA_RND_RM);
  if (order > 0) {
    big_sub(&product, &addend);
    return round_big(f, product_negative, &product, false, rnd);
  }
  big_sub(&addend, &product);
  return round_big(f, z.negative, &addend, false, rnd);
}

uint64_t ref_add(const ref_format *f, uint64_t a, uint64_t b, unsigned rnd) {
  uint64_t one = ref_from_int(f, false, 1, ISA_RND_RN);
  return ref_fma(f, a, one, b, rnd);
}

uint64_t ref_mul(const ref_format *f, uint64_t a, uint64_t b, unsigned rnd) {
  bool negative = ref_is_negative(f, a) != ref_is_negative(f, b);
  return ref_fma(f, a, b, ref_zero(f, negative), rnd);
}

uint64_t ref_div(const ref_format *f, uint64_t a, uint64_t b, unsigned rnd) {
  bool negative = ref_is_negative(f, a) != ref_is_negative(f, b);
  if (ref_is_nan(f, a) || ref_is_nan(f, b) || (ref_is_inf(f, a) && ref_is_inf(f, b)) ||
      (ref_is_zero(f, a) && ref_is_zero(f, b)))
    return ref_nan(f);
  if (ref_is_inf(f, a) || ref_is_zero(f, b))
    return ref_inf(f, negative);
  if (ref_is_zero(f, a) || ref_is_inf(f, b))
    return ref_zero(f, negative);
  parts x = parts_of(f, a), y = parts_of(f, b);
  int up = __builtin_clzll(x.significand) + 63;
  u128 n = (u128)x.significand << up;
  big q = {{0}};
  big_add(&q, n / y.significand, x.exponent - up - y.exponent);
  return round_big(f, negative, &q, n % y.significand != 0, rnd);
}

uint64_t ref_sqrt(const ref_format *f, uint64_t a, unsigned rnd) {
  if (ref_is_nan(f, a) || (ref_is_negative(f, a) && !ref_is_zero(f, a)))
    return ref_nan(f);
  if (ref_is_zero(f, a) || ref_is_inf(f, a))
    return a;
  parts x = parts_of(f, a);
  int up = __builtin_clzll(x.significand) + 62;
  if ((x.exponent - up) % 2)
    up++;
  u128 n = (u128)x.significand << up, root = 0;
  for (int bit = 63; bit >= 0; bit--) {
    u128 trial = root | (u128)1 << bit;
    if (trial * trial <= n)
      root = trial;
  }
  big r = {{0}};
  big_add(&r, root, (x.exponent - up) / 2);
  return round_big(f, false, &r, root * root != n, rnd);
}

uint64_t ref_convert(const ref_format *to, const ref_format *from, uint64_t a, unsigned rnd) {
  bool negative = ref_is_negative(from, a);
  if (ref_is_nan(from, a))
    return ref_nan(to);
  if (ref_is_inf(from, a))
    return ref_inf(to, negative);
  parts x = parts_of(from, a);
  big b = {{0}};
  big_add(&b, x.significand, x.exponent);
  return round_big(to, negative, &b, false, rnd);
}

uint64_t ref_integral(const ref_format *f, uint64_t a, unsigned rnd) {
  if (ref_is_nan(f, a) || ref_is_inf(f, a))
    return a;
  parts x = parts_of(f, a);
  big b = {{0}};
  big_add(&b, x.significand, x.exponent);
  return round_to(f, x.negative, &b, false, rnd, 0);
}

uint64_t ref_from_int(const ref_format *f, bool negative, uint64_t magnitude, unsigned rnd) {
  big b = {{0}};
  big_add(&b, magnitude, 0);
  return round_big(f, negative && magnitude, &b, false, rnd);
}

uint64_t ref_to_int(const ref_format *f, uint64_t a, unsigned type, unsigned rnd) {
  unsigned bits = isa_types[type].bits;
  bool is_signed = isa_types[type].kind == 'S', negative = ref_is_negative(f, a);
  uint64_t lowest = is_signed ? 1ull << (bits - 1) : 0;
  uint64_t highest = is_signed ? lowest - 1 : ref_mask(bits);
  if (ref_is_nan(f, a))
    return bits == 32 && f == &ref_f32 ? 0 : 1ull << (bits - 1);
  if (ref_is_inf(f, a))
    return negative ? lowest : highest;
  parts x = parts_of(f, a);
  big b = {{0}};
  big_add(&b, x.significand, x.exponent);
  if (big_top(&b) >= 64)
    return negative ? lowest : highest;
  u128 m = big_slice(&b, 0, 63);
  if (round_up(rnd, negative, m & 1, big_bit(&b, -1), big_any_below(&b, -1)))
    m++;
  if (negative)
    return m > lowest ? lowest : (uint64_t)-m & ref_mask(bits);
  return m > highest ? highest : (uint64_t)m;
}

int ref_compare(const ref_format *f, uint64_t a, uint64_t b) {
  if (ref_is_zero(f, a) && ref_is_zero(f, b))
    return 0;
  bool na = ref_is_negative(f, a), nb = ref_is_negative(f, b);
  if (na != nb)
    return na ? -1 : 1;
  uint64_t x = a & ~sign_bit(f), y = b & ~sign_bit(f);
  if (x == y)
    return 0;
  return (x < y) != na ? -1 : 1;
}

long double ref_value(const ref_format *f, uint64_t a) {
  if (ref_is_inf(f, a))
    return ref_is_negative(f, a) ? -(long double)__builtin_inf() : (long double)__builtin_inf();
  parts x = parts_of(f, a);
  long double v = __builtin_ldexpl((long double)x.significand, x.exponent);
  return x.negative ? -v : v;
}
