// SPDX-License-Identifier: Apache-2.0
// The table of machines of nodes, and mpu machine.
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/base/schedule/machine.h"
#include "harness/base/window.h"
#include "harness/cuda/driver/start.h"
#include "harness/inspect/timeline/timeline_nodes.h"
#include "harness/inspect/wave/wave_nodes.h"
#include "tool.h"

extern const machine_ops mpu_machine, reduce_machine;
static const machine_ops *const machines[] = {&mpu_machine, &reduce_machine, NULL};
enum { MACHINES = sizeof machines / sizeof *machines - 1, WHY = 2048 };

typedef struct options {
  const char *name, *near, *threads, *stats, *timeline, *timeline_window;
  const char *wave, *wave_window, *wave_scope;
  bool list;
  machine_args machine;
} options;

static int take(options *o, args *a) {
  if (args_is(a, "--list"))
    o->list = true;
  else if (args_is(a, "--near"))
    o->near = a->value;
  else if (args_is(a, "--threads") && !start_threads_ok(a->value))
    return EXIT_USAGE;
  else if (args_is(a, "--threads"))
    o->threads = a->value;
  else if (args_is(a, "--stats"))
    o->stats = a->value;
  else if (args_is(a, "--timeline"))
    o->timeline = a->value;
  else if (args_is(a, "--timeline-window"))
    o->timeline_window = a->value;
  else if (args_is(a, "--wave"))
    o->wave = a->value;
  else if (args_is(a, "--wave-window"))
    o->wave_window = a->value;
  else if (args_is(a, "--wave-scope"))
    o->wave_scope = a->value;
  else
    return machine_take(&o->machine, a);
  return 1;
}

static int unknown_machine(const char *name) {
  return user_error("unknown machine '%s'; mpu machine --list lists them", name);
}

static int list_all(const options *o) {
  bool found = false;
  for (size_t k = 0; k < MACHINES; k++)
    if (!o->name || strcmp(o->name, machines[k]->name) == 0)
      machine_declared(machines[k], stdout), found = true;
  return found ? EXIT_OK : unknown_machine(o->name);
}

int write_machine_stats(const machine_run *r, const char *name) {
  out_file *f = out_open(name);
  if (!f)
    return cannot_write(name);
  machine_run_json(r, &build_info_all, out_stream(f));
  return out_close(f) ? EXIT_OK : cannot_write(name);
}

static const machine_ops *machine_named(const char *name) {
  for (size_t k = 0; name && k < MACHINES; k++)
    if (strcmp(name, machines[k]->name) == 0)
      return machines[k];
  return NULL;
}

const machine_ops *const *machines_known(void) {
  return machines;
}

const char *machine_library(const char *name, char *to, size_t bytes) {
  const machine_ops *m = machine_named(name);
  if (!m || !m->parts->init)  // it is not run here
    return NULL;
  snprintf(to, bytes, "%srtl", m->name);
  return to;
}

// A window of cycles that an option names.
static int window_of(const char *option, const char *text, uint64_t *from, uint64_t *to) {
  if (!text || window_parse(text, from, to))
    return EXIT_OK;
  return user_error("%s takes %s, not '%.60s'", option, window_forms, text);
}

// What can be said before anything is opened.
static int check_files(const options *o) {
  uint64_t from, to;
  if (!o->timeline && o->timeline_window)
    return user_error("--timeline-window needs --timeline FILE");
  if (!o->wave && (o->wave_window || o->wave_scope))
    return user_error("--wave-window and --wave-scope need --wave FILE");
  if (window_of("--timeline-window", o->timeline_window, &from, &to) ||
      window_of("--wave-window", o->wave_window, &from, &to) || check_writable(o->stats) ||
      check_output("--timeline", o->timeline))
    return EXIT_USAGE;
  return check_output("--wave", o->wave);
}

static int open_timeline(const options *o, machine_run *r, timeline_nodes **t) {
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

static int open_waves(const options *o, machine_run *r, wave_nodes **w) {
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

static bool close_all(const options *o, const machine_run *r, timeline_nodes *t, wave_nodes *w) {
  const uint64_t cycles = machine_run_cycles(r);
  bool whole = !t || timeline_nodes_end(t, cycles);
  if (w) {
    const wave_summary s = wave_nodes_close(w, cycles);
    whole = wave_tell(&s, o->wave) && whole;
  }
  return whole;
}

static int execute(const options *o, machine_run *r) {
  timeline_nodes *timeline = NULL;
  wave_nodes *waves = NULL;
  char why[WHY];
  int status = open_waves(o, r, &waves);
  if (!status)
    status = open_timeline(o, r, &timeline);
  if (!status && !machine_run_all(r, why, sizeof why)) {
    user_error("%s", why);
    status = EXIT_MACHINE;
  } else if (!status) {
    machine_run_report(r, stdout);
    status = o->stats ? write_machine_stats(r, o->stats) : EXIT_OK;
  }
  const bool whole = close_all(o, r, timeline, waves);
  return status || whole ? status : EXIT_USAGE;
}

static int run(const machine_ops *m, const config *c, const options *o) {
  const lockstep_mode near = strcmp(o->near, "c") == 0     ? LOCKSTEP_C
                             : strcmp(o->near, "rtl") == 0 ? LOCKSTEP_RTL
                                                           : LOCKSTEP_BOTH;
  char why[WHY];
  machine_run *r =
      machine_run_new(m, c, near, (uint32_t)strtoul(o->threads, NULL, 10), why, sizeof why);
  if (!r)
    return user_error("%s", why);
  const int status = execute(o, r);
  machine_run_free(r);
  return status;
}

int command_machine(int argc, char **argv) {
  options o = {.near = "lockstep", .threads = "1"};
  config c;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && take(&o, &a) == 2))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o.name)
      return user_error("one machine at a time; '%s' is a second", a.value);
    if (item == ARGS_OPERAND)
      o.name = a.value;
  }
  if (o.list)
    return list_all(&o);
  if (!o.name)
    return user_error("which machine? mpu machine --list lists them");
  const machine_ops *m = machine_named(o.name);
  if (!m)
    return unknown_machine(o.name);
  if (machine_config_of(&o.machine, "paper", &c) || check_files(&o))
    return EXIT_USAGE;
  return run(m, &c, &o);
}
