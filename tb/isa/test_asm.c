// SPDX-License-Identifier: Apache-2.0
// Every legal opcode, type, source type and fn, with random other fields: encode and decode, print
// and parse come back to the same instruction. Random bits: what decodes encodes to the same bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "csim/base/splitmix.h"
#include "csim/isa/asm.h"

static uint64_t state = 1;
static uint64_t next(void) {
  return splitmix(&state);
}
static uint32_t below(uint32_t n) {
  return (uint32_t)(next() % n);
}

static isa_reg random_reg(unsigned words, bool virtual) {
  if (words == 0 || below(8) == 0)
    return ISA_RZ;
  if (!virtual)
    return below((ISA_RZ - words) / words) * words;
  uint32_t id = below(100000);
  if (words == 1 && below(2))
    return ISA_VREG_WORD(id, below(4));
  if (words == 2 && below(2))
    return ISA_VREG_PAIR(id, below(2));
  return ISA_VREG(id);
}

static isa_reg random_pred(bool virtual) {
  return below(4) == 0 ? ISA_PT : virtual ? ISA_VREG(below(1000)) : below(ISA_PT);
}

// Fills what op, type, type2 and fn leave open, at random but legal.
static void fill(isa_inst *i, bool virtual) {
  uint32_t flags = isa_ops[i->op].flags;
  i->guard = random_pred(virtual);
  i->guard_neg = below(2);
  i->hint = (uint8_t)below(ISA_HINT_FAR_DATA);
  if (flags & ISA_F_SPACE)
    i->space = (uint8_t)below(ISA_SPACES);
  if (isa_may_have_far_data(i) && below(3) == 0)
    i->hint = ISA_HINT_FAR_DATA;
  if (flags & ISA_F_ORDER) {
    i->order = (uint8_t)below(ISA_ORDERS);
    i->scope = (uint8_t)below(ISA_SCOPES);
  }
  i->ftz = below(2);
  i->sat = below(2);
  if (flags & ISA_F_BOOL)
    i->boolop = (uint8_t)below(4);
  if (flags & ISA_F_PD)
    i->pd = random_pred(virtual);
  if (flags & (ISA_F_PQ | ISA_F_PS2))
    i->pq = random_pred(virtual);
  if ((flags & ISA_F_PS) && (i->boolop || !(flags & ISA_F_BOOL))) {
    i->ps = random_pred(virtual);
    i->ps_neg = below(2);
  }
  if (flags & ISA_F_PS2)
    i->ps2_neg = below(2);
  isa_reg *regs[4] = {&i->d, &i->a, &i->b, &i->c};
  for (unsigned o = 0; o < 4; o++)
    *regs[o] = random_reg(isa_words(i, o), virtual);
  if ((flags & ISA_F_IMM) && below(2)) {
    unsigned o = 1 + below(3);
    if (isa_words(i, o)) {
      i->imm_at = (uint8_t)o;
      *regs[o] = ISA_RZ;
      i->imm = (uint32_t)next();
    }
  }
  if (flags & ISA_F_OFFSET)
    i->imm = (uint32_t)next();
  if (flags & ISA_F_LUT)
    i->imm = below(256);
  if (flags & ISA_F_TARGET) {
    i->imm = below(1000) * ISA_BYTES;
    i->reconv = below(4) ? below(1000) * ISA_BYTES : ISA_NO_RECONV;
  }
}

static void text_round_trip(const isa_inst *i) {
  char text[ASM_TEXT], why[100];
  isa_inst back;
  size_t at, length = asm_print(i, NULL, text, sizeof text);
  assert_true(length < sizeof text);
  if (!asm_parse(text, length, NULL, &back, &at, why, sizeof why))
    fail_msg("'%s' does not parse, at %zu: %s", text, at, why);
  if (memcmp(&back, i, sizeof back) != 0)
    fail_msg("'%s' parses to another instruction", text);
}

enum { SEEDS = 8192 };
static uint64_t seeds[SEEDS][2];  // legal words, for random_bits
static uint32_t seed_count;

static void bits_round_trip(const isa_inst *i) {
  uint64_t word[2], again[2];
  isa_inst back;
  isa_encode(i, word);
  assert_true(isa_decode(word, &back));
  isa_encode(&back, again);
  assert_memory_equal(word, again, sizeof word);
  memcpy(seeds[seed_count++ % SEEDS], word, sizeof word);
  text_round_trip(&back);
  assert_memory_equal(&back, i, sizeof back);
}

static void every_instruction(void **unused) {
  unsigned combinations = 0, reached = 0, named = 0, seen = 0;
  (void)unused;
  for (unsigned op = 0; op < 256; op++) {
    bool any = false;
    for (unsigned type = 0; isa_ops[op].name && type < ISA_TYPES; type++)
      for (unsigned type2 = 0; type2 < ISA_TYPES; type2++)
        for (unsigned fn = 0; fn < 32; fn++) {
          isa_inst probe = isa_inst_new(op, type);
          unsigned legal = 0;
          for (unsigned k = 0; k < 200; k++) {
            isa_inst i = isa_inst_new(op, type);
            i.type2 = (uint8_t)type2;
            i.fn = (uint8_t)fn;
            // types and fn first: most combinations are no instruction at all
            if ((isa_ops[op].types ? !(isa_ops[op].types >> type & 1) : type != 0) ||
                (isa_ops[op].types2 ? !(isa_ops[op].types2 >> type2 & 1) : type2 != 0))
              break;
            fill(&i, k % 4 == 0);
            if (isa_check(&i))
              continue;
            legal++;
            if (k % 4 == 0)
              text_round_trip(&i);
            else
              bits_round_trip(&i);
          }
          (void)probe;
          combinations += legal != 0;
          any |= legal != 0;
        }
    named += isa_ops[op].name != NULL;
    seen += any;
    reached += any;
  }
  print_message("%u opcodes, %u combinations of opcode, types and fn\n", reached, combinations);
  assert_int_equal(named, seen);  // no opcode without one legal form
  assert_true(combinations > 400);
}

// A legal word with a few bits flipped: near enough to the rules to meet each of them.
static void random_bits(void **unused) {
  unsigned legal = 0, illegal = 0;
  uint64_t again[2];
  (void)unused;
  for (unsigned n = 0; n < 3000000; n++) {
    const uint64_t *word = seeds[below(seed_count < SEEDS ? seed_count : SEEDS)];
    uint64_t tried[2] = {word[0], word[1]};
    isa_inst i;
    for (uint32_t flips = 1 + below(3); flips > 0; flips--) {
      uint32_t bit = below(128);
      tried[bit / 64] ^= 1ull << bit % 64;
    }
    if (below(64) == 0)
      tried[0] = next(), tried[1] = next();
    if (!isa_decode(tried, &i)) {
      illegal++;
      continue;
    }
    legal++;
    isa_encode(&i, again);
    assert_memory_equal(tried, again, sizeof again);
    text_round_trip(&i);
  }
  print_message("%u words are instructions, %u are not\n", legal, illegal);
  assert_true(legal > 100000 && illegal > 100000);
}

static void bad_text(void **unused) {
  static const struct {
    const char *text;
    size_t at;
    const char *why;
  } cases[] = {
      {"frobnicate r1", 0, "unknown instruction"},
      {"add.u32 r1, r2", 14, "expected ','"},
      {"add.u32 r1, r2, r3, r4", 18, "more text than an instruction"},
      {"add.u64 r1, rd2, rd4", 8, "expected a register of 64 bits (rd0)"},
      {"add.u64 rd1, rd2, rd4", 0, "register out of range or not aligned to its size"},
      {"add.u32 r1, 5, 6", 15, "an instruction has one immediate"},
      {"add.u32.u32 r1, r2, r3", 7, "unknown or misplaced modifier"},
      {"add.b32 r1, r2, r3", 0, "the opcode does not take this type"},
      {"@p16 nop", 1, "expected a predicate"},
      {"mov.b32 r255, r1", 8, "expected a register of 32 bits (r0)"},
      {"ld.global.b32 r1, rd2", 18, "expected an address in brackets"},
      {"ld.global.b32 r1, [rd2+0x1ffffffff]", 23, "expected a number of 32 bits"},
      {"s2r.b32 r1, tid.w", 12, "unknown special register"},
      {"bra 8, none", 0, "branch target inside an instruction"},
      {"st.const.b32 [r1], r2", 0, "the space is read only"},
      {"", 0, "unknown instruction"},
  };
  (void)unused;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    isa_inst i;
    size_t at;
    char why[100];
    if (asm_parse(cases[n].text, strlen(cases[n].text), NULL, &i, &at, why, sizeof why))
      fail_msg("'%s' parses", cases[n].text);
    if (strcmp(why, cases[n].why) != 0 || at != cases[n].at)
      fail_msg("'%s': at %zu '%s', expected at %zu '%s'", cases[n].text, at, why, cases[n].at,
               cases[n].why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction),
                                     cmocka_unit_test(random_bits), cmocka_unit_test(bad_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
