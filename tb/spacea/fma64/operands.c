// SPDX-License-Identifier: Apache-2.0
#include "operands.h"

#include <math.h>
#include <string.h>

#include "csim/spacea/fma64.h"

#define SIGN (1ull << 63)
#define FRACTION ((1ull << 52) - 1)
#define ONE 0x3ff0000000000000ull
#define INFINITE 0x7ff0000000000000ull

static uint64_t sign(cosim_rng *rng) {
  return (uint64_t)rng_bits(rng, 1) << 63;
}

static uint64_t with_exponent(uint64_t x, int exponent) {
  return (x & (SIGN | FRACTION)) | (uint64_t)(exponent & 2047) << 52;
}

static int exponent_of(uint64_t x) {
  return (int)(x >> 52 & 2047);
}

// A fraction: any, of few bits, of ones, next to one of them, or of one bit
static uint64_t fraction(cosim_rng *rng) {
  const uint64_t any = rng_next(rng) & FRACTION;
  switch (rng_below(rng, 6)) {
    case 0:
      return any & ~0ull << rng_below(rng, 53) & FRACTION;
    case 1:
      return FRACTION >> rng_below(rng, 53);
    case 2:
      return (FRACTION - rng_below(rng, 4)) & FRACTION;
    case 3:
      return rng_below(rng, 4);
    case 4:
      return 1ull << rng_below(rng, 52);
    default:
      return any;
  }
}

static uint64_t subnormal(cosim_rng *rng) {
  return sign(rng) | fraction(rng) >> rng_below(rng, 52);
}

static uint64_t nan_of(cosim_rng *rng) {
  return sign(rng) | INFINITE | fraction(rng) | 1ull << rng_below(rng, 52);
}

uint64_t fma64_number(cosim_rng *rng) {
  static const uint64_t special[] = {0, 1, FRACTION, 1ull << 52, ONE, INFINITE, INFINITE - 1};
  switch (rng_below(rng, 8)) {
    case 0:
      return sign(rng) | RNG_PICK(rng, special);
    case 1:
      return subnormal(rng);
    case 2:
      return rng_chance(rng, 32) ? nan_of(rng) : rng_next(rng);
    case 3:
    case 4:  // close to one another: cancellation, alignment
      return sign(rng) | with_exponent(fraction(rng), (int)rng_range(rng, 1000, 1050));
    case 5:
      return sign(rng) | with_exponent(fraction(rng), (int)rng_below(rng, 2048));
    default:
      return rng_next(rng);
  }
}

static double number(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t bits(double x) {
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

// a and b with a product of about this exponent
static void product_at(cosim_rng *rng, int exponent, uint64_t x[3]) {
  const int low = exponent - 2046 + 1023, high = exponent - 1 + 1023;
  const int least = low < 0 ? 0 : low, most = high > 2046 ? 2046 : high < 0 ? 0 : high;
  const int of_a = (int)rng_range(rng, (uint32_t)least, (uint32_t)most);
  x[0] = sign(rng) | with_exponent(fraction(rng), of_a);
  x[1] = sign(rng) | with_exponent(fraction(rng), exponent + 1023 - of_a);
}

// The first addend of an operation, rounded, and the operand that is the second one.
static uint64_t first(uint32_t op, const uint64_t x[3]) {
  return op == FMA64_FMA || op == FMA64_MUL ? bits(number(x[0]) * number(x[1])) : x[0];
}

static uint64_t *second(uint32_t op, uint64_t x[3]) {
  return op == FMA64_FMA ? &x[2] : &x[1];
}

static void tiny(cosim_rng *rng, uint64_t x[3]) {
  product_at(rng, (int)rng_below(rng, 60) - 54, x);
  x[2] = rng_chance(rng, 128) ? subnormal(rng)
                              : sign(rng) | with_exponent(fraction(rng), (int)rng_below(rng, 60));
}

static void cancel(cosim_rng *rng, uint32_t op, int exponent, uint64_t x[3]) {
  if (op == FMA64_FMA || op == FMA64_MUL)
    product_at(rng, exponent, x);
  else
    x[0] = sign(rng) | with_exponent(fraction(rng), exponent);
  *second(op, x) = (first(op, x) ^ SIGN) + rng_below(rng, 5) - 2;
}

// a * b - c is one bit, the lowest of the product: b is 1 / a modulo 2^53.
static void cancel_all(cosim_rng *rng, uint64_t x[3]) {
  const uint64_t a = 1ull << 52 | (rng_next(rng) & FRACTION) | 1;
  uint64_t b = 1;
  for (int k = 0; k < 6; k++)
    b *= 2 - a * b;
  b &= (1ull << 53) - 1;
  const double scale = ldexp(1, (int)rng_range(rng, 0, 1600) - 800);
  x[0] = bits((double)a), x[1] = bits((double)b * scale);
  x[2] = bits(-ldexp((double)(uint64_t)((unsigned __int128)a * b >> 53), 53) * scale);
}

static void distance(cosim_rng *rng, uint32_t op, uint64_t x[3]) {
  const int exponent = (int)rng_range(rng, 200, 1900), away = (int)rng_range(rng, 0, 240) - 120;
  if (op == FMA64_FMA || op == FMA64_MUL)
    product_at(rng, exponent, x);
  else
    x[0] = sign(rng) | with_exponent(fraction(rng), exponent);
  *second(op, x) = sign(rng) | with_exponent(fraction(rng), exponent + away);
}

// An odd number times 1.5, or a power of two beside a number; and the smallest bit beside it.
static void tie(cosim_rng *rng, uint32_t op, uint64_t x[3]) {
  const uint64_t odd = with_exponent(rng_next(rng) & FRACTION, (int)rng_range(rng, 60, 2000));
  if (op == FMA64_FMA && rng_chance(rng, 128)) {
    x[0] = odd | 1, x[1] = sign(rng) | (ONE + (1ull << 51)), x[2] = subnormal(rng);
    if (rng_chance(rng, 128))
      x[2] = sign(rng);
    return;
  }
  x[0] = odd, x[1] = sign(rng) | with_exponent(0, 1023);
  *second(op, x) = sign(rng) | (with_exponent(0, exponent_of(odd) - 53) + rng_below(rng, 3) - 1);
}

static void overflow(cosim_rng *rng, uint32_t op, uint64_t x[3]) {
  if (op == FMA64_ADD) {
    x[0] = sign(rng) | with_exponent(fraction(rng), (int)rng_range(rng, 2044, 2046));
    x[1] = sign(rng) | with_exponent(fraction(rng), (int)rng_range(rng, 1990, 2046));
    return;
  }
  product_at(rng, (int)rng_range(rng, 2044, 2048), x);
  x[2] = sign(rng) | with_exponent(fraction(rng), (int)rng_range(rng, 1980, 2046));
}

void fma64_operands(cosim_rng *rng, fma64_corner corner, uint32_t op, uint64_t x[3]) {
  for (int k = 0; k < 3; k++)
    x[k] = fma64_number(rng);
  const uint32_t which = rng_below(rng, 3);
  switch (corner) {
    case FMA64_ZERO_TIMES:
      x[which & 1] = rng_chance(rng, 192) ? sign(rng) : subnormal(rng);
      x[!(which & 1)] = rng_chance(rng, 192) ? sign(rng) | INFINITE : fma64_number(rng);
      break;
    case FMA64_TINY:
      tiny(rng, x);
      if (op == FMA64_ADD || op == FMA64_MIN)
        x[0] = x[2], x[1] = subnormal(rng);
      break;
    case FMA64_CANCEL:
      cancel(rng, op, (int)rng_range(rng, 110, 1900), x);
      break;
    case FMA64_CANCEL_TINY:
      cancel(rng, op, (int)rng_below(rng, 110), x);
      break;
    case FMA64_CANCEL_ALL:
      cancel_all(rng, x);
      break;
    case FMA64_DISTANCE:
      distance(rng, op, x);
      break;
    case FMA64_TIE:
      tie(rng, op, x);
      break;
    case FMA64_OVERFLOW:
      overflow(rng, op, x);
      break;
    case FMA64_NAN:
      x[which] = nan_of(rng);
      break;
    case FMA64_SIGNED_ZEROS:
      x[which] = sign(rng);
      x[(which + 1) % 3] = rng_chance(rng, 128) ? sign(rng) : subnormal(rng);
      break;
    default:
      break;
  }
}
