// SPDX-License-Identifier: Apache-2.0
// The points of test_wrong.c, 1 to 4, in time: in which order and when something happens on the
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
#include "watch.h"

enum { LINE_WORDS = 32 };

// ---- 1: a thread's accesses of one address, in its order

// Commands for columns of one sector: that of column c of word i (a multiple of 8) of `out`.
typedef struct sector_log {
  uint32_t n;
  const command *at[8];
} sector_log;

static sector_log sector_of(const watch *w, uint32_t word) {
  const uint64_t a = w->out + word * 4;
  sector_log l = {0};
  for (uint32_t k = 0; k < w->n_commands && l.n < 8; k++) {
    const command *c = &w->commands[k];
    if ((c->cmd == DRAM_RD || c->cmd == DRAM_WR) && c->nbu == a / 128 % 4 &&
        c->bank == a / 32 % 4 && c->col == a / 512 % 32 && c->row % 32 == a / 16384 % 32)
      l.at[l.n++] = c;
  }
  return l;
}

#define LOAD_AFTER_STORE(imm)      \
  "mad.lo.s32 %r10, %r1, 3, 5;\n"  \
  "st.global.u32 [%rd1+" imm       \
  "], %r10;\n"                     \
  "ld.global.u32 %r11, [%rd1+" imm \
  "];\n"                           \
  "add.s32 %r11, %r11, 1;\n"       \
  "st.global.u32 [%rd1+" imm "], %r11;\n"

// In each sector: the store, the load at least 12 cycles later (bankctl rule 10: the data of WR,
// then tWTR), the store of what was loaded. In the own NBU and in another (from the base die): all
// three are lines.
static void load_after_store(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(
      KERNEL_HEAD KERNEL("own", LOAD_AFTER_STORE("0")) KERNEL("other", LOAD_AFTER_STORE("128")), p);
  for (uint32_t other = 0; other < 2; other++) {
    watch_run(w, other ? "other" : "own", 1, 32, 0, 0);
    assert_int_equal(watch_down(w, TSV_DN_LINE), 3);
    assert_true(!other || watch_down(w, TSV_DN_REGWR) >= 2);
    assert_int_equal(watch_down(w, TSV_DN_WR), 0);
    assert_int_equal(watch_down(w, TSV_DN_RD), 0);
    for (uint32_t s = 0; s < 4; s++) {
      const uint32_t first = 8 * s;
      const sector_log l = sector_of(w, other * LINE_WORDS + first);
      assert_int_equal(l.n, 3);
      assert_int_equal(l.at[0]->cmd, DRAM_WR);
      assert_int_equal(l.at[1]->cmd, DRAM_RD);
      assert_int_equal(l.at[2]->cmd, DRAM_WR);
      assert_true(l.at[1]->cycle >= l.at[0]->cycle + 12);
      assert_int_equal(l.at[0]->data[0], first * 3 + 5);
      assert_int_equal(l.at[2]->data[0], first * 3 + 6);
    }
  }
  watch_close(w);
}

#define DIVISION "div.u32 %r10, %r10, %r4;\n"
#define TWO_STORES(chain)             \
  "ld.global.u32 %r12, [%rd2];\n"     \
  "mul.lo.u32 %r10, %r1, 3;\n"        \
  "rem.u32 %r10, %r10, 1000;\n"       \
  "add.u32 %r13, %r12, %r12;\n" chain \
  "st.global.u32 [%rd1], %r10;\n"     \
  "st.global.u32 [%rd1], %r12;\n"

// The data of the first store come out of a chain of divisions, 46 cycles each (6 to their unit,
// latency 40: core, far execution), and must then go near; those of the second one are near since
// long. At the pins the first one is first, and not before its data can be there.
static void two_stores(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(KERNEL_HEAD KERNEL("two", TWO_STORES(DIVISION DIVISION))
                            KERNEL("four", TWO_STORES(DIVISION DIVISION DIVISION DIVISION)),
                        p);
  uint64_t cycles[3];
  watch_fill(w, 7, 100);
  for (uint32_t k = 0; k < 3; k++) {  // the first one opens the rows
    watch_run(w, k < 2 ? "two" : "four", 1, 32, 0, 1);
    cycles[k] = w->cycles;
    watch_words(w, 32, 7, 100);
    assert_true(w->cycles > (k < 2 ? 3 : 5) * 46);
    for (uint32_t s = 0; s < 4; s++) {
      const sector_log l = sector_of(w, 8 * s);
      assert_int_equal(l.n, 2);
      assert_int_equal(l.at[0]->cmd, DRAM_WR);
      assert_int_equal(l.at[0]->data[1], (8 * s + 1) * 3);
      assert_true(l.at[0]->cycle > (k < 2 ? 3 : 5) * 46);
      assert_int_equal(l.at[1]->cmd, DRAM_WR);
      assert_int_equal(l.at[1]->data[1], (8 * s + 1) * 7 + 100);
    }
  }
  // a cycle more for each, if the compiler put both operands into one bank of the register file
  const uint64_t more = cycles[2] - cycles[1], conflicts = more > 2 * 46 + SLACK ? 2 : 0;
  assert_about(more, 2 * 46 + conflicts);
  watch_close(w);
}

// The same in shared memory: three requests of the NBU in the order of the program.
static void shared_order(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(
      KERNEL_HEAD KERNEL("test",
                         ".shared .align 4 .b8 buf[128];\n"
                         "mov.u32 %r20, buf;\n"
                         "shl.b32 %r21, %r2, 2;\n"
                         "add.u32 %r20, %r20, %r21;\n"
                         "ld.global.u32 %r12, [%rd2];\n"
                         "mul.lo.u32 %r10, %r1, 3;\n"
                         "rem.u32 %r10, %r10, 1000;\n" DIVISION "st.shared.u32 [%r20], %r10;\n"
                         "st.shared.u32 [%r20], %r12;\n"
                         "ld.shared.u32 %r11, [%r20];\n"
                         "st.global.u32 [%rd1], %r11;\n"),
      p);
  watch_fill(w, 7, 100);
  watch_run(w, "test", 1, 32, 0, 1);
  watch_words(w, 32, 7, 100);
  const request *stores[8], *loads[8];
  uint32_t n_stores = 0, n_loads = 0;
  for (uint32_t k = 0; k < w->n_requests; k++) {
    assert_true(n_stores < 8 && n_loads < 8);
    if (w->requests[k].op == TSV_MOP_ST)
      stores[n_stores++] = &w->requests[k];
    else
      loads[n_loads++] = &w->requests[k];
  }
  // far addresses of 32 lanes take two packets (core, rule 8), near ones take one
  const uint32_t each = n_loads;
  assert_true(each == 1 || each == 2);
  assert_int_equal(n_stores, 2 * each);
  for (uint32_t k = 0; k < each; k++) {
    const uint32_t lane = (uint32_t)__builtin_ctz(stores[k]->mask);
    assert_int_equal(stores[k]->data[lane], lane * 3);
    assert_int_equal(stores[each + k]->data[lane], lane * 7 + 100);
    assert_true(stores[k]->cycle > 2 * 46);
    assert_true(loads[k]->cycle > stores[2 * each - 1]->cycle);
  }
  watch_close(w);
}

// ---- 2: a write by a part of the lanes

// r10 is near (a load left it there, which has ended long before), or far (a division did); lanes
// below n write it on the other side.
#define FAR_WRITE                   \
  "setp.lt.u32 %p1, %r2, %r3;\n"    \
  "rem.u32 %r11, %r1, 1000;\n"      \
  "ld.global.u32 %r10, [%rd2];\n"   \
  "rem.u32 %r11, %r11, 1001;\n"     \
  "@%p1 div.u32 %r10, %r11, %r4;\n" \
  "st.global.u32 [%rd1], %r10;\n"
#define NEAR_WRITE                     \
  "setp.lt.u32 %p1, %r2, %r3;\n"       \
  "mul.lo.u32 %r11, %r1, 5;\n"         \
  "div.u32 %r10, %r11, %r4;\n"         \
  "@%p1 ld.global.u32 %r10, [%rd2];\n" \
  "st.global.u32 [%rd1], %r10;\n"

// All lanes: nothing is moved for it. A part: the destination is, once, before the write.
// What the move to the base die takes when nothing else is under way, in edges: 1 to the queue, 1
// to the bus, 2 to order (tsv rules 1, 2, 5), 1 until it goes and 1 to the collector (order rule
// 6), 4 there (opc), 3 in regmove (rules 5 to 7), 1 to the endpoint, 1 to be offered, 9 for 17
// flits, the last of which is seen in the 24th cycle.
static void far_write(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(KERNEL_HEAD KERNEL("test", FAR_WRITE), p);
  watch_fill(w, 7, 100);
  watch_run(w, "test", 1, 32, 32, 1);
  watch_run(w, "test", 1, 32, 32, 1);
  watch_words(w, 32, 1, 0);
  const uint64_t cycles = w->cycles, far = watch_sub(w, moves_far), near = watch_sub(w, moves_near);
  watch_run(w, "test", 1, 32, 16, 1);
  for (uint32_t i = 0; i < 32; i++)
    assert_int_equal(w->words[i], i < 16 ? i : i * 7 + 100);
  assert_int_equal(watch_sub(w, moves_far), far + 1);
  assert_int_equal(watch_sub(w, moves_near), near);
  assert_about(w->cycles - cycles, 24);
  watch_close(w);
}

// The other direction; the load then takes two sectors instead of a line, so the cycles are only
// bounded: 17 flits cross first, and the load's may be on the bus with the last one of them.
static void near_write(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(KERNEL_HEAD KERNEL("test", NEAR_WRITE), p);
  watch_fill(w, 7, 100);
  watch_run(w, "test", 1, 32, 32, 1);
  watch_run(w, "test", 1, 32, 32, 1);
  watch_words(w, 32, 7, 100);
  const uint64_t far = watch_sub(w, moves_far), near = watch_sub(w, moves_near);
  watch_run(w, "test", 1, 32, 16, 1);
  for (uint32_t i = 0; i < 32; i++)
    assert_int_equal(w->words[i], i < 16 ? i * 7 + 100 : i * 5);
  assert_int_equal(watch_sub(w, moves_far), far);
  assert_int_equal(watch_sub(w, moves_near), near + 1);
  const packet *move = NULL, *load = NULL;
  for (uint32_t k = 0; k < w->n_packets; k++) {
    const packet *x = &w->packets[k];
    if (x->kind == TSV_DN_SECT && !load)
      load = x;
    else if (x->kind == TSV_DN_REGWR && x->flits == 17 && !load)
      move = x;
  }
  assert_non_null(load);
  assert_non_null(move);
  assert_true(load > move && load->nbu == move->nbu && load->first >= move->last);
  watch_close(w);
}

// ---- 3: loops

// Lane l goes round n + (l & k) times. Its counter starts at 256 l, so that registers are never the
// same in all lanes, which would make moves cheaper.
#define LOOP                       \
  "shl.b32 %r13, %r2, 8;\n"        \
  "and.b32 %r10, %r2, %r4;\n"      \
  "add.u32 %r10, %r10, %r3;\n"     \
  "add.u32 %r10, %r10, %r13;\n"    \
  "mov.u32 %r11, %r13;\n"          \
  "mov.u32 %r12, %r2;\n"           \
  "LOOP:\n"                        \
  "setp.ge.u32 %p1, %r11, %r10;\n" \
  "@%p1 bra END;\n"                \
  "add.u32 %r12, %r12, 1;\n"       \
  "add.u32 %r11, %r11, 1;\n"       \
  "bra LOOP;\n"                    \
  "END:\n"                         \
  "st.global.u32 [%rd1], %r12;\n"
#define NESTED_LOOPS               \
  "shl.b32 %r13, %r2, 8;\n"        \
  "and.b32 %r10, %r2, %r4;\n"      \
  "add.u32 %r10, %r10, %r3;\n"     \
  "add.u32 %r10, %r10, %r13;\n"    \
  "mov.u32 %r11, %r13;\n"          \
  "mov.u32 %r12, %r2;\n"           \
  "OUTER:\n"                       \
  "setp.ge.u32 %p1, %r11, %r10;\n" \
  "@%p1 bra END;\n"                \
  "mov.u32 %r14, %r13;\n"          \
  "INNER:\n"                       \
  "setp.ge.u32 %p2, %r14, %r10;\n" \
  "@%p2 bra NEXT;\n"               \
  "add.u32 %r12, %r12, 1;\n"       \
  "add.u32 %r14, %r14, 1;\n"       \
  "bra INNER;\n"                   \
  "NEXT:\n"                        \
  "add.u32 %r11, %r11, 1;\n"       \
  "bra OUTER;\n"                   \
  "END:\n"                         \
  "st.global.u32 [%rd1], %r12;\n"

static cost loop(watch *w, uint32_t n, uint32_t k, bool nested, uint32_t depth) {
  watch_run(w, nested ? "nested" : "loop", 1, 32, n, k);
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t trips = n + (i & k);
    assert_int_equal(w->words[i], i + (nested ? trips * trips : trips));
  }
  assert_true(w->depth <= depth);
  return watch_cost(w);
}

// A warp goes round as often as the lane with the most rounds, and each round costs what it costs a
// whole warp; with 32 different trip counts as with one. The stack: one entry for the lanes that
// wait, and one for those that go round (isa: a branch that would meet where its entry ends makes
// no third one), for each of the loops.
static void loops(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(KERNEL_HEAD KERNEL("loop", LOOP) KERNEL("nested", NESTED_LOOPS), p);
  loop(w, 1, 0, false, 2);
  const cost one = loop(w, 40, 0, false, 2), many = loop(w, 9, 31, false, 2);
  assert_int_equal(many.issued, one.issued);
  assert_about(many.cycles, one.cycles);
  assert_true(many.lanes < one.lanes);
  const cost longer = loop(w, 43, 0, false, 2), longer_many = loop(w, 12, 31, false, 2);
  assert_int_equal(longer_many.issued, longer.issued);
  assert_about(longer_many.cycles, longer.cycles);
  const cost square = loop(w, 10, 0, true, 4), square_many = loop(w, 7, 3, true, 4);
  assert_int_equal(square_many.issued, square.issued);
  assert_about(square_many.cycles, square.cycles);
  watch_close(w);
}

// ---- 4: narrow blocks, exits in the middle, branches to the next instruction

#define SOME_WORK                    \
  "mad.lo.u32 %r10, %r1, 77, %r1;\n" \
  "mul.lo.u32 %r11, %r10, %r10;\n"   \
  "xor.b32 %r10, %r10, %r11;\n"      \
  "div.u32 %r11, %r10, %r4;\n"       \
  "add.u32 %r10, %r10, %r11;\n"      \
  "setp.eq.u32 %p2, %r4, 0;\n"       \
  "@%p2 st.global.u32 [%rd1], %r10;\n"

static void narrow(void **state) {
  const mir_policy p = policy_of(state);
  static const uint32_t widths[] = {1, 5, 31};
  watch *w = watch_open(KERNEL_HEAD KERNEL("test", SOME_WORK), p);
  watch_run(w, "test", 1, 32, 0, 7);
  watch_run(w, "test", 1, 32, 0, 7);
  const uint64_t cycles = w->cycles, issued = watch_sub(w, issued);
  assert_int_equal(watch_sub(w, lanes), 32 * (issued - 1));  // no lane stores
  for (uint32_t k = 0; k < 3; k++) {
    // a warp is a warp. The fewer words of it cross to the other side, the sooner; those of 2 to 31
    // lanes are put in their places there, which takes as long as half of them (regmove rules 2, 8)
    watch_run(w, "test", 1, widths[k], 0, 7);
    const uint64_t moves = watch_sub(w, moves_near) + watch_sub(w, moves_far);
    assert_int_equal(watch_sub(w, issued), issued);
    assert_int_equal(watch_sub(w, lanes), widths[k] * (issued - 1));
    if (moves)
      assert_true(w->cycles <= cycles + moves * (widths[k] + 1) / 2);
    else
      assert_about(w->cycles, cycles);
    // two of them: the second one in a slot of its own beside it
    watch_run(w, "test", 2, widths[k], 0, 7);
    assert_int_equal(watch_sub(w, issued), 2 * issued);
    assert_int_equal(w->s.blocks, 2);
    assert_true(w->cycles < 2 * cycles);
  }
  // 35 threads are a warp and three lanes, which are another subcore's
  watch_run(w, "test", 1, 35, 0, 7);
  assert_int_equal(w->s.sub[0].issued, issued);
  assert_int_equal(w->s.sub[1].issued, issued);
  assert_int_equal(w->s.sub[1].lanes, 3 * (issued - 1));
  assert_true(w->cycles <= cycles + 32);
  watch_close(w);
}

// Lanes below n leave early. The others take what a warp takes, and less when there are none.
static void early_exit(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(KERNEL_HEAD KERNEL("test",
                                           "setp.lt.u32 %p1, %r2, %r3;\n"
                                           "@%p1 ret;\n" SOME_WORK),
                        p);
  watch_run(w, "test", 1, 32, 0, 7);
  watch_run(w, "test", 1, 32, 0, 7);
  const cost all = watch_cost(w);
  const uint64_t moves = watch_sub(w, moves_near) + watch_sub(w, moves_far);
  watch_run(w, "test", 1, 32, 16, 7);
  // lanes that have left count as no part of the warp: a write by all others moves nothing
  assert_int_equal(watch_sub(w, moves_near) + watch_sub(w, moves_far), moves);
  assert_int_equal(watch_sub(w, issued), all.issued);
  assert_true(watch_sub(w, lanes) < all.lanes);
  assert_true(w->cycles <= all.cycles + SLACK + moves * 8);  // words of 16 lanes, as above
  watch_run(w, "test", 1, 32, 32, 7);
  assert_true(watch_sub(w, issued) < all.issued);
  assert_true(w->cycles < all.cycles - 46);  // the division of SOME_WORK
  watch_close(w);
}

#define BRANCHES                 \
  "setp.lt.u32 %p1, %r2, %r3;\n" \
  "@%p1 bra A;\n"                \
  "A:\n"                         \
  "add.u32 %r10, %r2, 1;\n"      \
  "@!%p1 bra B;\n"               \
  "bra B;\n"                     \
  "B:\n"                         \
  "add.u32 %r10, %r10, 10;\n"    \
  "@%p1 bra C;\n"                \
  "bra D;\n"                     \
  "C:\n"                         \
  "bra D;\n"                     \
  "D:\n"                         \
  "st.global.u32 [%rd1], %r10;\n"

// Lanes that part to meet at once cost no more than lanes that stay together: no instruction more,
// no cycle more.
static void branch_to_next(void **state) {
  const mir_policy p = policy_of(state);
  watch *w = watch_open(KERNEL_HEAD KERNEL("test", BRANCHES), p);
  watch_run(w, "test", 1, 32, 32, 0);
  watch_run(w, "test", 1, 32, 32, 0);
  const cost all = watch_cost(w);
  for (uint32_t n = 0; n < 32; n += 5) {
    watch_run(w, "test", 1, 32, n, 0);
    watch_words(w, 32, 1, 11);
    assert_int_equal(watch_sub(w, issued), all.issued);
    assert_int_equal(watch_sub(w, lanes), all.lanes);
    assert_about(w->cycles, all.cycles);
  }
  watch_close(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      EACH_POLICY(load_after_store), EACH_POLICY(two_stores), EACH_POLICY(shared_order),
      EACH_POLICY(far_write),        EACH_POLICY(near_write), EACH_POLICY(loops),
      EACH_POLICY(narrow),           EACH_POLICY(early_exit), EACH_POLICY(branch_to_next),
  };
  return cmocka_run_group_tests_name("timed, 1 to 4", tests, NULL, NULL) != 0;
}
