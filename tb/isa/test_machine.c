// SPDX-License-Identifier: Apache-2.0
// The functional machine: SIMT stack, barriers, faults and their messages, stepping in any order,
// allocation. Kernels are assembled from text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../../csim/isa/asm.h"
#include "../../csim/isa/machine.h"

enum { MAX_INSTS = 64, LABELS = 16 };

// ---- a kernel from text: one instruction a line, `name:` labels

typedef struct text_label {
  char name[16];
  uint32_t pc;
} text_label;

typedef struct program {
  module mod;
  module_kernel kernel;
  isa_inst insts[MAX_INSTS];
  text_label labels[LABELS];
  unsigned label_count;
} program;

static bool find_label(void *context, const char *name, size_t length, uint32_t *target) {
  program *p = context;
  for (unsigned n = 0; n < p->label_count; n++)
    if (strlen(p->labels[n].name) == length && memcmp(p->labels[n].name, name, length) == 0) {
      *target = p->labels[n].pc;
      return true;
    }
  return false;
}

// Parameters: one 64-bit pointer. Registers: 32 on both sides.
static program *assemble(const char *const *lines, uint32_t shared) {
  program *p = calloc(1, sizeof *p);
  asm_labels labels = {NULL, find_label, p};
  uint32_t pc = 0;
  assert_non_null(p);
  for (int pass = 0; pass < 2; pass++) {
    pc = 0;
    for (unsigned n = 0; lines[n]; n++) {
      size_t length = strlen(lines[n]), at;
      char why[100];
      if (lines[n][length - 1] == ':') {
        if (pass)
          continue;
        text_label *l = &p->labels[p->label_count++];
        memcpy(l->name, lines[n], length - 1);
        l->pc = pc;
        continue;
      }
      if (pass && !asm_parse(lines[n], length, &labels, &p->insts[pc / ISA_BYTES], &at, why,
                             sizeof why))
        fail_msg("%s: at %zu %s", lines[n], at, why);
      pc += ISA_BYTES;
    }
  }
  p->kernel = (module_kernel){.name = "test", .insts = p->insts, .inst_count = pc / ISA_BYTES,
                              .param_bytes = 8, .regs_both = 32, .preds = 8,
                              .shared_bytes = shared, .local_bytes = 64};
  p->mod = (module){.kernels = &p->kernel, .kernel_count = 1};
  return p;
}

static machine *fresh(FILE *trace) {
  machine_config config = machine_config_default();
  config.trace = trace;
  config.max_instructions = 10000000;
  machine *m = machine_new(&config);
  assert_non_null(m);
  return m;
}

static launch *start(machine *m, program *p, uint32_t blocks, uint32_t threads, uint64_t out) {
  launch_shape shape = {{blocks, 1, 1}, {threads, 1, 1}, 0};
  launch *l;
  if (launch_new(m, &p->mod, &p->kernel, &shape, &out, sizeof out, &l))
    fail_msg("%s", machine_message(m));
  return l;
}

// Runs and reads back `count` words from the buffer that the parameter points to.
static machine_error run(const char *const *lines, uint32_t blocks, uint32_t threads,
                         uint32_t *result, uint32_t count, char *message) {
  program *p = assemble(lines, 256);
  machine *m = fresh(NULL);
  uint64_t out;
  assert_int_equal(machine_malloc(m, 4 * count, &out), MACHINE_OK);
  launch *l = start(m, p, blocks, threads, out);
  machine_error e = launch_run(l);
  if (e == MACHINE_OK)
    assert_true(launch_done(l));
  if (message)
    strcpy(message, machine_message(m));
  assert_int_equal(machine_read(m, result, out, 4 * count), MACHINE_OK);
  launch_free(l);
  machine_free(m);
  free(p);
  return e;
}

#define HEAD "s2r.b32 r0, tid.x", "ld.param.b64 rd2, [rz]", "madw.u32 rd2, r0, 4, rd2"

// ---- divergence

// Each lane leaves the loop in another round: the stack must not grow, all meet behind it.
static void loop_trip_counts(void **unused) {
  static const char *const lines[] = {HEAD, "mov.b32 r5, 0", "top:", "setp.ge.u32 p0, r5, r0",
                                      "@p0 bra end, end", "add.u32 r5, r5, 1", "bra top, top",
                                      "end:", "activemask.b32 r6", "st.global.b32 [rd2], r5",
                                      "st.global.b32 [rd2+128], r6", "exit", NULL};
  uint32_t out[64];
  (void)unused;
  assert_int_equal(run(lines, 1, 32, out, 64, NULL), MACHINE_OK);
  for (uint32_t n = 0; n < 32; n++) {
    assert_int_equal(out[n], n);
    assert_int_equal(out[32 + n], 0xffffffff);
  }
}

// Loops in loops with different counts, left in the middle by some lanes.
static void nested_and_exits(void **unused) {
  static const char *const lines[] = {
      HEAD, "mov.b32 r5, 0", "mov.b32 r6, 0", "outer:", "mov.b32 r7, 0", "inner:",
      "add.u32 r6, r6, 1", "add.u32 r7, r7, 1", "setp.lt.u32 p0, r7, r0", "@p0 bra inner, after",
      "after:", "setp.eq.u32 p1, r6, 9", "@p1 st.global.b32 [rd2], 0", "@p1 exit",
      "add.u32 r5, r5, 1", "setp.lt.u32 p0, r5, 4", "@p0 bra outer, done", "done:",
      "st.global.b32 [rd2], r6", "exit", NULL};
  static const char *lines2[32];
  uint32_t out[32];
  (void)unused;
  unsigned n = 0;
  for (; lines[n]; n++)  // a store has no immediate data: rz is zero
    lines2[n] = strcmp(lines[n], "@p1 st.global.b32 [rd2], 0") == 0 ? "@p1 st.global.b32 [rd2], rz"
                                                                    : lines[n];
  lines2[n] = NULL;
  assert_int_equal(run(lines2, 1, 32, out, 32, NULL), MACHINE_OK);
  for (uint32_t t = 0; t < 32; t++) {
    uint32_t inner = t ? t : 1, sum = 0, got = 0;
    bool ended = false;
    for (int k = 0; k < 4 && !ended; k++) {
      sum += inner;
      ended = sum == 9;
    }
    got = ended ? 0 : sum;
    assert_int_equal(out[t], got);
  }
}

static void partial_warp(void **unused) {
  static const char *const lines[] = {HEAD, "activemask.b32 r6", "st.global.b32 [rd2], r6", "exit",
                                      NULL};
  uint32_t out[37];
  (void)unused;
  assert_int_equal(run(lines, 1, 37, out, 37, NULL), MACHINE_OK);
  assert_int_equal(out[0], 0xffffffff);
  assert_int_equal(out[36], 0x1f);
}

// ---- barriers

// A warp that has ended does not hold the others.
static void barrier_and_exit(void **unused) {
  static const char *const lines[] = {HEAD, "setp.lt.u32 p0, r0, 32", "@p0 exit",
                                      "bar.sync.b32 rz, 0, rz", "st.global.b32 [rd2], r0", "exit",
                                      NULL};
  static const char *lines2[16];
  uint32_t out[96] = {0};
  (void)unused;
  for (unsigned n = 0; n < 9; n++)
    lines2[n] = lines[n];
  lines2[5] = "bar.sync.b32 rz, rz, rz";
  assert_int_equal(run(lines2, 1, 96, out, 96, NULL), MACHINE_OK);
  assert_int_equal(out[95], 95);
}

static void barrier_reduction(void **unused) {
  static const char *const lines[] = {HEAD,
                                      "setp.lt.u32 p0, r0, 40",
                                      "bar.red.popc.b32 r5, rz, rz, p0",
                                      "bar.red.and.b32 rz|p1, rz, rz, p0",
                                      "bar.red.or.b32 rz|p2, rz, rz, p0",
                                      "selp.b32 r6, 100, rz, p1",
                                      "add.u32 r5, r5, r6",
                                      "selp.b32 r6, 1000, rz, p2",
                                      "add.u32 r5, r5, r6",
                                      "st.global.b32 [rd2], r5",
                                      "exit",
                                      NULL};
  uint32_t out[64];
  (void)unused;
  assert_int_equal(run(lines, 1, 64, out, 64, NULL), MACHINE_OK);
  for (int n = 0; n < 64; n++)
    assert_int_equal(out[n], 1040);
}

// Two warps at different barriers: the message names both, and where.
static void barrier_deadlock(void **unused) {
  static const char *const lines[] = {HEAD, "setp.lt.u32 p0, r0, 32", "@p0 bar.sync.b32 rz, 1, rz",
                                      "bar.sync.b32 rz, 2, rz", "exit", NULL};
  uint32_t out[64];
  char message[4096];
  (void)unused;
  assert_int_equal(run(lines, 1, 64, out, 64, message), MACHINE_FAULT_DEADLOCK);
  assert_non_null(strstr(message, "warp 0 waits at barrier 1"));
  assert_non_null(strstr(message, "warp 1 waits at barrier 2"));
  assert_non_null(strstr(message, "pc 0x40"));
  assert_non_null(strstr(message, "pc 0x50"));
}

// Blocks that wait for one another are all let in.
static void blocks_wait(void **unused) {
  static const char *const lines[] = {
      "ld.param.b64 rd2, [rz]", "mov.b32 r5, 1", "red.add.global.u32 [rd2], r5", "again:",
      "ld.volatile.global.b32 r6, [rd2]", "setp.lt.u32 p0, r6, 20", "@p0 bra again, on", "on:",
      "exit", NULL};
  uint32_t out[1] = {0};
  (void)unused;
  assert_int_equal(run(lines, 20, 1, out, 1, NULL), MACHINE_OK);
  assert_int_equal(out[0], 20);
}

// ---- faults

static void faults(void **unused) {
  static const struct {
    const char *inst;
    machine_error error;
    const char *text;
  } cases[] = {
      {"st.global.b32 [rd2+4], r0", MACHINE_FAULT_ADDRESS,
       "block (0,0,0) thread (31,0,0) writes 4 bytes at global address"},
      {"ld.global.b32 r5, [rd2+-4]", MACHINE_FAULT_ADDRESS, "thread (0,0,0) reads 4 bytes"},
      {"ld.global.b32 r5, [rd2+1]", MACHINE_FAULT_ALIGN, "not a multiple of 4"},
      {"ld.global.b64 rd6, [rd2]", MACHINE_FAULT_ALIGN, "thread (1,0,0)"},
      {"ld.shared.b32 r5, [rz+256]", MACHINE_FAULT_ADDRESS, "shared address 0x100; there are 256"},
      {"st.local.b128 [rz+64], rq8", MACHINE_FAULT_ADDRESS, "local address 0x40; there are 64"},
      {"ld.const.b32 r5, [rz]", MACHINE_FAULT_ADDRESS, "const address 0x0; there are 0"},
      {"ld.param.b32 r5, [rz+8]", MACHINE_FAULT_ADDRESS, "param address 0x8; there are 8"},
      {"red.add.global.u32 [rd2+128], r0", MACHINE_FAULT_ADDRESS, "updates 4 bytes"},
      {"trap", MACHINE_FAULT_TRAP, "executed a trap"},
      {"bar.sync.b32 rz, 16, rz", MACHINE_FAULT_TRAP, "barrier"},
  };
  (void)unused;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const char *lines[] = {HEAD, cases[n].inst, "exit", NULL};
    uint32_t out[32];
    char message[4096];
    machine_error e = run(lines, 1, 32, out, 32, message);
    if (e != cases[n].error || !strstr(message, cases[n].text) ||
        !strstr(message, "kernel test, pc 0x30"))
      fail_msg("%s: error %d, message '%s'", cases[n].inst, (int)e, message);
  }
}

static void bad_launches(void **unused) {
  static const char *const lines[] = {"exit", NULL};
  static const launch_shape shapes[] = {
      {{1, 1, 1}, {1025, 1, 1}, 0}, {{1, 1, 1}, {0, 1, 1}, 0},  {{0, 1, 1}, {1, 1, 1}, 0},
      {{1, 1, 1}, {1, 1, 65}, 0},   {{1, 65536, 1}, {1, 1, 1}, 0}, {{1, 1, 1}, {1, 1, 1}, 65536},
      {{65536, 65535, 1}, {1, 1, 1}, 0}};
  program *p = assemble(lines, 256);
  machine *m = fresh(NULL);
  uint64_t zero = 0;
  launch *l;
  (void)unused;
  for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
    assert_int_equal(launch_new(m, &p->mod, &p->kernel, &shapes[n], &zero, 8, &l),
                     MACHINE_BAD_LAUNCH);
    assert_true(machine_message(m)[0]);
  }
  launch_shape good = {{1, 1, 1}, {1, 1, 1}, 0};
  assert_int_equal(launch_new(m, &p->mod, &p->kernel, &good, &zero, 4, &l), MACHINE_BAD_LAUNCH);
  machine_free(m);
  free(p);
}

// ---- stepping

// A program without races gives the same memory and counts in any order of its warps.
static void any_order(void **unused) {
  static const char *const lines[] = {
      HEAD, "s2r.b32 r8, ctaid.x", "madw.u32 rd2, r8, 512, rd2", "and.b32 r9, r0, 31",
      "shl.b32 r10, r0, 2", "st.shared.b32 [r10], r9", "bar.sync.b32 rz, rz, rz",
      "xor.b32 r10, r10, 4", "ld.shared.b32 r11, [r10]", "mov.b32 r5, 0", "top:",
      "mad.u32 r5, r5, 3, r11", "add.u32 r9, r9, -1", "setp.ge.s32 p0, r9, 0",
      "@p0 bra top, end", "end:", "st.global.b32 [rd2], r5", "exit", NULL};
  uint32_t expected[512], got[512], seed = 1;
  launch_stats stats = {0};
  (void)unused;
  for (int round = 0; round < 20; round++) {
    program *p = assemble(lines, 512);
    machine *m = fresh(NULL);
    uint64_t out;
    assert_int_equal(machine_malloc(m, sizeof got, &out), MACHINE_OK);
    launch *l = start(m, p, 4, 128, out);
    if (round == 0) {
      assert_int_equal(launch_run(l), MACHINE_OK);
    } else {
      for (uint32_t b = 0; b < 4; b++)
        assert_int_equal(launch_start_block(l, b), MACHINE_OK);
      while (!launch_done(l)) {
        seed = seed * 1664525 + 1013904223;
        uint32_t b = seed >> 8 & 3, w = seed >> 10 & 3;
        retire_record r;
        if (launch_warp_state(l, b, w) != WARP_READY)
          continue;
        uint32_t lanes, pc = launch_pc(l, b, w, &lanes);
        warp_state s = launch_step(l, b, w, &r);
        assert_int_not_equal(s, WARP_FAULT);
        assert_int_equal(r.pc, pc);
        assert_int_equal(r.block, b);
        assert_int_equal(r.warp, w);
        assert_int_equal(r.lanes & ~lanes, 0);
      }
    }
    assert_int_equal(machine_read(m, round ? got : expected, out, sizeof got), MACHINE_OK);
    launch_stats now = launch_get_stats(l);
    if (round == 0)
      stats = now;
    else
      assert_memory_equal(got, expected, sizeof got);
    assert_memory_equal(&now, &stats, sizeof now);
    launch_free(l);
    machine_free(m);
    free(p);
  }
  assert_int_equal(stats.near_instructions + stats.far_instructions, stats.warp_instructions);
}

static void trace_lines(void **unused) {
  static const char *const lines[] = {"s2r.b32 r1, laneid", "setp.lt.u32 p0, r1, 2",
                                      "@p0 add.u32 r1, r1, 16", "exit", NULL};
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  program *p = assemble(lines, 0);
  machine *m = fresh(f);
  (void)unused;
  launch *l = start(m, p, 1, 3, 0);
  assert_int_equal(launch_run(l), MACHINE_OK);
  launch_free(l);
  machine_free(m);
  fclose(f);
  assert_string_equal(
      text,
      "0 0 0 00000007 F r1 0 1 2 - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "0 0 10 00000007 F p0 00000003\n"
      "0 0 20 00000003 F r1 10 11 - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n"
      "0 0 30 00000007 F\n");
  free(text);
  free(p);
}

// ---- memory

static void allocation(void **unused) {
  machine *m = fresh(NULL);
  uint64_t a, b, c, base, size;
  uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
  (void)unused;
  assert_int_equal(machine_malloc(m, 0, &a), MACHINE_OUT_OF_MEMORY);
  assert_int_equal(machine_malloc(m, 33ull << 30, &a), MACHINE_OUT_OF_MEMORY);
  assert_int_equal(machine_malloc(m, 5, &a), MACHINE_OK);
  assert_int_equal(machine_malloc(m, 300, &b), MACHINE_OK);
  assert_true(a && a % 256 == 0 && b % 256 == 0 && b >= a + 5);
  assert_int_equal(machine_write(m, a, bytes, 5), MACHINE_OK);
  assert_int_equal(machine_write(m, a, bytes, 6), MACHINE_BAD_POINTER);
  assert_int_equal(machine_write(m, a + 5, bytes, 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_copy(m, b, a, 5), MACHINE_OK);
  assert_int_equal(machine_copy(m, b, a, 6), MACHINE_BAD_POINTER);
  assert_int_equal(machine_read(m, back, b, 5), MACHINE_OK);
  assert_memory_equal(back, bytes, 5);
  assert_int_equal(machine_fill(m, b, 7, 301), MACHINE_BAD_POINTER);
  assert_true(machine_find(m, b + 299, &base, &size));
  assert_true(base == b && size == 300);
  assert_false(machine_find(m, b + 300, &base, &size));
  assert_int_equal(machine_release(m, a + 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_release(m, a), MACHINE_OK);
  assert_int_equal(machine_release(m, a), MACHINE_BAD_POINTER);
  assert_int_equal(machine_read(m, back, a, 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_malloc(m, 256, &c), MACHINE_OK);
  assert_true(c == a);  // first fit
  machine_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loop_trip_counts), cmocka_unit_test(nested_and_exits),
      cmocka_unit_test(partial_warp),     cmocka_unit_test(barrier_and_exit),
      cmocka_unit_test(barrier_reduction), cmocka_unit_test(barrier_deadlock),
      cmocka_unit_test(blocks_wait),      cmocka_unit_test(faults),
      cmocka_unit_test(bad_launches),     cmocka_unit_test(any_order),
      cmocka_unit_test(trace_lines),      cmocka_unit_test(allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
