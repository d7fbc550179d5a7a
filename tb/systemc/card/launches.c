// SPDX-License-Identifier: Apache-2.0
// Launches: faults, limits, results; cycles are those of launch_run on a machine of its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "tb/cosim/timed.h"

static uint32_t error_of(const user *u) {
  return (uint32_t)rig_get(u->r, (int)u->k, CONTEXT_R_ERROR);
}

// ---- faults

// A launch of `kernel` by u fails so; v, with a copy on its way and one that waits for the machine,
// does not notice; u works again after it was off.
static void fault(const char *kernel, shape s, const uint64_t *params, uint32_t count,
                  uint32_t status, const char *word) {
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 3), v = user_new(&r, 4);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 4096), b = user_alloc(&v, 65536);
  uint64_t own[2] = {0};
  for (uint32_t k = 0; k < count; k++)
    own[k] = params[k] < 65536 ? a + params[k] : params[k];  // small ones are offsets in its memory
  if (strcmp(kernel, "spin") == 0)
    own[0] = params[0];
  const card_command c = user_launch(&u, 0, kernel, s, own, count);
  uint8_t *of_v = v.bytes;
  for (uint32_t n = 0; n < 65536; n++)
    of_v[n] = (uint8_t)(n * 7 + n / 256);
  if (strcmp(kernel, "spin") == 0)
    rig_set(&r, -1, CARD_R_WATCHDOG, 2000);
  const uint32_t n = user_put(&u, c), after = user_put(&u, CMD(EVENT, 9));
  const uint32_t w = user_put(&v, CMD(WRITE, 0, b, v.data, 65536));
  const uint32_t f = user_put(&v, CMD(FILL, 1, b, 0, 64));
  user_ring(&u);
  user_ring(&v);
  rig_run(&r);
  const card_record got = user_record(&u, n);
  if (got.status != status)
    fail_msg("%s: %s, not %s: %s", kernel, card_status_name(got.status), card_status_name(status),
             user_text(&u));
  assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
  assert_int_equal(error_of(&u), status);
  assert_int_equal(rig_get(&r, 3, CONTEXT_R_ERROR_COMMAND), n);
  assert_int_equal(user_record(&u, after).status, CARD_OK);  // it needs no engine: it had begun
  assert_int_equal(r.interrupts, 1);
  if (!strstr(user_text(&u), word))
    fail_msg("%s: the text does not say '%s': %s", kernel, word, user_text(&u));
  assert_int_equal(user_record(&v, w).status, CARD_OK);
  assert_int_equal(user_record(&v, f).status, CARD_OK);
  // the engine is free from the end of the launch on
  assert_int_equal(user_record(&v, f).begin, got.end);
  rig_set(&r, -1, CARD_R_WATCHDOG, 0);
  user_expect(&v, CMD(READ, 0, v.data + 0x10000, b, 4096), CARD_OK);
  assert_memory_equal(v.bytes + 0x10000 + 64, of_v + 64, 4096 - 64);
  user_off(&u);
  user_on(&u);
  user_load(&u, object_kernels());
  const uint64_t again = user_alloc(&u, 256);
  user_expect(&u, user_launch(&u, 1, "store", (shape){1, 1, 0}, PARAMS(again, 5)), CARD_OK);
  assert_int_equal(user_word(&u, again), 5);
  rig_close(&r);
}

void faults_of_kernels(void **state) {
  (void)state;
  const shape one = {1, 1, 0}, two_warps = {1, 64, 0}, many = {64, 128, 0};
  fault("store", one, PARAMS(4096, 1), CARD_FAULT_ADDRESS, "store");
  fault("store", one, PARAMS(1ull << 20, 1), CARD_FAULT_ADDRESS, "store");
  fault("fetch", one, PARAMS(0, 8192), CARD_FAULT_ADDRESS, "fetch");
  fault("adds", one, PARAMS(4096, 1), CARD_FAULT_ADDRESS, "adds");
  fault("scale", (shape){9, 128, 0}, PARAMS(0, 0), CARD_FAULT_ADDRESS, "scale");  // the last block
  fault("store", one, PARAMS(2, 1), CARD_FAULT_ALIGN, "store");
  fault("fetch", one, PARAMS(0, 1), CARD_FAULT_ALIGN, "fetch");
  fault("adds", one, PARAMS(3, 1), CARD_FAULT_ALIGN, "adds");
  fault("traps", one, NULL, 0, CARD_FAULT_TRAP, "trap");
  fault("traps", many, NULL, 0, CARD_FAULT_TRAP, "trap");
  fault("waits", two_warps, NULL, 0, CARD_FAULT_DEADLOCK, "waits");
  fault("waits", (shape){64, 64, 0}, NULL, 0, CARD_FAULT_DEADLOCK, "waits");
  fault("spin", one, PARAMS(0), CARD_WATCHDOG, "spin");
  fault("spin", many, PARAMS(0), CARD_WATCHDOG, "spin");
}

// WATCHDOG is looked at when a launch begins; as many cycles as it says are fine.
void watchdog(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  card_command c = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(100));
  const card_record first = user_do(&u, c);
  const uint64_t cycles = first.words[CARD_LAUNCH_GIVES_CYCLES];
  rig_set(&r, -1, CARD_R_WATCHDOG, cycles);
  card_record got = user_do(&u, c);
  assert_int_equal(got.status, CARD_OK);
  assert_int_equal(got.words[CARD_LAUNCH_GIVES_CYCLES], cycles);
  // a change while it is under way is for the next one; nobody has to ring for it
  const uint32_t n = user_put(&u, c);
  user_ring(&u);
  rig_until(&r, r.now + RIG_L + rig_down(64) + 20000);
  rig_set(&r, -1, CARD_R_WATCHDOG, 10);
  rig_run(&r);
  assert_int_equal(user_record(&u, n).status, CARD_OK);
  got = user_do(&u, c);
  assert_int_equal(got.status, CARD_WATCHDOG);
  assert_true(got.end > got.begin);
  user_off(&u);
  rig_set(&r, -1, CARD_R_WATCHDOG, cycles - 1);
  user_on(&u);
  user_load(&u, object_kernels());
  c = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(100));
  got = user_do(&u, c);
  assert_int_equal(got.status, CARD_WATCHDOG);
  // 64 bits of it
  rig_set(&r, -1, CARD_R_WATCHDOG, 1ull << 32);
  user_off(&u);
  user_on(&u);
  user_load(&u, object_kernels());
  c = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(100));
  user_expect(&u, c, CARD_OK);
  rig_close(&r);
}

// Each limit around the end of launches, whose last accesses are under way when their blocks have
// ended.
void limits_at_the_end_of_a_launch(void **state) {
  (void)state;
  static const char *const kernels[] = {"scale", "adds", "rooms", "counts"};
  static const uint64_t aheads[] = {0, CARD_NEVER};
  static rig r;
  rig_open(&r);
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    for (uint64_t n = 0; n < 16; n++) {
      user u = user_new(&r, 0);
      r.ahead = aheads[n % 2];
      user_load(&u, object_kernels());
      const uint64_t a = user_alloc(&u, 65536);
      const uint64_t params[2] = {a, k ? 5 : a + 32768};  // reads what it does not write
      const card_command c =
          user_launch(&u, 0, kernels[k], (shape){12, 96, 0}, params, k < 2 ? 2 : 1);
      rig_set(&r, -1, CARD_R_WATCHDOG, 0);
      const uint64_t cycles = user_do(&u, c).words[CARD_LAUNCH_GIVES_CYCLES],
                     limit = cycles - 3 + n;
      rig_set(&r, -1, CARD_R_WATCHDOG, limit);
      const card_record got = user_do(&u, c);
      if (got.status != (limit < cycles ? CARD_WATCHDOG : CARD_OK))
        fail_msg("%s with a limit of %llu, %llu cycles: %s", kernels[k], (unsigned long long)limit,
                 (unsigned long long)cycles, card_status_name(got.status));
      user_off(&u);
    }
  }
  rig_close(&r);
}

// Whoever runs the card ends a launch: the context fails, the card goes on.
void stopped(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  card_command c = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(0));
  const uint32_t n = user_put(&u, c);
  user_ring(&u);
  r.ahead = 1000000;
  rig_until(&r, r.now + 20000000);
  assert_false(user_has(&u, n));
  r.stop = true;
  rig_run(&r);
  assert_int_equal(user_record(&u, n).status, CARD_STOPPED);
  assert_int_equal(error_of(&u), CARD_STOPPED);
  r.stop = false;
  user_off(&u);
  user_on(&u);
  user_load(&u, object_kernels());
  c = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(10));
  user_expect(&u, c, CARD_OK);
  rig_close(&r);
}

// ---- cycles

typedef struct run {
  const char *kernel;
  shape s;
  uint32_t params;
} run;
static const run runs[] = {
    {"scale", {1, 32, 0}, 2}, {"scale", {16, 128, 0}, 2}, {"scale", {40, 96, 1024}, 2},
    {"adds", {8, 64, 0}, 2},  {"wide", {4, 64, 0}, 1},    {"rooms", {6, 128, 0}, 1},
    {"spin", {3, 96, 0}, 1},  {"counts", {1, 1, 0}, 1},   {"exact", {9, 64, 0}, 0},
};
enum { RUNS = sizeof runs / sizeof *runs, BYTES = 65536 };

typedef struct result {
  uint64_t cycles, instructions;
} result;

static void params_of(const run *x, uint64_t a, uint64_t params[2]) {
  params[0] = strcmp(x->kernel, "spin") == 0 ? 77 : a;
  params[1] = strcmp(x->kernel, "scale") == 0 ? a + BYTES / 2 : 3;
}

static uint8_t pattern(uint32_t n) {
  return (uint8_t)(n * 13 + (n >> 8) * 5);
}

static void ok(machine *m, machine_error e) {
  if (e)
    fail_msg("%s", machine_message(m));
}

// Without a card: launch_run. The memory of the end to `left`. `timed`: cycles of the results, else
// their instructions, which the functional machine counts.
static void runs_alone(bool timed, near_mode mode, result *results, uint8_t *left) {
  char why[1000];
  const config c = rig_config();
  sim_config sc = sim_of_config(&c, mode);
  timed_host(&sc);
  machine_config mc = machine_config_default();
  assert_true(sim_machine(&sc, &mc, why, sizeof why));
  machine *m = machine_new(&mc);
  assert_non_null(m);
  sim *s = timed ? sim_new(&sc, m, why, sizeof why) : NULL;
  assert_true(s || !timed);
  module *mod = module_load(object_kernels()->image, object_kernels()->bytes, why, sizeof why);
  assert_non_null(mod);
  ok(m, machine_add_module(m, mod));
  uint64_t a;
  ok(m, machine_malloc(m, BYTES, &a));
  for (uint32_t n = 0; n < BYTES; n++)
    left[n] = pattern(n);
  ok(m, machine_write(m, a, left, BYTES));
  for (uint32_t k = 0; k < RUNS; k++) {
    const run *x = &runs[k];
    const launch_shape shape = {{x->s.blocks, 1, 1}, {x->s.threads, 1, 1}, x->s.shared};
    uint64_t params[2];
    launch *l;
    params_of(x, a, params);
    const uint64_t before = timed ? sim_cycles(s) : 0;
    ok(m,
       launch_new(m, mod, module_find_kernel(mod, x->kernel), &shape, params, 8 * x->params, &l));
    ok(m, launch_run(l));
    if (timed)
      results[k].cycles = sim_cycles(s) - before;
    else
      results[k].instructions = launch_get_stats(l).warp_instructions;
    launch_free(l);
  }
  ok(m, machine_read(m, left, a, BYTES));
  sim_free(s);
  machine_free(m);
}

// With one: the same, while another context copies (its link is busy all the time) or does not.
static void runs_on_card(near_mode mode, uint64_t ahead, bool busy, const result *want,
                         const uint8_t *left) {
  static rig r;
  static uint8_t have[BYTES];
  char why[1000];
  const config c = rig_config();
  if (!rig_open_as(&r, &c, mode, 0, why, sizeof why))
    fail_msg("%s", why);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  r.ahead = ahead;
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, BYTES), b = user_alloc(&v, BYTES);
  for (uint32_t n = 0; n < BYTES; n++)
    u.bytes[n] = pattern(n);
  user_expect(&u, CMD(WRITE, 0, a, u.data, BYTES), CARD_OK);
  for (uint32_t k = 0; k < RUNS; k++) {
    uint64_t params[2];
    params_of(&runs[k], a, params);
    const card_command l = user_launch(&u, 0, runs[k].kernel, runs[k].s, params, runs[k].params);
    rig_until(&r, r.now + 137);
    const uint32_t n = user_put(&u, l);
    user_ring(&u);
    for (uint32_t m = 0; m < 6 && busy; m++)
      user_put(&v, m % 2 ? CMD(WRITE, m, b, v.data, 4096 + 16 * k)
                         : CMD(READ, m, v.data + 0x8000, b, 2048 + 16 * k));
    if (busy)
      user_ring(&v);
    rig_run(&r);
    const card_record got = user_record(&u, n);
    if (got.status || got.words[CARD_LAUNCH_GIVES_CYCLES] != want[k].cycles ||
        got.words[CARD_LAUNCH_GIVES_INSTRUCTIONS] != want[k].instructions)
      fail_msg("%s, ahead %llu: %s, %llu cycles and %llu instructions, not %llu and %llu",
               runs[k].kernel, (unsigned long long)ahead, card_status_name(got.status),
               (unsigned long long)got.words[0], (unsigned long long)got.words[1],
               (unsigned long long)want[k].cycles, (unsigned long long)want[k].instructions);
    assert_int_equal(got.begin % 1000, 0);
    assert_int_equal(got.end - got.begin, 1000 * want[k].cycles);
    assert_int_equal(card_launch_begin(r.card), got.begin);
  }
  user_expect(&u, CMD(READ, 0, u.data, a, BYTES), CARD_OK);
  memcpy(have, u.bytes, BYTES);
  assert_memory_equal(have, left, BYTES);
  rig_close(&r);
}

static void cycles_with(near_mode mode) {
  static const uint64_t aheads[] = {0, 1000, 1001, 10000000, CARD_NEVER};
  static uint8_t left[BYTES];
  result want[RUNS];
  runs_alone(false, mode, want, left);
  runs_alone(true, mode, want, left);
  for (size_t n = 0; n < sizeof aheads / sizeof *aheads; n++)
    for (int busy = 0; busy < 2; busy++)
      runs_on_card(mode, aheads[n], busy, want, left);
}

void cycles_are_those_of_a_machine_alone(void **state) {
  (void)state;
  cycles_with(NEAR_C);
}

// Only where there is a library of the Verilog: that of the build or MPU_RTL_LIBRARY.
void cycles_in_lockstep(void **state) {
  (void)state;
  static rig r;
  char why[1000];
  const config c = rig_config();
  if (!rig_open_as(&r, &c, NEAR_LOCKSTEP, 0, why, sizeof why)) {
    printf("no Verilog: %s\n", why);
    skip();
  }
  rig_close(&r);
  cycles_with(NEAR_LOCKSTEP);
}

// What the host does to memory of others during a launch is in both models; and a difference of
// theirs is a status of the launch, after which the card works.
void memory_changes_during_a_launch(void **state) {
  (void)state;
  static rig r;
  char why[1000];
  const config c = rig_config();
  if (!rig_open_as(&r, &c, NEAR_LOCKSTEP, 0, why, sizeof why) &&
      !rig_open_as(&r, &c, NEAR_C, 0, why, sizeof why))
    fail_msg("%s", why);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  user_load(&u, object_kernels());
  user_load(&v, object_kernels());
  const uint64_t a = user_alloc(&u, 256), b = user_alloc(&v, 256);
  const uint32_t n = user_put(&u, user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(2000)));
  user_ring(&u);
  rig_until(&r, r.now + RIG_L + 100000);
  assert_null(card_window(r.card, &(uint64_t){0}));
  uint32_t word = 0x1234;
  user_put(&v, CMD(WRITE, 0, b, v.data, 256));
  user_ring(&v);
  rig_until(&r, r.now + 2 * RIG_L + 100000);
  assert_true(card_window_write(r.card, b + 128, &word, 4));
  assert_false(user_has(&u, n));
  rig_run(&r);
  assert_int_equal(user_record(&u, n).status, CARD_OK);
  assert_int_equal(user_word(&v, b + 128), 0x1234);
  // a launch that reads it sees it, in both
  user_expect(&v, user_launch(&v, 0, "scale", (shape){1, 32, 0}, PARAMS(b, b + 128)), CARD_OK);
  assert_int_equal(user_word(&v, b), 3 * 0x1234);
  user_expect(&u, CMD(READ, 0, u.data, a, 256), CARD_OK);
  rig_close(&r);
}

// Doorbells while a launch is far ahead of the time of the host: off and reset all the same.
void a_launch_that_is_ahead(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  for (int how = 0; how < 3; how++) {
    user u = user_new(&r, 0), v = user_new(&r, 1);
    r.ahead = 0;
    user_load(&u, object_kernels());
    const uint64_t b = user_alloc(&v, 256);
    const card_command c = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(1000));
    r.ahead = CARD_NEVER;
    const uint32_t n = user_put(&u, c);
    user_ring(&u);
    const uint64_t begin = (r.now + RIG_L + rig_down(64) + 999) / 1000 * 1000;
    rig_until(&r, begin + 100000);  // the machine has done all of it by now
    assert_false(user_has(&u, n));
    const uint32_t f = user_put(&v, CMD(FILL, 0, b, 1, 256));
    user_ring(&v);
    const uint64_t off = r.now;
    if (how == 0) {
      user_off(&u);
      rig_run(&r);
      assert_false(user_has(&u, n));
      assert_int_equal(user_record(&v, f).begin, off + RIG_L + rig_down(64));
    } else if (how == 1) {
      rig_reset(&r);
      assert_false(user_has(&u, n) || user_has(&v, f));
    } else {
      rig_run(&r);
      const card_record got = user_record(&u, n);
      assert_int_equal(got.end - got.begin, 1000 * got.words[CARD_LAUNCH_GIVES_CYCLES]);
      assert_int_equal(user_record(&v, f).begin, got.end);
    }
    user_off(&u), user_off(&v);
  }
  rig_close(&r);
}
