// SPDX-License-Identifier: Apache-2.0
// Every opcode, type, sub-operation and rounding against an independent computation.
//   test_ops [--seed N] [--only OPCODE]
// With MPU_NEAR on the timed machine, with fewer values of each form unless MPU_LONG is set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rig.h"
#include "tb/cosim/timed.h"

enum { ALU_TESTS = 256, MAX_TESTS = ALU_TESTS + 16 };

typedef struct test {
  bench *b;
  unsigned op;
  void (*run)(bench *b);
} test;

static void finish(bench *b, unsigned failures) {
  b->printed = 0;
  assert_int_equal(b->failures, failures);
}

static void run_alu(void **state) {
  test *t = *state;
  unsigned before = t->b->failures;
  ops_alu(t->b, t->op);
  finish(t->b, before);
}

static void run_other(void **state) {
  test *t = *state;
  unsigned before = t->b->failures;
  t->run(t->b);
  finish(t->b, before);
}

typedef struct tally {
  bench *b;
  unsigned legal, missing;
} tally;

static void tally_inst(void *ctx, const isa_inst *i) {
  tally *t = ctx;
  t->legal++;
  if (bench_covered(t->b, i))
    return;
  t->missing++;
  printf("not exercised: ");
  inst_print(i);
}

// What isa_check calls legal is the list; nothing of it may go untested.
static void run_coverage(void **state) {
  test *t = *state;
  tally all = {.b = t->b};
  for (unsigned op = 0; op < 256; op++)
    inst_each(op, tally_inst, &all);
  printf("%u combinations of opcode, types and sub-operation, %u not exercised, %llu checks\n",
         all.legal, all.missing, (unsigned long long)t->b->checks);
  assert_true(all.legal > 0);
  assert_int_equal(all.missing, 0);
}

int main(int argc, char **argv) {
  near_mode mode;
  bench b = {.seed = 1, .program = argv[0], .brief = timed_mode(&mode) && !getenv("MPU_LONG")};
  const char *only = NULL;
  for (int k = 1; k < argc; k += 2) {
    if (k + 1 < argc && strcmp(argv[k], "--seed") == 0) {
      b.seed = strtoull(argv[k + 1], NULL, 0);
    } else if (k + 1 < argc && strcmp(argv[k], "--only") == 0) {
      only = argv[k + 1];
    } else {
      fprintf(stderr, "usage: %s [--seed N] [--only OPCODE]\n", argv[0]);
      return 2;
    }
  }
  b.covered = calloc(256 << 12, 1);
  static const struct {
    const char *name;
    void (*run)(bench *b);
  } others[] = {{"memory", ops_memory}, {"atomics", ops_atomics}, {"warp", ops_warp},
                {"sreg", ops_sreg},     {"control", ops_control}, {"barrier", ops_barrier}};
  struct CMUnitTest tests[MAX_TESTS] = {{0}};
  test states[MAX_TESTS];
  size_t n = 0;
  for (unsigned op = 0; op < 256; op++)
    if (ops_alu_has(op) && (!only || strcmp(only, isa_ops[op].name) == 0)) {
      states[n] = (test){&b, op, NULL};
      tests[n] = (struct CMUnitTest){isa_ops[op].name, run_alu, NULL, NULL, &states[n]};
      n++;
    }
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (!only || strcmp(only, others[k].name) == 0) {
      states[n] = (test){&b, 0, others[k].run};
      tests[n] = (struct CMUnitTest){others[k].name, run_other, NULL, NULL, &states[n]};
      n++;
    }
  if (!only) {
    states[n] = (test){&b, 0, NULL};
    tests[n] = (struct CMUnitTest){"coverage", run_coverage, NULL, NULL, &states[n]};
    n++;
  }
  int failed = _cmocka_run_group_tests("ops", tests, n, NULL, NULL);
  free(b.covered);
  return failed != 0;
}
