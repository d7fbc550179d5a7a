// SPDX-License-Identifier: Apache-2.0
// The machine around the instructions: divergence, barriers, launches, stepping, the trace, what
// faults say.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "prog.h"

static uint32_t out[PROG_WORDS];

static void run_ok(prog *p, const char *text, launch_shape shape) {
  machine_error e = prog_run(p, text, shape, out);
  if (e)
    print_message("%s\n", machine_message(p->m));
  assert_int_equal(e, MACHINE_OK);
}

static void assert_says(const prog *p, const char *what) {
  if (!strstr(machine_message(p->m), what)) {
    print_message("message: %s\nexpected: %s\n", machine_message(p->m), what);
    fail();
  }
}

// ---- divergence

// Every lane goes round its own number of times, with a branch inside: the stack must not grow.
static void loops(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  static const char text[] = PROG_START
      "mul.u32 r8, r0, 37\n"
      "and.b32 r8, r8, 127\n"
      "mov.b32 r9, 0\n"
      "mov.b32 r10, r0\n"
      "head:\n"
      "setp.ge.u32 p0, r9, r8\n"
      "@p0 bra end, end\n"
      "and.b32 r11, r10, 1\n"
      "setp.eq.u32 p1, r11, 0\n"
      "@p1 bra even, join\n"
      "mul.u32 r10, r10, 3\n"
      "add.u32 r10, r10, 1\n"
      "bra join, join\n"
      "even:\n"
      "shr.u32 r10, r10, 1\n"
      "join:\n"
      "add.u32 r9, r9, 1\n"
      "bra head, none\n"
      "end:\n"
      "st.global.b32 [rd4], r10\n"
      "exit\n";
  run_ok(&p, text, shape_1d(3, 100));
  for (uint32_t t = 0; t < 300; t++) {
    uint32_t v = t;
    for (uint32_t n = 0; n < (t * 37 & 127); n++)
      v = v & 1 ? 3 * v + 1 : v >> 1;
    assert_int_equal(out[t], v);
  }
  prog_close(&p);
}

// One lane leaves at each level; the levels join in reverse order. Level n adds 1 << n to the lanes
// that took part, and the last statement counts how often it executes.
static void nested(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  char text[8192] = PROG_START "s2r.b32 r8, laneid\nmov.b32 r9, 0\nmov.b32 r10, 0\n";
  size_t n = strlen(text);
  for (int level = 0; level < 31; level++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "setp.le.u32 p0, r8, %d\n@p0 bra j%d, j%d\nadd.u32 r9, r9, %d\n", level,
                          level, level, 1 << level);
  for (int level = 30; level >= 0; level--)
    n += (size_t)snprintf(text + n, sizeof text - n, "j%d:\nactivemask.b32 r10\n", level);
  snprintf(text + n, sizeof text - n, "xor.b32 r9, r9, r10\nst.global.b32 [rd4], r9\nexit\n");
  run_ok(&p, text, shape_1d(1, 64));
  for (uint32_t t = 0; t < 64; t++)
    assert_int_equal(out[t], ~(uint32_t)((1ull << t % 32) - 1));
  prog_close(&p);
}

static void exits(void **state) {
  (void)state;
  static const uint32_t blocks[][3] = {{1, 1, 1}, {31, 1, 1}, {33, 1, 1}, {7, 5, 1},
                                       {3, 3, 3}, {5, 13, 2}, {128, 1, 1}};
  static const char text[] =
      "s2r.b32 r0, tid.z\n"
      "s2r.b32 r1, ntid.y\n"
      "s2r.b32 r2, tid.y\n"
      "mad.u32 r0, r0, r1, r2\n"
      "s2r.b32 r1, ntid.x\n"
      "s2r.b32 r2, tid.x\n"
      "mad.u32 r0, r0, r1, r2\n"
      "ld.param.b64 rd4, [rz]\n"
      "madw.u32 rd4, r0, 4, rd4\n"
      "mov.b32 r31, 0xffff\nst.global.b32 [rd4], r31\n"
      "rem.u32 r8, r0, 5\n"
      "setp.eq.u32 p0, r8, 1\n"
      "@p0 exit\n"
      "setp.lt.u32 p1, r8, 2\n"
      "@p1 bra left, join\n"
      "setp.eq.u32 p2, r8, 3\n"
      "@p2 exit\n"
      "st.global.b32 [rd4], r8\n"
      "bra join, join\n"
      "left:\n"
      "mov.b32 r31, 100\nst.global.b32 [rd4], r31\n"
      "exit\n"
      "join:\n"
      "activemask.b32 r9\n"
      "popc.b32 r9, r9\n"
      "ld.global.b32 r10, [rd4]\n"
      "mad.u32 r10, r9, 0x10000, r10\n"
      "st.global.b32 [rd4], r10\n"
      "exit\n";
  prog p = prog_open(NULL);
  for (unsigned b = 0; b < sizeof blocks / sizeof *blocks; b++) {
    const uint32_t *s = blocks[b];
    uint32_t threads = s[0] * s[1] * s[2];
    run_ok(&p, text, (launch_shape){{1, 1, 1}, {s[0], s[1], s[2]}, 0});
    for (uint32_t t = 0; t < threads; t++) {
      uint32_t with = 0;
      for (uint32_t k = t / 32 * 32; k < threads && k < t / 32 * 32 + 32; k++)
        with += k % 5 == 2 || k % 5 == 4;
      uint32_t want = t % 5 == 0 ? 100 : t % 5 == 1 || t % 5 == 3 ? 0xffff : with << 16 | t % 5;
      assert_int_equal(out[t], want);
    }
    assert_int_equal(out[threads], 0);
  }
  prog_close(&p);
}

// Branches to the next instruction, to the reconvergence PC itself, and without one.
static void odd_branches(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  run_ok(&p,
         PROG_START
         "and.b32 r8, r0, 1\n"
         "setp.eq.u32 p0, r8, 0\n"
         "@p0 bra next, next\n"
         "next:\n"
         "activemask.b32 r9\n"
         "@!p0 bra far, none\n"
         "add.u32 r9, r9, 1\n"
         "st.global.b32 [rd4], r9\n"
         "exit\n"
         "far:\n"
         "activemask.b32 r9\n"
         "st.global.b32 [rd4], r9\n"
         "exit\n",
         shape_1d(1, 32));
  for (uint32_t t = 0; t < 32; t++)
    assert_int_equal(out[t], t & 1 ? 0xaaaaaaaa : 0);
  prog_close(&p);
}

// A divergent write leaves the other lanes alone, wherever it executes.
static void partial_writes(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  run_ok(&p,
         PROG_START
         "setp.lt.u32 p0, r0, 9\n"
         "add.u32.N r8, r0, 1000\n"
         "mulh.u32 r9, r0, r0\n"
         "@p0 rem.u32 r8, r0, 4\n"
         "@!p0 mulw.u32.N rd10, r8, r8\n"
         "@p0 mulw.u32 rd10, r0, 3\n"
         "add.u32 r8, r8, r10\n"
         "st.global.b32 [rd4], r8\n"
         "exit\n",
         shape_1d(1, 32));
  for (uint32_t t = 0; t < 32; t++)
    assert_int_equal(out[t], t < 9 ? t % 4 + 3 * t : t + 1000 + (t + 1000) * (t + 1000));
  prog_close(&p);
}

// ---- memory seen by a thread, launches after each other

static void memory_order(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  run_ok(&p,
         PROG_START
         "mov.b32 r31, 1\nst.global.b32 [rd4], r31\n"
         "st.global.b32 [rd4], r0\n"
         "ld.global.b32 r8, [rd4]\n"
         "s2r.b32 r9, tid.x\n"
         "shl.b32 r9, r9, 2\n"
         "mov.b32 r31, 7\nst.shared.b32 [r9], r31\n"
         "st.shared.b32 [r9], r8\n"
         "ld.shared.b32 r10, [r9]\n"
         "cvta.shared.u64 rd12, rd20\n"
         "madw.u32 rd12, r9, 1, rd12\n"
         "ld.b32 r11, [rd12]\n"
         "add.u32 r10, r10, r11\n"
         "st.global.b32 [rd4], r10\n"
         "exit\n",
         shape_1d(2, 64));
  for (uint32_t t = 0; t < 128; t++)
    assert_int_equal(out[t], 2 * t);
  prog_close(&p);
}

// The host rewrites the input between two launches; shared memory of one kernel is not the next's.
static void launches(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  uint64_t in;
  uint32_t data[64];
  assert_int_equal(machine_malloc(p.m, sizeof data, &in), MACHINE_OK);
  memcpy(&p.params[2], &in, sizeof in);
  for (uint32_t round = 0; round < 3; round++) {
    for (uint32_t k = 0; k < 64; k++)
      data[k] = round * 1000 + k;
    assert_int_equal(machine_write(p.m, in, data, sizeof data), MACHINE_OK);
    run_ok(&p,
           PROG_START
           "ld.param.b64 rd8, [rz+8]\n"
           "xor.b32 r10, r0, 63\n"
           "madw.u32 rd8, r10, 4, rd8\n"
           "ld.global.b32 r11, [rd8]\n"
           "shl.b32 r12, r0, 2\n"
           "ld.shared.b32 r13, [r12]\n"
           "mov.b32 r31, 5\nst.shared.b32 [r12], r31\n"
           "add.u32 r11, r11, r13\n"
           "st.global.b32 [rd4], r11\n"
           "exit\n",
           shape_1d(1, 64));
    for (uint32_t t = 0; t < 64; t++)
      assert_int_equal(out[t], round * 1000 + (t ^ 63));
  }
  prog_close(&p);
}

// Constants: a kernel's own from offset 0, those of other modules by the address of a symbol.
static void constants(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  module *other = prog_assemble("exit\n");
  const module_symbol s = {"c", 8, 4, true};
  uint32_t v = 4711;
  assert_int_equal(machine_add_module(p.m, other), MACHINE_OK);
  uint64_t at = machine_symbol_address(p.m, other, &s);
  assert_int_equal(machine_add_module(p.m, prog_assemble("nop\nexit\n")), MACHINE_OK);
  assert_int_equal(machine_write(p.m, at, &v, sizeof v), MACHINE_OK);
  assert_int_equal(machine_write(p.m, at + 248, &v, sizeof v), MACHINE_BAD_POINTER);
  memcpy(&p.params[2], &at, sizeof at);
  run_ok(&p,
         PROG_START
         "ld.param.b64 rd8, [rz+8]\n"
         "ld.b32 r10, [rd8]\n"
         "ld.const.b32 r11, [rz+8]\n"
         "cvta.const.u64 rd12, rd20\n"
         "ld.b32 r14, [rd12+8]\n"
         "sub.u32 r11, r11, r14\n"
         "add.u32 r10, r10, r11\n"
         "st.global.b32 [rd4], r10\n"
         "exit\n",
         shape_1d(1, 32));
  assert_int_equal(out[7], 4711);
  prog_close(&p);
}

// ---- barriers

// Warps that have ended do not keep the others waiting.
static void barrier_after_exit(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  run_ok(&p,
         PROG_START
         "setp.ge.u32 p0, r0, 64\n"
         "@p0 exit\n"
         "shl.b32 r8, r0, 2\n"
         "st.shared.b32 [r8], r0\n"
         "bar.sync.b32 rz, 0, rz\n"
         "xor.b32 r8, r8, 252\n"
         "ld.shared.b32 r9, [r8]\n"
         "mov.b32 r30, 160\nbar.sync.b32 rz, 0, r30\n"
         "st.global.b32 [rd4], r9\n"
         "exit\n",
         shape_1d(1, 160));
  for (uint32_t t = 0; t < 64; t++)
    assert_int_equal(out[t], t ^ 63);
  prog_close(&p);
}

static void deadlock(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  static const char text[] =
      "s2r.b32 r0, warpid\n"
      "setp.eq.u32 p0, r0, 1\n"
      "@p0 bra other, none\n"
      "mov.b32 r30, 96\nbar.sync.b32 rz, 3, r30\n"
      "exit\n"
      "other:\n"
      "mov.b32 r30, 64\nbar.sync.b32 rz, 4, r30\n"
      "exit\n";
  assert_int_equal(prog_run(&p, text, (launch_shape){{2, 2, 1}, {96, 1, 1}, 0}, out),
                   MACHINE_FAULT_DEADLOCK);
  assert_says(&p, "deadlock in block (0,0,0)");
  assert_says(&p, "warp 0 waits at barrier 3");
  assert_says(&p, "warp 1 waits at barrier 4 (32 of 64 threads are there)");
  assert_says(&p, "warp 2 waits at barrier 3");
  assert_says(&p, "pc 0x40: bar.sync.b32");
  assert_says(&p, "pc 0x70: bar.sync.b32");
  prog_close(&p);
}

static void barrier_misuse(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"mov.b32 r1, 16\nbar.sync.b32 rz, r1, rz\nexit\n", "names barrier 16, there are 0 to 15"},
      {"mov.b32 r30, 40\nbar.sync.b32 rz, 1, r30\nexit\n", "names 40 threads for barrier 1"},
      {"mov.b32 r30, 128\nbar.sync.b32 rz, 1, r30\nexit\n",
       "names 128 threads for barrier 1, the block has 64"},
      {"s2r.b32 r1, warpid\nmul.u32 r1, r1, 32\nadd.u32 r1, r1, 32\nsetp.eq.u32 p0, r1, 32\n"
       "@p0 bar.arrive.b32 rz, 1, rz\nmov.b32 r30, 32\n@!p0 bar.sync.b32 rz, 1, r30\nexit\n",
       "where other warps named 64"},
      {"mov.b32 r30, 64\nbar.arrive.b32 rz, 2, r30\nmov.b32 r30, 64\nbar.arrive.b32 rz, 2, "
       "r30\nexit\n",
       "arrives at barrier 2 again before the others did"},
  };
  for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
    prog p = prog_open(NULL);
    assert_int_equal(prog_run(&p, cases[n].text, shape_1d(1, 64), out), MACHINE_FAULT_TRAP);
    assert_says(&p, cases[n].says);
    prog_close(&p);
  }
}

// ---- progress

// Block 0 spins until the last block has stored; warps spin for each other inside the blocks.
static void spinning(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  run_ok(&p,
         "ld.param.b64 rd4, [rz]\n"
         "s2r.b32 r0, ctaid.x\n"
         "s2r.b32 r1, warpid\n"
         "s2r.b32 r2, nctaid.x\n"
         "sub.u32 r2, r2, 1\n"
         "setp.eq.u32 p0, r0, r2\n"
         "@p0 bra last, join\n"
         "wait:\n"
         "ld.volatile.global.b32 r8, [rd4]\n"
         "setp.eq.u32 p1, r8, 0\n"
         "@p1 bra wait, none\n"
         "bra join, join\n"
         "last:\n"
         "setp.eq.u32 p2, r1, 1\n"
         "@p2 bra second, join\n"
         "inner:\n"
         "ld.volatile.shared.b32 r8, [rz]\n"
         "setp.eq.u32 p1, r8, 0\n"
         "@p1 bra inner, none\n"
         "mov.b32 r31, 1\nst.global.b32 [rd4], r31\n"
         "bra join, join\n"
         "second:\n"
         "mov.b32 r31, 1\nst.shared.b32 [rz], r31\n"
         "join:\n"
         "s2r.b32 r9, laneid\n"
         "setp.eq.u32 p3, r9, 0\n"
         "mov.b32 r31, 1\n@p3 red.add.global.u32 [rd4+4], r31\n"
         "exit\n",
         shape_1d(40, 64));
  assert_int_equal(out[1], 80);
  prog_close(&p);
}

// A lock taken by one lane of each warp; every warp adds in turn.
static void spin_lock(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  run_ok(&p,
         "ld.param.b64 rd4, [rz]\n"
         "s2r.b32 r0, laneid\n"
         "setp.ne.u32 p0, r0, 0\n"
         "@p0 exit\n"
         "again:\n"
         "mov.b32 r31, 1\natom.cas.global.b32 r8, [rd4], rz, r31\n"
         "setp.ne.u32 p1, r8, 0\n"
         "@p1 bra again, none\n"
         "ld.global.b32 r9, [rd4+4]\n"
         "add.u32 r9, r9, 1\n"
         "st.global.b32 [rd4+4], r9\n"
         "membar.gl\n"
         "atom.exch.global.b32 r8, [rd4], rz\n"
         "exit\n",
         shape_1d(9, 256));
  assert_int_equal(out[0], 0);
  assert_int_equal(out[1], 72);
  prog_close(&p);
}

static void limit(void **state) {
  (void)state;
  machine_config config = machine_config_default();
  config.max_instructions = 1000;
  prog p = prog_open(&config);
  assert_int_equal(prog_run(&p, "top:\nbra top, none\nexit\n", shape_1d(1, 32), out),
                   MACHINE_FAULT_LIMIT);
  assert_says(&p, "more than 1000 warp instructions");
  prog_close(&p);
}

// ---- faults

static void fault(const char *text, machine_error e, const char *says, const char *also) {
  prog p = prog_open(NULL);
  uint64_t second;
  assert_int_equal(machine_malloc(p.m, 10, &second), MACHINE_OK);
  memcpy(&p.params[2], &second, sizeof second);
  assert_int_equal(prog_run(&p, text, (launch_shape){{2, 1, 1}, {8, 8, 1}, 16}, out), e);
  assert_says(&p, says);
  assert_says(&p, also);
  prog_close(&p);
}

#define LATE                                                                           \
  "s2r.b32 r0, ctaid.x\nsetp.eq.u32 p0, r0, 1\ns2r.b32 r1, tid.x\ns2r.b32 r2, tid.y\n" \
  "setp.eq.and.u32 p0, r1, 5, p0\nsetp.eq.and.u32 p0, r2, 6, p0\n"

static void faults(void **state) {
  (void)state;
  fault(LATE "ld.param.b64 rd4, [rz]\n@p0 ld.global.b32 r8, [rd4+-4]\nexit\n",
        MACHINE_FAULT_ADDRESS, "block (1,0,0) thread (5,6,0) reads 4 bytes at global address",
        "pc 0x70: @p0 ld.global.b32 r8, [rd4+-4]");
  fault(LATE "ld.param.b64 rd4, [rz+8]\n@p0 st.global.b32 [rd4+8], r8\nexit\n",
        MACHINE_FAULT_ADDRESS, "thread (5,6,0) writes 4 bytes at global address",
        "the nearest allocation has 10 bytes at 0x");
  fault("ld.param.b64 rd4, [rz+8]\nld.global.u16 r8, [rd4+8]\nst.global.u8 [rd4+10], r8\nexit\n",
        MACHINE_FAULT_ADDRESS, "writes 1 bytes at global address", "pc 0x20");
  fault("ld.b32 r8, [rz]\nexit\n", MACHINE_FAULT_ADDRESS, "reads 4 bytes at generic address 0x0",
        "the nearest allocation has 65536 bytes");
  fault(LATE "@p0 mov.b32 r9, 2\nld.shared.b32 r8, [r9]\nexit\n", MACHINE_FAULT_ALIGN,
        "reads 4 bytes at shared address 0x2, which is not a multiple of 4", "thread (5,6,0)");
  fault("st.shared.b64 [rz+4104], rd8\nst.shared.b32 [rz+4112], r8\nexit\n", MACHINE_FAULT_ADDRESS,
        "writes 4 bytes at shared address 0x1010; the shared space has 4112 bytes", "pc 0x10");
  fault("st.local.b32 [rz+252], r8\nld.local.b64 rd8, [rz+256]\nexit\n", MACHINE_FAULT_ADDRESS,
        "the local space has 256 bytes", "pc 0x10");
  fault("cvta.const.u64 rd8, rd10\nst.b32 [rd8], r1\nexit\n", MACHINE_FAULT_ADDRESS,
        "the const space is read only", "pc 0x10");
  fault("ld.param.b64 rd8, [rz+32]\nexit\n", MACHINE_FAULT_ADDRESS, "the param space has 32 bytes",
        "pc 0x0");
  fault("mov.b32 r1, 0xfffffffc\nmov.b32 r31, 1\natom.add.shared.u32 r2, [r1], r31\nexit\n",
        MACHINE_FAULT_ADDRESS, "updates 4 bytes at shared address 0xfffffffc", "pc 0x20");
  fault(LATE "@p0 trap\nexit\n", MACHINE_FAULT_TRAP, "block (1,0,0) thread (5,6,0) executed a trap",
        "@p0 trap");
  fault("nop\n@!pt exit\n", MACHINE_FAULT_TRAP, "ran past the end of the code", "pc 0x20");
}

// Addresses in a row but for the high word of one; next to each of two allocations.
static void fault_alone(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  uint64_t second;
  assert_int_equal(machine_malloc(p.m, 512, &second), MACHINE_OK);
  assert_int_equal(machine_malloc(p.m, 256, &second), MACHINE_OK);
  memcpy(&p.params[2], &second, sizeof second);
  assert_int_equal(machine_release(p.m, second - 512), MACHINE_OK);
  assert_int_equal(prog_run(&p,
                            PROG_START "setp.eq.u32 p0, r0, 37\n"
                                       "@p0 add.u32 r5, r5, 1\n"
                                       "ld.global.b32 r8, [rd4]\n"
                                       "exit\n",
                            shape_1d(1, 64), out),
                   MACHINE_FAULT_ADDRESS);
  assert_says(&p, "thread (37,0,0) reads 4 bytes at global address 0x10000");
  static const char below[] = "ld.param.b64 rd4, [rz+8]\nld.global.b32 r8, [rd4+-100]\nexit\n";
  assert_int_equal(prog_run(&p, below, shape_1d(1, 1), out), MACHINE_FAULT_ADDRESS);
  assert_says(&p, "the nearest allocation has 256 bytes");
  static const char above[] = "ld.param.b64 rd4, [rz+8]\nld.global.b32 r8, [rd4+-400]\nexit\n";
  assert_int_equal(prog_run(&p, above, shape_1d(1, 1), out), MACHINE_FAULT_ADDRESS);
  assert_says(&p, "the nearest allocation has 65536 bytes");
  prog_close(&p);
}

static void fault_line(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  static const module_line lines[] = {{0, 11, "a.cu", 3, 0}, {16, 12, "dir/b.cu", 44, 0}};
  module *mod = prog_assemble("nop\ntrap\nexit\n");
  mod->kernels[0].lines = lines;
  mod->kernels[0].line_count = 2;
  launch_shape shape = shape_1d(1, 1);
  launch *l;
  assert_int_equal(machine_add_module(p.m, mod), MACHINE_OK);
  assert_int_equal(launch_new(p.m, mod, &mod->kernels[0], &shape, p.params, sizeof p.params, &l),
                   MACHINE_OK);
  assert_int_equal(launch_run(l), MACHINE_FAULT_TRAP);
  assert_says(&p, "kernel test, pc 0x10: trap, PTX line 12, dir/b.cu:44");
  launch_free(l);
  prog_close(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops),
      cmocka_unit_test(nested),
      cmocka_unit_test(exits),
      cmocka_unit_test(odd_branches),
      cmocka_unit_test(partial_writes),
      cmocka_unit_test(memory_order),
      cmocka_unit_test(launches),
      cmocka_unit_test(constants),
      cmocka_unit_test(barrier_after_exit),
      cmocka_unit_test(deadlock),
      cmocka_unit_test(barrier_misuse),
      cmocka_unit_test(spinning),
      cmocka_unit_test(spin_lock),
      cmocka_unit_test(limit),
      cmocka_unit_test(faults),
      cmocka_unit_test(fault_alone),
      cmocka_unit_test(fault_line),
  };
  return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
