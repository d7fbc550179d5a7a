// SPDX-License-Identifier: Apache-2.0
// Launches on the cycle-by-cycle machine: what a runtime calls instead of launch_run.
#ifndef NEARBANK_SIM_H
#define NEARBANK_SIM_H

#include "core.h"

typedef struct sim sim;

// launch_run of machine m from now on executes on a core; m's memory, of which SIM_CORE_BYTES at
// most are used, is the core's DRAM. The results are launch_run's; MACHINE_MODEL: models differ;
// MACHINE_STOPPED: `watch` said so. NULL: `why`. To be freed before the machine.
typedef struct sim_config {
  core_config core;
  near_config near;     // but memory and strides
  uint64_t max_cycles;  // of a launch, 0: no limit
  core_watch *watch;    // or NULL
  void *ctx;
} sim_config;

// A machine of one core, as sim_new wants it.
void sim_machine(machine_config *m);
sim *sim_new(const sim_config *c, machine *m, char *why, size_t why_bytes);
void sim_free(sim *s);
const core *sim_core(const sim *s);
uint64_t sim_commands(const sim *s, uint32_t nbu, uint32_t bank, dram_cmd cmd);

// Bytes of DRAM that a core has.
#define SIM_CORE_BYTES (256ull << 20)

#endif
