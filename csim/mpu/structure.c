// SPDX-License-Identifier: Apache-2.0
#include "structure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const structure structure_default = {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) .field = standard,
#include "structure.def"
#undef STRUCTURE
};

typedef struct size {
  const char *name;
  uint32_t standard, min, max, step;
  size_t offset;
} size;

static const size sizes[] = {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) \
  {#PARAMETER, standard, min, max, step, offsetof(structure, field)},
#include "structure.def"
#undef STRUCTURE
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static uint32_t value_of(const structure *s, const size *z) {
  uint32_t value;
  memcpy(&value, (const char *)s + z->offset, sizeof value);
  return value;
}

bool structure_is_default(const structure *s) {
  return memcmp(s, &structure_default, sizeof *s) == 0;
}

bool structure_check(const structure *s, char *why, size_t bytes) {
  for (const size *z = sizes; z < sizes + SIZES; z++) {
    const uint32_t v = value_of(s, z);
    const bool none = !z->step && z->min == 0;  // 0 is allowed beside powers of two from 2
    const bool fits = z->step ? v % z->step == 0 : !(v & (v - 1)) && !(none && v == 1);
    if (v >= z->min && v <= z->max && fits)
      continue;
    snprintf(why, bytes, "%s is %u; allowed: %s%u to %u", z->name, v,
             z->step ? ""
             : none  ? "0 and powers of two from "
                     : "powers of two from ",
             none ? 2 : z->min, z->max);
    return false;
  }
  return true;
}

const char *structure_parameters(const structure *s, char *to, size_t bytes) {
  size_t at = 0;
  *to = 0;
  for (const size *z = sizes; z < sizes + SIZES && at < bytes; z++)
    if (value_of(s, z) != z->standard)
      at +=
          (size_t)snprintf(to + at, bytes - at, "%s%s=%u", at ? " " : "", z->name, value_of(s, z));
  return to;
}

bool structure_read(structure *s, const char *text, char *why, size_t bytes) {
  while (*text) {
    const size_t name = strcspn(text, "= "), item = strcspn(text, " ");
    const size *z = sizes;
    while (z < sizes + SIZES && (strlen(z->name) != name || memcmp(z->name, text, name)))
      z++;
    char *end = NULL;
    const bool valued = name < item && isdigit((unsigned char)text[name + 1]);
    const unsigned long value = valued ? strtoul(text + name + 1, &end, 10) : 0;
    if (z == sizes + SIZES || !valued || end != text + item || value > UINT32_MAX) {
      snprintf(why, bytes, "'%.*s' is not a size and its value, as in QUEUE=8", (int)item, text);
      return false;
    }
    const uint32_t v = (uint32_t)value;
    memcpy((char *)s + z->offset, &v, sizeof v);
    text += item + strspn(text + item, " ");
  }
  return structure_check(s, why, bytes);
}
