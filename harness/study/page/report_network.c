// SPDX-License-Identifier: Apache-2.0
// The network: its packets, and its links where they lie.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/config/config.h"
#include "report_priv.h"

enum { ROWS = 16, TITLE = 200 };

size_t report_columns(const report *r, const char *key, size_t count) {
  const double wanted = report_key(r, key);
  return config_columns((uint32_t)count,
                        wanted >= 1 && wanted <= (double)count ? (uint32_t)wanted : 0);
}

double report_link_rate(const report *r, bool off_chip) {
  return report_key(r, off_chip ? "network.off_chip_mhz" : "network.on_chip_mhz") /
         report_key(r, "machine.core_mhz");
}

// ---- links

typedef struct link {
  bool off_chip;
  size_t place, from, to;  // place: its processor, or its gateway
  const char *direction;
  double flits, waited, busy;  // busy: share of the cycles, in percent
} link;

static link link_of(const report *r, const tree *t) {
  link l = {.off_chip = tree_in(t, "processor") == NULL,
            .direction = tree_text(tree_in(t, "direction"), ""),
            .flits = report_sum(t, "flits"),
            .waited = report_sum(t, "waited")};
  const double place = tree_number(tree_in(t, l.off_chip ? "gateway" : "processor"), 0);
  const double from = tree_number(tree_in(t, "from"), 0), to = tree_number(tree_in(t, "to"), 0);
  l.place = place >= 0 && place < 1e6 ? (size_t)place : 0;
  l.from = from >= 0 && from < 1e6 ? (size_t)from : 0;
  l.to = to >= 0 && to < 1e6 ? (size_t)to : 0;
  l.busy = report_percent(l.flits, report_link_rate(r, l.off_chip) * r->cycles);
  return l;
}

static void name_of(const link *l, char *to, size_t bytes) {
  if (l->off_chip)
    snprintf(to, bytes, "processor %zu to %zu", l->from, l->to);
  else
    snprintf(to, bytes, "router %zu to %zu of processor %zu", l->from, l->to, l->place);
}

static const tree *links_of(const report *r) {
  const tree *list = tree_at(r->run, "network.links");
  return list && list->kind == TREE_LIST ? list : NULL;
}

double report_link_cycles(const report *r, char *name, size_t bytes) {
  double most = NAN;
  const tree *list = links_of(r);
  for (const tree *t = list ? list->first : NULL; t; t = t->next) {
    const link l = link_of(r, t);
    const double cycles = l.flits / report_link_rate(r, l.off_chip);
    if (!isfinite(cycles) || cycles <= most)
      continue;
    most = cycles;
    name_of(&l, name, bytes);
  }
  return most;
}

// ---- a drawing of meshes: routers, and a cell between two of them with the busier of their links

typedef struct plan {
  size_t columns, rows;  // routers of a mesh
  size_t wide, high;     // meshes
  size_t across, down;   // cells
  double *values;
  chart_cell *cells;
  char (*titles)[TITLE];
  const char **texts;
} plan;

static void *must(void *memory) {
  if (!memory)
    abort();
  return memory;
}

static plan plan_of(size_t columns, size_t rows, size_t wide, size_t high) {
  plan p = {.columns = columns, .rows = rows, .wide = wide, .high = high};
  p.across = (2 * columns - 1) * wide, p.down = (2 * rows - 1) * high;
  const size_t n = p.across * p.down;
  p.values = must(calloc(n, sizeof *p.values));
  p.cells = must(calloc(n, sizeof *p.cells));
  p.titles = must(calloc(n, sizeof *p.titles));
  p.texts = must(calloc(n, sizeof *p.texts));
  for (size_t k = 0; k < n; k++) {
    p.texts[k] = p.titles[k];
    p.cells[k] = CHART_BLANK;
  }
  return p;
}

static void free_plan(plan *p) {
  free(p->values);
  free(p->cells);
  free(p->titles);
  free(p->texts);
}

// The cell half of the way from one router of a mesh to another; (size_t)-1: they are not there.
static size_t cell_of(const plan *p, size_t mesh, size_t from, size_t to) {
  if (mesh >= p->wide * p->high || from >= p->columns * p->rows || to >= p->columns * p->rows)
    return (size_t)-1;
  const size_t x = from % p->columns + to % p->columns, y = from / p->columns + to / p->columns;
  return (mesh / p->wide * (2 * p->rows - 1) + y) * p->across +
         mesh % p->wide * (2 * p->columns - 1) + x;
}

static void add_link(plan *p, size_t mesh, const link *l) {
  const size_t k = cell_of(p, mesh, l->from, l->to);
  char more[80];
  if (k == (size_t)-1 || l->from == l->to)
    return;
  snprintf(more, sizeof more, "%s%zu to %zu %.1f %%", p->cells[k] == CHART_VALUE ? ", " : "",
           l->from, l->to, isfinite(l->busy) ? l->busy : 0);
  if (p->cells[k] == CHART_BLANK)
    p->values[k] = l->busy;
  else
    p->values[k] = fmax(p->values[k], l->busy);
  p->cells[k] = CHART_VALUE;
  const size_t room = sizeof *p->titles - strlen(p->titles[k]) - 1;
  strncat(p->titles[k], more, room);
}

static double most_busy(const report *r, bool off_chip) {
  double most = 0;
  const tree *list = r ? links_of(r) : NULL;
  for (const tree *t = list ? list->first : NULL; t; t = t->next) {
    const link l = link_of(r, t);
    if (l.off_chip == off_chip)
      most = fmax(most, l.busy);
  }
  return most;
}

static void put_plan(const report *r, plan *p, bool off_chip) {
  const char *title = off_chip ? "Links between processors" : "Links on processors";
  const char *routers = off_chip ? "processor" : "router";
  const double most = fmax(most_busy(r, off_chip), most_busy(r->beside, off_chip));
  char note[96];
  snprintf(note, sizeof note, "boxes are %ss; between two of them is the busier of their links",
           routers);
  for (size_t mesh = 0; mesh < p->wide * p->high; mesh++)
    for (size_t n = 0; n < p->columns * p->rows; n++) {
      const size_t k = cell_of(p, mesh, n, n);
      p->cells[k] = CHART_NODE;
      if (p->wide * p->high > 1)
        snprintf(p->titles[k], TITLE, "%s %zu of processor %zu", routers, n, mesh);
      else
        snprintf(p->titles[k], TITLE, "%s %zu", routers, n);
    }
  chart_heat_put(
      r->p, &(chart_heat){.about = {.title = title, .note = note, .half = true, .no_table = true},
                          .unit = "of the cycles",
                          .suffix = " %",
                          .n_rows = p->down,
                          .n_columns = p->across,
                          .values = p->values,
                          .titles = p->texts,
                          .cells = p->cells,
                          .rows_together = p->high > 1 ? 2 * p->rows - 1 : 0,
                          .columns_together = p->wide > 1 ? 2 * p->columns - 1 : 0,
                          .high = most > 0 ? most : 1});
}

static void put_links(const report *r, const tree *list) {
  const size_t processors = (size_t)r->processors, each = (size_t)r->cores / processors;
  const size_t wide = report_columns(r, "network.processor_columns", processors);
  const size_t high = (processors + wide - 1) / wide;
  size_t columns = report_columns(r, "network.columns", each),
         rows = (each + columns - 1) / columns;
  if (strncmp(tree_text(tree_at(r->settings, "network.topology"), ""), "conc", 4) == 0) {
    const double x = report_key(r, "network.group_columns"),
                 y = report_key(r, "network.group_rows");
    columns = x >= 1 && x < 1e6 ? (columns + (size_t)x - 1) / (size_t)x : columns;
    rows = y >= 1 && y < 1e6 ? (rows + (size_t)y - 1) / (size_t)y : rows;
  }
  plan on = plan_of(columns, rows, wide, high), off = plan_of(wide, high, 1, 1);
  size_t n_on = 0, n_off = 0;
  for (const tree *t = list->first; t; t = t->next) {
    const link l = link_of(r, t);
    add_link(l.off_chip ? &off : &on, l.off_chip ? 0 : l.place, &l);
    ++*(l.off_chip ? &n_off : &n_on);
  }
  page_pair_begin(r->p);
  if (n_on)
    put_plan(r, &on, false);
  if (n_off)
    put_plan(r, &off, true);
  page_pair_end(r->p);
  free_plan(&on);
  free_plan(&off);
}

// ---- tables

static int by_busy(const void *a, const void *b) {
  const double x = ((const link *)a)->busy, y = ((const link *)b)->busy;
  return (x < y) - (x > y);
}

static void put_table(const report *r, const tree *list) {
  static const page_column columns[] = {
      {.name = "link"},
      {.name = "flits", .number = true},
      {.name = "busy", .number = true},
      {.name = "waited",
       .number = true,
       .title = "router cycles in which a flit had to wait for it"}};
  link *all = must(calloc(list->n ? list->n : 1, sizeof *all));
  size_t n = 0;
  for (const tree *t = list->first; t; t = t->next) {
    all[n] = link_of(r, t);
    n += isfinite(all[n].busy) ? 1 : 0;
  }
  qsort(all, n, sizeof *all, by_busy);
  page_fold_begin(r->p, "The busiest of %zu links", n);
  page_table_begin(r->p, NULL, columns, 4);
  for (size_t k = 0; k < n && k < ROWS; k++) {
    char name[80];
    name_of(&all[k], name, sizeof name);
    page_cell(r->p, "%s", name);
    page_cell_number(r->p, all[k].flits);
    page_cell(r->p, "%.1f %%", all[k].busy);
    page_cell_number(r->p, all[k].waited);
  }
  page_table_end(r->p);
  page_fold_end(r->p);
  free(all);
}

void report_network(const report *r) {
  char text[PAGE_NUMBER];
  const double packets = report_sum(r->run, "network_packets");
  const double cycles = report_sum(r->run, "network_cycles");
  const tree *list = links_of(r);
  report_section(r, "network", "Network");
  page_facts_begin(r->p);
  page_fact(r->p, "Packets", "%s", page_number(text, packets));
  if (packets > 0)
    page_fact(r->p, "Latency", "%s router cycles, on average", page_number(text, cycles / packets));
  page_fact(r->p, "Flits on processors", "%s",
            page_number(text, report_sum(r->run, "on_chip_flits")));
  page_fact(r->p, "Flits between them", "%s",
            page_number(text, report_sum(r->run, "off_chip_flits")));
  page_facts_end(r->p);
  if (!list || !list->n || !(r->cores >= r->processors)) {
    report_lacks(r, "Links of the network: the mpu that wrote the statistics did not count them.");
    return;
  }
  put_links(r, list);
  put_table(r, list);
}
