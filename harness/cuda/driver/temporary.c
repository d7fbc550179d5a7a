// SPDX-License-Identifier: Apache-2.0
#include "temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "compile.h"

static void pattern(const char *name, char *to, size_t bytes) {
  const char *folder = getenv("TMPDIR");
  snprintf(to, bytes, "%s/%s.XXXXXX", folder && *folder ? folder : P_tmpdir, name);
}

bool temporary_file(const char *name, char *to, size_t bytes) {
  pattern(name, to, bytes);
  const int fd = mkstemp(to);
  return fd >= 0 && close(fd) == 0;
}

bool temporary_folder(const char *name, char *to, size_t bytes) {
  pattern(name, to, bytes);
  return mkdtemp(to) != NULL;
}

void temporary_remove(const char *folder) {
  const char *const rm[] = {"rm", "-rf", folder, NULL};
  run_command(rm, true);
}
