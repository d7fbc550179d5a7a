// SPDX-License-Identifier: Apache-2.0
// The settings of a run, from an environment that is the test's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/cuda/settings.h"

static const char *lookup(void *ctx, const char *variable) {
  const char *const *pairs = ctx;
  for (; *pairs; pairs += 2)
    if (strcmp(*pairs, variable) == 0)
      return pairs[1];
  return NULL;
}

static void nothing_is_set(void **state) {
  (void)state;
  const char *const none[] = {NULL};
  char why[CONFIG_WHY] = "";
  run_settings s;
  assert_true(settings_read(&s, lookup, (void *)none, why, sizeof why));
  assert_false(s.timed);
  assert_false(s.report);
  assert_false(s.terminal);
  assert_null(s.stats);
  assert_int_equal(s.threads, 0);
  assert_int_equal(s.machine.machine.processors, 8);  // the functional machine
}

static void all_is_read(void **state) {
  (void)state;
  const char *const all[] = {"MPU_NEAR",
                             "lockstep",
                             "MPU_CONFIG",
                             "core.warp_slots=7\n",
                             "MPU_THREADS",
                             "12",
                             "MPU_STATS",
                             "a b.json",
                             "MPU_REPORT",
                             "1",
                             "MPU_PROGRESS",
                             "yes",
                             "MPU_MAX_CYCLES",
                             "12345678901",
                             "TERM",
                             "xterm",
                             "MPU_WAVE_SCOPE",
                             "",
                             NULL};
  char why[CONFIG_WHY] = "";
  run_settings s;
  assert_true(settings_read(&s, lookup, (void *)all, why, sizeof why));
  assert_true(s.timed);
  assert_int_equal(s.near, NEAR_LOCKSTEP);
  assert_int_equal(s.machine.core.warp_slots, 7);
  assert_int_equal(s.machine.machine.processors, 8);
  assert_int_equal(s.threads, 12);
  assert_true(s.max_cycles == 12345678901);
  assert_string_equal(s.stats, "a b.json");
  assert_true(s.report);
  assert_false(s.progress);  // 1, and nothing else, is yes
  assert_true(s.terminal);
  assert_null(s.wave_scope);
}

static void no_machine_is_one_core(void **state) {
  (void)state;
  const char *const c[] = {"MPU_NEAR", "c", NULL};
  char why[CONFIG_WHY] = "";
  run_settings s;
  assert_true(settings_read(&s, lookup, (void *)c, why, sizeof why));
  assert_int_equal(s.machine.machine.processors * s.machine.machine.cores, 1);
}

// What is right is there all the same: the report that a program owes goes where it belongs.
static void wrong_ones(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"MPU_NEAR", "verilog", "MPU_NEAR takes c, rtl, lockstep or none, not 'verilog'"},
      {"MPU_THREADS", "2x", "MPU_THREADS takes a number from 1, not '2x'"},
      {"MPU_THREADS", "-1", "MPU_THREADS takes a number from 1, not '-1'"},
      {"MPU_MAX_CYCLES", "0", "MPU_MAX_CYCLES takes a number from 1, not '0'"},
      {"MPU_MAX_INSTRUCTIONS", "99999999999999999999999",
       "MPU_MAX_INSTRUCTIONS takes a number from 1, not '99999999999999999999999'"},
      {"MPU_CONFIG", "core.warp_slots=70\n", "core.warp_slots: 70 is out of range"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const char *const c[] = {cases[n][0], cases[n][1], "MPU_NEAR", "c", "MPU_STATS", "s", NULL};
    char why[CONFIG_WHY] = "";
    run_settings s;
    assert_false(settings_read(&s, lookup, (void *)c, why, sizeof why));
    if (!strstr(why, cases[n][2]))
      fail_msg("%s=%s: \"%s\", not \"%s\"", cases[n][0], cases[n][1], why, cases[n][2]);
    assert_string_equal(s.stats, "s");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_set),
      cmocka_unit_test(all_is_read),
      cmocka_unit_test(no_machine_is_one_core),
      cmocka_unit_test(wrong_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
