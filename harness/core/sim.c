// SPDX-License-Identifier: Apache-2.0
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "../../csim/isa/mpu_elf.h"
#include "core_priv.h"

struct sim {
  sim_config config;
  machine *m;
  core *core;
  near *near;
  bool
      spoiled;  // a launch ended in the middle: everything is as if after power-up for the next one
};

static machine_error run(void *ctx, launch *l);

static bool power_up(sim *s, char *why, size_t why_bytes) {
  core *before = s->core;
  if (s->near)
    near_free(s->near);
  s->core = NULL;
  s->near = near_new(&s->config.near, why, why_bytes);
  if (s->near)
    s->core = core_new(&s->config.core, s->near, why, why_bytes);
  if (before && s->core)
    core_keep_statistics(s->core, before);
  core_free(before);
  s->spoiled = false;
  return s->core;
}

// The map of one core (lsu_nbu, lsu_sector): bytes from one to the next.
enum { BANK = 32, NBU = 4 * BANK, COLUMN = 4 * NBU, ROW = 32 * COLUMN };

void sim_machine(machine_config *m) {
  m->memory_bytes = SIM_CORE_BYTES;
  m->align = COLUMN, m->row_bytes = ROW;
  m->cores = 1;
}

sim *sim_new(const sim_config *config, machine *m, char *why, size_t why_bytes) {
  sim *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  if (m->config.memory_bytes > SIM_CORE_BYTES) {
    snprintf(why, why_bytes, "one core has %llu MB of memory, not %llu", SIM_CORE_BYTES >> 20,
             (unsigned long long)m->config.memory_bytes >> 20);
    free(s);
    return NULL;
  }
  s->config = *config;
  near_config *n = &s->config.near;
  n->memory = m->memory;
  n->bank_stride = BANK, n->nbu_stride = NBU;
  n->col = dram_even(COLUMN), n->row = dram_even(ROW);
  n->refresh = config->core.trefi != 0;
  s->m = m;
  if (!power_up(s, why, why_bytes)) {
    sim_free(s);
    return NULL;
  }
  machine_set_runner(m, run, s);
  return s;
}

void sim_free(sim *s) {
  if (!s)
    return;
  machine_set_runner(s->m, NULL, NULL);
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

// A line a word, slot and NBU; 512 bytes for the four of a line. At the end of memory, behind what
// can be allocated.
static machine_error local_memory(sim *s, const module_kernel *k, uint64_t *address) {
  const machine *m = s->m;
  const uint64_t lines = (k->local_bytes + 3) / 4, bytes = lines * SLOTS * 512;
  const allocation *last = m->count ? &m->allocations[m->count - 1] : NULL;
  *address = 0;
  if (!lines)
    return MACHINE_OK;
  if (m->config.memory_bytes < bytes ||
      (last && last->base + last->bytes > m->config.memory_bytes - bytes))
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY,
                        "kernel %s: no device memory for %llu bytes of local memory", k->name,
                        (unsigned long long)bytes);
  *address = (m->config.memory_bytes - bytes) / 512 * 512;
  return MACHINE_OK;
}

static machine_error result_of(sim *s, core_result r, const launch *l) {
  char at[4000];
  switch (r) {
    case CORE_OK:
      return MACHINE_OK;
    case CORE_FAULT:
      return l->failed ? l->error : MACHINE_FAULT_LIMIT;
    case CORE_STOPPED:
      report_warps(s->core, at, sizeof at);
      return machine_fail(s->m, MACHINE_STOPPED, "stopped in the launch of %s%s", l->kernel->name,
                          at);
    default:
      return machine_fail(s->m, MACHINE_MODEL, "%s", core_message(s->core));
  }
}

static machine_error run(void *ctx, launch *l) {
  sim *s = ctx;
  launch *gold = NULL;
  machine *shadow = NULL;
  machine_error e = MACHINE_OK;
  char why[1000];
  const uint32_t dies = l->kernel->flags >> MPU_KERNEL_DIES;
  if (dies != s->config.core.dies)
    return machine_fail(s->m, MACHINE_BAD_LAUNCH,
                        "kernel %s is compiled with --dies=%s; this machine is --dies=%s",
                        l->kernel->name, isa_dies_names[dies], isa_dies_names[s->config.core.dies]);
  if (s->spoiled && !power_up(s, why, sizeof why))
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "%s", why);
  if (s->config.near.mode == NEAR_LOCKSTEP) {
    shadow = machine_shadow(s->m);
    if (!shadow ||
        launch_new(shadow, l->mod, l->kernel, &l->shape, l->params, l->kernel->param_bytes, &gold))
      e = machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
    else
      gold->number = l->number;
  }
  if (!e)
    e = local_memory(s, l->kernel, &s->core->local_lines);
  if (!e)
    e = result_of(
        s, core_run(s->core, l, gold, s->config.max_cycles, s->config.watch, s->config.ctx), l);
  s->spoiled = e != MACHINE_OK;
  launch_free(gold);
  machine_shadow_free(shadow);
  return e;
}
