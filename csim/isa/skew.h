// SPDX-License-Identifier: Apache-2.0
// Where a word of shared memory is when its window has a skew: in its row of 32 words, and in each
// row `skew` banks further than in the row before. Words at a distance of a row, which would all be
// in one bank, are in different ones.
#ifndef NEARBANK_SKEW_H
#define NEARBANK_SKEW_H

#include <stdint.h>

enum { SKEW_BANKS = 32, SKEWS = 4 };  // 0: words lie as they are numbered

static inline uint32_t skew_word(uint32_t word, uint32_t skew) {
  const uint32_t bank = (word + skew * (word / SKEW_BANKS)) % SKEW_BANKS;
  return word / SKEW_BANKS * SKEW_BANKS + bank;
}

#endif
