// SPDX-License-Identifier: Apache-2.0
// Statistics of a run as flat values, with what is derived from them: energy.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "harness/study/energy/energy.h"
#include "pool.h"

// "OPC+RF": energy.opc_rf
static void add_energy(values *to, const char *name, double number) {
  char key[96] = "energy.";
  size_t n = strlen(key);
  for (; *name && n + 1 < sizeof key; name++)
    key[n++] = (char)(isalnum((unsigned char)*name) ? tolower((unsigned char)*name) : '_');
  key[n] = 0;
  values_add(to, key, number);
}

static void add_report(const energy_report *r, values *to) {
  add_energy(to, "total", r->total + r->idle_joules);
  add_energy(to, "dynamic", r->total);
  add_energy(to, "idle", r->idle_joules);
  add_energy(to, "refresh", r->refresh);
  add_energy(to, "seconds", r->seconds);
  add_energy(to, "watts", r->watts + r->idle_watts);
  add_energy(to, "processor_watts", r->processor);
  add_energy(to, "density", r->density);
  for (unsigned g = 0; g < r->n_groups; g++)
    add_energy(to, r->group_names[g], r->group[g]);
}

static bool take_energy(const store_run *run, const machine_ops *const *machines, values *to,
                        char *why) {
  stats_file s = {0};
  config c;
  energy_report report;
  const bool ok = config_read_flat(&c, run->configuration, why, PLAN_WHY) &&
                  stats_read_text("statistics", run->statistics, strlen(run->statistics), machines,
                                  &s, why, PLAN_WHY);
  if (ok) {
    energy_of(&s, "statistics", &c, &report);
    add_report(&report, to);
  }
  stats_free(&s);
  return ok;
}

bool collect_values(const store_run *run, const tree *statistics,
                    const machine_ops *const *machines, values *to, char *why) {
  static const char *const left_out[] = {"each", "configuration", "build", "nodes", "schema", NULL};
  for (const tree *c = statistics->first; c; c = c->next) {
    bool take = c->key != NULL;
    for (const char *const *name = left_out; *name && take; name++)
      take = strcmp(c->key, *name) != 0;
    if (take)
      values_add_tree(to, c->key, c);
  }
  static const char *const machines_of[] = {"run", "machine", "spacea", NULL};
  bool timed = false;
  for (const char *const *tool = machines_of; *tool && tree_in(statistics, "cycles"); tool++)
    timed = timed || strcmp(run->tool, *tool) == 0;
  const bool ok = !timed || take_energy(run, machines, to, why);
  values_done(to);
  return ok;
}
