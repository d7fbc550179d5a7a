// SPDX-License-Identifier: Apache-2.0
// Launches on the cycle-by-cycle machine: MPU_NEAR says of what its near side is made, MPU_CONFIG
// what it is (harness/config, flat form). Without MPU_NEAR the functional machine executes them.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../config/config.h"
#include "rt.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int n) {
  (void)n;
  interrupted = 1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool rt_timed_mode(near_mode *mode) {
  static const char *const names[] = {"c", "rtl", "lockstep"};
  const char *given = getenv("MPU_NEAR");
  for (unsigned n = 0; given && n < 3; n++)
    if (strcmp(given, names[n]) == 0) {
      *mode = (near_mode)n;
      return true;
    }
  if (given && *given && strcmp(given, "none") != 0) {
    fprintf(stderr, "mpu: MPU_NEAR is c, rtl, lockstep or none, not '%s'\n", given);
    exit(2);
  }
  return false;
}

static core_config core_of(const config *c) {
  core_config k = core_config_default();
  k.warp_slots = c->core.warp_slots, k.block_slots = c->core.block_slots;
  k.collectors = c->core.collectors, k.lsu_queue = c->core.lsu_queue;
  k.tsv_queue = c->tsv.queue;
  k.far_rf_bytes = c->core.far_rf_bytes, k.near_rf_bytes = c->core.near_rf_bytes;
  k.shared_bytes = c->shared.bytes;
  k.icache_bytes = c->core.icache_bytes, k.icache_line = c->core.icache_line;
  k.icache_miss = c->core.icache_miss, k.constant_latency = c->core.constant_latency;
  k.trefi = c->dram.refresh ? c->dram.tREFI : 0;
  k.stall_limit = c->core.stall_limit;
  k.schedule = c->core.schedule == CONFIG_SCHEDULE_LRR ? CORE_LRR : CORE_GTO;
  return k;
}

static void wrong(const char *why) {
  fprintf(stderr, "mpu: %s\n", why);
  exit(2);
}

static config given_config(void) {
  char why[CONFIG_WHY];
  config c;
  const char *flat = getenv("MPU_CONFIG");
  const bool ok = flat && *flat ? config_read_flat(&c, flat, why, sizeof why)
                                : config_from_preset(&c, "small", why, sizeof why);
  if (!ok)
    wrong(why);
  if (c.machine.processors * c.machine.cores != 1)
    wrong(
        "the cycle-by-cycle machine has one core yet: machine.processors and machine.cores are 1");
  return c;
}

void rt_timed_config(machine_config *m) {
  const config c = given_config();
  m->memory_bytes = SIM_CORE_BYTES;
  m->cores = 1;
  m->warps_per_core = 4 * c.core.warp_slots;
  m->shared_per_block = c.shared.bytes;
  m->far_rf_bytes = c.core.far_rf_bytes;
  m->near_rf_bytes = c.core.near_rf_bytes;
}

sim *rt_timed_start(machine *m, near_mode mode) {
  char why[CONFIG_WHY];
  const config c = given_config();
  const core_config k = core_of(&c);
  const near_config n = {.mode = mode,
                         .name = "core 0",
                         .rows = c.dram.row_buffers,
                         .closed = c.dram.page == CONFIG_PAGE_CLOSED,
                         .mutant = getenv("MPU_MUTANT")};
  sim *s = sim_new(&k, &n, m, why, sizeof why);
  if (!s)
    wrong(why);
  return s;
}

static bool watch(void *ctx, uint64_t cycles, uint32_t done, uint32_t blocks) {
  (void)ctx, (void)cycles, (void)done, (void)blocks;
  return interrupted;
}

machine_error rt_timed_launch(rt_context *c, rt_program *p, const module_kernel *k,
                              const launch_shape *shape, const uint8_t *params) {
  const char *limit = getenv("MPU_MAX_CYCLES");
  struct sigaction act = {.sa_handler = on_signal}, before;
  launch_stats s = {0};
  const double start = now();
  sigaction(SIGINT, &act, &before);
  const machine_error e = sim_launch(c->timed, p->mod, k, shape, params, k->param_bytes,
                                     limit ? strtoull(limit, NULL, 10) : 0, watch, c, &s);
  sigaction(SIGINT, &before, NULL);
  c->seconds += now() - start;
  c->stats.global_bytes += s.global_bytes;
  c->stats.shared_accesses += s.shared_accesses;
  c->launches++;
  return e;
}
