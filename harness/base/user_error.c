// SPDX-License-Identifier: Apache-2.0
#include "user_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_file.h"

int user_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("mpu: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return EXIT_USAGE;
}

char *file_contents(const char *name, size_t *bytes) {
  FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
  char *text = NULL;
  size_t count = 0, capacity = 0, got = 1;
  if (!f)
    return NULL;
  while (got) {
    if (count == capacity) {
      char *more = realloc(text, capacity = 2 * capacity + 65536);
      if (!more)
        abort();
      text = more;
    }
    got = fread(text + count, 1, capacity - count, f);
    count += got;
  }
  const int failed = ferror(f) ? errno : 0;
  if (f != stdin)
    fclose(f);
  if (failed) {
    free(text);
    errno = failed;
    return NULL;
  }
  text[count] = 0;  // the last read had room, and found nothing
  if (bytes)
    *bytes = count;
  return text;
}

char *read_file(const char *name, size_t *bytes) {
  char *text = file_contents(name, bytes);
  if (!text)
    user_error("cannot read '%s': %s", name, strerror(errno));
  return text;
}

int cannot_write(const char *name) {
  if (strcmp(name, "-") == 0)
    return user_error("cannot write to standard output: %s", strerror(errno));
  return user_error("cannot write '%s': %s", name, strerror(errno));
}

bool write_file(const char *name, const void *from, size_t bytes) {
  const bool ok = out_write(name, from, bytes);
  if (!ok)
    cannot_write(name);
  return ok;
}
