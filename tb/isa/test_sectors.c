// SPDX-License-Identifier: Apache-2.0
// Bytes that any machine moves at least once (machine_compulsory), and sectors that instructions
// access (machine_accessed), of kernels whose sectors can be counted by hand. `out` of prog.h
// begins at a multiple of 256.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include "csim/isa/sectors.h"
#include "prog.h"

static uint32_t out[PROG_WORDS];

static prog open_counting(void) {
  machine_config config = machine_config_default();
  config.count_bytes = true;
  return prog_open(&config);
}

static void run_ok(prog *p, const char *text, launch_shape shape) {
  const machine_error e = prog_run(p, text, shape, out);
  if (e)
    print_message("%s\n", machine_message(p->m));
  assert_int_equal(e, MACHINE_OK);
}

#define ASSERT_SECTORS(p, reads, writes)                                         \
  do {                                                                           \
    assert_int_equal(machine_compulsory((p)->m).read, (reads)*SECTOR_BYTES);     \
    assert_int_equal(machine_compulsory((p)->m).written, (writes)*SECTOR_BYTES); \
  } while (0)

// One kernel on a fresh machine.
static void counts(const char *text, launch_shape shape, unsigned reads, unsigned writes) {
  prog p = open_counting();
  run_ok(&p, text, shape);
  ASSERT_SECTORS(&p, reads, writes);
  prog_close(&p);
}

// rd4 = address of `out`, r8 = lane, rd10 = address of the lane's word times STRIDE words.
#define LANES(stride)        \
  "s2r.b32 r8, laneid\n"     \
  "ld.param.b64 rd4, [rz]\n" \
  "madw.u32 rd10, r8, " stride ", rd4\n"
// A generic store: of even lanes to global memory, of odd ones to shared memory.
#define EVERY_OTHER_SHARED       \
  LANES("32")                    \
  "mulw.u32 rd20, r8, 4\n"       \
  "cvta.shared.u64 rd12, rd20\n" \
  "and.b32 r9, r8, 1\n"          \
  "setp.eq.u32 p0, r9, 0\n"      \
  "@p0 mov.b64 rd12, rd10\n"     \
  "st.b32 [rd12], r8\n"          \
  "exit\n"

// A warp reads 32 words twice, the second time one word further: 33 words are in five sectors.
static void overlapping_reads(void **state) {
  (void)state;
  counts(LANES("4") "ld.global.b32 r12, [rd10]\n"
                    "ld.global.b32 r13, [rd10+4]\n"
                    "exit\n",
         shape_1d(1, 32), 5, 0);
}

// All threads read one byte; all blocks read the same; each warp its own words.
static void who_reads(void **state) {
  (void)state;
  counts(LANES("0") "ld.global.u8 r12, [rd10+31]\nexit\n", shape_1d(1, 32), 1, 0);
  counts(LANES("4") "ld.global.b32 r12, [rd10]\nexit\n", shape_1d(9, 64), 4, 0);
  counts(PROG_START "ld.global.b32 r12, [rd4]\nexit\n", shape_1d(9, 64), 9 * 64 / 8, 0);
}

static void strides(void **state) {
  (void)state;
  counts(LANES("8") "ld.global.b32 r12, [rd10]\nexit\n", shape_1d(1, 32), 8, 0);
  counts(LANES("32") "ld.global.b32 r12, [rd10]\nexit\n", shape_1d(1, 32), 32, 0);
  counts(LANES("256") "ld.global.b32 r12, [rd10]\nexit\n", shape_1d(1, 32), 32, 0);
  // the last byte of a sector, and the first of the next one
  counts(LANES("1") "ld.global.u8 r12, [rd10+31]\nexit\n", shape_1d(1, 32), 2, 0);
}

// 8 and 16 bytes a lane.
static void wide_lanes(void **state) {
  (void)state;
  counts(LANES("8") "ld.global.b64 rd12, [rd10]\nexit\n", shape_1d(1, 32), 8, 0);
  counts(LANES("16") "ld.global.b128 rq12, [rd10]\nexit\n", shape_1d(1, 32), 16, 0);
  counts(LANES("16") "st.global.b128 [rd10+16], rq12\nexit\n", shape_1d(1, 32), 0, 17);
}

// A part of a sector counts as the sector.
static void partial_sectors(void **state) {
  (void)state;
  counts(LANES("4") "st.global.u8 [rd10], r8\nexit\n", shape_1d(1, 1), 0, 1);
  counts(LANES("4") "st.global.u8 [rd4+5], r8\n"
                    "st.global.u8 [rd4+31], r8\n"
                    "st.global.u8 [rd4+32], r8\nexit\n",
         shape_1d(1, 1), 0, 2);
  counts(LANES("4") "st.global.b32 [rd10+16], r8\nexit\n", shape_1d(1, 32), 0, 5);
}

// What a kernel reads of its own results is not read from DRAM; what it reads before it writes is.
static void reads_and_writes(void **state) {
  (void)state;
  counts(LANES("4") "st.global.b32 [rd10], r8\n"
                    "ld.global.b32 r12, [rd10+16]\nexit\n",
         shape_1d(1, 32), 1, 4);
  counts(LANES("4") "ld.global.b32 r12, [rd10+16]\n"
                    "st.global.b32 [rd10], r8\nexit\n",
         shape_1d(1, 32), 5, 4);
  counts(LANES("4") "st.global.b32 [rd10], r8\n"
                    "st.global.b32 [rd10+128], r8\n"
                    "st.global.b32 [rd10], r8\nexit\n",
         shape_1d(1, 32), 0, 8);
}

// Atomics read and write: also where the comparison fails, and with no result.
static void atomics(void **state) {
  (void)state;
  counts(LANES("4") "red.add.global.u32 [rd4], r8\nexit\n", shape_1d(1, 32), 1, 1);
  counts(LANES("4") "atom.add.global.u32 r12, [rd10], r8\nexit\n", shape_1d(2, 64), 4, 4);
  counts(LANES("4") "mov.b32 r13, 99\n"
                    "atom.cas.global.b32 r12, [rd4+64], r13, r8\nexit\n",
         shape_1d(1, 32), 1, 1);
  counts(LANES("4") "st.global.b32 [rd10], r8\n"
                    "atom.add.global.u32 r12, [rd10], r8\nexit\n",
         shape_1d(1, 32), 0, 4);
}

// Only lanes that execute the access count: by a branch, by a guard, by the end of the block.
static void divergent_lanes(void **state) {
  (void)state;
  counts(LANES("32") "setp.lt.u32 p0, r8, 5\n"
                     "@p0 bra low, join\n"
                     "st.global.b32 [rd10], r8\n"
                     "bra join, join\n"
                     "low:\n"
                     "ld.global.b32 r12, [rd10]\n"
                     "join:\n"
                     "exit\n",
         shape_1d(1, 32), 5, 27);
  counts(LANES("32") "and.b32 r9, r8, 1\n"
                     "setp.eq.u32 p0, r9, 1\n"
                     "@p0 ld.global.b32 r12, [rd10]\n"
                     "@!pt ld.global.b32 r12, [rd10]\n"
                     "exit\n",
         shape_1d(1, 32), 16, 0);
  counts(LANES("32") "ld.global.b32 r12, [rd10]\nexit\n", shape_1d(1, 7), 7, 0);
  // one address in all lanes, of which the first does not execute
  counts(LANES("0") "setp.ge.u32 p0, r8, 3\n"
                    "@p0 ld.global.b32 r12, [rd10]\nexit\n",
         shape_1d(1, 32), 1, 0);
}

// Shared memory, local memory, constants and parameters are not global memory. Generic addresses
// are what they point to: here even lanes to global, odd ones to shared memory.
static void spaces(void **state) {
  (void)state;
  counts(LANES("4") "shl.b32 r9, r8, 2\n"
                    "st.shared.b32 [r9], r8\n"
                    "ld.shared.b32 r12, [r9]\n"
                    "st.local.b32 [rz+8], r8\n"
                    "ld.local.b32 r12, [rz+8]\n"
                    "ld.const.b32 r12, [rz+8]\n"
                    "ld.param.b64 rd12, [rz]\n"
                    "exit\n",
         shape_1d(1, 32), 0, 0);
  counts(EVERY_OTHER_SHARED, shape_1d(1, 32), 0, 16);
  counts(LANES("4") "ld.b32 r12, [rd10]\nexit\n", shape_1d(1, 32), 4, 0);
  counts(LANES("4") "mulw.u32 rd20, r8, 4\n"
                    "cvta.shared.u64 rd12, rd20\n"
                    "st.b32 [rd12], r8\nexit\n",
         shape_1d(1, 32), 0, 0);
}

// ---- each instruction by itself

typedef struct told {
  unsigned reads, writes, both;
  uint32_t blocks, warps;  // a bit each
} told;

static void tell(void *ctx, const machine_access *x) {
  told *t = ctx;
  assert_int_equal(x->address % SECTOR_BYTES, 0);
  t->reads += x->reads, t->writes += x->writes, t->both += x->reads && x->writes;
  t->blocks |= 1u << x->block, t->warps |= 1u << x->warp;
}

static void tells(const char *text, launch_shape shape, unsigned reads, unsigned writes,
                  unsigned both) {
  told t = {0};
  prog p = prog_open(NULL);
  machine_set_accessed(p.m, tell, &t);
  run_ok(&p, text, shape);
  assert_int_equal(t.reads, reads);
  assert_int_equal(t.writes, writes);
  assert_int_equal(t.both, both);
  if (reads + writes) {
    assert_int_equal(t.blocks, (1u << shape.grid[0]) - 1);
    assert_int_equal(t.warps, (1u << (shape.block[0] + 31) / 32) - 1);
  }
  machine_set_accessed(p.m, NULL, NULL);
  run_ok(&p, text, shape);
  assert_int_equal(t.reads, reads);
  prog_close(&p);
}

static void sectors_of_instructions(void **state) {
  (void)state;
  // again, by each warp and each time; one further, they are in five
  tells(LANES("4") "ld.global.b32 r12, [rd10]\n"
                   "ld.global.b32 r13, [rd10]\nexit\n",
        shape_1d(2, 64), 2 * 4 * 4, 0, 0);
  tells(LANES("4") "ld.global.b32 r12, [rd10+4]\nexit\n", shape_1d(1, 32), 5, 0, 0);
  tells(LANES("0") "ld.global.u8 r12, [rd10+31]\nexit\n", shape_1d(1, 32), 1, 0, 0);
  tells(LANES("8") "st.global.b32 [rd10], r8\nexit\n", shape_1d(1, 32), 0, 8, 0);
  tells(LANES("256") "ld.global.b32 r12, [rd10]\nexit\n", shape_1d(1, 32), 32, 0, 0);
  tells(LANES("16") "st.global.b128 [rd10+16], rq12\nexit\n", shape_1d(1, 32), 0, 17, 0);
  // lanes in one sector that are not neighbours: lane k has word 8 * (k % 4)
  tells(LANES("4") "and.b32 r9, r8, 3\n"
                   "madw.u32 rd10, r9, 32, rd4\n"
                   "ld.global.b32 r12, [rd10]\nexit\n",
        shape_1d(1, 32), 4, 0, 0);
  tells(LANES("4") "red.add.global.u32 [rd4], r8\n"
                   "atom.add.global.u32 r12, [rd10], r8\nexit\n",
        shape_1d(1, 32), 5, 5, 5);
  tells(LANES("0") "setp.ge.u32 p0, r8, 3\n"
                   "@p0 ld.global.b32 r12, [rd10]\n"
                   "@!pt ld.global.b32 r12, [rd10]\nexit\n",
        shape_1d(1, 32), 1, 0, 0);
  tells(LANES("32") "ld.global.b32 r12, [rd10]\nexit\n", shape_1d(1, 7), 7, 0, 0);
  tells(LANES("4") "ld.global.b32 rz, [rd10]\nexit\n", shape_1d(1, 32), 0, 0, 0);
}

static void spaces_of_instructions(void **state) {
  (void)state;
  tells(LANES("4") "shl.b32 r9, r8, 2\n"
                   "st.shared.b32 [r9], r8\n"
                   "st.local.b32 [rz+8], r8\n"
                   "ld.const.b32 r12, [rz+8]\n"
                   "exit\n",
        shape_1d(1, 32), 0, 0, 0);
  tells(EVERY_OTHER_SHARED, shape_1d(1, 32), 0, 16, 0);
  tells(LANES("4") "ld.b32 r12, [rd10]\nexit\n", shape_1d(1, 32), 4, 0, 0);
  tells(LANES("4") "mulw.u32 rd20, r8, 4\n"
                   "cvta.shared.u64 rd12, rd20\n"
                   "st.b32 [rd12], r8\nexit\n",
        shape_1d(1, 32), 0, 0, 0);
}

// ---- launches

static const char load_64[] = PROG_START "ld.global.b32 r12, [rd4]\nexit\n";
static const char store_32[] = LANES("4") "st.global.b32 [rd10], r8\nexit\n";

// A program is what all its launches do.
static void two_launches(void **state) {
  (void)state;
  prog p = open_counting();
  run_ok(&p, load_64, shape_1d(1, 64));
  ASSERT_SECTORS(&p, 8, 0);
  run_ok(&p, load_64, shape_1d(1, 64));
  ASSERT_SECTORS(&p, 8, 0);
  run_ok(&p, store_32, shape_1d(1, 32));
  ASSERT_SECTORS(&p, 8, 4);
  prog_close(&p);
  // the other way round, the first four sectors are an intermediate result
  p = open_counting();
  run_ok(&p, store_32, shape_1d(1, 32));
  run_ok(&p, load_64, shape_1d(1, 64));
  ASSERT_SECTORS(&p, 4, 4);
  // the host's copies are no accesses of kernels
  assert_int_equal(machine_fill(p.m, p.out, 0, 512), MACHINE_OK);
  assert_int_equal(machine_write(p.m, p.out + 2048, out, 512), MACHINE_OK);
  ASSERT_SECTORS(&p, 4, 4);
  run_ok(&p, load_64, shape_1d(1, 64));
  ASSERT_SECTORS(&p, 4, 4);
  prog_close(&p);
}

// Memory that is freed and allocated again is other memory, with other data. Its neighbour is not.
static void freed_memory(void **state) {
  (void)state;
  enum { LARGE = 3 << 20 };
  prog p = open_counting();
  uint64_t a, again;
  const uint64_t kept = p.out;
  assert_int_equal(machine_malloc(p.m, LARGE + 4, &a), MACHINE_OK);
  assert_true(a > kept);
  // every 4096th byte: a sector of each, and the last one
  const char touch[] =
      "s2r.b32 r8, tid.x\n"
      "s2r.b32 r9, ctaid.x\n"
      "mad.u32 r8, r9, 32, r8\n"
      "ld.param.b64 rd4, [rz]\n"
      "madw.u32 rd10, r8, 4096, rd4\n"
      "ld.global.b32 r12, [rd10]\n"
      "st.global.b32 [rd10], r12\n"
      "exit\n";
  const unsigned sectors = LARGE / 4096;
  run_ok(&p, load_64, shape_1d(1, 64));
  memcpy(p.params, &a, sizeof a);
  run_ok(&p, touch, shape_1d(sectors / 32, 32));
  ASSERT_SECTORS(&p, 8 + sectors, sectors);
  assert_int_equal(machine_release(p.m, a), MACHINE_OK);
  assert_int_equal(machine_malloc(p.m, LARGE + 4, &again), MACHINE_OK);
  assert_true(again == a);
  run_ok(&p, touch, shape_1d(sectors / 32, 32));
  ASSERT_SECTORS(&p, 8 + 2 * sectors, 2 * sectors);
  memcpy(p.params, &kept, sizeof kept);
  run_ok(&p, load_64, shape_1d(1, 64));
  ASSERT_SECTORS(&p, 8 + 2 * sectors, 2 * sectors);
  prog_close(&p);
}

// Of two owners the first one's release keeps the memory.
static void shared_allocation(void **state) {
  (void)state;
  prog p = open_counting();
  assert_int_equal(machine_share(p.m, p.out, 2), MACHINE_OK);
  run_ok(&p, load_64, shape_1d(1, 64));
  assert_int_equal(machine_release(p.m, p.out), MACHINE_OK);
  machine_set_owner(p.m, 2);
  run_ok(&p, load_64, shape_1d(1, 64));
  ASSERT_SECTORS(&p, 8, 0);
  prog_close(&p);
}

// The same by launch_step; a step that faults counts nothing.
static void stepping(void **state) {
  (void)state;
  prog p = open_counting();
  launch *l;
  assert_int_equal(prog_launch(&p, load_64, shape_1d(1, 64), &l), MACHINE_OK);
  assert_int_equal(launch_start_block(l, 0), MACHINE_OK);
  for (uint32_t w = 0; w < 2; w++)
    while (launch_warp_state(l, 0, w) == WARP_READY)
      launch_step(l, 0, w, NULL);
  launch_free(l);
  ASSERT_SECTORS(&p, 8, 0);
  assert_int_equal(prog_run(&p, "ld.global.b32 r12, [rd20]\nexit\n", shape_1d(1, 32), out),
                   MACHINE_FAULT_ADDRESS);
  ASSERT_SECTORS(&p, 8, 0);
  prog_close(&p);
}

static void nothing_unless_asked(void **state) {
  (void)state;
  prog p = prog_open(NULL);
  run_ok(&p, load_64, shape_1d(1, 64));
  ASSERT_SECTORS(&p, 0, 0);
  prog_close(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overlapping_reads),
      cmocka_unit_test(who_reads),
      cmocka_unit_test(strides),
      cmocka_unit_test(wide_lanes),
      cmocka_unit_test(partial_sectors),
      cmocka_unit_test(reads_and_writes),
      cmocka_unit_test(atomics),
      cmocka_unit_test(divergent_lanes),
      cmocka_unit_test(spaces),
      cmocka_unit_test(sectors_of_instructions),
      cmocka_unit_test(spaces_of_instructions),
      cmocka_unit_test(two_launches),
      cmocka_unit_test(freed_memory),
      cmocka_unit_test(shared_allocation),
      cmocka_unit_test(stepping),
      cmocka_unit_test(nothing_unless_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
