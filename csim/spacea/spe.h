// SPDX-License-Identifier: Apache-2.0
// The C twin of spe. docs/blocks/spe.md.
#pragma once

#define BLOCK spe
#include "csim/base/block_declare.h"

enum {
  SPE_PLACES = 8,
  SPE_ELEMENTS = 21,  // of a place
  SPE_SLOTS = SPE_PLACES * SPE_ELEMENTS,
  SPE_BEATS = 8,            // of a row
  SPE_BEAT_WORDS = 8,       // of 32 bits
  SPE_OPS = 6,              // edges from one operation of a place to the next
  SPE_NONE = UINT32_MAX,    // the row that ends a stream, the column of padding
  SPE_ALL = (1 << 21) - 1,  // elements of a place, a bit each
};

// What becomes of a result.
typedef enum spe_to { SPE_NOWHERE, SPE_SUM, SPE_TERM, SPE_Y } spe_to;

typedef struct spe_op {
  uint8_t to, place;
  double d;
} spe_op;

// An element on its way from its turn, by stage.
typedef struct spe_turn {
  bool valid, ready;
  uint8_t place, element;
} spe_turn;

// What most edges look at lies together, for the caches of the host.
typedef struct spe {
  bool ended, open, adding;
  uint8_t ops_at;  // of the result that is on d in this cycle
  uint32_t head, tail, full, coming, beat;
  uint32_t full_places;  // a bit each
  uint32_t at_place, at_element, wait, kept;
  spe_turn look, use, ask, answer;  // in c1, c2, c3 and c4
  // elements of each place, a bit each; the first of these that is set counts
  uint32_t done[SPE_PLACES], ready[SPE_PLACES], asked[SPE_PLACES];
  uint32_t row[SPE_PLACES];       // of the matrix: the first of the words
  uint8_t under_way[SPE_PLACES];  // operations
  spe_op ops[SPE_OPS];
  double sum[SPE_PLACES];
  double y;
  uint32_t y_row;
  spe_out out;
  uint32_t words[SPE_PLACES][SPE_BEATS * SPE_BEAT_WORDS];
  double put[SPE_SLOTS];
} spe;

// For whoever looks on: of this cycle, before its edge.
typedef enum spe_wait {
#define WAIT(NAME, name, doc) SPE_##NAME,
#include "waits.def"
#undef WAIT
  SPE_WAITS
} spe_wait;
spe_wait spe_waits(const spe *s, bool turn_ready);

// One clock edge; the outputs after it are in s->out.
void spe_edge(spe *s, const spe_in *in);
// The same; costs nothing when there is nothing to do.
static inline void spe_clock(spe *s, const spe_in *in) {
  if (s->out.busy | in->start_valid || !in->rst_n)
    spe_edge(s, in);
}
void spe_step(spe *s, const spe_in *in, spe_out *out);

static inline bool spe_idle(const spe *s) {
  return !s->out.busy;
}
