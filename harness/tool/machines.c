// SPDX-License-Identifier: Apache-2.0
// The table of machines of nodes, and mpu machine.
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/base/schedule/machine.h"
#include "tool.h"

extern const machine_ops mpu_machine, reduce_machine;
static const machine_ops *const machines[] = {&mpu_machine, &reduce_machine};
enum { MACHINES = sizeof machines / sizeof *machines, WHY = 2048, MODELS = 3 };

typedef struct options {
  const char *name, *near, *threads, *stats;
  bool list;
  machine_args machine;
} options;

static int take(options *o, args *a) {
  if (args_is(a, "--list"))
    o->list = true;
  else if (args_is(a, "--near"))
    o->near = a->value;
  else if (args_is(a, "--threads"))
    o->threads = a->value;
  else if (args_is(a, "--stats"))
    o->stats = a->value;
  else
    return machine_take(&o->machine, a);
  return 1;
}

static int list_all(const options *o) {
  bool found = false;
  for (size_t k = 0; k < MACHINES; k++)
    if (!o->name || strcmp(o->name, machines[k]->name) == 0)
      machine_declared(machines[k], stdout), found = true;
  return found ? EXIT_OK
               : user_error("there is no machine '%s'; mpu machine --list has all", o->name);
}

static int write_stats(const machine_run *r, const char *name) {
  out_file *f = out_open(name);
  if (!f)
    return cannot_write(name);
  machine_run_json(r, out_stream(f));
  return out_close(f) ? EXIT_OK : cannot_write(name);
}

static const machine_ops *machine_named(const char *name) {
  for (size_t k = 0; name && k < MACHINES; k++)
    if (strcmp(name, machines[k]->name) == 0)
      return machines[k];
  return NULL;
}

const char *machine_library(const char *name, char *to, size_t bytes) {
  const machine_ops *m = machine_named(name);
  if (!m || !m->parts->init)  // it is not run here
    return NULL;
  snprintf(to, bytes, "%srtl", m->name);
  return to;
}

static int run(const machine_ops *m, const config *c, const options *o) {
  const lockstep_mode near = strcmp(o->near, "c") == 0     ? LOCKSTEP_C
                             : strcmp(o->near, "rtl") == 0 ? LOCKSTEP_RTL
                                                           : LOCKSTEP_BOTH;
  const unsigned long threads = strtoul(o->threads, NULL, 10);  // more than nodes are of no use
  char why[WHY];
  machine_run *r = machine_run_new(
      m, c, near, threads < SCHEDULE_NODES ? (uint32_t)threads : SCHEDULE_NODES, why, sizeof why);
  if (!r)
    return user_error("%s", why);
  int status = MODELS;
  if (!machine_run_all(r, why, sizeof why)) {
    user_error("%s", why);
  } else {
    machine_run_report(r, stdout);
    status = o->stats ? write_stats(r, o->stats) : EXIT_OK;
  }
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
    return user_error("which machine? mpu machine --list has all");
  const machine_ops *m = machine_named(o.name);
  if (!m)
    return user_error("there is no machine '%s'; mpu machine --list has all", o.name);
  if (machine_config_of(&o.machine, "paper", &c) || check_writable(o.stats))
    return EXIT_USAGE;
  return run(m, &c, &o);
}
