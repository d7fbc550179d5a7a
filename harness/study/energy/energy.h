// SPDX-License-Identifier: Apache-2.0
// The energy of a run: events that its statistics count, times what each costs (energy.def), in the
// parts of parts.def and the groups of the paper's Fig. 10. What each event is: docs/energy.md.
#ifndef NEARBANK_ENERGY_H
#define NEARBANK_ENERGY_H

#include <stdio.h>
#include "harness/base/config/config.h"
#include "stats_read.h"

typedef enum energy_group {
  ENERGY_ALU,
  ENERGY_OPC_RF,
  ENERGY_DRAM,
  ENERGY_TSV,
  ENERGY_NETWORK,
  ENERGY_REST,
  ENERGY_GROUPS
} energy_group;

extern const char *const energy_group_names[ENERGY_GROUPS];
extern const double energy_paper[ENERGY_GROUPS];  // percent: its Fig. 10, the mean of all workloads

enum {
  ENERGY_PARTS = 0
#define PART(...) +1
#include "parts.def"
#undef PART
};

typedef struct energy_part {
  energy_group group;
  const char *name, *constant, *unit;
  uint64_t events;
  double pj, joules;  // of an event; of all
} energy_part;

// What is there also when nothing happens; it is in no group.
typedef struct energy_idle {
  double dram, base, near;  // joules: banks that stand by; leakage on the base and the DRAM die
} energy_idle;

typedef struct energy_report {
  const char *file, *program, *end;  // the caller's
  uint64_t cycles, cores;
  uint32_t per_processor;  // cores
  double seconds;
  energy_part parts[ENERGY_PARTS];
  double group[ENERGY_GROUPS], refresh, total;  // joules, without what idles
  energy_idle idle;
  // watts over the run, 0 when it has no cycles: of all of it; of a processor with all of the
  // cores that the paper's has, each like one of these
  double watts, idle_watts, refresh_watts;
  double processor, density;  // both with what idles; mW/mm2 of the footprint
} energy_report;

// `file` names s in the report, which points into both.
void energy_of(const stats_file *s, const char *file, const config *constants, energy_report *to);
// Means, each run counting the same: shares of groups in percent; and of processor and density.
typedef struct energy_mean {
  double percent[ENERGY_GROUPS], processor, density;
} energy_mean;
energy_mean energy_mean_of(const energy_report *all, size_t count);

// ---- energy_print.c

void energy_print(const energy_report *r, const config *constants, FILE *to);
void energy_print_rows(const energy_report *all, size_t count, const config *constants, FILE *to);
void energy_print_csv(const energy_report *all, size_t count, FILE *to);
void energy_print_json(const energy_report *all, size_t count, const config *constants, FILE *to);
// The constants, with units and sources.
void energy_print_constants(const config *constants, FILE *to);

#endif
