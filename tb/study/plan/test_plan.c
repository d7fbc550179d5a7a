// SPDX-License-Identifier: Apache-2.0
// Plans: which runs a study has, what is in their keys, and hashes of programs and of the build.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "harness/study/plan/plan.h"

static char why[PLAN_WHY], folder[64], at[4][128];

static void put(int n, const char *name, const char *text) {
  snprintf(at[n], sizeof at[n], "%s/%s", folder, name);
  FILE *f = fopen(at[n], "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static int make(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/plan-XXXXXX");
  return mkdtemp(folder) == NULL;
}
static int clean(void **state) {
  (void)state;
  for (int n = 0; n < 4; n++)
    unlink(at[n]);
  return rmdir(folder);
}

static const char *hash(const char *options) {
  static char to[PLAN_HASH];
  assert_true(hash_source(at[0], options, to, why, sizeof why));
  return to;
}

static void sources(void **state) {
  (void)state;
  char first[PLAN_HASH], option[128];
  put(0, "a.cu", "#include \"b.h\"\n# include <none.h>\nint a;\n");
  put(1, "b.h", "#include \"a.cu\"\n#include \"c.h\"\nint b;\n");  // in a circle
  put(2, "c.h", "int c;\n");
  snprintf(first, sizeof first, "%s", hash(NULL));
  assert_string_equal(hash(NULL), first);
  put(2, "c.h", "int d;\n");
  assert_string_not_equal(hash(NULL), first);
  put(2, "c.h", "int c;\n");
  assert_string_equal(hash(NULL), first);
  put(1, "b.h", "int b;\n");
  assert_string_not_equal(hash(NULL), first);
  // what is not beside it, but in a folder of an option
  put(0, "a.cu", "#include \"elsewhere.h\"\n");
  snprintf(option, sizeof option, "-O2 -I%s/below", folder);
  char below[96], file[128];
  snprintf(below, sizeof below, "%s/below", folder);
  snprintf(file, sizeof file, "%s/elsewhere.h", below);
  assert_int_equal(mkdir(below, 0777), 0);
  snprintf(first, sizeof first, "%s", hash(option));
  FILE *f = fopen(file, "w");
  fputs("int e;\n", f);
  fclose(f);
  assert_string_not_equal(hash(option), first);
  unlink(file);
  rmdir(below);
  assert_false(hash_source("/nowhere/x.cu", NULL, first, why, sizeof why));
}

static void builds(void **state) {
  (void)state;
  char one[PLAN_HASH], two[PLAN_HASH];
  assert_true(hash_build("run", "c", one, why, sizeof why));
  assert_true(hash_build("run", "c", two, why, sizeof why));
  assert_string_equal(one, two);
  assert_true(hash_build("dram", "c", two, why, sizeof why));
  assert_string_not_equal(one, two);
}

static void runs(void **state) {
  (void)state;
  put(0, "p.cu", "int main() {}\n");
  put(3, "s.yaml",
      "study: s\ndefaults: {arguments: '1 2', dram.tRP: 20}\n"
      "sets: {a: [p.cu, {program: p.cu, name: q, arguments: '3', options: -DX}],\n"
      "       b: [{name: bank, tool: dram, arguments: --rate 0.1}]}\n"
      "figures:\n"
      "  f: {sets: [a], variants: {one: {}, two: {dram.tRP: 30}}, columns: {c: cycles}}\n"
      "  g: {sets: [b, a], dram.tRCD: 9, dram.tRP: 30, columns: {c: cycles}}\n"
      "  h: {sets: [a], dram.tRP: 30, columns: {c: cycles}}\n");
  study *s = study_read(at[3], why, sizeof why);
  assert_non_null(s);
  plan_options o = {.threads = 3};
  plan *p = plan_make(s, &o, why, sizeof why);
  assert_non_null(p);
  // two programs on three machines, for h is as two of f; and one tool
  assert_int_equal(plan_count(p), 7);
  const study_entry *q = &s->sets[0].entries[1];
  const plan_run *two = plan_cell(p, &s->figures[0], q, &s->figures[0].variants[1]);
  assert_ptr_equal(two, plan_cell(p, &s->figures[2], q, &s->figures[2].variants[0]));
  char wanted[512];
  snprintf(wanted, sizeof wanted,
           "mpu run -q --near=c --threads 3 --config small --set dram.tRP=20 --set dram.tRP=30 -DX "
           "--stats statistics.json %s -- 3",
           at[0]);
  assert_string_equal(two->is.command, wanted);
  const plan_run *bank =
      plan_cell(p, &s->figures[1], &s->sets[1].entries[0], &s->figures[1].variants[0]);
  assert_non_null(strstr(bank->is.command, "mpu dram --json --rate 0.1 --config small"));
  assert_null(plan_cell(p, &s->figures[0], &s->sets[1].entries[0], &s->figures[0].variants[0]));
  plan_free(p);
  o.only = "g,h";
  p = plan_make(s, &o, why, sizeof why);
  assert_int_equal(plan_count(p), 5);
  assert_false(plan_has(p, &s->figures[0], &s->sets[0]));
  plan_free(p);
  o.only = "b";
  p = plan_make(s, &o, why, sizeof why);
  assert_int_equal(plan_count(p), 1);
  assert_false(plan_has(p, &s->figures[1], &s->sets[0]));
  assert_true(plan_has(p, &s->figures[1], &s->sets[1]));
  plan_free(p);
  o.only = "h,b";  // h has no programs of b
  p = plan_make(s, &o, why, sizeof why);
  assert_int_equal(plan_count(p), 0);
  plan_free(p);
  study_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(sources, make, clean),
      cmocka_unit_test(builds),
      cmocka_unit_test_setup_teardown(runs, make, clean),
  };
  return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
