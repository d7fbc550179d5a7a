// SPDX-License-Identifier: Apache-2.0
// The section of addresses (affine.h): what is written comes back; whatever else stands there is
// refused, or is a section whose every index is within its tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/affine.h"
#include "csim/isa/isa.h"

enum { KERNELS = 2 };

static affine_term terms[] = {
    {4, {{AFFINE_TID, 5, 0}, {AFFINE_NTID, 0, 2}}},
    {1, {{AFFINE_ARGUMENT, ISA_TYPE_U32, 8}, {AFFINE_LOOP, 0, 1}}},
    {-3, {{AFFINE_CTAID, 0, 1}}},
};
static affine_range ranges[] = {{0, UINT32_MAX, 0, 2}, {-5, 5, 1, 2}};
static affine_access accesses[] = {{8, 0, 3, 0, 2, AFFINE_IS, 0, 0},
                                   {16, 0, 0, 0, 0, AFFINE_PATHS, 8, 0}};
static affine_loop loops[] = {{0, 8}, {16, 24}};
static const affine_kernel kernels[KERNELS] = {
    {terms, ranges, accesses, loops, 3, 2, 2, 2},
    {NULL, NULL, NULL, NULL, 0, 0, 0, 0},
};

static uint8_t *section(size_t *bytes) {
  uint8_t *all = affine_write(kernels, KERNELS, bytes);
  assert_non_null(all);
  return all;
}

static affine_read_result read_some(const uint8_t *from, size_t bytes, affine_kernel *to) {
  memset(to, 0, KERNELS * sizeof *to);
  return affine_read(from, bytes, to, KERNELS);
}

static void free_all(affine_kernel *k) {
  for (unsigned n = 0; n < KERNELS; n++)
    affine_free(&k[n]);
}

static void comes_back(void **state) {
  (void)state;
  size_t bytes;
  uint8_t *all = section(&bytes);
  affine_kernel got[KERNELS];
  assert_int_equal(read_some(all, bytes, got), AFFINE_READ);
  assert_int_equal(got[0].n_terms, 3);
  assert_memory_equal(got[0].terms, terms, sizeof terms);
  assert_memory_equal(got[0].ranges, ranges, sizeof ranges);
  assert_memory_equal(got[0].accesses, accesses, sizeof accesses);
  assert_memory_equal(got[0].loops, loops, sizeof loops);
  assert_int_equal(got[1].n_terms + got[1].n_accesses + got[1].n_loops, 0);
  assert_ptr_equal(affine_at(&got[0], 16), &got[0].accesses[1]);
  assert_null(affine_at(&got[0], 12));
  free_all(got);
  free(all);
}

static void cut(void **state) {
  (void)state;
  size_t bytes;
  uint8_t *all = section(&bytes);
  affine_kernel got[KERNELS];
  for (size_t n = 0; n < bytes; n++) {
    uint8_t *part = malloc(n + 1);  // so that a sanitizer sees a read behind it
    assert_non_null(part);
    memcpy(part, all, n);
    assert_int_equal(read_some(part, n, got), AFFINE_DAMAGED);
    free(part);
  }
  uint8_t *longer = calloc(1, bytes + 1);
  memcpy(longer, all, bytes);
  assert_int_equal(read_some(longer, bytes + 1, got), AFFINE_DAMAGED);
  free(longer);
  free(all);
}

static void other_version(void **state) {
  (void)state;
  size_t bytes;
  uint8_t *all = section(&bytes);
  affine_kernel got[KERNELS];
  all[0]++;
  assert_int_equal(read_some(all, bytes, got), AFFINE_OTHER);
  assert_int_equal(got[0].n_accesses, 0);
  free(all);
}

static void other_count_of_kernels(void **state) {
  (void)state;
  size_t bytes;
  uint8_t *all = section(&bytes);
  affine_kernel got[KERNELS] = {0};
  assert_int_equal(affine_read(all, bytes, got, KERNELS - 1), AFFINE_DAMAGED);
  free(all);
}

#define DAMAGED(what, field, value)                               \
  do {                                                            \
    const __typeof__(what) kept = what;                           \
    what.field = value;                                           \
    size_t bytes;                                                 \
    uint8_t *all = section(&bytes);                               \
    affine_kernel got[KERNELS];                                   \
    assert_int_equal(read_some(all, bytes, got), AFFINE_DAMAGED); \
    assert_int_equal(got[0].n_accesses, 0);                       \
    free(all);                                                    \
    what = kept;                                                  \
  } while (0)

static void out_of_bounds(void **state) {
  (void)state;
  DAMAGED(terms[0], of[0].kind, AFFINE_KINDS);
  DAMAGED(terms[0], of[0].index, 3);
  DAMAGED(terms[0], of[0].shift, 32);
  DAMAGED(terms[0], of[1].index, 3);
  DAMAGED(terms[1], of[0].shift, ISA_TYPES);
  DAMAGED(terms[1], of[1].index, 2);
  DAMAGED(ranges[0], first, 2);
  DAMAGED(ranges[1], terms, UINT32_MAX);
  DAMAGED(accesses[0], first, 1);
  DAMAGED(accesses[0], terms, UINT32_MAX);
  DAMAGED(accesses[0], first_range, 1);
  DAMAGED(accesses[0], ranges, 3);
  DAMAGED(accesses[0], reason, AFFINE_REASONS);
  DAMAGED(accesses[1], pc, 8);
}

// Any byte with any of its bits the other way: refused, or it can be used.
static void bits(void **state) {
  (void)state;
  static const uint8_t params[16] = {1, 2, 3};
  static const uint32_t counts[2] = {1, 2};
  size_t bytes;
  uint8_t *all = section(&bytes);
  for (size_t n = 0; n < bytes * 8; n++) {
    affine_kernel got[KERNELS];
    all[n / 8] ^= (uint8_t)(1 << n % 8);
    if (read_some(all, bytes, got) == AFFINE_READ) {
      const affine_point p = {.params = params,
                              .param_bytes = sizeof params,
                              .ntid = {1, 1, 1},
                              .nctaid = {1, 1, 1},
                              .loops = counts,
                              .n_loops = 2};
      uint64_t address;
      for (uint32_t a = 0; a < got[0].n_accesses; a++)
        affine_address(&got[0], &got[0].accesses[a], &p, &address);
      free_all(got);
    }
    all[n / 8] ^= (uint8_t)(1 << n % 8);
  }
  free(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comes_back),    cmocka_unit_test(cut),
      cmocka_unit_test(other_version), cmocka_unit_test(other_count_of_kernels),
      cmocka_unit_test(out_of_bounds), cmocka_unit_test(bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
