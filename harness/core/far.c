// SPDX-License-Identifier: Apache-2.0
// Operand collectors and units of the base die.
#include <string.h>
#include "core_priv.h"

static uint32_t far_place(const core *c, const cwarp *w, uint32_t reg) {
  const module_kernel *k = c->l->kernel;
  return w->far_base + (reg < k->regs_both ? reg : reg - k->regs_near);
}

// Which operands are read here: all of a far instruction; of an access the address, if it is far.
static bool reads_here(const op *o, unsigned operand) {
  if (o->p->kind != PLAN_ACCESS)
    return true;
  return operand == 1;
}

bool far_take(core *c, subcore *s, op *o) {
  for (uint32_t n = 0; n < c->config.collectors; n++) {
    collector *k = &s->collectors[n];
    if (k->o)
      continue;
    k->o = o;
    k->n = 0;
    k->asked = k->stored = 0;
    for (uint32_t i = 0; i < o->p->n_sources; i++)
      // a register that is valid nowhere is zero, and not read
      if (reads_here(o, o->p->looks[i].operand) && (o->far_valid | o->near_valid) >> i & 1)
        k->place[k->n++] = (uint8_t)far_place(c, o->w, o->p->looks[i].reg);
    o->state = OP_COLLECT;
    return true;
  }
  return false;
}

// A register a bank a cycle, collectors in turn. What was granted is there a cycle later.
static void collect(core *c, subcore *s) {
  const uint32_t n = c->config.collectors;
  uint32_t wanted[FAR_BANKS] = {0}, any = 0;
  for (uint32_t k = 0; k < n; k++) {
    collector *x = &s->collectors[k];
    x->stored = x->asked;
    for (uint32_t i = 0; x->o && i < x->n; i++)
      if (!(x->asked >> i & 1))
        wanted[x->place[i] % FAR_BANKS] |= 1u << k, any = 1;
  }
  for (uint32_t bank = 0; any && bank < FAR_BANKS; bank++) {
    if (!wanted[bank])
      continue;
    uint32_t who = s->bank_next[bank], i = 0;
    while (!(wanted[bank] >> who & 1))
      who = (who + 1) % n;
    collector *x = &s->collectors[who];
    while ((x->asked >> i & 1) || x->place[i] % FAR_BANKS != bank)
      i++;
    x->asked |= (uint16_t)(1u << i);
    s->bank_next[bank] = (uint8_t)((who + 1) % n);
  }
}

static void execute(core *c, subcore *s, op *o) {
  cwarp *w = o->w;
  if (o->p->kind == PLAN_CONST) {
    if (!exec_memory(c->l, w->b, w->w, o->p->d, o->pc, o->lanes))
      c->result = CORE_FAULT;
  } else if (o->p->kind == PLAN_BARRIER) {
    barrier_arrive(c->l, w->b, w->w, o->p->d, o->lanes);
    if (w->w->state == WARP_FAULT)
      c->result = CORE_FAULT;
  } else {
    c->l->clock = c->cycle;
    exec_registers(c->l, w->b, w->w, o->p->d, o->lanes);
    if (c->gold)  // it may have read the clock
      gold_performed(c, s, o);
  }
  op_sources_read(s, o);
}

static void enter(core *c, subcore *s) {
  const uint32_t n = c->config.collectors;
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t who = (s->enter_next + k) % n;
    collector *x = &s->collectors[who];
    op *o = x->o;
    if (!o || x->stored != (1u << x->n) - 1 || s->unit_free[o->p->unit] > c->cycle)
      continue;
    s->unit_free[o->p->unit] = c->cycle + o->p->interval;
    x->o = NULL;
    s->enter_next = (who + 1) % n;
    if (o->p->kind == PLAN_ACCESS) {
      o->state = OP_QUEUED;
      lsu_address(c, s, o);
      continue;
    }
    execute(c, s, o);
    o->state = OP_UNIT;
    o->done_at = c->cycle + o->p->latency + 1;
    o->next = s->executing;
    s->executing = o;
  }
}

static void finish(core *c, subcore *s) {
  for (op **at = &s->executing; *at;) {
    op *o = *at;
    const bool waits = o->p->kind == PLAN_BARRIER && o->w->w->state == WARP_AT_BARRIER;
    if (o->done_at > c->cycle || waits) {
      at = &o->next;
      continue;
    }
    *at = o->next;
    op_end(c, s, o);
  }
}

void far_step(core *c, subcore *s) {
  if (s->executing)
    finish(c, s);
  enter(c, s);
  collect(c, s);
}
