// SPDX-License-Identifier: Apache-2.0
#include "region.h"

#include <assert.h>
#include <stdio.h>

enum { NBUS = 4 };
static_assert((int)REGION_LINE == (int)DIGITS_LINE, "");

bool region_may_copy(const address_map *m, char *why, size_t why_bytes) {
  if (m->span <= MAP_SPAN_ALIGN)
    return true;
  snprintf(why, why_bytes,
           "with its map.column_below and map.row_below cores have larger pieces than that");
  return false;
}

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
  else
    return region_may_copy(m, why, why_bytes);
  return false;
}

uint64_t region_round(const digits *lines, const address_map *m, uint64_t bytes) {
  uint64_t unit = digits_count(lines, DIGIT_REST) * m->cores * NBUS * REGION_LINE;
  while (unit % m->span)  // a power of two
    unit *= 2;
  if (lines->pitch)  // with the numbers that no lines have
    bytes = (bytes + lines->pitch - 1) / lines->pitch * digits_group(lines->pitch) * REGION_LINE;
  return (bytes + unit - 1) / unit * unit;
}

// The region by digits around an address.
static const region *region_at(const regions *r, uint64_t address) {
  for (uint32_t k = 0; k < r->n; k++)
    if (!r->of[k].copies_bytes && address - r->of[k].base < r->of[k].bytes)
      return &r->of[k];
  return NULL;
}

static bool overlaps(const region *r, uint64_t base, uint64_t bytes) {
  return r->base < base + bytes && base < r->base + r->bytes;
}

bool region_add(regions *r, uint64_t base, uint64_t bytes, const digits *lines) {
  if (r->n == REGIONS)
    return false;
  r->of[r->n++] = (region){.base = base, .bytes = bytes, .lines = *lines};
  return true;
}

uint64_t region_copies_bytes(const address_map *m, uint64_t bytes) {
  const uint64_t lines = (bytes + REGION_LINE - 1) / REGION_LINE,
                 of_nbu = (lines + NBUS - 1) / NBUS;
  return (of_nbu + map_lines(m) - 1) / map_lines(m) * m->span;
}

bool region_add_copies(regions *r, const address_map *m, uint64_t base, uint64_t bytes,
                       uint64_t copies) {
  if (r->n == REGIONS)
    return false;
  r->of[r->n++] = (region){.base = base,
                           .bytes = (bytes + REGION_LINE - 1) / REGION_LINE * REGION_LINE,
                           .copies = copies,
                           .copies_bytes = region_copies_bytes(m, bytes)};
  return true;
}

uint32_t region_copied(const regions *r, uint64_t base, uint64_t bytes) {
  uint32_t in = 0;
  for (uint32_t k = 0; k < r->n; k++)
    in |= (uint32_t)(r->of[k].copies_bytes && overlaps(&r->of[k], base, bytes)) << k;
  return in;
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
  const uint64_t line = (address - r->base) / REGION_LINE;
  const uint32_t pitch = r->lines.pitch;
  digits_split(&r->lines, pitch ? digits_number(pitch, line) : line, to);
  return map_line(m, r->base, to[DIGIT_CORE], to[DIGIT_NBU], to[DIGIT_REST]) +
         address % REGION_LINE;
}

uint32_t region_fresh(const address_map *m) {
  uint32_t fresh = 0;
  for (uint32_t k = 0; m->regions && k < m->regions->n; k++)
    fresh |= (uint32_t)m->regions->of[k].fresh << k;
  return fresh;
}

uint32_t region_copy_at(const address_map *m, uint64_t address, uint32_t of) {
  for (uint32_t left = of; left; left &= left - 1) {
    const region *r = &m->regions->of[__builtin_ctz(left)];
    if (address - r->base < r->bytes)
      return left & -left;
  }
  return 0;
}

uint64_t region_copy(const address_map *m, uint64_t address, uint32_t core, uint32_t of) {
  const uint32_t in = region_copy_at(m, address, of);
  if (!in)
    return map_place_of(m, address);
  const region *r = &m->regions->of[__builtin_ctz(in)];
  const uint32_t line = (uint32_t)((address - r->base) / REGION_LINE);
  return map_line(m, r->copies, core, line % NBUS, line / NBUS) + address % REGION_LINE;
}

// The copied line at a place.
static bool address_of_copy(const address_map *m, uint64_t place, uint64_t *address) {
  for (uint32_t k = 0; k < m->regions->n; k++) {
    const region *r = &m->regions->of[k];
    const uint64_t at = place - r->copies;
    if (at >= r->copies_bytes)
      continue;
    const uint64_t line = (uint64_t)map_get(&m->line, at) * NBUS + map_get(&m->nbu, at);
    *address = r->base + line * REGION_LINE + place % REGION_LINE;
    return true;
  }
  return false;
}

uint64_t region_address(const void *map, uint64_t place) {
  const address_map *m = map;
  uint64_t address;
  if (m->regions && address_of_copy(m, place, &address))
    return address;
  const region *r = m->regions ? region_at(m->regions, place) : NULL;
  if (!r)
    return place;
  const uint64_t at = place - r->base;
  const uint32_t from[DIGIT_KINDS] = {[DIGIT_CORE] = map_get(&m->core, at),
                                      [DIGIT_NBU] = map_get(&m->nbu, at),
                                      [DIGIT_REST] = map_get(&m->line, at)};
  const uint64_t number = digits_join(&r->lines, from);
  const uint32_t pitch = r->lines.pitch;
  return r->base + (pitch ? digits_line(pitch, number) : number) * REGION_LINE +
         place % REGION_LINE;
}
