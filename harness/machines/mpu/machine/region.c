// SPDX-License-Identifier: Apache-2.0
#include "region.h"

#include <stdio.h>

enum { NBUS = 4 };

bool region_fits(const digits *lines, const address_map *m, char *why, size_t why_bytes) {
  const uint64_t cores = digits_count(lines, DIGIT_CORE), nbus = digits_count(lines, DIGIT_NBU);
  if (cores != m->cores)
    snprintf(why, why_bytes, "its digits are for %llu cores, the machine has %u",
             (unsigned long long)cores, m->cores);
  else if (nbus != NBUS)
    snprintf(why, why_bytes, "its digits are for %llu NBUs of a core, which has %d",
             (unsigned long long)nbus, NBUS);
  else if (digits_count(lines, DIGIT_REST) == DIGITS_MANY)
    snprintf(why, why_bytes, "its digits are for more lines than there are");
  else if (m->span > MAP_SPAN_ALIGN)
    snprintf(why, why_bytes,
             "with its map.column_below and map.row_below cores have larger pieces than that");
  else
    return true;
  return false;
}

uint64_t region_round(const digits *lines, const address_map *m, uint64_t bytes) {
  uint64_t unit = digits_count(lines, DIGIT_REST) * m->cores * NBUS * REGION_LINE;
  while (unit % m->span)  // a power of two
    unit *= 2;
  return (bytes + unit - 1) / unit * unit;
}

static const region *region_at(const regions *r, uint64_t address) {
  for (uint32_t k = 0; k < r->n; k++)
    if (address - r->of[k].base < r->of[k].bytes)
      return &r->of[k];
  return NULL;
}

bool region_add(regions *r, uint64_t base, uint64_t bytes, const digits *lines) {
  if (r->n == REGIONS)
    return false;
  r->of[r->n++] = (region){base, bytes, *lines};
  return true;
}

void region_remove(regions *r, uint64_t base) {
  for (uint32_t k = 0; k < r->n; k++)
    if (r->of[k].base == base) {
      r->of[k] = r->of[--r->n];
      return;
    }
}

uint64_t region_place(const address_map *m, uint64_t address) {
  const region *r = region_at(m->regions, address);
  uint32_t to[DIGIT_KINDS];
  if (!r)
    return address;
  digits_split(&r->lines, (address - r->base) / REGION_LINE, to);
  return map_line(m, r->base, to[DIGIT_CORE], to[DIGIT_NBU], to[DIGIT_REST]) +
         address % REGION_LINE;
}

uint64_t region_address(const void *map, uint64_t place) {
  const address_map *m = map;
  const region *r = m->regions ? region_at(m->regions, place) : NULL;
  if (!r)
    return place;
  const uint64_t at = place - r->base;
  const uint32_t from[DIGIT_KINDS] = {[DIGIT_CORE] = map_get(&m->core, at),
                                      [DIGIT_NBU] = map_get(&m->nbu, at),
                                      [DIGIT_REST] = map_get(&m->line, at)};
  return r->base + digits_join(&r->lines, from) * REGION_LINE + place % REGION_LINE;
}
