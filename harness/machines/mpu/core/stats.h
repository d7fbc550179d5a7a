// SPDX-License-Identifier: Apache-2.0
// What a core counts: harness/machines/mpu/core/stats.def, lanes by
// harness/machines/mpu/core/classes.def, and the packets of csim/mpu/tsv.def.
#ifndef NEARBANK_STATS_H
#define NEARBANK_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include "harness/base/buckets.h"
#include "harness/base/json.h"
#include "csim/isa/isa.h"

typedef enum stats_latency {
#define LATENCY(name, NAME, doc) STATS_##NAME,
#include "latencies.def"
  STATS_LATENCIES
} stats_latency;

typedef enum stats_kind {
#define STATS_CLASS(name, doc) STATS_##name,
#include "classes.def"
#undef STATS_CLASS
  STATS_CLASSES
} stats_kind;

// Of an instruction that computes.
stats_kind stats_class(const isa_inst *i);

enum { STATS_SCHEMA = 1, STATS_DOWN_KINDS = 14, STATS_UP_KINDS = 5 };

// Members of one level each.
#define COUNTER(level, name, unit, doc) STATS_##level(name)
#define STATS_RUN(name)
#define STATS_CORE(name)
#define STATS_SUB(name)
#define STATS_NBU(name)
#define STATS_BANK(name) uint64_t name;
typedef struct bank_stats {
#include "stats.def"
} bank_stats;
#undef STATS_BANK
#define STATS_BANK(name)
#undef STATS_SUB
#define STATS_SUB(name) uint64_t name;
typedef struct subcore_stats {
#include "stats.def"
  uint64_t lanes_near[STATS_CLASSES], lanes_far[STATS_CLASSES];  // that computed
} subcore_stats;
#undef STATS_SUB
#define STATS_SUB(name)
#undef STATS_NBU
#define STATS_NBU(name) uint64_t name;
typedef struct nbu_stats {
#include "stats.def"
  uint64_t down[STATS_DOWN_KINDS], up[STATS_UP_KINDS];              // packets by kind
  uint64_t down_flits[STATS_DOWN_KINDS], up_flits[STATS_UP_KINDS];  // their flits
  bank_stats bank[4];
} nbu_stats;
#undef STATS_NBU
#define STATS_NBU(name)
#undef STATS_CORE
#define STATS_CORE(name) uint64_t name;
typedef struct core_stats {
#include "stats.def"
  subcore_stats sub[4];
  nbu_stats nbu[4];
  uint64_t latencies[STATS_LATENCIES][BUCKETS];  // of accesses that have ended
} core_stats;
#undef STATS_RUN
#undef STATS_CORE
#undef STATS_SUB
#undef STATS_NBU
#undef STATS_BANK
#undef COUNTER

// The cycles that a resource would be busy with what was asked of it, were it never waiting.
typedef struct stats_bounds {
  uint64_t issue, tsv, banks, commands, shared;
} stats_bounds;

uint64_t stats_issued(const core_stats *s);  // by its four subcores

// access_cycles: from RD to RD of a bank, as of near_access_cycles(). flits: of the bus in a cycle.
stats_bounds stats_bounds_of(const core_stats *s, uint32_t access_cycles, uint32_t flits);

void stats_json(const core_stats *s, const char *key, json_writer *to);  // one object

#endif
