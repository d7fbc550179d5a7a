// SPDX-License-Identifier: Apache-2.0
// One core, cycle by cycle: the base die in C (docs/core.md) on a near side (harness/near).
#ifndef NEARBANK_CORE_H
#define NEARBANK_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../../csim/isa/isa.h"
#include "../../csim/isa/machine.h"
#include "../near/near.h"
#include "stats.h"

typedef enum core_schedule { CORE_LRR, CORE_GTO } core_schedule;

// The parameters of docs/core.md.
typedef struct core_config {
  uint32_t warp_slots, block_slots, collectors, lsu_queue, tsv_queue;
  uint32_t far_rf_bytes, near_rf_bytes, shared_bytes;
  uint32_t icache_bytes, icache_line, icache_miss, constant_latency;
  uint32_t trefi;        // cycles from refresh to refresh of a bank, 0: none
  uint64_t stall_limit;  // cycles without an instruction that ends: an error
  core_schedule schedule;
  isa_dies dies;
} core_config;

core_config core_config_default(void);

typedef struct core core;

// `n` stays the caller's.
core *core_new(const core_config *c, near *n, char *why, size_t why_bytes);
void core_free(core *c);

// Executes a launch from its first block to its last. `gold` is the same launch on another machine,
// whose memory holds the same, or NULL. The cycle counter goes on from launch to launch. Errors of
// the program are the machine's; when the near side or the comparison finds a difference, or
// nothing ends any more, CORE_WRONG and core_message.
typedef enum core_result { CORE_OK, CORE_FAULT, CORE_WRONG, CORE_STOPPED } core_result;

// Called now and then; true ends the run (CORE_STOPPED).
typedef bool core_watch(void *ctx, uint64_t cycles, uint32_t blocks_done, uint32_t blocks);

core_result core_run(core *c, launch *l, launch *gold, uint64_t max_cycles, core_watch *watch,
                     void *ctx);
const char *core_message(const core *c);
uint64_t core_cycles(const core *c);
const core_stats *core_statistics(const core *c);
void core_keep_statistics(core *to, const core *from);  // goes on counting where it was

#endif
