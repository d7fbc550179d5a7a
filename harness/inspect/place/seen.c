// SPDX-License-Identifier: Apache-2.0
#include "seen.h"

void seen_count(seen *s, uint32_t block, uint32_t warp) {
  uint32_t least = 0;
  if (s->warp[warp % SEEN_NBUS] < UINT8_MAX)
    s->warp[warp % SEEN_NBUS]++;
  for (uint32_t k = 0; k < SEEN_BLOCKS; k++) {
    if (s->block[k] == block || s->block[k] == SEEN_NONE) {
      s->block[k] = block;
      if (s->count[k] < UINT16_MAX)
        s->count[k]++;
      return;
    }
    least = s->count[k] < s->count[least] ? k : least;
  }
  if (--s->count[least] == 0)
    s->block[least] = block, s->count[least] = 1;
}

uint32_t seen_first(const seen *s) {
  uint32_t best = 0;
  for (uint32_t k = 1; k < SEEN_BLOCKS; k++)
    if (s->block[k] != SEEN_NONE && (s->block[best] == SEEN_NONE || s->count[k] > s->count[best]))
      best = k;
  return s->block[best];
}
