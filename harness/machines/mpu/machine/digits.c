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

// "pitch 16900,", and what follows it; NULL: `why` says what is wrong.
static const char *read_pitch(digits *d, const char *at, char *why, size_t why_bytes) {
  char *end;
  const unsigned long pitch = strtoul(at, &end, 10);
  if (end == at || pitch < DIGITS_LINE || pitch > DIGITS_PITCH || *blanks(end) != ',') {
    snprintf(why, why_bytes, "'pitch' needs a number from %d to %d, and digits behind a comma",
             DIGITS_LINE, DIGITS_PITCH);
    return NULL;
  }
  d->pitch = (uint32_t)pitch;
  return blanks(end) + 1;
}

bool digits_read(digits *d, const char *text, const char *rest, char *why, size_t why_bytes) {
  const char *at = blanks(text);
  *d = (digits){0};
  if (strcmp(rest, "line") == 0 && strncmp(at, "pitch", 5) == 0)
    at = read_pitch(d, at + 5, why, why_bytes);
  while (at) {
    at = read_digit(d, blanks(at), rest, why, why_bytes);
    if (!at || *at != ',')
      break;
    at++;
  }
  if (at && *at)
    snprintf(why, why_bytes, "'%.20s' is not expected: digits stand between commas", at);
  return at && !*at;
}

void digits_print(const digits *d, const char *rest, char *to, size_t bytes) {
  size_t at = 0;
  *to = 0;
  if (d->pitch)
    at += (size_t)snprintf(to, bytes, "pitch %u, ", d->pitch);
  for (uint32_t k = 0; k < d->n && at < bytes; k++)
    at += (size_t)snprintf(to + at, bytes - at, "%s%s %u", k ? ", " : "",
                           word_of(d->digit[k].of, rest), d->digit[k].radix);
}

static uint64_t first_of(uint32_t pitch, uint64_t group) {
  return (group * pitch + DIGITS_LINE - 1) / DIGITS_LINE;
}

uint32_t digits_group(uint32_t pitch) {
  return ((pitch + DIGITS_LINE - 1) / DIGITS_LINE + 3) / 4 * 4;
}

uint64_t digits_number(uint32_t pitch, uint64_t line) {
  const uint64_t group = line * DIGITS_LINE / pitch;
  return group * digits_group(pitch) + (line - first_of(pitch, group));
}

uint64_t digits_line(uint32_t pitch, uint64_t number) {
  const uint64_t group = number / digits_group(pitch);
  return first_of(pitch, group) + number % digits_group(pitch);
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
