// SPDX-License-Identifier: Apache-2.0
#include "cosim.h"

unsigned rng_weighted(cosim_rng *r, const uint16_t *weights, unsigned n) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum += weights[i];
  uint32_t at = rng_below(r, sum);
  unsigned i = 0;
  while (at >= weights[i])
    at -= weights[i++];
  return i;
}

uint32_t rng_int(cosim_rng *r) {
  uint64_t x = rng_next(r);
  uint32_t v = (uint32_t)x, n = (uint32_t)(x >> 32) & 31;
  switch (x >> 37 & 7) {
    case 0:
      return v & (uint32_t)(x >> 32) & rng_u32(r);
    case 1:
      return v | (uint32_t)(x >> 32) | rng_u32(r);
    case 2:
      return (1u << n) - (v & 1) + (v >> 1 & 1);
    case 3:
      return ~((1u << n) - (v & 1) + (v >> 1 & 1));
    case 4:
      return v & 15;
    case 5:
      return ~(v & 15);
    default:
      return v;
  }
}

static const uint32_t float_special[] = {
    0x00000000, 0x00000001, 0x00000002, 0x00400000, 0x007fffff, 0x007ffffe, 0x00800000, 0x00800001,
    0x00ffffff, 0x01000000, 0x33800000, 0x33800001, 0x33ffffff, 0x34000000, 0x3effffff, 0x3f000000,
    0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fffffff, 0x40000000, 0x4affffff, 0x4b000000,
    0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff, 0x4f800000, 0x7effffff,
    0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff,
};

uint32_t rng_float(cosim_rng *r) {
  uint64_t x = rng_next(r);
  uint32_t v = (uint32_t)x, sign = v & 0x80000000u;
  switch (x >> 32 & 7) {
    case 0:
    case 1:
      return sign | RNG_PICK(r, float_special);
    case 2:  // exponents close to one another: cancellation, alignment
      return sign | (127u - 14 + (uint32_t)(x >> 35 & 31)) << 23 | (v & 0x7fffff);
    case 3:  // short mantissas: exact results, halfway cases
      return sign | (uint32_t)(x >> 35 & 255) << 23 |
             (v & 0x7fffff & ~0u << rng_below(r, 24) & 0x7fffff);
    case 4:  // subnormal
      return sign | ((v & 0x7fffff) >> (x >> 35 & 31) % 23);
    case 5: {  // mantissa of ones or close to a power of two
      uint32_t m = v & 1 ? 0x7fffff - (v >> 1 & 3) : v >> 1 & 3;
      return sign | (uint32_t)(x >> 35 & 255) << 23 | m;
    }
    default:
      return v;
  }
}

uint32_t rng_value(cosim_rng *r) {
  return rng_chance(r, 128) ? rng_int(r) : rng_float(r);
}

uint32_t rng_mask(cosim_rng *r) {
  uint64_t x = rng_next(r);
  uint32_t n = (uint32_t)(x >> 40) & 31;
  switch (x >> 32 & 15) {
    case 0:
      return 0;
    case 1:
      return 1u << n;
    case 2:
      return (2u << n) - 1;
    case 3:
      return ~((2u << n) - 1);
    case 4:
      return x & 1 ? 0x55555555 : 0xaaaaaaaa;
    case 5:
    case 6:
    case 7:
    case 8:
      return (uint32_t)x;
    default:
      return ~0u;
  }
}

void rng_words(cosim_rng *r, uint32_t *words, size_t n) {
  uint64_t x = rng_next(r);
  switch (x & 7) {
    case 0:
      memset(words, 0, n * sizeof *words);
      if (n)
        words[rng_below(r, (uint32_t)n)] = rng_value(r);
      return;
    case 1:
      for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)(x >> 32);
      return;
    case 2:
    case 3:
      for (size_t i = 0; i < n; i++)
        words[i] = rng_value(r);
      return;
    default:
      for (size_t i = 0; i < n; i += 2) {
        uint64_t y = rng_next(r);
        words[i] = (uint32_t)y;
        if (i + 1 < n)
          words[i + 1] = (uint32_t)(y >> 32);
      }
  }
}
