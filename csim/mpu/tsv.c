// SPDX-License-Identifier: Apache-2.0
#include "tsv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "csim/base/rare.h"

#include "tsv_packet.h"

#define BLOCK tsv
#include "csim/base/block_table.h"

static void put_flit(uint32_t *words, uint64_t flit) {
  words[0] = (uint32_t)flit;
  words[1] = (uint32_t)(flit >> 32);
}

void tsv_init(tsv *t, const structure *sizes) {
  const structure *s = structure_or_default(sizes);
  *t = (tsv){.rx_depth = s->rx_depth,
             .up_credits = s->up_credits,
             .flits = s->flits,
             .credits = s->up_credits};
  t->out.tx_ready = 1;
}

RARE static void reset(tsv *t) {
  t->head = t->count = t->got = t->missing = t->left = 0;
  t->keeps = false;
  t->credits = t->up_credits;
  t->out.dn_credit = t->out.up_count = t->out.rx_valid = t->out.busy = 0;
  memset(t->out.up_data, 0, sizeof t->out.up_data);
  t->out.tx_ready = 1;
}

static uint64_t pop(tsv *t) {
  const uint64_t flit = t->queue[t->head];
  t->head = (t->head + 1) & (t->rx_depth - 1);
  t->count--;
  return flit;
}

static void take_body(tsv *t) {
  put_flit(&t->out.rx_body[2 * (t->got++ % TSV_BODY)], pop(t));
  t->missing--;
}

static void take_head(tsv *t) {
  const uint64_t head = pop(t);
  put_flit(t->out.rx_head, head);
  t->got = 0;
  t->missing = tsv_dn_len(head);
  if (t->missing)
    memset(t->out.rx_body, 0, sizeof t->out.rx_body);
}

// The queue as it was before the edge: flits that arrive join it afterwards.
static void receive(tsv *t, const tsv_in *in) {
  const uint32_t before = t->count;
  if (t->out.rx_valid && in->rx_ready)
    t->keeps = t->got > 1;
  else if (in->rx_release)
    t->keeps = false;
  if (before && !t->keeps && (!t->out.rx_valid || in->rx_ready)) {
    if (t->missing)
      take_body(t);
    else
      take_head(t);
    if (t->missing && t->count)
      take_body(t);
    t->out.rx_valid = !t->missing;
  } else if (in->rx_ready) {
    t->out.rx_valid = 0;
  }
  t->out.dn_credit = before - t->count;
  for (uint32_t i = 0; i < in->dn_count && i < t->flits; i++) {
    assert(t->count < t->rx_depth);
    t->queue[(t->head + t->count++) & (t->rx_depth - 1)] = tsv_flit(&in->dn_data[2 * i]);
  }
}

static void send(tsv *t, const tsv_in *in) {
  if (t->left) {
    assert(in->up_take <= t->out.up_count);
    t->sent += in->up_take;
    t->left -= in->up_take;
    t->credits -= in->up_take;
  } else if (in->tx_valid) {
    const uint32_t len = in->tx_len < TSV_BODY ? in->tx_len : TSV_BODY;
    t->tx[0] = tsv_flit(in->tx_head);
    for (uint32_t i = 0; i < len; i++)
      t->tx[1 + i] = tsv_flit(&in->tx_body[2 * i]);
    t->sent = 0;
    t->left = 1 + len;
  }
  t->credits += in->up_credit;
  uint32_t n = t->left < t->credits ? t->left : t->credits;
  n = n < t->flits ? n : t->flits;
  t->out.up_count = n;
  put_flit(&t->out.up_data[0], n > 0 ? t->tx[t->sent] : 0);
  put_flit(&t->out.up_data[2], n > 1 ? t->tx[t->sent + 1] : 0);
  t->out.tx_ready = !t->left;
}

void tsv_edge(tsv *t, const tsv_in *in) {
  if (t->out.busy || in->dn_count | in->up_credit | in->tx_valid | in->rx_release) {
    receive(t, in);
    send(t, in);
    t->out.busy = t->count || t->missing || t->out.rx_valid || t->left || t->out.dn_credit;
  }
  if (!in->rst_n)
    reset(t);
}

void tsv_step(tsv *t, const tsv_in *in, tsv_out *out) {
  tsv_clock(t, in);
  *out = t->out;
}

#define BLOCK tsv
#define BLOCK_INIT(block, sizes) tsv_init(block, sizes)
#include "csim/base/block_twin.h"
