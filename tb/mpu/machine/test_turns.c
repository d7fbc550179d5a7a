// SPDX-License-Identifier: Apache-2.0
// Cores that depend on each other: messages, counters, memory that all want at once; and how long
// an access of another core's memory takes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static uint32_t words[PROG_WORDS];

// Each thread of all cores gets another number.
static void tickets_of(uint32_t cores, const char *code) {
  static char text[RIG_TEXT];
  static bool seen[PROG_WORDS];
  const sim_config c = rig_machine(cores);
  const uint32_t block = cores > 16 ? 48 : 160, threads = cores * block;
  memset(words, 0, sizeof words);
  memset(seen, 0, sizeof seen);
  snprintf(text, sizeof text,
           PROG_START
           "ld.param.b64 rd2, [rz]\n"
           "and.b32 r9, r1, 1\n"
           "setp.eq.u32 p1, r9, 0\n"  // of every other core all lanes together, else one by one
           "and.b32 r9, r0, 7\n"
           "setp.eq.u32 p2, r9, 7\n"
           "mov.b32 r12, 1\nmov.b32 r13, 0\n"
           "@p1 %s\n@p1 bra end, end\n"
           "@p2 %s\n@!p2 %s\n"
           "end:\n"
           "st.global.b32 [rd4+4096], r16\n"
           "exit\n",
           code, code, code);
  rig_run(&c, text, false, shape_1d(cores, block), words);
  assert_int_equal(words[1000 / 4], threads);
  for (uint32_t t = 0; t < threads; t++) {
    const uint32_t got = words[1024 + t];
    if (got >= threads || seen[got])
      fail_msg("%s: thread %u of %u got %u", code, t, threads, got);
    seen[got] = true;
  }
}

static void tickets(void **state) {
  (void)state;
  static const uint32_t cores[] = {2, 16, 128};
  for (unsigned n = 0; n < 3; n++) {
    tickets_of(cores[n], "atom.add.global.u32 r16, [rd2+1000], r12");
    tickets_of(cores[n], "atom.add.global.u64 rd16, [rd2+1000], rd12");
  }
}

// ---- messages between cores

enum { TURNS = 12, WORDS = 6, MESSAGES = 16384, FLAGS = 49152 };

// rd10: line 5 pair + %u, which is of this pair alone.
#define LINE_OF_WORD        \
  "mul.u32 r20, r8, 5\n"    \
  "add.u32 r20, r20, %u\n"  \
  "and.b32 r20, r20, 63\n"  \
  "mul.u32 r20, r20, 512\n" \
  "madw.u32 rd10, r20, 1, rd2\n"

// Blocks 2k and 2k + 1 (one thread each, on any cores) send each other WORDS words in turn, which
// lie in any cores: data, membar, flag; flag, membar, data. r24 counts the words that are old.
static void messages_on(const sim_config *c) {
  static char text[RIG_TEXT];
  const uint32_t cores = c->map.processors * c->map.cores;
  int at = snprintf(text, sizeof text,
                    PROG_START
                    "ld.param.b64 rd2, [rz]\n"
                    "shr.u32 r8, r1, 1\n"  // the pair
                    "and.b32 r9, r1, 1\n"  // which of the two
                    "setp.eq.u32 p1, r9, 0\n"
                    "mov.b32 r24, 0\n"
                    "mov.b32 r25, 1\n"  // the turn
                    // flags of both: in any cores
                    "mul.u32 r20, r1, 5\n"
                    "and.b32 r20, r20, 31\n"
                    "mul.u32 r20, r20, 512\n"
                    "mad.u32 r20, r1, 4, r20\n"
                    "madw.u32 rd12, r20, 1, rd2\n"  // own flag
                    "xor.b32 r21, r1, 1\n"
                    "mul.u32 r20, r21, 5\n"
                    "and.b32 r20, r20, 31\n"
                    "mul.u32 r20, r20, 512\n"
                    "mad.u32 r20, r21, 4, r20\n"
                    "madw.u32 rd14, r20, 1, rd2\n"  // the other's flag
                    "@!p1 bra wait, none\n"
                    "turn:\n"
                    "mul.u32 r26, r25, 1000\n"
                    "add.u32 r26, r26, r8\n");
  for (uint32_t k = 0; k < WORDS; k++)  // word k of line 5 pair + 37 k
    at += snprintf(text + at, sizeof text - (size_t)at,
                   LINE_OF_WORD
                   "add.u32 r27, r26, %u\n"
                   "st.global.b32 [rd10+%u], r27\n",
                   37 * k, k, MESSAGES + 20 * k);
  at += snprintf(text + at, sizeof text - (size_t)at,
                 "membar.gl\n"
                 "st.global.b32 [rd12+%d], r25\n"
                 "add.u32 r25, r25, 1\n"
                 "setp.gt.u32 p2, r25, %d\n"
                 "@p2 bra end, none\n"
                 "wait:\n"
                 "ld.volatile.global.b32 r28, [rd14+%d]\n"
                 "setp.ge.u32 p2, r28, r25\n"
                 "@!p2 bra wait, come\n"
                 "come:\n"
                 "membar.gl\n"
                 "mul.u32 r26, r25, 1000\n"
                 "add.u32 r26, r26, r8\n",
                 FLAGS, TURNS, FLAGS);
  for (uint32_t k = 0; k < WORDS; k++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   LINE_OF_WORD
                   "ld.global.b32 r27, [rd10+%u]\n"
                   "sub.u32 r27, r27, r26\n"
                   "setp.ne.u32 p2, r27, %u\n"
                   "@p2 add.u32 r24, r24, 1\n",
                   37 * k, MESSAGES + 20 * k, k);
  snprintf(text + at, sizeof text - (size_t)at,
           "add.u32 r25, r25, 1\n"
           "setp.gt.u32 p2, r25, %d\n"
           "@!p2 bra turn, none\n"
           "end:\n"
           "add.u32 r24, r24, 7\n"
           "st.global.b32 [rd4], r24\n"
           "exit\n",
           TURNS);
  memset(words, 0, sizeof words);
  rig_run(c, text, false, shape_1d(cores, 1), words);
  for (uint32_t b = 0; b < cores; b++)
    if (words[b] != 7)
      fail_msg("%u cores: block %u found %u words that are old", cores, b, words[b] - 7);
}

static void messages(void **state) {
  (void)state;
  static const uint32_t cores[] = {2, 4, 16, 128};
  for (unsigned n = 0; n < 4; n++) {
    sim_config c = rig_machine(cores[n]);
    messages_on(&c);
    c.core.trefi = 900;
    c.requests = 2;
    messages_on(&c);
  }
}

// Two threads of two cores: each writes its word and reads the other's. With a membar between them
// at least one sees what the other wrote. The words are in all combinations of cores, and one
// thread begins up to 120 cycles after the other.
static void dekker(void **state) {
  (void)state;
  enum { TRIES = 16 * 24, RESULTS = 32768 };
  static char text[RIG_TEXT];
  const sim_config c = rig_machine(4);
  snprintf(text, sizeof text,
           PROG_START
           "ld.param.b64 rd2, [rz]\n"
           "mov.b32 r8, 0\n"
           "mov.b32 r12, 1\n"
           "setp.eq.u32 p1, r1, 0\n"
           "try:\n"
           "red.add.global.u32 [rd2+1024], r12\n"
           "add.u32 r9, r8, 1\n"
           "shl.b32 r9, r9, 1\n"
           "wait:\n"
           "ld.volatile.global.b32 r10, [rd2+1024]\n"
           "setp.ge.u32 p2, r10, r9\n"
           "@!p2 bra wait, both\n"
           "both:\n"
           // word 0 in core try % 4, word 1 in core try / 4 % 4
           "shr.u32 r13, r8, 4\n"
           "and.b32 r14, r8, 3\n"
           "shr.u32 r15, r8, 2\n"
           "and.b32 r15, r15, 3\n"
           "mad.u32 r16, r13, 4, r15\n"
           "mad.u32 r17, r14, 128, r16\n"
           "madw.u32 rd18, r17, 4, rd2\n"
           "mad.u32 r16, r13, 4, r14\n"
           "mad.u32 r17, r15, 128, r16\n"
           "madw.u32 rd20, r17, 4, rd2\n"
           "setp.lt.u32 p3, r13, 12\n"  // thread 0 is late, or thread 1
           "plop.xor.pred p3, p3, p1\n"
           "rem.u32 r13, r13, 12\n"
           "late:\n"
           "setp.ne.u32 p2, r13, 0\n"
           "@!p2 bra now, none\n"
           "sub.u32 r13, r13, 1\n"
           "@p3 bra late, now\n"
           "now:\n"
           "@p1 st.global.b32 [rd18+8192], r12\n"
           "@!p1 st.global.b32 [rd20+16384], r12\n"
           "membar.gl\n"
           "@p1 ld.global.b32 r22, [rd20+16384]\n"
           "@!p1 ld.global.b32 r22, [rd18+8192]\n"
           "mad.u32 r23, r8, 2, r1\n"
           "madw.u32 rd24, r23, 4, rd2\n"
           "st.global.b32 [rd24+%d], r22\n"
           "add.u32 r8, r8, 1\n"
           "setp.lt.u32 p2, r8, %d\n"
           "@p2 bra try, end\n"
           "end:\n"
           "exit\n",
           RESULTS, TRIES);
  memset(words, 0, sizeof words);
  rig_run(&c, text, false, shape_1d(2, 1), words);
  for (uint32_t n = 0; n < TRIES; n++) {
    const uint32_t *saw = &words[RESULTS / 4 + 2 * n];
    if (!saw[0] && !saw[1])
      fail_msg("try %u: neither saw what the other wrote", n);
    assert_true(saw[0] <= 1 && saw[1] <= 1);
  }
}

// ---- whoever waits gets its turn

// Cycles of an instruction, its accesses with it, in r2; 1 in r1.
#define TIMED \
  "s2r.b32 r1, clock\n%s\nmembar.gl\ns2r.b32 r2, clock\nsub.u32.F r2, r2, r1\nmov.b32 r1, 1\n"

// Core 0 is full of warps, each executes `body` again and again (%u: register 6 to 15); then core 1
// does `remote`, of rd16, rd18 (16 bytes a lane from there) or rd20 (4 bytes a thread), which takes
// so many cycles.
static uint32_t busy_home(const char *body, const char *remote) {
  static char text[RIG_TEXT];
  sim_config c = rig_machine(2);
  int at = snprintf(text, sizeof text,
                    "s2r.b32 r0, smid\n"
                    "s2r.b32 r1, laneid\n"
                    "s2r.b32 r2, tid.x\n"
                    "ld.param.b64 rd16, [rz]\n"
                    "madw.u32.F rd18, r1, 16, rd16\n"
                    "madw.u32.F rd20, r2, 4, rd16\n"
                    "madw.u32.F rd22, r1, 1024, rd16\n"  // 32 sectors of NBU 0
                    "mov.b32 r4, 1\nmov.b32 r5, 2\nmov.b32 r6, 3\nmov.b32 r7, 4\n"
                    "mov.b32.F r24, 0\n"
                    "setp.ne.u32 p0, r0, 0\n"
                    "@p0 bra other, none\n"
                    "loop:\n");
  for (unsigned n = 0; n < 200; n++)
    at += snprintf(text + at, sizeof text - (size_t)at, body, 6 + n % 10);
  snprintf(text + at, sizeof text - (size_t)at,
           "ld.global.b32 r3, [rd16+256]\n"
           "add.u32.F r24, r24, 1\n"
           "setp.lt.u32 p2, r24, 40\n"
           "setp.eq.u32 p1, r3, 0\n"
           "@!p1 exit\n"
           "@p2 bra loop, out\n"
           "out:\n"
           "exit\n"
           "other:\n"
           "setp.ge.u32 p1, r2, 4\n"
           "@p1 exit\n"
           "wait:\n"  // until core 0 is busy
           "add.u32.F r24, r24, 1\n"
           "setp.lt.u32 p1, r24, 200\n"
           "@p1 bra wait, go\n"
           "go:\n" TIMED
           "st.global.b32 [rd16+512], r2\n"
           "st.global.b32 [rd16+256], r1\n"
           "exit\n",
           remote);
  memset(words, 0, sizeof words);
  rig_run(&c, text, true, shape_1d(2, 1024), words);
  return words[128];
}

static void home_is_busy(void **state) {
  (void)state;
  static const char *const bodies[] = {"add.u32.N r%u, r4, r5\n", "mov.b32.N r%u, 7\n",
                                       "st.global.b32 [rd20+8192], r%u\n",
                                       "ld.global.b32 r%u, [rd22]\n"};
  static const char *const remotes[] = {
      "st.global.b128 [rd18+1024], rq4", "ld.global.b32 r4, [rd18+1024]",
      "atom.add.global.u32 r4, [rd16+1024], r5", "red.add.global.u64 [rd18+1024], rd4"};
  for (unsigned b = 0; b < 4; b++)
    for (unsigned r = 0; r < 4; r++) {
      const uint32_t cycles = busy_home(bodies[b], remotes[r]);
      if (cycles > 700)
        fail_msg("%s, %s: %u cycles", bodies[b], remotes[r], cycles);
    }
}

// The others keep an NBU of core 0 busy with `body`; then that core does `home`.
static uint32_t busy_others(const char *body, const char *home) {
  static char text[RIG_TEXT];
  sim_config c = rig_machine(16);
  c.map.row_below = 4;  // rows of core 0 one behind the other
  c.near.channel.closed = true;
  int at = snprintf(text, sizeof text,
                    "s2r.b32 r0, smid\n"
                    "s2r.b32 r1, laneid\n"
                    "s2r.b32 r2, tid.x\n"
                    "ld.param.b64 rd16, [rz]\n"
                    // 16 rows of NBU 0, 8 places in each
                    "and.b32.F r27, r2, 15\n"
                    "shr.u32.F r28, r2, 4\n"
                    "and.b32.F r28, r28, 7\n"
                    "mul.u32.F r28, r28, 16\n"
                    "mul.u32.F r27, r27, 512\n"
                    "add.u32.F r28, r28, r27\n"
                    "madw.u32.F rd18, r28, 1, rd16\n"
                    "madw.u32.F rd20, r1, 4, rd16\n"
                    "mov.b32 r4, 1\nmov.b32 r5, 2\nmov.b32 r6, 3\nmov.b32 r7, 4\n"
                    "mov.b32.F r24, 0\n"
                    "setp.eq.u32 p0, r0, 0\n"
                    "@p0 bra home, none\n"
                    "loop:\n");
  for (unsigned n = 0; n < 8; n++)
    at += snprintf(text + at, sizeof text - (size_t)at, body, 6 + n);
  snprintf(text + at, sizeof text - (size_t)at,
           "add.u32.F r24, r24, 1\n"
           "setp.lt.u32 p2, r24, 60\n"
           "ld.global.b32 r3, [rd16+384]\n"
           "setp.eq.u32 p1, r3, 0\n"
           "@!p1 exit\n"
           "@p2 bra loop, out\n"
           "out:\n"
           "exit\n"
           "home:\n"
           "setp.ge.u32 p1, r2, 32\n"
           "@p1 exit\n"
           "wait:\n"
           "add.u32.F r24, r24, 1\n"
           "setp.lt.u32 p1, r24, 200\n"
           "@p1 bra wait, go\n"
           "go:\n" TIMED
           "st.global.b32 [rd16+256], r2\n"
           "st.global.b32 [rd16+384], r1\n"
           "exit\n",
           home);
  for (uint32_t k = 0; k < PROG_WORDS; k++)
    words[k] = k;
  words[384 / 4] = 0;
  rig_run(&c, text, true, shape_1d(16, 128), words);
  return words[256 / 4];
}

static void others_are_busy(void **state) {
  (void)state;
  static const char *const bodies[] = {"st.global.b128 [rd18], rq4\n",
                                       "ld.global.b32 r%u, [rd18]\n",
                                       "red.add.global.u64 [rd18], rd4\n"};
  static const struct {
    const char *code;
    uint32_t most;
  } homes[] = {
      {"ld.global.b32 r4, [rd20]", 1000},
      {"ld.global.b32 r4, [rd20+128]", 1000},  // REGWR of 17 flits
      {"st.global.b128 [rd18+128], rq4", 1000},
      {"add.u32.F r8, r24, r1\nadd.u32.N r9, r8, r8\nst.global.b32 [rd20], r9", 1000},
      {"atom.add.global.u64 rd4, [rd16], rd6", 4000},  // 32 times read and written
  };
  for (unsigned b = 0; b < 3; b++)
    for (unsigned h = 0; h < 5; h++) {
      const uint32_t cycles = busy_others(bodies[b], homes[h].code);
      if (cycles > homes[h].most)
        fail_msg("%s, %s: %u cycles", bodies[b], homes[h].code, cycles);
    }
}

// ---- time

// Cycles of an access of core 0, of its word in core `to`, until an instruction on the base die has
// used register 4, and what needs that issues; that of the third time of `times`, which begin
// `pause` turns of a loop after each other.
static uint32_t latency(const sim_config *c, uint32_t to, uint32_t pause, core_stats *all) {
  static char text[RIG_TEXT];
  snprintf(text, sizeof text,
           "ld.param.b64 rd2, [rz]\n"
           "mov.b32.F r22, %u\n"
           "madw.u32.F rd12, r22, 512, rd2\n"
           "mov.b32.F r20, 0\n"
           "again:\n"
           "mov.b32.N r4, 1\n"
           "mov.b32.F r21, 0\n"
           "wait:\n"
           "add.u32.F r21, r21, 1\n"
           "setp.lt.u32 p0, r21, %u\n"
           "@p0 bra wait, go\n"
           "go:\n"
           "s2r.b32 r9, clock\n"
           "ld.global.b32 r4, [rd12]\n"
           "add.u32.F r11, r4, 1\n"
           "s2r.b32 r11, clock\n"
           "sub.u32.F r10, r11, r9\n"
           "add.u32.F r20, r20, 1\n"
           "setp.lt.u32 p0, r20, 3\n"
           "@p0 bra again, done\n"
           "done:\n"
           "st.global.b32 [rd2], r10\n"
           "exit\n",
           to, pause);
  memset(words, 0, sizeof words);
  *all = rig_run(c, text, true, shape_1d(1, 1), words);
  return words[0] - 1;  // the access is issued in the cycle after the first clock
}

// What docs/machine.md and docs/network.md (rule 5) say, in terms of docs/micro.md.
static uint32_t expected(const sim_config *c, uint32_t to) {
#define TERM(name, value, where) \
  const uint32_t name = value;   \
  (void)name;
#define SUM TERM
#include "tb/mpu/micro/terms.def"
  const uint32_t served = to_order + go + to_bank + hit + to_base + up;
  const uint32_t used = word_far + use;
  const uint32_t chip = to / 16, x = to % 4, y = to / 4 % 4;
  const uint32_t chips = chip % 4 + chip / 4;  // links between chips
  uint32_t links =
      UINT32_MAX;  // from (0, 0) over the nearest gateway, at (1, 1), (2, 1), (1, 2), (2, 2)
  for (uint32_t g = 0; g < c->noc.gateways; g++) {
    const uint32_t gx = 1 + g % 2, gy = 1 + g / 2;
    const uint32_t here = gx + gy + (uint32_t)(abs((int)x - (int)gx) + abs((int)y - (int)gy));
    links = here < links ? here : links;
  }
  const uint32_t way =
      chip ? 18 + links * (3 + 1) + (chips - 1 + 1) * (3 + 8) : 6 + (x + y) * (3 + 1);
  if (to == 0)
    return to_lsu + to_order + go + load_hit + used;
  return to_lsu + served + word_near + used + 2 * (c->interface + way / 2);
}

static void latencies(void **state) {
  (void)state;
  core_stats all;
  sim_config c = rig_machine(128);
  c.core.trefi = 0;
  for (uint32_t g = 1; g <= 4; g *= 2)
    for (uint32_t k = g == 1 ? 0 : 16; k < (g == 1 ? 128 : 48); k++) {
      c.noc.gateways = g;
      const uint32_t got = latency(&c, k, 10, &all);
      if (got != expected(&c, k))
        fail_msg("%u gateways, core %u: %u cycles, not %u", g, k, got, expected(&c, k));
    }
}

// A core that has slept over refreshes refreshes before it answers.
static void rest(void **state) {
  (void)state;
  core_stats all;
  const sim_config c = rig_machine(4);
  const uint32_t awake = expected(&c, 1), trfc = 350, got = latency(&c, 1, 2000, &all);
  assert_in_range(got, awake + trfc, awake + trfc + 39);  // refreshed of docs/micro.md
  // three cores rest but for a few hundred cycles
  const uint64_t ticks = (all.cycles + all.cycles_drain) / c.core.trefi;
  assert_true(ticks > 20);
  assert_in_range(all.self_refreshes, 3 * ticks - 3, 3 * ticks);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tickets),
      cmocka_unit_test(messages),
      cmocka_unit_test(dekker),
      cmocka_unit_test(home_is_busy),
      cmocka_unit_test(others_are_busy),
      cmocka_unit_test(latencies),
      cmocka_unit_test(rest),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
