// SPDX-License-Identifier: Apache-2.0
// The cycle of a core, and a launch from first to last.
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "core_priv.h"

enum { WATCH_CYCLES = 1 << 14, DN_CREDITS = 16 };  // credits: rule 1 of docs/blocks/tsv.md

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

core *core_new(const core_config *config, near *n, char *why, size_t why_bytes) {
  core *c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  c->config = *config;
  c->near = n;
  c->tick_at = config->trefi;
  c->line_shift = (uint32_t)__builtin_ctz(config->icache_line);
  c->icache_mask = (config->icache_bytes >> c->line_shift) - 1;
  c->icache = calloc(c->icache_mask + 1, sizeof *c->icache);
  if (!c->icache || (config->dies != ISA_DIES_HYBRID && !far_shared_new(c))) {
    snprintf(why, why_bytes, "out of host memory");
    core_free(c);
    return NULL;
  }
  for (uint32_t k = 0; k < SUBCORES; k++) {
    nbu_port *p = &c->port[k];
    p->credits = DN_CREDITS;
    p->n_free = TAGS;
    for (uint32_t t = 0; t < TAGS; t++)
      p->free_tags[t] = (uint8_t)(TAGS - 1 - t);
    subcore *s = &c->sub[k];
    s->index = k;
    s->free_collectors = (1u << config->collectors) - 1;
    for (uint32_t o = 0; o < OPS; o++) {
      payload *p = &s->payloads[o];
      s->pool[o].pieces = p->pieces, s->pool[o].address = p->address;
      s->pool[o].data = p->data, s->pool[o].data_c = p->data_c;
      s->pool[o].next = s->free_ops;
      s->free_ops = &s->pool[o];
    }
  }
  return c;
}

void core_free(core *c) {
  if (!c)
    return;
  free(c->plans);
  free(c->icache);
  free(c->far_shared);
  free(c);
}

// All banks at once: a line lies in all of a unit, and blocks in all units.
static void refresh(core *c) {
  c->in.ref_tick = 0;
  if (!c->config.trefi || c->cycle != c->tick_at)
    return;
  c->in.ref_tick = 0xffff;
  c->tick_at += c->config.trefi;
}

// Later stages first, so that each sees what the one before it left in the cycle before.
static void cycle(core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    rtt_in *in = &c->in.rtt[n];
    in->lk_valid = in->up0_valid = in->up1_valid = in->clr_valid = 0;
  }
  refresh(c);
  bus_step(c);
  if (c->out.sm_done)
    lsu_shared_done(c, c->out.sm_done);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    subcore *s = &c->sub[(c->cycle + k) % SUBCORES];  // who comes first to a queue changes
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
  front_blocks(c);
  if (c->far_shared)
    far_shared_clock(c);
  if (!near_step(c->near, &c->in, &c->out) && !c->result) {
    snprintf(c->message, sizeof c->message, "%s", near_error(c->near));
    c->result = CORE_WRONG;
  }
  c->cycle++;
}

static bool done(const core *c) {
  return c->next_block == c->l->blocks && !c->blocks_live;
}

static bool quiet(const core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (c->port[n].count || c->port[n].n_free != TAGS)
      return false;
  return !c->out.busy;
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

static void stalled(core *c) {
  char text[4000];
  report_stall(c, text, sizeof text);
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

static bool prepare(core *c, launch *l) {
  c->l = l;
  l->clocked = true;
  c->result = CORE_OK;
  c->message[0] = 0;
  c->next_block = c->blocks_live = 0;
  c->crowded = false;
  memset(c->icache, 0, (c->icache_mask + 1) * sizeof *c->icache);
  c->last_end = c->cycle;
  if (!plan_all(c)) {
    core_wrong(c, "out of host memory");
    return false;
  }
  return true;
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

core_result core_run(core *c, launch *l, launch *gold, uint64_t max_cycles, core_watch *watch,
                     void *ctx) {
  const uint64_t from = c->cycle;
  const block *where;
  if (!prepare(c, l))
    return c->result;
  if (gold && !(c->gold = gold_new(gold)))
    core_wrong(c, "out of host memory");
  while (!c->result && !done(c)) {
    cycle(c);
    if (c->cycle - c->last_end > 1000 && deadlocked(c, &where)) {
      trace_deadlock(l, where);
      c->result = CORE_FAULT;
    }
    if (c->cycle - c->last_end > c->config.stall_limit)
      stalled(c);
    if (max_cycles && c->cycle - from >= max_cycles && !done(c)) {
      char at[4000];
      report_warps(c, at, sizeof at);
      machine_fail(l->m, MACHINE_FAULT_LIMIT,
                   "the launch of %s took more than %" PRIu64 " cycles%s", l->kernel->name,
                   max_cycles, at);
      c->result = CORE_FAULT;
    }
    if (watch && (c->cycle & (WATCH_CYCLES - 1)) == 0 &&
        watch(ctx, c->cycle - from, l->done, l->blocks))
      c->result = CORE_STOPPED;
  }
  c->stats.cycles += c->cycle - from;
  for (uint32_t k = 0; !c->result && k < 10000 && !quiet(c); k++) {
    cycle(c);
    c->stats.cycles_drain++;
  }
  collect(c);
  if (!c->result)
    check_rest(c);
  if (c->gold) {
    if (!c->result)
      gold_finish(c);
    gold_free(c->gold);
    c->gold = NULL;
  }
  return c->result;
}

const char *core_message(const core *c) {
  return c->message;
}
uint64_t core_cycles(const core *c) {
  return c->stats.cycles;
}
void core_keep_statistics(core *to, const core *from) {
  to->stats = from->stats;
}
const core_stats *core_statistics(const core *c) {
  return &c->stats;
}
