// SPDX-License-Identifier: Apache-2.0
// Round robin among the bits of a mask.
#ifndef NEARBANK_ROUND_ROBIN_H
#define NEARBANK_ROUND_ROBIN_H

#include <stdint.h>

// The first bit that is set from bit `from` on, else the first of all. The mask is not zero; from
// is at most 63.
static inline uint32_t round_robin(uint64_t mask, uint32_t from) {
  const uint64_t later = mask & ~UINT64_C(0) << from;
  return (uint32_t)__builtin_ctzll(later ? later : mask);
}

#endif
