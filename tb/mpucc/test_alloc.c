// SPDX-License-Identifier: Apache-2.0
// Register allocation: random programs leave the same memory after the passes as before, at any
// number of registers and with each policy, and every operand has a place where it is needed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "mir_eval.h"

// Registers of an allocated kernel are in range, aligned, and on the sides that operands need.
static void check_places(const mir_kernel *k, uint32_t max) {
  uint32_t both = k->regs_both, near = k->regs_near, far = k->regs_far;
  assert_true(both + near <= max && both + far <= max && both + near + far <= ISA_RZ);
  assert_true(k->preds <= ISA_PT);
  assert_int_equal(k->local_bytes % 16, 0);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const isa_inst *i = &k->blocks[b].insts[j].i;
      const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
      const isa_reg preds[4] = {i->guard, i->pd, i->pq, i->ps};
      for (unsigned o = 0; o < 4; o++) {
        unsigned words = isa_words(i, o), sides = isa_sides(i, o, k->dies);
        assert_true(preds[o] == ISA_PT || preds[o] < k->preds);
        if (!words || regs[o] == ISA_RZ)
          continue;
        assert_int_equal(regs[o] % words, 0);
        for (isa_reg r = regs[o]; r < regs[o] + words; r++) {
          assert_true(r < both + near + far);
          assert_true(!(sides & ISA_NEAR) || r < both + near);
          assert_true(!(sides & ISA_FAR) || r < both || r >= both + near);
        }
      }
    }
}

static void run_passes(mir_module *m, mir_policy policy, uint32_t max, const eval *want,
                       uint32_t seed) {
  eval *got = mem_new(1, sizeof *got);
  diag *d = diag_new("test", "", 0);
  void (*const first[])(mir_module *) = {mir_simplify, mir_reconverge};
  for (unsigned p = 0; p < 2; p++) {
    first[p](m);
    mir_verify(m);
    if (!eval_kernel(got, &m->kernels[0], 99) || !eval_same(want, got))
      fail_msg("seed %u: pass %u changes the result", seed, p);
  }
  if (seed % 3)
    mir_near_predicates(m, policy, NULL);
  mir_locate(m, policy, NULL);
  mir_verify(m);
  if (seed % 2)
    mir_reorder(m, 0);
  mir_verify(m);
  if (!eval_kernel(got, &m->kernels[0], 5) || !eval_same(want, got))
    fail_msg("seed %u policy %u: predicates or order change the result", seed, policy);
  if (!mir_allocate(m, max, seed % 4 > 1, d))
    fail_msg("seed %u policy %u max %u: %s", seed, policy, max, diag_first(d));
  mir_verify(m);
  check_places(&m->kernels[0], max ? max : 254);
  if (!eval_kernel(got, &m->kernels[0], 7) || !eval_same(want, got))
    fail_msg("seed %u policy %u max %u: allocation changes the result", seed, policy, max);
  diag_free(d);
  free(got);
}

static void random_programs(uint32_t first, uint32_t count, unsigned size, unsigned wide) {
  static const uint32_t limits[] = {8, 16, 32, 0};
  eval *want = mem_new(1, sizeof *want);
  for (uint32_t seed = first; seed < first + count; seed++) {
    mir_module *m = make_module(seed, size, wide);
    mir_verify(m);
    assert_true(eval_kernel(want, &m->kernels[0], 3));
    mir_module_free(m);
    for (unsigned l = 0; l < 4; l++) {
      m = make_module(seed, size, wide);
      run_passes(m, (mir_policy)((seed + l) % 4), limits[l], want, seed);
      mir_module_free(m);
    }
  }
  free(want);
}

static void small_programs(void **state) {
  (void)state;
  random_programs(1, 150, 12, 4);
}

static void middle_programs(void **state) {
  (void)state;
  random_programs(1000, 60, 60, 12);
}

static void large_programs(void **state) {
  (void)state;
  random_programs(2000, 12, 250, 60);
}

// A spilled destination whose guard the instruction itself overwrites is stored by all lanes, so
// it has to be loaded first.
static void guard_that_is_overwritten(void **state) {
  (void)state;
  mir_module *m = mir_module_new();
  mir_kernel *k = mir_kernel_add(m, "k");
  const mir_place at = {1, 0, 0};
  isa_reg v[12], p = mir_pred_new(k);
  mir_block_add(k, "a");
  isa_inst i = isa_inst_new(ISA_OP_ACTIVEMASK, ISA_TYPE_B32);
  for (unsigned n = 0; n < 12; n++) {
    v[n] = i.d = mir_vreg_new(k, 1, NULL);
    mir_append(k, 0, i, at);
  }
  i = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
  i.a = v[0];
  i.pd = p;
  mir_append(k, 0, i, at);
  for (unsigned n = 0; n < 12; n++) {
    i = isa_inst_new(ISA_OP_SHFL, ISA_TYPE_B32);
    i.d = v[n];
    i.a = v[(n + 1) % 12];
    i.pd = i.guard = p;
    mir_append(k, 0, i, at);
  }
  for (unsigned n = 0; n < 12; n++) {
    i = isa_inst_new(ISA_OP_ST, ISA_TYPE_B32);
    i.space = ISA_SPACE_SHARED;
    i.imm = 4 * n;
    i.b = v[n];
    mir_append(k, 0, i, at);
  }
  mir_append(k, 0, isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE), at);
  diag *d = diag_new("test", "", 0);
  mir_reconverge(m);
  mir_locate(m, MIR_LOCATE_FAR, NULL);
  assert_true(mir_allocate(m, 8, false, d));
  mir_verify(m);
  unsigned stores = 0;
  k = &m->kernels[0];
  for (uint32_t j = 1; j < k->blocks[0].count; j++) {
    const isa_inst *s = &k->blocks[0].insts[j].i, *before = &k->blocks[0].insts[j - 1].i;
    if (s->op != ISA_OP_ST || s->space != ISA_SPACE_LOCAL || before->op != ISA_OP_SHFL)
      continue;
    stores++;
    assert_int_equal(s->guard, ISA_PT);
    bool loaded = false;
    for (uint32_t n = 2; n <= 4 && n <= j; n++) {
      const isa_inst *load = &k->blocks[0].insts[j - n].i;
      loaded |= load->op == ISA_OP_LD && load->imm == s->imm && load->d == s->b;
    }
    assert_true(loaded);
  }
  assert_true(stores > 0);
  diag_free(d);
  mir_module_free(m);
}

// What cannot fit is an error that names the kernel and what it needs.
static void too_few_registers(void **state) {
  (void)state;
  mir_module *m = make_module(1, 20, 8);
  diag *d = diag_new("test", "", 0);
  mir_simplify(m);
  mir_locate(m, MIR_LOCATE_NONE, NULL);
  assert_false(mir_allocate(m, 3, false, d));
  assert_non_null(strstr(diag_first(d), "kernel random does not fit in 3 registers; it needs at "));
  diag_free(d);
  mir_module_free(m);
}

// The moves that a loop's values need vanish.
// A kernel that says how large its blocks are fits a core with one of them: 256 threads are two
// warps of a subcore, whose files have room for 64 near and 128 far registers of each.
static void blocks_fit(void **state) {
  (void)state;
  static const uint32_t threads[] = {1024, 512, 256}, near[] = {16, 32, 64};
  eval *want = mem_new(1, sizeof *want);
  for (unsigned n = 0; n < 3; n++) {
    mir_module *m = make_module(2000, 250, 60);
    mir_kernel *k = m->kernels;
    assert_true(eval_kernel(want, k, 3));
    assert_int_equal(mir_room(k, 0), UINT32_MAX);
    k->max_threads = threads[n];
    assert_int_equal(mir_room(k, 0), near[n]);
    assert_int_equal(mir_room(k, 1), 2 * near[n]);
    run_passes(m, MIR_LOCATE_PAPER, 0, want, 2000);
    assert_true(k->regs_both + k->regs_near <= (int)near[n]);
    assert_true(k->regs_both + k->regs_far <= (int)(2 * near[n]));
    mir_module_free(m);
  }
  free(want);
}

static void moves_vanish(void **state) {
  (void)state;
  mir_module *m = mir_module_new();
  mir_kernel *k = mir_kernel_add(m, "k");
  const mir_place at = {1, 0, 0};
  isa_reg a = mir_vreg_new(k, 2, NULL), b = mir_vreg_new(k, 2, NULL), c = mir_vreg_new(k, 2, NULL);
  isa_inst i = isa_inst_new(ISA_OP_LD, ISA_TYPE_B64);
  mir_block_add(k, "a");
  i.space = ISA_SPACE_PARAM;
  i.d = a;
  mir_append(k, 0, i, at);
  i = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B64);
  i.d = b;
  i.a = a;
  mir_append(k, 0, i, at);
  i.d = c;
  i.a = b;
  mir_append(k, 0, i, at);
  i = isa_inst_new(ISA_OP_ST, ISA_TYPE_B64);
  i.space = ISA_SPACE_LOCAL;
  i.b = c;
  k->local_bytes = 16;
  mir_append(k, 0, i, at);
  mir_append(k, 0, isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE), at);
  diag *d = diag_new("test", "", 0);
  mir_locate(m, MIR_LOCATE_FAR, NULL);
  assert_true(mir_allocate(m, 0, false, d));
  k = &m->kernels[0];
  assert_int_equal(k->blocks[0].count, 3);
  assert_int_equal(k->regs_both + k->regs_near + k->regs_far, 2);
  diag_free(d);
  mir_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guard_that_is_overwritten),
      cmocka_unit_test(too_few_registers),
      cmocka_unit_test(blocks_fit),
      cmocka_unit_test(moves_vanish),
      cmocka_unit_test(small_programs),
      cmocka_unit_test(middle_programs),
      cmocka_unit_test(large_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
