// SPDX-License-Identifier: Apache-2.0
// Which byte of device memory is where: core, NBU, bank, row, column. Rules: docs/machine.md.
//
// Low to high: 5 bits of a byte, 2 of the bank, 2 of the NBU, some of column and row, those of core
// and processor, the rest of the column, the rest of the row.
#ifndef NEARBANK_MAP_H
#define NEARBANK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "csim/dram/dram.h"

typedef struct map_config {
  uint32_t processors, cores;        // powers of two
  uint32_t column_below, row_below;  // bits of them below those of core and processor
  bool processor_first;              // the processor's bits are below the core's
  uint32_t columns, rows;            // of a bank, powers of two; 0: 32 and 16384
} map_config;

enum { MAP_PIECES = 4, MAP_COLUMN_BITS = 5, MAP_ROW_BITS = 14 };  // bits at most
enum { MAP_REGION_CYCLES = 3 };     // of a range check that looks an address up in regions
enum { MAP_SPAN_ALIGN = 1 << 20 };  // allocations begin at multiples of a span up to this

typedef struct map_field {  // bits of an address, the lower pieces first
  uint32_t pieces;
  struct {
    uint8_t at, bits;
  } piece[MAP_PIECES];
} map_field;

typedef struct address_map {
  map_field nbu, core, column, row;  // core: of the machine, processor * cores + core
  map_field line;                    // of an NBU: the bits of column and row as they lie
  uint32_t column_bits;
  uint32_t cores;  // of the machine
  uint64_t bytes;
  uint64_t span;  // from a multiple of it on, all cores have equally much in so many bytes
  const struct regions
      *regions;  // memory whose lines lie elsewhere (region.h); NULL: there is none
} address_map;

// What is wrong goes to `why`.
bool map_make(address_map *m, const map_config *c, char *why, size_t why_bytes);

static inline uint32_t map_get(const map_field *f, uint64_t address) {
  uint32_t value = 0, at = 0;
  for (uint32_t k = 0; k < f->pieces; k++) {
    value |= (uint32_t)(address >> f->piece[k].at & ((1u << f->piece[k].bits) - 1)) << at;
    at += f->piece[k].bits;
  }
  return value;
}

static inline uint64_t map_put(const map_field *f, uint32_t value) {
  uint64_t address = 0;
  for (uint32_t k = 0; k < f->pieces; k++) {
    address |= (uint64_t)(value & ((1u << f->piece[k].bits) - 1)) << f->piece[k].at;
    value >>= f->piece[k].bits;
  }
  return address;
}

// The address whose place the byte at `address` has.
uint64_t region_place(const address_map *m, uint64_t address);
static inline uint64_t map_place_of(const address_map *m, uint64_t address) {
  return m->regions ? region_place(m, address) : address;
}

// Copies of memory that is only read, one in each core: those that are fresh, a bit each; those of
// `of` that the address is of, a bit or none; the place of a byte in a core's own one, where the
// address is of `of`, else that of the byte itself.
uint32_t region_fresh(const address_map *m);
uint32_t region_copy_at(const address_map *m, uint64_t address, uint32_t of);
uint64_t region_copy(const address_map *m, uint64_t address, uint32_t core, uint32_t of);

// The 128-byte line of an index in a core's NBU: 0, 1, ... are those from device address `from` on,
// a multiple of the span.
static inline uint64_t map_line(const address_map *m, uint64_t from, uint32_t core, uint32_t nbu,
                                uint32_t index) {
  return from + (map_put(&m->core, core) | map_put(&m->nbu, nbu) | map_put(&m->line, index));
}
// Lines of an NBU in a span.
static inline uint32_t map_lines(const address_map *m) {
  return (uint32_t)(m->span / m->cores / 512);
}

// Where a core's bytes are for the arrays behind its controllers.
typedef struct map_place {
  uint64_t base, nbu, bank;  // base; from one NBU, from one bank to the next
  dram_stride row, col;
} map_place;
map_place map_of_core(const address_map *m, uint32_t core);

#endif
