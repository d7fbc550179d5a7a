// SPDX-License-Identifier: Apache-2.0
// The lane kernels of the machine are compiled for any host and for AVX2 with FMA; both must give
// the same bits, NaNs included. test_ops checks those that this host's machine uses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "csim/isa/lanes.h"
#include "rig.h"

#if defined(__x86_64__)
enum { ROUNDS = 40, WORDS = 4 * ISA_LANES };

typedef struct bed {
  dice d;
  unsigned kernels;
} bed;

static unsigned operand_type(const isa_inst *i, unsigned operand) {
  unsigned width = isa_ops[i->op].width[operand];
  return width == ISA_W_T    ? i->type
         : width == ISA_W_T2 ? i->type2
         : width == ISA_W_W  ? ISA_TYPE_B64
                             : ISA_TYPE_B32;
}

static void fill(bed *x, const isa_inst *i, unsigned operand, uint32_t *words) {
  for (unsigned k = 0; k < WORDS; k++)
    words[k] = (uint32_t)dice_u64(&x->d);
  for (unsigned lane = 0; lane < ISA_LANES; lane++) {
    uint64_t v = dice_operand(&x->d, operand_type(i, operand));
    words[lane] = (uint32_t)v;
    words[lane + ISA_LANES] = (uint32_t)(v >> 32);
  }
}

static void compare(bed *x, const isa_inst *i) {
  _Alignas(64) uint32_t in[3][WORDS], d[2][WORDS];
  lanes_fn any = lanes_any.find(i), fast = lanes_avx2.find(i);
  bool setp = i->op == ISA_OP_SETP;
  lanes_cmp_fn any_cmp = setp ? lanes_any.find_cmp(i) : NULL;
  lanes_cmp_fn fast_cmp = setp ? lanes_avx2.find_cmp(i) : NULL;
  assert_true(!any == !fast && !any_cmp == !fast_cmp);
  x->kernels += any || any_cmp;
  for (unsigned n = 0; n < ROUNDS && (any || any_cmp); n++) {
    for (unsigned k = 0; k < 3; k++)
      fill(x, i, k + 1, in[k]);
    memset(d, 0, sizeof d);
    if (any) {
      any(d[0], in[0], in[1], in[2], i);
      fast(d[1], in[0], in[1], in[2], i);
    } else {
      d[0][0] = any_cmp(in[0], in[1], i);
      d[1][0] = fast_cmp(in[0], in[1], i);
    }
    for (unsigned k = 0; k < WORDS; k++)
      if (d[0][k] != d[1][k]) {
        inst_print(i);
        printf("lane %u: 0x%08x 0x%08x 0x%08x give 0x%08x, with AVX2 0x%08x\n", k % ISA_LANES,
               in[0][k], in[1][k], in[2][k], d[0][k], d[1][k]);
        fail();
      }
  }
}

static void each(void *ctx, const isa_inst *proto) {
  for (unsigned n = 0; n < 4; n++) {
    isa_inst i = *proto;
    i.ftz = n & 1, i.sat = n >> 1;
    i.imm = i.op == ISA_OP_LOP3 ? 0x6a : 0;
    if (!isa_check(&i))
      compare(ctx, &i);
  }
}

static void test_same(void **state) {
  (void)state;
  bench b = {.seed = 1};
  bed x = {.d = dice_new(&b, 99)};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    skip();
  for (unsigned op = 0; op < 256; op++)
    inst_each(op, each, &x);
  printf("%u kernels\n", x.kernels);
  assert_true(x.kernels > 50);
}
#else
static void test_same(void **state) {
  (void)state;
  skip();  // one table only
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
