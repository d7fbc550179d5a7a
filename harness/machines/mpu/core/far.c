// SPDX-License-Identifier: Apache-2.0
#include "far.h"

#include <string.h>
#include "csim/base/round_robin.h"
#include "csim/isa/exec.h"

void far_reset(far *f) {
  memset(f->sub, 0, sizeof f->sub);
  for (uint32_t k = 0; k < SUBCORES; k++)
    f->sub[k].free_collectors = (1u << f->base->config.collectors) - 1;
}

// Which operands are read here: all of a far instruction; of an access the address, if it is far.
static bool reads_here(const op *o, unsigned operand) {
  if (o->p->kind != UOP_ACCESS)
    return true;
  return operand == 1;
}

bool far_take(far *f, op *o) {
  const uint32_t subcore = o->subcore;
  far_sub *s = &f->sub[subcore];
  if (!s->free_collectors)
    return false;
  const uint32_t n = (uint32_t)__builtin_ctz(s->free_collectors), bit = 1u << n;
  collector *k = &s->collectors[n];
  s->free_collectors &= ~bit;
  *k = (collector){.o = o};
  for (uint32_t i = 0; i < o->p->n_sources; i++)
    // a register that is valid nowhere is zero, and not read
    if (reads_here(o, o->p->looks[i].operand) && o->somewhere >> i & 1) {
      const uint32_t bank = o->p->looks[i].bank;
      k->of_bank[bank]++;
      k->left++;
      s->bank_wants[bank] |= bit;
    }
  f->base->stats.sub[subcore].collected += k->left;
  if (!k->left)
    s->full |= bit;
  o->state = OP_COLLECT;
  return true;
}

// A register a bank a cycle, collectors in turn. What was granted is there a cycle later.
static void collect(const base *b, far_sub *s) {
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
      x->enters = b->cycle + 2;
    }
    s->bank_next[bank] = (uint8_t)((who + 1) % b->config.collectors);
  }
}

static void execute(far *f, op *o) {
  base *b = f->base;
  cwarp *w = o->w;
  if (o->p->kind == UOP_CONST) {
    if (!exec_memory(b->l, w->b, w->w, o->p->d, o->pc, o->lanes))
      b->result = CORE_FAULT;
    else
      EMIT(b, emit_access(b, o, o->lanes, EVENT_WORDS));
  } else if (o->p->kind == UOP_BARRIER) {
    barrier_arrive(b->l, w->b, w->w, o->p->d, o->lanes);
    if (w->w->state == WARP_FAULT)
      b->result = CORE_FAULT;
    else
      EMIT(b, emit_access(b, o, o->lanes, EVENT_WORDS));
  } else {
    b->l->clock = b->cycle;
    exec_registers(b->l, w->b, w->w, o->p->d, o->lanes);
  }
  b->stats.sub[o->subcore].rf_writes += o->p->n_looks - o->p->n_sources;
  board_sources_read(f->board, o);
}

static void enter(far *f, far_sub *s) {
  base *b = f->base;
  const uint32_t first = s->enter_next;
  const uint64_t cycle = b->cycle;
  for (uint32_t left = s->full; left;) {
    const uint32_t who = round_robin(left, first);
    collector *x = &s->collectors[who];
    op *o = x->o;
    left &= ~(1u << who);
    if (x->enters > cycle || s->unit_free[o->p->unit] > cycle)
      continue;
    s->unit_free[o->p->unit] = cycle + o->p->interval;
    s->full &= ~(1u << who);
    s->free_collectors |= 1u << who;
    s->enter_next = (who + 1) % b->config.collectors;
    EMIT(b, emit_op(b, EVENT_UNIT, o));
    if (o->p->kind == UOP_ACCESS) {
      lsu_address(f->lsu, o);
      continue;
    }
    execute(f, o);
    o->state = OP_UNIT;
    const uint64_t done_at = cycle + o->p->latency + 1;
    s->done_at[o->place] = done_at;
    o->next = s->wheel[done_at % WHEEL];
    s->wheel[done_at % WHEEL] = o;
    s->executing++;
  }
}

static void wait_at_barrier(far_sub *s, op *o) {
  op **at = &s->at_barrier;
  while (*at)
    at = &(*at)->next;
  o->next = NULL;
  *at = o;
}

static void leave_barriers(far *f, far_sub *s) {
  for (op **at = &s->at_barrier; *at;) {
    op *o = *at;
    if (o->w->w->state == WARP_AT_BARRIER) {
      at = &o->next;
    } else {
      *at = o->next;
      board_end(f->board, o);
    }
  }
}

// Those that end now. At a barrier they wait for others.
static void finish(far *f, far_sub *s) {
  const uint64_t cycle = f->base->cycle;
  for (op **at = &s->wheel[cycle % WHEEL]; *at;) {
    op *o = *at;
    if (s->done_at[o->place] > cycle) {
      at = &o->next;
      continue;
    }
    *at = o->next;
    s->executing--;
    if (o->p->kind == UOP_BARRIER && o->w->w->state == WARP_AT_BARRIER)
      wait_at_barrier(s, o);
    else
      board_end(f->board, o);
  }
}

void far_step(far *f, uint32_t subcore) {
  far_sub *s = &f->sub[subcore];
  if (s->at_barrier)
    leave_barriers(f, s);
  if (s->wheel[f->base->cycle % WHEEL])
    finish(f, s);
  if (s->full)
    enter(f, s);
  collect(f->base, s);
}

bool far_waits(const far *f, uint32_t subcore) {
  const far_sub *s = &f->sub[subcore];
  for (const op *o = s->at_barrier; o; o = o->next)
    if (o->w->w->state != WARP_AT_BARRIER)
      return false;
  return !s->executing && !s->full &&
         !(s->bank_wants[0] | s->bank_wants[1] | s->bank_wants[2] | s->bank_wants[3]);
}
