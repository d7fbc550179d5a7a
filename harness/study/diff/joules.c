// SPDX-License-Identifier: Apache-2.0
// Energy of both runs, each with the constants of its configuration, by component.
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

static diff_joule *row_of(diff_joules *j, const char *group, const char *name) {
  size_t at = 0;
  for (; at < j->n; at++) {
    const diff_joule *r = &j->all[at];
    if (!strcmp(r->group, group) && (name ? r->name && !strcmp(r->name, name) : !r->name))
      return &j->all[at];
  }
  for (at = 0; at < j->n && strcmp(j->all[at].group, group) != 0; at++)
    ;
  while (at < j->n && !strcmp(j->all[at].group, group))  // behind the last one of its group
    at++;
  j->all = diff_must(realloc(j->all, (j->n + 1) * sizeof *j->all));
  memmove(j->all + at + 1, j->all + at, (j->n++ - at) * sizeof *j->all);
  j->all[at] = (diff_joule){group, name, {0, 0}};
  return &j->all[at];
}

void diff_joules_of(diff *d) {
  diff_joules *j = &d->joules;
  j->known = d->run[0]->has_energy && d->run[1]->has_energy;
  for (int s = 0; j->known && s < 2; s++) {
    const energy_report *r = &d->run[s]->energy;
    for (unsigned g = 0; g < r->n_groups; g++)
      row_of(j, r->group_names[g], NULL)->joules[s] = r->group[g];
    for (unsigned k = 0; k < r->n_parts; k++)
      row_of(j, r->group_names[r->parts[k].group], r->parts[k].is.name)->joules[s] +=
          r->parts[k].is.joules;
    j->total[s] = r->total, j->idle[s] = r->idle_joules;
    j->edp[s] = (r->total + r->idle_joules) * r->seconds;
  }
}
