// SPDX-License-Identifier: Apache-2.0
// docs/store.md describes the tables as they are, and its statements work.
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "fixture.h"

static char page[65536];
static sqlite3 *db;

static int read_page(void **state) {
  FILE *f = fopen(NEARBANK_ROOT "/docs/store.md", "r");
  if (!f)
    return -1;
  page[fread(page, 1, sizeof page - 1, f)] = 0;
  fclose(f);
  return folder_new(state);
}

// Runs of two machines, one that failed, one that is being executed.
static store *fill(void) {
  static const struct {
    const char *key, *machine, *outcome, *started;
    double cycles;
  } runs[] = {{"k1", "paper", "pass", "2026-01-31T12:00:00Z", 300},
              {"k2", "nearbank", "pass", "2026-01-31T13:00:00Z", 200},
              {"k3", "small", "fault", "2026-01-31T14:00:00Z", 1}};
  store *s = open_or_fail(in_folder("page.db"));
  for (size_t k = 0; k < 3; k++) {
    store_run r = a_run(runs[k].key);
    values v = {0};
    values_add(&v, "cycles", runs[k].cycles);
    values_add(&v, "core.issued", 5);
    values_done(&v);
    r.machine = runs[k].machine;
    r.outcome = runs[k].outcome;
    r.started = runs[k].started;
    claim_is(s, r.key, false, STORE_MINE);
    assert_true(store_finish(s, &r, &v, why));
    values_free(&v);
  }
  claim_is(s, "k4", false, STORE_MINE);
  assert_int_equal(sqlite3_open(in_folder("page.db"), &db), SQLITE_OK);
  return s;
}

// The rows of a statement, as "A B|A B|".
static int add_row(void *ctx, int n, char **texts, char **names) {
  char *to = ctx;
  (void)names;
  for (int k = 0; k < n; k++)
    sprintf(to + strlen(to), "%s%s", k ? " " : "", texts[k] ? texts[k] : "-");
  strcat(to, "|");
  return 0;
}

static const char *rows(const char *sql) {
  static char all[8192];
  char *text = NULL;
  *all = 0;
  if (sqlite3_exec(db, sql, add_row, all, &text) != SQLITE_OK)
    fail_msg("%s: %s", sql, text);
  return all;
}

// ---- tables

// The columns that the page has of a table, as rows() would have them.
static void described(const char *table, char *to) {
  char heading[64];
  snprintf(heading, sizeof heading, "\n### `%s`\n", table);
  const char *at = strstr(page, heading);
  *to = 0;
  if (!at)
    fail_msg("docs/store.md: the heading%sis missing", heading);
  const char *end = strstr(at + strlen(heading), "\n## "),
             *end3 = strstr(at + strlen(heading), "\n### ");
  if (end3 && end3 < end)
    end = end3;
  while ((at = strstr(at, "\n| `")) && at < end) {
    char name[64], type[64];
    assert_int_equal(sscanf(at, "\n| `%63[a-z_]` | %63[a-z]", name, type), 2);
    sprintf(to + strlen(to), "%s %s|", name, type);
    at++;
  }
}

static void tables(void **state) {
  (void)state;
  store *s = fill();
  char names[512], want[4096];
  snprintf(names, sizeof names, "%s",
           rows("select name from sqlite_master where type = 'table' and "
                "name not like 'sqlite%' order by name"));
  assert_string_equal(names, "counters|owners|runs|statistics|");
  for (char *name = strtok(names, "|"); name; name = strtok(NULL, "|")) {
    char sql[128];
    described(name, want);
    snprintf(sql, sizeof sql, "select name, lower(type) from pragma_table_info('%s')", name);
    assert_string_equal(rows(sql), want);
  }
  sqlite3_close(db);
  store_close(s);
}

// ---- statements

static void statements(void **state) {
  (void)state;
  static const struct {
    const char *with, *gives;  // the one that has it; what it starts with
  } all[] = {{"message from runs", "3 kernels/axpy small fault |"},
             {"as paper", "kernels/axpy --n 1000 300.0 200.0|"},
             {"as speedup", "kernels/axpy --n 1000 nearbank 1.5|kernels/axpy --n 1000 paper 1.0|"},
             {"count(*) from counters", "core.issued 3|cycles 3|"},
             {"coalesce", "4 kernels/axpy paper 2"}};
  store *s = fill();
  size_t n = 0;
  for (const char *at = page; (at = strstr(at, "```sql\n")); n++) {
    at += strlen("```sql\n");
    const char *end = strstr(at, "```");
    assert_non_null(end);
    char *sql = strndup(at, (size_t)(end - at));
    assert_true(n < sizeof all / sizeof *all);
    if (!strstr(sql, all[n].with))
      fail_msg("'%s' is not in: %s", all[n].with, sql);
    const char *got = rows(sql);
    if (strncmp(got, all[n].gives, strlen(all[n].gives)) != 0)
      fail_msg("%s: %s", sql, got);
    free(sql);
    at = end + 3;
  }
  assert_int_equal(n, sizeof all / sizeof *all);
  sqlite3_close(db);
  store_close(s);
}

static void numbers(void **state) {
  (void)state;
  char text[128];
  store *s = fill();
  snprintf(text, sizeof text, "`pragma application_id` of a store is 0x%llx",
           raw_number(in_folder("page.db"), "pragma application_id"));
  assert_non_null(strstr(page, text));
  snprintf(text, sizeof text, "now %lld.\n",
           raw_number(in_folder("page.db"), "pragma user_version"));
  assert_non_null(strstr(page, text));
  sqlite3_close(db);
  store_close(s);
}

static int clean(void **state) {
  (void)state;
  raw(in_folder("page.db"), "delete from counters; delete from runs; delete from sqlite_sequence");
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(tables, clean),
      cmocka_unit_test_teardown(statements, clean),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests_name("store, page", tests, read_page, folder_end);
}
