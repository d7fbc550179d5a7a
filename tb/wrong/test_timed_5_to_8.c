// SPDX-License-Identifier: Apache-2.0
// The points of test_wrong.c, 5 to 8, in time: in which order and when something happens on the
// pins of the DRAM die, and what it costs. Each with all location policies.
//
// Most figures are differences between two launches that differ in one thing: the rest of the
// kernel, which depends on the compiler, is not in them. "core" and block names are the pages in
// docs/ and docs/blocks/ from which figures come.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "watch.h"

// ---- 5: a second launch, with readers in other NBUs

#define REMOTE_READ                \
  "xor.b32 %r10, %r2, 511;\n"      \
  "mul.wide.u32 %rd10, %r10, 4;\n" \
  "sub.s64 %rd11, %rd2, %rd3;\n"   \
  "add.s64 %rd10, %rd11, %rd10;\n" \
  "ld.global.u32 %r11, [%rd10];\n" \
  "st.global.u32 [%rd1], %r11;\n"

// Nothing of a launch is kept for the next one: each reads all sectors again, of the arrays, whose
// rows it opens; the I-cache is empty at the beginning of each. So all take what the first one
// takes.
static void second_launch(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(KERNEL_HEAD KERNEL("test", REMOTE_READ), p);
  uint64_t first = 0;
  for (uint32_t k = 0; k < 3; k++) {
    watch_fill(w, 3 + k, 100 * k);
    watch_run(w, "test", 1, 32, 0, 0);
    for (uint32_t i = 0; i < 32; i++)
      assert_int_equal(w->words[i], (3 + k) * (511 - i) + 100 * k);
    assert_int_equal(watch_count(w, DRAM_RD), 4);
    assert_int_equal(watch_count(w, DRAM_WR), 4);
    assert_int_equal(watch_count(w, DRAM_ACT), 8);
    assert_int_equal(watch_down(w, TSV_DN_LINE), 2);  // for the base die, and the store
    assert_int_equal(watch_sub(w, icache_misses), 1);
    first = k ? first : w->cycles;
    assert_int_equal(w->cycles, first);
  }
  // all subcores, all NBUs
  watch_run(w, "test", 1, 256, 0, 0);
  const uint64_t before = w->cycles;
  watch_fill(w, 9, 1);
  watch_run(w, "test", 1, 256, 0, 0);
  for (uint32_t i = 0; i < 256; i++)
    assert_int_equal(w->words[i], 9 * (511 - i) + 1);
  assert_int_equal(watch_count(w, DRAM_RD), 32);
  assert_int_equal(w->cycles, before);
  watch_close(w);
}

// ---- 6: integers that wrap, unsigned ones, shifts by more than the width

typedef struct chained {
  const char *text;  // an instruction from r10 and r11 to r10
  uint32_t latency;  // on the base die
  bool near;         // it can execute near
  uint32_t operands;
  uint32_t (*function)(uint32_t a, uint32_t b);
} chained;

static uint32_t f_add(uint32_t a, uint32_t b) {
  return a + b;
}
static uint32_t f_sub(uint32_t a, uint32_t b) {
  return a - b;
}
static uint32_t f_mul(uint32_t a, uint32_t b) {
  return a * b;
}
static uint32_t f_mad(uint32_t a, uint32_t b) {
  return a * b + a;
}
static uint32_t f_min(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}
static uint32_t f_shl(uint32_t a, uint32_t b) {
  return b > 31 ? 0 : a << b;
}
static uint32_t f_shr(uint32_t a, uint32_t b) {
  return b > 31 ? 0 : a >> b;
}
static uint32_t f_sar(uint32_t a, uint32_t b) {
  return (uint32_t)((int32_t)a >> (b > 31 ? 31 : b));
}
static uint32_t f_less(uint32_t a, uint32_t b) {
  return a < b ? ~0u : 0;
}
static uint32_t f_mulh(uint32_t a, uint32_t b) {
  return (uint32_t)((uint64_t)a * b >> 32);
}
static uint32_t f_rem(uint32_t a, uint32_t b) {
  return b ? a % b : a;
}

static const chained operations[] = {
    {"add.u32 %r10, %r10, %r11;\n", 4, true, 2, f_add},
    {"sub.u32 %r10, %r10, %r11;\n", 4, true, 2, f_sub},
    {"mul.lo.u32 %r10, %r10, %r11;\n", 6, true, 2, f_mul},
    {"mad.lo.u32 %r10, %r10, %r11, %r10;\n", 6, true, 3, f_mad},
    {"min.u32 %r10, %r10, %r11;\n", 4, true, 2, f_min},
    {"shl.b32 %r10, %r10, %r11;\n", 4, true, 2, f_shl},
    {"shr.u32 %r10, %r10, %r11;\n", 4, true, 2, f_shr},
    {"shr.s32 %r10, %r10, %r11;\n", 4, true, 2, f_sar},
    {"set.lt.u32.u32 %r10, %r10, %r11;\n", 4, true, 2, f_less},
    {"mul.hi.u32 %r10, %r10, %r11;\n", 6, false, 2, f_mulh},
    {"rem.u32 %r10, %r10, %r11;\n", 40, false, 2, f_rem},
};
enum { OPERATIONS = sizeof operations / sizeof *operations, SHORT_CHAIN = 2, LONG_CHAIN = 10 };

// The first store brings its address to the base die, so that nothing is moved beside the chain: a
// register that waits for the one before it to go up stays at the output of the collectors (opc
// rule 7).
static size_t add_chain(char *to, size_t bytes, const char *name, const chained *c,
                        uint32_t times) {
  static const char shape[] = KERNEL("@",
                                     "ld.global.u32 %r10, [%rd2];\n"
                                     "ld.global.u32 %r11, [%rd2+128];\n"
                                     "st.global.u32 [%rd1], %r10;\n"
                                     "@"
                                     "xor.b32 %r10, %r10, %r1;\n"
                                     "st.global.u32 [%rd1], %r10;\n");
  const char *second = strchr(shape, '@') + 1, *third = strchr(second, '@') + 1;
  size_t n = (size_t)snprintf(to, bytes, ".visible .entry %s%.*s", name, (int)(third - second - 1),
                              second);
  for (uint32_t k = 0; k < times; k++)
    n += (size_t)snprintf(to + n, bytes - n, "%s", c->text);
  return n + (size_t)snprintf(to + n, bytes - n, "%s", third);
}

static uint64_t chain_run(watch *w, const chained *c, uint32_t times, uint32_t a, uint32_t b) {
  watch_fill(w, a, b);
  watch_run(w, times == SHORT_CHAIN ? "short" : "long", 1, 32, 0, 0);
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t want = a * i + b;
    for (uint32_t k = 0; k < times; k++)
      want = c->function(want, a * (i + 32) + b);
    assert_int_equal(w->words[i], want ^ i);
  }
  return w->cycles;
}

// A dependent instruction follows after the latency of its class and 6 (core, far execution),
// whatever its data are; near the bank after 10, from going to going: collector 1, opc 2 to 5, to
// valu 6, awake 9 (order rule 10), the next one goes. A cycle more for each operand in a bank that
// another one is in.
static void integers(void **state) {
  const mir_policy p = policy_of(state);
  static const uint32_t data[][2] = {{1, 1}, {0x9e3779b1, 0x7ffffff0}, {3, 0x80000000}, {7, 33}};
  static char text[16384];
  for (uint32_t n = 0; n < OPERATIONS; n++) {
    const chained *c = &operations[n];
    size_t at = (size_t)snprintf(text, sizeof text, KERNEL_HEAD);
    at += add_chain(text + at, sizeof text - at, "short", c, SHORT_CHAIN);
    add_chain(text + at, sizeof text - at, "long", c, LONG_CHAIN);
    watch *w = watch_open(text, p);
    chain_run(w, c, SHORT_CHAIN, 1, 1);
    for (uint32_t k = 0; k < sizeof data / sizeof *data; k++) {
      const uint64_t some = chain_run(w, c, SHORT_CHAIN, data[k][0], data[k][1]);
      const uint64_t some_near = watch_down(w, TSV_DN_EXEC);
      const uint64_t more = chain_run(w, c, LONG_CHAIN, data[k][0], data[k][1]) - some;
      const uint64_t more_near = watch_down(w, TSV_DN_EXEC) - some_near;
      const uint64_t each = (more + SLACK) / (LONG_CHAIN - SHORT_CHAIN);
      const uint32_t far = c->latency + 6, near = 10;
      const bool is_far = !more_near && each >= far && each < far + c->operands;
      const bool is_near = c->near && more_near == LONG_CHAIN - SHORT_CHAIN && each >= near &&
                           each < near + c->operands;
      assert_about(more, each * (LONG_CHAIN - SHORT_CHAIN));
      assert_true(p == MIR_LOCATE_FAR || !c->near ? is_far
                  : p == MIR_LOCATE_NEAR          ? is_near
                                                  : is_far || is_near);
    }
    watch_close(w);
  }
}

// ---- 7: registers that nobody reads; shared memory of another kernel

#define WRITE_ONE(reg, other, offset) \
  "rem.u32 %r" reg                    \
  ", %r10, %r4;\n"                    \
  "ld.global.u32 %r" other ", [%rd2+" offset "];\n"
#define READ_ONE(reg, other)          \
  "@%p1 st.global.u32 [%rd1], %r" reg \
  ";\n"                               \
  "@%p1 add.u32 %r11, %r" other ", %r" reg ";\n"

// A register of each side more that is written, and read by instructions that no lane executes, is
// two instructions and the line of the load more: it is not moved. When they are executed, it is.
static void never_read(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(
      KERNEL_HEAD KERNEL("one",
                         "setp.lt.u32 %p1, %r2, %r3;\n"
                         "rem.u32 %r10, %r1, 1000;\n" WRITE_ONE("20", "30", "0")
                             READ_ONE("20", "30") "@%p1 st.global.u32 [%rd1+128], %r11;\n")
          KERNEL("three",
                 "setp.lt.u32 %p1, %r2, %r3;\n"
                 "rem.u32 %r10, %r1, 1000;\n" WRITE_ONE("20", "30", "0")
                     WRITE_ONE("21", "31", "512") WRITE_ONE("22", "32", "1024") READ_ONE("20", "30")
                         READ_ONE("21", "31")
                             READ_ONE("22", "32") "@%p1 st.global.u32 [%rd1+128], %r11;\n"),
      p);
  watch_run(w, "one", 1, 32, 0, 99);
  const uint64_t near = watch_sub(w, moves_near), far = watch_sub(w, moves_far);
  watch_run(w, "three", 1, 32, 0, 99);
  assert_int_equal(watch_sub(w, moves_near), near);
  assert_int_equal(watch_sub(w, moves_far), far);
  assert_int_equal(watch_sub(w, moves_zero), 0);
  assert_int_equal(watch_down(w, TSV_DN_LINE), 3);
  watch_run(w, "three", 1, 32, 32, 99);
  assert_true(watch_sub(w, moves_near) >= near + 3);
  watch_close(w);
}

#define WITH_SHARED                  \
  ".shared .align 4 .b8 buf[256];\n" \
  "mov.u32 %r20, buf;\n"             \
  "shl.b32 %r21, %r2, 2;\n"          \
  "add.u32 %r20, %r20, %r21;\n"      \
  "st.shared.u32 [%r20], %r2;\n"     \
  "bar.sync 0;\n"                    \
  "ld.shared.u32 %r11, [%r20];\n"    \
  "st.global.u32 [%rd1], %r11;\n"
#define WITHOUT_SHARED "st.global.u32 [%rd1], %r2;\n"

// WIN: one for each block and NBU that has a warp of it, and none for a kernel without shared
// memory, whatever was before it: that is no other launch than behind itself.
static void shared_before(void **state) {
  const mir_policy p = policy_of(state);
  watch *w =
      watch_open(KERNEL_HEAD KERNEL("with", WITH_SHARED) KERNEL("without", WITHOUT_SHARED), p);
  watch_run(w, "without", 1, 64, 0, 0);
  watch_run(w, "without", 1, 64, 0, 0);
  const cost alone = watch_cost(w);
  for (uint32_t blocks = 1; blocks < 4; blocks++) {
    watch_run(w, "with", blocks, 64, 0, 0);
    watch_words(w, 64, 1, 0);
    assert_int_equal(watch_down(w, TSV_DN_WIN), 2 * blocks);
    watch_run(w, "without", 1, 64, 0, 0);
    watch_words(w, 64, 1, 0);
    assert_int_equal(watch_down(w, TSV_DN_WIN), 0);
    assert_int_equal(watch_down(w, TSV_DN_SHM), 0);
    assert_int_equal(w->n_requests, 0);
    assert_int_equal(watch_sub(w, issued), alone.issued);
    assert_about(w->cycles, alone.cycles);
  }
  watch_close(w);
}

// ---- 8: accesses that are no whole lines

#define ADDRESS(lane_bytes)              \
  "mul.wide.u32 %rd10, %r2, " lane_bytes \
  ";\n"                                  \
  "sub.s64 %rd11, %rd2, %rd3;\n"         \
  "add.s64 %rd11, %rd11, %rd10;\n"       \
  "sub.s64 %rd12, %rd1, %rd3;\n"         \
  "add.s64 %rd12, %rd12, %rd10;\n"
#define ODD                 \
  "and.b32 %r15, %r2, 1;\n" \
  "setp.ne.u32 %p1, %r15, 0;\n"
#define SHARED_ADDRESS               \
  ".shared .align 4 .b8 buf[256];\n" \
  "mov.u32 %r20, buf;\n"             \
  "shl.b32 %r21, %r2, 2;\n"          \
  "add.u32 %r20, %r20, %r21;\n"

// Keeps what was loaded alive.
#define LIVE                           \
  "setp.eq.u32 %p5, %r4, 77;\n"        \
  "@%p5 st.global.u32 [%rd1], %r10;\n" \
  "@%p5 st.global.u32 [%rd1], %r11;\n" \
  "@%p5 st.global.u32 [%rd1], %r12;\n" \
  "@%p5 st.global.u32 [%rd1], %r13;\n"

// One access of a warp of `threads` lanes, by rules 7 and 8 of the LSU (core). Flits: a LINE is
// one, a SECT two, and with a list of n offsets 2 + (n + 11) / 12; RD is one; WR is one and, whole
// pieces of 8 bytes, one each; a single word two (tsv). `columns`: accesses of the arrays; a line
// of words is four sectors, of bytes one.
typedef struct access {
  const char *name, *body;
  uint32_t threads, lines, sectors, reads, writes, flits, columns;
  uint32_t up;  // flits of DATA and WORD; of lines of the base die REGD and REGWR are not counted
} access;

static const access accesses[] = {
    {"line", "ld.global.u32 %r10, [%rd2];\n", 32, 1, 0, 0, 0, 1, 4, 0},
    {"31 lanes", "ld.global.u32 %r10, [%rd2];\n", 31, 0, 4, 0, 0, 8, 4, 0},
    {"8 lanes", "ld.global.u32 %r10, [%rd2];\n", 8, 0, 1, 0, 0, 2, 1, 0},
    {"9 lanes", "ld.global.u32 %r10, [%rd2];\n", 9, 0, 2, 0, 0, 4, 2, 0},
    {"odd lanes", ODD "@%p1 ld.global.u32 %r10, [%rd2];\n", 32, 0, 4, 0, 0, 8, 4, 0},
    {"bytes", ADDRESS("1") "ld.global.u8 %r10, [%rd11];\n", 32, 1, 0, 0, 0, 1, 1, 0},
    {"half words", ADDRESS("2") "ld.global.s16 %r10, [%rd11];\n", 32, 1, 0, 0, 0, 1, 2, 0},
    {"a byte of each word", "ld.global.u8 %r10, [%rd2+1];\n", 32, 0, 4, 0, 0, 12, 4, 0},
    {"one word", ADDRESS("0") "ld.global.u32 %r10, [%rd11+12];\n", 32, 0, 1, 0, 0, 5, 1, 0},
    {"two elements", ADDRESS("8") "ld.global.v2.u32 {%r10, %r11}, [%rd11];\n", 32, 1, 4, 0, 0, 9,
     12, 0},
    {"four elements", ADDRESS("16") "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd11];\n", 32, 3,
     4, 0, 0, 11, 28, 0},
    {"immediate 4", "ld.global.u32 %r10, [%rd2+4];\n", 32, 0, 4, 1, 0, 9, 5, 1},
    {"immediate 64", "ld.global.u32 %r10, [%rd2+64];\n", 16, 0, 2, 0, 0, 4, 2, 0},
    {"immediate 128", "ld.global.u32 %r10, [%rd2+128];\n", 32, 1, 0, 0, 0, 1, 4, 0},
    {"immediate -128", "add.s64 %rd10, %rd2, 640;\nld.global.u32 %r10, [%rd10+-128];\n", 32, 1, 0,
     0, 0, 1, 4, 0},
    {"store", "st.global.u32 [%rd1], %r2;\n", 32, 1, 0, 0, 0, 1, 4, 0},
    {"store, 31 lanes", "st.global.u32 [%rd1], %r2;\n", 31, 0, 4, 0, 0, 8, 4, 0},
    {"store, odd lanes", ODD "@%p1 st.global.u32 [%rd1], %r2;\n", 32, 0, 4, 0, 0, 8, 4, 0},
    {"store, bytes", ADDRESS("1") "st.global.u8 [%rd12], %r2;\n", 32, 1, 0, 0, 0, 1, 1, 0},
    {"store, a byte of each word", "st.global.u8 [%rd1+1], %r2;\n", 32, 0, 4, 0, 0, 12, 4, 0},
    {"store, immediate 128", "st.global.u32 [%rd1+128], %r2;\n", 32, 1, 0, 0, 0, 1, 4, 0},
    {"store, immediate 4", "st.global.u32 [%rd1+4], %r2;\n", 32, 0, 4, 0, 1, 10, 5, 0},
    {"store, two elements", ADDRESS("8") "st.global.v2.u32 [%rd12], {%r2, %r1};\n", 32, 1, 4, 0, 0,
     9, 12, 0},
};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

static bool of_an_access(uint32_t kind) {
  return kind == TSV_DN_LINE || kind == TSV_DN_SECT || kind == TSV_DN_RD || kind == TSV_DN_WR;
}

// The packets of an access leave one a cycle and two flits a cycle (core, rule 6 and the bus), one
// after the other. Data that are moved to the own NBU before it may still be on the bus.
static void access_check(const watch *w, const access *a) {
  uint64_t first = UINT64_MAX, last = 0, flits = 0, packets = 0, up = 0;
  for (uint32_t k = 0; k < w->n_packets; k++) {
    const packet *x = &w->packets[k];
    if (!of_an_access(x->kind))
      continue;
    packets++;
    flits += x->flits;
    first = x->first < first ? x->first : first;
    last = x->last > last ? x->last : last;
  }
  for (uint32_t k = 0; k < w->n_packets; k++)  // the fetch of a line for the base die, or its data
    packets += (w->packets[k].kind == TSV_DN_REGRD || w->packets[k].kind == TSV_DN_REGWR) &&
               w->packets[k].first > first && w->packets[k].first < last;
  for (uint32_t k = 0; k < 4; k++)
    up += w->s.nbu[k].up_flits[TSV_UP_DATA] + w->s.nbu[k].up_flits[TSV_UP_WORD];
  const bool right = watch_down(w, TSV_DN_LINE) == a->lines &&
                     watch_down(w, TSV_DN_SECT) == a->sectors &&
                     watch_down(w, TSV_DN_RD) == a->reads &&
                     watch_down(w, TSV_DN_WR) == a->writes && flits == a->flits && up == a->up &&
                     watch_count(w, DRAM_RD) + watch_count(w, DRAM_WR) == a->columns;
  if (!right)
    fail_msg("%s: LINE %u SECT %u RD %u WR %u, %u flits down, %u up, %u columns", a->name,
             (unsigned)watch_down(w, TSV_DN_LINE), (unsigned)watch_down(w, TSV_DN_SECT),
             (unsigned)watch_down(w, TSV_DN_RD), (unsigned)watch_down(w, TSV_DN_WR),
             (unsigned)flits, (unsigned)up,
             (unsigned)(watch_count(w, DRAM_RD) + watch_count(w, DRAM_WR)));
  const uint64_t bus = (watch_flits(w, first, last) + 1) / 2,
                 cycles = packets > bus ? packets : bus;
  assert_about(last - first + 1, cycles);
}

static void parts_of_lines(void **state) {
  const mir_policy p = policy_of(state);
  for (uint32_t k = 0; k < ACCESSES; k++) {
    static char text[8192];
    static const char shape[] = KERNEL("test", "@" LIVE);
    const char *at = strchr(shape, '@');
    snprintf(text, sizeof text, KERNEL_HEAD "%.*s%s%s", (int)(at - shape), shape, accesses[k].body,
             at + 1);
    watch *w = watch_open(text, p);
    watch_run(w, "test", 1, accesses[k].threads, 0, 0);
    access_check(w, &accesses[k]);
    watch_close(w);
  }
}

// The same of shared memory, by the side of the address (core, rule 8): near it is one packet, with
// the mask if not all lanes take part, and the immediate. From the base die come 22 addresses at
// most in one packet, two a word, and the mask; the same for all lanes is an immediate.
typedef struct shared_access {
  const char *name, *body;
  uint32_t threads, packets[2], flits[2];  // near, far
} shared_access;

static const shared_access shared_accesses[] = {
    {"32 words", "st.shared.u32 [%r20], %r2;\n", 32, {1, 2}, {1, 7 + 4}},
    {"22 words", "st.shared.u32 [%r20], %r2;\n", 22, {1, 1}, {2, 7}},
    {"3 words", "st.shared.u32 [%r20], %r2;\n", 3, {1, 1}, {2, 3}},
    {"immediate", "st.shared.u32 [%r20+64], %r2;\n", 32, {1, 2}, {2, 7 + 4}},
    {"odd lanes", ODD "@%p1 st.shared.u32 [%r20], %r2;\n", 32, {1, 1}, {2, 6}},
    {"one word", "st.shared.u32 [buf+12], %r2;\n", 32, {1, 1}, {2, 2}},
    {"bytes", "st.shared.u8 [%r20+1], %r2;\n", 32, {1, 2}, {2, 7 + 4}},
};
enum { SHARED_ACCESSES = sizeof shared_accesses / sizeof *shared_accesses };

static void parts_of_shared(void **state) {
  const mir_policy p = policy_of(state);
  for (uint32_t k = 0; k < SHARED_ACCESSES; k++) {
    static char text[8192];
    static const char shape[] = KERNEL("test", SHARED_ADDRESS "@");
    const shared_access *a = &shared_accesses[k];
    const char *at = strchr(shape, '@');
    snprintf(text, sizeof text, KERNEL_HEAD "%.*s%s%s", (int)(at - shape), shape, a->body, at + 1);
    watch *w = watch_open(text, p);
    watch_run(w, "test", 1, a->threads, 0, 0);
    const uint64_t packets = watch_down(w, TSV_DN_SHM), flits = w->s.nbu[0].down_flits[TSV_DN_SHM];
    const bool near = packets == a->packets[0] && flits == a->flits[0];
    const bool far = packets == a->packets[1] && flits == a->flits[1];
    if (p == MIR_LOCATE_NEAR ? !near : p == MIR_LOCATE_FAR ? !far : !near && !far)
      fail_msg("%s: %u packets, %u flits", a->name, (unsigned)packets, (unsigned)flits);
    watch_close(w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      EACH_POLICY(second_launch), EACH_POLICY(integers),       EACH_POLICY(never_read),
      EACH_POLICY(shared_before), EACH_POLICY(parts_of_lines), EACH_POLICY(parts_of_shared),
  };
  return cmocka_run_group_tests_name("timed, 5 to 8", tests, NULL, NULL) != 0;
}
