// SPDX-License-Identifier: Apache-2.0
// Stores that cannot be used, or not now: files that are something else, later schemas, damage,
// places where nothing can be written, full disks, other programs that hold the lock.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "fixture.h"

// In place of the library's: nobody waits for a minute here.
int sqlite3_busy_timeout(sqlite3 *db, int ms) {
  int (*set)(sqlite3 *, int) = NULL;
  *(void **)&set = dlsym(RTLD_NEXT, "sqlite3_busy_timeout");
  return set(db, ms > 100 ? 100 : ms);
}

static void put_file(const char *name, const void *from, size_t bytes, long at) {
  FILE *f = fopen(name, at < 0 ? "wb" : "r+b");
  assert_non_null(f);
  assert_int_equal(fseek(f, at < 0 ? 0 : at, SEEK_SET), 0);
  assert_int_equal(fwrite(from, 1, bytes, f), bytes);
  assert_int_equal(fclose(f), 0);
}

static bool is_there(const char *name) {
  return access(name, F_OK) == 0;
}

static char noise[1 << 18];  // text that cannot be made smaller by much

static void make_noise(void) {
  unsigned seed = 7;
  for (size_t k = 0; k + 1 < sizeof noise; k++) {
    seed = seed * 1664525 + 1013904223;
    noise[k] = (char)(1 + (seed >> 24) % 255);
  }
}

// ---- other files

static void others(void **state) {
  (void)state;
  no_store("", true, "needs the name of a file");
  no_store(in_folder(""), true, "is a folder: name a file in it");
  no_store(in_folder("none.db"), false, "No such file or directory; the first run that is kept");
  assert_false(is_there(in_folder("none.db")));
  no_store(in_folder("none/x.db"), true, "is missing; make it");
  no_store("/dev/null", true, "is not a regular file");
  const char *file = in_folder("text.db");
  static const char text[] =
      "# nothing that a program knows, but long enough to be taken for the header of an SQLite "
      "file, which has a hundred bytes\n";
  put_file(file, text, sizeof text - 1, -1);
  no_store(file, true, "it is not an SQLite file");
  no_store(file, false, "it is not an SQLite file");
  assert_false(is_there(in_folder("text.db.lock")));
  file = in_folder("other.db");
  raw(file, "create table runs(id, key)");
  no_store(file, true, "is an SQLite file, but not a store of runs");
  no_store(file, false, "is an SQLite file, but not a store of runs");
  raw(file, "pragma user_version = 1");
  no_store(file, true, "is an SQLite file, but not a store of runs");
  assert_int_equal(raw_number(file, "select count(*) from sqlite_master"), 1);
  assert_int_equal(raw_number(file,
                              "select count(*) from pragma_journal_mode where "
                              "journal_mode = 'delete'"),
                   1);
  // one that has been made, and no more
  file = in_folder("empty.db");
  put_file(file, "", 0, -1);
  no_store(file, false, "is empty");
  store_close(open_or_fail(file));
  store *s = store_open(file, false, why);
  assert_non_null(s);
  store_close(s);
}

static void schemas(void **state) {
  (void)state;
  const char *file = in_folder("schemas.db");
  store_close(open_or_fail(file));
  assert_int_equal(raw_number(file, "pragma user_version"), STORE_SCHEMA);
  raw(file, "pragma user_version = 2");
  no_store(file, true, "was made by a later release (its schema is 2, this release knows 1)");
  no_store(file, false, "was made by a later release");
  assert_int_equal(raw_number(file, "pragma user_version"), 2);
}

// ---- damage

static bool take_all(void *ctx, const store_run *r) {
  (void)r;
  ++*(int *)ctx;
  return true;
}

static void damage(void **state) {
  (void)state;
  const char *file = in_folder("damage.db");
  store *s = open_or_fail(file);
  for (int k = 0; k < 30; k++) {
    char key[16];
    snprintf(key, sizeof key, "k%d", k);
    store_run r = a_run(key), got;
    r.configuration = "0123456789012345678901234567890123456789012345678901234567890123456789";
    r.statistics = "{\"a\": 1}";
    keep(s, &r);
    store_run_free(((void)store_read(s, 1, false, &got, why), &got));
  }
  store_close(s);
  struct stat st;
  assert_int_equal(stat(file, &st), 0);
  char *copy = malloc((size_t)st.st_size);
  const int fd = open(file, O_RDONLY);
  assert_int_equal(read(fd, copy, (size_t)st.st_size), st.st_size);
  close(fd);
  // all but the first page is something else
  memset(noise, 0xa5, 4096);
  for (long at = 4096; at < st.st_size; at += 4096)
    put_file(file, noise, 4096, at);
  s = store_open(file, false, why);
  assert_non_null(s);
  int n = 0;
  assert_false(store_each(s, take_all, &n, why));
  assert_true(says("is damaged"));
  assert_true(says(".recover"));
  store_state is;
  int64_t id;
  assert_false(store_look(s, "k1", &is, &id, why));
  assert_true(says("is damaged"));
  store_run got;
  assert_false(store_read(s, 1, true, &got, why));
  assert_true(says("is damaged"));
  values v = {0};
  assert_false(store_counters(s, 1, &v, why));
  values_free(&v);
  assert_true(store_seconds(s, "", "", "", NULL) == 0);
  store_close(s);
  no_store(file, true, "is damaged");
  // its end is missing
  put_file(file, copy, (size_t)st.st_size, -1);
  assert_int_equal(truncate(file, 3 * 4096), 0);
  no_store(file, true, "is damaged");
  // its beginning is something else
  put_file(file, copy, (size_t)st.st_size, -1);
  put_file(file, noise, 64, 0);
  no_store(file, true, "or its beginning is damaged");
  // statistics
  static const char *const wrong[] = {"json = x'00112233'", "bytes = bytes + 1", "bytes = 1 << 50",
                                      "bytes = -1",         "json = x''",        "bytes = 0"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    char sql[64];
    put_file(file, copy, (size_t)st.st_size, -1);
    snprintf(sql, sizeof sql, "update statistics set %s", wrong[k]);
    raw(file, sql);
    s = store_open(file, false, why);
    assert_non_null(s);
    assert_false(store_read(s, 1, true, &got, why));
    assert_true(says("the statistics of run 1 cannot be unpacked"));
    store_run_free(&got);
    assert_true(store_read(s, 1, false, &got, why));
    store_run_free(&got);
    store_close(s);
  }
  free(copy);
}

// ---- places

// As somebody who may do nothing: the tests may be root's.
static int as_nobody(void) {
  return geteuid() == 0 &&
         (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534));
}

static int reads_closed(void) {
  if (as_nobody())
    return 2;
  no_store(in_folder("closed/a.db"), true, "cannot write");
  no_store(in_folder("closed/new.db"), true, "in the folder of");
  no_store(in_folder("closed/dark.db"), false, "cannot read");
  static const char *const names[] = {"closed/a.db", "closed/network.db", "closed/100%.db",
                                      "closed/killed.db"};
  for (size_t k = 0; k < 4; k++) {
    store *s = store_open(in_folder(names[k]), false, why);
    if (!s)
      fail_msg("%s", why);
    look_is(s, "k1", STORE_DONE);
    look_is(s, "k2", STORE_NONE);
    store_run got;
    assert_true(store_read(s, 1, true, &got, why));
    store_run_free(&got);
    store_close(s);
  }
  // what a writer that was killed has left there has to be put in order first
  no_store(in_folder("closed/copied.db"), false, "cannot use");
  assert_true(says("copy it, with"));
  no_store(in_folder("closed/killed_network.db"), false, "cannot use");
  return 0;
}

static const char *killed_file;

static int dies_with_log(void) {
  store *s = open_or_fail(killed_file);
  const store_run r = a_run("k1");
  keep(s, &r);
  raise(SIGKILL);
  return 0;
}

// While it writes a transaction that has grown beyond its cache.
static int dies_with_journal(void) {
  sqlite3 *db;
  if (sqlite3_open(killed_file, &db) ||
      sqlite3_exec(db,
                   "pragma cache_size = 1; begin immediate; update runs set tool = 'x'; "
                   "insert into statistics values(1, 0, zeroblob(1000000)); "
                   "update runs set near = 'y'",
                   NULL, NULL, NULL))
    return 2;
  raise(SIGKILL);
  return 0;
}

static void closed(void **state) {
  (void)state;
  static const char *const names[] = {"closed/a.db", "closed/network.db", "closed/100%.db",
                                      "closed/dark.db", "closed/killed_network.db"};
  assert_int_equal(chmod(in_folder(""), 0755), 0);
  assert_int_equal(mkdir(in_folder("closed"), 0755), 0);
  for (size_t k = 0; k < 5; k++) {
    network = strstr(names[k], "network");
    store *s = open_or_fail(in_folder(names[k]));
    const store_run r = a_run("k1");
    keep(s, &r);
    assert_int_equal(raw_number(store_name(s),
                                "select journal_mode = 'wal' from "
                                "pragma_journal_mode"),
                     !network);
    store_close(s);
  }
  network = false;
  killed_file = in_folder("closed/killed.db");
  assert_int_equal(ended(apart(dies_with_log)), 256);
  killed_file = in_folder("closed/copied.db");
  assert_int_equal(ended(apart(dies_with_log)), 256);
  assert_int_equal(unlink(in_folder("closed/copied.db-shm")), 0);
  killed_file = in_folder("closed/killed_network.db");
  assert_int_equal(ended(apart(dies_with_journal)), 256);
  assert_true(is_there(in_folder("closed/killed_network.db-journal")));
  assert_int_equal(chmod(in_folder("closed/dark.db"), 0), 0);
  assert_int_equal(chmod(in_folder("closed"), 0555), 0);
  assert_int_equal(ended(apart(reads_closed)), 0);
  assert_int_equal(chmod(in_folder("closed"), 0755), 0);
  // who can write there puts it in order, also to read
  static const char *const left[] = {"closed/killed.db", "closed/copied.db",
                                     "closed/killed_network.db"};
  for (size_t k = 0; k < 3; k++) {
    store *s = store_open(in_folder(left[k]), false, why);
    assert_non_null(s);
    look_is(s, "k1", STORE_DONE);
    store_close(s);
    is_whole(in_folder(left[k]));
    assert_int_equal(raw_number(in_folder(left[k]),
                                "select count(*) from runs where "
                                "tool = 'run' and near = 'c'"),
                     1);
  }
}

// Root may mount; others may in a world of their own, where they are root.
static bool write_map(const char *file, unsigned id) {
  FILE *f = fopen(file, "w");
  return f && (fprintf(f, "0 %u 1", id) > 0) + (fclose(f) == 0) == 2;
}

static bool can_mount(void) {
  const unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWNS) == 0)
    return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
    return false;
  FILE *f = fopen("/proc/self/setgroups", "w");
  if (f)
    fputs("deny", f), fclose(f);
  return write_map("/proc/self/uid_map", user) && write_map("/proc/self/gid_map", group);
}

// A folder of its own for a file system of its own, which goes with the process. 77: not possible
// here.
static int mount_small(const char *options) {
  if (!can_mount())
    return 77;
  mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
  mkdir(in_folder("small"), 0755);
  return mount("tmpfs", in_folder("small"), "tmpfs", 0, options) ? 77 : 0;
}

static void is_or_skip(int status) {
  if (status == 77) {
    print_message("file systems cannot be mounted here: left out\n");
    skip();
  }
  assert_int_equal(status, 0);
}

static int read_only(void) {
  if (mount_small("size=4m"))
    return 77;
  store *s = open_or_fail(in_folder("small/a.db"));
  const store_run r = a_run("k1");
  keep(s, &r);
  store_close(s);
  assert_int_equal(mount(NULL, in_folder("small"), NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
  no_store(in_folder("small/a.db"), true, "Read-only file system; use a copy of it");
  no_store(in_folder("small/b.db"), true, "Read-only file system");
  s = store_open(in_folder("small/a.db"), false, why);
  assert_non_null(s);
  look_is(s, "k1", STORE_DONE);
  store_close(s);
  return 0;
}

static void read_only_system(void **state) {
  (void)state;
  is_or_skip(ended(apart(read_only)));
}

// ---- full disks

// A file may not become larger than so much: as a quota, but of each file.
static int limited(void) {
  signal(SIGXFSZ, SIG_IGN);
  const char *file = in_folder(network ? "limited_network.db" : "limited.db");
  store *s = open_or_fail(file);
  store_run r = a_run("k1"), got;
  keep(s, &r);
  struct rlimit limit, whole;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
  r.key = "k2";
  r.statistics = noise;
  claim_is(s, "k2", false, STORE_MINE);
  for (rlim_t most = 0; most < sizeof noise; most = 2 * most + 4096) {
    limit = whole;
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const bool ok = store_finish(s, &r, NULL, why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
    assert_false(ok);
    assert_true(says("File too large; what it holds is whole: free some space"));
    assert_true(says(file));
    look_is(s, "k2", STORE_MINE);
    look_is(s, "k1", STORE_DONE);
    is_whole(file);
  }
  assert_true(store_finish(s, &r, NULL, why));
  assert_true(store_read(s, 2, true, &got, why));
  assert_string_equal(got.statistics, noise);
  store_run_free(&got);
  store_close(s);
  is_whole(file);
  return 0;
}

static void limits(void **state) {
  (void)state;
  make_noise();
  for (int k = 0; k < 2; k++) {
    network = k;
    assert_int_equal(ended(apart(limited)), 0);
  }
  network = false;
}

// Leaves `kilobytes` of the small file system.
static void fill(int kilobytes) {
  const int fd = open(in_folder("small/filler"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  off_t size = 0;
  while (write(fd, noise, 4096) == 4096)
    size += 4096;
  assert_int_equal(errno, ENOSPC);
  assert_int_equal(ftruncate(fd, size > kilobytes * 1024 ? size - kilobytes * 1024 : 0), 0);
  close(fd);
}

static bool is_full_disk(bool ok) {
  return ok || says("No space left on device; what it holds is whole: free some space");
}

// All steps, with so much free: each works, or says why and can be done again when there is room.
static void with_free(int kilobytes, int *failures) {
  const char *file = in_folder("small/a.db");
  store_run r = a_run("k1"), got;
  r.statistics = noise;
  fill(kilobytes);
  store *s = store_open(file, true, why);
  assert_true(is_full_disk(s));
  if (!s) {
    ++*failures;
    assert_int_equal(unlink(in_folder("small/filler")), 0);
    s = open_or_fail(file);
    fill(kilobytes);
  }
  store_state is;
  bool ok = store_claim(s, &r, false, &is, why);
  assert_true(is_full_disk(ok));
  if (!ok) {
    ++*failures;
    assert_int_equal(unlink(in_folder("small/filler")), 0);
    claim_is(s, "k1", false, STORE_MINE);
    fill(kilobytes);
  }
  ok = store_finish(s, &r, NULL, why);
  assert_true(is_full_disk(ok));
  assert_int_equal(unlink(in_folder("small/filler")), 0);
  if (!ok) {
    ++*failures;
    look_is(s, "k1", STORE_MINE);
    is_whole(file);
    assert_true(store_finish(s, &r, NULL, why));
  }
  assert_true(store_read(s, 1, true, &got, why));
  assert_string_equal(got.statistics, noise);
  store_run_free(&got);
  store_close(s);
  is_whole(file);
  raw(file, "delete from runs; drop table owners");
  static const char *const names[] = {"small/a.db", "small/a.db.lock"};
  for (size_t k = 0; k < 2; k++)
    assert_int_equal(unlink(in_folder(names[k])), 0);
}

static int full(void) {
  if (mount_small("size=2m"))
    return 77;
  int failures = 0;
  noise[200000] = 0;
  for (int kilobytes = 0; kilobytes < 700; kilobytes += kilobytes < 160 ? 8 : 60)
    with_free(kilobytes, &failures);
  assert_true(failures > 25);
  return 0;
}

static void full_disk(void **state) {
  (void)state;
  make_noise();
  for (int k = 0; k < 2; k++) {
    network = k;
    is_or_skip(ended(apart(full)));
  }
  network = false;
}

// ---- others that use it

static void held(void **state) {
  (void)state;
  const char *file = in_folder("held.db");
  store *s = open_or_fail(file);
  const store_run r = a_run("k1");
  sqlite3 *db;
  store_state is;
  assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "begin immediate", NULL, NULL, NULL), SQLITE_OK);
  assert_false(store_claim(s, &r, false, &is, why));
  assert_true(says("has been locked by another program for 60 s: end what writes it"));
  look_is(s, "k1", STORE_NONE);  // reading works
  assert_int_equal(sqlite3_exec(db, "rollback", NULL, NULL, NULL), SQLITE_OK);
  keep(s, &r);
  // who reads stops nobody
  assert_int_equal(sqlite3_exec(db, "begin; select * from runs", NULL, NULL, NULL), SQLITE_OK);
  claim_is(s, "k2", false, STORE_MINE);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  store_close(s);
}

static int waits(void) {
  for (;;)
    pause();
  return 0;
}

// A store is closed while it is locked: what it claimed is free, though its row stays, and though a
// child has what it had open.
static void held_at_the_end(void **state) {
  (void)state;
  const char *file = in_folder("end.db");
  store *s = open_or_fail(file), *t = open_or_fail(file);
  claim_is(s, "k1", false, STORE_MINE);
  const pid_t pid = apart(waits);
  sqlite3 *db;
  assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "begin immediate", NULL, NULL, NULL), SQLITE_OK);
  store_close(s);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  assert_int_equal(raw_number(file, "select count(*) from runs where owner is not null"), 1);
  look_is(t, "k1", STORE_NONE);
  claim_is(t, "k1", false, STORE_MINE);
  kill(pid, SIGKILL);
  assert_int_equal(ended(pid), 256);
  store_close(t);
}

// A claim that somebody else has taken, because the lock file was removed: one result is kept.
static void lost(void **state) {
  (void)state;
  const char *file = in_folder("lost.db");
  store *s = open_or_fail(file), *t;
  const store_run r = a_run("k1");
  claim_is(s, "k1", false, STORE_MINE);
  assert_int_equal(unlink(in_folder("lost.db.lock")), 0);
  t = open_or_fail(file);
  claim_is(t, "k1", false, STORE_MINE);
  assert_false(store_finish(s, &r, NULL, why));
  assert_true(says("the result of run k1 is not kept"));
  assert_true(store_finish(t, &r, NULL, why));
  store_close(t);
  store_close(s);
}

// An older copy that took the place of the store gives numbers again that are in use.
static void restored(void **state) {
  (void)state;
  const char *file = in_folder("restored.db");
  store *s = open_or_fail(file), *t, *u;
  raw(file, "delete from sqlite_sequence where name = 'owners'; delete from owners");
  t = open_or_fail(file);
  claim_is(t, "k1", false, STORE_MINE);
  u = open_or_fail(file);
  look_is(u, "k1", STORE_RUNNING);
  look_is(s, "k1", STORE_RUNNING);
  store_close(t);
  claim_is(u, "k1", false, STORE_MINE);
  store_close(u);
  store_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others),
      cmocka_unit_test(schemas),
      cmocka_unit_test(damage),
      cmocka_unit_test(closed),
      cmocka_unit_test(limits),
      cmocka_unit_test(full_disk),
      cmocka_unit_test(read_only_system),
      cmocka_unit_test(held),
      cmocka_unit_test(lost),
      cmocka_unit_test(restored),
      cmocka_unit_test(held_at_the_end),
  };
  return cmocka_run_group_tests_name("store, wrong", tests, folder_new, folder_end);
}
