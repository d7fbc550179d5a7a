// SPDX-License-Identifier: Apache-2.0
// Every address map that a configuration can give, with one bit of an address at a time (all parts
// are wires, so what holds for the bits holds for all addresses), and with random addresses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/machines/mpu/machine/map.h"

typedef struct place {
  uint32_t core, nbu, bank, row, column, byte;
} place;

static place place_of(const address_map *m, uint64_t at) {
  return (place){map_get(&m->core, at), map_get(&m->nbu, at),    (uint32_t)(at >> 5 & 3),
                 map_get(&m->row, at),  map_get(&m->column, at), (uint32_t)(at & 31)};
}

static uint64_t address_of(const address_map *m, const place *p) {
  return map_put(&m->core, p->core) | map_put(&m->nbu, p->nbu) | (uint64_t)p->bank << 5 |
         map_put(&m->row, p->row) | map_put(&m->column, p->column) | p->byte;
}

static uint64_t strided(const dram_stride *s, uint32_t n) {
  return (n & ((1u << s->bits) - 1)) * s->low + (uint64_t)(n >> s->bits) * s->high;
}

// Where the arrays behind a core's controllers have it.
static uint64_t array_address(const address_map *m, const place *p) {
  const map_place a = map_of_core(m, p->core);
  return a.base + p->nbu * a.nbu + p->bank * a.bank + strided(&a.row, p->row) +
         strided(&a.col, p->column) + p->byte;
}

static uint64_t next_random(uint64_t *x) {
  *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
  return *x;
}

static void check_address(const address_map *m, uint64_t at) {
  const place p = place_of(m, at);
  assert_true(p.core < m->cores && p.nbu < 4 && p.row < 1u << 14 && p.column < 32);
  assert_int_equal(address_of(m, &p), at);
  assert_int_equal(array_address(m, &p), at);
}

// Each bit is one bit of one part: addresses and places are as many, and each place is found again.
static void check_bits(const address_map *m, const map_config *c) {
  place all = {0};
  const uint32_t cores = c->processors * c->cores;
  assert_int_equal(m->cores, cores);
  assert_int_equal(m->bytes, 256ull * 1024 * 1024 * cores);
  for (uint64_t bit = 1; bit < m->bytes; bit <<= 1) {
    const place p = place_of(m, bit);
    const uint32_t parts[6] = {p.core, p.nbu, p.bank, p.row, p.column, p.byte};
    uint32_t ones = 0;
    for (unsigned k = 0; k < 6; k++)
      ones += (uint32_t)__builtin_popcount(parts[k]);
    assert_int_equal(ones, 1);
    all.core |= p.core, all.nbu |= p.nbu, all.bank |= p.bank;
    all.row |= p.row, all.column |= p.column, all.byte |= p.byte;
  }
  assert_int_equal(address_of(m, &all), m->bytes - 1);
  assert_int_equal(all.core, cores - 1);
}

// The first lines of an NBU from an address on, as local memory has them.
static void check_lines(const address_map *m, uint32_t core, uint32_t nbu) {
  static uint8_t seen[1 << 18];
  const uint32_t in_span = map_lines(m), n = 2 * in_span < 4096 ? 4096 : 2 * in_span;
  const uint64_t from = m->span * 3;
  uint64_t most = 0;
  assert_int_equal((uint64_t)in_span * 512 * m->cores, m->span);
  for (uint32_t k = 0; k < n; k++) {
    const uint64_t at = map_line(m, from, core, nbu, k);
    const place p = place_of(m, at);
    assert_true(p.core == core && p.nbu == nbu && p.bank == 0 && p.byte == 0);
    // spans are filled one after the other
    assert_in_range(at, from + k / in_span * m->span, from + (k / in_span + 1) * m->span - 1);
    most = at > most ? at : most;
  }
  // which lines of the first span there were: the bits that are not those of core, NBU and bank
  memset(seen, 0, sizeof seen);
  for (uint32_t k = 0; k < in_span; k++) {
    const uint32_t line = map_get(&m->line, map_line(m, from, core, nbu, k)) % in_span;
    assert_int_equal(seen[line]++, 0);
  }
}

static void all_maps(void **state) {
  (void)state;
  uint64_t x = 88172645463325252u;
  char why[200];
  for (uint32_t processors = 1; processors <= 8; processors *= 2)
    for (uint32_t cores = 1; cores <= 16; cores *= 2)
      for (uint32_t column = 0; column <= MAP_COLUMN_BITS; column++)
        for (uint32_t row = 0; row < MAP_ROW_BITS; row++)
          for (int first = 0; first < 2; first++) {
            const map_config c = {processors, cores, column, row, first, 0, 0};
            address_map m;
            assert_true(map_make(&m, &c, why, sizeof why));
            assert_int_equal(m.span, 512ull * processors * cores << (column + row));
            check_bits(&m, &c);
            for (int n = 0; n < 50; n++)
              check_address(&m, next_random(&x) % m.bytes);
            check_lines(&m, (uint32_t)next_random(&x) % m.cores, (uint32_t)next_random(&x) % 4);
          }
}

// The table of docs/machine.md.
static void page(void **state) {
  (void)state;
  const map_config c = {.processors = 8, .cores = 16};
  address_map m;
  char why[200];
  assert_true(map_make(&m, &c, why, sizeof why));
  const place p = place_of(
      &m, 3ull << 5 | 2ull << 7 | 9ull << 9 | 5ull << 13 | 21ull << 16 | 0x1234ull << 21 | 17);
  assert_int_equal(p.byte, 17);
  assert_int_equal(p.bank, 3);
  assert_int_equal(p.nbu, 2);
  assert_int_equal(p.core, 16 * 5 + 9);
  assert_int_equal(p.column, 21);
  assert_int_equal(p.row, 0x1234);
  assert_int_equal(m.bytes, 1ull << 35);
  assert_int_equal(m.span, 65536);
}

// Lower bits of column and row lie below those of core and processor, the lower one of these first.
static void pieces(void **state) {
  (void)state;
  const map_config c = {2, 4, 2, 3, true, 0, 0};
  address_map m;
  char why[200];
  assert_true(map_make(&m, &c, why, sizeof why));
  const place p =
      place_of(&m, 2ull << 9 | 5ull << 11 | 1ull << 14 | 3ull << 15 | 6ull << 17 | 0x155ull << 20);
  assert_int_equal(p.column, 2 | 6 << 2);
  assert_int_equal(p.row, 5 | 0x155 << 3);
  assert_int_equal(p.core, 4 * 1 + 3);
}

static void refused(void **state) {
  (void)state;
  static const uint32_t wrong[][2] = {{3, 4}, {0, 4}, {8, 0}, {2, 6}, {1, 12}};
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
    const map_config c = {.processors = wrong[n][0], .cores = wrong[n][1]};
    address_map m;
    char why[200] = "", numbers[40];
    snprintf(numbers, sizeof numbers, "not %u and %u", c.processors, c.cores);
    assert_false(map_make(&m, &c, why, sizeof why));
    assert_non_null(strstr(why, "machine.cores"));
    assert_non_null(strstr(why, "powers of two"));
    assert_non_null(strstr(why, numbers));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(page), cmocka_unit_test(pieces),
                                     cmocka_unit_test(all_maps), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
