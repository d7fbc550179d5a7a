// SPDX-License-Identifier: Apache-2.0
// The table of machines of nodes, and mpu machine.
#include <stdlib.h>
#include <string.h>
#include "nodes.h"

extern const machine_ops mpu_machine, reduce_machine, spacea_machine_ops;
static const machine_ops *const machines[] = {&mpu_machine, &reduce_machine, &spacea_machine_ops,
                                              NULL};
enum { MACHINES = sizeof machines / sizeof *machines - 1, WHY = 2048 };

typedef struct options {
  const char *name;
  bool list;
  nodes_args nodes;
  machine_args machine;
} options;

static int take(options *o, args *a) {
  const int took = nodes_take(&o->nodes, a);
  if (took)
    return took;
  if (!args_is(a, "--list"))
    return machine_take(&o->machine, a);
  o->list = true;
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

static int execute(const options *o, machine_run *r) {
  nodes_watch w;
  char why[WHY];
  int status = nodes_open(&o->nodes, r, &w);
  if (!status && !machine_run_all(r, why, sizeof why)) {
    user_error("%s", why);
    status = EXIT_MACHINE;
  } else if (!status) {
    machine_run_report(r, stdout);
  }
  return nodes_close(&o->nodes, r, &w, status);
}

static int run(const machine_ops *m, const config *c, const options *o) {
  lockstep_mode near[SCHEDULE_NODES];
  char why[WHY];
  if (nodes_near(&o->nodes, c->machine.processors * c->machine.cores, near))
    return EXIT_USAGE;
  machine_run *r = machine_run_new(m, c, near, nodes_threads(&o->nodes), why, sizeof why);
  if (!r)
    return user_error("%s", why);
  const int status = execute(o, r);
  machine_run_free(r);
  return status;
}

int command_machine(int argc, char **argv) {
  options o = {.nodes = {.near = "lockstep", .threads = "1"}};
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
  if (machine_config_of(&o.machine, "paper", &c) || nodes_check(&o.nodes))
    return EXIT_USAGE;
  o.nodes.command = command_text(argc, argv);
  const int status = run(m, &c, &o);
  free(o.nodes.command);
  return status;
}
