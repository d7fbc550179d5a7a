// SPDX-License-Identifier: Apache-2.0
// The observers of launches, by the settings.
#include <stdlib.h>
#include <string.h>

#include "harness/base/number_list.h"
#include "harness/base/window.h"
#include "harness/inspect/debug/debug.h"
#include "harness/inspect/interval/interval.h"
#include "harness/inspect/profile/profile_observe.h"
#include "harness/inspect/retire/retire_observe.h"
#include "harness/inspect/timeline/timeline.h"
#include "rt.h"

enum { WHY = 5000 };

static void retire(rt_context *c, sim *s) {
  const char *file = process.settings.retire;
  char why[WHY];
  if (file && !(c->retire = retire_observe(file, c->m, s, why, sizeof why)))
    rt_wrong("%s", why);
}

static void profile(rt_context *c, sim *s) {
  const char *file = process.settings.profile;
  char why[WHY];
  if (file && !(c->profile = profile_observe(file, s, why, sizeof why)))
    rt_wrong("%s", why);
}

static void open_timeline(rt_context *c, const timeline_config *config, sim *s) {
  char why[WHY];
  if (!(c->timeline = timeline_new(config, s, why, sizeof why)))
    rt_wrong("%s", why);
}

static void look_for_timeline(rt_context *c, sim *s) {
  const char *window = process.settings.timeline_window, *cores = process.settings.timeline_cores,
             *tracks = process.settings.timeline_tracks;
  timeline_config t = {.file = process.settings.timeline, .to = TIMELINE_CYCLES, .asked = window};
  const uint32_t n = sim_cores(s);
  if (!t.file)
    return;
  if (window && !window_parse(window, &t.from, &t.to)) {
    rt_wrong("--timeline-window takes %s, not '%.60s'", window_forms, window);
  }
  for (uint32_t k = 0; k < n; k++)
    t.cores[k] = !cores;
  if (cores && !number_list(cores, n, t.cores)) {
    rt_wrong("--timeline-cores takes cores from 0 to %u, like 3,8-11; not '%.60s'", n - 1, cores);
  }
  if (tracks && !timeline_tracks_parse(tracks, &t.hidden)) {
    char names[256];
    timeline_tracks_names(names, sizeof names);
    rt_wrong("--timeline-tracks takes some of %s with commas between them; not '%.60s'", names,
             tracks);
  }
  open_timeline(c, &t, s);
}

static void count_intervals(rt_context *c, sim *s) {
  const char *file = process.settings.interval;
  const uint64_t cycles = process.settings.interval_cycles;
  char why[WHY];
  if (!file)
    return;
  if (cycles && cycles < INTERVAL_LEAST)
    rt_wrong("--interval-cycles takes a number from %d, not '%llu'", INTERVAL_LEAST,
             (unsigned long long)cycles);
  if (!(c->interval = interval_new(file, cycles ? cycles : INTERVAL_CYCLES, s, why, sizeof why)))
    rt_wrong("%s", why);
}

// settings.debug: where the commands of the debugger come from behind those of the file
// settings.debug_commands. The last one to look on: what others do in a window is done at its
// prompt.
static void debugger(rt_context *c, sim *s) {
  char why[WHY];
  const debug_config k = {.m = c->m,
                          .commands = process.settings.debug_commands,
                          .terminal = process.settings.terminal,
                          .then = process.settings.debug,
                          .end = rt_timed_interrupt,
                          .ended = rt_timed_interrupted,
                          .wave = {rt_waves_switch, s}};
  if (k.then && !(c->debug = debug_new(&k, s, why, sizeof why)))
    rt_wrong("%s", why);
}

// A program that never touched the device has a timeline and intervals too, with nothing in them.
static void observe_nothing(rt_context *c) {
  const timeline_config t = {.file = process.settings.timeline, .to = UINT64_MAX};
  if (c->m || !process.settings.timed)
    return;
  if (t.file)
    open_timeline(c, &t, NULL);
  count_intervals(c, NULL);
}

void rt_observe(rt_context *c, sim *s) {
  retire(c, s);
  profile(c, s);
  look_for_timeline(c, s);
  count_intervals(c, s);
  rt_waves(s);
  debugger(c, s);
}

void rt_observe_functional(rt_context *c) {
  retire(c, NULL);
}

bool rt_observed(rt_context *c) {
  bool whole = rt_waves_end();
  if (c->retire)
    whole = retire_observed(c->retire) && whole;
  if (c->profile)
    whole = profile_observed(c->profile, rt_result_name(), rt_end_name()) && whole;
  observe_nothing(c);
  if (c->timeline)
    whole = timeline_end(c->timeline, c->timed) && whole;
  if (c->interval)
    whole = interval_end(c->interval) && whole;
  debug_free(c->debug);
  c->retire = NULL, c->profile = NULL, c->timeline = NULL, c->interval = NULL, c->debug = NULL;
  return whole;
}
