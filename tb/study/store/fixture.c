// SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

char why[STORE_WHY];
bool network;
static char folder[256], *names[256];
static size_t n_names;

// In place of the library's.
int fstatfs(int fd, struct statfs *to) {
  int (*ask)(int, struct statfs *) = NULL;
  *(void **)&ask = dlsym(RTLD_NEXT, "fstatfs");
  const int got = ask(fd, to);
  if (network)
    to->f_type = 0x6969;
  return got;
}

int folder_new(void **state) {
  (void)state;
  const char *in = getenv("TMPDIR");
  // in memory, where a journal does not wait for the disk
  if (!in || !*in)
    in = access("/dev/shm", W_OK) ? P_tmpdir : "/dev/shm";
  snprintf(folder, sizeof folder, "%s/nearbank-store-XXXXXX", in);
  return mkdtemp(folder) ? 0 : -1;
}

int folder_end(void **state) {
  (void)state;
  char command[512];
  while (n_names)
    free(names[--n_names]);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

const char *in_folder(const char *name) {
  for (size_t k = 0; k < n_names; k++)
    if (strcmp(names[k] + strlen(folder) + 1, name) == 0)
      return names[k];
  assert_true(n_names < sizeof names / sizeof *names);
  char *to = malloc(strlen(folder) + strlen(name) + 2);
  assert_non_null(to);
  sprintf(to, "%s/%s", folder, name);
  return names[n_names++] = to;
}

bool says(const char *text) {
  if (strstr(why, text))
    return true;
  print_error("'%s' is missing in: %s\n", text, why);
  return false;
}

store *open_or_fail(const char *file) {
  store *s = store_open(file, true, why);
  if (!s)
    fail_msg("%s", why);
  return s;
}

void no_store(const char *file, bool write, const char *said) {
  store *s = store_open(file, write, why);
  assert_null(s);
  assert_true(says(said));
}

store_run a_run(const char *key) {
  return (store_run){.key = key,
                     .tool = "run",
                     .program = "kernels/axpy",
                     .arguments = "--n 1000",
                     .command = "mpu run kernels/axpy -- --n 1000",
                     .machine = "paper",
                     .configuration = "core.subcores = 4\n",
                     .near = "c",
                     .program_hash = "p1",
                     .configuration_hash = "c1",
                     .build_hash = "b1",
                     .outcome = "pass",
                     .message = "",
                     .build = "0.1 abcdef",
                     .host = "here",
                     .started = "2026-01-31T12:00:00Z",
                     .seconds = 1.5,
                     .cpu_seconds = 1.25,
                     .memory = 123456789};
}

void claim_is(store *s, const char *key, bool again, store_state expected) {
  const store_run r = a_run(key);
  store_state is;
  if (!store_claim(s, &r, again, &is, why))
    fail_msg("%s", why);
  assert_int_equal(is, expected);
}

void look_is(store *s, const char *key, store_state expected) {
  store_state is;
  int64_t id;
  if (!store_look(s, key, &is, &id, why))
    fail_msg("%s", why);
  assert_int_equal(is, expected);
}

void keep(store *s, const store_run *r) {
  claim_is(s, r->key, true, STORE_MINE);
  if (!store_finish(s, r, NULL, why))
    fail_msg("%s", why);
}

static int take_number(void *ctx, int n, char **texts, char **names) {
  (void)n, (void)names;
  if (texts[0])
    *(long long *)ctx = atoll(texts[0]);
  return 0;
}

long long raw_number(const char *file, const char *sql) {
  sqlite3 *db;
  char *text = NULL;
  long long number = -1;
  assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
  if (sqlite3_exec(db, sql, take_number, &number, &text) != SQLITE_OK)
    fail_msg("%s: %s", sql, text);
  sqlite3_close(db);
  return number;
}

void raw(const char *file, const char *sql) {
  raw_number(file, sql);
}

void is_whole(const char *file) {
  assert_int_equal(raw_number(file,
                              "select count(*) from pragma_integrity_check where "
                              "integrity_check <> 'ok'"),
                   0);
  assert_int_equal(raw_number(file, "select count(*) from pragma_foreign_key_check"), 0);
}

pid_t apart(int (*body)(void)) {
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    // what fails here ends this process, and not only its test
    const struct rlimit no_core = {0};
    setrlimit(RLIMIT_CORE, &no_core);
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    _exit(body());
  }
  assert_true(pid > 0);
  return pid;
}

int ended(pid_t pid) {
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256;
}
