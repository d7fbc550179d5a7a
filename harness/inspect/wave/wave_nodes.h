// SPDX-License-Identifier: Apache-2.0
// Waves of any machine of nodes: a scope each node ("engine1"), in it one each module that it
// declares and can record (harness/base/schedule/node.h).
#ifndef NEARBANK_WAVE_NODES_H
#define NEARBANK_WAVE_NODES_H

#include "harness/base/schedule/node.h"
#include "wave.h"

typedef struct wave_nodes_config {
  const char *file, *scopes;  // scopes NULL: all
  uint64_t from, until;       // cycles; until: behind the last one
  const node *nodes;          // stay the caller's
  uint32_t count;
} wave_nodes_config;

typedef struct wave_nodes wave_nodes;

// Before the first cycle. NULL: `why`.
wave_nodes *wave_nodes_new(const wave_nodes_config *c, char *why, size_t why_bytes);
// As schedule_watch has them.
uint64_t wave_nodes_cycles(void *w);
bool wave_nodes_window(void *w, uint64_t until);
wave_summary wave_nodes_close(wave_nodes *w, uint64_t cycle);  // that the run ended at; frees it

#endif
