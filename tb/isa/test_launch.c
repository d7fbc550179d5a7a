// SPDX-License-Identifier: Apache-2.0
// The machine from outside: stepping, retire records, the trace, counters, limits of launches,
// device memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include "prog.h"
#include "rig.h"

static uint32_t out[PROG_WORDS], again[PROG_WORDS];

static void assert_says(const prog *p, const char *what) {
  if (!strstr(machine_message(p->m), what)) {
    print_message("message: %s\nexpected: %s\n", machine_message(p->m), what);
    fail();
  }
}

// Race free: threads exchange through shared memory between barriers, lanes part and meet, blocks
// meet in atomic sums only.
static const char exchange[] = PROG_START
    "s2r.b32 r8, tid.x\n"
    "shl.b32 r9, r8, 2\n"
    "ld.param.b64 rd12, [rz]\n"
    "mov.b32 r14, 0\n"
    "mov.b32 r15, r0\n"
    "round:\n"
    "st.shared.b32 [r9], r15\n"
    "bar.sync.b32 rz, 0, rz\n"
    "xor.b32 r16, r9, 64\n"
    "ld.shared.b32 r17, [r16]\n"
    "bar.red.popc.b32 r18, 1, rz, p0\n"
    "add.u32 r17, r17, r18\n"
    "and.b32 r19, r17, 3\n"
    "setp.lt.u32 p0|p1, r19, 2\n"
    "@p1 bra odd, join\n"
    "shfl.bfly.b32 r15|p2, r17, 3, r20\n"
    "add.u32 r15, r15, 7\n"
    "bra join, join\n"
    "odd:\n"
    "mul.u32 r15, r17, 5\n"
    "join:\n"
    "red.add.global.u32 [rd12+16384], r19\n"
    "add.u32 r14, r14, 1\n"
    "setp.lt.u32 p3, r14, 20\n"
    "@p3 bra round, none\n"
    "st.global.b32 [rd4], r15\n"
    "exit\n";

// ---- stepping

// Starts blocks and steps ready warps as the dice fall.
static machine_error step_all(launch *l, uint64_t seed, uint64_t *steps) {
  dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
  uint32_t started = 0, warps = launch_warps(l);
  while (!launch_done(l)) {
    if (started < launch_blocks(l) && dice_below(&d, 50) == 0) {
      machine_error e = launch_start_block(l, started++);
      if (e)
        return e;
    }
    if (!started)
      continue;
    uint32_t b = dice_below(&d, started), w = dice_below(&d, warps);
    uint32_t turns = 1 + dice_below(&d, 9), lanes;
    for (uint32_t n = 0; n < turns && launch_warp_state(l, b, w) == WARP_READY; n++) {
      retire_record r;
      uint32_t pc = launch_pc(l, b, w, &lanes);
      warp_state s = launch_step(l, b, w, &r);
      if (s == WARP_FAULT)
        return MACHINE_FAULT_TRAP;
      (*steps)++;
      assert_int_equal(r.block, b);
      assert_int_equal(r.warp, w);
      assert_int_equal(r.pc, pc);
      assert_int_equal(r.lanes & ~lanes, 0);
      assert_true(s == launch_warp_state(l, b, w));
    }
  }
  return MACHINE_OK;
}

static void any_order(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  launch *l;
  const launch_shape shape = shape_1d(7, 96);
  assert_int_equal(prog_run(&p, exchange, shape, out), MACHINE_OK);
  for (uint64_t seed = 0; seed < 8; seed++) {
    uint64_t steps = 0;
    assert_int_equal(prog_launch(&p, exchange, shape, &l), MACHINE_OK);
    assert_int_equal(step_all(l, seed, &steps), MACHINE_OK);
    launch_stats s = launch_get_stats(l);
    launch_free(l);
    prog_fetch(&p, again);
    assert_memory_equal(out, again, sizeof out);
    assert_memory_equal(&s, &p.stats, sizeof s);
    assert_int_equal(steps, s.warp_instructions);
  }
  prog_close(&p);
}

static uint32_t step(launch *l, uint32_t w, retire_record *r) {
  assert_int_equal(launch_warp_state(l, 0, w), WARP_READY);
  launch_step(l, 0, w, r);
  return r->pc;
}

static void records(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  launch *l;
  retire_record r;
  assert_int_equal(prog_launch(&p,
                               "s2r.b32 r1, laneid\n"
                               "setp.lt.u32 p1|p2, r1, 8\n"
                               "@p1 mulw.u32.N rd4, r1, r1\n"
                               "setp.ge.u32 p3, r1, 4\n"
                               "bar.red.popc.b32 r7, 0, rz, p1\n"
                               "@!pt add.u32 r8, r1, r1\n"
                               "@p1 exit\n"
                               "exit\n",
                               shape_1d(1, 48), &l),
                   MACHINE_OK);
  assert_int_equal(launch_start_block(l, 0), MACHINE_OK);
  step(l, 1, &r);
  assert_int_equal(r.lanes, 0xffff);
  assert_int_equal(r.reg, 1);
  assert_int_equal(r.words, 1);
  assert_false(r.has_pred || r.has_pred2 || r.near);
  step(l, 1, &r);
  assert_true(r.has_pred && r.has_pred2 && r.reg == ISA_RZ && r.words == 0);
  assert_int_equal(r.pred, 1);
  assert_int_equal(r.pred_bits & r.lanes, 0xff);
  assert_int_equal(r.pred2, 2);
  assert_int_equal(r.pred2_bits & r.lanes, 0xff00);
  step(l, 1, &r);
  assert_int_equal(r.lanes, 0xff);
  assert_true(r.near && r.reg == 4 && r.words == 2 && !r.has_pred);
  assert_int_equal(launch_reg(l, 0, 1, 7, 4), 49);
  assert_int_equal(launch_reg(l, 0, 1, 8, 4), 0);
  step(l, 1, &r);
  assert_true(r.has_pred && !r.has_pred2 && r.pred == 3);
  assert_true(launch_pred(l, 0, 1, 4, 3) && !launch_pred(l, 0, 1, 3, 3));
  step(l, 1, &r);  // the reduction: its result comes with the last warp
  assert_int_equal(launch_warp_state(l, 0, 1), WARP_AT_BARRIER);
  assert_true(r.reg == ISA_RZ && r.lanes == 0xffff);
  for (unsigned n = 0; n < 5; n++)
    step(l, 0, &r);
  assert_int_equal(launch_warp_state(l, 0, 1), WARP_READY);
  assert_int_equal(launch_reg(l, 0, 1, 3, 7), 16);
  assert_int_equal(launch_reg(l, 0, 0, 31, 7), 16);
  step(l, 0, &r);
  assert_int_equal(r.lanes, 0);
  step(l, 0, &r);
  assert_int_equal(r.lanes, 0xff);
  uint32_t lanes;
  assert_int_equal(launch_pc(l, 0, 0, &lanes), 0x70);
  assert_int_equal(lanes, 0xffffff00);
  assert_int_equal(launch_step(l, 0, 0, NULL), WARP_DONE);
  assert_false(launch_done(l));
  for (unsigned n = 0; n < 3; n++)
    launch_step(l, 0, 1, NULL);
  assert_true(launch_done(l));
  assert_int_equal(launch_warp_state(l, 0, 1), WARP_DONE);
  launch_free(l);
  prog_close(&p);
}

static void trace(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  machine_config config = machine_config_default();
  config.trace = f;
  prog p = prog_open(&config);
  assert_int_equal(prog_run(&p,
                            "s2r.b32 r1, tid.x\n"
                            "setp.eq.u32 p1|p2, r1, 1\n"
                            "@p1 mulw.s32.N rd2, r1, -1\n"
                            "@!pt mov.b32 r4, r1\n"
                            "st.shared.b32 [rz], r1\n"
                            "exit\n",
                            shape_1d(2, 3), out),
                   MACHINE_OK);
  prog_close(&p);
  fclose(f);
#define DASHES " - - - - - - - - - - - - - - - - - - - - - - - - - - - - -"
#define BLOCK(b)                                                                            \
  b " 0 0 00000007 F r1 0 1 2" DASHES "\n" b " 0 10 00000007 F p1 00000002 p2 00000005\n" b \
    " 0 20 00000002 N r2 - ffffffff -" DASHES " r3 - ffffffff -" DASHES "\n" b              \
    " 0 30 00000000 N\n" b " 0 40 00000007 N\n" b " 0 50 00000007 F\n"
  assert_string_equal(text, BLOCK("0") BLOCK("1"));
  free(text);
}

// ---- lanes and locations

// Shuffles read lanes that are elsewhere, or have exited, as 0.
static void shuffles_in_divergence(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  static const char text[] = PROG_START
      "mov.b32 r20, 31\n"
      "setp.eq.u32 p2, r0, 17\n"
      "@p2 exit\n"
      "and.b32 r8, r0, 2\n"
      "setp.eq.u32 p0, r8, 0\n"
      "add.u32 r9, r0, 100\n"
      "@p0 bra here, join\n"
      "shfl.down.b32 r9|p1, r9, 1, r20\n"
      "bra join, join\n"
      "here:\n"
      "shfl.down.b32 r9|p1, r9, 1, r20\n"
      "join:\n"
      "@!p1 add.u32 r9, r9, 1000\n"
      "st.global.b32 [rd4], r9\n"
      "exit\n";
  assert_int_equal(prog_run(&p, text, shape_1d(1, 32), out), MACHINE_OK);
  for (uint32_t t = 0; t < 32; t++) {
    const bool reads = t != 16 && (t & 2) == ((t + 1) & 2);
    if (t != 17)
      assert_int_equal(out[t], t == 31 ? 1131 : reads ? 101 + t : 0);
  }
  prog_close(&p);
}

// How many of the instructions execute near.
static uint64_t near_of(const char *text) {
  prog p = prog_open(NULL);
  assert_int_equal(prog_run(&p, text, shape_1d(1, 32), out), MACHINE_OK);
  assert_int_equal(p.stats.near_instructions + p.stats.far_instructions, p.stats.warp_instructions);
  uint64_t n = p.stats.near_instructions;
  prog_close(&p);
  return n;
}

static void locations(void **state) {
  (void)state;
  // hints, and what cannot be near
  assert_int_equal(near_of("add.u32.N r1, r2, r3\nadd.u32.F r1, r2, r3\nexit\n"), 1);
  assert_int_equal(near_of("mov.b32.N r1, 7\nmulh.u32 r2, r1, r1\nadd.u32 r3, r2, r1\nexit\n"), 1);
  // without a hint: near when every source is; near execution makes sources near, far the result
  // far
  assert_int_equal(near_of("add.u32 r3, r1, r2\nexit\n"), 0);
  assert_int_equal(near_of("add.u32.N r3, r1, r2\nadd.u32 r4, r3, r1\nadd.u32 r5, r4, r2\nexit\n"),
                   3);
  assert_int_equal(
      near_of("add.u32.N r3, r1, r2\nadd.u32.F r3, r3, r1\nadd.u32 r4, r3, r1\nexit\n"), 1);
  assert_int_equal(near_of("mov.b32 r1, 7\nadd.u32 r2, r1, 1\nexit\n"),
                   2);  // constants are anywhere
  // 64-bit values: both words
  assert_int_equal(near_of("mov.b64.N rd2, 1\nmov.b32.F r3, 1\nadd.u64 rd4, rd2, rd2\nexit\n"), 1);
  // loads from the bank land near, parameters do not; stored data comes near
  assert_int_equal(near_of("ld.param.b64 rd2, [rz]\nadd.u64 rd4, rd2, 1\nexit\n"), 0);
  assert_int_equal(near_of("ld.param.b64 rd2, [rz]\nld.global.b32 r4, [rd2]\nadd.u32 r5, r4, r4\n"
                           "exit\n"),
                   1);
  assert_int_equal(near_of("ld.param.b64 rd2, [rz]\nst.global.b32 [rd2], r4\nadd.u32 r5, r4, r4\n"
                           "add.u64 rd6, rd2, 1\nexit\n"),
                   1);
  // shared memory is near by its hint: address and data
  assert_int_equal(near_of("st.shared.b32.N [r1], r2\nadd.u32 r3, r1, r2\nexit\n"), 2);
  assert_int_equal(near_of("ld.shared.b32.N r2, [r1]\nadd.u32 r3, r1, r2\nexit\n"), 2);
  // what no lane executes moves nothing
  assert_int_equal(near_of("mov.b32.N r1, 1\n@!pt mulh.u32 r1, r1, r1\nadd.u32 r2, r1, r1\nexit\n"),
                   2);
}

static void counters(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  assert_int_equal(prog_run(&p,
                            PROG_START "setp.lt.u32 p0, r0, 10\n"
                                       "@p0 ld.global.b64 rd8, [rd4+32]\n"
                                       "@p0 exit\n"
                                       "st.global.u8 [rd4], r8\n"
                                       "red.add.global.u32 [rd4], r8\n"
                                       "ld.shared.b128 rq12, [rz]\n"
                                       "@!pt ld.shared.b128 rq12, [rz]\n"
                                       "exit\n",
                            shape_1d(1, 40), out),
                   MACHINE_FAULT_ALIGN);
  assert_int_equal(prog_run(&p,
                            PROG_START "setp.lt.u32 p0, r0, 10\n"
                                       "@p0 ld.global.b32 r8, [rd4+32]\n"
                                       "@p0 exit\n"
                                       "st.global.u8 [rd4], r8\n"
                                       "red.add.global.u32 [rd4], r8\n"
                                       "ld.shared.b128 rq12, [rz]\n"
                                       "@!pt ld.shared.b128 rq12, [rz]\n"
                                       "exit\n",
                            shape_1d(1, 40), out),
                   MACHINE_OK);
  assert_int_equal(p.stats.warp_instructions, 2 * 14);
  assert_int_equal(p.stats.thread_instructions, 7 * 40 + 10 + 10 + 4 * 30);
  assert_int_equal(p.stats.global_bytes, 10 * 4 + 30 + 30 * 4);
  assert_int_equal(p.stats.shared_accesses, 2);
  prog_close(&p);
}

// ---- launches that cannot be

static machine_error try_launch(prog *p, module *mod, launch_shape shape, size_t param_bytes) {
  launch *l;
  machine_error e = launch_new(p->m, mod, &mod->kernels[0], &shape, p->params, param_bytes, &l);
  assert_true((e == MACHINE_OK) == (l != NULL));
  launch_free(l);
  return e;
}

static void bad_launches(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  module *mod = prog_assemble("exit\n");
  const size_t all = sizeof p.params;
  assert_int_equal(machine_add_module(p.m, mod), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 1024), all), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 1025), all), MACHINE_BAD_LAUNCH);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 0), all), MACHINE_BAD_LAUNCH);
  assert_int_equal(try_launch(&p, mod, shape_1d(0, 1), all), MACHINE_BAD_LAUNCH);
  assert_int_equal(try_launch(&p, mod, (launch_shape){{1, 1, 1}, {0x10000, 0x10000, 1}, 0}, all),
                   MACHINE_BAD_LAUNCH);
  assert_int_equal(try_launch(&p, mod, (launch_shape){{1, 65536, 1}, {1, 1, 1}, 0}, all),
                   MACHINE_BAD_LAUNCH);
  assert_int_equal(try_launch(&p, mod, (launch_shape){{1, 1, 1}, {32, 1, 1}, 65536 - 4096}, all),
                   MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, (launch_shape){{1, 1, 1}, {32, 1, 1}, 65537 - 4096}, all),
                   MACHINE_OUT_OF_SHARED);
  assert_says(&p, "65537 bytes of shared memory");
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 32), all - 1), MACHINE_BAD_LAUNCH);
  mod->kernels[0].max_threads = 64;
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 65), all), MACHINE_BAD_LAUNCH);
  mod->kernels[0].reqntid[0] = 32, mod->kernels[0].reqntid[1] = mod->kernels[0].reqntid[2] = 1;
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 64), all), MACHINE_BAD_LAUNCH);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 32), all), MACHINE_OK);
  prog_close(&p);
}

static void registers(void **state) {
  (void)state;
  machine_config config = machine_config_default();
  config.far_rf_bytes = 32768;
  config.near_rf_bytes = 32768;
  prog p = prog_open(&config);
  module *mod = prog_assemble("exit\n");  // 48 registers on each side
  assert_int_equal(machine_add_module(p.m, mod), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 640), sizeof p.params), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 641), sizeof p.params),
                   MACHINE_OUT_OF_REGISTERS);
  assert_says(&p, "uses 48 far registers");
  assert_says(&p, "--maxregs=40");
  prog_close(&p);
  config.near_rf_bytes = 16384;
  p = prog_open(&config);
  mod = prog_assemble("exit\n");
  assert_int_equal(machine_add_module(p.m, mod), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 257), sizeof p.params),
                   MACHINE_OUT_OF_REGISTERS);
  assert_says(&p, "near registers");
  prog_close(&p);
  // two warps of five registers take 16
  config.near_rf_bytes = 12 * 128;
  p = prog_open(&config);
  mod = prog_assemble("exit\n");
  module_kernel *k = &mod->kernels[0];
  k->regs_both = k->regs_far = 0, k->regs_near = 5;
  assert_int_equal(machine_add_module(p.m, mod), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 256), sizeof p.params),
                   MACHINE_OUT_OF_REGISTERS);
  assert_says(&p, "256 threads 4 fit");
  k->regs_near = 4;
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 256), sizeof p.params), MACHINE_OK);
  prog_close(&p);
  config.warps_per_core = 8;
  p = prog_open(&config);
  mod = prog_assemble("exit\n");
  mod->kernels[0].regs_both = mod->kernels[0].regs_far = mod->kernels[0].regs_near = 0;
  assert_int_equal(machine_add_module(p.m, mod), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 256), sizeof p.params), MACHINE_OK);
  assert_int_equal(try_launch(&p, mod, shape_1d(1, 257), sizeof p.params),
                   MACHINE_OUT_OF_REGISTERS);
  assert_says(&p, "has 9 warps, a core has room for 8");
  prog_close(&p);
}

// ---- device memory

static void memory(void **state) {
  (void)state;
  machine_config config = machine_config_default();
  config.memory_bytes = 1 << 20;
  machine *m = machine_new(&config);
  uint64_t a, b, c, base, bytes, free_before, free_after, total;
  uint8_t data[300], got[300];
  for (unsigned n = 0; n < sizeof data; n++)
    data[n] = (uint8_t)(n * 7);
  machine_memory_info(m, &free_before, &total);
  assert_int_equal(total, 1 << 20);
  assert_int_equal(machine_malloc(m, 300, &a), MACHINE_OK);
  assert_int_equal(machine_malloc(m, 1, &b), MACHINE_OK);
  assert_true(a != 0 && a % 256 == 0 && b % 256 == 0 && b >= a + 300);
  assert_int_equal(machine_malloc(m, 1 << 20, &c), MACHINE_OUT_OF_MEMORY);
  assert_int_equal(machine_malloc(m, ~0ull, &c), MACHINE_OUT_OF_MEMORY);
  assert_int_equal(machine_write(m, a, data, 300), MACHINE_OK);
  assert_int_equal(machine_write(m, a, data, 301), MACHINE_BAD_POINTER);
  assert_int_equal(machine_write(m, a + 299, data, 1), MACHINE_OK);
  assert_int_equal(machine_write(m, a + 300, data, 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_write(m, 0, data, 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_write(m, a, data, ~0ull), MACHINE_BAD_POINTER);
  assert_int_equal(machine_write(m, a, data, 300), MACHINE_OK);
  assert_int_equal(machine_copy(m, a + 10, a, 200), MACHINE_OK);  // overlapping
  assert_int_equal(machine_read(m, got, a, 300), MACHINE_OK);
  assert_memory_equal(got + 10, data, 200);
  assert_int_equal(machine_fill(m, a, 9, 300), MACHINE_OK);
  assert_int_equal(machine_fill(m, a, 9, 301), MACHINE_BAD_POINTER);
  assert_int_equal(machine_read(m, got, a + 299, 1), MACHINE_OK);
  assert_int_equal(got[0], 9);
  assert_true(machine_find(m, a + 299, &base, &bytes) && base == a && bytes == 300);
  assert_false(machine_find(m, a + 300, &base, &bytes));
  assert_int_equal(machine_release(m, a + 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_release(m, a), MACHINE_OK);
  assert_int_equal(machine_release(m, a), MACHINE_BAD_POINTER);
  assert_int_equal(machine_read(m, got, a, 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_malloc(m, 513, &c), MACHINE_OK);  // does not fit the gap
  assert_true(c > b);
  assert_int_equal(machine_malloc(m, 512, &a), MACHINE_OK);  // does
  assert_true(a < b);
  assert_int_equal(machine_release(m, a), MACHINE_OK);
  assert_int_equal(machine_release(m, b), MACHINE_OK);
  assert_int_equal(machine_release(m, c), MACHINE_OK);
  machine_memory_info(m, &free_after, &total);
  assert_int_equal(free_before, free_after);
  machine_free(m);
}

// Pages of a file: the highest free ones, of all owners, not counted, and zeros when they are gone.
static void mapped(void **state) {
  (void)state;
  machine_config config = machine_config_default();
  config.memory_bytes = 1 << 20;
  machine *m = machine_new(&config);
  const int fd = memfd_create("pages", 0);
  assert_false(ftruncate(fd, 8192));
  uint8_t *host = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), got[4];
  uint64_t free_before, free_with, total, high, low, a, b, base, bytes;
  const uint64_t trail = machine_trail(m);
  machine_memory_info(m, &free_before, &total);
  assert_int_equal(machine_map(m, fd, 5000, 0, &high), MACHINE_OK);
  assert_int_equal(high, (1 << 20) / 8 * 7 - 8192);
  assert_int_equal(machine_map(m, fd, 100, 0, &low), MACHINE_OK);
  assert_int_equal(low, high - 4096);
  assert_true(machine_find(m, high + 4999, &base, &bytes) && base == high && bytes == 5000);
  machine_memory_info(m, &free_with, &total);
  assert_true(free_before == free_with && machine_trail(m) == trail);
  memcpy(host + 4996, "host", 4);
  assert_int_equal(machine_read(m, got, high + 4996, 4), MACHINE_OK);
  assert_memory_equal(got, "host", 4);
  assert_int_equal(machine_write(m, high + 4997, "x", 1), MACHINE_OK);
  assert_int_equal(host[4997], 'x');
  assert_int_equal(machine_write(m, high + 5000, "x", 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_release(m, high), MACHINE_BAD_POINTER);
  machine_set_owner(m, 2);
  assert_int_equal(machine_read(m, got, high, 4), MACHINE_OK);
  machine_release_all(m);
  assert_int_equal(machine_read(m, got, high, 4), MACHINE_OK);
  // what is allocated goes around it
  assert_int_equal(machine_malloc(m, low - 4096, &a), MACHINE_OK);
  assert_int_equal(machine_malloc(m, 8192, &b), MACHINE_OK);
  assert_int_equal(b, high + 8192);
  assert_int_equal(machine_map(m, fd, 1, low, &base), MACHINE_OUT_OF_MEMORY);
  machine_unmap(m, high);
  assert_int_equal(machine_read(m, got, high, 1), MACHINE_BAD_POINTER);
  assert_int_equal(machine_malloc(m, 8192, &high), MACHINE_OK);
  assert_int_equal(machine_read(m, got, high + 4996, 4), MACHINE_OK);
  assert_memory_equal(got, "\0\0\0\0", 4);
  assert_memory_equal(host + 4996, "hxst", 4);
  machine_free(m);
  munmap(host, 8192);
  close(fd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order),    cmocka_unit_test(records),
      cmocka_unit_test(trace),        cmocka_unit_test(shuffles_in_divergence),
      cmocka_unit_test(locations),    cmocka_unit_test(counters),
      cmocka_unit_test(bad_launches), cmocka_unit_test(registers),
      cmocka_unit_test(memory),       cmocka_unit_test(mapped),
  };
  return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
