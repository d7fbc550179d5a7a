// SPDX-License-Identifier: Apache-2.0
#include "nodes.h"

#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/base/window.h"
#include "harness/cuda/driver/start.h"

enum { WHY = 2048 };

int nodes_take(nodes_args *o, const args *a) {
  const struct {
    const char *name, **to;
  } texts[] = {{"--rtl-node", &o->only},
               {"--threads", &o->threads},
               {"--stats", &o->stats},
               {"--timeline", &o->timeline},
               {"--wave", &o->wave},
               {"--timeline-window", &o->timeline_window},
               {"--near", &o->near},
               {"--wave-window", &o->wave_window},
               {"--wave-scope", &o->wave_scope},
               {"--postmortem", &o->postmortem}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    if (args_is(a, texts[k].name)) {
      *texts[k].to = a->value;
      return texts[k].to != &o->threads || start_threads_ok(a->value) ? 1 : EXIT_USAGE;
    }
  return 0;
}

// A window of cycles that an option names.
static int window_of(const char *option, const char *text, uint64_t *from, uint64_t *to) {
  if (!text || window_parse(text, from, to))
    return EXIT_OK;
  return user_error("%s takes %s, not '%.60s'", option, window_forms, text);
}

int nodes_check(const nodes_args *o) {
  uint64_t from, to;
  if (!o->timeline && o->timeline_window)
    return user_error("--timeline-window needs --timeline FILE");
  if (!o->wave && (o->wave_window || o->wave_scope))
    return user_error("--wave-window and --wave-scope need --wave FILE");
  if (window_of("--timeline-window", o->timeline_window, &from, &to) ||
      window_of("--wave-window", o->wave_window, &from, &to) || check_writable(o->stats) ||
      check_output("--timeline", o->timeline) ||
      (o->postmortem && strcmp(o->postmortem, "none") &&
       check_output("--postmortem", o->postmortem)))
    return EXIT_USAGE;
  return check_output("--wave", o->wave);
}

int nodes_near(const nodes_args *o, uint32_t nodes, lockstep_mode near[SCHEDULE_NODES]) {
  if (machine_near(o->near, o->only, nodes, near))
    return EXIT_OK;
  return user_error("--rtl-node takes nodes from 0 to %u, like 3,8-11; not '%.60s'", nodes - 1,
                    o->only);
}

uint32_t nodes_threads(const nodes_args *o) {
  return (uint32_t)strtoul(o->threads, NULL, 10);
}

static int open_timeline(const nodes_args *o, machine_run *r, timeline_nodes **t) {
  timeline_nodes_config c = {
      .file = o->timeline, .to = TIMELINE_CYCLES, .asked = o->timeline_window};
  char why[WHY];
  if (!o->timeline)
    return EXIT_OK;
  window_of("--timeline-window", o->timeline_window, &c.from, &c.to);
  c.nodes = machine_run_nodes(r, &c.count);
  if (!(*t = timeline_nodes_new(&c, why, sizeof why)))
    return user_error("%s", why);
  machine_run_watch(r, &(schedule_watch){.ctx = *t, .window = timeline_nodes_window});
  return EXIT_OK;
}

static int open_waves(const nodes_args *o, machine_run *r, wave_nodes **w) {
  wave_nodes_config c = {.file = o->wave, .scopes = o->wave_scope, .until = UINT64_MAX};
  char why[WHY];
  if (!o->wave)
    return EXIT_OK;
  window_of("--wave-window", o->wave_window, &c.from, &c.until);
  c.nodes = machine_run_nodes(r, &c.count);
  if (!(*w = wave_nodes_new(&c, why, sizeof why)))
    return user_error("%s", why);
  machine_run_watch(
      r, &(schedule_watch){.ctx = *w, .cycles = wave_nodes_cycles, .window = wave_nodes_window});
  return EXIT_OK;
}

// As of mpu run: where there is Verilog, unless it is told not to, or else where a file is named.
static const char *postmortem_of(const nodes_args *o) {
  const char *setting = o->postmortem ? o->postmortem : getenv("MPU_POSTMORTEM");
  const bool verilog = o->only || strcmp(o->near, "c");
  return setting && *setting ? setting : verilog ? "" : "none";
}

static int open_postmortem(const nodes_args *o, machine_run *r, postmortem_nodes **p) {
  const char *setting = postmortem_of(o);
  const postmortem_nodes_order order = {.file = *setting ? setting : NULL,
                                        .no_waves = o->wave != NULL,
                                        .before = 1000,
                                        .command = o->command,
                                        .describe = o->describe};
  if (!strcmp(setting, "none"))
    return EXIT_OK;
  return (*p = postmortem_nodes_new(&order, r)) ? EXIT_OK : user_error("out of memory");
}

int nodes_open(const nodes_args *o, machine_run *r, nodes_watch *w) {
  *w = (nodes_watch){0};
  int status = open_waves(o, r, &w->waves);
  if (!status)
    status = open_timeline(o, r, &w->timeline);
  return status ? status : open_postmortem(o, r, &w->postmortem);
}

void nodes_postmortem(nodes_watch *w) {
  postmortem_nodes_end(w->postmortem);
  w->postmortem = NULL;
}

static int write_stats(const machine_run *r, const char *name) {
  out_file *f = out_open(name);
  if (!f)
    return cannot_write(name);
  machine_run_json(r, &build_info_all, out_stream(f));
  return out_close(f) ? EXIT_OK : cannot_write(name);
}

int nodes_close(const nodes_args *o, const machine_run *r, nodes_watch *w, int status) {
  const machine_failure *failed = machine_run_failure(r);
  const uint64_t cycles = failed ? failed->cycle + 1 : machine_run_cycles(r);
  nodes_postmortem(w);
  if (status <= EXIT_FAILED && o->stats && write_stats(r, o->stats))
    status = EXIT_USAGE;
  bool whole = !w->timeline || timeline_nodes_end(w->timeline, cycles);
  if (w->waves) {
    const wave_summary s = wave_nodes_close(w->waves, cycles);
    whole = wave_tell(&s, o->wave) && whole;
  }
  return status || whole ? status : EXIT_USAGE;
}
