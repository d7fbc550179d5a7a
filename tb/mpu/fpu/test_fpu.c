// SPDX-License-Identifier: Apache-2.0
// The Verilog of fpu, and its twin, against the host's IEEE unit: all pairs and triples of special
// values, then random ones. The reference below uses the host's rounding modes and nothing of ours.
// MPU_LONG=1: 64 million random operands an operation instead of one; NEARBANK_LONG=<count>: that
// many.
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tb/cosim/cosim.h"
#include "tb/cosim/random_count.h"
#include "csim/mpu/fpu.h"
#include "operands.h"

extern const block_ops fpu_rtl;

static const uint32_t special[] = {
    0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x003fffff, 0x00400000, 0x00400001, 0x007ffffe,
    0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x0c000000, 0x19ffffff, 0x1fffffff,
    0x20000000, 0x33800000, 0x33800001, 0x33ffffff, 0x34000000, 0x3effffff, 0x3f000000, 0x3f000001,
    0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x3fffffff, 0x40000000, 0x40490fdb, 0x4affffff,
    0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4b800001, 0x4effffff, 0x4f000000, 0x4f7fffff,
    0x4f800000, 0x5f000000, 0x7e800000, 0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000,
    0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff, 0x80000000, 0x80000001, 0x807fffff, 0x80800000,
    0xb3800000, 0xbeffffff, 0xbf000000, 0xbf7fffff, 0xbf800000, 0xbfc00000, 0xc0000000, 0xcb000001,
    0xcf000000, 0xcf000001, 0xff7fffff, 0xff800000, 0xff800001, 0xffc00000,
};
enum { SPECIALS = sizeof special / sizeof *special };
_Static_assert(SPECIALS >= 60, "the special values of the reference table");

static const char *const names[] = {"add",     "sub",     "mul",      "fma",  "min",  "max",
                                    "abs",     "neg",     "copysign", "setb", "setf", "i2f.u32",
                                    "i2f.s32", "f2i.u32", "f2i.s32",  "f2f"};
_Static_assert(sizeof names / sizeof *names == FPU_OPS, "a name an operation");

// ---- the reference

static float as_float(uint32_t b) {
  float f;
  memcpy(&f, &b, 4);
  return f;
}

static uint32_t bits(float f) {
  uint32_t b;
  memcpy(&b, &f, 4);
  return f != f ? 0x7fffffff : b;
}

static uint32_t flush(uint32_t b) {
  return (b & 0x7f800000) == 0 ? b & 0x80000000 : b;
}

static int mode(uint32_t fn) {
  switch (fn) {
    case 2:
    case 6:
      return FE_TOWARDZERO;
    case 3:
    case 7:
      return FE_DOWNWARD;
    case 4:
    case 8:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

static bool holds(uint32_t fn, float a, float b) {
  const bool nan = isnan(a) || isnan(b);
  if (fn >= 13)
    return nan;
  if (fn == 12)
    return !nan;
  if (nan)
    return fn >= 6;
  switch (fn % 6) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

static uint32_t reference(const fpu_in *in) {
  uint32_t x = in->a, y = in->b, z = in->c;
  const bool raw = in->op == FPU_COPYSIGN || in->op == FPU_I2F_U || in->op == FPU_I2F_S;
  if (in->ftz && !raw)
    x = flush(x), y = flush(y), z = flush(z);
  volatile float a = as_float(x), b = as_float(y), c = as_float(z), r = 0;
  const int host = mode(in->fn);
  uint32_t d = 0;
  bool number = true;  // ftz and sat look at the result
  if (host != FE_TONEAREST)
    fesetround(host);
  switch (in->op) {
    case FPU_ADD:
      r = a + b;
      break;
    case FPU_SUB:
      r = a - b;
      break;
    case FPU_MUL:
      r = a * b;
      break;
    case FPU_FMA:
      r = fmaf(a, b, c);
      break;
    case FPU_I2F_U:
      r = (float)*(volatile uint32_t *)&x;
      break;
    case FPU_I2F_S:
      r = (float)*(volatile int32_t *)&x;
      break;
    case FPU_F2F:
      r = in->fn >= 5 && in->fn <= 8 ? rintf(a) : a;
      break;
    default:
      number = false;
  }
  double integer = 0;
  if (in->op == FPU_F2I_U || in->op == FPU_F2I_S)
    integer = isnan(a) ? 0 : rint((double)a);
  if (host != FE_TONEAREST)
    fesetround(FE_TONEAREST);
  if (number) {
    d = bits(r);
    if (in->ftz && !raw)
      d = flush(d);
    if (in->sat)
      d = isnan(r) || r <= 0 ? 0 : r >= 1 ? 0x3f800000 : d;
    return d;
  }
  switch (in->op) {
    case FPU_MIN:
    case FPU_MAX:
      if (isnan(a) || isnan(b))
        return isnan(a) ? isnan(b) ? 0x7fffffff : y : x;
      if (a == b)
        return in->op == FPU_MIN ? x | y : x & y;
      return (a < b) == (in->op == FPU_MIN) ? x : y;
    case FPU_ABS:
      return x & 0x7fffffff;
    case FPU_NEG:
      return x ^ 0x80000000;
    case FPU_COPYSIGN:
      return (y & 0x7fffffff) | (x & 0x80000000);
    case FPU_SETB:
      return holds(in->fn, a, b) ? 0xffffffff : 0;
    case FPU_SETF:
      return holds(in->fn, a, b) ? 0x3f800000 : 0;
    case FPU_F2I_U:
      return integer <= 0 ? 0 : integer >= 4294967295.0 ? 0xffffffff : (uint32_t)integer;
    default:  // F2I_S
      return (uint32_t)(integer <= -2147483648.0  ? INT32_MIN
                        : integer >= 2147483647.0 ? INT32_MAX
                                                  : (int32_t)integer);
  }
}

// ---- the Verilog, an operation an edge

typedef struct pipe {
  void *block;
  fpu_in in, ring[FPU_EDGES + 1];
  bool full[FPU_EDGES + 1];
  uint32_t expect[FPU_EDGES + 1];
  unsigned at;
  fpu_out out;
  uint64_t checked;
} pipe;

static void edge(pipe *p, bool valid) {
  p->in.rst_n = 1, p->in.valid = valid;
  const unsigned leaves = (p->at + 1) % (FPU_EDGES + 1);
  p->full[p->at] = valid;
  if (valid) {
    p->ring[p->at] = p->in;
    p->expect[p->at] = reference(&p->in);
    if (fpu_result(&p->in) != p->expect[p->at])
      fail_msg("twin: %s fn %" PRIu32 " ftz %" PRIu32 " sat %" PRIu32 " of %08" PRIx32 " %08" PRIx32
               " %08" PRIx32 ": %08" PRIx32 " instead of %08" PRIx32,
               names[p->in.op], p->in.fn, p->in.ftz, p->in.sat, p->in.a, p->in.b, p->in.c,
               fpu_result(&p->in), p->expect[p->at]);
  }
  fpu_rtl.step(p->block, &p->in, &p->out);
  const fpu_in *i = &p->ring[leaves];
  assert_int_equal(p->out.valid, p->full[leaves]);
  if (p->out.valid && p->out.d != p->expect[leaves])
    fail_msg("%s fn %" PRIu32 " ftz %" PRIu32 " sat %" PRIu32 " of %08" PRIx32 " %08" PRIx32
             " %08" PRIx32 ": %08" PRIx32 " instead of %08" PRIx32,
             names[i->op], i->fn, i->ftz, i->sat, i->a, i->b, i->c, p->out.d, p->expect[leaves]);
  p->checked += p->out.valid;
  p->at = leaves;
}

static void operate(pipe *p, uint32_t op, uint32_t fn, uint32_t a, uint32_t b, uint32_t c) {
  p->in.op = op, p->in.fn = fn, p->in.a = a, p->in.b = b, p->in.c = c;
  edge(p, true);
}

static pipe pipe_new(void) {
  pipe p = {.block = fpu_rtl.create(NULL)};
  assert_non_null(p.block);
  return p;
}

static void pipe_end(pipe *p, const char *what) {
  for (unsigned k = 0; k < FPU_EDGES; k++)
    edge(p, false);
  printf("%-8s %9" PRIu64 " results as the host's\n", what, p->checked);
  fpu_rtl.destroy(p->block);
}

static bool compares(uint32_t op) {
  return op == FPU_SETB || op == FPU_SETF;
}

// All special operands, all roundings or comparisons, with and without ftz and sat.
static void test_special(void **state) {
  (void)state;
  for (uint32_t op = 0; op < FPU_OPS; op++) {
    pipe p = pipe_new();
    const bool unary = op == FPU_ABS || op == FPU_NEG || op >= FPU_I2F_U;
    for (uint32_t fn = 0; fn < 14; fn++)
      for (uint32_t how = 0; how < 4; how++) {
        if (!compares(op) && fn > 8)
          continue;
        // triples: each of the four roundings under one number
        if (op == FPU_FMA && (fn == 0 || fn > 4))
          continue;
        p.in.ftz = how & 1, p.in.sat = how >> 1;
        for (unsigned i = 0; i < SPECIALS; i++)
          for (unsigned j = 0; j < (unary ? 1 : SPECIALS); j++)
            for (unsigned k = 0; k < (op == FPU_FMA ? SPECIALS : 1); k++)
              operate(&p, op, fn, special[i], special[j], special[k]);
      }
    pipe_end(&p, names[op]);
  }
}

static void test_random(void **state) {
  (void)state;
  const uint64_t count = random_count(1000000, 64000000);
  for (uint32_t op = 0; op < FPU_OPS; op++) {
    pipe p = pipe_new();
    cosim_rng rng = {op + 1};
    for (uint64_t n = 0; n < count; n++) {
      p.in.ftz = rng_chance(&rng, 48), p.in.sat = rng_chance(&rng, 32);
      const uint32_t fn =
          rng_chance(&rng, 16) ? rng_bits(&rng, 5) : rng_below(&rng, compares(op) ? 14 : 9);
      uint32_t x[3];
      for (unsigned k = 0; k < 3; k++)
        x[k] = rng_chance(&rng, 128) ? rng_u32(&rng) : rng_float(&rng);
      if (rng_chance(&rng, 112))
        fpu_aim(&rng, op, x);
      operate(&p, op, fn, x[0], x[1], x[2]);
    }
    pipe_end(&p, names[op]);
  }
}

// ---- directed: resets

static const block_ops *const both[] = {&fpu_rtl, &fpu_twin};

// 1.0 + b, a result that tells which operation it is of.
static void enter(const block_ops *ops, pipe *p, uint32_t b) {
  p->in = (fpu_in){.rst_n = 1, .valid = 1, .op = FPU_ADD, .fn = 1, .a = 0x3f800000, .b = b};
  ops->step(p->block, &p->in, &p->out);
  p->in.valid = 0;
}

static void test_reset_drops(void **state) {
  (void)state;
  for (unsigned m = 0; m < 2; m++) {
    pipe p = {.block = both[m]->create(NULL)};
    assert_non_null(p.block);
    for (unsigned k = 0; k < 3; k++)
      enter(both[m], &p, 0x3f800000);
    p.in.rst_n = 0, p.in.valid = 1;
    both[m]->step(p.block, &p.in, &p.out);
    assert_int_equal(p.out.valid, 0);
    p.in.rst_n = 1, p.in.valid = 0;
    for (unsigned k = 0; k < 8; k++) {
      both[m]->step(p.block, &p.in, &p.out);
      assert_int_equal(p.out.valid, 0);
      assert_int_equal(p.out.d, 0);
    }
    both[m]->destroy(p.block);
  }
}

// What is due at the first edge of a reset is on d after it, without valid; what is due at the next
// one is not. The first operation after the reset takes its time as any other.
static void test_result_due_at_reset(void **state) {
  (void)state;
  for (unsigned m = 0; m < 2; m++) {
    pipe p = {.block = both[m]->create(NULL)};
    assert_non_null(p.block);
    enter(both[m], &p, 0x3f800000);  // 2.0
    enter(both[m], &p, 0x40000000);  // 3.0
    both[m]->step(p.block, &p.in, &p.out);
    both[m]->step(p.block, &p.in, &p.out);
    assert_int_equal(p.out.d, 0);
    for (unsigned k = 0; k < 2; k++) {
      p.in.rst_n = 0, p.in.valid = 1;
      both[m]->step(p.block, &p.in, &p.out);
      assert_int_equal(p.out.valid, 0);
      assert_int_equal(p.out.d, 0x40000000);
    }
    enter(both[m], &p, 0x40400000);  // 4.0
    for (unsigned k = 0; k < FPU_EDGES; k++) {
      assert_int_equal(p.out.valid, 0);
      assert_int_equal(p.out.d, 0x40000000);
      both[m]->step(p.block, &p.in, &p.out);
    }
    assert_int_equal(p.out.valid, 1);
    assert_int_equal(p.out.d, 0x40800000);
    both[m]->step(p.block, &p.in, &p.out);
    assert_int_equal(p.out.valid, 0);
    assert_int_equal(p.out.d, 0x40800000);
    both[m]->destroy(p.block);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_reset_drops),
      cmocka_unit_test(test_result_due_at_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
