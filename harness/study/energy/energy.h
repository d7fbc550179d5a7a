// SPDX-License-Identifier: Apache-2.0
// The energy of a run: events that its statistics count, times what each costs, as the nodes of its
// machine declare (harness/base/schedule/node.h), and the network. For MPU these are
// harness/machines/mpu/core/energies.def and the groups of the paper's Fig. 10; what each event is:
// docs/energy.md.
#ifndef NEARBANK_ENERGY_H
#define NEARBANK_ENERGY_H

#include <stdio.h>
#include "harness/base/config/config.h"
#include "harness/base/schedule/energies.h"
#include "stats_read.h"

enum { ENERGY_PARTS = 96, ENERGY_GROUPS = 12, ENERGY_IDLE = 12, ENERGY_LAYERS = 8 };

double energy_paper(const char *group);  // percent: its Fig. 10, the mean of all workloads

typedef struct energy_part {
  unsigned group;  // number among those of the report
  energies_part is;
} energy_part;

// What is there also when nothing happens; it is in no group.
typedef struct energy_idle {
  const char *name, *doc, *constant;
  double joules;
} energy_idle;

// A die of the stack, with what idles there, where the machine says which there are.
typedef struct energy_layer {
  const char *name, *doc;
  double count;           // of a node
  double watts, density;  // of all of them; mW/mm2 of one
} energy_layer;

typedef struct energy_report {
  const char *file, *program, *end;  // the caller's
  uint64_t cycles, cores;
  uint32_t per_processor;  // cores
  double seconds;
  const machine_ops *machine;       // NULL: MPU
  energy_part parts[ENERGY_PARTS];  // in the order of the groups
  unsigned n_parts, n_groups, n_idle;
  const char *group_names[ENERGY_GROUPS];
  double group[ENERGY_GROUPS], refresh, total;  // joules, without what idles
  energy_idle idle[ENERGY_IDLE];
  double idle_joules;
  energy_layer layers[ENERGY_LAYERS];
  unsigned n_layers;
  // watts over the run, 0 when it has no cycles: of all of it; of a processor with all of the
  // cores that the paper's has, each like one of these
  double watts, idle_watts, refresh_watts;
  double processor, density;  // both with what idles; mW/mm2 of the footprint, of all layers
} energy_report;

// `file` names s in the report, which points into both.
void energy_of(const stats_file *s, const char *file, const config *constants, energy_report *to);
// Means, of runs of one machine, each counting the same: shares of groups in percent; and of
// processor and density.
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
