// SPDX-License-Identifier: Apache-2.0
#include "window.h"

#include <errno.h>
#include <stdlib.h>

// The digits at *text, if there are any. False: too many.
static bool number(const char **text, uint64_t *n) {
  char *end;
  if (**text < '0' || **text > '9')
    return true;
  errno = 0;
  *n = strtoull(*text, &end, 10);
  *text = end;
  return !errno;
}

const char window_forms[] = "cycles A:B, from A on and before B (or A: or :B)";

bool window_pair(const char *text, uint64_t *a, uint64_t *b) {
  const char *at = text;
  return number(&at, a) && *at++ == ':' && number(&at, b) && !*at && at > text + 1;
}

bool window_parse(const char *text, uint64_t *from, uint64_t *until) {
  *from = 0, *until = UINT64_MAX;
  return window_pair(text, from, until) && *from < *until;
}
