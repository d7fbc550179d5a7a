// SPDX-License-Identifier: Apache-2.0
#include "digits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *word_of(digit_of of, const char *rest) {
  return of == DIGIT_CORE ? "core" : of == DIGIT_NBU ? "nbu" : rest;
}

static const char *blanks(const char *at) {
  while (isspace((unsigned char)*at))
    at++;
  return at;
}

// A digit, and what follows it; NULL: `why` says what is wrong.
static const char *read_digit(digits *d, const char *at, const char *rest, char *why,
                              size_t why_bytes) {
  const size_t letters = strcspn(at, " \t,0123456789");
  digit_of of = 0;
  char *end;
  while (of < DIGIT_KINDS &&
         (strlen(word_of(of, rest)) != letters || strncmp(word_of(of, rest), at, letters) != 0))
    of++;
  if (of == DIGIT_KINDS) {
    snprintf(why, why_bytes, "'%.*s' is not core, nbu or %s", (int)letters, at, rest);
    return NULL;
  }
  const unsigned long radix = strtoul(at + letters, &end, 10);
  if (end == at + letters || radix < 1 || radix > DIGITS_RADIX) {
    snprintf(why, why_bytes, "'%s' needs a number from 1 to %d", word_of(of, rest), DIGITS_RADIX);
    return NULL;
  }
  if (d->n == DIGITS_MOST) {
    snprintf(why, why_bytes, "there are more than %d digits", DIGITS_MOST);
    return NULL;
  }
  d->digit[d->n].radix = (uint32_t)radix;
  d->digit[d->n++].of = of;
  return blanks(end);
}

bool digits_read(digits *d, const char *text, const char *rest, char *why, size_t why_bytes) {
  const char *at = text;
  *d = (digits){0};
  do {
    at = read_digit(d, blanks(at), rest, why, why_bytes);
  } while (at && *at == ',' && at++);
  if (at && *at)
    snprintf(why, why_bytes, "'%.20s' is not expected: digits stand between commas", at);
  return at && !*at;
}

void digits_print(const digits *d, const char *rest, char *to, size_t bytes) {
  size_t at = 0;
  *to = 0;
  for (uint32_t k = 0; k < d->n && at < bytes; k++)
    at += (size_t)snprintf(to + at, bytes - at, "%s%s %u", k ? ", " : "",
                           word_of(d->digit[k].of, rest), d->digit[k].radix);
}

uint64_t digits_count(const digits *d, digit_of of) {
  uint64_t all = 1;
  for (uint32_t k = 0; k < d->n; k++)
    if (d->digit[k].of == of && (all *= d->digit[k].radix) >= DIGITS_MANY)
      return DIGITS_MANY;
  return all;
}

void digits_split(const digits *d, uint64_t number, uint32_t to[DIGIT_KINDS]) {
  uint32_t scale[DIGIT_KINDS];
  for (unsigned k = 0; k < DIGIT_KINDS; k++)
    to[k] = 0, scale[k] = 1;
  for (uint32_t k = 0; k < d->n; k++) {
    const uint32_t radix = d->digit[k].radix, of = d->digit[k].of;
    const uint64_t left = number / radix;
    to[of] += (uint32_t)(number - left * radix) * scale[of];
    scale[of] *= radix;
    number = left;
  }
  to[DIGIT_REST] += (uint32_t)number * scale[DIGIT_REST];
}

uint64_t digits_join(const digits *d, const uint32_t from[DIGIT_KINDS]) {
  uint32_t left[DIGIT_KINDS];
  uint64_t number = 0, scale = 1;
  for (unsigned k = 0; k < DIGIT_KINDS; k++)
    left[k] = from[k];
  for (uint32_t k = 0; k < d->n; k++) {
    const uint32_t radix = d->digit[k].radix, of = d->digit[k].of;
    number += left[of] % radix * scale;
    left[of] /= radix;
    scale *= radix;
  }
  return number + left[DIGIT_REST] * scale;
}
