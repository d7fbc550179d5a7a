// SPDX-License-Identifier: Apache-2.0
// The cycle of a core, and its part of a launch from first to last.
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "core_priv.h"

enum { DN_CREDITS = 16, DRAIN = 10000 };  // credits: rule 1 of docs/blocks/tsv.md

core_config core_config_default(void) {
  return (core_config){.warp_slots = 16,
                       .block_slots = 16,
                       .collectors = 4,
                       .lsu_queue = 8,
                       .tsv_queue = 32,
                       .far_rf_bytes = 32768,
                       .near_rf_bytes = 16384,
                       .shared_bytes = 65536,
                       .icache_bytes = 131072,
                       .icache_line = 128,
                       .icache_miss = 100,
                       .constant_latency = 8,
                       .trefi = 3900,
                       .stall_limit = 100000,
                       .schedule = CORE_GTO};
}

void core_wrong(core *c, const char *format, ...) {
  if (c->result)
    return;
  va_list args;
  va_start(args, format);
  const int n = snprintf(c->message, sizeof c->message, "cycle %" PRIu64 ": ", c->cycle);
  vsnprintf(c->message + n, sizeof c->message - (size_t)n, format, args);
  va_end(args);
  c->result = CORE_WRONG;
}

core *core_new(const core_config *config, const core_place *place, near *n, char *why,
               size_t why_bytes) {
  assert(place->requests <= REMOTES && place->serves <= SERVES && place->sends <= SENDS);
  core *c = aligned_alloc(_Alignof(core), sizeof *c);
  if (!c) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  memset(c, 0, sizeof *c);
  c->config = *config;
  c->place = *place;
  c->near = n;
  c->mine = map_put(&place->map->core, place->index);
  c->mine_mask = map_put(&place->map->core, ~0u);
  c->line_shift = (uint32_t)__builtin_ctz(config->icache_line);
  c->icache_mask = (config->icache_bytes >> c->line_shift) - 1;
  c->icache = calloc(c->icache_mask + 1, sizeof *c->icache);
  c->remotes = calloc(place->requests + 1, sizeof *c->remotes);
  bool ok = c->icache && c->remotes;
  for (uint32_t k = 0; k < SUBCORES; k++)
    ok = (c->payloads[k] = calloc(OPS, sizeof *c->payloads[k])) != NULL && ok;
  if (!ok || (config->dies != ISA_DIES_HYBRID && !far_shared_new(c))) {
    snprintf(why, why_bytes, "out of host memory");
    core_free(c);
    return NULL;
  }
  return c;
}

void core_free(core *c) {
  if (!c)
    return;
  for (uint32_t k = 0; k < SUBCORES; k++)
    free(c->payloads[k]);
  free(c->icache);
  free(c->remotes);
  free(c->far_shared);
  free(c);
}

// Everything is as after power-up, but for memory and counters.
static void reset(core *c) {
  memset((char *)c + offsetof(core, l), 0, sizeof *c - offsetof(core, l));
  memset(c->icache, 0, (c->icache_mask + 1) * sizeof *c->icache);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    nbu_port *p = &c->port[k];
    p->credits = DN_CREDITS;
    p->n_free = TAGS;
    for (uint32_t t = 0; t < TAGS; t++)
      p->free_tags[t] = (uint8_t)(TAGS - 1 - t);
    subcore *s = &c->sub[k];
    s->index = k;
    s->free_collectors = (1u << c->config.collectors) - 1;
    for (uint32_t o = 0; o < OPS; o++) {
      payload *x = &c->payloads[k][o];
      s->pool[o].pieces = x->pieces, s->pool[o].address = x->address;
      s->pool[o].data = x->data, s->pool[o].data_c = x->data_c;
      s->pool[o].next = s->free_ops;
      s->free_ops = &s->pool[o];
    }
  }
  if (c->far_shared)
    far_shared_reset(c);
  remote_init(c);
  c->used = false;
}

// All banks at once: a line lies in all of a unit, and blocks in all units.
// A core that rests lets the banks refresh themselves; when it is woken, they may be in the middle
// of it: they refresh once more.
static void refresh(core *c) {
  const bool due = c->config.trefi && c->cycle == c->tick_at;
  c->in.ref_tick = due || c->slept ? 0xffff : 0;
  c->slept = false;
  if (due)
    c->tick_at += c->config.trefi;
}

enum { FEW = 10 };  // lines at once

// Later stages first, so that each sees what the one before it left in the cycle before.
static void cycle(core *c, ahead *a) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    rtt_in *in = &c->in.rtt[n];
    in->lk_valid = in->up0_valid = in->up1_valid = in->clr_valid = 0;
  }
  refresh(c);
  c->used = true;
  bus_step(c);
  ahead_go(a, FEW);
  c->net.requested = false;
  if (c->net.in_count)
    remote_take(c);
  c->stats.serving += c->net.n_serves + c->net.served;
  const bool remote_first = c->cycle & 1;
  if (remote_first && remote_works(c))
    remote_serve(c);
  if (c->out.sm_done)
    lsu_shared_done(c, c->out.sm_done);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    subcore *s = &c->sub[(c->cycle + k) % SUBCORES];  // who comes first to a queue changes
    ahead_go(a, FEW);
    if (!s->live) {
      c->stats.sub[s->index].cycles_empty++;
      continue;
    }
    if (far_works(c, s))
      far_step(c, s);
    if (lsu_works(s))
      lsu_step(c, s);
    if (s->moves_count)
      engine_moves(c, s);
    if (engine_works(s))
      engine_step(c, s);
    if (front_waits(s))
      ++*s->stall;
    else
      front_issue(c, s);
    if (front_fetches(s))
      front_fetch(c, s);
  }
  if (!remote_first && remote_works(c))
    remote_serve(c);
  front_blocks(c);
  if (c->far_shared)
    far_shared_clock(c);
  ahead_go(a, 2 * FEW);
  if (c->n_observers)
    look_end(c);
  if (!near_step(c->near, &c->in, &c->out) && !c->result) {
    snprintf(c->message, sizeof c->message, "%s", near_error(c->near));
    c->result = CORE_WRONG;
  }
  c->cycle++;
}

static bool core_done(const core *c) {
  return c->next_block == c->share.count && !c->blocks_live;
}

static bool quiet(const core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (c->port[n].count || c->port[n].n_free != TAGS || c->port[n].credits != DN_CREDITS)
      return false;
  return !c->out.busy && !remote_works(c) && !c->net.served && !c->net.under_way;
}

bool core_rests(const core *c) {
  return (core_done(c) && quiet(c)) || c->stuck > DRAIN;
}

// What is left when nothing should be.
static void check_rest(core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    const nbu_port *p = &c->port[n];
    if (p->n_free != TAGS)
      core_wrong(c, "the launch has ended, but %u packets to NBU %u were not answered",
                 TAGS - p->n_free, n);
    if (p->up_open)
      core_wrong(c, "the launch has ended, but a packet of NBU %u is not whole: %u flits of %u", n,
                 1 + p->up_got, 1 + p->up_len);
    if (p->shared_count || p->holder)
      core_wrong(c, "the launch has ended, but accesses of NBU %u have not", n);
    if (p->count || p->credits != DN_CREDITS)
      core_wrong(c, "the launch has ended, but NBU %u has room for %u flits, not %u", n, p->credits,
                 DN_CREDITS);
  }
  if (c->out.busy)
    core_wrong(c, "the launch has ended, but the near side is not at rest");
}

void core_stalled(core *c) {
  char text[4000];
  report_stall(c, text, sizeof text);
  c->stalled = !c->result;
  core_wrong(c, "no instruction has ended for %" PRIu64 " cycles%s", c->config.stall_limit, text);
}

// All warps that live wait at barriers, and nothing is under way.
static bool deadlocked(const core *c, const block **where) {
  *where = NULL;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->sub[k].live; m; m &= m - 1) {
      const cwarp *w = &c->sub[k].warps[__builtin_ctz(m)];
      if (!w->w || w->w->state != WARP_AT_BARRIER)
        return false;
      *where = w->b;
    }
  return *where != NULL;
}

// What only the near side can count.
static void collect(core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    nbu_stats *to = &c->stats.nbu[n], *before = &c->from_near[n], now = {0};
    const near_counts s = near_counted(c->near, n);
    now.clocked = s.clocked;
    const shared_counts *shared = c->far_shared ? far_shared_counted(c, n) : &s.shared;
    now.smem_requests = shared->requests;
    now.smem_waits = shared->waits, now.smem_conflicts = shared->conflicts;
#define SINCE(name) to->name += now.name - before->name
    SINCE(clocked), SINCE(smem_requests), SINCE(smem_waits), SINCE(smem_conflicts);
    for (uint32_t b = 0; b < DRAM_BANKS; b++) {
      const dram_rows r = near_rows(c->near, n, b);
      now.bank[b] = (bank_stats){
          .act = near_commands(c->near, n, b, DRAM_ACT),
          .pre = near_commands(c->near, n, b, DRAM_PRE),
          .sasel = near_commands(c->near, n, b, DRAM_SASEL),
          .rd = near_commands(c->near, n, b, DRAM_RD),
          .wr = near_commands(c->near, n, b, DRAM_WR),
          .ref = near_commands(c->near, n, b, DRAM_REF),
          .row_hits_1 = r.hits[0],
          .row_hits_2 = r.hits[1],
          .row_hits_3 = r.hits[2],
          .row_hits_4 = r.hits[3],
          .row_misses = r.misses,
          .row_conflicts = r.conflicts,
      };
#define COUNTER(level, name, unit, doc) SINCE_##level(name)
#define SINCE_RUN(name)
#define SINCE_CORE(name)
#define SINCE_SUB(name)
#define SINCE_NBU(name)
#define SINCE_BANK(name) SINCE(bank[b].name);
#include "stats.def"
    }
    *before = now;
  }
}

bool core_begin(core *c, launch *l, launch *gold, const core_plans *plans, const core_share *share,
                uint64_t local, uint64_t cycle) {
  const bool again = c->used;
  reset(c);
  c->cycle = c->last_end = c->ended = cycle;
  c->tick_at = cycle + c->config.trefi;
  c->l = l;
  l->clocked = true;
  c->plans = plans->all, c->n_plans = plans->count, c->reg_words = plans->reg_words;
  c->share = *share;
  c->local_lines = local;
  c->ahead = cycle - near_cycle(c->near);
  if (again && !near_reset(c->near))
    core_wrong(c, "%s", near_error(c->near));
  if (gold && !(c->gold = gold_new(gold, c->place.requests)))
    core_wrong(c, "out of host memory");
  return !c->result;
}

enum { BARRIER_LIMIT = 1000 };

static void look_for_stalls(core *c) {
  const block *where;
  const uint64_t since = c->cycle - c->last_end;
  if (since > BARRIER_LIMIT && deadlocked(c, &where)) {
    trace_deadlock(c->l, where);
    c->result = CORE_FAULT;
  }
  // with other cores involved it is theirs too: whoever steps them all sees whether any goes on
  const interface *n = &c->net;
  if (since > c->config.stall_limit && !n->under_way && !n->n_serves && !n->served)
    core_stalled(c);
}

// Blocks have ended, requests are answered, but the near side owes something.
static void count_stuck(core *c) {
  const interface *n = &c->net;
  const bool owed = core_done(c) && !remote_works(c) && !n->in_count && !n->served && !n->under_way;
  c->stuck = owed ? c->stuck + 1 : 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

// Nothing but what a subcore waits for can change anything in it.
static bool subcore_waits(const core *c, const subcore *s) {
  return !s->live || (front_waits(s) && !front_works(s) && !s->moves_count && !engine_works(s) &&
                      far_waits(s) && lsu_waits(c, s));
}

// The next cycle in which anything happens, but for the counters of who waits: its own one, if it
// has something to do; UINT64_MAX: only what arrives can change anything.
static uint64_t next_event(const core *c) {
  if (c->out.busy || remote_works(c) || (c->blocks_live && c->far_shared))
    return c->cycle;
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (c->port[n].count || c->port[n].credits != DN_CREDITS)
      return c->cycle;
  if (!c->blocks_live)
    return core_rests(c) ? remote_next(c) : c->cycle;
  if (front_dispatches(c))
    return c->cycle;
  const uint64_t since = c->last_end + BARRIER_LIMIT, stall = c->last_end + c->config.stall_limit;
  uint64_t next = remote_next(c);
  if (c->config.trefi)
    next = least(next, c->tick_at);
  next = least(next, c->cycle <= since ? since : stall);
  for (uint32_t n = 0; n < SUBCORES; n++) {
    const subcore *s = &c->sub[n];
    if (!subcore_waits(c, s))
      return c->cycle;
    if (s->miss_until)
      next = least(next, s->miss_until);
  }
  return next > c->cycle ? next : c->cycle;
}

// From its own cycle to another one, between which nothing happens.
static void skip(core *c, uint64_t until) {
  const uint64_t cycles = until - c->cycle;
  near_skip(c->near, cycles);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    subcore *s = &c->sub[k];
    if (!s->live) {
      c->stats.sub[k].cycles_empty += cycles;
      continue;
    }
    *s->stall += cycles;
    lsu_waited(c, s, cycles);
  }
  if (!c->blocks_live) {
    c->stats.cycles_rest += cycles;
    for (; c->config.trefi && c->tick_at < until; c->tick_at += c->config.trefi) {
      c->slept = true;
      c->stats.self_refreshes++;
    }
  }
  c->cycle = until;
}

// ---- the caches of the host

enum { PARTS = 4 * SUBCORES + NEAR_PARTS };

// The registers of the next instruction.
static void fetch_registers(ahead *a, const cwarp *w) {
  if (!w->w || !w->next)
    return;
  const decoded *d = w->next->d;
  for (unsigned o = 0; o < 4; o++)
    if (d->reg[o] >= 0)
      ahead_add(a, w->w->regs + d->reg[o] * ISA_LANES,
                d->words[o] * ISA_LANES * sizeof *w->w->regs);
}

// Part 0 to PARTS - 1; later ones follow pointers that earlier ones have fetched.
static void fetch_part(ahead *a, const core *c, uint32_t part) {
  const uint32_t k = part % SUBCORES;
  const subcore *s = &c->sub[k];
  const nbu_port *p = &c->port[k];
  switch (part / SUBCORES) {
    case 0:
      ahead_add(a, &s->live, (size_t)((const char *)s->pool - (const char *)&s->live));
      ahead_add(a, &s->waiting, (size_t)((const char *)(s + 1) - (const char *)&s->waiting));
      ahead_add(a, &c->stats.sub[k], sizeof *c->stats.sub);
      ahead_add(a, &p->head, (size_t)((const char *)p->tags - (const char *)&p->head));
      ahead_add(a, &p->n_free, sizeof p->n_free);
      break;
    case 1:
      for (uint32_t m = s->live; m; m &= m - 1)
        ahead_add(a, &s->warps[__builtin_ctz(m)], offsetof(cwarp, readers) + c->l->code.regs);
      for (uint64_t m = s->under_way; m; m &= m - 1)
        ahead_add(a, &s->pool[__builtin_ctzll(m)], sizeof *s->pool);
      if (s->free_ops)
        ahead_add(a, s->free_ops, sizeof *s->free_ops);
      ahead_add(a, &p->free_tags[p->n_free & ~63u], 64);
      break;
    case 2:
      for (uint32_t m = s->live; m; m &= m - 1) {
        const cwarp *w = &s->warps[__builtin_ctz(m)];
        near_fetch_warp(a, c->near, k, w->slot, w->near_count);
        if (!w->w)
          continue;
        ahead_add(a, w->w, offsetof(warp, stack) + 2 * sizeof *w->w->stack);
        ahead_add(a, w->w->preds, sizeof *w->w - offsetof(warp, preds));
      }
      ahead_add(a, &p->flits[p->head % QUEUE], p->count * sizeof *p->flits + 64);
      if (s->lsu_count)
        ahead_add(a, s->lsu[s->lsu_head % LSU_QUEUE]->address, sizeof *c->payloads[0]->address);
      break;
    case 3:
      for (uint32_t m = s->live; m; m &= m - 1)
        fetch_registers(a, &s->warps[__builtin_ctz(m)]);
      break;
    default:
      near_fetch(a, c->near, part - 4 * SUBCORES);
  }
}

core_result core_advance(core *c, uint64_t until, const core *next) {
  uint32_t part = next ? 0 : PARTS;
  ahead a = {.n = 0};
  while (!c->result && c->cycle < until) {
    c->wakes = next_event(c);
    if (c->wakes >= until)
      break;
    if (c->wakes > c->cycle)
      skip(c, c->wakes);
    if (part < PARTS)
      fetch_part(&a, next, part++);
    cycle(c, &a);
    if (c->blocks_live)
      look_for_stalls(c);
    else
      count_stuck(c);
  }
  for (; part < PARTS; part++)
    fetch_part(&a, next, part), ahead_go(&a, UINT32_MAX);
  if (c->result || c->cycle >= until)
    c->wakes = c->cycle;
  return c->result;
}

uint64_t core_wakes(const core *c) {
  return c->wakes;
}
core_result core_failed(const core *c) {
  return c->result;
}
uint64_t core_cycle(const core *c) {
  return c->cycle;
}
uint64_t core_ended(const core *c) {
  return c->ended;
}
uint64_t core_moved(const core *c) {
  return c->last_end;
}
void core_where(const core *c, char *to, size_t bytes) {
  report_warps(c, to, bytes);
}

core_result core_end(core *c, uint64_t begun, uint64_t ended, uint64_t at, bool whole) {
  if (!c->result && c->cycle < at && next_event(c) >= at)
    skip(c, at);
  c->stats.cycles += ended - begun;
  c->stats.cycles_drain += at - ended;
  collect(c);
  if (whole && !c->result)
    check_rest(c);
  gold_free(c->gold);
  c->gold = NULL;
  return c->result;
}

bool core_is_stalled(const core *c) {
  return c->stalled;
}
const char *core_message(const core *c) {
  return c->message;
}
void core_set_statistics(core *c, const core_stats *s) {
  c->stats = *s;
}
const core_stats *core_statistics(const core *c) {
  return &c->stats;
}
