// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <string.h>

static bool has(const uint64_t set[4], uint32_t reg) {
  return set[reg / 64] >> reg % 64 & 1;
}
static void put(uint64_t set[4], uint32_t reg) {
  set[reg / 64] |= 1ull << reg % 64;
}
static void drop(uint64_t set[4], uint32_t reg) {
  set[reg / 64] &= ~(1ull << reg % 64);
}
static bool waiting(const engine_op *x) {
  return x->waits[0] | x->waits[1] | x->waits[2] | x->waits[3];
}

// ---- asking

static uint32_t looks_of(const op *o) {
  return o->lanes == o->alive ? o->p->n_sources : o->p->n_looks;
}

static void ask(engine *e, engine_sub *s) {
  op *o = s->asking;
  rtt_in *in = &e->base->in.rtt[o->subcore];
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

static void hear(engine *e, engine_sub *s) {
  op *o = s->asking;
  if (!o || !s->ask_now)
    return;
  const rtt_out *out = &e->base->out.rtt[o->subcore];
  engine_op *x = &s->of[o->place];
  const uint32_t mask = (1u << s->ask_now) - 1;
  x->far_valid |= (uint16_t)((out->lk_far & mask) << s->answered);
  x->near_valid |= (uint16_t)((out->lk_near & mask) << s->answered);
  s->answered = (uint8_t)(s->answered + s->ask_now);
  s->ask_now = 0;
}

// ---- deciding

static bool goes_near(const op *o, const engine_op *x) {
  const decoded *d = o->p->d;
  if (d->where != WHERE_SOURCES)
    return d->where == WHERE_NEAR;
  const uint32_t all = (1u << o->p->n_sources) - 1;
  return (x->near_valid & all) == all;
}

static bool needed_near(const op *o, uint32_t look) {
  return o->p->near_looks[o->near] >> look & 1;
}

// Everything is where it must be, and nothing of it is on its way: the usual case.
static bool all_there(const engine *e, const op *o, const engine_op *x) {
  const uint32_t near = o->p->near_looks[o->near], all = (1u << looks_of(o)) - 1;
  uint64_t moving = 0;
  for (uint32_t k = 0; k < e->base->reg_words; k++)
    moving |= (o->w->to_near[k] | o->w->to_far[k]) & (o->p->reads[k] | o->p->writes[k]);
  return !moving && !(all & ((near & ~x->near_valid) | (~near & ~x->far_valid)));
}

static void update(engine_sub *s, uint32_t reg, uint32_t what) {
  s->updates[s->updates_n].reg = (uint8_t)reg;
  s->updates[s->updates_n++].op = (uint8_t)what;
}

static void wait_for(engine_sub *s, op *o, uint32_t reg) {
  put(s->of[o->place].waits, reg);
  s->waiting |= 1ull << o->place;
}

static void request_move(engine *e, engine_sub *s, op *o, uint32_t reg, bool to_near, bool zero) {
  wait_for(s, o, reg);
  put(to_near ? o->w->to_near : o->w->to_far, reg);
  s->moves[(s->moves_head + s->moves_count++) % OPS] = (move){o, (uint8_t)reg, to_near, zero};
  update(s, reg, to_near ? 3 : 2);
  e->board->sub[o->subcore].check |= 1u << o->w->slot;
}

// What a register needs to be where the instruction wants it.
static void place(engine *e, engine_sub *s, op *o, uint32_t i) {
  const engine_op *x = &s->of[o->place];
  const look *k = &o->p->looks[i];
  const bool near = needed_near(o, i);
  const bool there = (near ? x->near_valid : x->far_valid) >> i & 1;
  const bool other = (near ? x->far_valid : x->near_valid) >> i & 1 ||
                     has(near ? o->w->to_far : o->w->to_near, k->reg);
  if (has(near ? o->w->to_near : o->w->to_far, k->reg)) {
    wait_for(s, o, k->reg);
    return;
  }
  if (there || (!near && !other))
    return;
  if (other) {
    request_move(e, s, o, k->reg, near, false);
    return;
  }
  // valid nowhere. All words of an operand that is only read: zero; else this word is zeroed
  bool all = k->operand != 0;
  for (uint32_t j = 0; j < o->p->n_sources; j++)
    if (o->p->looks[j].operand == k->operand &&
        ((x->near_valid | x->far_valid) >> j & 1 || has(o->w->to_near, o->p->looks[j].reg)))
      all = false;
  if (all)
    o->zero |= (uint8_t)(1u << (k->operand - 1));
  else
    request_move(e, s, o, k->reg, true, true);
}

// A register on its way to the other side must arrive there before it can be fetched from there;
// and there must be room for the requests.
static bool can_decide(const engine_sub *s, const op *o) {
  const engine_op *x = &s->of[o->place];
  for (uint32_t i = 0; i < looks_of(o); i++) {
    const look *k = &o->p->looks[i];
    const bool near = needed_near(o, i);
    if (!((near ? x->near_valid : x->far_valid) >> i & 1) &&
        has(near ? o->w->to_far : o->w->to_near, k->reg))
      return false;
  }
  return s->moves_count <= OPS - LOOKS;
}

static bool decide(engine *e, engine_sub *s) {
  op *o = s->asking;
  engine_op *x = &s->of[o->place];
  o->near = goes_near(o, x);
  const bool there = all_there(e, o, x);
  if (!there && !can_decide(s, o))
    return false;
  o->somewhere = x->far_valid | x->near_valid;
  s->deciding = o;
  s->asking = NULL;
  s->updates_n = s->updates_at = 0;
  const uint32_t moves = s->moves_count;
  for (uint32_t i = 0; !there && i < looks_of(o); i++)
    place(e, s, o, i);
  for (uint32_t i = o->p->n_sources; i < o->p->n_looks; i++)
    update(s, o->p->looks[i].reg, o->p->data_near[o->near]);
  // data of the LSU may come from here, if it is here, and not only on its way
  for (uint32_t i = 0; o->p->kind == UOP_ACCESS && i < o->p->n_sources; i++) {
    const bool here = x->far_valid >> i & 1 && !has(o->w->to_far, o->p->looks[i].reg);
    if (o->p->looks[i].operand >= 2 && !here && (x->near_valid >> i & 1))
      o->data_far = false;
  }
  subcore_stats *stats = &e->base->stats.sub[o->subcore];
  ++*(o->near ? &stats->near : &stats->far);
  stats->track_table += looks_of(o) + s->updates_n;
  if (o->p->kind == UOP_COMPUTE)
    (o->near ? stats->lanes_near : stats->lanes_far)[o->p->does] += base_lanes(o->lanes);
  EMIT(e->base, emit_target(e->base, o, x->waits));
  for (uint32_t k = moves; k < s->moves_count; k++) {
    const move *m = &s->moves[(s->moves_head + k) % OPS];
    EMIT(e->base, emit_move(e->base, EVENT_MOVE, o->w, o, m->reg, m->to_near));
  }
  return true;
}

static void bring_up_to_date(engine *e, engine_sub *s) {
  const cwarp *w = s->deciding->w;
  rtt_in *in = &e->base->in.rtt[w->subcore];
  for (uint32_t k = 0; k < 2 && s->updates_at < s->updates_n; k++, s->updates_at++) {
    const uint32_t reg = s->updates[s->updates_at].reg, what = s->updates[s->updates_at].op;
    if (k == 0)
      in->up0_valid = 1, in->up0_warp = w->slot, in->up0_reg = reg, in->up0_op = what;
    else
      in->up1_valid = 1, in->up1_warp = w->slot, in->up1_reg = reg, in->up1_op = what;
  }
}

// ---- going on

static bool send_exec(engine *e, op *o) {
  const decoded *d = o->p->d;
  uint64_t head = o->p->head;
  uint32_t words[4], n = 0;
  if (!bus_room(e->bus, o->subcore, 3))
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
  head |= tsv_put(TSV_DN_ANY_TAG, bus_tag(e->bus, o->subcore,
                                          (tag){.kind = TAG_EXEC,
                                                .client = e->client,
                                                .writes = (uint8_t)((1u << d->words[0]) - 1),
                                                .o = o}));
  const uint64_t flits[3] = {head, n ? words[0] | (uint64_t)(n > 1 ? words[1] : 0) << 32 : 0,
                             n > 2 ? words[2] : 0};
  bus_push(e->bus, o->subcore, flits, 1 + (n + 1) / 2);
  const nbu_work work = o->zero ? nbu_work_of(head, 0) : o->p->work;
  base_count_work(&e->base->stats.nbu[o->subcore], &work);
  board_end(e->board, o);
  return true;
}

// To where it executes; false when there is no room in this cycle.
static bool go_on(engine *e, op *o) {
  if (o->p->kind != UOP_ACCESS)
    return o->near ? send_exec(e, o) : far_take(e->far, o);
  if (o->p->in_place && o->near) {
    lsu_address(e->lsu, o);
    return true;
  }
  return far_take(e->far, o);
}

static void leave(engine *e, engine_sub *s) {
  op *o = s->deciding;
  engine_op *x = &s->of[o->place];
  if (s->updates_at < s->updates_n)
    return;
  // memory accesses take their place now, so they stay in order
  if (o->p->kind == UOP_ACCESS && !x->placed) {
    if (!lsu_take(e->lsu, o))
      return;
    x->placed = true;
  }
  if (waiting(x))
    o->state = OP_MOVING;
  else if (!go_on(e, o))
    return;
  s->deciding = NULL;
}

static void ready_list(engine *e, engine_sub *s) {
  op *o = s->ready_head, *next = o ? o->next : NULL;
  if (!o || !go_on(e, o))
    return;
  s->ready_head = next;
  if (!s->ready_head)
    s->ready_tail = NULL;
}

// It is there.
static void moved(engine *e, cwarp *w, uint32_t reg, bool to_near) {
  engine_sub *s = &e->sub[w->subcore];
  board_sub *board = &e->board->sub[w->subcore];
  EMIT(e->base, emit_move(e->base, EVENT_MOVED, w, NULL, reg, to_near));
  drop(to_near ? w->to_near : w->to_far, reg);
  board_check(e->board, w);
  for (uint64_t m = s->waiting; m; m &= m - 1) {
    op *o = &board->pool[__builtin_ctzll(m)];
    engine_op *x = &s->of[o->place];
    if (o->w != w || !has(x->waits, reg))
      continue;
    drop(x->waits, reg);
    if (waiting(x))
      continue;
    s->waiting &= ~(m & -m);
    EMIT(e->base, emit_op(e->base, EVENT_READY, o));
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

void engine_enter(engine *e, op *o) {
  engine_sub *s = &e->sub[o->subcore];
  s->of[o->place] = (engine_op){.placed = false};
  s->entering = o;
  if (o->p->kind == UOP_ACCESS)
    lsu_fetch(e->lsu, o);
}

void engine_step(engine *e, uint32_t subcore) {
  engine_sub *s = &e->sub[subcore];
  hear(e, s);
  ready_list(e, s);
  if (s->deciding) {
    bring_up_to_date(e, s);
    leave(e, s);
  } else if (s->asking && s->answered == looks_of(s->asking)) {
    if (decide(e, s)) {
      bring_up_to_date(e, s);
      leave(e, s);
    }
  }
  if (!s->asking && s->entering) {
    s->asking = s->entering;
    s->entering = NULL;
    s->asked = s->answered = 0;
  }
  if (s->asking)
    ask(e, s);
}

// ---- moves

static bool send_to_near(engine *e, const move *m) {
  static const uint32_t zeros[ISA_LANES];
  const op *o = m->o;
  const tag t = {.kind = TAG_MOVE_NEAR, .client = e->client, .o = m->o, .reg = m->reg};
  subcore_stats *stats = &e->base->stats.sub[o->subcore];
  if (!bus_write(e->bus, o->subcore, near_place(o->w, m->reg),
                 m->zero ? zeros : o->w->w->regs + m->reg * ISA_LANES, m->zero ? ~0u : o->alive, t))
    return false;
  ++*(m->zero ? &stats->moves_zero : &stats->moves_near);
  stats->rf_others += !m->zero;
  moved(e, o->w, m->reg, true);
  return true;
}

static bool send_to_far(engine *e, const move *m) {
  const op *o = m->o;
  const tag t = {.kind = TAG_MOVE_FAR, .client = e->client, .o = m->o, .reg = m->reg};
  if (!bus_read(e->bus, o->subcore, near_place(m->o->w, m->reg), m->o->alive, t))
    return false;
  e->base->stats.sub[o->subcore].moves_far++;
  return true;
}

void engine_moves(engine *e, uint32_t subcore) {
  engine_sub *s = &e->sub[subcore];
  if (!s->moves_count)
    return;
  const move *m = &s->moves[s->moves_head % OPS];
  if (m->to_near ? send_to_near(e, m) : send_to_far(e, m)) {
    s->moves_head++;
    s->moves_count--;
  }
}

// ---- what NBUs answer

static void answer(void *ctx, uint32_t nbu, const tag *t, uint64_t head, const uint64_t *body) {
  engine *e = ctx;
  op *o = t->o;
  bus_lanes(t, head, body, o->w->w->regs + t->reg * ISA_LANES);
  e->base->stats.sub[nbu].rf_writes++;
  moved(e, o->w, t->reg, false);
}

// ---- from first to last

void engine_new(engine *e, base *b, board *d, bus *u, lsu *l, far *f) {
  e->base = b, e->board = d, e->bus = u, e->lsu = l, e->far = f;
  e->client = bus_join(u, (bus_client){.ctx = e, .answer = answer});
}

void engine_reset(engine *e) {
  memset(e->sub, 0, sizeof e->sub);
}
