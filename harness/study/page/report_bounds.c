// SPDX-License-Identifier: Apache-2.0
// Bounds: the cycles that the busiest of each kind of part needs at least, and the roofline.
#include <math.h>
#include <stdlib.h>

#include "report_priv.h"

enum { SUBCORES = 4, BANKS = 16, SECTOR = 32, FLIT = 8 };

// ---- of the busiest part

// The core with the most of something, and how much.
typedef double measure(const tree *core);
static double most_of(const report *r, measure *m, size_t *core) {
  double most = NAN;
  size_t n = 0;
  for (const tree *c; (c = report_core(r, n)); n++) {
    const double v = m(c);
    if (isfinite(v) && !(v <= most))
      most = v, *core = n;
  }
  return most;
}

static double flits(const tree *core) {
  return report_sum(core, "bus_down") + report_sum(core, "bus_up");
}

// Shared memory works on one request at a time.
static double shared(const tree *core) {
  return report_sum(core, "nbus.smem_requests") + report_sum(core, "nbus.smem_conflicts");
}

static double issued(const tree *core) {
  double most = NAN;
  const tree *s = tree_in(core, "subcores");
  for (s = s ? s->first : NULL; s; s = s->next)
    most = fmax(most, report_sum(s, "issued"));
  return most;
}

static double accesses(const tree *core) {
  double most = NAN;
  const tree *n = tree_in(core, "nbus");
  for (n = n ? n->first : NULL; n; n = n->next) {
    const tree *b = tree_in(n, "banks");
    for (b = b ? b->first : NULL; b; b = b->next)
      most = fmax(most, report_sum(b, "rd") + report_sum(b, "wr"));
  }
  return most;
}

// A bank controller gives one command a cycle.
static double commands(const tree *core) {
  static const char *const kinds[] = {"banks.act", "banks.pre", "banks.sasel",
                                      "banks.rd",  "banks.wr",  "banks.ref"};
  double most = NAN;
  const tree *n = tree_in(core, "nbus");
  for (n = n ? n->first : NULL; n; n = n->next) {
    double all = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      all += report_sum(n, kinds[k]);
    most = fmax(most, all);
  }
  return most;
}

// ---- the network: flits over links, as if all links were used alike, or of the busiest one

static double mesh_links(double columns, double rows) {
  return 2 * ((columns - 1) * rows + (rows - 1) * columns);
}

static double network_cycles(const report *r) {
  const double on = report_sum(r->run, "on_chip_flits"), off = report_sum(r->run, "off_chip_flits");
  const char *topology = tree_text(tree_at(r->settings, "network.topology"), "");
  if (!isfinite(on) || !isfinite(off))
    return NAN;
  if (on + off == 0)
    return 0;
  const size_t each = (size_t)(r->cores / r->processors), n = (size_t)r->processors;
  const double columns = (double)report_columns(r, "network.columns", each);
  const double rows = ceil((double)each / columns);
  const double wide = (double)report_columns(r, "network.processor_columns", n);
  const double high = ceil(r->processors / wide);
  const double on_rate = report_link_rate(r, false), off_rate = report_link_rate(r, true);
  double links = mesh_links(columns, rows) * r->processors;
  if (topology[0] == 'd')  // with diagonals
    links += 4 * (columns - 1) * (rows - 1) * r->processors;
  else if (topology[0] != 'm')
    return NAN;
  const double between = mesh_links(wide, high) * report_key(r, "network.gateways");
  const double inside = links > 0 ? on / (links * on_rate) : 0;
  return fmax(inside, between > 0 ? off / (between * off_rate) : 0);
}

// ---- all of them

void report_bounds_of(const report *r, report_bound to[REPORT_BOUNDS]) {
  const double rate = report_key(r, "tsv.flits_per_cycle");
  const double column = fmax(report_key(r, "dram.tCCD"), report_key(r, "dram.burst"));
  // A counter has the cycles, in statistics of newer programs; else it is so many a unit of `of`.
  const struct {
    const char *name, *what, *counter;
    measure *of;
    double each;
    const char *busiest, *does;
  } parts[] = {
      {"issue", "instructions of the subcore with the most, one a cycle", "bound_issue", issued, 1,
       "the busiest subcore, of core", ", issues in"},
      {"TSV bus", "flits of the core with the most, at the rate of its bus", "bound_tsv", flits,
       1 / rate, "the bus of core", " is busy in"},
      {"banks", "accesses of the bank with the most, at its rate of columns", "bound_banks",
       accesses, column, "the busiest bank, of core", ", moves data in"},
      {"command bus", "commands of the bank controller with the most, one a cycle for its banks",
       "bound_commands", commands, 1, "a bank controller of core", " gives commands in"},
      {"shared memory", "cycles that its requests take in the core with the most, with conflicts",
       "bound_shared", shared, 1, "that of core", " works in"}};
  size_t core = 0;
  report_bound *b = to;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, b++) {
    const double most = most_of(r, parts[k].of, &core);
    const double counted = report_sum(r->run, parts[k].counter);
    *b = (report_bound){.name = parts[k].name,
                        .what = parts[k].what,
                        .cycles = isfinite(counted) ? counted : most * parts[k].each};
    snprintf(b->where, sizeof b->where, "%s %zu%s", parts[k].busiest, core, parts[k].does);
  }
  char link[64];
  *b = (report_bound){.name = "network", .what = "flits of the link with the most, at its rate"};
  b->cycles = report_link_cycles(r, link, sizeof link);
  snprintf(b->where, sizeof b->where, "the busiest link, %s, is busy in", link);
  if (isfinite(b->cycles))
    return;
  b->what = "flits over links, as if all links were used alike";
  b->cycles = network_cycles(r);
  snprintf(b->where, sizeof b->where, "its links are busy, on average, in");
}

static void put_bounds(const report *r) {
  report_bound b[REPORT_BOUNDS];
  const char *names[REPORT_BOUNDS], *titles[REPORT_BOUNDS];
  static const char *const series[] = {"share of the cycles"};
  double shares[REPORT_BOUNDS];
  report_bounds_of(r, b);
  for (size_t k = 0; k < REPORT_BOUNDS; k++) {
    names[k] = b[k].name;
    titles[k] = b[k].what;
    shares[k] = report_percent(b[k].cycles, r->cycles);
  }
  chart_bars_put(r->p,
                 &(chart_bars){.about = {.title = "How near each part is to its bound",
                                         .note = "cycles that the busiest of each kind needs at "
                                                 "least, of the cycles that the run took",
                                         .no_table = true},
                               .suffix = " %",
                               .names = names,
                               .titles = titles,
                               .n = REPORT_BOUNDS,
                               .series = series,
                               .n_series = 1,
                               .values = shares,
                               .guide = 100,
                               .guide_name = "the cycles of the run",
                               .rows = true});
  const page_column columns[] = {{.name = "bound"},
                                 {.name = "cycles", .number = true},
                                 {.name = "of the run", .number = true},
                                 {.name = "what is counted"}};
  page_table_begin(r->p, NULL, columns, 4);
  for (size_t k = 0; k < REPORT_BOUNDS; k++) {
    page_cell(r->p, "%s", b[k].name);
    page_cell_number(r->p, isfinite(b[k].cycles) ? rint(b[k].cycles) : NAN);
    if (isfinite(shares[k]))
      page_cell(r->p, "%.1f %%", shares[k]);
    else
      page_cell_number(r->p, NAN);
    page_cell(r->p, "%s", b[k].what);
  }
  page_cell_as(r->p, PAGE_ALL, NULL, NULL, "the run");
  page_cell_number(r->p, r->cycles);
  page_cell(r->p, "100 %%");
  page_cell(r->p, "%s", "");
  page_table_end(r->p);
}

// ---- roofline, of the whole machine

static void put_roofline(const report *r) {
  const double instructions = report_sum(r->core, "subcores.issued");
  const double bytes =
      SECTOR * (report_sum(r->core, "nbus.banks.rd") + report_sum(r->core, "nbus.banks.wr"));
  const double all_flits = flits(r->core), rate = report_key(r, "tsv.flits_per_cycle");
  const double column = fmax(report_key(r, "dram.tCCD"), report_key(r, "dram.burst"));
  if (!(bytes > 0) || !(instructions > 0)) {
    page_note(r->p, "A roofline needs accesses of DRAM, and this run has none.");
    return;
  }
  char banks[96], bus[96], issue[64], across[96], number[PAGE_NUMBER];
  const double bank_bytes = r->cores * BANKS * SECTOR / column, bus_flits = r->cores * rate;
  snprintf(banks, sizeof banks, "banks: %s bytes a cycle", page_number(number, bank_bytes));
  snprintf(across, sizeof across, "all bytes over the TSV buses: %s a cycle",
           page_number(number, bus_flits * FLIT));
  snprintf(bus, sizeof bus, "TSV buses: %s flits an instruction, as in this run",
           page_number(number, all_flits / instructions));
  snprintf(issue, sizeof issue, "issue: %s a cycle", page_number(number, r->cores * SUBCORES));
  const chart_roof roofs[] = {
      {issue, r->cores * SUBCORES, 0, false},
      {banks, INFINITY, bank_bytes, false},
      {across, INFINITY, bus_flits * FLIT, true},
      {bus, all_flits > 0 ? bus_flits * instructions / all_flits : INFINITY, 0, false}};
  const chart_roof_point point = {report_name(r->in->run), instructions / bytes,
                                  instructions / r->cycles};
  chart_roofline_put(
      r->p,
      &(chart_roofline){
          .about = {.title = "Roofline of the machine",
                    .note = "Rates of all cores together. A point above the line of bytes over the "
                            "TSV buses does what a processor on the base die could not.",
                    .told = "Warp instructions a cycle over warp instructions a byte of DRAM."},
          .x_axis = "warp instructions a byte of DRAM",
          .y_axis = "warp instructions a cycle",
          .roofs = roofs,
          .n_roofs = 4,
          .points = &point,
          .n_points = 1});
}

void report_bounds(const report *r) {
  report_section(r, "bounds", "Bounds");
  put_bounds(r);
  put_roofline(r);
}
