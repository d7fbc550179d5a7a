// SPDX-License-Identifier: Apache-2.0
// Random numbers of generated matrices and mappings.
#ifndef NEARBANK_SPACEA_RANDOM_H
#define NEARBANK_SPACEA_RANDOM_H

#include <stdint.h>
#include "csim/base/splitmix.h"

typedef struct dice {
  uint64_t state;
} dice;

static inline uint64_t dice_bits(dice *d) {
  return splitmix(&d->state);
}
static inline double dice_unit(dice *d) {  // 0 to less than 1
  return (double)(dice_bits(d) >> 11) * 0x1p-53;
}
static inline uint32_t dice_below(dice *d, uint32_t n) {
  return (uint32_t)((dice_bits(d) >> 32) * n >> 32);
}
// 0 to n - 1 in a random order.
static inline void dice_order(dice *d, uint32_t *order, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t other = dice_below(d, k + 1);
    order[k] = order[other];
    order[other] = k;
  }
}

#endif
