// SPDX-License-Identifier: Apache-2.0
// Packets between a bank group and the base die: docs/blocks/bgroup.md. KIND and LEN are where the
// endpoint of the TSVs (docs/blocks/tsv.md) looks for them.
#pragma once

#include <stdint.h>

typedef enum spacea_down { SPACEA_LINE = 1, SPACEA_START } spacea_down;
typedef enum spacea_up { SPACEA_WANT = 1, SPACEA_SUM, SPACEA_DONE } spacea_up;

// A field: its lowest bit, and its bits in the byte above.
typedef enum spacea_field {
  SPACEA_KIND = 0 | 4 << 8,
  SPACEA_LEN = 12 | 5 << 8,
  SPACEA_KEY = 17 | 30 << 8,     // of LINE and WANT
  SPACEA_ROW = 17 | 32 << 8,     // of SUM
  SPACEA_FIRST0 = 17 | 16 << 8,  // of START: first row of the bank
  SPACEA_FIRST1 = 33 | 16 << 8,
  SPACEA_BEGIN = 49 | 2 << 8,  // banks that begin, a bit each
} spacea_field;

static inline uint64_t spacea_get(uint64_t head, spacea_field f) {
  return head >> (f & 0xff) & ((1ull << (f >> 8)) - 1);
}

// The field's bits; the value must fit.
static inline uint64_t spacea_put(spacea_field f, uint64_t value) {
  return value << (f & 0xff);
}

static inline uint64_t spacea_flit(const uint32_t *words) {
  return words[0] | (uint64_t)words[1] << 32;
}
