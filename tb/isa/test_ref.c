// SPDX-License-Identifier: Apache-2.0
// The reference of the instruction tests is itself held against the host's own floating point, in
// all four rounding modes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "ref.h"
#include "rig.h"

static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static void same32(const char *what, unsigned m, const uint32_t in[3], uint64_t want,
                   uint32_t got) {
  if (want == got || (ref_is_nan(&ref_f32, want) && ref_is_nan(&ref_f32, got)))
    return;
  printf("%s mode %u of 0x%08x 0x%08x 0x%08x: reference 0x%08x, host 0x%08x\n", what, m, in[0],
         in[1], in[2], (unsigned)want, got);
  fail();
}

static void same64(const char *what, unsigned m, const uint64_t in[3], uint64_t want,
                   uint64_t got) {
  if (want == got || (ref_is_nan(&ref_f64, want) && ref_is_nan(&ref_f64, got)))
    return;
  printf("%s mode %u of 0x%llx 0x%llx 0x%llx: reference 0x%llx, host 0x%llx\n", what, m,
         (unsigned long long)in[0], (unsigned long long)in[1], (unsigned long long)in[2],
         (unsigned long long)want, (unsigned long long)got);
  fail();
}

enum { ROUNDS = 20000, OPS = 6 };
static const char *const names[OPS] = {"add", "mul", "div", "sqrt", "fma", "rint"};

static void host32(unsigned m, const uint32_t in[3], uint32_t out[OPS]) {
  float v[3];
  memcpy(v, in, sizeof v);
  volatile float a = v[0], b = v[1], c = v[2];
  volatile float r[OPS];
  float (*volatile round_float)(float) = rintf;  // a call: inline code assumes nearest
  fesetround(modes[m]);
  r[0] = a + b, r[1] = a * b, r[2] = a / b, r[3] = sqrtf(a), r[4] = fmaf(a, b, c);
  r[5] = round_float(a);
  fesetround(FE_TONEAREST);
  for (unsigned k = 0; k < OPS; k++) {
    float x = r[k];
    memcpy(&out[k], &x, 4);
  }
}

static void host64(unsigned m, const uint64_t in[3], uint64_t out[OPS]) {
  double v[3];
  memcpy(v, in, sizeof v);
  volatile double a = v[0], b = v[1], c = v[2];
  volatile double r[OPS];
  double (*volatile round_double)(double) = rint;
  fesetround(modes[m]);
  r[0] = a + b, r[1] = a * b, r[2] = a / b, r[3] = sqrt(a), r[4] = fma(a, b, c);
  r[5] = round_double(a);
  fesetround(FE_TONEAREST);
  for (unsigned k = 0; k < OPS; k++) {
    double x = r[k];
    memcpy(&out[k], &x, 8);
  }
}

static void reference(const ref_format *f, unsigned m, const uint64_t in[3], uint64_t out[OPS]) {
  unsigned rnd = ISA_RND_RN + m;
  out[0] = ref_add(f, in[0], in[1], rnd);
  out[1] = ref_mul(f, in[0], in[1], rnd);
  out[2] = ref_div(f, in[0], in[1], rnd);
  out[3] = ref_sqrt(f, in[0], rnd);
  out[4] = ref_fma(f, in[0], in[1], in[2], rnd);
  out[5] = ref_integral(f, in[0], ISA_RND_RNI + m);
}

static void test_f32(void **state) {
  (void)state;
  bench b = {.seed = 5};
  dice d = dice_new(&b, 1);
  for (unsigned n = 0; n < ROUNDS; n++) {
    uint64_t in[3], want[OPS];
    uint32_t bits[3], got[OPS];
    for (unsigned k = 0; k < 3; k++)
      bits[k] = (uint32_t)(in[k] = dice_float(&d, ISA_TYPE_F32));
    host32(n % 4, bits, got);
    reference(&ref_f32, n % 4, in, want);
    for (unsigned k = 0; k < OPS; k++)
      same32(names[k], n % 4, bits, want[k], got[k]);
  }
}

static void test_f64(void **state) {
  (void)state;
  bench b = {.seed = 6};
  dice d = dice_new(&b, 2);
  for (unsigned n = 0; n < ROUNDS; n++) {
    uint64_t in[3], want[OPS], got[OPS];
    for (unsigned k = 0; k < 3; k++)
      in[k] = dice_float(&d, ISA_TYPE_F64);
    host64(n % 4, in, got);
    reference(&ref_f64, n % 4, in, want);
    for (unsigned k = 0; k < OPS; k++)
      same64(names[k], n % 4, in, want[k], got[k]);
  }
}

static void test_convert(void **state) {
  (void)state;
  bench b = {.seed = 7};
  dice d = dice_new(&b, 3);
  for (unsigned n = 0; n < ROUNDS; n++) {
    uint64_t in[3] = {dice_float(&d, ISA_TYPE_F64), dice_int(&d, 64), 0};
    double wide;
    memcpy(&wide, &in[0], 8);
    volatile double from = wide;
    volatile int64_t integer = (int64_t)in[1];
    volatile float narrow[2];
    volatile double exact;
    fesetround(modes[n % 4]);
    narrow[0] = (float)from, narrow[1] = (float)integer, exact = (double)integer;
    fesetround(FE_TONEAREST);
    float f0 = narrow[0], f1 = narrow[1];
    double f2 = exact;
    uint64_t got[3] = {0, 0, 0};
    memcpy(&got[0], &f0, 4);
    memcpy(&got[1], &f1, 4);
    memcpy(&got[2], &f2, 8);
    unsigned rnd = ISA_RND_RN + n % 4;
    uint64_t size = integer < 0 ? -(uint64_t)integer : (uint64_t)integer;
    uint64_t narrowed = ref_convert(&ref_f32, &ref_f64, in[0], rnd);
    if (!ref_is_nan(&ref_f32, narrowed))
      same64("f64 to f32", n % 4, in, narrowed, got[0]);
    same64("s64 to f32", n % 4, in, ref_from_int(&ref_f32, integer < 0, size, rnd), got[1]);
    same64("s64 to f64", n % 4, in, ref_from_int(&ref_f64, integer < 0, size, rnd), got[2]);
    if (fabs(wide) < 9e18) {
      fesetround(modes[n % 4]);
      volatile long long rounded = llrint(from);
      fesetround(FE_TONEAREST);
      same64("f64 to s64", n % 4, in,
             ref_to_int(&ref_f64, in[0], ISA_TYPE_S64, ISA_RND_RNI + n % 4), (uint64_t)rounded);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_f32), cmocka_unit_test(test_f64),
                                     cmocka_unit_test(test_convert)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
