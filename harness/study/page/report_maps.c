// SPDX-License-Identifier: Apache-2.0
// Heat maps: the cores of the machine where they lie, the banks of a core.
#include <math.h>
#include <stdlib.h>

#include "harness/base/config/config.h"
#include "report_priv.h"

enum { SUBCORES = 4, TITLE = 96 };

// ---- cores: processors as meshes, in a mesh of processors

typedef struct floor_plan {
  size_t columns, rows;    // of a processor
  size_t wide, high;       // processors
  size_t across, down, n;  // cells
  size_t *cell;            // of each core
  char (*titles)[TITLE];   // of each cell
  const char **title_texts;
  double *values;
} floor_plan;

static void *must(void *memory) {
  if (!memory)
    abort();
  return memory;
}

static floor_plan plan_of(const report *r) {
  const size_t cores = (size_t)r->cores, processors = (size_t)r->processors;
  const size_t each = cores / processors;
  floor_plan f = {.columns = report_columns(r, "network.columns", each),
                  .wide = report_columns(r, "network.processor_columns", processors)};
  f.rows = (each + f.columns - 1) / f.columns;
  f.high = (processors + f.wide - 1) / f.wide;
  f.across = f.columns * f.wide, f.down = f.rows * f.high;
  f.n = f.across * f.down;
  f.cell = must(calloc(cores, sizeof *f.cell));
  f.titles = must(calloc(f.n, sizeof *f.titles));
  f.title_texts = must(calloc(f.n, sizeof *f.title_texts));
  f.values = must(calloc(f.n, sizeof *f.values));
  for (size_t k = 0; k < f.n; k++) {
    snprintf(f.titles[k], TITLE, "no core");
    f.title_texts[k] = f.titles[k];
  }
  for (size_t k = 0; k < cores; k++) {
    const size_t p = k / each, c = k % each;
    const size_t x = p % f.wide * f.columns + c % f.columns;
    const size_t y = p / f.wide * f.rows + c / f.columns;
    f.cell[k] = y * f.across + x;
    snprintf(f.titles[f.cell[k]], TITLE, "core %zu (processor %zu, core %zu)", k, p, c);
  }
  return f;
}

static void free_plan(floor_plan *f) {
  free(f->cell);
  free(f->titles);
  free(f->title_texts);
  free(f->values);
}

typedef double measure(const report *r, const tree *core);

static double issue_share(const report *r, const tree *core) {
  return report_percent(report_sum(core, "subcores.issued"), SUBCORES * r->cycles);
}
static double bus_share(const report *r, const tree *core) {
  return report_percent(report_sum(core, "bus_down") + report_sum(core, "bus_up"),
                        report_key(r, "tsv.flits_per_cycle") * r->cycles);
}
static double bank_share(const report *r, const tree *core) {
  const double column = fmax(report_key(r, "dram.tCCD"), report_key(r, "dram.burst"));
  const double sectors = report_sum(core, "nbus.banks.rd") + report_sum(core, "nbus.banks.wr");
  return report_percent(sectors * column, 16 * r->cycles);
}
static double hits(const tree *t, const char *before) {
  static const char *const keys[] = {"row_hits_1", "row_hits_2", "row_hits_3",
                                     "row_hits_4", "row_misses", "row_conflicts"};
  double hit = 0, all = 0;
  for (size_t k = 0; k < 6; k++) {
    char path[40];
    snprintf(path, sizeof path, "%s%s", before, keys[k]);
    const double n = report_sum(t, path);
    all += n;
    if (k < 4)
      hit += n;
  }
  return report_percent(hit, all);
}
static double hit_share(const report *r, const tree *core) {
  (void)r;
  return hits(core, "nbus.banks.");
}
static double served(const report *r, const tree *core) {
  (void)r;
  return report_sum(core, "served");
}
static double asked(const report *r, const tree *core) {
  (void)r;
  return report_sum(core, "subcores.remote");
}

static double most_of(const report *r, measure *m) {
  double most = 0;
  const tree *core;
  for (size_t k = 0; r && k < (size_t)r->cores && (core = report_core(r, k)); k++)
    most = fmax(most, m(r, core));  // of NaN and a number it is the number
  return most;
}

static void put_cores(const report *r, floor_plan *f, measure *m, const char *title,
                      const char *unit, const char *suffix, double high) {
  const double most = fmax(most_of(r, m), most_of(r->beside, m));
  for (size_t k = 0; k < f->n; k++)
    f->values[k] = NAN;
  for (size_t k = 0; k < (size_t)r->cores; k++) {
    const tree *core = report_core(r, k);
    f->values[f->cell[k]] = core ? m(r, core) : NAN;
  }
  if (!(most > 0))
    return;
  chart_heat_put(r->p, &(chart_heat){.about = {.title = title, .half = true, .no_table = true},
                                     .unit = unit,
                                     .suffix = suffix,
                                     .n_rows = f->down,
                                     .n_columns = f->across,
                                     .values = f->values,
                                     .titles = f->title_texts,
                                     .rows_together = f->high > 1 ? f->rows : 0,
                                     .columns_together = f->wide > 1 ? f->columns : 0,
                                     .low = 0,
                                     .high = high > 0 ? high : most});
}

static void put_core_table(const report *r) {
  const page_column columns[] = {
      {.name = "core", .number = true},           {.name = "processor", .number = true},
      {.name = "blocks", .number = true},         {.name = "issue", .number = true},
      {.name = "TSV bus", .number = true},        {.name = "banks", .number = true},
      {.name = "row hits", .number = true},       {.name = "requests sent", .number = true},
      {.name = "requests served", .number = true}};
  static measure *const shares[] = {issue_share, bus_share, bank_share, hit_share};
  const size_t each = (size_t)(r->cores / r->processors);
  page_fold_begin(r->p, "Each core");
  page_table_begin(r->p, NULL, columns, sizeof columns / sizeof *columns);
  size_t n = 0;
  for (const tree *c; (c = report_core(r, n)); n++) {
    page_cell(r->p, "%zu", n);
    page_cell(r->p, "%zu", each ? n / each : 0);
    page_cell_number(r->p, report_sum(c, "blocks"));
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
      const double v = shares[k](r, c);
      if (isfinite(v))
        page_cell(r->p, "%.1f %%", v);
      else
        page_cell_as(r->p, PAGE_GONE, "no accesses", NULL, "-");
    }
    page_cell_number(r->p, asked(r, c));
    page_cell_number(r->p, served(r, c));
  }
  page_table_end(r->p);
  page_fold_end(r->p);
}

// ---- banks of all cores together

enum { UNITS = 16, BANKS = 16 };

static void put_banks(const report *r) {
  double counts[UNITS * BANKS], shares[UNITS * BANKS];
  static const char *const unit_names[UNITS] = {
      "NBU 0", "NBU 1", "NBU 2",  "NBU 3",  "NBU 4",  "NBU 5",  "NBU 6",  "NBU 7",
      "NBU 8", "NBU 9", "NBU 10", "NBU 11", "NBU 12", "NBU 13", "NBU 14", "NBU 15"};
  static const char *const bank_names[BANKS] = {
      "bank 0", "bank 1", "bank 2",  "bank 3",  "bank 4",  "bank 5",  "bank 6",  "bank 7",
      "bank 8", "bank 9", "bank 10", "bank 11", "bank 12", "bank 13", "bank 14", "bank 15"};
  const tree *units = tree_in(r->core, "nbus");
  const size_t n = units ? units->n : 0;
  const tree *first = tree_in(units ? units->first : NULL, "banks");
  const size_t banks = first ? first->n : 0;
  if (!n || !banks || n > UNITS || banks > BANKS)
    return;
  double most = 0;
  size_t k = 0;
  for (const tree *u = units->first; u; u = u->next) {
    const tree *list = tree_in(u, "banks");
    const tree *b = list ? list->first : NULL;
    for (size_t m = 0; m < banks; m++, b = b ? b->next : NULL, k++) {
      counts[k] = report_sum(b, "rd") + report_sum(b, "wr");
      shares[k] = hits(b, "");
      most = fmax(most, counts[k]);
    }
  }
  const char *note = r->cores > 1 ? "of all cores together" : NULL;
  const chart_heat both[] = {
      {.about = {.title = "Accesses of the banks", .note = note, .half = true, .no_table = true},
       .unit = "accesses",
       .values = counts,
       .high = most > 0 ? most : 1},
      {.about = {.title = "Row hits of the banks", .note = note, .half = true, .no_table = true},
       .unit = "of the accesses",
       .suffix = " %",
       .values = shares,
       .high = 100}};
  for (size_t c = 0; c < 2; c++) {
    chart_heat h = both[c];
    h.n_rows = n, h.rows = unit_names;
    h.n_columns = banks, h.columns = bank_names;
    chart_heat_put(r->p, &h);
  }
}

void report_maps(const report *r) {
  report_section(r, "maps", r->cores > 1 ? "Cores and banks" : "Banks");
  const bool cores = r->cores > 1 && r->each && r->processors >= 1;
  if (cores) {
    floor_plan f = plan_of(r);
    page_text(r->p, f.wide * f.high > 1
                        ? "Each block of cells is a processor, each cell a core, as they lie "
                          "in the network. The mouse shows which one it is."
                        : "Each cell is a core, as they lie in the network. The mouse shows "
                          "which one it is.");
    page_pair_begin(r->p);
    put_cores(r, &f, issue_share, "Issue slots used", "of the slots", " %", 0);
    put_cores(r, &f, bus_share, "TSV bus busy", "of the cycles", " %", 0);
    put_cores(r, &f, bank_share, "Banks moving data", "of the cycles of 16 banks", " %", 0);
    put_cores(r, &f, hit_share, "Row hits", "of the accesses", " %", 100);
    put_cores(r, &f, asked, "Requests sent to other cores", "requests", NULL, 0);
    put_cores(r, &f, served, "Requests of other cores served", "requests", NULL, 0);
    free_plan(&f);
  } else {
    page_pair_begin(r->p);
  }
  put_banks(r);
  page_pair_end(r->p);
  if (cores)
    put_core_table(r);
}
