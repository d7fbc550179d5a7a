// SPDX-License-Identifier: Apache-2.0
// What `mpu run --stats FILE` wrote, read again: the other way of stats_json
// (harness/machines/mpu/core/stats.h). libyaml reads it, for JSON is YAML; nothing else is needed
// at run time.
#ifndef NEARBANK_STATS_READ_H
#define NEARBANK_STATS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/machines/mpu/core/stats.h"

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
  core_stats core;  // all cores together
} stats_file;

// False: `why` is a line that says what is wrong with the file. It has every counter that
// harness/machines/mpu/core/stats.def has; what it has beside them is not looked at.
bool stats_read(const char *name, stats_file *to, char *why, size_t why_bytes);
// The same of a run of any machine: the functional one has no cycles and no counters of a core,
// which are UINT64_MAX then.
bool stats_read_run(const char *name, stats_file *to, char *why, size_t why_bytes);

#endif
