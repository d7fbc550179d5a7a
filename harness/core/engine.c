// SPDX-License-Identifier: Apache-2.0
// Offload engine: target, sources, moves; and the register moves.
#include <assert.h>
#include <string.h>
#include "core_priv.h"

uint32_t near_place(const cwarp *w, uint32_t reg) {
  assert(reg < w->near_count);
  return w->near_base + reg;
}

static bool has(const uint64_t set[4], uint32_t reg) {
  return set[reg / 64] >> reg % 64 & 1;
}
static void put(uint64_t set[4], uint32_t reg) {
  set[reg / 64] |= 1ull << reg % 64;
}
static void drop(uint64_t set[4], uint32_t reg) {
  set[reg / 64] &= ~(1ull << reg % 64);
}
static bool waiting(const op *o) {
  return o->waits[0] | o->waits[1] | o->waits[2] | o->waits[3];
}

// ---- asking

static uint32_t looks_of(const op *o) {
  return o->lanes == o->alive ? o->p->n_sources : o->p->n_looks;
}

static void ask(core *c, subcore *s) {
  rtt_in *in = &c->in.rtt[s->index];
  op *o = s->asking;
  const uint32_t n = looks_of(o);
  s->ask_now = (uint8_t)(n - s->asked < 4 ? n - s->asked : 4);
  in->lk_valid = s->ask_now != 0;
  if (!s->ask_now)
    return;
  uint32_t *regs[4] = {&in->lk_reg0, &in->lk_reg1, &in->lk_reg2, &in->lk_reg3};
  in->lk_warp = o->w->slot;
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t reg = o->p->looks[(s->asked + k) % LOOKS].reg;
    *regs[k] = k < s->ask_now ? reg : ISA_RZ;
  }
  s->asked = (uint8_t)(s->asked + s->ask_now);
}

static void hear(core *c, subcore *s) {
  const rtt_out *out = &c->out.rtt[s->index];
  op *o = s->asking;
  if (!o || !s->ask_now)
    return;
  const uint32_t mask = (1u << s->ask_now) - 1;
  o->far_valid |= (uint16_t)((out->lk_far & mask) << s->answered);
  o->near_valid |= (uint16_t)((out->lk_near & mask) << s->answered);
  s->answered = (uint8_t)(s->answered + s->ask_now);
  s->ask_now = 0;
}

// ---- deciding

static bool goes_near(const op *o) {
  const decoded *d = o->p->d;
  if (d->where != WHERE_SOURCES)
    return d->where == WHERE_NEAR;
  const uint32_t all = (1u << o->p->n_sources) - 1;
  return (o->near_valid & all) == all;
}

static bool needed_near(const op *o, uint32_t look) {
  return o->p->near_looks[o->near] >> look & 1;
}

// Everything is where it must be, and nothing of it is on its way: the usual case.
static bool all_there(const core *c, const op *o) {
  const uint32_t near = o->p->near_looks[o->near], all = (1u << looks_of(o)) - 1;
  uint64_t moving = 0;
  for (uint32_t k = 0; k < c->reg_words; k++)
    moving |= (o->w->to_near[k] | o->w->to_far[k]) & (o->p->reads[k] | o->p->writes[k]);
  return !moving && !(all & ((near & ~o->near_valid) | (~near & ~o->far_valid)));
}

static void update(subcore *s, uint32_t reg, uint32_t what) {
  s->updates[s->updates_n].reg = (uint8_t)reg;
  s->updates[s->updates_n++].op = (uint8_t)what;
}

static void wait_for(subcore *s, op *o, uint32_t reg) {
  put(o->waits, reg);
  s->waiting |= 1ull << (o - s->pool);
}

static void request(subcore *s, op *o, uint32_t reg, bool to_near, bool zero) {
  wait_for(s, o, reg);
  put(to_near ? o->w->to_near : o->w->to_far, reg);
  s->moves[(s->moves_head + s->moves_count++) % OPS] = (move){o, (uint8_t)reg, to_near, zero};
  update(s, reg, to_near ? 3 : 2);
  s->check |= 1u << o->w->slot;
}

// What a register needs to be where the instruction wants it.
static void place(subcore *s, op *o, uint32_t i) {
  const look *k = &o->p->looks[i];
  const bool near = needed_near(o, i);
  const bool there = (near ? o->near_valid : o->far_valid) >> i & 1;
  const bool other = (near ? o->far_valid : o->near_valid) >> i & 1 ||
                     has(near ? o->w->to_far : o->w->to_near, k->reg);
  if (has(near ? o->w->to_near : o->w->to_far, k->reg)) {
    wait_for(s, o, k->reg);
    return;
  }
  if (there || (!near && !other))
    return;
  if (other) {
    request(s, o, k->reg, near, false);
    return;
  }
  // valid nowhere. All words of an operand that is only read: zero; else this word is zeroed
  bool all = k->operand != 0;
  for (uint32_t j = 0; j < o->p->n_sources; j++)
    if (o->p->looks[j].operand == k->operand &&
        ((o->near_valid | o->far_valid) >> j & 1 || has(o->w->to_near, o->p->looks[j].reg)))
      all = false;
  if (all)
    o->zero |= (uint8_t)(1u << (k->operand - 1));
  else
    request(s, o, k->reg, true, true);
}

// A register on its way to the other side must arrive there before it can be fetched from there;
// and there must be room for the requests.
static bool can_decide(const subcore *s, const op *o) {
  for (uint32_t i = 0; i < looks_of(o); i++) {
    const look *k = &o->p->looks[i];
    const bool near = needed_near(o, i);
    if (!((near ? o->near_valid : o->far_valid) >> i & 1) &&
        has(near ? o->w->to_far : o->w->to_near, k->reg))
      return false;
  }
  return s->moves_count <= OPS - LOOKS;
}

static bool decide(core *c, subcore *s) {
  op *o = s->asking;
  o->near = goes_near(o);
  const bool there = all_there(c, o);
  if (!there && !can_decide(s, o))
    return false;
  s->deciding = o;
  s->asking = NULL;
  s->updates_n = s->updates_at = 0;
  const uint32_t moves = s->moves_count;
  for (uint32_t i = 0; !there && i < looks_of(o); i++)
    place(s, o, i);
  for (uint32_t i = o->p->n_sources; i < o->p->n_looks; i++)
    update(s, o->p->looks[i].reg, o->p->data_near[o->near]);
  // data of the LSU may come from here, if it is here, and not only on its way
  for (uint32_t i = 0; o->p->kind == PLAN_ACCESS && i < o->p->n_sources; i++) {
    const bool here = o->far_valid >> i & 1 && !has(o->w->to_far, o->p->looks[i].reg);
    if (o->p->looks[i].operand >= 2 && !here && (o->near_valid >> i & 1))
      o->data_far = false;
  }
  subcore_stats *stats = &c->stats.sub[s->index];
  ++*(o->near ? &stats->near : &stats->far);
  stats->track_table += looks_of(o) + s->updates_n;
  if (o->p->kind == PLAN_COMPUTE)
    (o->near ? stats->lanes_near : stats->lanes_far)[o->p->does] += core_lanes(o->lanes);
  LOOK(c, look_target(c, o));
  for (uint32_t k = moves; k < s->moves_count; k++) {
    const move *m = &s->moves[(s->moves_head + k) % OPS];
    LOOK(c, look_move(c, EVENT_MOVE, o->w, o, m->reg, m->to_near));
  }
  return true;
}

static void bring_up_to_date(core *c, subcore *s) {
  rtt_in *in = &c->in.rtt[s->index];
  for (uint32_t k = 0; k < 2 && s->updates_at < s->updates_n; k++, s->updates_at++) {
    const uint32_t reg = s->updates[s->updates_at].reg, what = s->updates[s->updates_at].op;
    if (k == 0)
      in->up0_valid = 1, in->up0_warp = s->deciding->w->slot, in->up0_reg = reg, in->up0_op = what;
    else
      in->up1_valid = 1, in->up1_warp = s->deciding->w->slot, in->up1_reg = reg, in->up1_op = what;
  }
}

// ---- going on

static bool send_exec(core *c, subcore *s, op *o) {
  const decoded *d = o->p->d;
  uint64_t head = o->p->head;
  uint32_t words[4], n = 0;
  if (!bus_room(c, s->index, 3))
    return false;
  static const enum tsv_field fields[4] = {TSV_DN_EXEC_D, TSV_DN_EXEC_A, TSV_DN_EXEC_B,
                                           TSV_DN_EXEC_C};
  for (unsigned k = 0; k < 4; k++)
    if (d->reg[k] >= 0)
      head |= tsv_put(fields[k], near_place(o->w, (uint32_t)d->reg[k]));
  head |= tsv_put(TSV_DN_EXEC_ZERO, o->zero);
  if (o->lanes != ~0u) {
    head |= tsv_put(TSV_DN_EXEC_HAS_MASK, 1);
    words[n++] = o->lanes;
  }
  if (d->i.imm_at || d->i.op == ISA_OP_LOP3)
    words[n++] = d->i.imm;
  if (d->i.op == ISA_OP_SELP)
    words[n++] = d->i.ps_neg ? ~o->w->w->preds[d->i.ps] : o->w->w->preds[d->i.ps];
  words[n] = 0;
  head |= tsv_put(TSV_DN_ANY_TAG, bus_tag(c, s->index, (tag){.kind = TAG_EXEC, .o = o}));
  const uint64_t flits[3] = {head, n ? words[0] | (uint64_t)(n > 1 ? words[1] : 0) << 32 : 0,
                             n > 2 ? words[2] : 0};
  bus_push(c, s->index, flits, 1 + (n + 1) / 2);
  const nbu_work work = o->zero ? nbu_work_of(head, 0) : o->p->work;
  core_count_work(&c->stats.nbu[s->index], &work);
  o->state = OP_OUT;
  return true;
}

// To where it executes; false when there is no room in this cycle.
static bool go_on(core *c, subcore *s, op *o) {
  if (o->p->kind != PLAN_ACCESS)
    return o->near ? send_exec(c, s, o) : far_take(c, s, o);
  if (o->p->in_place && o->near) {
    o->state = OP_QUEUED;
    o->address_here = true;
    return true;
  }
  return far_take(c, s, o);
}

static void leave(core *c, subcore *s) {
  op *o = s->deciding;
  if (s->updates_at < s->updates_n)
    return;
  // memory accesses take their place now, so they stay in order
  if (o->p->kind == PLAN_ACCESS && !o->placed) {
    if (!lsu_take(c, s, o))
      return;
    o->placed = true;
  }
  if (waiting(o))
    o->state = OP_MOVING;
  else if (!go_on(c, s, o))
    return;
  s->deciding = NULL;
}

static void ready_list(core *c, subcore *s) {
  op *o = s->ready_head;
  if (!o || !go_on(c, s, o))
    return;
  s->ready_head = o->next;
  if (!s->ready_head)
    s->ready_tail = NULL;
}

void engine_moved(core *c, cwarp *w, uint32_t reg, bool to_near) {
  subcore *s = subcore_of(c, w);
  LOOK(c, look_move(c, EVENT_MOVED, w, NULL, reg, to_near));
  drop(to_near ? w->to_near : w->to_far, reg);
  s->check |= 1u << w->slot & ~s->ready;
  for (uint64_t m = s->waiting; m; m &= m - 1) {
    op *o = &s->pool[__builtin_ctzll(m)];
    if (o->w != w || !has(o->waits, reg))
      continue;
    drop(o->waits, reg);
    if (waiting(o))
      continue;
    s->waiting &= ~(m & -m);
    LOOK(c, look_op(c, EVENT_READY, o));
    if (o->state != OP_MOVING)
      continue;
    o->state = OP_READY;
    o->next = NULL;
    if (s->ready_tail)
      s->ready_tail->next = o;
    else
      s->ready_head = o;
    s->ready_tail = o;
  }
}

void engine_step(core *c, subcore *s) {
  hear(c, s);
  ready_list(c, s);
  if (s->deciding) {
    bring_up_to_date(c, s);
    leave(c, s);
  } else if (s->asking && s->answered == looks_of(s->asking)) {
    if (decide(c, s)) {
      bring_up_to_date(c, s);
      leave(c, s);
    }
  }
  if (!s->asking && s->entering) {
    s->asking = s->entering;
    s->entering = NULL;
    s->asked = s->answered = 0;
  }
  if (s->asking)
    ask(c, s);
}

// ---- moves

static bool send_to_near(core *c, subcore *s, const move *m) {
  static const uint32_t zeros[ISA_LANES];
  const op *o = m->o;
  const tag t = {.kind = TAG_MOVE_NEAR, .o = m->o, .reg = m->reg};
  subcore_stats *stats = &c->stats.sub[s->index];
  if (!bus_write(c, s->index, near_place(o->w, m->reg),
                 m->zero ? zeros : o->w->w->regs + m->reg * ISA_LANES, m->zero ? ~0u : o->alive, t))
    return false;
  ++*(m->zero ? &stats->moves_zero : &stats->moves_near);
  stats->rf_others += !m->zero;
  return true;
}

static bool send_to_far(core *c, subcore *s, const move *m) {
  const tag t = {.kind = TAG_MOVE_FAR, .o = m->o, .reg = m->reg};
  if (!bus_read(c, s->index, near_place(m->o->w, m->reg), m->o->alive, t))
    return false;
  c->stats.sub[s->index].moves_far++;
  return true;
}

void engine_moves(core *c, subcore *s) {
  if (!s->moves_count)
    return;
  const move *m = &s->moves[s->moves_head % OPS];
  if (m->to_near ? send_to_near(c, s, m) : send_to_far(c, s, m)) {
    s->moves_head++;
    s->moves_count--;
  }
}
