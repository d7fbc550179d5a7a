// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

uint32_t rig_random(void) {
  static uint64_t x = 0x9e3779b97f4a7c15;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return (uint32_t)(x >> 32);
}
uint32_t rig_below(uint32_t n) {
  return (uint32_t)((uint64_t)rig_random() * n >> 32);
}

sim_config rig_machine(uint32_t cores) {
  near_mode mode = NEAR_C;
  timed_mode(&mode);
  sim_config c = timed_cores(cores, mode);
  c.max_cycles = 3000000;
  c.core.icache_miss = 1;
  return c;
}

core_stats rig_run(const sim_config *c, const char *text, bool full, launch_shape shape,
                   uint32_t words[PROG_WORDS]) {
  char why[1000];
  machine_config mc = machine_config_default();
  core_stats all = {0};
  sim *s = NULL;
  launch *l;
  mc.far_rf_bytes = 32768, mc.near_rf_bytes = 16384;
  if (c && !sim_machine(c, &mc, why, sizeof why))
    fail_msg("%s", why);
  prog p = prog_open(&mc);
  if (c && !(s = sim_new(c, p.m, why, sizeof why)))
    fail_msg("%s", why);
  module *mod = prog_assemble(text);
  module_kernel *k = mod->kernels;
  if (full)
    k->regs_both = 16, k->regs_near = 0, k->local_bytes = 0;
  if (machine_add_module(p.m, mod) || machine_write(p.m, p.out, words, RIG_BYTES) ||
      launch_new(p.m, mod, k, &shape, p.params, sizeof p.params, &l) || launch_run(l))
    fail_msg("%s", machine_message(p.m));
  launch_free(l);
  prog_fetch(&p, words);
  if (s)
    all = sim_all(s);
  sim_free(s);
  prog_close(&p);
  return all;
}

core_stats rig_check(const sim_config *c, const char *text, launch_shape shape,
                     const uint32_t words[PROG_WORDS], const char *what) {
  static uint32_t want[PROG_WORDS], have[PROG_WORDS];
  memcpy(want, words, sizeof want);
  memcpy(have, words, sizeof have);
  rig_run(NULL, text, false, shape, want);
  const core_stats all = rig_run(c, text, false, shape, have);
  for (uint32_t k = 0; k < PROG_WORDS; k++)
    if (have[k] != want[k])
      fail_msg("%s: byte 0x%x is %08x, not %08x\n%s", what, 4 * k, have[k], want[k], text);
  return all;
}
