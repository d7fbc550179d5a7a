// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers for histograms: 0, 1, 2, 3, from 4, 6, 8, 12, 16, 24 and so on. The last one
// has all from its begin on.
#ifndef NEARBANK_BUCKETS_H
#define NEARBANK_BUCKETS_H

#include <stdint.h>

enum { BUCKETS = 32 };

static inline uint32_t bucket_of(uint64_t n) {
  if (n < 2)
    return (uint32_t)n;
  const uint32_t log = 63 - (uint32_t)__builtin_clzll(n);
  const uint32_t k = 2 * log + (uint32_t)(n >> (log - 1) & 1);
  return k < BUCKETS ? k : BUCKETS - 1;
}
static inline uint64_t bucket_from(uint32_t k) {
  return k < 2 ? k : (2ull + k % 2) << (k / 2 - 1);
}

#endif
