// SPDX-License-Identifier: Apache-2.0
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/user_error.h"

static bool add(sweep *s, const char *value, size_t length, size_t most) {
  if (s->n == most)
    return user_error("%s: more than %zu values", s->option, most), false;
  if (length >= SWEEP_TEXT)
    return user_error("%s: '%s' is longer than a value can be", s->option, value), false;
  snprintf(s->values[s->n++], SWEEP_TEXT, "%.*s", (int)length, value);
  return true;
}

// Up to `end` stands a number, and nothing else.
static bool number(const char *text, const char *end, double *to) {
  char *stop;
  *to = strtod(text, &stop);
  return stop != text && stop == end;
}

static bool range(sweep *s, const char *list, const char *colon, const char *second, size_t most) {
  double from, to, step;
  if (!number(list, colon, &from) || !number(colon + 1, second, &to))
    return user_error("%s: '%s' is not FROM:TO:STEP, three numbers", s->option, list), false;
  if (!number(second + 1, strchr(second, 0), &step) || !(step > 0))
    return user_error("%s: '%s' is not a step above 0", s->option, second + 1), false;
  for (double k = 0; from + k * step <= to + step * 1e-6; k++) {
    char value[SWEEP_TEXT];
    snprintf(value, sizeof value, "%.9g", from + k * step);
    if (!add(s, value, strlen(value), most))
      return false;
  }
  return s->n || (user_error("%s: '%s' is an empty list", s->option, list), false);
}

bool sweep_list(sweep *s, const char *option, const char *list, size_t most) {
  const char *colon = strchr(list, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
  snprintf(s->option, sizeof s->option, "%s", option);
  s->n = 0;
  if (second)
    return range(s, list, colon, second, most);
  for (;; list++) {
    const size_t length = strcspn(list, ",");
    if (!add(s, list, length, most))
      return false;
    list += length;
    if (!*list)
      return true;
  }
}

bool sweep_read(sweep *s, const char *text, const char *names, size_t most) {
  const char *list = strchr(text, '=');
  char option[SWEEP_TEXT];
  if (!list)
    return sweep_wrong(text, names), false;
  snprintf(option, sizeof option, "--%.*s", (int)(list - text), text);
  return sweep_list(s, option, list + 1, most);
}

int sweep_wrong(const char *text, const char *names) {
  return user_error("--sweep takes NAME=LIST, NAME %s; not '%s'", names, text);
}
