// SPDX-License-Identifier: Apache-2.0
#include "wave_cores.h"

#include <stdio.h>
#include <stdlib.h>

#include "probe.h"

enum { NAME = 64, SOURCES = NEAR_BLOCKS + 1, BASE = NEAR_BLOCKS };

typedef struct core_waves {
  wave_source *sources[SOURCES];  // of its blocks, and of its base die; NULL: none
  probe *probe;                   // NULL: nothing of the core is wanted
} core_waves;

struct wave_cores {
  sim *s;
  bool failed;
  core_waves cores[SIM_CORES];
};

static const char *const block_names[SOURCES] = {"nbu0", "nbu1", "nbu2", "nbu3", "smem",
                                                 "rtt0", "rtt1", "rtt2", "rtt3", "base"};

static void make_core(wave_cores *w, wave *file, uint32_t k, const char *prefix) {
  char group[NAME];
  snprintf(group, sizeof group, "%score%u", prefix, k);
  if (!wave_wants(file, group, NULL))
    return;
  core_waves *c = &w->cores[k];
  near *n = core_near(sim_core(w->s, k));
  for (uint32_t b = 0; b < SOURCES; b++) {
    if (b != BASE && !wave_wants(file, group, block_names[b]))
      continue;
    c->sources[b] = wave_source_new(file, group, block_names[b]);
    if (!c->sources[b])
      w->failed = true;
    else if (b == BASE)
      c->probe = probe_new(sim_core(w->s, k), &(rtl_trace){wave_write, c->sources[b], NULL});
    else if (near_trace(n, b, wave_write, c->sources[b]))
      near_trace_off(n, b);
    else
      w->failed = true;
  }
  w->failed |= !c->probe;
}

wave_cores *wave_cores_new(wave *w, sim *s, const char *prefix) {
  wave_cores *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->s = s;
  for (uint32_t k = 0; k < sim_cores(s); k++)
    make_core(c, w, k, prefix);
  return c;
}

void wave_cores_free(wave_cores *c) {
  for (uint32_t k = 0; c && k < SIM_CORES; k++)
    probe_free(c->cores[k].probe);
  free(c);
}

bool wave_cores_whole(const wave_cores *c) {
  return !c->failed;
}

static void observe(void *ctx, const core *c, const core_event *events, uint32_t count) {
  const core_waves *x = ctx;
  probe_cycle(x->probe, c, events, count);
}

void wave_cores_on(wave_cores *w, uint32_t kernel) {
  for (uint32_t k = 0; k < sim_cores(w->s); k++) {
    core_waves *c = &w->cores[k];
    const core *of = sim_core(w->s, k);
    if (!c->probe)
      continue;
    for (uint32_t b = 0; b < NEAR_BLOCKS; b++)
      if (c->sources[b])
        near_trace(core_near(of), b, wave_write, c->sources[b]);
    probe_begin(c->probe, of, kernel);
    sim_observe_core(w->s, k, (core_observer){observe, c});
  }
}

void wave_cores_off(wave_cores *w) {
  for (uint32_t k = 0; k < sim_cores(w->s); k++) {
    core_waves *c = &w->cores[k];
    if (!c->probe)
      continue;
    sim_unobserve_core(w->s, k, c);
    for (uint32_t b = 0; b < NEAR_BLOCKS; b++)
      if (c->sources[b])
        near_trace_off(core_near(sim_core(w->s, k)), b);
  }
}

void wave_cores_rest(wave_cores *w, uint64_t until) {
  for (uint32_t k = 0; k < sim_cores(w->s); k++)
    if (w->cores[k].probe)
      probe_rest(w->cores[k].probe, sim_core(w->s, k), until);
}

void wave_cores_shift(wave_cores *w, uint64_t cycles) {
  for (uint32_t k = 0; k < sim_cores(w->s); k++)
    for (uint32_t b = 0; b < SOURCES; b++)
      if (w->cores[k].sources[b])
        wave_shift(w->cores[k].sources[b], cycles);
}
