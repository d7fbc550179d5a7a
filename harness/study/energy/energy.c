// SPDX-License-Identifier: Apache-2.0
#include "energy.h"

#include <string.h>

enum { BANKS = 16 };  // of a core

const char *const energy_group_names[ENERGY_GROUPS] = {"ALU", "OPC+RF",  "DRAM",
                                                       "TSV", "Network", "rest"};
const double energy_paper[ENERGY_GROUPS] = {39.82, 15.47, 16.42, 16.79, 4.43, 7.07};

// Adds up structs of 64-bit counters.
static void add(void *to, const void *from, size_t bytes) {
  uint64_t *a = to;
  const uint64_t *b = from;
  for (size_t k = 0; k < bytes / sizeof *a; k++)
    a[k] += b[k];
}

static void count_parts(const stats_file *f, const config *constants, energy_report *to) {
  const run_stats r = f->run;
  const core_stats *all = &f->core, c = f->core;
  subcore_stats s = {0};
  nbu_stats n = {0};
  bank_stats b = {0};
  for (unsigned k = 0; k < 4; k++) {
    add(&s, &all->sub[k], sizeof s);
    add(&n, &all->nbu[k], sizeof n);
    for (unsigned bank = 0; bank < 4; bank++)
      add(&b, &all->nbu[k].bank[bank], sizeof b);
  }
  const uint64_t *near = s.lanes_near, *far = s.lanes_far;
  const energy_part parts[] = {
#define PART(group, name, constant, share, unit, events) \
  {ENERGY_##group, #name, #constant, unit, events, constants->energy.constant / share, 0},
#include "parts.def"
  };
  memcpy(to->parts, parts, sizeof parts);
}

void energy_of(const stats_file *s, const char *file, const config *constants, energy_report *to) {
  const config paper = config_default();
  *to = (energy_report){.file = file,
                        .program = s->program,
                        .end = s->end,
                        .cycles = s->core.cycles + s->core.cycles_drain,
                        .cores = s->run.cores,
                        .per_processor = paper.machine.cores};
  to->seconds = (double)to->cycles / (1e6 * paper.machine.core_mhz);
  count_parts(s, constants, to);
  for (unsigned k = 0; k < ENERGY_PARTS; k++) {
    energy_part *p = &to->parts[k];
    p->joules = 1e-12 * p->pj * (double)p->events;
    to->group[p->group] += p->joules;
    to->total += p->joules;
    if (strcmp(p->constant, "dram_refresh") == 0)
      to->refresh += p->joules;
  }
  const double core_seconds = 1e-3 * to->seconds * (double)to->cores;  // of mW
  to->idle = (energy_idle){.dram = constants->energy.dram_idle * (double)BANKS * core_seconds,
                           .base = constants->energy.leakage_base * core_seconds,
                           .near = constants->energy.leakage_near * core_seconds};
  if (!to->cycles)
    return;
  to->watts = to->total / to->seconds;
  to->idle_watts = (to->idle.dram + to->idle.base + to->idle.near) / to->seconds;
  to->refresh_watts = to->refresh / to->seconds;
  to->processor = (to->watts + to->idle_watts) / (double)to->cores * to->per_processor;
  if (constants->energy.footprint > 0)
    to->density = 1e3 * to->processor / constants->energy.footprint;
}

energy_mean energy_mean_of(const energy_report *all, size_t count) {
  energy_mean m = {0};
  for (size_t k = 0; k < count; k++) {
    const energy_report *r = &all[k];
    for (unsigned g = 0; g < ENERGY_GROUPS; g++)
      m.percent[g] += r->total > 0 ? 100 * r->group[g] / r->total / (double)count : 0;
    m.processor += r->processor / (double)count;
    m.density += r->density / (double)count;
  }
  return m;
}
