// SPDX-License-Identifier: Apache-2.0
// Several processes with one store: which of them has a claim, what becomes of claims when one is
// killed, and what forked children keep of it.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "fixture.h"

static void sleep_us(unsigned us) {
  const struct timespec t = {us / 1000000, us % 1000000 * 1000L};
  nanosleep(&t, NULL);
}

// ---- one that is killed

static const char *file;
static int told[2];  // a pipe: the child has come to where it waits

static void wait_for_ever(void) {
  assert_int_equal(write(told[1], "x", 1), 1);
  for (;;)
    pause();
}

static void wait_for_it(void) {
  char x;
  assert_int_equal(read(told[0], &x, 1), 1);
}

static int claims_two(void) {
  store *s = open_or_fail(file);
  claim_is(s, "k1", false, STORE_MINE);
  claim_is(s, "k2", true, STORE_MINE);  // has failed
  claim_is(s, "k3", false, STORE_MINE);
  assert_true(store_hand(s, "k3", "job 1", why));
  wait_for_ever();
  return 0;
}

static bool count(void *ctx, const store_run *r) {
  (void)r;
  ++*(int *)ctx;
  return true;
}

static void killed(void **state) {
  (void)state;
  file = in_folder("killed.db");
  store *s = open_or_fail(file), *t;
  store_run r = a_run("k2"), got;
  r.outcome = "fault";
  keep(s, &r);
  assert_int_equal(pipe(told), 0);
  const pid_t pid = apart(claims_two);
  wait_for_it();
  for (int k = 0; k < 3; k++) {
    const char *const keys[] = {"k1", "k2", "k3"};
    look_is(s, keys[k], STORE_RUNNING);
    claim_is(s, keys[k], true, STORE_RUNNING);
  }
  char by[32];
  snprintf(by, sizeof by, " process %d", (int)pid);
  assert_true(store_read(s, 2, false, &got, why));
  assert_non_null(strstr(got.claimed, by));
  store_run_free(&got);
  kill(pid, SIGKILL);
  assert_int_equal(ended(pid), 256);
  look_is(s, "k1", STORE_NONE);
  look_is(s, "k2", STORE_FAILED);
  look_is(s, "k3", STORE_RUNNING);
  assert_false(store_read(s, 2, false, &got, why));
  int n = 0;
  assert_true(store_each(s, count, &n, why));
  assert_int_equal(n, 2);
  // the next one that opens it clears up
  assert_int_equal(raw_number(file, "select count(*) from runs"), 3);
  assert_int_equal(raw_number(file, "select count(*) from owners"), 2);
  t = open_or_fail(file);
  assert_int_equal(raw_number(file, "select count(*) from runs"), 2);
  assert_int_equal(raw_number(file, "select count(*) from runs where claimed is not null"), 1);
  assert_int_equal(raw_number(file, "select count(*) from owners"), 2);
  claim_is(t, "k1", false, STORE_MINE);
  store_close(t);
  claim_is(s, "k1", false, STORE_MINE);
  claim_is(s, "k2", true, STORE_MINE);
  store_close(s);
  close(told[0]), close(told[1]);
  is_whole(file);
}

// ---- forked children

static pid_t grandchild;

// Claims, forks, and tells the pid of a child that does nothing, or executes another program.
static int forks(bool exec) {
  store *s = open_or_fail(file);
  claim_is(s, "k1", false, STORE_MINE);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, 0);
    if (exec)
      execlp("sleep", "sleep", "60", (char *)NULL);
    store_close(s);  // does nothing here
    for (;;)
      pause();
  }
  assert_int_equal(write(told[1], &pid, sizeof pid), sizeof pid);
  for (;;)
    pause();
  return 0;
}

static int forks_only(void) {
  return forks(false);
}

static int forks_and_executes(void) {
  return forks(true);
}

static bool becomes(store *s, const char *key, store_state expected) {
  store_state is = STORE_DONE;
  int64_t id;
  for (int k = 0; k < 500 && is != expected; k++) {
    assert_true(store_look(s, key, &is, &id, why));
    sleep_us(is == expected ? 0 : 10000);
  }
  return is == expected;
}

static void children(void **state) {
  (void)state;
  file = in_folder("children.db");
  store *s = open_or_fail(file);
  assert_int_equal(pipe(told), 0);
  // one that executes a program has nothing of it
  pid_t pid = apart(forks_and_executes);
  assert_int_equal(read(told[0], &grandchild, sizeof grandchild), sizeof grandchild);
  look_is(s, "k1", STORE_RUNNING);
  kill(pid, SIGKILL);
  assert_int_equal(ended(pid), 256);
  assert_true(becomes(s, "k1", STORE_NONE));
  assert_int_equal(kill(grandchild, 0), 0);
  kill(grandchild, SIGKILL);
  // another one keeps the claims: nobody takes them, while it could still do something
  pid = apart(forks_only);
  assert_int_equal(read(told[0], &grandchild, sizeof grandchild), sizeof grandchild);
  sleep_us(50000);
  look_is(s, "k1", STORE_RUNNING);
  kill(pid, SIGKILL);
  assert_int_equal(ended(pid), 256);
  look_is(s, "k1", STORE_RUNNING);
  kill(grandchild, SIGKILL);
  assert_true(becomes(s, "k1", STORE_NONE));
  close(told[0]), close(told[1]);
  store_close(s);
}

static store *ours;

static int closes(void) {
  store_close(ours);
  return 0;
}

// The end of a child, or store_close in it, ends nothing; store_close of the parent ends its claims
// though a child is there.
static void parents(void **state) {
  (void)state;
  file = in_folder("parents.db");
  ours = open_or_fail(file);
  store *s = open_or_fail(file);
  assert_int_equal(pipe(told), 0);
  claim_is(ours, "k1", false, STORE_MINE);
  assert_int_equal(ended(apart(closes)), 0);
  look_is(s, "k1", STORE_RUNNING);
  look_is(ours, "k1", STORE_MINE);
  const pid_t pid = fork();
  if (pid == 0)
    wait_for_ever();
  wait_for_it();
  store_close(ours);
  look_is(s, "k1", STORE_NONE);
  claim_is(s, "k1", false, STORE_MINE);
  kill(pid, SIGKILL);
  assert_int_equal(ended(pid), 256);
  store_close(s);
  close(told[0]), close(told[1]);
}

// ---- several that make it

static int makes(void) {
  char key[32], x;
  assert_int_equal(read(told[0], &x, 1), 1);
  store *s = open_or_fail(file);
  snprintf(key, sizeof key, "k%d", (int)getpid());
  const store_run r = a_run(key);
  keep(s, &r);
  store_close(s);
  return 0;
}

static void made_at_once(void **state) {
  (void)state;
  enum { ROUNDS = 20, N = 4 };
  for (int k = 0; k < ROUNDS; k++) {
    pid_t pids[N];
    char name[32];
    snprintf(name, sizeof name, "made%d.db", k);
    file = in_folder(name);
    network = k % 2;
    assert_int_equal(pipe(told), 0);
    for (int n = 0; n < N; n++)
      pids[n] = apart(makes);
    assert_int_equal(write(told[1], "xxxx", N), N);
    for (int n = 0; n < N; n++)
      assert_int_equal(ended(pids[n]), 0);
    close(told[0]), close(told[1]);
    assert_int_equal(raw_number(file, "select count(*) from runs where outcome = 'pass'"), N);
    assert_int_equal(raw_number(file, "select count(*) from owners"), 0);
    is_whole(file);
  }
  network = false;
}

// ---- many

enum { WORKERS = 4, KEYS = 200, PASSES = 4096 };

static unsigned keys;  // that are executed

// What all see, and can check without the store.
typedef struct shared {
  atomic_uint has[KEYS];       // the pass of a worker that executes it, from 1
  atomic_bool doomed[PASSES];  // it is being killed
  atomic_uint twice, finished, dropped;
} shared;

static shared *all;
static unsigned pass_now, seed;

static unsigned chance(unsigned *of, unsigned n) {
  *of = *of * 1664525 + 1013904223;
  return (*of >> 8) % n;
}

// Executes it, that is: makes sure that nobody else does.
static void execute(store *s, unsigned k, unsigned *dice) {
  char key[16];
  snprintf(key, sizeof key, "k%u", k);
  const unsigned other = atomic_exchange(&all->has[k], pass_now);
  if (other && !atomic_load(&all->doomed[other]))
    atomic_fetch_add(&all->twice, 1);
  sleep_us(chance(dice, 6000));
  if (atomic_load(&all->has[k]) != pass_now)
    atomic_fetch_add(&all->twice, 1);
  store_run r = a_run(key);
  values v = {0};
  for (unsigned n = 0; n < 20; n++) {
    char name[16];
    snprintf(name, sizeof name, "c%u", n);
    values_add(&v, name, k * 1000 + n);
  }
  values_done(&v);
  r.statistics = "{\"a\": 1}";
  const unsigned what = chance(dice, 10);
  if (what < 2)
    r.outcome = "fault";
  unsigned expected = pass_now;
  if (what == 9) {
    // others may have it as soon as it is given back
    atomic_compare_exchange_strong(&all->has[k], &expected, 0);
    assert_true(store_drop(s, key, why));
    atomic_fetch_add(&all->dropped, 1);
  } else {
    if (what < 2)
      atomic_compare_exchange_strong(&all->has[k], &expected, 0);
    if (!store_finish(s, &r, &v, why))
      fail_msg("%s", why);
  }
  values_free(&v);
}

static int work(void) {
  unsigned dice = seed + 77 * pass_now, done = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  store *s = open_or_fail(file);
  while (done < keys) {
    done = 0;
    const unsigned first = chance(&dice, keys);
    for (unsigned n = 0; n < keys; n++) {
      const unsigned k = (first + n) % keys;
      char key[16];
      snprintf(key, sizeof key, "k%u", k);
      const store_run r = a_run(key);
      store_state is;
      if (!store_claim(s, &r, true, &is, why))
        fail_msg("%s", why);
      assert_int_not_equal(is, STORE_FAILED);
      if (is == STORE_MINE)
        execute(s, k, &dice);
      done += is == STORE_DONE;
    }
  }
  store_close(s);
  return 0;
}

static void many(const char *name, unsigned n_keys, unsigned least) {
  unsigned passes = 0, kills = 0, ends = 0, dice = seed;
  pid_t pids[WORKERS] = {0};
  unsigned pass_of[WORKERS];
  keys = n_keys;
  file = in_folder(name);
  all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(all != MAP_FAILED);
  store_close(open_or_fail(file));
  raw(file,
      "create table ends(key text, outcome text); create trigger ended after update of "
      "outcome on runs begin insert into ends values(new.key, new.outcome); end");
  while (ends < WORKERS) {
    for (int w = 0; w < WORKERS; w++)
      if (!pids[w]) {
        pass_of[w] = pass_now = ++passes;
        assert_true(passes < PASSES);
        pids[w] = apart(work);
      }
    sleep_us(chance(&dice, 8000));
    const unsigned w = chance(&dice, WORKERS);
    if (pids[w] > 0 && kills < 60) {
      atomic_store(&all->doomed[pass_of[w]], true);
      kill(pids[w], SIGKILL);
      const int status = ended(pids[w]);
      assert_true(status == 256 || status == 0);
      kills += status == 256;
      pids[w] = 0;
    }
    for (int v = 0; v < WORKERS; v++) {
      int status;
      if (pids[v] <= 0 || waitpid(pids[v], &status, WNOHANG) != pids[v])
        continue;
      assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      pids[v] = -1;
      ends++;
    }
  }
  print_message("%s: %u processes killed, %lld runs failed, %u claims given back\n", name, kills,
                raw_number(file, "select count(*) from ends where outcome = 'fault'"),
                atomic_load(&all->dropped));
  assert_int_equal(atomic_load(&all->twice), 0);
  assert_true(kills >= least);
  is_whole(file);
  assert_int_equal(raw_number(file, "select count(*) from runs where outcome = 'pass'"), keys);
  assert_int_equal(raw_number(file, "select count(*) from ends where outcome = 'pass'"), keys);
  assert_int_equal(raw_number(file, "select count(distinct key) from ends where outcome = 'pass'"),
                   keys);
  assert_int_equal(raw_number(file, "select count(*) from counters"), 20 * keys);
  assert_int_equal(raw_number(file,
                              "select count(*) from counters, runs where id = run and value = "
                              "1000 * substr(key, 2) + substr(name, 2)"),
                   20 * keys);
  assert_int_equal(raw_number(file, "select count(*) from statistics"), keys);
  assert_int_equal(raw_number(file,
                              "select count(*) from owners where id in (select owner from "
                              "runs)"),
                   0);
  munmap(all, sizeof *all);
}

static void kills_log(void **state) {
  (void)state;
  many("log.db", KEYS, 20);
  assert_int_equal(raw_number(file, "select journal_mode = 'wal' from pragma_journal_mode"), 1);
}

static void kills_journal(void **state) {
  (void)state;
  network = true;  // each result waits for the disk
  many("journal.db", KEYS / 4, 3);
  assert_int_equal(raw_number(file, "select journal_mode = 'wal' from pragma_journal_mode"), 0);
  network = false;
}

int main(int argc, char **argv) {
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)time(NULL);
  print_message("again with: %s %u\n", argv[0], seed);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(killed),       cmocka_unit_test(children),  cmocka_unit_test(parents),
      cmocka_unit_test(made_at_once), cmocka_unit_test(kills_log), cmocka_unit_test(kills_journal),
  };
  return cmocka_run_group_tests_name("store, processes", tests, folder_new, folder_end);
}
