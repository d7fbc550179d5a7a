// SPDX-License-Identifier: Apache-2.0
// Rates over time, from the table of mpu run --interval (docs/interval.md).
#include <math.h>
#include <stdlib.h>

#include "report_priv.h"

enum { POINTS = 240, SUBCORES = 4, BANKS = 16 };

// Sums of a column over rows that become one point.
typedef struct merged {
  const csv *table;
  size_t factor, n;  // rows of a point; points
  double *x;         // where each begins
  double *cycles;
} merged;

static double column_sum(const merged *m, size_t point, const char *name) {
  const size_t column = csv_column(m->table, name);
  double sum = 0;
  for (size_t row = point * m->factor; row < (point + 1) * m->factor && row < m->table->rows; row++)
    sum += csv_number(m->table, row, column);
  return sum;
}

static double *room(size_t n) {
  double *all = calloc(n ? n : 1, sizeof *all);
  if (!all)
    abort();
  return all;
}

// 100 * the sum of columns (their names up to a NULL) * scale / cycles.
static double *rate_of(const merged *m, const char *const *names, double scale) {
  double *all = room(m->n);
  for (size_t k = 0; k < m->n; k++) {
    for (size_t c = 0; names[c]; c++)
      all[k] += column_sum(m, k, names[c]);
    all[k] = m->cycles[k] > 0 ? all[k] * scale / m->cycles[k] : NAN;
  }
  return all;
}

typedef struct rate {
  const char *name;
  const char *columns[4];
  double scale;
} rate;

static void put_rates(const report *r, const merged *m, const rate *rates, size_t n,
                      const chart_lines *how) {
  chart_line lines[8];
  double *values[8];
  chart_lines c = *how;
  for (size_t k = 0; k < n; k++) {
    values[k] = rate_of(m, rates[k].columns, rates[k].scale);
    lines[k] = (chart_line){rates[k].name, m->x, values[k], m->n, false};
  }
  c.all = lines, c.n = n;
  c.x_axis = "cycle";
  chart_lines_put(r->p, &c);
  for (size_t k = 0; k < n; k++)
    free(values[k]);
}

static void put_hits(const report *r, const merged *m) {
  double *hits = room(m->n);
  for (size_t k = 0; k < m->n; k++) {
    const double hit = column_sum(m, k, "row_hits");
    hits[k] = report_percent(
        hit, hit + column_sum(m, k, "row_misses") + column_sum(m, k, "row_conflicts"));
  }
  chart_lines_put(r->p, &(chart_lines){.about = {.title = "Row hits",
                                                 .note = "of the accesses of all banks",
                                                 .half = true,
                                                 .no_table = true},
                                       .x_axis = "cycle",
                                       .suffix = " %",
                                       .all = &(chart_line){"row hits", m->x, hits, m->n, false},
                                       .n = 1});
  free(hits);
}

static void put_figures(const report *r, const merged *m) {
  const double subcores = 100 / (SUBCORES * r->cores);
  const double bus = 100 / (r->cores * report_key(r, "tsv.flits_per_cycle"));
  const double column = fmax(report_key(r, "dram.tCCD"), report_key(r, "dram.burst"));
  const double banks = 100 * column / (r->cores * BANKS);
  const rate parts[] = {{"issue slots", {"cycles_issue"}, subcores},
                        {"TSV buses", {"bus_down", "bus_up"}, bus},
                        {"banks", {"rd", "wr"}, banks}};
  const rate waits[] = {{"issue", {"cycles_issue"}, subcores},
                        {"memory", {"cycles_memory"}, subcores},
                        {"fetch and engine", {"cycles_fetch", "cycles_engine"}, subcores},
                        {"scoreboard", {"cycles_scoreboard"}, subcores},
                        {"barrier", {"cycles_barrier"}, subcores},
                        {"no warp", {"cycles_empty"}, subcores}};
  const rate remote[] = {{"requests to other cores", {"remote"}, 1000},
                         {"flits on links", {"on_chip_flits", "off_chip_flits"}, 1000}};
  put_rates(r, m, parts, 3,
            &(chart_lines){.about = {.title = "Use of the parts of the machine",
                                     .note = "of what all of a kind could do together",
                                     .no_table = true},
                           .suffix = " %"});
  put_rates(
      r, m, waits, 6,
      &(chart_lines){
          .about = {.title = "What subcores do", .note = "share of their cycles", .no_table = true},
          .suffix = " %"});
  page_pair_begin(r->p);
  put_hits(r, m);
  if (r->cores > 1)
    put_rates(r, m, remote, 2,
              &(chart_lines){.about = {.title = "Traffic between cores",
                                       .note = "in 1000 cycles",
                                       .half = true,
                                       .no_table = true}});
  page_pair_end(r->p);
}

void report_time(const report *r) {
  const csv *t = r->in->interval;
  if (!t) {
    report_lacks(r,
                 "Rates over time: run the program with --interval FILE, and give FILE to this "
                 "command with --interval.");
    return;
  }
  if (!t->rows) {
    report_lacks(r, "Rates over time: the table has no rows, for the run has no launches.");
    return;
  }
  page_section(r->p, "time", "Rates over time");
  merged m = {.table = t, .factor = (t->rows + POINTS - 1) / POINTS};
  m.n = (t->rows + m.factor - 1) / m.factor;
  m.x = room(m.n), m.cycles = room(m.n);
  const size_t cycle = csv_column(t, "cycle");
  for (size_t k = 0; k < m.n; k++) {
    m.cycles[k] = column_sum(&m, k, "cycles");
    m.x[k] = csv_number(t, k * m.factor, cycle) + m.cycles[k] / 2;
  }
  if (m.factor > 1)
    page_note(r->p, "Each point is the mean of %zu rows of the table.", m.factor);
  put_figures(r, &m);
  free(m.x);
  free(m.cycles);
}
