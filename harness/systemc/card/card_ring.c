// SPDX-License-Identifier: Apache-2.0
// Commands on their way from the ring to their records.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "card_priv.h"

uint64_t card_link_time(uint64_t bytes, uint32_t mb_per_second) {
  return bytes * 1000000ull / mb_per_second;
}

static slot *slot_of(const context *x, uint32_t command) {
  return &x->slots[command & (x->set.entries - 1)];
}

static uint64_t latency(const card *c) {
  return c->config.link.latency * 1000ull;
}

// ---- failures

static void interrupt(card *c, context *x, uint64_t now) {
  if (!x->may_interrupt || !(c->t.features & CARD_FEATURES_INTERRUPTS))
    return;
  c->time = now;
  x->interrupts++;
  c->counts.interrupts++;
  c->t.interrupt(c->t.ctx);
}

// STATE changes at once: of a command, when its record is there.
void card_ring_fail(card *c, context *x, uint32_t status, uint32_t command, uint64_t now) {
  if (x->state == CONTEXT_STATE_FAILED)
    return;
  c->time = now;
  x->failing = true;
  x->state = CONTEXT_STATE_FAILED;
  x->error = status, x->error_command = command;
  x->fetch_at = CARD_NEVER;
  c->counts.failures++;
  interrupt(c, x, now);
}

// ---- from the ring

// Those of a doorbell are here together, and not before those of the last one.
void card_ring_rung(card *c, context *x, uint64_t now) {
  const uint64_t bytes = (uint64_t)(x->tail - x->rung) * sizeof(card_command);
  const uint64_t at = now + latency(c) + card_link_time(bytes, c->config.link.down);
  x->rung_at = x->rung_at > at ? x->rung_at : at;
  if (x->fetch_at == CARD_NEVER)
    x->fetch_at = x->rung_at;
  for (; x->rung != x->tail; x->rung++)
    slot_of(x, x->rung)->here = x->rung_at;
}

static bool fetch(card *c, context *x, uint64_t now) {
  x->fetch_at = CARD_NEVER;
  while (x->fetched != x->rung) {
    slot *s = slot_of(x, x->fetched);
    if (s->here > now) {
      x->fetch_at = s->here;
      return true;
    }
    free(s->text);
    *s = (slot){.state = SLOT_WAITS};
    const uint64_t at = x->set.ring + (uint64_t)(x->fetched & (x->set.entries - 1)) * sizeof s->c;
    if (at < x->set.ring || !c->t.read(c->t.ctx, at, &s->c, sizeof s->c)) {
      s->state = SLOT_FREE;
      card_ring_fail(c, x, CARD_BAD_HOST, x->fetched, now);
      return true;
    }
    s->r.tag = s->c.tag;
    s->r.number = ++x->fetched;
  }
  return true;
}

// ---- execution

static void ended(const card *c, context *x, slot *s, uint64_t now) {
  s->r.end = now;
  s->state = SLOT_ENDED;
  s->shown = now + latency(c) + card_link_time(sizeof s->r, c->config.link.up);
  x->failing |= s->r.status >= CARD_FIRST_FAILURE;
}

static void count_busy(card *c, uint32_t kind, uint64_t ps) {
  if (kind == ENGINE_DOWN)
    c->counts.ps_down += ps;
  if (kind == ENGINE_UP)
    c->counts.ps_up += ps;
  if (kind == ENGINE_MACHINE)
    c->counts.ps_machine += ps;
}

// Begins a command whose turn it is, on an engine that is free.
static void start(card *c, context *x, slot *s, uint32_t kind, uint64_t now) {
  uint64_t *free_at = &c->free_at[kind];
  s->r.begin = now;
  s->r.status = card_check(c, s);
  if (s->r.status || kind == ENGINE_NONE) {
    if (!s->r.status)
      card_do(c, x, s);
    ended(c, x, s, now);
    return;
  }
  s->state = SLOT_RUNS;
  if (s->c.opcode == CARD_DO_LAUNCH) {
    c->launched = s->r.begin = (now + CARD_PERIOD - 1) / CARD_PERIOD * CARD_PERIOD;
    const bool began = card_begin_launch(c, x, s);
    s->ends = s->frees = *free_at = began ? CARD_NEVER : s->r.begin;
    c->launches = began ? s : NULL;
    return;
  }
  const uint64_t busy = card_busy(c, x, s);
  s->ends = now + busy + card_after(c, s);
  s->frees = *free_at = kind == ENGINE_MACHINE ? s->ends : now + busy;
  count_busy(c, kind, s->frees - now);
}

// The command that comes next on an engine of a kind; NULL: none can begin.
static slot *next_of(const card *c, const context *x, uint32_t kind) {
  uint32_t streams = 0;  // that a command is under way or waits in
  bool all_ended = true;
  if (x->state != CONTEXT_STATE_ON || x->failing)
    return NULL;
  for (uint32_t n = x->done; n != x->fetched; n++) {
    slot *s = slot_of(x, n);
    if (s->state == SLOT_ENDED || s->state == SLOT_DONE)
      continue;
    const bool fence = s->c.opcode == CARD_DO_FENCE;
    const uint32_t bit = s->c.stream < STREAMS ? 1u << s->c.stream : 0;
    bool may = s->state == SLOT_WAITS && !(streams & bit) && card_engine(s->c.opcode) == kind;
    if (s->c.opcode == CARD_DO_WAIT && may && !card_check(c, s)) {
      const uint32_t command = (uint32_t)s->c.words[CARD_WAIT_COMMAND], back = n - command;
      const slot *of = slot_of(x, command);
      may = back > n - x->done || of->state >= SLOT_ENDED;
    }
    if (may && (!fence || all_ended))
      return s;
    if (fence)
      return NULL;
    streams |= bit;
    all_ended = false;
  }
  return NULL;
}

// Contexts take turns.
static bool start_any(card *c, uint32_t kind, uint64_t now) {
  if (kind != ENGINE_NONE && c->free_at[kind] > now)
    return false;
  for (uint32_t n = 0; n < CONTEXTS; n++) {
    const uint32_t k = (c->turn[kind] + n) % CONTEXTS;
    slot *s = next_of(c, &c->contexts[k], kind);
    if (!s)
      continue;
    c->turn[kind] = (k + 1) % CONTEXTS;
    start(c, &c->contexts[k], s, kind, now);
    return true;
  }
  return false;
}

// ---- what is due

// Of all contexts, the slot in this state whose time comes first; *of: its context.
static slot *first_in(card *c, slot_state state, context **of) {
  slot *first = NULL;
  uint64_t at = CARD_NEVER;
  for (uint32_t k = 0; k < CONTEXTS; k++) {
    context *x = &c->contexts[k];
    if (x->state == CONTEXT_STATE_OFF || !x->slots)
      continue;
    for (uint32_t n = x->done; n != x->fetched; n++) {
      slot *s = slot_of(x, n);
      const uint64_t t = state == SLOT_RUNS ? s->ends : s->shown;
      if (s->state == state && t < at)
        first = s, at = t, *of = x;
    }
  }
  return first;
}

static bool finish(card *c, uint64_t now) {
  context *x;
  slot *s = first_in(c, SLOT_RUNS, &x);
  if (!s || s->ends > now)
    return false;
  if (s->c.opcode != CARD_DO_LAUNCH)
    card_do(c, x, s);
  else if (s == c->launches)
    c->launches = NULL, c->free_at[ENGINE_MACHINE] = now;
  ended(c, x, s, s->ends);
  return true;
}

// As much of it as there is room for, with a zero.
static bool write_text(card *c, const context *x, const char *text) {
  const size_t bytes = x->set.message_bytes < BUFFER ? x->set.message_bytes : BUFFER;
  snprintf((char *)c->buffer, bytes, "%s", text);
  return c->t.write(c->t.ctx, x->set.message, c->buffer, strlen((char *)c->buffer) + 1);
}

// The record of a command, and what comes with it.
static bool show(card *c, uint64_t now) {
  context *x;
  slot *s = first_in(c, SLOT_ENDED, &x);
  if (!s || s->shown > now)
    return false;
  const uint32_t command = s->r.number - 1;
  const uint64_t at = x->set.completions + (uint64_t)(command & (x->set.entries - 1)) * sizeof s->r;
  bool ok = at >= x->set.completions;
  if (ok && s->r.status && x->set.message_bytes)
    ok = write_text(c, x, s->text ? s->text : "");
  free(s->text);
  s->text = NULL;
  ok = ok && c->t.write(c->t.ctx, at, &s->r, sizeof s->r);
  s->state = SLOT_DONE;
  c->counts.commands++;
  for (; x->done != x->fetched && slot_of(x, x->done)->state == SLOT_DONE; x->done++)
    c->time = now;
  const bool fails = !ok || s->r.status >= CARD_FIRST_FAILURE;
  if (fails && x->state != CONTEXT_STATE_FAILED)
    card_ring_fail(c, x, ok ? s->r.status : CARD_BAD_HOST, command, now);
  else if (s->c.flags & CARD_FLAG_INTERRUPT)
    interrupt(c, x, now);
  return true;
}

static bool fetch_any(card *c, uint64_t now) {
  bool any = false;
  for (uint32_t k = 0; k < CONTEXTS; k++)
    if (c->contexts[k].fetch_at <= now)
      any |= fetch(c, &c->contexts[k], now);
  return any;
}

bool card_ring_step(card *c, uint64_t now) {
  if (finish(c, now) || show(c, now) || fetch_any(c, now))
    return true;
  for (uint32_t kind = 0; kind < ENGINES; kind++)
    if (start_any(c, kind, now))
      return true;
  return false;
}

static uint64_t earlier(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

uint64_t card_ring_next(card *c, uint64_t now) {
  uint64_t next = CARD_NEVER;
  context *x;
  const slot *runs = first_in(c, SLOT_RUNS, &x), *ends = first_in(c, SLOT_ENDED, &x);
  if (runs)
    next = earlier(next, runs->ends);
  if (ends)
    next = earlier(next, ends->shown);
  for (uint32_t k = 0; k < CONTEXTS; k++)
    next = earlier(next, c->contexts[k].fetch_at);
  for (uint32_t kind = 0; kind < ENGINES; kind++)  // somebody may wait for it
    if (c->free_at[kind] > now)
      next = earlier(next, c->free_at[kind]);
  return next;
}

void card_ring_ahead(card *c, uint64_t until) {
  slot *s = c->launches;
  uint64_t cycles;
  if (!s || s->ends != CARD_NEVER || until <= c->launched)
    return;
  if (!sim_advance(c->s, (until - c->launched) / CARD_PERIOD))
    return;
  card_end_launch(c, s, &cycles);
  s->ends = s->frees = c->free_at[ENGINE_MACHINE] = c->launched + cycles * CARD_PERIOD;
  count_busy(c, ENGINE_MACHINE, cycles * CARD_PERIOD);
}

// Before its time. It was counted until then; a launch that the machine has not ended, not at all.
static void leave_engine(card *c, const slot *s, uint64_t now) {
  const uint32_t kind = card_engine(s->c.opcode);
  if (s->frees != CARD_NEVER)
    count_busy(c, kind, now - s->frees);
  else if (now > c->launched)
    count_busy(c, kind, now - c->launched);
  c->free_at[kind] = now;
}

void card_ring_drop(card *c, context *x, uint64_t now) {
  for (uint32_t n = x->done; x->slots && n != x->fetched; n++) {
    slot *s = slot_of(x, n);
    if (s->state == SLOT_RUNS && s->frees > now)
      leave_engine(c, s, now);
    if (s == c->launches) {
      card_drop_launch(c);
      c->launches = NULL;
    }
    free(s->text);
    s->text = NULL;
    s->state = SLOT_FREE;
  }
}
