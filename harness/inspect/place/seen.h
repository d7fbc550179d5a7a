// SPDX-License-Identifier: Apache-2.0
// Which blocks accessed which lines of an array: the few that did most often, and by which warps.
#ifndef NEARBANK_PLACE_SEEN_H
#define NEARBANK_PLACE_SEEN_H

#include <stdint.h>

enum { SEEN_BLOCKS = 4, SEEN_NBUS = 4 };
#define SEEN_NONE UINT32_MAX

typedef struct seen {
  uint32_t block[SEEN_BLOCKS];  // SEEN_NONE: nobody
  uint16_t count[SEEN_BLOCKS];  // sectors
  uint8_t warp[SEEN_NBUS];      // by warps k, k + 4, ... of their blocks
} seen;

// The block that has accessed a line most, or SEEN_NONE.
uint32_t seen_first(const seen *s);
// An access of a sector of the line. Of more blocks than there is room for the rarest are
// forgotten.
void seen_count(seen *s, uint32_t block, uint32_t warp);

#endif
