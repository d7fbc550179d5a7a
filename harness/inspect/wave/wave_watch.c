// SPDX-License-Identifier: Apache-2.0
#include "wave_watch.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "harness/base/out_file.h"
#include "wave_names.h"

enum { NAME = 32, PATH = 4096, SOURCES = NEAR_BLOCKS + 1, BASE = NEAR_BLOCKS };

typedef struct core_waves {
  struct wave_watch *w;
  wave_source *sources[SOURCES];  // of its blocks, and of its base die; NULL: none
  probe *probe;
} core_waves;

struct wave_watch {
  wave_order order;
  wave *file;
  wave_names *names;
  core_waves *cores[SIM_CORES];
  uint64_t at;      // the cycle that all have come to
  uint64_t behind;  // where the file ends, when nothing comes behind this launch
  uint32_t kernel;
  bool made, on, wanted, toggled, failed;
};

static const char *const block_names[SOURCES] = {"nbu0", "nbu1", "nbu2", "nbu3", "smem",
                                                 "rtt0", "rtt1", "rtt2", "rtt3", "base"};

wave_watch *wave_watch_new(const wave_order *o, char *why, size_t why_bytes) {
  wave_watch *w = calloc(1, sizeof *w);
  if (!w) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  w->order = *o;
  // a folder where nothing can be written is told by the name that was asked for
  if (!out_can(o->file))
    snprintf(why, why_bytes, "cannot write '%.300s': %s", o->file, strerror(errno));
  else
    w->names = wave_names_new(o->file, why, why_bytes);
  if (w->names)
    w->file = wave_new(o->file, o->scopes ? o->scopes : "core0", why, why_bytes);
  if (w->file)
    return w;
  wave_names_drop(w->names);
  free(w);
  return NULL;
}

// ---- sources

static void free_cores(wave_watch *w) {
  for (uint32_t k = 0; k < SIM_CORES; k++)
    if (w->cores[k])
      probe_free(w->cores[k]->probe), free(w->cores[k]);
}

// Headers of all that is to be kept of a core.
static void make_core(wave_watch *w, sim *s, uint32_t k) {
  char group[NAME];
  snprintf(group, sizeof group, "core%u", k);
  if (!wave_wants(w->file, group, NULL))
    return;
  core_waves *c = w->cores[k] = calloc(1, sizeof *c);
  if (!c) {
    w->failed = true;
    return;
  }
  c->w = w;
  near *n = core_near(sim_core(s, k));
  for (uint32_t b = 0; b < SOURCES; b++) {
    if (b != BASE && !wave_wants(w->file, group, block_names[b]))
      continue;
    c->sources[b] = wave_source_new(w->file, group, block_names[b]);
    if (!c->sources[b])
      w->failed = true;
    else if (b == BASE)
      c->probe = probe_new(sim_core(s, k), &(rtl_trace){wave_write, c->sources[b], NULL});
    else if (near_trace(n, b, wave_write, c->sources[b]))
      near_trace_off(n, b);
    else
      w->failed = true;
  }
  w->failed |= !c->probe;
}

// ---- on and off

static void observe(void *ctx, const core *c, const core_event *events, uint32_t count) {
  const core_waves *x = ctx;
  probe_cycle(x->probe, c, events, count);
}

static void turn_on(wave_watch *w, sim *s) {
  for (uint32_t k = 0; k < sim_cores(s); k++) {
    core_waves *c = w->cores[k];
    if (!c)
      continue;
    for (uint32_t b = 0; b < NEAR_BLOCKS; b++)
      if (c->sources[b])
        near_trace(core_near(sim_core(s, k)), b, wave_write, c->sources[b]);
    probe_begin(c->probe, sim_core(s, k), w->kernel);
    sim_observe_core(s, k, (core_observer){observe, c});
  }
}

static void turn_off(wave_watch *w, sim *s) {
  for (uint32_t k = 0; k < sim_cores(s); k++) {
    core_waves *c = w->cores[k];
    if (!c)
      continue;
    sim_unobserve_core(s, k, c);
    for (uint32_t b = 0; b < NEAR_BLOCKS; b++)
      if (c->sources[b])
        near_trace_off(core_near(sim_core(s, k)), b);
  }
}

// All has been written that happened before `until`.
static void come_to(wave_watch *w, sim *s, uint64_t until) {
  w->at = until;
  for (uint32_t k = 0; w->on && k < sim_cores(s); k++)
    if (w->cores[k])
      probe_rest(w->cores[k]->probe, sim_core(s, k), until);
  if (w->on)
    wave_step(w->file, until);
}

static bool wants(const wave_watch *w, uint64_t cycle) {
  const bool in = cycle >= w->order.from && cycle < w->order.until;
  return !w->failed && !wave_is_full(w->file) && in != w->toggled;
}

static void settle(wave_watch *w, sim *s, uint64_t cycle) {
  const bool on = wants(w, cycle);
  if (on == w->on)
    return;
  if (on) {
    wave_begin(w->file, cycle);
    turn_on(w, s);
  } else {
    turn_off(w, s);
    wave_end(w->file, cycle);
  }
  w->on = on;
}

// ---- the observer

static void begin(void *ctx, sim *s, const launch *l) {
  wave_watch *w = ctx;
  w->at = sim_cycle(s);
  if (!wave_is_full(w->file))
    w->kernel = wave_names_kernel(w->names, l);
  if (w->on)
    turn_on(w, s);
  settle(w, s, w->at);
}

static bool window(void *ctx, sim *s, uint64_t until) {
  wave_watch *w = ctx;
  come_to(w, s, until);
  settle(w, s, until);
  return false;
}

// Blocks come out of a launch as they will; the next one sees them after their reset. What the edge
// left in which models differed is shown for a cycle, when nothing comes behind it.
static void end(void *ctx, sim *s, machine_error e, uint32_t core) {
  wave_watch *w = ctx;
  (void)core;
  come_to(w, s, sim_cycle(s));
  w->behind = w->at + (e == MACHINE_MODEL);
  if (w->on)
    turn_off(w, s);
}

static uint64_t cycles(void *ctx) {
  const wave_watch *w = ctx;
  if (w->at < w->order.from)
    return w->order.from - w->at;
  return w->at < w->order.until ? w->order.until - w->at : UINT64_MAX;
}

void wave_watch_start(wave_watch *w, sim *s, bool now) {
  const sim_observer o = {w, begin, window, end, cycles};
  sim_observe(s, &o);
  for (uint32_t k = 0; !w->made && k < sim_cores(s); k++)
    make_core(w, s, k);
  w->made = true;
  if (now)
    begin(w, s, core_launch(sim_core(s, 0)));
}

const char *wave_watch_missed(const wave_watch *w) {
  return wave_missed(w->file);
}

void wave_watch_drop(wave_watch *w) {
  wave_drop(w->file);
  wave_names_drop(w->names);
  free_cores(w);
  free(w);
}

void wave_watch_toggle(wave_watch *w) {
  w->toggled = !w->toggled;
}

void wave_watch_switch(wave_watch *w, sim *s, bool on) {
  if (on != wants(w, sim_cycle(s)))
    wave_watch_toggle(w);
  window(w, s, sim_cycle(s));
}

bool wave_watch_is_over(const wave_watch *w) {
  return w->at >= w->order.until && !w->on;
}

static void leave_view(const wave_watch *w, const wave_summary *s) {
  char file[PATH], why[PATH], waves[PATH];
  wave_view v = w->order.view ? *w->order.view : wave_view_of_scopes(w->order.scopes);
  if (!w->order.view)
    v.cycle = s->first;
  snprintf(waves, sizeof waves, "%s%s", w->order.file, s->full ? ".part" : "");
  wave_view_file(waves, NULL, file, sizeof file);
  if (!wave_view_write(&v, waves, file, why, sizeof why))
    fprintf(stderr, "mpu: waves: no view of them: %s\n", why);
}

wave_summary wave_watch_close(wave_watch *w) {
  if (w->on)
    wave_end(w->file, w->behind);
  wave_summary s = wave_close(w->file);
  if (s.windows)
    leave_view(w, &s);
  if (s.windows || !s.full)
    wave_names_close(w->names, !s.full);
  else
    wave_names_drop(w->names);
  free_cores(w);
  free(w);
  return s;
}
