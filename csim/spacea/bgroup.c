// SPDX-License-Identifier: Apache-2.0
// Inputs of all blocks are made from their outputs before the edge; then each is clocked.
#include "bgroup.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rare.h"
#include "packet.h"

#define BLOCK bgroup
#include "csim/base/block_table.h"

enum { LEAVES = 3, PUTS = 4 };  // ages of a line

static void show(bgroup *g);

bgroup *bgroup_create(const spacea_structure *sizes) {
  bgroup *g = calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->lines = xcam_create(sizes), g->under_way = ldq_create(sizes);
  rowctl_init(&g->rows);
  if (g->lines && g->under_way) {
    show(g);
    return g;
  }
  bgroup_destroy(g);
  return NULL;
}

void bgroup_destroy(bgroup *g) {
  if (g && g->lines)
    xcam_destroy(g->lines);
  if (g && g->under_way)
    ldq_destroy(g->under_way);
  free(g);
}

// ---- inputs of the blocks

// Of those who want a turn, whose it is.
static uint32_t next_turn(const bgroup *g) {
  return g->pes[g->prefer].out.turn_valid ? g->prefer : !g->prefer;
}

static void begin_turns(bgroup *g) {
  const uint32_t wanted = g->pes[0].out.turn_valid | g->pes[1].out.turn_valid << 1;
  g->pe_in[0].turn_ready = g->pe_in[1].turn_ready = 0;
  if (!wanted)
    return;
  const uint32_t pe = next_turn(g);
  g->pe_in[pe].turn_ready = 1;
  g->prefer = !pe;
}

static void look_and_ask(bgroup *g) {
  g->line_in.look_valid = g->ask_in.ask_valid = 0;
  for (uint32_t k = 0; k < BGROUP_PES; k++) {
    const spe_out *o = &g->pes[k].out;
    spe_in *in = &g->pe_in[k];
    if (o->look_valid)
      g->line_in.look_valid = 1, g->line_in.look_key = o->look_key, g->looked_again = o->look_again;
    if (o->ask_valid) {
      g->ask_in.ask_valid = 1, g->ask_in.ask_key = o->ask_key;
      g->ask_in.ask_who = k << 10 | o->ask_who;
      g->ask_in.ask_enter = g->n + g->ask_out.ans_valid < BGROUP_WANTS;
    }
    in->ask_state = g->ask_out.ans_state;
    in->line_hit = g->line_out.ans_hit;
    if (g->line_out.ans_valid & g->line_out.ans_hit)
      memcpy(in->line_data, g->line_out.ans_data, sizeof in->line_data);
  }
}

static void take_packet(bgroup *g, const bgroup_in *in) {
  const bool taken = in->rx_valid && g->out.rx_ready;
  const uint64_t head = spacea_flit(in->rx_head);
  const uint64_t kind = taken ? spacea_get(head, SPACEA_KIND) : 0;
  g->line_in.clear = kind == SPACEA_START, g->line_in.fill_valid = kind == SPACEA_LINE;
  if (kind == SPACEA_LINE) {
    g->line_in.fill_key = (uint32_t)spacea_get(head, SPACEA_KEY);
    memcpy(g->line_in.fill_data, in->rx_body, sizeof g->line_in.fill_data);
  }
  for (uint32_t k = 0; k < BGROUP_PES; k++) {
    spe_in *pe = &g->pe_in[k];
    pe->start_valid = kind == SPACEA_START && spacea_get(head, SPACEA_BEGIN) >> k & 1;
    pe->start_row = (uint32_t)spacea_get(head, k ? SPACEA_FIRST1 : SPACEA_FIRST0);
    pe->put_valid = 0;
  }
  g->runs |= kind == SPACEA_START;
  g->ask_in.leave_valid = g->age == LEAVES;
  g->ask_in.leave_key = g->line_in.fill_key;
  if (g->age == PUTS && g->ask_out.left_there) {
    spe_in *pe = &g->pe_in[g->ask_out.left_who >> 10];
    pe->put_valid = 1, pe->put_slot = g->ask_out.left_who >> 2 & 255;
    memcpy(pe->put_value, &in->rx_body[2 * (g->ask_out.left_who & 3)], sizeof pe->put_value);
  }
  g->age = kind == SPACEA_LINE ? 1 : g->age % PUTS ? g->age + 1 : 0;
}

static void move_rows(bgroup *g, const bgroup_in *in) {
  const rowctl_out *o = &g->rows.out;
  rowctl_in *row = &g->row_in;
  row->req_valid = 0;
  for (uint32_t k = 0; k < BGROUP_PES; k++) {
    spe_in *pe = &g->pe_in[k];
    const spe_out *p = &g->pes[k].out;
    pe->row_ready = p->row_valid && o->req_ready >> k & 1 && !row->req_valid;
    if (pe->row_ready)
      row->req_valid = 1, row->req_bank = k, row->req_row = p->row_row;
    pe->beat_valid = o->rsp_valid && o->rsp_bank == k;
    if (pe->beat_valid)
      memcpy(pe->beat_data, o->rsp_data, sizeof pe->beat_data);
  }
  row->ref_tick = in->ref_tick;
  if (g->rows.reads)
    memcpy(row->rdata, in->rdata, sizeof row->rdata);
}

static void send(bgroup *g, const bgroup_in *in) {
  const bool taken = g->out.tx_valid && in->tx_ready;
  const uint32_t kind = taken ? g->out.tx_head[0] & 15 : 0;
  const bool second = !g->pes[0].out.y_valid;
  g->pe_in[0].y_ready = kind == SPACEA_SUM && !second;
  g->pe_in[1].y_ready = kind == SPACEA_SUM && second;
  if (kind == SPACEA_WANT)
    g->first = (g->first + 1) % BGROUP_WANTS, g->n--;
  if (kind == SPACEA_DONE)
    g->runs = false;
  if (g->ask_out.ans_valid && g->ask_out.ans_state == LDQ_ENTERED)
    g->wants[(g->first + g->n++) % BGROUP_WANTS] = g->asked_key;
  if (g->ask_in.ask_valid)
    g->asked_key = g->ask_in.ask_key;
}

// ---- outputs

static void show_packet(bgroup *g) {
  uint64_t head = 0;
  const uint32_t *body = NULL;
  if (g->n) {
    head = SPACEA_WANT | spacea_put(SPACEA_KEY, g->wants[g->first]);
  } else if (g->pes[0].out.y_valid | g->pes[1].out.y_valid) {
    const spe_out *o = &g->pes[!g->pes[0].out.y_valid].out;
    head = SPACEA_SUM | spacea_put(SPACEA_LEN, 1) | spacea_put(SPACEA_ROW, o->y_row);
    body = o->y_value;
  } else if (g->runs && !(g->pes[0].out.busy | g->pes[1].out.busy)) {
    head = SPACEA_DONE;
  }
  bgroup_out *o = &g->out;
  o->tx_valid = head != 0, o->tx_len = body != NULL;
  o->tx_head[0] = (uint32_t)head, o->tx_head[1] = (uint32_t)(head >> 32);
  o->tx_body[0] = body ? body[0] : 0, o->tx_body[1] = body ? body[1] : 0;
}

static void show(bgroup *g) {
  bgroup_out *o = &g->out;
  const rowctl_out *r = &g->rows.out;
  show_packet(g);
  o->rx_ready = !g->age, o->rx_release = g->age == PUTS;
  o->cmd = r->cmd, o->cmd_bank = r->cmd_bank, o->cmd_row = r->cmd_row, o->cmd_col = r->cmd_col;
  o->look = g->line_out.ans_valid;
  o->look_hit = o->look & g->line_out.ans_hit;
  o->look_again = o->look && g->looked_again;
  o->ask_full = g->ask_out.ans_valid && g->ask_out.ans_state == LDQ_FULL;
  o->busy = g->runs || g->age || r->busy;
}

// ----

static void clock(bgroup *g) {
  const xcam_in *l = &g->line_in;
  const ldq_in *a = &g->ask_in;
  for (uint32_t k = 0; k < BGROUP_PES; k++) {
    const spe_out *o = &g->pes[k].out;
    spe_clock(&g->pes[k], &g->pe_in[k]);
    if (o->look_valid)
      xcam_fetch(g->lines, o->look_key);
    if (o->ask_valid)
      ldq_fetch(g->under_way, o->ask_key);
  }
  if (l->look_valid | l->fill_valid | l->clear | g->line_out.ans_valid || !l->rst_n)
    xcam_step(g->lines, l, &g->line_out);
  if (a->ask_valid | a->leave_valid | g->ask_out.ans_valid | g->ask_out.left_valid || !a->rst_n)
    ldq_step(g->under_way, a, &g->ask_out);
  rowctl_clock(&g->rows, &g->row_in);
}

static void set_reset(bgroup *g, uint32_t rst_n) {
  g->pe_in[0].rst_n = g->pe_in[1].rst_n = rst_n;
  g->line_in.rst_n = g->ask_in.rst_n = g->row_in.rst_n = rst_n;
}

RARE static void reset(bgroup *g) {
  set_reset(g, 0);
  clock(g);
  g->runs = false;
  g->age = g->prefer = g->n = 0;
}

void bgroup_edge(bgroup *g, const bgroup_in *in) {
  if (!in->rst_n) {
    reset(g);
    show(g);
    return;
  }
  set_reset(g, 1);
  for (uint32_t k = 0; k < BGROUP_PES; k++)
    g->pe_in[k].cfg_turn = in->cfg_turn, g->pe_in[k].cfg_min = in->cfg_min;
  memcpy(g->row_in.cfg_times, in->cfg_times, sizeof g->row_in.cfg_times);
  g->row_in.req_more = 7;
  begin_turns(g);
  look_and_ask(g);
  take_packet(g, in);
  move_rows(g, in);
  send(g, in);
  clock(g);
  show(g);
}

void bgroup_fetch(prefetch *a, const bgroup *g) {
  for (uint32_t k = 0; k < BGROUP_PES; k++)
    prefetch_add(a, &g->pes[k], offsetof(spe, words));
  prefetch_add(a, &g->lines, sizeof *g - offsetof(bgroup, lines));
}

bgroup_sight bgroup_sees(const bgroup *g, uint32_t pe) {
  const spe *s = &g->pes[pe];
  const bool looked = s->use.valid && !s->use.ready && g->line_out.ans_hit;
  const uint32_t state = g->ask_out.ans_state;
  return (bgroup_sight){.waits = spe_waits(s, next_turn(g) == pe),
                        .put = s->use.valid && s->use.ready,
                        .hit = looked && !g->looked_again,
                        .hit_again = looked && g->looked_again,
                        .asks = s->answer.valid && state == LDQ_ENTERED,
                        .merges = s->answer.valid && state == LDQ_THERE,
                        .full = s->answer.valid && state == LDQ_FULL};
}

void bgroup_step(bgroup *g, const bgroup_in *in, bgroup_out *out) {
  bgroup_clock(g, in);
  *out = g->out;
}

#define BLOCK bgroup
#define BLOCK_CREATED
#include "csim/base/block_twin.h"
