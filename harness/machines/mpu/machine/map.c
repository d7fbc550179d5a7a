// SPDX-License-Identifier: Apache-2.0
#include "map.h"

#include <assert.h>
#include <stdio.h>

enum { BANK_AT = 5, BANK_BITS = 2, NBU_BITS = 2 };

static uint32_t log2_of(uint32_t n) {
  return (uint32_t)__builtin_ctz(n);
}

static void add(map_field *f, uint32_t at, uint32_t bits) {
  f->piece[f->pieces].at = (uint8_t)at;
  f->piece[f->pieces++].bits = (uint8_t)bits;
}

// The next bits of an address are of f, and of `line` if there is one.
static void take(map_field *f, map_field *line, uint32_t *at, uint32_t bits) {
  if (!bits)
    return;
  add(f, *at, bits);
  if (line)
    add(line, *at, bits);
  *at += bits;
}

bool map_make(address_map *m, const map_config *c, char *why, size_t why_bytes) {
  *m = (address_map){0};
  if (c->processors & (c->processors - 1) || c->cores & (c->cores - 1) || !c->processors ||
      !c->cores) {
    snprintf(why, why_bytes,
             "machine.processors and machine.cores have bits of their own in an address: allowed "
             "are powers of two, not %u and %u",
             c->processors, c->cores);
    return false;
  }
  const uint32_t column_bits = c->columns ? log2_of(c->columns) : MAP_COLUMN_BITS;
  const uint32_t row_bits = c->rows ? log2_of(c->rows) : MAP_ROW_BITS;
  assert(column_bits <= MAP_COLUMN_BITS && row_bits <= MAP_ROW_BITS);
  assert(c->column_below <= column_bits && c->row_below < row_bits);
  m->column_bits = column_bits;
  uint32_t at = BANK_AT + BANK_BITS;
  map_field core = {0}, processor = {0};
  take(&m->nbu, NULL, &at, NBU_BITS);
  take(&m->column, &m->line, &at, c->column_below);
  take(&m->row, &m->line, &at, c->row_below);
  if (c->processor_first)
    take(&processor, NULL, &at, log2_of(c->processors));
  take(&core, NULL, &at, log2_of(c->cores));
  if (!c->processor_first)
    take(&processor, NULL, &at, log2_of(c->processors));
  m->span = 1ull << at;
  take(&m->column, &m->line, &at, column_bits - c->column_below);
  take(&m->row, &m->line, &at, row_bits - c->row_below);
  m->core = core;
  for (uint32_t k = 0; k < processor.pieces; k++)
    m->core.piece[m->core.pieces++] = processor.piece[k];
  m->cores = c->processors * c->cores;
  m->bytes = 1ull << at;
  return true;
}

static dram_stride stride_of(const map_field *f) {
  const uint32_t low = f->piece[0].bits;
  return (dram_stride){low, map_put(f, 1), f->pieces > 1 ? map_put(f, 1u << low) : 0};
}

map_place map_of_core(const address_map *m, uint32_t core) {
  return (map_place){.base = map_put(&m->core, core),
                     .nbu = map_put(&m->nbu, 1),
                     .bank = 1ull << BANK_AT,
                     .row = stride_of(&m->row),
                     .col = stride_of(&m->column)};
}
