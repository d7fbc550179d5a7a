// SPDX-License-Identifier: Apache-2.0
// The fast assignment gives what the literal one of the thesis gives, for random sets, budgets and
// places; and a mapping has every row that has elements once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/machines/spacea/map/assign.h"
#include "harness/machines/spacea/map/mapping.h"
#include "harness/machines/spacea/matrix/random.h"

enum { CASES = 3000, SETS = 120, COLS = 40, BINS = 80 };

// Some have more elements than columns, as with lines.
static void random_sets(dice *d, column_sets *s, uint64_t *begin, uint32_t *col, uint64_t *count) {
  const uint32_t cols = 1 + dice_below(d, COLS), n = 1 + dice_below(d, SETS);
  const uint32_t most = 1 + dice_below(d, cols);
  uint64_t at = 0;
  for (uint32_t k = 0; k < n; k++) {
    begin[k] = at;
    const uint32_t first = dice_below(d, cols), length = dice_below(d, most + 1);
    for (uint32_t c = 0; c < cols; c++)
      if ((c + cols - first) % cols < length && dice_below(d, 4))
        col[at++] = c;
  }
  begin[n] = at;
  count[0] = 0;
  for (uint32_t k = 0; k < n; k++)
    count[k + 1] = count[k] + (begin[k + 1] - begin[k]) * (1 + dice_below(d, 4));
  *s = (column_sets){n, cols, begin, col, dice_below(d, 2) ? count : NULL};
}

static void as_the_thesis_has_it(void **state) {
  (void)state;
  static uint64_t begin[SETS + 1], count[SETS + 1];
  static uint32_t col[SETS * COLS], order[SETS], fast[SETS], literal[SETS];
  dice d = {7};
  unsigned beyond = 0, ordered = 0, full = 0;
  for (unsigned k = 0; k < CASES; k++) {
    column_sets s;
    random_sets(&d, &s, begin, col, count);
    dice_order(&d, order, s.n);
    assign_rule r = {1 + dice_below(&d, BINS), 0, dice_below(&d, 2), 0};
    r.budget = (double)(s.count ? count : begin)[s.n] / r.bins * (0.25 + 1.5 * dice_unit(&d));
    if (dice_below(&d, 2))
      r.places = (s.n + r.bins - 1) / r.bins;
    const bool in_order = dice_below(&d, 2);
    assert_true(assign(&s, in_order ? order : NULL, &r, fast));
    assert_true(assign_literal(&s, in_order ? order : NULL, &r, literal));
    for (uint32_t i = 0; i < s.n; i++)
      if (fast[i] != literal[i])
        fail_msg("case %u, set %u of %u: bin %u, not %u", k, i, s.n, fast[i], literal[i]);
    uint64_t weight[BINS] = {0};
    for (uint32_t i = 0; i < s.n; i++)
      if (fast[i] != UINT32_MAX)
        weight[fast[i]] += column_sets_elements(&s, i);
    for (uint32_t b = 0; b < r.bins; b++)
      beyond += (double)weight[b] > r.budget;
    ordered += in_order, full += r.places == 1;
  }
  // each of the rules counted somewhere
  assert_true(beyond > CASES && ordered > CASES / 3 && full > CASES / 20);
}

static void small(csr *m, dice *d, uint32_t rows, uint32_t cols, uint32_t entries) {
  csr_entry *e = malloc((entries + 1) * sizeof *e);
  for (uint32_t k = 0; k < entries; k++)
    e[k] = (csr_entry){dice_below(d, rows), dice_below(d, cols), 1};
  assert_true(csr_sum(m, rows, cols, e, entries));
}

static void every_row_once(void **state) {
  (void)state;
  dice d = {3};
  uint32_t rises = 0, pairs = 0;  // of rows one after another at a PE, if they are at random
  for (unsigned k = 0; k < 300; k++) {
    csr m;
    mapping p;
    const uint32_t rows = 1 + dice_below(&d, 200), cols = 1 + dice_below(&d, 200);
    small(&m, &d, rows, cols, dice_below(&d, 600));
    const mapping_machine w = {1 + dice_below(&d, 4), 1 + dice_below(&d, 7), 1 + dice_below(&d, 2)};
    const mapping_kind kinds[] = {MAPPING_SPACEA, MAPPING_NAIVE, MAPPING_NEAR, MAPPING_NAIVE};
    assert_true(mapping_make(&p, &m, &w, kinds[k % 4], k));
    assert_int_equal(p.n, w.vaults * w.groups * w.pes);
    uint8_t *seen = calloc(rows, 1);
    for (uint32_t i = 0; i < p.begin[p.n]; i++)
      assert_int_equal(seen[p.row[i]]++, 0);
    for (uint32_t r = 0; r < rows; r++)
      assert_int_equal(seen[r], m.begin[r + 1] > m.begin[r]);
    for (uint32_t pe = 0; pe < p.n; pe++)
      for (uint32_t i = p.begin[pe] + 1; i < p.begin[pe + 1]; i++)
        if (k % 2)
          rises += p.row[i - 1] < p.row[i], pairs++;
        else
          assert_true(p.row[i - 1] < p.row[i]);
    free(seen);
    mapping_free(&p), csr_free(&m);
  }
  assert_in_range(rises, pairs * 2 / 5, pairs * 3 / 5);
}

// Two blocks of rows that share no column come to two vaults, two halves of each to its groups.
static void what_belongs_together_is_together(void **state) {
  (void)state;
  csr m;
  mapping p;
  csr_entry *e = malloc(64 * sizeof *e);
  uint32_t n = 0;
  for (uint32_t r = 0; r < 16;
       r++)  // rows in turn of block 0 and 1; each has 4 columns of its block
    for (uint32_t c = 0; c < 4; c++)
      e[n++] = (csr_entry){r, r % 2 * 4 + c, 1};
  assert_true(csr_sum(&m, 16, 8, e, n));
  const mapping_machine w = {2, 2, 2};
  assert_true(mapping_make(&p, &m, &w, MAPPING_SPACEA, 1));
  const mapping_facts f = mapping_look(&p, &m);
  assert_int_equal(f.load.most, 8);
  assert_int_equal(f.vault.most, 4);
  assert_int_equal(f.group.most, 4);
  assert_int_equal(f.dram_rows, 16);
  mapping_free(&p), csr_free(&m);
}

static void one_entry_a_row(csr *m, uint32_t cols, const uint32_t *col, uint32_t rows) {
  csr_entry *e = malloc(rows * sizeof *e);
  for (uint32_t r = 0; r < rows; r++)
    e[r] = (csr_entry){r, col[r], 1};
  assert_true(csr_sum(m, rows, cols, e, rows));
}

// Columns of a line belong together for MAPPING_NEAR only; and only there a vault has rows whose
// lines of X it has.
static void lines_and_homes(void **state) {
  (void)state;
  const uint32_t lines[] = {0, 4, 5, 1}, far[] = {70, 71, 3, 2};
  for (unsigned near = 0; near < 2; near++) {
    const mapping_kind kind = near ? MAPPING_NEAR : MAPPING_SPACEA;
    csr m;
    mapping p;
    one_entry_a_row(&m, 8, lines, 4);
    assert_true(mapping_make(&p, &m, &(mapping_machine){1, 2, 1}, kind, 1));
    assert_int_equal(p.begin[1], 2);
    assert_int_equal(p.row[1] - p.row[0], near ? 3 : 2);  // rows 0 and 3, or 0 and 2
    mapping_free(&p), csr_free(&m);
    one_entry_a_row(&m, 128, far, 4);
    assert_true(mapping_make(&p, &m, &(mapping_machine){2, 1, 1}, kind, 1));
    assert_int_equal(p.begin[1], 2);
    assert_int_equal(p.row[0] == 2, near);
    mapping_free(&p), csr_free(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_the_thesis_has_it),
      cmocka_unit_test(every_row_once),
      cmocka_unit_test(lines_and_homes),
      cmocka_unit_test(what_belongs_together_is_together),
  };
  return cmocka_run_group_tests_name("assign", tests, NULL, NULL);
}
