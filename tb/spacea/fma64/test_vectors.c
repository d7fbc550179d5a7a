// SPDX-License-Identifier: Apache-2.0
// The Verilog of fma64, and its twin (which takes fma of the C library), against MPFR: all triples
// of special values, every distance of product and addend, then random operands of all corners.
// MPU_LONG=1: 10^9 random operations instead of 500,000; NEARBANK_LONG=<count>: that many.
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csim/spacea/fma64.h"
#include "operands.h"
#include "tb/cosim/cosim.h"
#include "tb/cosim/random_count.h"

extern const block_ops fma64_rtl;

#define SIGN (1ull << 63)
#define ONE 0x3ff0000000000000ull

static const uint64_t special[] = {
    0x0000000000000000, 0x0000000000000001, 0x0000000000000003, 0x0007ffffffffffff,
    0x0008000000000000, 0x000ffffffffffffe, 0x000fffffffffffff, 0x0010000000000000,
    0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x0350000000000000,
    0x1ff0000000000000, 0x1fffffffffffffff, 0x2000000000000001, 0x3c90000000000000,
    0x3c9fffffffffffff, 0x3ca0000000000000, 0x3ca0000000000001, 0x3cb0000000000000,
    0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001, 0x3fefffffffffffff,
    0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x3fffffffffffffff,
    0x4000000000000000, 0x4340000000000000, 0x5fefffffffffffff, 0x5ff0000000000000,
    0x7fd0000000000000, 0x7fdfffffffffffff, 0x7fe0000000000000, 0x7feffffffffffffe,
    0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
};
enum { SPECIALS = 2 * sizeof special / sizeof *special };  // of both signs

static uint64_t special_of(unsigned k) {
  return special[k / 2] | (k & 1 ? SIGN : 0);
}

static const char *const names[] = {"fma", "add", "mul", "min"};
_Static_assert(sizeof names / sizeof *names == FMA64_OPS, "a name an operation");

// ---- the reference

static mpfr_t operand[3], result;

static int mpfr_begin(void **state) {
  (void)state;
  mpfr_set_default_prec(53);
  mpfr_inits(operand[0], operand[1], operand[2], result, (mpfr_ptr)NULL);
  mpfr_set_emin(-1073), mpfr_set_emax(1024);
  return 0;
}

static int mpfr_end(void **state) {
  (void)state;
  mpfr_clears(operand[0], operand[1], operand[2], result, (mpfr_ptr)NULL);
  mpfr_free_cache();
  return 0;
}

static uint64_t reference(fma64_op op, const uint64_t x[3]) {
  for (int k = 0; k < 3; k++) {
    double v;
    memcpy(&v, &x[k], sizeof v);
    mpfr_set_d(operand[k], v, MPFR_RNDN);
  }
  int inexact = 0;
  switch (op) {
    case FMA64_FMA:
      inexact = mpfr_fma(result, operand[0], operand[1], operand[2], MPFR_RNDN);
      break;
    case FMA64_ADD:
      inexact = mpfr_add(result, operand[0], operand[1], MPFR_RNDN);
      break;
    case FMA64_MUL:
      inexact = mpfr_mul(result, operand[0], operand[1], MPFR_RNDN);
      break;
    default:
      mpfr_min(result, operand[0], operand[1], MPFR_RNDN);
  }
  if (mpfr_nan_p(result))
    return 0x7ff8000000000000;
  mpfr_subnormalize(result, inexact, MPFR_RNDN);
  const double d = mpfr_get_d(result, MPFR_RNDN);
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}

// ---- the Verilog, an operation an edge

typedef struct operation {
  bool valid;
  fma64_op op;
  uint64_t x[3], expect;
} operation;

typedef struct pipe {
  void *block;
  operation ring[FMA64_EDGES + 1];
  unsigned at;
  fma64_out out;
  uint64_t checked;
} pipe;

static void compare(const char *who, const operation *o, uint64_t d) {
  if (d != o->expect)
    fail_msg("%s: %s of %016" PRIx64 " %016" PRIx64 " %016" PRIx64 ": %016" PRIx64
             " instead of %016" PRIx64,
             who, names[o->op], o->x[0], o->x[1], o->x[2], d, o->expect);
}

static uint64_t data(const fma64_out *out) {
  return (uint64_t)out->d[1] << 32 | out->d[0];
}

static fma64_in input(fma64_op op, const uint64_t x[3]) {
  fma64_in in = {.rst_n = 1, .valid = 1, .op = op};
  uint32_t *const to[] = {in.a, in.b, in.c};
  for (int k = 0; k < 3; k++)
    to[k][0] = (uint32_t)x[k], to[k][1] = (uint32_t)(x[k] >> 32);
  return in;
}

static void edge(pipe *p, const fma64_in *in) {
  fma64_rtl.step(p->block, in, &p->out);
  const unsigned leaves = (p->at + 1) % (FMA64_EDGES + 1);
  const operation *o = &p->ring[leaves];
  assert_int_equal(p->out.valid, o->valid);
  if (o->valid)
    compare("Verilog", o, data(&p->out)), p->checked++;
  p->at = leaves;
}

static void operate(pipe *p, fma64_op op, uint64_t a, uint64_t b, uint64_t c) {
  operation *o = &p->ring[p->at];
  *o = (operation){.valid = true, .op = op, .x = {a, b, c}};
  o->expect = reference(op, o->x);
  compare("twin", o, fma64_result(op, a, b, c));
  const fma64_in in = input(op, o->x);
  edge(p, &in);
}

static pipe pipe_new(void) {
  pipe p = {.block = fma64_rtl.create(NULL)};
  assert_non_null(p.block);
  return p;
}

static void pipe_end(pipe *p, const char *what) {
  const fma64_in none = {.rst_n = 1};
  for (unsigned k = 0; k < FMA64_EDGES; k++)
    p->ring[p->at].valid = false, edge(p, &none);
  printf("%-10s %10" PRIu64 " results as those of MPFR\n", what, p->checked);
  fma64_rtl.destroy(p->block);
}

static void test_special(void **state) {
  (void)state;
  pipe p = pipe_new();
  for (unsigned i = 0; i < SPECIALS; i++)
    for (unsigned j = 0; j < SPECIALS; j++) {
      for (unsigned k = 0; k < SPECIALS; k++)
        operate(&p, FMA64_FMA, special_of(i), special_of(j), special_of(k));
      for (fma64_op op = FMA64_ADD; op < FMA64_OPS; op++)  // whatever c is
        operate(&p, op, special_of(i), special_of(j), special_of((i * 7 + j) % SPECIALS));
    }
  pipe_end(&p, "special");
}

// The addend at every distance from the product, as one bit and as a number of all ones: what is
// left of the smaller one is a sticky bit, or moves a result that is halfway.
static void test_distances(void **state) {
  (void)state;
  static const uint64_t factor[] = {ONE, ONE + 1, ONE + (1ull << 51), 2 * ONE - 1,
                                    ONE + (1ull << 51) + 1};
  static const uint64_t fractions[] = {0, 1, (1ull << 52) - 1, 1ull << 51};
  enum { FACTORS = sizeof factor / sizeof *factor, FRACTIONS = 4 };
  pipe p = pipe_new();
  for (int away = -180; away <= 180; away++)
    for (unsigned f = 0; f < FRACTIONS; f++)
      for (unsigned s = 0; s < 2; s++) {
        const uint64_t c = (uint64_t)(1023 + away) << 52 | fractions[f] | (s ? SIGN : 0);
        for (unsigned i = 0; i < FACTORS; i++) {
          for (unsigned j = 0; j < FACTORS; j++)
            operate(&p, FMA64_FMA, factor[i], factor[j], c);
          operate(&p, FMA64_ADD, factor[i], c, 0), operate(&p, FMA64_ADD, c, factor[i], 0);
        }
      }
  // and one bit of a subnormal addend, which has zeros where others have their first bit
  for (uint64_t exponent = 1; exponent <= 180; exponent++)
    for (unsigned bit = 0; bit < 52; bit++)
      for (unsigned i = 0; i < FACTORS; i++) {
        const uint64_t a = (exponent << 52) | (factor[i] & ((1ull << 52) - 1)), c = 1ull << bit;
        operate(&p, FMA64_FMA, a, ONE + (1ull << 51), c);
        operate(&p, FMA64_FMA, a, ONE + (1ull << 51), c | SIGN);
      }
  pipe_end(&p, "distances");
}

static void test_random(void **state) {
  (void)state;
  const uint64_t count = random_count(500000, 1000000000);
  pipe p = pipe_new();
  cosim_rng rng = {1};
  for (uint64_t n = 0; n < count; n++) {
    const fma64_op op = n & 1 ? FMA64_FMA : rng_below(&rng, FMA64_OPS);
    uint64_t x[3];
    fma64_operands(&rng, rng_below(&rng, FMA64_CORNERS), op, x);
    operate(&p, op, x[0], x[1], x[2]);
  }
  pipe_end(&p, "random");
}

// ---- directed: resets

static const block_ops *const both[] = {&fma64_rtl, &fma64_twin};

static void step(const block_ops *ops, pipe *p, bool rst_n, bool valid, uint64_t b) {
  const uint64_t x[] = {ONE, b, 0};
  fma64_in in = input(FMA64_ADD, x);
  in.rst_n = rst_n, in.valid = valid;
  ops->step(p->block, &in, &p->out);
}

// 1.0 + 1.0, 1.0 + 2.0, 1.0 + 3.0
static const uint64_t addend[] = {ONE, 0x4000000000000000, 0x4008000000000000};
static const uint64_t sum[] = {0x4000000000000000, 0x4008000000000000, 0x4010000000000000};

static void test_reset_drops(void **state) {
  (void)state;
  for (unsigned m = 0; m < 2; m++) {
    pipe p = {.block = both[m]->create(NULL)};
    assert_non_null(p.block);
    for (unsigned k = 0; k < 3; k++)
      step(both[m], &p, true, true, addend[k]);
    step(both[m], &p, false, true, ONE);
    for (unsigned k = 0; k < 8; k++) {
      assert_int_equal(p.out.valid, 0);
      assert_true(data(&p.out) == 0);
      step(both[m], &p, true, false, 0);
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
    step(both[m], &p, true, true, addend[0]);
    step(both[m], &p, true, true, addend[1]);
    for (unsigned k = 2; k < FMA64_EDGES; k++)
      step(both[m], &p, true, false, 0);
    assert_true(data(&p.out) == 0);
    for (unsigned k = 0; k < 2; k++) {
      step(both[m], &p, false, true, addend[1]);
      assert_int_equal(p.out.valid, 0);
      assert_true(data(&p.out) == sum[0]);
    }
    step(both[m], &p, true, true, addend[2]);
    for (unsigned k = 0; k < FMA64_EDGES; k++) {
      assert_int_equal(p.out.valid, 0);
      assert_true(data(&p.out) == sum[0]);
      step(both[m], &p, true, false, 0);
    }
    assert_int_equal(p.out.valid, 1);
    assert_true(data(&p.out) == sum[2]);
    step(both[m], &p, true, false, 0);
    assert_int_equal(p.out.valid, 0);
    assert_true(data(&p.out) == sum[2]);
    both[m]->destroy(p.block);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_distances),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_reset_drops),
      cmocka_unit_test(test_result_due_at_reset),
  };
  return cmocka_run_group_tests(tests, mpfr_begin, mpfr_end);
}
