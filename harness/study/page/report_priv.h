// SPDX-License-Identifier: Apache-2.0
// What the sections of a report share (report_run.c puts them together).
#ifndef NEARBANK_REPORT_PRIV_H
#define NEARBANK_REPORT_PRIV_H

#include "chart.h"
#include "palette.h"
#include "report.h"

enum { REPORT_ID = 32, REPORT_CORES = 4096 };

// What the page does not have, each once: it is at the end.
enum { REPORT_LACKS = 8 };
typedef struct report_lacking {
  const char *texts[REPORT_LACKS];
  size_t n;
} report_lacking;

typedef struct report {
  page *p;
  const report_input *in;
  const tree *run;       // of a run with several devices one of them
  const tree *settings;  // its configuration; NULL: the file has none
  const tree *core;      // all cores together
  const tree *each;      // list of cores; NULL: there is one, `core`
  double cores, processors, cycles;
  int device;                   // -1: there is one
  bool before;                  // it is of the run before
  const struct report *beside;  // the run with the same scales; NULL: none
  report_lacking *lacking;
} report;

// ---- numbers of the statistics; NaN: it is not there

// Along a path, of lists the sum: "nbus.banks.rd".
double report_sum(const tree *t, const char *path);
double report_key(const report *r, const char *path);  // of the configuration: "dram.tCCD"
const tree *report_core(const report *r, size_t n);    // NULL: beyond the last one
double report_percent(double part, double of);         // NaN when one of them is missing
// Percentages with one decimal that add up to 100 exactly, of parts that are all there; all zero
// when the sum is.
void report_shares(const double *parts, size_t n, double *to);

// ---- bounds: cycles that a part of the machine needs at least (report_bounds.c)

typedef struct report_bound {
  const char *name, *what;  // "TSV bus", "the bus of core 3 is busy in"
  double cycles;            // NaN: not known
  char where[96];           // of the busiest part
} report_bound;
enum { REPORT_BOUNDS = 6 };
void report_bounds_of(const report *r, report_bound to[REPORT_BOUNDS]);

// ---- the network (report_network.c)

// Columns of so many cores or processors: of the configuration, or as near to a square as there is.
size_t report_columns(const report *r, const char *key, size_t count);
// Flits in a core cycle that a link takes, on a processor or between processors.
double report_link_rate(const report *r, bool off_chip);
// Cycles that the busiest link needs at least, and its name; NaN: links are not counted.
double report_link_cycles(const report *r, char *name, size_t bytes);

// ---- classes of cycles (report_cycles.c)

enum { REPORT_CLASSES = 12 };
typedef struct report_class {
  const char *name, *doing;  // "barrier", "wait at barriers"
  int colour;
  double cycles;  // of all subcores, or of one
} report_class;
// Of a subcore (0 to 3), or of all (-1), of a core or of all of them. How many classes there are;
// 0: the counters are missing.
size_t report_classes(const report *r, const tree *core, int subcore,
                      report_class to[REPORT_CLASSES]);

// ---- sections

void report_section(const report *r, const char *id, const char *heading);
void report_lacks(const report *r, const char *text);  // a sentence that lives on
void report_head(const report *r);
void report_bounds(const report *r);
void report_cycles(const report *r);
void report_traffic(const report *r);
void report_energy(const report *r);
void report_maps(const report *r);
void report_network(const report *r);
void report_latencies(const report *r);
void report_arrays(const report *r);
void report_time(const report *r);
void report_lines(const report *r);
void report_settings(const report *r);
void report_nodes(const report *r);

#endif
