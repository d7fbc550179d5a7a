// SPDX-License-Identifier: Apache-2.0
// Accesses of other cores' memory (docs/machine.md): values, order, ways to block, time.
//   MPU_NEAR=c|rtl|lockstep: the near sides, c if not given.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../isa/prog.h"
#include "timed.h"

enum {
  BYTES = PROG_WORDS * 4,
  DATA = 32768,  // what is accessed, from the buffer's begin on
  RESULTS = DATA,
  ROUNDS = 40,
  TABLE = RESULTS + ROUNDS * 512,
  IDLE = 1 << 30,
  TEXT = 1 << 15
};

static uint32_t before[PROG_WORDS], out[PROG_WORDS], want[PROG_WORDS];

static uint32_t next_random(void) {
  static uint64_t x = 0x9e3779b97f4a7c15;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return (uint32_t)(x >> 32);
}
static uint32_t below(uint32_t n) {
  return (uint32_t)((uint64_t)next_random() * n >> 32);
}

static sim_config machine_of(uint32_t cores) {
  near_mode mode = NEAR_C;
  timed_mode(&mode);
  sim_config c = timed_cores(cores, mode);
  c.max_cycles = 3000000;
  c.core.icache_miss = 1;
  return c;
}

// Runs it on that machine, NULL: on the functional one, with `before` in the buffer; `end` gets
// what is there afterwards. `full`: registers so that a core has room for 16 warps.
static core_stats play(const sim_config *c, const char *text, bool full, launch_shape shape,
                       uint32_t *end) {
  char why[1000];
  machine_config mc = machine_config_default();
  core_stats all = {0};
  sim *s = NULL;
  launch *l;
  mc.far_rf_bytes = 32768, mc.near_rf_bytes = 16384;
  if (c && !sim_machine(c, &mc, why, sizeof why))
    fail_msg("%s", why);
  prog p = prog_open(&mc);
  if (c && !(s = sim_new(c, p.m, why, sizeof why)))
    fail_msg("%s", why);
  module *mod = prog_assemble(text);
  module_kernel *k = mod->kernels;
  if (full)
    k->regs_both = 16, k->regs_near = 0, k->local_bytes = 0;
  if (machine_add_module(p.m, mod) || machine_write(p.m, p.out, before, BYTES) ||
      launch_new(p.m, mod, k, &shape, p.params, sizeof p.params, &l) || launch_run(l))
    fail_msg("%s", machine_message(p.m));
  launch_free(l);
  prog_fetch(&p, end);
  if (s)
    all = sim_all(s);
  sim_free(s);
  prog_close(&p);
  return all;
}

// The same words as on the functional machine.
static core_stats check(const sim_config *c, const char *text, launch_shape shape,
                        const char *what) {
  play(NULL, text, false, shape, want);
  const core_stats all = play(c, text, false, shape, out);
  for (uint32_t k = 0; k < PROG_WORDS; k++)
    if (out[k] != want[k])
      fail_msg("%s: byte 0x%x is %08x, not %08x\n%s", what, 4 * k, out[k], want[k], text);
  return all;
}

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
    const uint32_t base = below(DATA / span) * span, only = below(32);
    for (uint32_t lane = 0; lane < 32; lane++) {
      uint32_t at = pattern == 0   ? base + lane * bytes
                    : pattern == 1 ? base
                    : pattern == 2 ? base / 512 * 512 + below(512)
                    : pattern == 3 ? base + below(32)
                    : pattern == 4 ? below(8) * 520
                                   : below(DATA);
      at = at / bytes * bytes;
      if ((some == 1 && below(2)) || (some == 2 && lane != only))
        at |= IDLE;
      table[r * 32 + lane] = at;
    }
  }
}

static void fill_words(uint32_t mask) {
  for (uint32_t k = 0; k < PROG_WORDS; k++)
    before[k] = next_random() & (mask ? mask : ~0u);
}

// One warp, ROUNDS times; what the lanes have in r16 to r19 is kept.
static void kind_text(char *t, const char *setup, const kind *k) {
  char mask[400] = "";
  if (k->mask)
    for (unsigned r = 12; r < 16; r++)
      snprintf(mask + strlen(mask), sizeof mask - strlen(mask), "and.b32 r%u, r%u, %u\n", r, r,
               k->mask);
  snprintf(t, TEXT,
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
  static char text[TEXT];
  const sim_config c = machine_of(cores);
  for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
    fill_words(kinds[n].mask);
    fill_table(kinds[n].bytes, before + TABLE / 4);
    kind_text(text, "", &kinds[n]);
    const core_stats all = check(&c, text, shape_1d(1, 32), kinds[n].code);
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
  static char text[TEXT], begin[1000];
  const sim_config c = machine_of(4);
  for (int n = 0; n < 7; n++) {
    const kind *k = n < 4 ? &mixed[n] : &atomics[n - 4];
    snprintf(begin, sizeof begin, "%s%s", setup, n < 4 ? local : shared);
    fill_words(k->mask);
    fill_table(k->bytes, before + TABLE / 4);
    kind_text(text, begin, k);
    check(&c, text, shape_1d(1, 32), k->code);
  }
}

// ---- order

// Each thread has 16 bytes of its own, in some core, and accesses them `n` times in a random order.
static void order_text(char *t, uint32_t threads, uint32_t n) {
  static const char *const loads[] = {"u8", "s8", "u16", "s16", "b32", "b64", "b128"};
  static const char *const stores[] = {"u8", "u16", "b32", "b64", "b128"};
  static const char *const atomics[] = {
      "atom.add.global.u32 r16, [rd10+%u], r12",   "atom.exch.global.b32 r16, [rd10+%u], r12",
      "red.xor.global.b32 [rd10+%u], r13",         "red.add.global.u32 [rd10+%u], r12",
      "atom.add.global.u64 rd16, [rd10+%u], rd12", "red.xor.global.b64 [rd10+%u], rd12"};
  static const uint32_t of_load[] = {1, 1, 2, 2, 4, 8, 16}, of_store[] = {1, 2, 4, 8, 16},
                        of_atomic[] = {4, 4, 4, 4, 8, 8};
  int at = snprintf(t, TEXT,
                    PROG_START
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
                    threads - 1);
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t what = below(3), guard = below(8);
    at += snprintf(t + at, TEXT - (size_t)at, "%s",
                   guard == 0   ? "@p1 "
                   : guard == 1 ? "@!p1 "
                                : "");
    if (what == 0) {
      const uint32_t l = below(7), words = of_load[l] / 4;
      at += snprintf(t + at, TEXT - (size_t)at, "ld.global.%s %s16, [rd10+%u]\n", loads[l],
                     words == 4   ? "rq"
                     : words == 2 ? "rd"
                                  : "r",
                     below(16 / of_load[l]) * of_load[l]);
    } else if (what == 1) {
      const uint32_t s = below(5), words = of_store[s] / 4;
      at += snprintf(t + at, TEXT - (size_t)at, "st.global.%s [rd10+%u], %s12\n", stores[s],
                     below(16 / of_store[s]) * of_store[s],
                     words == 4   ? "rq"
                     : words == 2 ? "rd"
                                  : "r");
    } else {
      const uint32_t a = below(6);
      at +=
          snprintf(t + at, TEXT - (size_t)at, atomics[a], below(16 / of_atomic[a]) * of_atomic[a]);
      at += snprintf(t + at, TEXT - (size_t)at, "\n");
    }
    if (below(3) == 0)
      at += snprintf(t + at, TEXT - (size_t)at, "mad.u32 r24, r24, 31, r%u\n", 16 + below(4));
    if (below(4) == 0)
      at += snprintf(t + at, TEXT - (size_t)at, "add.u32 r%u, r13, r0\n", 12 + below(4));
  }
  snprintf(t + at, TEXT - (size_t)at, "st.global.b32 [rd4+%d], r24\nexit\n", RESULTS);
}

static void order_on(const sim_config *c, uint32_t programs, const char *what) {
  static char text[TEXT];
  const uint32_t cores = c->map.processors * c->map.cores, block = cores > 16 ? 16 : 64;
  for (uint32_t n = 0; n < programs; n++) {
    fill_words(0);
    order_text(text, cores * block, 60);
    check(c, text, shape_1d(cores, block), what);
  }
}

static void order(void **state) {
  (void)state;
  static const uint32_t cores[] = {2, 4, 32, 128};
  for (unsigned n = 0; n < 4; n++) {
    const sim_config c = machine_of(cores[n]);
    order_on(&c, n < 2 ? 6 : 2, "order");
  }
}

// As little room as there may be, one of a kind at a time and all together.
static void full(void **state) {
  (void)state;
  for (unsigned n = 0; n < 9; n++) {
    sim_config c = machine_of(n == 8 ? 32 : 16);
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
  sim_config c = machine_of(4);
  c.core.trefi = 700;
  order_on(&c, 2, "refresh");
}

// Each thread of all cores gets another number.
static void tickets_of(uint32_t cores, const char *code) {
  static char text[TEXT];
  static bool seen[PROG_WORDS];
  const sim_config c = machine_of(cores);
  const uint32_t block = cores > 16 ? 48 : 160, threads = cores * block;
  memset(before, 0, sizeof before);
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
  play(&c, text, false, shape_1d(cores, block), out);
  assert_int_equal(out[1000 / 4], threads);
  for (uint32_t t = 0; t < threads; t++) {
    const uint32_t got = out[1024 + t];
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

// Blocks 2k and 2k + 1 (one thread each, on any cores) send each other WORDS words in turn, which
// lie in any cores: data, membar, flag; flag, membar, data. r24 counts the words that are old.
static void messages_on(const sim_config *c) {
  static char text[TEXT];
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
  for (uint32_t k = 0; k < WORDS; k++)  // line 5 pair + 37 k, word k of it: of this pair alone
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "mul.u32 r20, r8, 5\n"
                   "add.u32 r20, r20, %u\n"
                   "and.b32 r20, r20, 63\n"
                   "mul.u32 r20, r20, 512\n"
                   "madw.u32 rd10, r20, 1, rd2\n"
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
                   "mul.u32 r20, r8, 5\n"
                   "add.u32 r20, r20, %u\n"
                   "and.b32 r20, r20, 63\n"
                   "mul.u32 r20, r20, 512\n"
                   "madw.u32 rd10, r20, 1, rd2\n"
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
  memset(before, 0, sizeof before);
  play(c, text, false, shape_1d(cores, 1), out);
  for (uint32_t b = 0; b < cores; b++)
    if (out[b] != 7)
      fail_msg("%u cores: block %u found %u words that are old", cores, b, out[b] - 7);
}

static void messages(void **state) {
  (void)state;
  static const uint32_t cores[] = {2, 4, 16, 128};
  for (unsigned n = 0; n < 4; n++) {
    sim_config c = machine_of(cores[n]);
    messages_on(&c);
    c.core.trefi = 900;
    c.requests = 2;
    messages_on(&c);
  }
}

// Two threads of two cores: each writes its word and reads the other's. With a membar between them
// at least one sees what the other wrote. Words 512 n apart: in all combinations of cores.
static void dekker(void **state) {
  (void)state;
  enum { TRIES = 40 };
  static char text[TEXT];
  const sim_config c = machine_of(4);
  snprintf(text, sizeof text,
           PROG_START
           "ld.param.b64 rd2, [rz]\n"
           "mov.b32 r8, 0\n"
           "mov.b32 r12, 1\n"
           "setp.eq.u32 p1, r1, 0\n"
           "try:\n"
           // both begin
           "red.add.global.u32 [rd2+1024], r12\n"
           "add.u32 r9, r8, 1\n"
           "shl.b32 r9, r9, 1\n"
           "wait:\n"
           "ld.volatile.global.b32 r10, [rd2+1024]\n"
           "setp.ge.u32 p2, r10, r9\n"
           "@!p2 bra wait, both\n"
           "both:\n"
           // word 0 in core try % 4, word 1 in core try / 4 % 4
           "and.b32 r14, r8, 3\n"
           "mul.u32 r14, r14, 512\n"
           "mad.u32 r14, r8, 4, r14\n"
           "madw.u32 rd16, r14, 1, rd2\n"
           "shr.u32 r15, r8, 2\n"
           "and.b32 r15, r15, 3\n"
           "mul.u32 r15, r15, 512\n"
           "mad.u32 r15, r8, 4, r15\n"
           "madw.u32 rd18, r15, 1, rd2\n"
           "@p1 st.global.b32 [rd16+8192], r12\n"
           "@!p1 st.global.b32 [rd18+16384], r12\n"
           "membar.gl\n"
           "@p1 ld.global.b32 r20, [rd18+16384]\n"
           "@!p1 ld.global.b32 r20, [rd16+8192]\n"
           "mad.u32 r21, r8, 2, r1\n"
           "madw.u32 rd22, r21, 4, rd2\n"
           "st.global.b32 [rd22+%d], r20\n"
           "add.u32 r8, r8, 1\n"
           "setp.lt.u32 p2, r8, %d\n"
           "@p2 bra try, end\n"
           "end:\n"
           "exit\n",
           RESULTS, TRIES);
  memset(before, 0, sizeof before);
  play(&c, text, false, shape_1d(2, 1), out);
  for (uint32_t n = 0; n < TRIES; n++) {
    const uint32_t *saw = &out[RESULTS / 4 + 2 * n];
    if (!saw[0] && !saw[1])
      fail_msg("try %u: neither saw what the other wrote", n);
    assert_true(saw[0] <= 1 && saw[1] <= 1);
  }
}

// ---- whoever waits gets its turn

// Core 0 is full of warps, each executes `body` again and again (%u: register 6 to 15); then core 1
// does `remote`, of rd16, rd18 (16 bytes a lane from there) or rd20 (4 bytes a thread), which takes
// so many cycles.
static uint32_t busy_home(const char *body, const char *remote) {
  static char text[TEXT];
  sim_config c = machine_of(2);
  int at = snprintf(text, sizeof text,
                    "s2r.b32 r0, smid\n"
                    "s2r.b32 r1, laneid\n"
                    "s2r.b32 r2, tid.x\n"
                    "ld.param.b64 rd16, [rz]\n"
                    "madw.u32.F rd18, r1, 16, rd16\n"
                    "madw.u32.F rd20, r2, 4, rd16\n"
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
           "go:\n"
           "s2r.b32 r1, clock\n"
           "%s\n"
           "membar.gl\n"
           "s2r.b32 r2, clock\n"
           "sub.u32.F r2, r2, r1\n"
           "mov.b32 r1, 1\n"
           "st.global.b32 [rd16+512], r2\n"
           "st.global.b32 [rd16+256], r1\n"
           "exit\n",
           remote);
  memset(before, 0, sizeof before);
  play(&c, text, true, shape_1d(2, 1024), out);
  return out[128];
}

static void home_is_busy(void **state) {
  (void)state;
  static const char *const bodies[] = {"add.u32.N r%u, r4, r5\n", "mov.b32.N r%u, 7\n",
                                       "st.global.b32 [rd20+8192], r%u\n",
                                       "ld.global.b32 r%u, [rd20+8192]\n"};
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
  static char text[TEXT];
  const sim_config c = machine_of(8);
  int at = snprintf(text, sizeof text,
                    "s2r.b32 r0, smid\n"
                    "s2r.b32 r1, laneid\n"
                    "s2r.b32 r2, tid.x\n"
                    "ld.param.b64 rd16, [rz]\n"
                    "and.b32.F r27, r2, 7\n"
                    "mul.u32.F r28, r27, 16\n"
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
           "go:\n"
           "s2r.b32 r1, clock\n"
           "%s\n"
           "membar.gl\n"
           "s2r.b32 r2, clock\n"
           "sub.u32.F r2, r2, r1\n"
           "mov.b32 r1, 1\n"
           "st.global.b32 [rd16+512], r2\n"
           "st.global.b32 [rd16+384], r1\n"
           "exit\n",
           home);
  memset(before, 0, sizeof before);
  play(&c, text, true, shape_1d(8, 512), out);
  return out[128];
}

static void others_are_busy(void **state) {
  (void)state;
  static const char *const bodies[] = {"st.global.b128 [rd18+16384], rq4\n",
                                       "ld.global.b32 r%u, [rd18+16384]\n",
                                       "red.add.global.u64 [rd18+16384], rd4\n"};
  static const struct {
    const char *code;
    uint32_t most;
  } homes[] = {
      {"ld.global.b32 r4, [rd20+8192]", 150},
      {"ld.global.b32 r4, [rd20+8320]", 200},
      {"st.global.b128 [rd18+8192], rq4", 400},
      {"add.u32.F r8, r24, r1\nadd.u32.N r9, r8, r8", 100},
      {"atom.add.global.u64 rd4, [rd16+8192], rd6", 2000},  // 32 times read and written
  };
  for (unsigned b = 0; b < 3; b++)
    for (unsigned h = 0; h < 5; h++) {
      const uint32_t cycles = busy_others(bodies[b], homes[h].code);
      if (cycles > homes[h].most)
        fail_msg("%s, %s: %u cycles", bodies[b], homes[h].code, cycles);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_2), cmocka_unit_test(values_4),     cmocka_unit_test(values_128),
      cmocka_unit_test(spaces),   cmocka_unit_test(order),        cmocka_unit_test(full),
      cmocka_unit_test(refresh),  cmocka_unit_test(tickets),      cmocka_unit_test(messages),
      cmocka_unit_test(dekker),   cmocka_unit_test(home_is_busy), cmocka_unit_test(others_are_busy),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
