// SPDX-License-Identifier: Apache-2.0
#include "opc.h"

#include <stdlib.h>
#include <string.h>
#include "csim/base/rare.h"

#include "csim/base/round_robin.h"

#define BLOCK opc
#include "csim/base/block_table.h"

enum { UNIT_LSUX = 1 };
enum mode { SAME, THIS, OTHER };

void opc_init(opc *o, const structure *sizes) {
  const uint32_t n = structure_or_default(sizes)->collectors;
  *o = (opc){.n = n, .all = (1u << n) - 1, .last_choice = n - 1};
  for (uint32_t b = 0; b < OPC_BANKS; b++)
    o->last_grant[b] = n - 1;
  o->out.ready = 1;
}

RARE static void reset(opc *o) {
  o->held = o->complete = o->lsux = 0;
  for (uint32_t b = 0; b < OPC_BANKS; b++) {
    o->asking[b] = o->asked[b].valid = o->read[b].valid = 0;
    o->last_grant[b] = o->n - 1;
  }
  o->last_choice = o->n - 1;
  o->moving = 0;
  o->locked = false;
  o->out.r0_en = o->out.r1_en = o->out.r2_en = o->out.r3_en = 0;
  o->out.x_valid = o->out.busy = 0;
  o->out.ready = 1;
}

static uint32_t word_of(const opc_collector *c) {
  return c->hi_first ? 1 - (c->beat & 1) : c->beat;
}

// ---- collecting

static void ask(opc *o, uint32_t i) {
  opc_collector *c = &o->collectors[i];
  const uint32_t w = word_of(c);
  c->missing = c->use;
  for (uint32_t b = 0; b < OPC_BANKS; b++)
    c->asks[b] = 0;
  for (uint32_t left = c->use; left; left &= left - 1) {
    const uint32_t x = (uint32_t)__builtin_ctz(left);
    const uint32_t word = c->mode[x] == SAME ? 0 : c->mode[x] == THIS ? w : w ^ 1;
    const uint32_t bank = (c->reg[x] | word) % OPC_BANKS;
    c->asks[bank] |= 1u << x;
    o->asking[bank] |= 1u << i;
  }
  if (!c->missing)
    o->complete |= 1u << i;
}

static void take(opc *o, const opc_in *in, uint32_t i) {
  opc_collector *c = &o->collectors[i];
  c->unit = in->unit;
  c->op = in->op;
  c->typ = in->typ;
  c->typ2 = in->typ2;
  c->fn = in->fn;
  c->ftz = in->ftz;
  c->sat = in->sat;
  c->d = in->d;
  c->tag = in->tag;
  c->mask = in->mask;
  c->pred = in->pred;
  c->imm = in->imm;
  c->imm_at = in->imm_at;
  c->use = in->use;
  c->beats = in->beats;
  c->hi_first = in->hi_first;
  c->reg[0] = in->a;
  c->reg[1] = in->b;
  c->reg[2] = in->c;
  c->mode[0] = in->a_mode;
  c->mode[1] = in->b_mode;
  c->mode[2] = in->c_mode;
  c->beat = 0;
  o->held |= 1u << i;
  if (c->unit == UNIT_LSUX) {
    c->older = o->lsux;
    o->lsux |= 1u << i;
  } else {
    c->older = 0;
  }
  ask(o, i);
}

static void store(opc *o, opc_read r, const uint32_t *data) {
  opc_collector *c = &o->collectors[r.collector];
  memcpy(c->slot[r.operand], data, sizeof c->slot[r.operand]);
  c->missing &= ~(1u << r.operand);
  if (!c->missing)
    o->complete |= 1u << r.collector;
}

static void grant(opc *o, uint32_t bank, uint32_t *en, uint32_t *row) {
  o->read[bank] = o->asked[bank];
  *en = o->asking[bank] != 0;
  o->asked[bank].valid = *en;
  if (!*en)
    return;
  const uint32_t i = round_robin(o->asking[bank], o->last_grant[bank] + 1);
  opc_collector *c = &o->collectors[i];
  const uint32_t x = (uint32_t)__builtin_ctz(c->asks[bank]), w = word_of(c);
  const uint32_t word = c->mode[x] == SAME ? 0 : c->mode[x] == THIS ? w : w ^ 1;
  o->last_grant[bank] = i;
  o->asked[bank].collector = i;
  o->asked[bank].operand = x;
  *row = (c->reg[x] | word) / OPC_BANKS;
  c->asks[bank] &= c->asks[bank] - 1;
  if (!c->asks[bank])
    o->asking[bank] &= ~(1u << i);
}

// ---- dispatching

// What an operand is in every lane when it does not come from the register file.
static uint32_t constant(const opc_collector *c, uint32_t x) {
  const uint32_t w = word_of(c), mode = c->mode[x];
  if (c->imm_at != x + 1 && !(x == 2 && mode == OTHER && c->imm_at == 1))
    return 0;
  if (mode == SAME || w == (mode == OTHER))
    return c->imm;
  return -(c->imm >> 31);
}

static void set_operand(opc *o, const opc_collector *c, uint32_t x, uint32_t *to) {
  if (c->use >> x & 1) {
    memcpy(to, c->slot[x], sizeof c->slot[x]);
    o->filled &= ~(1u << x);
    return;
  }
  const uint32_t value = constant(c, x);
  if (o->filled >> x & 1 && *to == value)
    return;
  for (uint32_t l = 0; l < OPC_LANES; l++)
    to[l] = value;
  o->filled |= 1u << x;
}

static void dispatch(opc *o, uint32_t i) {
  opc_collector *c = &o->collectors[i];
  opc_out *out = &o->out;
  out->x_valid = 1u << c->unit;
  out->x_op = c->op;
  out->x_typ = c->typ;
  out->x_typ2 = c->typ2;
  out->x_fn = c->fn;
  out->x_ftz = c->ftz;
  out->x_sat = c->sat;
  out->x_lut = c->imm & 0xff;
  out->x_beat = c->beat;
  out->x_last = c->beat == c->beats;
  out->x_dst = c->beats ? c->d | word_of(c) : c->d;
  out->x_tag = c->tag;
  out->x_mask = c->mask;
  out->x_pred = c->pred;
  set_operand(o, c, 0, out->x_a);
  set_operand(o, c, 1, out->x_b);
  set_operand(o, c, 2, out->x_c);
  o->last_choice = i;
  o->locked = !out->x_last;
  o->complete &= ~(1u << i);
  if (out->x_last) {
    o->held &= ~(1u << i);
    o->lsux &= ~(1u << i);
    for (uint32_t k = 0; k < o->n; k++)
      o->collectors[k].older &= ~(1u << i);
  } else {
    c->beat++;
    ask(o, i);
  }
}

// Collectors with a complete beat that may be chosen.
static uint32_t candidates(const opc *o) {
  if (o->locked)
    return o->complete & 1u << o->last_choice;
  uint32_t can = o->complete;
  for (uint32_t left = o->complete & o->lsux; left; left &= left - 1) {
    const uint32_t i = (uint32_t)__builtin_ctz(left);
    if (o->collectors[i].older)
      can &= ~(1u << i);
  }
  return can;
}

// ---- the block

static void collect(opc *o, const opc_in *in) {
  const opc_read stored[OPC_BANKS] = {o->read[0], o->read[1], o->read[2], o->read[3]};
  grant(o, 0, &o->out.r0_en, &o->out.r0_row);
  grant(o, 1, &o->out.r1_en, &o->out.r1_row);
  grant(o, 2, &o->out.r2_en, &o->out.r2_row);
  grant(o, 3, &o->out.r3_en, &o->out.r3_row);
  if (stored[0].valid)
    store(o, stored[0], in->r0_data);
  if (stored[1].valid)
    store(o, stored[1], in->r1_data);
  if (stored[2].valid)
    store(o, stored[2], in->r2_data);
  if (stored[3].valid)
    store(o, stored[3], in->r3_data);
  o->moving = 0;
  for (uint32_t b = 0; b < OPC_BANKS; b++)
    o->moving |= o->asked[b].valid | o->read[b].valid;
}

static void clock_edge(opc *o, const opc_in *in) {
  const bool room = !o->out.x_valid || o->out.x_valid & in->x_ready;
  const uint32_t can = room ? candidates(o) : 0, held = o->held;
  if (o->moving | o->asking[0] | o->asking[1] | o->asking[2] | o->asking[3])
    collect(o, in);
  if (can)
    dispatch(o, round_robin(can, o->last_choice + 1));
  else if (room)
    o->out.x_valid = 0;
  if (in->valid && held != o->all)
    take(o, in, (uint32_t)__builtin_ctz(~held));
  o->out.ready = o->held != o->all;
  o->out.busy = o->held || o->out.x_valid;
}

void opc_edge(opc *o, const opc_in *in) {
  clock_edge(o, in);
  if (!in->rst_n)
    reset(o);
}

void opc_step(opc *o, const opc_in *in, opc_out *out) {
  opc_clock(o, in);
  *out = o->out;
}

#define BLOCK opc
#define BLOCK_INIT(block, sizes) opc_init(block, sizes)
#include "csim/base/block_twin.h"
