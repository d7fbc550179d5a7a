// SPDX-License-Identifier: Apache-2.0
// Random numbers: an additive sequence, mixed (splitmix64). Every state is a good one.
#ifndef NEARBANK_SPLITMIX_H
#define NEARBANK_SPLITMIX_H

#include <stdint.h>

static inline uint64_t splitmix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

#endif
