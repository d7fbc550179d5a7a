// SPDX-License-Identifier: Apache-2.0
// What a vault counts: its parts add to it as it happens.
#ifndef NEARBANK_SPACEA_COUNTERS_H
#define NEARBANK_SPACEA_COUNTERS_H

#include <stdint.h>

typedef struct vault_counters {
#define COUNTER(name, doc, energy) uint64_t name;
#include "counters.def"
#undef COUNTER
} vault_counters;

#endif
