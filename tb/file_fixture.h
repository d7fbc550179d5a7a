// SPDX-License-Identifier: Apache-2.0
// A file for the tests of a program, where the system has such files. For cmocka_run_group_tests.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char name[4096];

static int make_file(void **state) {
  (void)state;
  const char *folder = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/nearbank-XXXXXX", folder && *folder ? folder : P_tmpdir);
  const int fd = mkstemp(name);
  return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
  (void)state;
  return remove(name);
}
