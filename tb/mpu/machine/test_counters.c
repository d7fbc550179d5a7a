// SPDX-License-Identifier: Apache-2.0
// Counters of small programs whose values follow from the rules of docs/core.md; the numbers are
// those of tb/mpu/micro/terms.def.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

enum {
  OFFLOAD = 2,  // asked, decided
  COLLECT = 3,  // the address: granted, read, in the LSU, which splits the lanes
  START = 1,    // the access starts, with a packet or a request
  TO_NBU =
      OFFLOAD + COLLECT + START,     // from issue to the packet in the queue: the base die is done
  GOES = 4,                          // from there until it goes: to_order, go
  CLOSED = 21,                       // a row is opened
  ROW_TO_ROW = 4,                    // from ACT to ACT
  IN_BANK = 4 + CLOSED + 5,          // from going, to_bank, to its end: answer, retire, write, done
  WRITE_WORD = 8,                    // REGWR of a word: down, receive, go, taken, move_write, done
  SHARED_START = 4,                  // offload, in_lsu, start
  IN_SHARED = 18,                    // from going, in_shared, a pass, from_shared, write, done
  SYNCED = 5,                        // sync, complete, up
  RECORD = 1,                        // of what is complete: nbu.md, rule 7
  TO_SPLIT = OFFLOAD + COLLECT - 1,  // cycles behind the issue in which it is not known
};

// What a launch of one block on a machine of `cores` cores counts, without refresh.
static core_stats counted(uint32_t cores, const char *text, uint32_t threads) {
  char why[1000];
  uint64_t cycles;
  launch *l;
  sim_config c = rig_machine(cores);
  c.core.trefi = 0;
  machine_config mc = machine_config_default();
  if (!sim_machine(&c, &mc, why, sizeof why))
    fail_msg("%s", why);
  prog p = prog_open(&mc);
  sim *s = sim_new(&c, p.m, why, sizeof why);
  if (!s)
    fail_msg("%s", why);
  module *mod = prog_assemble(text);
  mod->kernels->regs_near = 0;  // r32 to r47 are far
  mod->kernels->local_bytes = 0;
  const launch_shape shape = shape_1d(1, threads);
  if (machine_add_module(p.m, mod) ||
      launch_new(p.m, mod, mod->kernels, &shape, p.params, sizeof p.params, &l) ||
      sim_start(s, l, 0) || !sim_advance(s, UINT64_MAX) || sim_end(s, &cycles))
    fail_msg("%s", machine_message(p.m));
  launch_free(l);
  const core_stats all = *core_statistics(sim_core(s, 0));
  sim_free(s);
  prog_close(&p);
  return all;
}

// rd34: the buffer, which begins in core 0; the next 512 bytes are core 1's.
#define START_TEXT        \
  "s2r.b32 r36, laneid\n" \
  "ld.param.b64 rd34, [rz]\n"
// r6 has long been there when the next one executes.
#define NEAR_ZERO         \
  "mov.b32.N r6, 0\n"     \
  "div.u32 r40, r36, 3\n" \
  "add.u32.F r40, r40, 1\n"

static void expect_waits(const subcore_stats *s, uint64_t remote, uint64_t local, uint64_t shared) {
  assert_int_equal(s->cycles_memory_remote, remote);
  assert_int_equal(s->cycles_memory_local, local);
  assert_int_equal(s->cycles_memory_shared, shared);
  assert_int_equal(s->cycles_memory, remote + local + shared);
}

// A warp waits at membar until its NBU has completed the access: in the cycle after the access's
// packet SYNC is sent, and all cycles until its answer is there are waited for memory, but for that
// in which neither is under way: the bus takes a packet a cycle.
enum {
  LOCAL_WAIT = TO_NBU + GOES + IN_BANK + SYNCED - 1 - 1,
  SHARED_WAIT = SHARED_START + GOES + IN_SHARED + SYNCED - 1 - 1,
};

static void waits(void **state) {
  (void)state;
  core_stats s = counted(2, START_TEXT "ld.global.b32 r4, [rd34]\nmembar.cta\nexit\n", 1);
  expect_waits(&s.sub[0], 0, LOCAL_WAIT, 0);
  expect_waits(&s.sub[1], 0, 0, 0);
  s = counted(2, START_TEXT NEAR_ZERO "ld.shared.b32.N r4, [r6]\nmembar.cta\nexit\n", 1);
  expect_waits(&s.sub[0], 0, 0, SHARED_WAIT);
  // what needs the result issues when the packet is in the queue, instead of that cycle; SYNC does
  // not wait for it
  s = counted(2, START_TEXT "ld.global.b32 r4, [rd34]\nadd.u32.N r5, r4, r4\nmembar.cta\nexit\n",
              1);
  expect_waits(&s.sub[0], 0, LOCAL_WAIT, 0);
  // those of other cores are answered
  s = counted(2, START_TEXT "st.global.b32 [rd34+512], rz\nmembar.gl\nexit\n", 1);
  assert_int_equal(s.remote_answers, 1);
  expect_waits(&s.sub[0], START + s.remote_cycles, TO_SPLIT, 0);
  s = counted(2, START_TEXT "ld.global.b32 r4, [rd34+512]\nadd.u32.N r5, r4, r4\nexit\n", 1);
  assert_int_equal(s.remote_answers, 1);
  expect_waits(&s.sub[0], START + s.remote_cycles, TO_SPLIT, 0);
}

// Before a barrier the wait for SYNC is the barrier's. The cycle before, in which neither the
// access nor SYNC is under way, is nobody's.
enum { BEFORE_BARRIER = GOES + IN_SHARED + SYNCED - 1 };

static void waits_before_barrier(void **state) {
  (void)state;
  core_stats s = counted(2, START_TEXT NEAR_ZERO "bar.sync.b32 rz, rz, rz\nexit\n", 1);
  const uint64_t barrier = s.sub[0].cycles_barrier;
  expect_waits(&s.sub[0], 0, 0, 0);
  s = counted(2, START_TEXT NEAR_ZERO "ld.shared.b32.N r4, [r6]\nbar.sync.b32 rz, rz, rz\nexit\n",
              1);
  assert_int_equal(s.sub[0].cycles_barrier, barrier + BEFORE_BARRIER);
  expect_waits(&s.sub[0], 0, 0, SHARED_START - 1);
  // a store that its NBU has too, and for which the barrier does not ask
  s = counted(2,
              START_TEXT NEAR_ZERO
              "st.global.b32 [rd34], rz\n"
              "ld.shared.b32.N r4, [r6]\n"
              "bar.sync.b32 rz, rz, rz\nexit\n",
              1);
  assert_int_equal(s.sub[0].cycles_barrier, barrier + BEFORE_BARRIER);
}

// Warp 0 accesses the buffer, at a byte of it; meanwhile thread 128, warp 4 of the same subcore,
// has `code`.
static core_stats two_warps(const char *access, const char *code) {
  char text[1000];
  snprintf(text, sizeof text,
           START_TEXT
           "s2r.b32 r37, tid.x\n"
           "and.b32.F r38, r37, 127\n"
           "setp.ge.u32 p0, r38, 1\n"
           "@p0 exit\n"
           "setp.eq.u32 p1, r37, 0\n"
           "@p1 bra first, end\n"
           "%s"
           "bra end, end\n"
           "first:\n"
           "%s"
           "membar.gl\n"
           "end:\n"
           "exit\n",
           code, access);
  return counted(2, text, 160);
}

// What is remote goes before what is local, and that before what is shared: the accesses of shared
// memory end before the other one does.
static void priorities(void **state) {
  (void)state;
  core_stats s = two_warps("st.global.b32 [rd34+512], rz\n",
                           "div.u32 r40, r36, 3\n"
                           "ld.shared.b32.F r4, [r40]\n"
                           "ld.shared.b32.F r4, [r40]\n");
  // but for four cycles in which warp 4 issues: two loads, branch, exit
  expect_waits(&s.sub[0], START + s.remote_cycles - 4, TO_SPLIT, 0);
  s = two_warps("ld.global.b32 r4, [rd34]\n", "ld.shared.b32.F r4, [r38]\n");
  // its load is there a cycle earlier, when warp 0 still fetches; its exit is the cycle less. Its
  // SYNC goes behind that of warp 0.
  expect_waits(&s.sub[0], 0, LOCAL_WAIT - 1, 1);
}

// One access of this class, of so many cycles.
static void expect_latency(const core_stats *s, stats_latency class, uint64_t cycles) {
  for (uint32_t k = 0; k < STATS_LATENCIES; k++)
    for (uint32_t n = 0; n < BUCKETS; n++)
      assert_int_equal(s->latencies[k][n], k == class && n == bucket_of(cycles));
}

static void latencies(void **state) {
  (void)state;
  core_stats s = counted(2, START_TEXT "ld.global.b32 r4, [rd34]\nexit\n", 1);
  expect_latency(&s, STATS_SECTORS, TO_NBU + GOES + IN_BANK + RECORD);
  s = counted(2, START_TEXT "madw.u32.F rd38, r36, 4, rd34\nld.global.b32 r4, [rd38]\nexit\n", 32);
  expect_latency(&s, STATS_LINES, TO_NBU + GOES + 3 * ROW_TO_ROW + IN_BANK + RECORD);
  s = counted(2, START_TEXT NEAR_ZERO "ld.shared.b32.N r4, [r6]\nexit\n", 1);
  expect_latency(&s, STATS_SHARED, SHARED_START + GOES + IN_SHARED + RECORD);
  s = counted(2, START_TEXT "ld.global.b32 r4, [rd34+512]\nexit\n", 1);
  expect_latency(&s, STATS_REMOTE, TO_NBU + s.remote_cycles + WRITE_WORD + RECORD);
  s = counted(2, START_TEXT NEAR_ZERO "red.add.global.u32 [rd34+512], r6\nexit\n", 1);
  for (uint32_t n = 0, all = 0; n < BUCKETS; n++) {
    all += (uint32_t)s.latencies[STATS_ATOMICS][n];
    assert_int_equal(s.latencies[STATS_REMOTE][n], 0);
    assert_true(all == 1 || n < BUCKETS - 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waits),
      cmocka_unit_test(waits_before_barrier),
      cmocka_unit_test(priorities),
      cmocka_unit_test(latencies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
