// SPDX-License-Identifier: Apache-2.0
// What a profile has of an instruction: the counters of profile.def. All of it are 64-bit words, so
// sums and files take it as a list of them.
#ifndef NEARBANK_PROFILE_COUNTS_H
#define NEARBANK_PROFILE_COUNTS_H

#include <stddef.h>
#include <stdint.h>
#include "harness/base/buckets.h"

enum { PROFILE_SUBCORES = 4, PROFILE_PACKETS = 14, PROFILE_BUCKETS = BUCKETS };

typedef enum profile_cause {
#define PROFILE_CAUSE(NAME, name, doc) PROFILE_##NAME,
#include "profile.def"
  PROFILE_CAUSES
} profile_cause;

typedef enum profile_other {
#define PROFILE_OTHER(NAME, name, doc) PROFILE_##NAME,
#include "profile.def"
  PROFILE_OTHERS
} profile_other;

typedef struct profile_traffic {
#define PROFILE_TRAFFIC(name, unit, doc) uint64_t name;
#include "profile.def"
  uint64_t packets[PROFILE_PACKETS];  // that went down, by kind (csim/mpu/tsv.def)
} profile_traffic;

typedef struct profile_counts {
  uint64_t cycles[PROFILE_CAUSES][PROFILE_SUBCORES];
#define PROFILE_COUNT(name, unit, doc) uint64_t name;
#include "profile.def"
  profile_traffic own;     // in the core that executes it
  profile_traffic served;  // in others, whose LSU-Remote does it
  uint64_t latencies[PROFILE_BUCKETS];
} profile_counts;

enum { PROFILE_WORDS = sizeof(profile_counts) / sizeof(uint64_t) };

static inline void profile_add(profile_counts *to, const profile_counts *from) {
  for (size_t n = 0; n < PROFILE_WORDS; n++)
    ((uint64_t *)to)[n] += ((const uint64_t *)from)[n];
}

#endif
