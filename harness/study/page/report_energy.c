// SPDX-License-Identifier: Apache-2.0
// Energy and power, from the events of the run (harness/study/energy).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_priv.h"

enum { SHOWN = 10 };  // components in the figure

static const struct {
  double joules;
  const char *name;
} units[] = {{1, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}, {1e-9, "nJ"}};

static size_t unit_of(double joules) {
  size_t k = 0;
  while (k < 3 && joules < units[k].joules)
    k++;
  return k;
}

static const char *joules(char to[PAGE_NUMBER + 8], double j) {
  const size_t u = unit_of(j);
  page_number(to, j / units[u].joules);
  strcat(to, " ");
  return strcat(to, units[u].name);
}

static void put_facts(const report *r, const energy_report *e) {
  char text[PAGE_NUMBER + 8];
  const config *c = r->in->constants;
  page_facts_begin(r->p);
  page_fact(r->p, "Energy", "%s, without what idles", joules(text, e->total));
  if (e->n_idle)
    page_fact(r->p, "Idle, in addition", "%s", joules(text, e->idle_joules));
  if (e->cycles)
    page_fact(r->p, "Power", "%s W, and %.4g idle", page_number(text, e->watts), e->idle_watts);
  if (e->cycles && !e->machine) {
    page_fact(r->p, "A processor", "%s W: %u cores like %s", page_number(text, e->processor),
              e->per_processor, e->cores == 1 ? "this one" : "the mean of these");
    page_fact(r->p, "Power density", "%.1f mW/mm2 of %.2f mm2", e->density, c->energy.footprint);
    page_fact(r->p, "Cooling", "%.0f %% of a commodity server's, %.0f %% of a high-end one's",
              report_percent(e->density, c->energy.cooling_commodity),
              report_percent(e->density, c->energy.cooling_high_end));
  }
  page_facts_end(r->p);
}

static void put_groups(const report *r, const energy_report *e) {
  double shares[ENERGY_GROUPS], paper[ENERGY_GROUPS];
  static const char *const series[] = {"this run"};
  report_shares(e->group, e->n_groups, shares);
  for (unsigned g = 0; g < e->n_groups; g++)
    paper[g] = energy_paper(e->group_names[g]);
  chart_bars_put(
      r->p, &(chart_bars){.about = {.title = "Energy by group",
                                    .note = e->machine ? "share of all"
                                                       : "share of all; lines: the mean of the "
                                                         "paper's workloads (Fig. 10)",
                                    .half = true},
                          .suffix = " %",
                          .names = e->group_names,
                          .n = e->n_groups,
                          .series = series,
                          .n_series = 1,
                          .values = shares,
                          .reference = e->machine ? NULL : paper,
                          .reference_name = "Fig. 10"});
}

static int by_joules(const void *a, const void *b) {
  const double x = (*(const energy_part *const *)a)->is.joules;
  const double y = (*(const energy_part *const *)b)->is.joules;
  return (x < y) - (x > y);
}

static void put_components(const report *r, const energy_report *e) {
  const energy_part *parts[ENERGY_PARTS];
  const char *names[SHOWN];
  double values[SHOWN];
  static const char *const series[] = {"energy"};
  const size_t u = unit_of(e->total);
  char note[64];
  size_t n = 0;
  for (unsigned k = 0; k < e->n_parts; k++)
    if (e->parts[k].is.joules > 0)
      parts[n++] = &e->parts[k];
  qsort(parts, n, sizeof *parts, by_joules);
  n = n < SHOWN ? n : SHOWN;
  for (size_t k = 0; k < n; k++)
    names[k] = parts[k]->is.name, values[k] = parts[k]->is.joules / units[u].joules;
  snprintf(note, sizeof note, n < SHOWN ? "%s" : "%s, of the %zu with the most", units[u].name, n);
  chart_bars_put(
      r->p,
      &(chart_bars){
          .about = {.title = "Energy by component", .note = note, .half = true, .no_table = true},
          .names = names,
          .n = n,
          .series = series,
          .n_series = 1,
          .values = values});
}

static void put_table(const report *r, const energy_report *e) {
  const size_t u = unit_of(e->total);
  const page_column columns[] = {{.name = "component"},
                                 {.name = "events", .number = true},
                                 {.name = "of what"},
                                 {.name = "pJ each", .number = true},
                                 {.name = units[u].name, .number = true},
                                 {.name = "share", .number = true}};
  page_fold_begin(r->p, "All components");
  page_table_begin(r->p, NULL, columns, 6);
  for (unsigned g = 0; g < e->n_groups; g++) {
    page_cell_as(r->p, PAGE_ALL, NULL, NULL, "%s", e->group_names[g]);
    for (int k = 0; k < 3; k++)
      page_cell(r->p, "%s", "");
    page_cell_as(r->p, PAGE_ALL, NULL, NULL, "%.3f", e->group[g] / units[u].joules);
    page_cell_as(r->p, PAGE_ALL, NULL, NULL, "%.2f %%",
                 e->total > 0 ? 100 * e->group[g] / e->total : 0);
    for (unsigned k = 0; k < e->n_parts; k++) {
      const energies_part *p = &e->parts[k].is;
      if (e->parts[k].group != g || !p->events)
        continue;
      page_cell(r->p, "%s", p->name);
      page_cell_number(r->p, (double)p->events);
      page_cell(r->p, "%s", p->unit);
      page_cell(r->p, "%.3f", p->pj);
      page_cell(r->p, "%.3f", p->joules / units[u].joules);
      page_cell(r->p, "%.2f %%", e->total > 0 ? 100 * p->joules / e->total : 0);
    }
  }
  page_table_end(r->p);
  page_fold_end(r->p);
}

void report_energy(const report *r) {
  const energy_report *e = r->in->energy;
  report_section(r, "energy", "Energy and power");
  if (tree_in(r->in->run, "devices")) {
    page_missing(r->p, "Energy is missing: it is not computed for runs with several devices.");
    return;
  }
  if (!e) {
    page_missing(r->p, "Energy is missing: %s", r->in->energy_why);
    return;
  }
  put_facts(r, e);
  page_pair_begin(r->p);
  put_groups(r, e);
  put_components(r, e);
  page_pair_end(r->p);
  put_table(r, e);
}
