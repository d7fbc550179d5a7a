// SPDX-License-Identifier: Apache-2.0
#include "matrix_group.h"

#include <string.h>
#include "csim/spacea/packet.h"

bool matrix_group_init(matrix_group *g, const config *c, const matrix_group *like,
                       const spacea_structure *sizes, lockstep_mode near, const model *verilog,
                       vault_counters *counters, char *why, size_t why_bytes) {
  if (!banks_init(&g->banks, c, like ? &like->banks : NULL, false, counters, why, why_bytes) ||
      !(g->block = lockstep_new(near, &bgroup_twin, sizes, verilog, why, why_bytes)))
    return false;
  g->out = lockstep_out(g->block);
  memcpy(g->in.cfg_times, g->banks.times, sizeof g->in.cfg_times);
  g->in.cfg_turn = (uint32_t)c->spacea.turn;
  g->in.rst_n = 1;
  g->done = g->still = true;
  return true;
}

void matrix_group_free(matrix_group *g) {
  lockstep_free(g->block);
  banks_free(&g->banks);
}

void matrix_group_fetch(prefetch *a, const matrix_group *g) {
  const bgroup *twin = lockstep_twin(g->block);
  prefetch_add(a, g, sizeof *g);
  prefetch_add(a, g->out, sizeof *g->out);
  lockstep_fetch(a, g->block);
  if (twin)
    bgroup_fetch(a, twin);
}

bool matrix_group_idle(const matrix_group *g) {
  return g->still && !g->down.n;
}

bool matrix_group_moves(const matrix_group *g) {
  const bgroup_out *o = g->out;
  return g->in.rx_valid || o->look_hit || o->cmd == DRAM_ACT || o->cmd == DRAM_RD;
}

static bool offers(const matrix_group *g, spacea_up kind) {
  const bgroup_out *o = g->out;
  return o->tx_valid && spacea_get(spacea_flit(o->tx_head), SPACEA_KIND) == kind;
}

bool matrix_group_offers(const matrix_group *g, packet *p) {
  const bgroup_out *o = g->out;
  const uint64_t head = spacea_flit(o->tx_head);
  const bool sum = offers(g, SPACEA_SUM);
  if (!sum && !offers(g, SPACEA_WANT))
    return false;
  *p = (packet){.kind = sum ? PACKET_SUM : PACKET_WANT,
                .what = (uint32_t)spacea_get(head, sum ? SPACEA_ROW : SPACEA_KEY)};
  memcpy(p->body, o->tx_body, sizeof p->body[0]);
  return true;
}

static void put(uint32_t *to, uint64_t head) {
  to[0] = (uint32_t)head, to[1] = (uint32_t)(head >> 32);
}

static void offer_down(matrix_group *g, uint64_t cycle) {
  const packet *p = g->out->rx_ready ? packets_first(&g->down, cycle) : NULL;
  g->in.rx_valid = p != NULL;
  if (!p)
    return;
  if (p->kind == PACKET_START) {
    put(g->in.rx_head, SPACEA_START | spacea_put(SPACEA_BEGIN, 3));
    g->done = false;
  } else {
    put(g->in.rx_head, SPACEA_LINE | spacea_put(SPACEA_LEN, 4) | spacea_put(SPACEA_KEY, p->what));
    memcpy(g->in.rx_body, p->body, sizeof g->in.rx_body);
    g->banks.counters->lines_down++;
  }
  packets_drop(&g->down);
}

bool matrix_group_clock(matrix_group *g, uint64_t cycle, bool taken) {
  static const uint32_t nothing[DRAM_WORDS];
  const bgroup_out *o = g->out;
  const bool is_done = offers(g, SPACEA_DONE);
  const dram_pins pins = {o->cmd, o->cmd_bank, o->cmd_row, o->cmd_col, nothing, 0};
  vault_counters *n = g->banks.counters;
  banks_clock(&g->banks, cycle, &pins, g->in.rdata);
  n->looks += o->look, n->hits += o->look_hit & !o->look_again, n->again += o->look_again;
  n->asks += o->look & !o->look_hit, n->full += o->ask_full;
  n->elements += is_done ? g->elements : 0;
  g->in.ref_tick = g->done ? 0 : banks_tick(&g->banks, cycle);
  g->in.tx_ready = taken || is_done;
  g->done |= is_done;
  offer_down(g, cycle);
  const bool good = lockstep_step(g->block, &g->in);
  g->still = lockstep_idle(g->block) && !g->banks.busy;
  return good;
}
