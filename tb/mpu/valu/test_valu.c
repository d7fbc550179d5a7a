// SPDX-License-Identifier: Apache-2.0
// Every operation that the ISA table calls near-capable, through the Verilog of valu and its twin,
// against the functional machine: one beat, or two as docs/blocks/nbu.md gives them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tb/cosim/cosim.h"
#include "tb/cosim/near_ops.h"
#include "csim/mpu/valu.h"

extern const block_ops valu_rtl;

enum { L = VALU_LANES, ROUNDS = 1000, WORDS = 2 * VALU_LANES };

typedef struct unit {
  const block_ops *ops;
  void *block;
  valu_in in;
  valu_out out;
} unit;

static unit unit_new(const block_ops *ops) {
  unit u = {.ops = ops, .block = ops->create(NULL)};
  assert_non_null(u.block);
  u.in.rst_n = 1;
  return u;
}

static void step(unit *u) {
  u->ops->step(u->block, &u->in, &u->out);
}

// Words of the operands that a beat gets: w of a, b and c.
static void beat(unit *u, unsigned n, bool last, const uint32_t *a, const uint32_t *b,
                 const uint32_t *c) {
  u->in.valid = 1, u->in.beat = n, u->in.last = last, u->in.tag = n;
  memcpy(u->in.a, a, sizeof u->in.a);
  memcpy(u->in.b, b, sizeof u->in.b);
  memcpy(u->in.c, c, sizeof u->in.c);
  step(u);
  u->in.valid = 0;
}

// The result of the oldest beat inside, which comes within six edges.
static void result(unit *u, uint32_t *d) {
  for (unsigned n = 0; !u->out.valid; n++) {
    assert_true(n < 6);
    step(u);
  }
  memcpy(d, u->out.d, sizeof u->out.d);
  step(u);
}

static void execute(unit *u, const isa_inst *i, uint32_t lut, uint32_t pred, const uint32_t *a,
                    const uint32_t *b, const uint32_t *c, uint32_t *d) {
  const bool wide = isa_types[i->type].bits == 64, from_wide = isa_types[i->type2].bits == 64;
  u->in.op = i->op, u->in.typ = i->type, u->in.typ2 = isa_ops[i->op].types2 ? i->type2 : 0;
  u->in.fn = i->fn, u->in.ftz = i->ftz, u->in.sat = i->sat;
  u->in.lut = lut, u->in.pred = pred, u->in.mask = ~0u;
  const uint32_t *low = a, *high = a + L;
  if (!near_op_has_two(i)) {
    if (i->op == ISA_OP_I2I && from_wide)
      beat(u, 0, true, low, b, high);
    else
      beat(u, 0, true, a, b, c);
    result(u, d);
    return;
  }
  switch (i->op) {
    case ISA_OP_MULW:
      beat(u, 0, false, a, b, c);
      beat(u, 1, true, a, b, c);
      break;
    case ISA_OP_MADW:
      beat(u, 0, false, a, b, c);
      beat(u, 1, true, a, b, c + L);
      break;
    case ISA_OP_I2I:
      beat(u, 0, false, low, b, from_wide ? high : c);
      beat(u, 1, true, from_wide ? high : a, b, from_wide ? low : c);
      break;
    case ISA_OP_ABS:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
      beat(u, 0, false, low, b, high);
      beat(u, 1, true, high, b, low);
      break;
    case ISA_OP_MIN:
    case ISA_OP_MAX:  // the high words first
      beat(u, 0, false, high, b + L, c);
      beat(u, 1, true, low, b, c);
      result(u, d + L);
      result(u, d);
      return;
    default:
      assert_true(wide);
      beat(u, 0, false, low, b, c);
      beat(u, 1, true, high, b + L, c);
  }
  result(u, d);
  result(u, d + L);
}

static void operands(cosim_rng *rng, uint32_t *x, unsigned round) {
  for (unsigned k = 0; k < WORDS; k++)
    x[k] = round % 3 ? rng_value(rng) : rng_u32(rng);
}

// The functional machine; selp has no kernel there, its predicate is a register of the front end.
static void expected(const isa_inst *i, uint32_t pred, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t *d) {
  if (i->op == ISA_OP_SELP) {
    for (unsigned k = 0; k < L * isa_words(i, 0); k++)
      d[k] = pred >> k % L & 1 ? a[k] : b[k];
    return;
  }
  const lanes_fn kernel = lanes_any.find(i);
  if (!kernel)
    fail_msg("%s: the functional machine has no kernel", isa_ops[i->op].name);
  kernel(d, a, b, c, i);
}

// Which combinations had their results compared: a bit for each of plain, ftz, sat and both.
enum { TYPES = 32, FNS = 32 };
static uint8_t tried[ISA_OPS][TYPES][TYPES][FNS];

// Asks the ISA itself, not the list that was gone through.
static unsigned check_all_tried(void) {
  unsigned count = 0;
  for (unsigned op = 0; op < ISA_OPS; op++)
    for (unsigned type = 0; type < TYPES && isa_ops[op].name; type++)
      for (unsigned type2 = 0; type2 < TYPES; type2++)
        for (unsigned how = 0; how < FNS * 4; how++) {
          isa_inst i = isa_inst_new(op, type);
          i.type2 = (uint8_t)type2, i.fn = (uint8_t)(how / 4), i.ftz = how & 1,
          i.sat = how >> 1 & 1;
          if (isa_ops[op].flags & ISA_F_MEM || isa_check(&i) || !isa_near_capable(&i))
            continue;
          count++;
          if (!(tried[op][type][type2][i.fn] >> how % 4 & 1))
            fail_msg("nobody tried %s.%s.%s fn %u ftz %u sat %u", isa_ops[op].name,
                     isa_types[type].name, isa_types[type2].name, i.fn, i.ftz, i.sat);
        }
  return count;
}

static void all(const block_ops *ops) {
  unsigned count, plain = 0;
  const isa_inst *list = near_ops(&count);
  memset(tried, 0, sizeof tried);
  unit u = unit_new(ops);
  cosim_rng rng = {1};
  for (unsigned k = 0; k < count; k++)
    for (unsigned how = 0; how < 4; how++) {
      isa_inst i = list[k];
      i.ftz = how & 1, i.sat = how >> 1;
      if (isa_check(&i))
        continue;
      plain += how == 0;
      for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t a[WORDS], b[WORDS], c[WORDS], d[WORDS], want[WORDS];
        operands(&rng, a, round), operands(&rng, b, round), operands(&rng, c, round);
        if ((i.op == ISA_OP_SHL || i.op == ISA_OP_SHR) && round % 4)
          for (unsigned l = 0; l < L; l++)
            b[l] = (l + round * 7) % 80;
        if (round % 5 == 1)
          memcpy(b, a, sizeof b);
        if (round % 5 == 2)
          memcpy(b + L, a + L, sizeof b / 2);
        const uint32_t pred = rng_mask(&rng);
        i.imm = round % 256;  // the table of lop3
        execute(&u, &i, i.imm, pred, a, b, c, d);
        expected(&i, pred, a, b, c, want);
        for (unsigned w = 0; w < L * isa_words(&i, 0); w++)
          if (d[w] != want[w])
            fail_msg(
                "%s: %s.%s.%s fn %u ftz %u sat %u, word %u of lane %u: a %08x_%08x b %08x_%08x c "
                "%08x_%08x: %08x instead of %08x",
                ops->name, isa_ops[i.op].name, isa_types[i.type].name, isa_types[i.type2].name,
                i.fn, i.ftz, i.sat, w / L, w % L, a[w % L + L], a[w % L], b[w % L + L], b[w % L],
                c[w % L + L], c[w % L], d[w], want[w]);
      }
      tried[i.op][i.type][i.type2][i.fn] |= (uint8_t)(1u << how);
    }
  printf("%s: %u operations, %u with ftz and sat\n", ops->name, plain, check_all_tried());
  ops->destroy(u.block);
}

static void test_every_operation_rtl(void **state) {
  (void)state, all(&valu_rtl);
}
static void test_every_operation_twin(void **state) {
  (void)state, all(&valu_twin);
}

// A lane outside the mask keeps its old value; with all lanes off nothing changes but dst, tag,
// mask.
static void masked(const block_ops *ops) {
  unit u = unit_new(ops);
  uint32_t a[L], zero[L] = {0};
  for (unsigned l = 0; l < L; l++)
    a[l] = 0x1000 + l;
  u.in.op = ISA_OP_MOV, u.in.typ = ISA_TYPE_B32;
  static const uint32_t masks[] = {~0u, 0x55555555, 0, 0x80000000, 1};
  uint32_t keep[L] = {0};
  for (unsigned k = 0; k < sizeof masks / sizeof *masks; k++) {
    for (unsigned l = 0; l < L; l++) {
      a[l] += 0x10000;
      if (masks[k] >> l & 1)
        keep[l] = a[l];
    }
    u.in.mask = masks[k], u.in.dst = k;
    beat(&u, 0, true, a, zero, zero);
    uint32_t d[L];
    result(&u, d);
    assert_memory_equal(d, keep, sizeof d);
    assert_int_equal(u.out.mask, masks[k]);
    assert_int_equal(u.out.dst, k);
  }
  ops->destroy(u.block);
}

static void test_masked_lanes_keep(void **state) {
  (void)state;
  masked(&valu_rtl);
  masked(&valu_twin);
}

// A beat an edge, the carry of one instruction next to the comparison of another.
static void test_back_to_back(void **state) {
  (void)state;
  const block_ops *both[] = {&valu_rtl, &valu_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = unit_new(both[m]);
    uint32_t ones[L], one[L], zero[L] = {0};
    for (unsigned l = 0; l < L; l++)
      ones[l] = ~0u, one[l] = 1;
    u.in.mask = ~0u;
    unsigned results = 0;
    for (unsigned k = 0; k < 16; k++) {
      u.in.op = k % 4 < 2 ? ISA_OP_ADD : ISA_OP_MAX;
      u.in.typ = k % 4 < 2 ? ISA_TYPE_U64 : ISA_TYPE_S64;
      // 0x00000000ffffffff + 1; max(-1, 1), high words first
      beat(&u, k & 1, k & 1,
           k % 4 == 0   ? ones
           : k % 4 == 1 ? zero
                        : ones,
           k % 4 == 0   ? one
           : k % 4 == 1 ? zero
           : k % 4 == 2 ? zero
                        : one,
           zero);
      static const uint32_t want[] = {0, 1, 0, 1};
      if (u.out.valid)
        assert_int_equal(u.out.d[31], want[results++ % 4]);
    }
    assert_int_equal(results, 16 - 5);
    u.ops->destroy(u.block);
  }
}

// A beat whose result is due at the first edge of a reset leaves it on the outputs, without valid;
// the one behind it is lost.
static void test_result_due_at_reset(void **state) {
  (void)state;
  const block_ops *both[] = {&valu_rtl, &valu_twin};
  for (unsigned m = 0; m < 4; m++) {
    const bool is_float = m >> 1;
    unit u = unit_new(both[m & 1]);
    uint32_t a[L], b[L], want[L] = {0};
    u.in.op = ISA_OP_ADD, u.in.typ = is_float ? ISA_TYPE_F32 : ISA_TYPE_U32;
    u.in.mask = 0x0f0f0f0f;
    for (unsigned l = 0; l < L; l++) {
      a[l] = is_float ? 0x3f800000 : l, b[l] = is_float ? 0x3f800000 : 1;
      if (u.in.mask >> l & 1)
        want[l] = is_float ? 0x40000000 : l + 1;
    }
    u.in.dst = 5;
    beat(&u, 1, true, a, b, b);
    u.in.dst = 6;
    beat(&u, 0, false, b, b, b);
    for (unsigned k = 2; k < VALU_EDGES; k++)
      step(&u);
    assert_int_equal(u.out.mask, 0);
    u.in.rst_n = 0, u.in.valid = 1;
    for (unsigned k = 0; k < 8; k++) {
      step(&u);
      assert_int_equal(u.out.valid, 0);
      assert_int_equal(u.out.last, 1);
      assert_int_equal(u.out.dst, 5);
      assert_int_equal(u.out.tag, 1);
      assert_int_equal(u.out.mask, 0x0f0f0f0f);
      assert_memory_equal(u.out.d, want, sizeof want);
      u.in.rst_n = k >= 1, u.in.valid = 0;
    }
    u.ops->destroy(u.block);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_operation_rtl), cmocka_unit_test(test_every_operation_twin),
      cmocka_unit_test(test_masked_lanes_keep),   cmocka_unit_test(test_back_to_back),
      cmocka_unit_test(test_result_due_at_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
