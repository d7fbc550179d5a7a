// SPDX-License-Identifier: Apache-2.0
// Accesses of other cores' memory (docs/machine.md): what each kind of them does, also in machines
// with the least room.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

enum {
  DATA = 32768,  // what is accessed, from the buffer's begin on
  RESULTS = DATA,
  ROUNDS = 40,
  TABLE = RESULTS + ROUNDS * 512,
  IDLE = 1 << 30
};

static uint32_t words[PROG_WORDS];

// ---- kinds of accesses

typedef struct kind {
  const char *code;
  uint32_t bytes;
  uint32_t mask;  // of the words in memory and of operands, 0: all bits
} kind;

static const kind kinds[] = {
    {"ld.global.u8 r16, [rd10]", 1, 0},
    {"ld.global.s8 r16, [rd10]", 1, 0},
    {"ld.global.u16 r16, [rd10]", 2, 0},
    {"ld.global.s16 r16, [rd10]", 2, 0},
    {"ld.global.b32 r16, [rd10]", 4, 0},
    {"ld.global.b64 rd16, [rd10]", 8, 0},
    {"ld.global.b128 rq16, [rd10]", 16, 0},
    {"st.global.u8 [rd10], r12", 1, 0},
    {"st.global.u16 [rd10], r12", 2, 0},
    {"st.global.b32 [rd10], r12", 4, 0},
    {"st.global.b64 [rd10], rd12", 8, 0},
    {"st.global.b128 [rd10], rq12", 16, 0},
    {"st.global.b32 [rd10], rz", 4, 0},
    {"ld.b32 r16, [rd10]", 4, 0},
    {"st.b64 [rd10], rd12", 8, 0},
    {"atom.add.global.u32 r16, [rd10], r12", 4, 0},
    {"atom.add.global.f32 r16, [rd10], r12", 4, 0x43ff0000},
    {"atom.min.global.s32 r16, [rd10], r12", 4, 0},
    {"atom.max.global.u32 r16, [rd10], r12", 4, 0},
    {"atom.inc.global.u32 r16, [rd10], r12", 4, 7},
    {"atom.dec.global.u32 r16, [rd10], r12", 4, 7},
    {"atom.exch.global.b32 r16, [rd10], r12", 4, 0},
    {"atom.cas.global.b32 r16, [rd10], r12, r14", 4, 1},
    {"atom.cas.global.b32 r16, [rd10], rz, r14", 4, 1},
    {"atom.cas.global.b32 rz, [rd10], r12, r14", 4, 1},
    {"atom.add.global.u64 rd16, [rd10], rd12", 8, 0},
    {"atom.add.global.f64 rd16, [rd10], rd12", 8, 0x43ff0000},
    {"atom.min.global.s64 rd16, [rd10], rd12", 8, 0},
    {"atom.exch.global.b64 rd16, [rd10], rd12", 8, 0},
    {"atom.cas.global.b64 rd16, [rd10], rd12, rd14", 8, 1},
    {"atom.cas.global.b64 rz, [rd10], rd12, rd14", 8, 1},
    {"red.add.global.u32 [rd10], r12", 4, 0},
    {"red.add.global.f32 [rd10], r12", 4, 0x43ff0000},
    {"red.xor.global.b32 [rd10], r12", 4, 0},
    {"red.or.global.b64 [rd10], rd12", 8, 0},
    {"red.max.u64 [rd10], rd12", 8, 0},
};

// Byte of the data that each lane of each round accesses: lanes side by side, on one word, in one
// line or sector, anywhere in a few places or in all; of all or some lanes, or one.
static void fill_table(uint32_t bytes, uint32_t *table) {
  for (uint32_t r = 0; r < ROUNDS; r++) {
    const uint32_t span = 32 * bytes, pattern = r % 6, some = r / 6 % 3;
    const uint32_t base = rig_below(DATA / span) * span, only = rig_below(32);
    for (uint32_t lane = 0; lane < 32; lane++) {
      uint32_t at = pattern == 0   ? base + lane * bytes
                    : pattern == 1 ? base
                    : pattern == 2 ? base / 512 * 512 + rig_below(512)
                    : pattern == 3 ? base + rig_below(32)
                    : pattern == 4 ? rig_below(8) * 520
                                   : rig_below(DATA);
      at = at / bytes * bytes;
      if ((some == 1 && rig_below(2)) || (some == 2 && lane != only))
        at |= IDLE;
      table[r * 32 + lane] = at;
    }
  }
}

static void fill_words(uint32_t mask) {
  for (uint32_t k = 0; k < PROG_WORDS; k++)
    words[k] = rig_random() & (mask ? mask : ~0u);
}

// One warp, ROUNDS times; what the lanes have in r16 to r19 is kept.
static void kind_text(char *t, const char *setup, const kind *k) {
  char mask[400] = "";
  if (k->mask)
    for (unsigned r = 12; r < 16; r++)
      snprintf(mask + strlen(mask), sizeof mask - strlen(mask), "and.b32 r%u, r%u, %u\n", r, r,
               k->mask);
  snprintf(t, RIG_TEXT,
           "s2r.b32 r0, laneid\n"
           "ld.param.b64 rd2, [rz]\n"
           "madw.u32 rd4, r0, 4, rd2\n"
           "madw.u32 rd6, r0, 16, rd2\n"
           "mov.b32 r1, 0\n"
           "again:\n"
           "ld.global.b32 r8, [rd4+%d]\n"
           "setp.lt.u32 p1, r8, 0x40000000\n"
           "and.b32 r8, r8, 0xffff\n"
           "madw.u32 rd10, r8, 1, rd2\n"
           "mad.u32 r12, r1, 77777, r8\n"
           "mul.u32 r12, r12, 2654435761\n"
           "mad.u32 r12, r0, 1234567, r12\n"
           "mul.u32 r13, r12, 747796405\n"
           "mul.u32 r14, r13, 747796405\n"
           "mul.u32 r15, r14, 747796405\n"
           "%s"
           "mov.b32 r16, 11\nmov.b32 r17, 12\nmov.b32 r18, 13\nmov.b32 r19, 14\n"
           "%s"
           "@p1 %s\n"
           "st.global.b128 [rd6+%d], rq16\n"
           "mov.b32 r9, 1\n"
           "madw.u32 rd4, r9, 128, rd4\n"
           "madw.u32 rd6, r9, 512, rd6\n"
           "add.u32 r1, r1, 1\n"
           "setp.lt.u32 p0, r1, %d\n"
           "@p0 bra again, end\n"
           "end:\n"
           "exit\n",
           TABLE, mask, setup, k->code, RESULTS, ROUNDS);
}

static void values_on(uint32_t cores) {
  static char text[RIG_TEXT];
  const sim_config c = rig_machine(cores);
  for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
    fill_words(kinds[n].mask);
    fill_table(kinds[n].bytes, words + TABLE / 4);
    kind_text(text, "", &kinds[n]);
    const core_stats all = rig_check(&c, text, shape_1d(1, 32), words, kinds[n].code);
    assert_true(all.served > ROUNDS);
  }
}

static void values_2(void **state) {
  (void)state;
  values_on(2);
}
static void values_4(void **state) {
  (void)state;
  values_on(4);
}
static void values_128(void **state) {
  (void)state;
  values_on(128);
}

// Lanes of one instruction in shared, local, own and other cores' memory.
static void spaces(void **state) {
  (void)state;
  static const kind mixed[] = {
      {"st.u8 [rd10], r12\n@p1 ld.s8 r16, [rd10]", 1, 0},
      {"st.b32 [rd10], r12\n@p1 ld.b32 r16, [rd10]", 4, 0},
      {"st.b64 [rd10], rd12\n@p1 ld.b64 rd16, [rd10]", 8, 0},
      {"st.b128 [rd10], rq12\n@p1 ld.b128 rq16, [rd10]", 16, 0},
  };
  static const kind atomics[] = {
      {"st.b32 [rd10], r13\n@p1 atom.add.u32 r16, [rd10], r12", 4, 0},
      {"st.b64 [rd10], rd12\n@p1 atom.cas.b64 rd16, [rd10], rd12, rd14", 8, 1},
      {"st.b32 [rd10], r13\n@p1 red.xor.b32 [rd10], r12\n@p1 ld.b32 r16, [rd10]", 4, 0},
  };
  // lanes 0, 4, ... shared; 1, 5, ... local, or with atomics shared
  static const char setup[] =
      "and.b32 r20, r0, 3\n"
      "setp.eq.u32 p2, r20, 0\n"
      "@p2 and.b32 r10, r8, 4080\n@p2 mov.b32 r11, 0x100\n"
      "setp.eq.u32 p2, r20, 1\n";
  static const char local[] = "@p2 and.b32 r10, r8, 0xf0\n@p2 mov.b32 r11, 0x200\n";
  static const char shared[] = "@p2 and.b32 r10, r8, 0xf0\n@p2 mov.b32 r11, 0x100\n";
  static char text[RIG_TEXT], begin[1000];
  const sim_config c = rig_machine(4);
  for (int n = 0; n < 7; n++) {
    const kind *k = n < 4 ? &mixed[n] : &atomics[n - 4];
    snprintf(begin, sizeof begin, "%s%s", setup, n < 4 ? local : shared);
    fill_words(k->mask);
    fill_table(k->bytes, words + TABLE / 4);
    kind_text(text, begin, k);
    rig_check(&c, text, shape_1d(1, 32), words, k->code);
  }
}

// ---- order

// Each thread has 16 bytes of its own, in some core, and accesses them `n` times in a random order;
// `busy`: those of block 0 execute near instructions instead.
static void order_text(char *t, uint32_t threads, uint32_t n, bool busy) {
  static const char *const loads[] = {"u8", "s8", "u16", "s16", "b32", "b64", "b128"};
  static const char *const stores[] = {"u8", "u16", "b32", "b64", "b128"};
  static const char *const atomics[] = {
      "atom.add.global.u32 r16, [rd10+%u], r12",   "atom.exch.global.b32 r16, [rd10+%u], r12",
      "red.xor.global.b32 [rd10+%u], r13",         "red.add.global.u32 [rd10+%u], r12",
      "atom.add.global.u64 rd16, [rd10+%u], rd12", "red.xor.global.b64 [rd10+%u], rd12"};
  static const uint32_t of_load[] = {1, 1, 2, 2, 4, 8, 16}, of_store[] = {1, 2, 4, 8, 16},
                        of_atomic[] = {4, 4, 4, 4, 8, 8};
  int at = snprintf(t, RIG_TEXT,
                    PROG_START
                    "%s"
                    "ld.param.b64 rd2, [rz]\n"
                    "mul.u32 r8, r0, 37\n"
                    "and.b32 r8, r8, %u\n"
                    "madw.u32 rd10, r8, 16, rd2\n"
                    "mul.u32 r12, r0, 2654435761\n"
                    "mul.u32 r13, r12, 747796405\n"
                    "mul.u32 r14, r13, 747796405\n"
                    "mul.u32 r15, r14, 747796405\n"
                    "mov.b32 r16, 1\nmov.b32 r17, 2\nmov.b32 r18, 3\nmov.b32 r19, 4\n"
                    "mov.b32 r24, 5\n"
                    "and.b32 r9, r0, 4\n"
                    "setp.eq.u32 p1, r9, 0\n",
                    busy ? "setp.eq.u32 p5, r1, 0\n@p5 bra busy, none\n" : "", threads - 1);
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t what = rig_below(3), guard = rig_below(8);
    at += snprintf(t + at, RIG_TEXT - (size_t)at, "%s",
                   guard == 0   ? "@p1 "
                   : guard == 1 ? "@!p1 "
                                : "");
    if (what == 0) {
      const uint32_t l = rig_below(7), words = of_load[l] / 4;
      at += snprintf(t + at, RIG_TEXT - (size_t)at, "ld.global.%s %s16, [rd10+%u]\n", loads[l],
                     words == 4   ? "rq"
                     : words == 2 ? "rd"
                                  : "r",
                     rig_below(16 / of_load[l]) * of_load[l]);
    } else if (what == 1) {
      const uint32_t s = rig_below(5), words = of_store[s] / 4;
      at += snprintf(t + at, RIG_TEXT - (size_t)at, "st.global.%s [rd10+%u], %s12\n", stores[s],
                     rig_below(16 / of_store[s]) * of_store[s],
                     words == 4   ? "rq"
                     : words == 2 ? "rd"
                                  : "r");
    } else {
      const uint32_t a = rig_below(6);
      at += snprintf(t + at, RIG_TEXT - (size_t)at, atomics[a],
                     rig_below(16 / of_atomic[a]) * of_atomic[a]);
      at += snprintf(t + at, RIG_TEXT - (size_t)at, "\n");
    }
    if (rig_below(3) == 0)
      at +=
          snprintf(t + at, RIG_TEXT - (size_t)at, "mad.u32 r24, r24, 31, r%u\n", 16 + rig_below(4));
    if (rig_below(4) == 0)
      at += snprintf(t + at, RIG_TEXT - (size_t)at, "add.u32 r%u, r13, r0\n", 12 + rig_below(4));
  }
  at += snprintf(t + at, RIG_TEXT - (size_t)at, "st.global.b32 [rd4+%d], r24\nexit\n", RESULTS);
  if (!busy)
    return;
  at += snprintf(t + at, RIG_TEXT - (size_t)at, "busy:\nmov.b32.F r7, 0\nloop:\n");
  for (unsigned k = 0; k < 96; k++)
    at += snprintf(t + at, RIG_TEXT - (size_t)at, "mov.b32.N r%u, 7\n", 8 + k % 24);
  snprintf(t + at, RIG_TEXT - (size_t)at,
           "add.u32.F r7, r7, 1\nsetp.lt.u32 p5, r7, 30\n@p5 bra loop, out\nout:\nexit\n");
}

static void order_on(const sim_config *c, uint32_t programs, const char *what) {
  static char text[RIG_TEXT];
  const uint32_t cores = c->map.processors * c->map.cores, block = cores > 16 ? 16 : 64;
  for (uint32_t n = 0; n < programs; n++) {
    fill_words(0);
    order_text(text, cores * block, 60, false);
    rig_check(c, text, shape_1d(cores, block), words, what);
  }
}

static void order(void **state) {
  (void)state;
  static const uint32_t cores[] = {2, 4, 32, 128};
  for (unsigned n = 0; n < 4; n++) {
    const sim_config c = rig_machine(cores[n]);
    order_on(&c, n < 2 ? 6 : 2, "order");
  }
}

// A request must not pass another one that finds no room in the queue of its NBU.
static void order_busy(void **state) {
  (void)state;
  static char text[RIG_TEXT];
  sim_config c = rig_machine(2);
  c.map.row_below = 6;  // the first half of the buffer is core 0's
  for (uint32_t n = 0; n < 24; n++) {
    fill_words(0);
    order_text(text, 512, 40, true);
    rig_check(&c, text, shape_1d(2, 256), words, "order_busy");
  }
}

// As little room as there may be, one of a kind at a time and all together.
static void full(void **state) {
  (void)state;
  for (unsigned n = 0; n < 9; n++) {
    sim_config c = rig_machine(n == 8 ? 32 : 16);
    const bool all = n >= 7;
    if (all || n == 0)
      c.requests = 1;
    if (all || n == 1)
      c.noc.take_packets = 1;
    if (all || n == 2)
      c.noc.send_packets = 1;
    if (all || n == 3)
      c.noc.depth = c.noc.off_depth = 1;
    if (all || n == 4)
      c.core.lsu_queue = 1;
    if (all || n == 5)
      c.core.tsv_queue = 17;
    if (n == 6)
      c.interface = 1;
    order_on(&c, 1, "full");
  }
}

// Banks that are refreshed nearly all the time.
static void refresh(void **state) {
  (void)state;
  sim_config c = rig_machine(4);
  c.core.trefi = 700;
  order_on(&c, 2, "refresh");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_2), cmocka_unit_test(values_4), cmocka_unit_test(values_128),
      cmocka_unit_test(spaces),   cmocka_unit_test(order),    cmocka_unit_test(order_busy),
      cmocka_unit_test(full),     cmocka_unit_test(refresh),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
