// SPDX-License-Identifier: Apache-2.0
// Launches on the cycle-by-cycle machine: what a runtime calls instead of launch_run.
#ifndef NEARBANK_SIM_H
#define NEARBANK_SIM_H

#include "core.h"

typedef struct sim sim;

// Launches of machine m from now on execute on a core; m's memory is the core's DRAM. NULL: `why`.
sim *sim_new(const core_config *c, const near_config *n, machine *m, char *why, size_t why_bytes);
void sim_free(sim *s);

// As launch_new, launch_run and launch_free. MACHINE_MODEL: a difference between models.
machine_error sim_launch(sim *s, module *mod, const module_kernel *k, const launch_shape *shape,
                         const void *params, size_t param_bytes, uint64_t max_cycles,
                         core_watch *watch, void *ctx, launch_stats *stats);
const core *sim_core(const sim *s);
uint64_t sim_commands(const sim *s, uint32_t nbu, uint32_t bank, dram_cmd cmd);

// Bytes of DRAM that a core has.
#define SIM_CORE_BYTES (256ull << 20)

#endif
