// SPDX-License-Identifier: Apache-2.0
// Twin of the endpoint of the TSVs (docs/blocks/tsv.md has the rules).
#pragma once

#define BLOCK tsv
#include "structure.h"
#include "csim/base/block_declare.h"

enum {
  TSV_BODY = 16,  // flits of the longest body
};

typedef struct tsv {
  uint64_t queue[STRUCTURE_MAX_RX_DEPTH];
  uint32_t rx_depth, up_credits, flits;  // sizes
  uint32_t head, count;
  uint32_t got, missing;  // flits of the body that is being assembled
  bool keeps;             // the body of a packet that was taken
  uint64_t tx[1 + TSV_BODY];
  uint32_t sent, left;  // flits of tx
  uint32_t credits;
  tsv_out out;
} tsv;

void tsv_init(tsv *t, const structure *sizes);  // NULL: the default ones
// One clock edge; the outputs after it are in t->out.
void tsv_edge(tsv *t, const tsv_in *in);
// The same; costs nothing when there is nothing to do.
static inline void tsv_clock(tsv *t, const tsv_in *in) {
  if (t->out.busy | in->dn_count | in->up_credit | in->tx_valid | in->rx_release || !in->rst_n)
    tsv_edge(t, in);
}
void tsv_step(tsv *t, const tsv_in *in, tsv_out *out);

// An edge changes nothing, if nothing comes, leaves, or is released; `ready` as rx_ready.
static inline bool tsv_waits(const tsv *t, bool ready) {
  const bool fills = t->count && !t->keeps;
  return !t->out.dn_credit && (t->out.rx_valid ? !ready : !fills);
}

static inline bool tsv_idle(const tsv *t) {
  return !t->out.busy;
}
