// SPDX-License-Identifier: Apache-2.0
#include "wave_watch.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/out_file.h"
#include "wave_cores.h"
#include "wave_names.h"

enum { PATH = 4096 };

struct wave_watch {
  wave_order order;
  wave *file;
  wave_names *names;
  wave_cores *cores;
  uint64_t at;      // the cycle that all have come to
  uint64_t behind;  // where the file ends, when nothing comes behind this launch
  uint32_t kernel;
  bool on, toggled, failed;
};

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

// All has been written that happened before `until`.
static void come_to(wave_watch *w, uint64_t until) {
  w->at = until;
  if (!w->on)
    return;
  wave_cores_rest(w->cores, until);
  wave_step(w->file, until);
}

static bool wants(const wave_watch *w, uint64_t cycle) {
  const bool in = cycle >= w->order.from && cycle < w->order.until;
  return !w->failed && !wave_is_full(w->file) && in != w->toggled;
}

static void settle(wave_watch *w, uint64_t cycle) {
  const bool on = wants(w, cycle);
  if (on == w->on)
    return;
  if (on) {
    wave_begin(w->file, cycle);
    wave_cores_on(w->cores, w->kernel);
  } else {
    wave_cores_off(w->cores);
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
    wave_cores_on(w->cores, w->kernel);
  settle(w, w->at);
}

static bool window(void *ctx, sim *s, uint64_t until) {
  wave_watch *w = ctx;
  (void)s;
  come_to(w, until);
  settle(w, until);
  return false;
}

// Blocks come out of a launch as they will; the next one sees them after their reset. What the edge
// left in which models differed is shown for a cycle, when nothing comes behind it.
static void end(void *ctx, sim *s, machine_error e, uint32_t core) {
  wave_watch *w = ctx;
  (void)core;
  come_to(w, sim_cycle(s));
  w->behind = w->at + (e == MACHINE_MODEL);
  if (w->on)
    wave_cores_off(w->cores);
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
  if (!w->cores)
    w->cores = wave_cores_new(w->file, s, "");
  w->failed = !w->cores || !wave_cores_whole(w->cores);
  if (now)
    begin(w, s, core_launch(sim_core(s, 0)));
}

const char *wave_watch_missed(const wave_watch *w) {
  return wave_missed(w->file);
}

void wave_watch_drop(wave_watch *w) {
  wave_drop(w->file);
  wave_names_drop(w->names);
  wave_cores_free(w->cores);
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
  wave_cores_free(w->cores);
  free(w);
  return s;
}
