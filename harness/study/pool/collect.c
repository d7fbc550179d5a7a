// SPDX-License-Identifier: Apache-2.0
// Statistics of a run as flat values, with what is derived from them: energy.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

// stats_read takes a file: the statistics are one in memory.
static bool take_energy(const store_run *run, const machine_ops *const *machines, values *to,
                        char *why) {
  char name[32];
  stats_file s = {0};
  config c;
  energy_report report;
  FILE *f = tmpfile();
  if (!f || fputs(run->statistics, f) < 0 || fflush(f)) {
    snprintf(why, PLAN_WHY, "cannot write a file for %s: the disk may be full", run->command);
    if (f)
      fclose(f);
    return false;
  }
  snprintf(name, sizeof name, "/dev/fd/%d", fileno(f));
  bool ok = config_read_flat(&c, run->configuration, why, PLAN_WHY) &&
            stats_read(name, machines, &s, why, PLAN_WHY);
  if (ok) {
    energy_of(&s, name, &c, &report);
    add_report(&report, to);
  }
  stats_free(&s);
  fclose(f);
  return ok;
}

bool collect_values(const store_run *run, const machine_ops *const *machines, values *to,
                    char *why) {
  static const char *const left_out[] = {"each", "configuration", "build", "nodes", "schema", NULL};
  if (!run->statistics)
    return true;
  tree_file *f = tree_parse("statistics", run->statistics, strlen(run->statistics), why, STORE_WHY);
  if (!f)
    return false;
  for (const tree *c = tree_top(f)->first; c; c = c->next) {
    bool take = c->key != NULL;
    for (const char *const *name = left_out; *name && take; name++)
      take = strcmp(c->key, *name) != 0;
    if (take)
      values_add_tree(to, c->key, c);
  }
  const bool timed = tree_in(tree_top(f), "cycles") &&
                     (!strcmp(run->tool, "run") || !strcmp(run->tool, "machine"));
  tree_free(f);
  const bool ok = !timed || take_energy(run, machines, to, why);
  values_done(to);
  return ok;
}
