// SPDX-License-Identifier: Apache-2.0
// Files that have their name only when they are whole.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/base/out_file.h"

static char folder[] = "/tmp/nearbank-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[100];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return chdir("/") || system(command);
}

static void holds(const char *name, const char *text) {
  char got[100] = "";
  FILE *f = fopen(name, "r");
  if (!f)
    fail_msg("there is no %s", name);
  got[fread(got, 1, sizeof got - 1, f)] = 0;
  fclose(f);
  assert_string_equal(got, text);
}

// Nothing but what is named is in the folder.
static void only(const char *names) {
  char command[200];
  snprintf(command, sizeof command, "[ \"$(ls -A | tr '\\n' ' ')\" = '%s' ]", names);
  if (system(command))
    fail_msg("there is more than '%s'", names);
}

static void whole(void **state) {
  (void)state;
  out_file *o = out_open("a");
  assert_non_null(o);
  fputs("new", out_stream(o));
  fflush(out_stream(o));
  assert_int_not_equal(access("a", F_OK), 0);
  assert_true(out_close(o));
  holds("a", "new");
  only("a ");
  // over one that was there, whose mode stays; a link stays a link
  assert_int_equal(chmod("a", 0640), 0);
  assert_int_equal(symlink("a", "link"), 0);
  assert_true(out_write("link", "newer", 5));
  holds("a", "newer");
  only("a link ");
  struct stat s;
  assert_int_equal(lstat("link", &s), 0);
  assert_true(S_ISLNK(s.st_mode));
  assert_int_equal(stat("a", &s), 0);
  assert_int_equal(s.st_mode & 0777, 0640);
  unlink("link");
}

static void dropped(void **state) {
  (void)state;
  assert_true(out_write("a", "old", 3));
  out_file *o = out_open("a");
  fputs("new", out_stream(o));
  out_drop(o);
  out_drop(NULL);
  holds("a", "old");
  only("a ");
}

// The reason is that of the first write that fails, and the old file stays.
static void full(void **state) {
  const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, less = {100, RLIM_INFINITY};
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  assert_true(out_write("a", "old", 3));
  setrlimit(RLIMIT_FSIZE, &less);
  out_file *o = out_open("a");
  for (int n = 0; n < 10000; n++)
    fputs("more than there is room for\n", out_stream(o));
  errno = 0;
  const bool ok = out_close(o);
  const int e = errno;
  setrlimit(RLIMIT_FSIZE, &all);
  assert_false(ok);
  assert_int_equal(e, EFBIG);
  holds("a", "old");
  only("a ");
  if (access("/dev/full", W_OK) == 0) {
    assert_false(out_write("/dev/full", "x", 1));
    assert_int_equal(errno, ENOSPC);
  }
  assert_true(out_write("/dev/null", "x", 1));
}

static void impossible(const char *name, int e) {
  errno = 0;
  assert_null(out_open(name));
  assert_int_equal(errno, e);
  errno = 0;
  assert_false(out_can(name));
  assert_int_equal(errno, e);
}

static void refused(void **state) {
  (void)state;
  impossible("no/where", ENOENT);
  impossible("", ENOENT);
  impossible(".", EISDIR);
  assert_true(out_can("b"));
  assert_true(out_can("a"));
  holds("a", "old");
  only("a ");
  if (geteuid() == 0)
    return;  // who may do everything
  assert_int_equal(chmod("a", 0444), 0);
  impossible("a", EACCES);
  assert_int_equal(chmod("a", 0644), 0);
  assert_int_equal(chmod(".", 0555), 0);
  impossible("b", EACCES);
  assert_true(out_write("a", "in place", 8));  // no other file can be made here
  holds("a", "in place");
  assert_int_equal(chmod(".", 0755), 0);
}

// Descriptors: FILE.part until it is whole, and afterwards when it is not.
static void places(void **state) {
  out_place p;
  (void)state;
  int fd = out_place_open(&p, "c");
  assert_true(fd >= 0);
  assert_int_equal(write(fd, "half", 4), 4);
  holds("c.part", "half");
  assert_true(out_place_close(&p, fd, false));
  holds("c.part", "half");
  assert_int_not_equal(access("c", F_OK), 0);
  fd = out_place_open(&p, "c");
  assert_int_equal(write(fd, "all", 3), 3);
  assert_true(out_place_close(&p, fd, true));
  holds("c", "all");
  only("a c ");
  assert_true(out_write("d", "by another", 10));
  assert_true(out_publish("d", "c"));
  holds("c", "by another");
  assert_false(out_publish("d", "c"));
  assert_int_equal(errno, ENOENT);
  unlink("c");
}

// /dev/stdout is what standard output is, wherever that has come to.
static void standard(void **state) {
  (void)state;
  const pid_t pid = fork();
  if (!pid) {
    dup2(open("e", O_WRONLY | O_CREAT, 0666), 1);
    const bool ok = write(1, "1", 1) == 1 && out_write("/dev/stdout", "2", 1) &&
                    out_write("/dev/fd/1", "3", 1) && out_write("-", "4", 1);
    _exit(ok && write(1, "5", 1) == 1 ? 0 : 1);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  assert_int_equal(status, 0);
  holds("e", "12345");
}

// What is closed is not what the next file gets.
static void closed(void **state) {
  (void)state;
  const pid_t pid = fork();
  if (!pid) {
    for (int fd = 0; fd < 3; fd++)
      close(fd);
    out_standard();
    const bool ok = open("e", O_RDONLY) > 2 && write(1, "x", 1) < 0 && write(2, "x", 1) == 1;
    printf("x");
    _exit(ok && !out_printed() && errno == EBADF ? 0 : 1);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole),   cmocka_unit_test(dropped), cmocka_unit_test(full),
      cmocka_unit_test(refused), cmocka_unit_test(places),  cmocka_unit_test(standard),
      cmocka_unit_test(closed),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
