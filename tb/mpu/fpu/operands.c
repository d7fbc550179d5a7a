// SPDX-License-Identifier: Apache-2.0
#include "operands.h"

#include <string.h>

#include "csim/mpu/fpu.h"

static uint32_t with_exponent(uint32_t x, uint32_t exponent) {
  return (x & 0x807fffff) | (exponent & 255) << 23;
}

static uint32_t product(uint32_t a, uint32_t b) {
  float x, y;
  memcpy(&x, &a, 4), memcpy(&y, &b, 4);
  x *= y;
  memcpy(&a, &x, 4);
  return a;
}

// A subnormal number of one bit: all that is left of it beside a larger one is that it is not zero.
static uint32_t one_bit(cosim_rng *rng) {
  return rng_bits(rng, 1) << 31 | 1u << rng_below(rng, rng_chance(rng, 128) ? 2 : 23);
}

void fpu_aim(cosim_rng *rng, uint32_t op, uint32_t x[3]) {
  const uint32_t exponent = x[0] >> 23 & 255;
  switch (op) {
    case FPU_I2F_U:
    case FPU_I2F_S:
      x[0] = rng_int(rng) + rng_below(rng, 3) - 1;
      break;
    case FPU_F2I_U:
    case FPU_F2I_S:
    case FPU_F2F:  // fractions, and the ends of the ranges
      x[0] = with_exponent(x[0], rng_range(rng, 124, 161));
      if (rng_chance(rng, 64))
        x[0] &= ~0u << rng_below(rng, 24);
      break;
    case FPU_MUL:
    case FPU_FMA:
      if (rng_chance(rng, 32)) {
        x[2] = one_bit(rng);
        x[1] = with_exponent(x[1], rng_range(rng, 0, 110) + 127 - exponent);
      } else if (rng_chance(
                     rng, 96)) {  // the product is subnormal or just not, or overflows or just not
        const uint32_t of_product =
            rng_chance(rng, 160) ? rng_range(rng, 0, 30) - 26 : rng_range(rng, 252, 256);
        x[1] = with_exponent(x[1], of_product + 127 - exponent);
        x[2] = with_exponent(
            x[2], rng_chance(rng, 128) ? of_product + rng_below(rng, 60) - 30 : rng_below(rng, 3));
      } else if (rng_chance(rng, 128)) {  // all but the last bits of the product cancel
        x[2] =
            (product(x[0], x[1]) ^ (rng_chance(rng, 224) ? 0x80000000 : 0)) + rng_below(rng, 5) - 2;
      } else {  // the addend is anywhere beside the product
        x[1] = with_exponent(x[1], rng_range(rng, 100, 154));
        x[2] = with_exponent(x[2], exponent + (x[1] >> 23 & 255) - 127 + rng_below(rng, 108) - 54);
      }
      break;
    default:
      if (rng_chance(rng, 32)) {
        x[0] = with_exponent(x[0], rng_range(rng, 0, 110));
        x[1] = one_bit(rng);
        break;
      }
      // of one size, so that sums cancel and comparisons need all bits
      x[1] = with_exponent(
          rng_chance(rng, 64) ? x[0] ^ rng_bits(rng, 2) : x[1],
          exponent + (rng_chance(rng, 128) ? rng_below(rng, 3) - 1 : rng_below(rng, 56) - 28));
      if (rng_chance(rng, 128))
        x[1] ^= 0x80000000;
  }
}
