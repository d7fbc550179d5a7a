// SPDX-License-Identifier: Apache-2.0
#include "board.h"

#include <assert.h>
#include <string.h>
#include "csim/base/prefetch.h"
#include "harness/base/buckets.h"

void board_reset(board *d) {
  memset(d->sub, 0, sizeof d->sub);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    board_sub *s = &d->sub[k];
    s->index = k;
    for (uint32_t n = 0; n < OPS; n++) {
      s->pool[n].subcore = (uint8_t)k, s->pool[n].place = (uint8_t)n;
      s->pool[n].next = s->free_ops;
      s->free_ops = &s->pool[n];
    }
    s->n_free_flights = FLIGHTS;
    for (uint32_t n = 0; n < FLIGHTS; n++)
      s->free_flights[n] = (uint16_t)(FLIGHTS - 1 - n);
  }
}

static void add_readers(const board *d, cwarp *w, const uop *p) {
  const uint32_t words = d->base->reg_words;
  for (uint32_t k = 0; k < words; k++)
    for (uint64_t m = p->reads[k]; m; m &= m - 1)
      w->readers[64 * k + (uint32_t)__builtin_ctzll(m)]++;
  for (uint32_t k = 0; k < words; k++)
    w->reading[k] |= p->reads[k], w->writing[k] |= p->writes[k];
  for (uint32_t m = p->preds_read; m; m &= m - 1)
    w->pred_readers[__builtin_ctz(m)]++;
  w->preds_reading |= p->preds_read;
  w->preds_writing |= p->preds_written;
}

static void drop_readers(const board *d, cwarp *w, const uint64_t regs[4], const uint64_t but[4]) {
  const uint32_t words = d->base->reg_words;
  for (uint32_t k = 0; k < words; k++)
    for (uint64_t m = regs[k] & ~(but ? but[k] : 0); m; m &= m - 1) {
      const uint32_t reg = 64 * k + (uint32_t)__builtin_ctzll(m);
      if (--w->readers[reg] == 0)
        w->reading[k] &= ~(1ull << reg % 64);
    }
}

// It will want its registers on the base die in some cycles, which is when the host should have
// them.
static void touch_registers(const cwarp *w, const decoded *d) {
  for (unsigned o = 0; o < 4; o++)
    if (d->reg[o] >= 0)
      prefetch_now(w->w->regs + d->reg[o] * ISA_LANES,
                   d->words[o] * ISA_LANES * sizeof *w->w->regs);
}

op *board_issue(board *d, uint32_t subcore, cwarp *w, const uop *p, uint32_t pc, uint32_t lanes) {
  board_sub *s = &d->sub[subcore];
  op *o = s->free_ops;
  s->free_ops = o->next;
  if (s->free_ops)
    prefetch_now(s->free_ops, sizeof *s->free_ops);
  s->under_way |= 1ull << o->place;
  assert(s->n_free_flights);
  o->flight = s->free_flights[--s->n_free_flights];
  s->flights[o->flight] = (flight){.now = o, .begun = d->base->cycle};
  o->next = NULL;
  o->p = p, o->w = w, o->pc = pc, o->lanes = lanes, o->alive = w->w->alive;
  emit_begin(d->base, o);
  o->begun = d->base->cycle;
  o->state = OP_ENGINE;
  o->sources_read = o->address_read = o->near = false;
  o->data_far = true;
  o->zero = 0;
  o->somewhere = 0;
  w->ops++;
  if (p->kind == UOP_ACCESS) {
    o->memory = p->d->i.space == ISA_SPACE_SHARED ? OP_SHARED : OP_LOCAL;
    w->accesses++;
    w->waits[o->memory]++;
  }
  if (p->kind == UOP_BARRIER)
    w->barrier = 1;
  add_readers(d, w, p);
  touch_registers(w, p->d);
  return o;
}

void board_address_read(board *d, op *o) {
  drop_readers(d, o->w, o->p->address, NULL);
  o->address_read = true;
  board_check(d, o->w);
}

void board_sources_read(board *d, op *o) {
  cwarp *w = o->w;
  const uop *p = o->p;
  if (o->sources_read)
    return;
  o->sources_read = true;
  drop_readers(d, w, p->reads, o->address_read ? p->address : NULL);
  for (uint32_t m = p->preds_read; m; m &= m - 1)
    if (--w->pred_readers[__builtin_ctz(m)] == 0)
      w->preds_reading &= (uint16_t) ~(1u << __builtin_ctz(m));
  d->sub[o->subcore].check |= 1u << w->slot & ~d->sub[o->subcore].ready;
}

void board_waits_for(board *d, op *o, op_memory m) {
  if (o->memory == m)
    return;
  o->w->waits[o->memory]--;
  o->w->waits[m]++;
  o->memory = (uint8_t)m;
  d->sub[o->subcore].stall = NULL;
}

static void ended(board *d, board_sub *s, uint32_t n, const op *o) {
  flight *f = &s->flights[n];
  base *b = d->base;
  if (f->latency)
    b->stats.latencies[f->latency - 1][bucket_of(b->cycle - f->begun)]++;
  EMIT(b, emit_op(b, EVENT_END, o));
  s->free_flights[s->n_free_flights++] = (uint16_t)n;
  b->last_end = b->cycle;
}

void board_sent(board *d, const op *o) {
  d->sub[o->subcore].flights[o->flight].packets++;
}

void board_owes(op *o, uint32_t nbu, uint32_t access) {
  o->w->owed |= (uint8_t)(1u << nbu);
  o->w->owed_access |= (uint8_t)access;
}

void board_complete(board *d, uint32_t subcore, uint32_t flight) {
  board_sub *s = &d->sub[subcore];
  struct flight *f = &s->flights[flight];
  f->packets--;
  if (!f->packets && !f->now)
    ended(d, s, flight, &s->was[flight]);
}

void board_end(board *d, op *o) {
  base *b = d->base;
  board_sub *s = &d->sub[o->subcore];
  cwarp *w = o->w;
  const uop *p = o->p;
  if (!o->sources_read)
    board_sources_read(d, o);
  for (uint32_t k = 0, words = b->reg_words; k < words; k++)
    w->writing[k] &= ~p->writes[k];
  w->preds_writing &= (uint16_t)~p->preds_written;
  if (p->kind == UOP_ACCESS)
    w->accesses--, w->waits[o->memory]--;
  if (p->kind == UOP_BARRIER)
    w->barrier = 0;
  w->ops--;
  s->stall = NULL;
  s->check |= 1u << w->slot & ~s->ready;
  flight *f = &s->flights[o->flight];
  f->now = NULL;
  if (f->packets)
    s->was[o->flight] = *o;
  else
    ended(d, s, o->flight, o);
  o->state = OP_FREE;
  o->next = s->free_ops;
  s->free_ops = o;
  s->under_way &= ~(1ull << o->place);
  b->last_end = b->cycle;
  if (p->kind == UOP_BARRIER || (w->w->state == WARP_DONE && !w->ops))
    d->ended(d->ended_ctx, w, p->kind);
}
