// SPDX-License-Identifier: Apache-2.0
// Operand collectors and units of the base die.
#include <string.h>
#include "core_priv.h"

// Which operands are read here: all of a far instruction; of an access the address, if it is far.
static bool reads_here(const op *o, unsigned operand) {
  if (o->p->kind != PLAN_ACCESS)
    return true;
  return operand == 1;
}

bool far_take(core *c, subcore *s, op *o) {
  if (!s->free_collectors)
    return false;
  const uint32_t n = (uint32_t)__builtin_ctz(s->free_collectors), bit = 1u << n;
  collector *k = &s->collectors[n];
  s->free_collectors &= ~bit;
  *k = (collector){.o = o};
  for (uint32_t i = 0; i < o->p->n_sources; i++)
    // a register that is valid nowhere is zero, and not read
    if (reads_here(o, o->p->looks[i].operand) && (o->far_valid | o->near_valid) >> i & 1) {
      const uint32_t bank = o->p->looks[i].bank;
      k->of_bank[bank]++;
      k->left++;
      s->bank_wants[bank] |= bit;
    }
  c->stats.sub[s->index].collected += k->left;
  if (!k->left)
    s->full |= bit;
  o->state = OP_COLLECT;
  return true;
}

// The first at or after `from` in a mask that is not empty, round and round.
static uint32_t round_robin(uint32_t mask, uint32_t from) {
  const uint32_t above = mask & ~((1u << from) - 1);
  return (uint32_t)__builtin_ctz(above ? above : mask);
}

// A register a bank a cycle, collectors in turn. What was granted is there a cycle later.
static void collect(core *c, subcore *s) {
  uint32_t banks = 0;  // that are asked
  for (uint32_t bank = 0; bank < FAR_BANKS; bank++)
    banks |= (uint32_t)(s->bank_wants[bank] != 0) << bank;
  for (; banks; banks &= banks - 1) {
    const uint32_t bank = (uint32_t)__builtin_ctz(banks);
    const uint32_t who = round_robin(s->bank_wants[bank], s->bank_next[bank]);
    collector *x = &s->collectors[who];
    if (!--x->of_bank[bank])
      s->bank_wants[bank] &= ~(1u << who);
    if (!--x->left) {
      s->full |= 1u << who;
      x->enters = c->cycle + 2;
    }
    s->bank_next[bank] = (uint8_t)((who + 1) % c->config.collectors);
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
      gold_performed(c, s, o, o->lanes);
  }
  c->stats.sub[s->index].rf_writes += o->p->n_looks - o->p->n_sources;
  op_sources_read(c, s, o);
}

static void enter(core *c, subcore *s) {
  const uint32_t first = s->enter_next;
  for (uint32_t left = s->full; left;) {
    const uint32_t who = round_robin(left, first);
    collector *x = &s->collectors[who];
    op *o = x->o;
    left &= ~(1u << who);
    if (x->enters > c->cycle || s->unit_free[o->p->unit] > c->cycle)
      continue;
    s->unit_free[o->p->unit] = c->cycle + o->p->interval;
    s->full &= ~(1u << who);
    s->free_collectors |= 1u << who;
    s->enter_next = (who + 1) % c->config.collectors;
    LOOK(c, look_op(c, EVENT_UNIT, o));
    if (o->p->kind == PLAN_ACCESS) {
      o->state = OP_QUEUED;
      o->address_here = true;
      continue;
    }
    execute(c, s, o);
    o->state = OP_UNIT;
    o->done_at = c->cycle + o->p->latency + 1;
    o->next = s->wheel[o->done_at % WHEEL];
    s->wheel[o->done_at % WHEEL] = o;
    s->executing++;
  }
}

static void wait_at_barrier(subcore *s, op *o) {
  op **at = &s->at_barrier;
  while (*at)
    at = &(*at)->next;
  o->next = NULL;
  *at = o;
}

static void leave_barriers(core *c, subcore *s) {
  for (op **at = &s->at_barrier; *at;) {
    op *o = *at;
    if (o->w->w->state == WARP_AT_BARRIER) {
      at = &o->next;
    } else {
      *at = o->next;
      op_end(c, s, o);
    }
  }
}

// Those that end now. At a barrier they wait for others.
static void finish(core *c, subcore *s) {
  for (op **at = &s->wheel[c->cycle % WHEEL]; *at;) {
    op *o = *at;
    if (o->done_at > c->cycle) {
      at = &o->next;
      continue;
    }
    *at = o->next;
    s->executing--;
    if (o->p->kind == PLAN_BARRIER && o->w->w->state == WARP_AT_BARRIER)
      wait_at_barrier(s, o);
    else
      op_end(c, s, o);
  }
}

void far_step(core *c, subcore *s) {
  if (s->at_barrier)
    leave_barriers(c, s);
  if (s->wheel[c->cycle % WHEEL])
    finish(c, s);
  if (s->full)
    enter(c, s);
  collect(c, s);
}

bool far_waits(const subcore *s) {
  for (const op *o = s->at_barrier; o; o = o->next)
    if (o->w->w->state != WARP_AT_BARRIER)
      return false;
  return !s->executing && !s->full &&
         !(s->bank_wants[0] | s->bank_wants[1] | s->bank_wants[2] | s->bank_wants[3]);
}
