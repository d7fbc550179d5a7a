// SPDX-License-Identifier: Apache-2.0
#include "sizes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sizes_default(const size_table *t, void *sizes) {
  for (size_t k = 0; k < t->count; k++)
    ((uint32_t *)sizes)[k] = t->sizes[k].standard;
}

bool sizes_check(const size_table *t, const void *sizes, char *why, size_t bytes) {
  for (const size_row *z = t->sizes; z < t->sizes + t->count; z++) {
    const uint32_t v = ((const uint32_t *)sizes)[z - t->sizes];
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

const char *sizes_text(const size_table *t, const void *sizes, char *to, size_t bytes) {
  const uint32_t *v = sizes;
  size_t at = 0;
  *to = 0;
  for (size_t k = 0; k < t->count && at < bytes; k++)
    if (v[k] != t->sizes[k].standard)
      at += (size_t)snprintf(to + at, bytes - at, "%s%s=%u", at ? " " : "", t->sizes[k].name, v[k]);
  return to;
}

bool sizes_read(const size_table *t, void *sizes, const char *text, char *why, size_t bytes) {
  while (*text) {
    const size_t name = strcspn(text, "= "), item = strcspn(text, " ");
    const size_row *z = t->sizes, *const end_of = z + t->count;
    while (z < end_of && (strlen(z->name) != name || memcmp(z->name, text, name)))
      z++;
    char *end = NULL;
    const bool valued = name < item && isdigit((unsigned char)text[name + 1]);
    const unsigned long value = valued ? strtoul(text + name + 1, &end, 10) : 0;
    if (z == end_of || !valued || end != text + item || value > UINT32_MAX) {
      snprintf(why, bytes, "'%.*s' is not a size and its value, as in QUEUE=8", (int)item, text);
      return false;
    }
    ((uint32_t *)sizes)[z - t->sizes] = (uint32_t)value;
    text += item + strspn(text + item, " ");
  }
  return sizes_check(t, sizes, why, bytes);
}
