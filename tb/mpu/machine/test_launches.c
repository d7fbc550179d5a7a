// SPDX-License-Identifier: Apache-2.0
// A launch takes the same cycles and counts the same whatever ran before it; rows that it leaves
// open and refreshes that it does not come to are counted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

// Words of all cores and of shared memory, from all subcores at once; it leaves memory as it is.
static const char many[] = PROG_START
    "ld.param.b64 rd2, [rz]\n"
    "mov.b32 r8, 0\n"
    "again:\n"
    "mad.u32 r9, r8, 1337, r0\n"
    "and.b32 r9, r9, 16383\n"
    "madw.u32 rd10, r9, 4, rd2\n"
    "ld.global.b32 r16, [rd10]\n"
    "and.b32 r12, r0, 127\n"
    "mul.u32 r12, r12, 4\n"
    "st.shared.b32 [r12], r16\n"
    "ld.shared.b32 r17, [r12]\n"
    "st.global.b32 [rd10], r17\n"
    "add.u32 r8, r8, 1\n"
    "setp.lt.u32 p1, r8, 6\n"
    "@p1 bra again, end\n"
    "end:\n"
    "exit\n";
// Two that end after a few cycles.
static const char few[] = PROG_START
    "ld.global.b32 r16, [rd4]\n"
    "exit\n";
static const char fewer[] =
    "mov.b32 r16, 1\n"
    "exit\n";

typedef struct rig {
  prog p;
  sim *s;
  module *mods[3];
} rig;

static void rig_open(rig *r, const sim_config *c) {
  static const char *const texts[] = {many, few, fewer};
  char why[1000];
  machine_config mc = machine_config_default();
  mc.far_rf_bytes = 32768, mc.near_rf_bytes = 16384;
  if (!sim_machine(c, &mc, why, sizeof why))
    fail_msg("%s", why);
  r->p = prog_open(&mc);
  if (!(r->s = sim_new(c, r->p.m, why, sizeof why)))
    fail_msg("%s", why);
  for (int k = 0; k < 3; k++) {
    r->mods[k] = prog_assemble(texts[k]);
    r->mods[k]->kernels->shared_bytes = k ? 0 : 512;
    assert_int_equal(machine_add_module(r->p.m, r->mods[k]), MACHINE_OK);
  }
}

static void rig_close(rig *r) {
  sim_free(r->s);
  prog_close(&r->p);
}

static void launch_of(rig *r, int which, launch_shape shape) {
  launch *l;
  module *mod = r->mods[which];
  if (launch_new(r->p.m, mod, mod->kernels, &shape, r->p.params, sizeof r->p.params, &l) ||
      launch_run(l))
    fail_msg("%s", machine_message(r->p.m));
  launch_free(l);
}

enum { CORES = 16, WORDS = sizeof(core_stats) / 8 };

// What a launch of `many` counts, by core.
static void count(rig *r, uint32_t cores, uint64_t (*counted)[WORDS]) {
  uint64_t before[CORES][WORDS];
  for (uint32_t k = 0; k < cores; k++)
    memcpy(before[k], core_statistics(sim_core(r->s, k)), sizeof before[k]);
  launch_of(r, 0, shape_1d(2 * cores, 160));
  for (uint32_t k = 0; k < cores; k++) {
    memcpy(counted[k], core_statistics(sim_core(r->s, k)), sizeof counted[k]);
    for (uint32_t n = 0; n < WORDS; n++)
      counted[k][n] -= before[k][n];
    // by the clock of the machine, not of the launch
    counted[k][offsetof(core_stats, refreshes_between) / 8] = 0;
  }
}

static void a_launch_does_not_see_what_ran_before(void **state) {
  (void)state;
  static const uint32_t sizes[] = {1, 4, 16};
  static uint64_t first[CORES][WORDS], again[CORES][WORDS];
  static uint32_t words[PROG_WORDS];
  for (unsigned n = 0; n < 3; n++)
    for (int closed = 0; closed < 2; closed++) {
      sim_config c = rig_machine(sizes[n]);
      rig r;
      uint32_t phases = 0;
      c.near.channel.closed = closed;
      rig_open(&r, &c);
      count(&r, sizes[n], first);
      for (int turn = 0; turn < 8 || (phases != 15 && turn < 64); turn++) {
        // other kernels, a write of the host, another grid, the same one twice
        for (int k = 0; k < turn % 4; k++)
          launch_of(&r, 1 + (turn + k) % 2,
                    shape_1d(1 + (uint32_t)turn * 3, 32 * (1 + (uint32_t)k)));
        if (turn == 5) {
          memset(words, 0, sizeof words);
          assert_int_equal(machine_write(r.p.m, r.p.out, words, RIG_BYTES), MACHINE_OK);
        }
        phases |= 1u << sim_cycle(r.s) % 4;
        count(&r, sizes[n], again);
        for (uint32_t k = 0; k < sizes[n]; k++)
          for (uint32_t w = 0; w < WORDS; w++)
            if (first[k][w] != again[k][w])
              fail_msg("%u cores, turn %d, core %u, counter %u: %llu, then %llu", sizes[n], turn, k,
                       w, (unsigned long long)first[k][w], (unsigned long long)again[k][w]);
      }
      assert_int_equal(phases, 15);  // launches began in cycles of all kinds
      rig_close(&r);
    }
}

// Short launches, one after the other: each bank is refreshed as often as its time asks for, and
// closes each row that it opens.
static void what_is_left_over_is_counted(void **state) {
  (void)state;
  const sim_config c = rig_machine(4);
  rig r;
  rig_open(&r, &c);
  for (int k = 0; k < 100; k++)
    launch_of(&r, k % 3, shape_1d(8, 64));
  const core_stats all = sim_all(r.s);
  const uint64_t due = sim_cycle(r.s) / c.core.trefi;
  assert_true(due > 10);
  assert_int_equal(all.cycles + all.cycles_drain, sim_cycle(r.s));
  for (uint32_t k = 0; k < 4; k++) {
    const core_stats *x = core_statistics(sim_core(r.s, k));
    const uint64_t between = x->self_refreshes + x->refreshes_between;
    for (uint32_t n = 0; n < 16; n++) {
      const bank_stats *b = &x->nbu[n / 4].bank[n % 4];
      assert_int_equal(b->ref + between, due);
      assert_int_equal(b->pre + b->pre_between, b->act);
    }
  }
  assert_true(all.nbu[0].bank[0].act && all.refreshes_between);
  rig_close(&r);
}

// The same in one launch that is long: nothing is left over but what is open at its end.
static void a_long_launch_leaves_little(void **state) {
  (void)state;
  sim_config c = rig_machine(1);
  rig r;
  c.core.trefi = 500;
  rig_open(&r, &c);
  launch_of(&r, 0, shape_1d(64, 160));
  const core_stats all = sim_all(r.s);
  const uint64_t due = sim_cycle(r.s) / c.core.trefi;
  assert_true(due > 10);
  assert_in_range(all.refreshes_between, 0, 1);
  for (uint32_t n = 0; n < 16; n++) {
    const bank_stats *b = &all.nbu[n / 4].bank[n % 4];
    assert_int_equal(b->ref + all.self_refreshes + all.refreshes_between, due);
    assert_in_range(b->pre_between, 0, 4);
  }
  rig_close(&r);
  c.core.trefi = 0;
  rig_open(&r, &c);
  for (int k = 0; k < 3; k++)
    launch_of(&r, 0, shape_1d(64, 160));
  assert_int_equal(sim_all(r.s).refreshes_between, 0);
  rig_close(&r);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_does_not_see_what_ran_before),
      cmocka_unit_test(what_is_left_over_is_counted),
      cmocka_unit_test(a_long_launch_leaves_little),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests_name("launches", tests, NULL, NULL);
}
