// SPDX-License-Identifier: Apache-2.0
// What a core counts: harness/core/stats.def.
#ifndef NEARBANK_STATS_H
#define NEARBANK_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { STATS_DOWN_KINDS = 10, STATS_UP_KINDS = 5 };

#define STATS_SUB(name) uint64_t name;
#define STATS_NBU(name)
#define STATS_CORE(name)
#define COUNTER(level, name, unit, doc) STATS_##level(name)
typedef struct subcore_stats {
#include "stats.def"
} subcore_stats;
#undef STATS_SUB
#undef STATS_NBU
#define STATS_SUB(name)
#define STATS_NBU(name) uint64_t name;
typedef struct nbu_stats {
#include "stats.def"
  uint64_t down[STATS_DOWN_KINDS], up[STATS_UP_KINDS];              // packets by kind
  uint64_t down_flits[STATS_DOWN_KINDS], up_flits[STATS_UP_KINDS];  // their flits
} nbu_stats;
#undef STATS_NBU
#undef STATS_CORE
#define STATS_NBU(name)
#define STATS_CORE(name) uint64_t name;
typedef struct core_stats {
#include "stats.def"
  subcore_stats sub[4];
  nbu_stats nbu[4];
} core_stats;
#undef STATS_SUB
#undef STATS_NBU
#undef STATS_CORE
#undef COUNTER

void stats_json(const core_stats *s, FILE *f);  // one object

#endif
