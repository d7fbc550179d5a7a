// SPDX-License-Identifier: Apache-2.0
#include "counted.h"

#include <assert.h>

// ---- standing still

void counted_waits(const core *c, uint64_t until, core_stats *to) {
  const uint64_t cycles = until - c->base.cycle;
  for (uint32_t k = 0; k < SUBCORES; k++) {
    const board_sub *s = &c->board.sub[k];
    uint64_t *words = (uint64_t *)&to->sub[k];
    if (!s->live) {
      to->sub[k].cycles_empty += cycles;
      continue;
    }
    const uint64_t *counted = (const uint64_t *)&c->base.stats.sub[k];
    words[s->stall - counted] += cycles;
    if (s->part != &s->no_part)
      words[s->part - counted] += cycles;
    lsu_waited(&c->lsu, k, cycles, &to->sub[k]);
  }
  to->cycles_rest += c->front.blocks_live ? 0 : cycles;
  to->self_refreshes += counted_refreshes(c, until);
}

uint64_t counted_refreshes(const core *c, uint64_t until) {
  const uint64_t t = c->base.config.trefi;
  const bool due = t && !c->front.blocks_live && c->tick_at < until;
  return due ? (until - 1 - c->tick_at) / t + 1 : 0;
}

// ---- the near side

static bank_stats bank_now(const core *c, uint32_t nbu, uint32_t b) {
  const near *n = c->base.near;
  const dram_rows r = near_rows(n, nbu, b);
  return (bank_stats){
      .act = near_commands(n, nbu, b, DRAM_ACT),
      .pre = near_commands(n, nbu, b, DRAM_PRE),
      .sasel = near_commands(n, nbu, b, DRAM_SASEL),
      .rd = near_commands(n, nbu, b, DRAM_RD),
      .wr = near_commands(n, nbu, b, DRAM_WR),
      .ref = near_commands(n, nbu, b, DRAM_REF),
      .row_hits_1 = r.hits[0],
      .row_hits_2 = r.hits[1],
      .row_hits_3 = r.hits[2],
      .row_hits_4 = r.hits[3],
      .row_misses = r.misses,
      .row_conflicts = r.conflicts,
  };
}

// What near side `nbu` has counted so far, but for pre_between.
static nbu_stats near_now(const core *c, uint32_t nbu) {
  const near_counts s = near_counted(c->base.near, nbu);
  const shared_counts far = lsu_far_counted(&c->lsu, nbu);
  nbu_stats now = {.clocked = s.clocked,
                   .smem_requests = s.shared.requests + far.requests,
                   .smem_waits = s.shared.waits + far.waits,
                   .smem_conflicts = s.shared.conflicts + far.conflicts};
  const uint32_t banks = dram_geometry_of(near_arrays(c->base.near, nbu))->banks;
  for (uint32_t b = 0; b < banks; b++)
    now.bank[b] = bank_now(c, nbu, b);
  return now;
}

// Counters of a launch at its end are all that the near side has; in its middle, what it had before
// is counted already.
static void add_since(nbu_stats *to, const nbu_stats *now, const nbu_stats *before) {
  for (size_t n = 0; n < sizeof *to / sizeof(uint64_t); n++)
    ((uint64_t *)to)[n] += ((const uint64_t *)now)[n] - ((const uint64_t *)before)[n];
}

void counted_collect(core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    nbu_stats now = near_now(c, n);
    const dram *arrays = near_arrays(c->base.near, n);
    for (uint32_t b = 0; b < dram_geometry_of(arrays)->banks; b++) {
      uint32_t rows[4], selected;
      const uint32_t open = dram_open_rows(arrays, b, rows, &selected);
      now.bank[b].pre_between = c->from_near[n].bank[b].pre_between + open;
    }
    add_since(&c->base.stats.nbu[n], &now, &c->from_near[n]);
    c->from_near[n] = now;
  }
}

// ---- a sample

void counted_sample(core *c) {
  core_stats *to = c->sample;
  const uint64_t at = c->sample_at;
  assert(c->base.cycle <= at);
  *to = c->base.stats;
  if (!c->base.result && c->base.cycle < at)  // one that has failed stands where it did
    counted_waits(c, at, to);
  for (uint32_t n = 0; n < SUBCORES; n++) {
    nbu_stats now = near_now(c, n);
    for (uint32_t b = 0; b < DRAM_BANKS; b++)  // counted between launches
      now.bank[b].pre_between = c->from_near[n].bank[b].pre_between;
    add_since(&to->nbu[n], &now, &c->from_near[n]);
  }
  c->sample_at = UINT64_MAX;
}
