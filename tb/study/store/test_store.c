// SPDX-License-Identifier: Apache-2.0
// The store of runs, of one process: claims and their ends, what is kept of a run, questions.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "fixture.h"

static int64_t id_of(store *s, const char *key) {
  store_state is;
  int64_t id;
  assert_true(store_look(s, key, &is, &id, why));
  return id;
}

// ---- claims

static void claims(void **state) {
  (void)state;
  const char *file = in_folder("claims.db");
  store *s = open_or_fail(file), *t = open_or_fail(file);
  assert_string_equal(store_name(s), file);
  store_run r = a_run("k1");
  look_is(s, "k1", STORE_NONE);
  assert_int_equal(id_of(s, "k1"), 0);
  claim_is(s, "k1", false, STORE_MINE);
  claim_is(s, "k1", false, STORE_MINE);
  look_is(s, "k1", STORE_MINE);
  look_is(t, "k1", STORE_RUNNING);
  claim_is(t, "k1", true, STORE_RUNNING);
  assert_false(store_finish(t, &r, NULL, why));
  assert_true(says("does not have the claim"));
  assert_false(store_drop(t, "k1", why));
  assert_true(says("is not claimed by this process"));
  assert_true(store_drop(s, "k1", why));
  assert_false(store_drop(s, "k1", why));
  look_is(s, "k1", STORE_NONE);
  assert_int_equal(raw_number(file, "select count(*) from runs"), 0);
  // after the end of a process, and the other way round
  claim_is(t, "k1", false, STORE_MINE);
  look_is(s, "k1", STORE_RUNNING);
  store_close(t);
  claim_is(s, "k1", false, STORE_MINE);
  assert_true(store_finish(s, &r, NULL, why));
  look_is(s, "k1", STORE_DONE);
  claim_is(s, "k1", true, STORE_DONE);
  assert_false(store_finish(s, &r, NULL, why));
  store_close(s);
  store_close(NULL);
  assert_int_equal(raw_number(file, "select count(*) from owners"), 0);
  is_whole(file);
}

// A failed run that is tried again keeps its result until there is another one.
static void again(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("again.db")), *t;
  store_run r = a_run("k1"), got;
  values v = {0};
  values_add(&v, "a", 1);
  values_done(&v);
  r.outcome = "fault";
  r.message = "address 0";
  r.statistics = "{\"a\": 1}";
  claim_is(s, "k1", false, STORE_MINE);
  assert_true(store_finish(s, &r, &v, why));
  const int64_t id = id_of(s, "k1");
  claim_is(s, "k1", false, STORE_FAILED);
  claim_is(s, "k1", true, STORE_MINE);
  assert_true(store_drop(s, "k1", why));
  look_is(s, "k1", STORE_FAILED);
  // one that goes without a result
  t = open_or_fail(store_name(s));
  claim_is(t, "k1", true, STORE_MINE);
  look_is(s, "k1", STORE_RUNNING);
  assert_true(store_read(s, id, false, &got, why));
  assert_string_equal(got.outcome, "fault");
  char us[300], host[200];
  assert_int_equal(gethostname(host, sizeof host), 0);
  snprintf(us, sizeof us, "%s process %d", host, (int)getpid());
  assert_string_equal(got.claimed, us);
  store_run_free(&got);
  store_close(t);
  look_is(s, "k1", STORE_FAILED);
  claim_is(s, "k1", true, STORE_MINE);
  r = a_run("k1");
  assert_true(store_finish(s, &r, NULL, why));
  assert_int_equal(id_of(s, "k1"), id);
  assert_true(store_read(s, id, true, &got, why));
  assert_string_equal(got.outcome, "pass");
  assert_string_equal(got.message, "");
  assert_string_equal(got.claimed, "");
  assert_null(got.statistics);
  store_run_free(&got);
  values_free(&v);
  assert_true(store_counters(s, id, &v, why));
  assert_int_equal(v.n, 0);
  values_free(&v);
  store_close(s);
}

static void handed(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("handed.db")), *t = open_or_fail(store_name(s));
  store_run r = a_run("k1"), got;
  char to[64];
  assert_false(store_hand(s, "k1", "slurm 17_3", why));
  assert_true(says("is not claimed by this process"));
  claim_is(s, "k1", false, STORE_MINE);
  assert_null(store_handed(s, "k1", to, sizeof to));
  assert_false(store_hand(t, "k1", "slurm 17_3", why));
  assert_true(store_hand(s, "k1", "slurm 17_3", why));
  assert_string_equal(store_handed(t, "k1", to, sizeof to), "slurm 17_3");
  assert_string_equal(store_handed(t, "k1", to, 6), "slurm");
  look_is(s, "k1", STORE_RUNNING);
  assert_true(store_read(s, id_of(s, "k1"), false, &got, why));
  assert_string_equal(got.claimed, "slurm 17_3");
  assert_string_equal(got.outcome, "");
  assert_string_equal(got.started, "");
  store_run_free(&got);
  assert_false(store_drop(s, "k1", why));
  store_close(s);
  s = open_or_fail(in_folder("handed.db"));
  claim_is(s, "k1", true, STORE_RUNNING);
  // taken back, of which one who comes late learns
  assert_true(store_take_back(s, "k1", "slurm 17_3", why));
  look_is(s, "k1", STORE_NONE);
  claim_is(s, "k1", false, STORE_MINE);
  assert_true(store_hand(s, "k1", "slurm 18_3", why));
  assert_false(store_take_back(t, "k1", "slurm 17_3", why));
  assert_true(says("not handed over to 'slurm 17_3'"));
  look_is(t, "k1", STORE_RUNNING);
  // anybody finishes it, once
  assert_true(store_finish(t, &r, NULL, why));
  assert_false(store_finish(s, &r, NULL, why));
  look_is(s, "k1", STORE_DONE);
  // one that had failed before
  r = a_run("k2");
  r.outcome = "time";
  keep(s, &r);
  claim_is(s, "k2", true, STORE_MINE);
  assert_true(store_hand(s, "k2", "j", why));
  look_is(t, "k2", STORE_RUNNING);
  assert_true(store_take_back(t, "k2", "j", why));
  look_is(t, "k2", STORE_FAILED);
  store_close(s);
  store_close(t);
}

static void outcomes(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("outcomes.db"));
  static const char *const all[] = {"pass",   "none",   "fail", "fault", "differ",
                                    "killed", "memory", "time", "error"};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    store_run r = a_run(all[k]);
    r.outcome = all[k];
    keep(s, &r);
    look_is(s, all[k], k < 2 ? STORE_DONE : STORE_FAILED);
  }
  store_close(s);
}

// ---- what is kept

static void kept(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("kept.db"));
  store_run got, r = a_run("k1");
  r.message = "it's \"quoted\", of two\nlines, with \xc3\xa4 and \xf0\x9f\x98\x80";
  r.seconds = 0.1 + 0.2;
  r.cpu_seconds = DBL_TRUE_MIN;
  r.memory = UINT64_C(1) << 40;
  r.statistics = "{\"x\": 1.5}\n";
  keep(s, &r);
  const int64_t id = id_of(s, "k1");
  assert_true(store_read(s, id, true, &got, why));
  assert_int_equal(got.id, id);
#define SAME(member) assert_string_equal(got.member, r.member)
  SAME(key);
  SAME(tool);
  SAME(program);
  SAME(arguments);
  SAME(command);
  SAME(machine);
  SAME(configuration);
  SAME(near);
  SAME(program_hash);
  SAME(configuration_hash);
  SAME(build_hash);
  SAME(outcome);
  SAME(message);
  SAME(build);
  SAME(host);
  SAME(started);
  SAME(statistics);
#undef SAME
  assert_true(got.seconds == r.seconds);
  assert_true(got.cpu_seconds == r.cpu_seconds);
  assert_true(got.memory == r.memory);
  assert_string_equal(got.claimed, "");
  store_run_free(&got);
  assert_null(got.key);
  store_run_free(&got);
  assert_true(store_read(s, id, false, &got, why));
  assert_null(got.statistics);
  store_run_free(&got);
  assert_false(store_read(s, id + 1, false, &got, why));
  assert_true(says("has no run 2"));
  store_run_free(&got);
  // texts that are left out, and statistics that are empty
  r = (store_run){.key = "k2", .outcome = "none", .statistics = ""};
  keep(s, &r);
  assert_true(store_read(s, id_of(s, "k2"), true, &got, why));
  assert_string_equal(got.program, "");
  assert_string_equal(got.started, "");
  assert_string_equal(got.statistics, "");
  store_run_free(&got);
  store_close(s);
}

// What a program that has gone astray prints can be anything. Other programs could not read it.
static void bytes(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("bytes.db"));
  store_run got, r = a_run("k1");
  r.message =
      "a\xff"
      "b\xc3"
      "c\xe2\x82"
      "d\xc0\x80"
      "e\xed\xa0\x80"
      "f\xf4\x90\x80\x80"
      "g\xe2\x82";
  r.arguments = "\xfe";
  keep(s, &r);
  assert_true(store_read(s, id_of(s, "k1"), false, &got, why));
  assert_string_equal(got.message, "a?b?c??d??e???f????g??");
  store_run_free(&got);
  assert_int_equal(store_before(s, &r), id_of(s, "k1"));
  store_close(s);
}

static void counters(void **state) {
  (void)state;
  static const double numbers[] = {0.1,     -0.0,    1e300,    DBL_MIN,   DBL_TRUE_MIN,
                                   DBL_MAX, 1.0 / 3, INFINITY, 1 << 30,   9007199254740991,
                                   1e18,    -5,      0x1p63,   -INFINITY, NAN};
  enum { N = sizeof numbers / sizeof *numbers };
  store *s = open_or_fail(in_folder("counters.db"));
  store_run r = a_run("k1");
  values put = {0}, got = {0};
  for (unsigned k = 0; k < N; k++) {
    char name[64];
    snprintf(name, sizeof name, "core.%c it's \"%u\"", 'z' - (int)k, k);
    values_add(&put, name, numbers[k]);
  }
  values_done(&put);
  claim_is(s, "k1", false, STORE_MINE);
  assert_true(store_finish(s, &r, &put, why));
  assert_true(store_counters(s, id_of(s, "k1"), &got, why));
  assert_int_equal(got.n, N);
  for (unsigned k = 0; k < N; k++) {
    assert_string_equal(got.all[k].name, put.all[k].name);
    // a zero loses its sign, and what is not a number its payload
    if (isnan(put.all[k].number))
      assert_true(isnan(got.all[k].number));
    else
      assert_true(got.all[k].number == put.all[k].number);
  }
  values_free(&got);
  assert_true(store_counters(s, 77, &got, why));
  assert_int_equal(got.n, 0);
  values_free(&got);
  values_free(&put);
  store_close(s);
}

// Long ones, of which little can be made smaller.
static void large(void **state) {
  (void)state;
  enum { LONG = 5 << 20 };
  store *s = open_or_fail(in_folder("large.db"));
  store_run got, r = a_run("k1");
  char *text = malloc(LONG + 1);
  assert_non_null(text);
  uint32_t seed = 1;
  for (size_t k = 0; k < LONG; k++) {
    seed = seed * 1664525 + 1013904223;
    text[k] = (char)(1 + (seed >> 24) % 255);
  }
  text[LONG] = 0;
  r.statistics = text;
  keep(s, &r);
  assert_true(store_read(s, id_of(s, "k1"), true, &got, why));
  assert_int_equal(strlen(got.statistics), LONG);
  assert_true(memcmp(got.statistics, text, LONG) == 0);
  store_run_free(&got);
  // one that is a thousand times as long as what is kept of it
  memset(text, ' ', LONG);
  r = a_run("k2");
  r.statistics = text;
  keep(s, &r);
  assert_true(store_read(s, id_of(s, "k2"), true, &got, why));
  assert_true(memcmp(got.statistics, text, LONG + 1) == 0);
  store_run_free(&got);
  free(text);
  store_close(s);
}

// ---- questions

static void put_seconds(store *s, const char *key, const char *outcome, const char *configuration,
                        double seconds) {
  store_run r = a_run(key);
  r.outcome = outcome;
  r.configuration_hash = configuration;
  r.seconds = seconds;
  keep(s, &r);
}

static double seconds_of(store *s, const char *configuration) {
  return store_seconds(s, "kernels/axpy", "--n 1000", "c", configuration);
}

static void seconds(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("seconds.db"));
  assert_true(seconds_of(s, NULL) == 0);
  put_seconds(s, "k1", "fail", "c1", 100);
  assert_true(seconds_of(s, "c1") == 0);
  put_seconds(s, "k2", "pass", "c1", 9);
  assert_true(seconds_of(s, "c1") == 9);
  put_seconds(s, "k3", "none", "c1", 1);
  assert_true(seconds_of(s, "c1") == 5);
  put_seconds(s, "k4", "pass", "c1", 2);
  assert_true(seconds_of(s, "c1") == 2);
  put_seconds(s, "k5", "pass", "c2", 50);
  put_seconds(s, "k6", "pass", "c2", 60);
  assert_true(seconds_of(s, "c1") == 2);
  assert_true(seconds_of(s, "c2") == 55);
  assert_true(seconds_of(s, "c3") == 9);  // 1, 2, 9, 50, 60
  assert_true(seconds_of(s, NULL) == 9);
  assert_true(store_seconds(s, "kernels/axpy", "--n 1000", "rtl", "c1") == 0);
  assert_true(store_seconds(s, "kernels/axpy", "", "c", "c1") == 0);
  assert_true(store_seconds(s, "kernels/hist", "--n 1000", "c", "c1") == 0);
  store_close(s);
}

static void before(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("before.db"));
  store_run r = a_run("k1");
  assert_int_equal(store_before(s, &r), 0);
  keep(s, &r);
  r.key = "k2";
  r.started = "2026-01-31T14:00:00Z";
  r.build_hash = "b2";
  r.outcome = "fail";
  keep(s, &r);
  r.key = "k3";
  r.started = "2026-01-31T13:00:00Z";
  keep(s, &r);
  claim_is(s, "k4", false, STORE_MINE);  // has no result
  assert_int_equal(store_before(s, &r), id_of(s, "k2"));
#define OTHER(member) \
  r = a_run("k5");    \
  r.member = "other"; \
  assert_int_equal(store_before(s, &r), 0)
  OTHER(tool);
  OTHER(program);
  OTHER(arguments);
  OTHER(machine);
  OTHER(near);
#undef OTHER
  r = (store_run){.key = "k6", .tool = "dram", .machine = "paper", .outcome = "none"};
  keep(s, &r);
  assert_int_equal(store_before(s, &r), id_of(s, "k6"));
  store_close(s);
}

typedef struct seen {
  store *s;
  size_t n, most;
  char keys[256];
} seen;

static bool see(void *ctx, const store_run *r) {
  seen *all = ctx;
  assert_null(r->statistics);
  snprintf(all->keys + strlen(all->keys), sizeof all->keys - strlen(all->keys), "%s%s ", r->key,
           *r->outcome ? "" : "?");
  // another one can write meanwhile, also with this store
  char key[32];
  snprintf(key, sizeof key, "during %zu %zu", all->most, all->n);
  store_run more = a_run(key);
  keep(all->s, &more);
  return ++all->n < all->most;
}

static void each(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("each.db")), *t = open_or_fail(store_name(s));
  seen all = {.s = s, .most = 100};
  assert_true(store_each(s, see, &all, why));
  assert_int_equal(all.n, 0);
  static const char *const runs[][2] = {
      {"a", "2026-01-31T12:00:00Z"}, {"b", "2026-01-31T11:00:00Z"}, {"c", "2026-02-01T00:00:00Z"}};
  for (size_t k = 0; k < 3; k++) {
    store_run r = a_run(runs[k][0]);
    r.started = runs[k][1];
    r.statistics = "{}";
    keep(s, &r);
  }
  claim_is(t, "d", false, STORE_MINE);
  claim_is(s, "e", false, STORE_MINE);
  assert_true(store_each(s, see, &all, why));
  assert_string_equal(all.keys, "e? d? c a b ");
  all = (seen){.s = s, .most = 2};
  assert_true(store_drop(s, "e", why));
  store_close(t);
  assert_true(store_each(s, see, &all, why));
  assert_int_equal(all.n, 2);
  store_close(s);
}

// A store that is only read: while another one writes, after all have gone, by another name.
static void reading(void **state) {
  (void)state;
  store *s = open_or_fail(in_folder("reading.db"));
  store_run r = a_run("k1"), got;
  keep(s, &r);
  claim_is(s, "k2", false, STORE_MINE);
  assert_int_equal(symlink("reading.db", in_folder("link.db")), 0);
  store *t = store_open(in_folder("link.db"), false, why), *u = open_or_fail(in_folder("link.db"));
  assert_non_null(t);
  look_is(t, "k1", STORE_DONE);
  look_is(t, "k2", STORE_RUNNING);
  claim_is(u, "k2", false, STORE_RUNNING);
  assert_int_equal(access(in_folder("link.db.lock"), F_OK), -1);
  assert_true(store_read(t, 1, true, &got, why));
  store_run_free(&got);
  store_close(s);
  look_is(t, "k2", STORE_NONE);
  store_close(u);
  look_is(t, "k1", STORE_DONE);
  store_close(t);
  // names that mean something to SQLite
  const char *const folder = in_folder("");
  char here[512];
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(chdir(folder), 0);
  static const char *const odd[] = {":memory:", "file:x?mode=memory", "a b%41#'\".db"};
  for (size_t k = 0; k < 3; k++) {
    s = open_or_fail(odd[k]);
    keep(s, &r);
    store_close(s);
    assert_int_equal(access(odd[k], R_OK), 0);
    t = store_open(odd[k], false, why);
    assert_non_null(t);
    look_is(t, "k1", STORE_DONE);
    store_close(t);
  }
  assert_int_equal(chdir(here), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims),   cmocka_unit_test(again), cmocka_unit_test(handed),
      cmocka_unit_test(outcomes), cmocka_unit_test(kept),  cmocka_unit_test(bytes),
      cmocka_unit_test(counters), cmocka_unit_test(large), cmocka_unit_test(seconds),
      cmocka_unit_test(before),   cmocka_unit_test(each),  cmocka_unit_test(reading),
  };
  return cmocka_run_group_tests_name("store", tests, folder_new, folder_end);
}
