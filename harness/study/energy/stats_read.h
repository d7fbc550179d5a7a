// SPDX-License-Identifier: Apache-2.0
// What `mpu run --stats FILE` and `mpu machine --stats FILE` wrote, read again: the other way of
// counters_json (harness/base/schedule/counters.h). libyaml reads it, for JSON is YAML; nothing
// else is needed at run time.
#ifndef NEARBANK_STATS_READ_H
#define NEARBANK_STATS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/base/schedule/machine.h"
#include "harness/machines/mpu/core/stats.h"

enum { STATS_KINDS = 8 };

// Of the run, as harness/machines/mpu/core/stats.def has them.
#define COUNTER(level, name, unit, doc) STATS_READ_##level(name)
#define STATS_READ_RUN(name) uint64_t name;
#define STATS_READ_CORE(name)
#define STATS_READ_SUB(name)
#define STATS_READ_NBU(name)
#define STATS_READ_BANK(name)
typedef struct run_stats {
#include "harness/machines/mpu/core/stats.def"
} run_stats;  // those that are no whole numbers are not set
#undef COUNTER
#undef STATS_READ_RUN
#undef STATS_READ_CORE
#undef STATS_READ_SUB
#undef STATS_READ_NBU
#undef STATS_READ_BANK

typedef struct stats_file {
  char program[64], end[16];
  double host_seconds, cpu_seconds;  // 0: not there
  run_stats run;
  // MPU: kind 0 is its core, and `core` all of them together. Another machine: the kinds of its
  // nodes, how many nodes there are of each, and what these counted together (stats_free).
  const machine_ops *machine;  // NULL: MPU
  const node_kind *kinds[STATS_KINDS];
  uint32_t n_kinds;
  uint64_t nodes[STATS_KINDS], *sums[STATS_KINDS];
  core_stats core;
} stats_file;

// False: `why` is a line that says what is wrong with the file. It has every counter that the nodes
// of its machine declare; what it has beside them is not looked at. `machines`: those that are
// known beside MPU, up to a NULL; NULL: none.
bool stats_read(const char *name, const machine_ops *const *machines, stats_file *to, char *why,
                size_t why_bytes);
// The same of a text; `name` is for messages.
bool stats_read_text(const char *name, const char *text, size_t length,
                     const machine_ops *const *machines, stats_file *to, char *why,
                     size_t why_bytes);
void stats_free(stats_file *s);
// What all nodes of a kind counted together.
const uint64_t *stats_sums(const stats_file *s, uint32_t kind);
// The same of a run of any machine: the functional one has no cycles and no counters of a core,
// which are UINT64_MAX then.
bool stats_read_run(const char *name, stats_file *to, char *why, size_t why_bytes);

#endif
