// SPDX-License-Identifier: Apache-2.0
// Cycles by source line of small profiles: lines that moved or changed, files and kernels with
// other names, and sums.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "harness/study/diff/diff.h"

static char why[DIFF_WHY];

typedef struct source {
  const char *file, *text;  // text NULL: the profile does not have it
  unsigned line, cycles;    // cycles of each subcore, of which the half is for memory
} source;

typedef struct kernel {
  const char *symbol, *name;
  unsigned drain;
  source lines[8];
} kernel;

enum { SUBCORES = 4 };

static void put_counts(FILE *f, unsigned issue, unsigned memory, unsigned empty) {
  fputs("\"cycles\": {", f);
  const unsigned n[] = {issue, memory, empty};
  for (int k = 0; k < 3; k++)
    fprintf(f, "%s\"%s\": [%u, %u, %u, %u]", k ? ", " : "",
            k == 0   ? "issue"
            : k == 1 ? "memory"
                     : "empty",
            n[k], n[k], n[k], n[k]);
  fputs(
      "}, \"issued\": 1, \"lanes\": 2, \"near\": 0, \"far\": 1, \"moves_near\": 0, \"moves_far\": "
      "0, "
      "\"moves_zero\": 0, \"traffic\": {\"flits_down\": 3, \"rd\": 4, \"packets\": {\"RD\": 5}}",
      f);
}

// A profile in which each line has two instructions.
static diff_run *run_of(const char *name, unsigned cores, const kernel *k, size_t n) {
  char *text;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  fprintf(f, "{\"schema\": 1, \"cores\": %u, \"kernels\": [", cores);
  for (size_t i = 0; i < n; i++) {
    unsigned cycles = 7;  // without a warp
    fprintf(f, "%s{\"kernel\": \"%s\", \"name\": \"%s\", \"launches\": 1, \"instructions\": [",
            i ? ", " : "", k[i].symbol, k[i].name);
    for (const source *s = k[i].lines; s->file; s++) {
      for (unsigned half = 0; half < 2; half++) {
        fprintf(f, "%s{\"cuda_file\": \"%s\", \"cuda_line\": %u, ",
                s == k[i].lines && !half ? "" : ", ", s->file, s->line);
        put_counts(f, half ? 0 : s->cycles - s->cycles / 2, half ? s->cycles / 2 : 0, 0);
        fputc('}', f);
      }
      cycles += s->cycles;
    }
    fputs("], \"lines\": [", f);
    const char *comma = "";
    for (const source *s = k[i].lines; s->file; s++)
      if (s->text) {
        fprintf(f, "%s{\"cuda_file\": \"%s\", \"cuda_line\": %u, \"text\": \"%s\"}", comma, s->file,
                s->line, s->text);
        comma = ", ";
      }
    fputs("], \"others\": {\"no_warp\": {\"what\": \"no warp\", ", f);
    put_counts(f, 0, 0, 7);
    // counters are sums over cores; cycles of one core or of four are as many in the mean
    fprintf(f, "}}, \"run_cycles\": %u, \"drain_cycles\": %u}", cycles / cores - k[i].drain,
            k[i].drain);
  }
  fputs("]}", f);
  fclose(f);
  diff_run *r = diff_run_new(name, NULL);
  if (!diff_run_add(r, name, text, bytes, why) || !diff_run_complete(r, why))
    fail_msg("%s", why);
  free(text);
  return r;
}

typedef struct pair {
  diff_run *a, *b;
  diff *d;
} pair;

static pair pair_of(const kernel *a, size_t na, const kernel *b, size_t nb) {
  pair p = {run_of("a", 1, a, na), run_of("b", 1, b, nb), NULL};
  p.d = diff_new(p.a, p.b, why);
  if (!p.d)
    fail_msg("%s", why);
  assert_true(p.d->lines.known);
  return p;
}

static void done(pair p) {
  diff_free(p.d);
  diff_run_free(p.a);
  diff_run_free(p.b);
}

// The rows add up to the kernel, and the kernels to the cycles of the run.
static void adds_up(const diff *d) {
  int64_t all[2] = {0, 0};
  for (size_t k = 0; k < d->lines.n; k++)
    for (int s = 0; s < 2; s++) {
      int64_t sum = 0;
      for (size_t n = 0; n < d->lines.all[k].n; n++)
        sum += d->lines.all[k].lines[n].cycles[s];
      assert_int_equal(sum, d->lines.all[k].cycles[s]);
      all[s] += sum;
    }
  assert_int_equal(all[0], d->parts.cycles[0]);
  assert_int_equal(all[1], d->parts.cycles[1]);
}

static void row_is(const diff_kernel *k, const char *where, const char *how, int64_t a, int64_t b) {
  for (size_t n = 0; n < k->n; n++)
    if (strcmp(k->lines[n].where, where) == 0) {
      assert_string_equal(k->lines[n].how, how);
      assert_int_equal(k->lines[n].cycles[0], SUBCORES * a);
      assert_int_equal(k->lines[n].cycles[1], SUBCORES * b);
      return;
    }
  for (size_t n = 0; n < k->n; n++)
    print_message("  %s\n", k->lines[n].where);
  fail_msg("no row '%s'", where);
}

static void by_number(void **state) {
  (void)state;
  const kernel
      a = {"k", "k", 2, {{"/x/k.cu", NULL, 3, 10}, {"/x/k.cu", NULL, 5, 20}, {"", NULL, 0, 4}}},
      b = {"k", "k", 1, {{"/x/k.cu", NULL, 3, 90}, {"/x/k.cu", NULL, 6, 20}, {"", NULL, 0, 5}}};
  pair p = pair_of(&a, 1, &b, 1);
  const diff_kernel *k = p.d->lines.all;
  adds_up(p.d);
  row_is(k, "k.cu:3", "", 10, 90);
  row_is(k, "k.cu:5", "only in A", 20, 0);
  row_is(k, "k.cu:6", "only in B", 0, 20);
  row_is(k, "no line", "", 4, 5);
  row_is(k, "no warp", "", 7, 7);
  row_is(k, "drain (counted without a warp)", "", -2, -1);
  assert_int_equal(k->n, 6);
  assert_string_equal(k->lines[0].where, "k.cu:3");  // the largest difference
  assert_int_equal(k->lines[0].cause[DIFF_MEMORY][1], SUBCORES * 45);
  done(p);
}

static void moved_and_changed(void **state) {
  (void)state;
  const kernel a = {"k",
                    "k",
                    0,
                    {{"k.cu", "if (x)", 3, 10},
                     {"k.cu", "  f();", 4, 20},
                     {"k.cu", "f();", 6, 21},
                     {"k.cu", "y = 1;", 7, 30},
                     {"k.cu", "end", 9, 40}}},
               b = {"k",
                    "k",
                    0,
                    {{"k.cu", "new();", 2, 5},
                     {"k.cu", "if (x)", 5, 11},
                     {"k.cu", "f();", 6, 22},
                     {"k.cu", "\\tf();", 8, 23},
                     {"k.cu", "y = 2;", 9, 33},
                     {"k.cu", "end", 11, 44}}};
  pair p = pair_of(&a, 1, &b, 1);
  const diff_kernel *k = p.d->lines.all;
  adds_up(p.d);
  row_is(k, "k.cu:2", "only in B", 0, 5);
  row_is(k, "k.cu:3 -> 5", "moved", 10, 11);
  row_is(k, "k.cu:4 -> 6", "moved", 20, 22);  // the same text, in order; blanks do not count
  row_is(k, "k.cu:6 -> 8", "moved", 21, 23);
  row_is(k, "k.cu:7 -> 9", "changed", 30, 33);
  row_is(k, "k.cu:9 -> 11", "moved", 40, 44);
  done(p);
}

static void a_line_that_went(void **state) {
  (void)state;
  const kernel a = {"k",
                    "k",
                    0,
                    {{"k.cu", "one", 3, 10}, {"k.cu", "two", 4, 20}, {"k.cu", "three", 5, 30}}},
               b = {"k", "k", 0, {{"k.cu", "one", 3, 10}, {"k.cu", "three", 4, 31}}};
  pair p = pair_of(&a, 1, &b, 1);
  adds_up(p.d);
  row_is(p.d->lines.all, "k.cu:3", "", 10, 10);
  row_is(p.d->lines.all, "k.cu:4", "only in A", 20, 0);
  row_is(p.d->lines.all, "k.cu:5 -> 4", "moved", 30, 31);
  done(p);
}

// A line without instructions in one of the profiles, in a file that has not changed.
static void a_file_that_stayed(void **state) {
  (void)state;
  const kernel a = {"k",
                    "k",
                    0,
                    {{"k.cu", "x", 2, 10},
                     {"k.cu", "f()", 5, 1},
                     {"k.cu", "x", 9, 20},
                     {"k.cu", "y", 11, 3}}},
               b = {"k",
                    "k",
                    0,
                    {{"k.cu", "f()", 5, 2}, {"k.cu", "x", 9, 21}, {"k.cu", "z", 12, 4}}};
  pair p = pair_of(&a, 1, &b, 1);
  adds_up(p.d);
  row_is(p.d->lines.all, "k.cu:2", "only in A", 10, 0);
  row_is(p.d->lines.all, "k.cu:5", "", 1, 2);
  row_is(p.d->lines.all, "k.cu:9", "", 20, 21);
  row_is(p.d->lines.all, "k.cu:11", "only in A", 3, 0);
  row_is(p.d->lines.all, "k.cu:12", "only in B", 0, 4);
  done(p);
  // two texts of a kind, of which one has no instructions any more: the one that stays is matched
  const kernel c = {"k", "k", 0, {{"k.cu", "x", 2, 10}, {"k.cu", "x", 9, 20}}},
               d = {"k", "k", 0, {{"k.cu", "x", 9, 21}}}, e = {"k", "k", 0, {{"k.cu", "x", 2, 11}}};
  p = pair_of(&c, 1, &d, 1);
  row_is(p.d->lines.all, "k.cu:9", "", 20, 21);
  done(p);
  p = pair_of(&c, 1, &e, 1);
  row_is(p.d->lines.all, "k.cu:2", "", 10, 11);
  done(p);
}

static void files(void **state) {
  (void)state;
  const kernel
      a = {"k", "k", 0, {{"/a/h.h", "x", 1, 2}, {"/a/k.cu", "one", 3, 10}, {"/c/h.h", "y", 1, 3}}},
      b = {"k", "k", 0, {{"/b/h.h", "x", 1, 5}, {"/b/l.cu", "one", 4, 10}, {"/c/h.h", "y", 1, 7}}};
  pair p = pair_of(&a, 1, &b, 1);
  adds_up(p.d);
  // the path, then the name, then what remains
  assert_int_equal(p.d->lines.all[0].n, 4);
  row_is(p.d->lines.all, "k.cu:3 -> l.cu:4", "moved", 10, 10);
  int seen = 0;
  for (size_t n = 0; n < 4; n++) {
    const diff_line *l = &p.d->lines.all[0].lines[n];
    if (!strcmp(l->where, "h.h:1"))
      seen += (l->cycles[0] == SUBCORES * 2 && l->cycles[1] == SUBCORES * 5) ||
              (l->cycles[0] == SUBCORES * 3 && l->cycles[1] == SUBCORES * 7);
  }
  assert_int_equal(seen, 2);
  done(p);
}

static void kernels(void **state) {
  (void)state;
  const kernel a[] = {{"s1", "f", 0, {{"k.cu", "1", 1, 10}}},
                      {"s2", "g", 0, {{"k.cu", "2", 2, 20}}},
                      {"s3", "h", 0, {{"k.cu", "3", 3, 30}}}},
               b[] = {{"s9", "h", 0, {{"k.cu", "3", 3, 33}}},
                      {"s2", "g", 0, {{"k.cu", "2", 2, 99}}},
                      {"s8", "new", 0, {{"k.cu", "1", 1, 11}}},
                      {"s7", "more", 0, {{"k.cu", "4", 4, 1}}}};
  pair p = pair_of(a, 3, b, 4);
  adds_up(p.d);
  const diff_lines *l = &p.d->lines;
  assert_int_equal(l->n, 5);
  assert_string_equal(l->all[0].name[0], "g");  // the largest difference
  size_t both = 0, only = 0;
  for (size_t k = 0; k < l->n; k++) {
    both += l->all[k].name[0] && l->all[k].name[1];
    only += l->all[k].name[0] && !l->all[k].name[1] && !strcmp(l->all[k].name[0], "f");
  }
  assert_int_equal(both, 2);
  assert_int_equal(only, 1);
  done(p);
  // one is left on both sides: it has another name
  p = pair_of(a, 2, b + 1, 2);
  adds_up(p.d);
  assert_int_equal(p.d->lines.n, 2);
  assert_string_equal(p.d->lines.all[1].name[0], "f");
  assert_string_equal(p.d->lines.all[1].name[1], "new");
  row_is(&p.d->lines.all[1], "k.cu:1", "", 10, 11);
  done(p);
}

static void other_numbers_of_cores(void **state) {
  (void)state;
  const kernel a = {"k", "k", 1, {{"k.cu", "1", 1, 14}}}, b = {"k", "k", 1, {{"k.cu", "1", 1, 20}}};
  pair p = {run_of("a", 1, &a, 1), run_of("b", 3, &b, 1), NULL};
  p.d = diff_new(p.a, p.b, why);
  assert_int_equal(p.d->lines.per_cycle, 12);
  adds_up(p.d);
  const diff_line *l = NULL;
  for (size_t n = 0; n < p.d->lines.all[0].n; n++)
    if (!strcmp(p.d->lines.all[0].lines[n].where, "k.cu:1"))
      l = &p.d->lines.all[0].lines[n];
  assert_non_null(l);
  assert_int_equal(l->cycles[0], 14 * 12);
  assert_int_equal(l->cycles[1], 20 * 4);  // four subcores of twelve
  done(p);
}

// Sums of a profile have the names of statistics.
static void counters(void **state) {
  (void)state;
  const kernel a = {"k", "k", 0, {{"k.cu", "1", 1, 14}}};
  pair p = pair_of(&a, 1, &a, 1);
  assert_true(*values_find(&p.a->counters, "core.subcores.issued") == 3);
  assert_true(*values_find(&p.a->counters, "core.nbus.flits_down") == 9);
  assert_true(*values_find(&p.a->counters, "core.nbus.banks.rd") == 12);
  assert_true(*values_find(&p.a->counters, "core.nbus.packets_down.RD") == 15);
  assert_true(p.d->same);
  done(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_number),
      cmocka_unit_test(moved_and_changed),
      cmocka_unit_test(a_line_that_went),
      cmocka_unit_test(a_file_that_stayed),
      cmocka_unit_test(files),
      cmocka_unit_test(kernels),
      cmocka_unit_test(other_numbers_of_cores),
      cmocka_unit_test(counters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
