// SPDX-License-Identifier: Apache-2.0
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "core_priv.h"

struct sim {
  machine *m;
  core *core;
  near *near;
  bool lockstep;
};

sim *sim_new(const core_config *c, const near_config *given, machine *m, char *why,
             size_t why_bytes) {
  sim *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  near_config n = *given;
  n.memory = m->memory;
  n.bank_stride = 32, n.nbu_stride = 128, n.col_stride = 512, n.row_stride = 16384;
  n.refresh = c->trefi != 0;
  s->m = m;
  s->lockstep = n.mode == NEAR_LOCKSTEP;
  s->near = near_new(&n, why, why_bytes);
  s->core = s->near ? core_new(c, s->near, why, why_bytes) : NULL;
  if (!s->core) {
    sim_free(s);
    return NULL;
  }
  return s;
}

void sim_free(sim *s) {
  if (!s)
    return;
  core_free(s->core);
  if (s->near)
    near_free(s->near);
  free(s);
}

const core *sim_core(const sim *s) {
  return s->core;
}

uint64_t sim_commands(const sim *s, uint32_t nbu, uint32_t bank, dram_cmd cmd) {
  return near_commands(s->near, nbu, bank, cmd);
}

// A line a word, slot and NBU; 512 bytes for the four of a line.
static machine_error local_memory(sim *s, const module_kernel *k, uint64_t *address) {
  const uint64_t lines = (k->local_bytes + 3) / 4, bytes = lines * SLOTS * 512;
  *address = 0;
  if (!lines)
    return MACHINE_OK;
  const machine_error e = machine_malloc(s->m, bytes + 512, address);
  if (e)
    return machine_fail(s->m, e, "kernel %s: no device memory for %llu bytes of local memory",
                        k->name, (unsigned long long)bytes);
  return machine_fill(s->m, *address, 0, bytes + 512);
}

static machine_error result_of(sim *s, core_result r, const launch *l) {
  switch (r) {
    case CORE_OK:
      return MACHINE_OK;
    case CORE_FAULT:
      return l->failed ? l->error : MACHINE_FAULT_LIMIT;
    case CORE_STOPPED:
      return machine_fail(s->m, MACHINE_STOPPED, "stopped in the launch of %s", l->kernel->name);
    default:
      return machine_fail(s->m, MACHINE_MODEL, "%s", core_message(s->core));
  }
}

machine_error sim_launch(sim *s, module *mod, const module_kernel *k, const launch_shape *shape,
                         const void *params, size_t param_bytes, uint64_t max_cycles,
                         core_watch *watch, void *ctx, launch_stats *stats) {
  launch *l = NULL, *gold = NULL;
  machine *shadow = NULL;
  uint64_t local = 0;
  machine_error e = launch_new(s->m, mod, k, shape, params, param_bytes, &l);
  if (e)
    return e;
  if (s->lockstep) {
    shadow = machine_shadow(s->m);
    if (!shadow)
      e = machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
    else if (launch_new(shadow, mod, k, shape, params, param_bytes, &gold))
      e = machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
    else
      gold->number = l->number;
  }
  if (!e)
    e = local_memory(s, k, &local);
  if (!e) {
    s->core->local_lines = (local + 511) / 512 * 512;
    e = result_of(s, core_run(s->core, l, gold, max_cycles, watch, ctx), l);
    *stats = launch_get_stats(l);
  }
  if (local)
    machine_release(s->m, local);
  launch_free(gold);
  machine_shadow_free(shadow);
  launch_free(l);
  return e;
}
