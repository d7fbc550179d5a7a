// SPDX-License-Identifier: Apache-2.0
// Digits, as text and of numbers, and regions whose lines lie by them: every line has a place of
// its own in its region, each core and NBU as many, and the arrays find the address again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/machines/mpu/machine/region.h"

enum { WHY = 200, TRIALS = 300, MOST_LINES = 1 << 16, SHAPES = 4 };

static uint64_t next_random(uint64_t *x) {
  *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
  return *x;
}

static digits read_text(const char *text) {
  char why[WHY] = "";
  digits d;
  if (!digits_read(&d, text, "line", why, sizeof why))
    fail_msg("'%s': %s", text, why);
  return d;
}

static const map_config shapes[SHAPES] = {{.processors = 8, .cores = 16},
                                          {.processors = 1, .cores = 4},
                                          {.processors = 1, .cores = 1},
                                          {.processors = 2, .cores = 2, .column_below = 1}};

static address_map map_of(const map_config *c) {
  char why[WHY];
  address_map m;
  assert_true(map_make(&m, c, why, sizeof why));
  return m;
}

// ---- text

static void texts(void **state) {
  static const char *const same[] = {"core 1", "nbu 4, core 32, line 8, core 4",
                                     "line 16777216, core 128, nbu 2, nbu 2",
                                     "pitch 16900, nbu 4, line 34, core 128"};
  char text[DIGITS_TEXT];
  (void)state;
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    const digits d = read_text(same[k]);
    digits_print(&d, "line", text, sizeof text);
    assert_string_equal(text, same[k]);
  }
  const digits d = read_text("  nbu  4 ,core 2\t, line 3 ");
  digits_print(&d, "line", text, sizeof text);
  assert_string_equal(text, "nbu 4, core 2, line 3");
  assert_int_equal(digits_count(&d, DIGIT_NBU), 4);
  assert_int_equal(digits_count(&d, DIGIT_CORE), 2);
  assert_int_equal(digits_count(&d, DIGIT_REST), 3);
}

static void wrong_texts(void **state) {
  static const struct {
    const char *text, *says;
  } wrong[] = {{"", "'' is not core, nbu or line"},
               {"bank 4", "'bank' is not core, nbu or line"},
               {"cores 4", "'cores' is not core, nbu or line"},
               {"core", "'core' needs a number from 1 to 16777216"},
               {"core 0", "'core' needs a number from 1 to 16777216"},
               {"nbu -4", "'nbu' needs a number"},
               {"line 16777217", "'line' needs a number from 1 to 16777216"},
               {"line 99999999999999999999", "'line' needs a number"},
               {"core 4,", "'' is not core, nbu or line"},
               {"core 4 nbu 4", "'nbu 4' is not expected"},
               {"core 4;", "';' is not expected"},
               {"pitch", "'pitch' needs a number from 128 to 16777216"},
               {"pitch 127, core 4", "'pitch' needs a number from 128 to 16777216"},
               {"pitch 16777217, core 4", "'pitch' needs a number from 128 to 16777216"},
               {"pitch 256", "'pitch' needs a number from 128 to 16777216, and digits behind"},
               {"core 4, pitch 256", "'pitch' is not core, nbu or line"},
               {"nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, "
                "nbu 1, nbu 1, nbu 1, nbu 1, nbu 1, nbu 1",
                "more than 16 digits"}};
  (void)state;
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    char why[WHY] = "";
    digits d;
    assert_false(digits_read(&d, wrong[k].text, "line", why, sizeof why));
    if (!strstr(why, wrong[k].says))
      fail_msg("'%s': '%s', not '%s'", wrong[k].text, why, wrong[k].says);
  }
}

// ---- numbers

static void numbers(void **state) {
  uint64_t seed = 88172645463325252u;
  uint32_t to[DIGIT_KINDS];
  (void)state;
  const digits d = read_text("nbu 4, core 32, line 8, core 4");
  digits_split(&d, 3 + 4 * (17 + 32 * (5 + 8 * (2 + 4 * 1000ull))), to);
  assert_int_equal(to[DIGIT_NBU], 3);
  assert_int_equal(to[DIGIT_CORE], 17 + 32 * 2);
  assert_int_equal(to[DIGIT_REST], 5 + 8 * 1000);
  for (int trial = 0; trial < TRIALS; trial++) {
    digits r = {.n = 1 + (uint32_t)(next_random(&seed) % 6)};
    for (uint32_t k = 0; k < r.n; k++) {
      r.digit[k].radix = 1 + (uint32_t)(next_random(&seed) % 12);
      r.digit[k].of = (digit_of)(next_random(&seed) % DIGIT_KINDS);
    }
    for (int n = 0; n < 50; n++) {
      const uint64_t number = next_random(&seed) % (1 << 28);
      digits_split(&r, number, to);
      assert_true(to[DIGIT_CORE] < digits_count(&r, DIGIT_CORE));
      assert_true(to[DIGIT_NBU] < digits_count(&r, DIGIT_NBU));
      assert_int_equal(digits_join(&r, to), number);
    }
  }
}

// Groups of 16900 bytes: 133 lines that begin in the first one, 132 in the second.
static void groups(void **state) {
  (void)state;
  assert_int_equal(digits_group(16900), 136);
  assert_int_equal(digits_number(16900, 132), 132);
  assert_int_equal(digits_number(16900, 133), 136);
  assert_int_equal(digits_number(16900, 264), 136 + 131);
  assert_int_equal(digits_number(16900, 265), 2 * 136);
  assert_int_equal(digits_group(128), 4);
  assert_int_equal(digits_number(128, 5), 20);
  for (uint32_t pitch = 128; pitch < 2000; pitch += 7)
    for (uint64_t line = 0; line < 300; line++)
      assert_int_equal(digits_line(pitch, digits_number(pitch, line)), line);
}

// ---- regions

// Random digits that a machine of so many cores can have: its cores and NBUs in parts, lines
// between.
static digits random_digits(uint64_t *seed, uint32_t cores) {
  digits d = {0};
  uint32_t left[DIGIT_KINDS] = {[DIGIT_REST] = 1, [DIGIT_NBU] = 4, [DIGIT_CORE] = cores};
  while (d.n < DIGITS_MOST - 10 && (d.n == 0 || next_random(seed) % 4)) {
    const digit_of of = (digit_of)(next_random(seed) % DIGIT_KINDS);
    const uint32_t radix =
        of == DIGIT_REST ? 1 + (uint32_t)(next_random(seed) % 7) : 1u << next_random(seed) % 3;
    if (of != DIGIT_REST && left[of] % radix)
      continue;
    left[of] /= of == DIGIT_REST ? 1 : radix;
    d.digit[d.n].radix = radix, d.digit[d.n++].of = of;
  }
  for (digit_of of = DIGIT_NBU; of < DIGIT_KINDS; of++)
    d.digit[d.n].radix = left[of], d.digit[d.n++].of = of;
  return d;
}

static void check_region(address_map *m, const digits *d, uint64_t bytes, uint64_t base) {
  static uint8_t seen[MOST_LINES];
  static regions all;
  char why[WHY] = "";
  uint32_t each[128 * 4] = {0};
  assert_true(region_fits(d, m, why, sizeof why));
  // with a pitch, lines behind those of the array's own bytes have no places
  const uint64_t room = region_round(d, m, bytes);
  const uint64_t lines = d->pitch ? (bytes + REGION_LINE - 1) / REGION_LINE : room / REGION_LINE;
  assert_true(room >= bytes && room % m->span == 0);
  if (room / REGION_LINE > MOST_LINES)
    return;
  all.n = 0;
  assert_true(region_add(&all, base, room, d));
  m->regions = &all;
  memset(seen, 0, room / REGION_LINE);
  for (uint64_t n = 0; n < lines; n++) {
    const uint64_t at = base + n * REGION_LINE + n % REGION_LINE, place = map_place_of(m, at);
    assert_true(place >= base && place < base + room);
    assert_int_equal(place % REGION_LINE, n % REGION_LINE);
    assert_int_equal(seen[(place - base) / REGION_LINE]++, 0);
    assert_int_equal(region_address(m, place), at);
    each[map_get(&m->core, place) * 4 + map_get(&m->nbu, place)]++;
  }
  for (uint32_t k = 0; k < m->cores * 4 && !d->pitch; k++)
    assert_int_equal(each[k], lines / m->cores / 4);
  // beside it nothing has moved
  assert_int_equal(map_place_of(m, base - 1), base - 1);
  assert_int_equal(map_place_of(m, base + room), base + room);
  assert_int_equal(region_address(m, base - 1), base - 1);
  assert_int_equal(region_address(m, base + room), base + room);
}

static void bijections(void **state) {
  uint64_t seed = 1234567;
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    address_map m = map_of(&shapes[trial % SHAPES]);
    digits d = random_digits(&seed, m.cores);
    d.pitch = trial % 3 ? 0 : 128 + (uint32_t)(next_random(&seed) % 40000);
    check_region(&m, &d, 1 + next_random(&seed) % 3000000, (1 + next_random(&seed) % 100) * m.span);
  }
}

// The map that machines have, and the one that a blur wants: bits 9 to 13, 17 and 18 of an address.
static void known(void **state) {
  static regions all;
  address_map m = map_of(&shapes[0]);
  const digits flat = read_text("nbu 4, core 128");
  const digits blur = read_text("nbu 4, core 32, line 8, core 4");
  (void)state;
  m.regions = &all;
  region_add(&all, 1 << 20, 1 << 20, &flat);
  region_add(&all, 1 << 24, 1 << 24, &blur);
  for (uint64_t at = 1 << 20; at < 2 << 20; at += 96)
    assert_int_equal(map_place_of(&m, at), at);
  for (uint64_t at = 1 << 24; at < 2 << 24; at += 1056) {
    const uint64_t place = map_place_of(&m, at);
    assert_int_equal(map_get(&m.core, place), (at >> 9 & 31) | (at >> 17 & 3) << 5);
    assert_int_equal(map_get(&m.nbu, place), at >> 7 & 3);
  }
}

static void table(void **state) {
  static regions all;
  address_map m = map_of(&shapes[0]);
  const digits d = read_text("core 128, nbu 4");
  (void)state;
  m.regions = &all;
  for (uint64_t k = 0; k < REGIONS; k++)  // not in the order of their addresses
    assert_true(region_add(&all, (1 + k * 7 % REGIONS) * 4 * m.span, m.span, &d));
  assert_false(region_add(&all, 1000 * m.span, m.span, &d));
  for (uint64_t k = 1; k <= REGIONS; k++) {
    assert_int_not_equal(map_place_of(&m, k * 4 * m.span + REGION_LINE),
                         k * 4 * m.span + REGION_LINE);
    assert_int_equal(map_place_of(&m, k * 4 * m.span + m.span), k * 4 * m.span + m.span);
  }
  region_remove(&all, 5 * 4 * m.span + 1);  // none begins there
  assert_int_equal(all.n, REGIONS);
  region_remove(&all, 5 * 4 * m.span);
  assert_int_equal(all.n, REGIONS - 1);
  for (uint64_t k = 1; k <= REGIONS; k++) {
    const uint64_t at = k * 4 * m.span + REGION_LINE;
    assert_int_equal(map_place_of(&m, at) == at, k == 5);
  }
  assert_true(region_add(&all, 1000 * m.span, m.span, &d));
}

// ---- copies

// A core's own lines, each of the array once, equally many in its NBUs, and none of two cores.
static void check_copies(address_map *m, uint64_t bytes, uint64_t base, uint64_t copies) {
  static regions all;
  static uint8_t seen[MOST_LINES];
  const uint64_t lines = (bytes + REGION_LINE - 1) / REGION_LINE;
  const uint64_t room = region_copies_bytes(m, bytes);
  assert_int_equal(room % m->span, 0);
  if (room / REGION_LINE > MOST_LINES)
    return;
  all.n = 0;
  assert_true(region_add_copies(&all, m, base, bytes, copies));
  m->regions = &all;
  memset(seen, 0, room / REGION_LINE);
  for (uint64_t n = 0; n < lines; n++) {
    const uint64_t at = base + n * REGION_LINE + n % REGION_LINE;
    assert_int_equal(map_place_of(m, at), at);  // who writes goes there
    for (uint32_t core = 0; core < m->cores; core++) {
      const uint64_t place = region_copy(m, at, core, 1);
      assert_true(place >= copies && place < copies + room);
      assert_int_equal(map_get(&m->core, place), core);
      assert_int_equal(map_get(&m->nbu, place), n % 4);
      assert_int_equal(map_get(&m->line, place - copies), n / 4);
      assert_int_equal(place % REGION_LINE, n % REGION_LINE);
      assert_int_equal(seen[(place - copies) / REGION_LINE]++, 0);
      assert_int_equal(region_address(m, place), at);
    }
  }
  // only what an access is told to read from its copy
  assert_int_equal(region_copy(m, base, 0, 0), base);
  assert_int_equal(region_copy(m, base - 1, 0, 1), base - 1);
  assert_int_equal(region_copy(m, base + lines * REGION_LINE, 0, 1), base + lines * REGION_LINE);
  assert_int_equal(region_address(m, copies - 1), copies - 1);
  assert_int_equal(region_address(m, copies + room), copies + room);
}

static void copies(void **state) {
  uint64_t seed = 7654321;
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    address_map m = map_of(&shapes[trial % SHAPES]);
    check_copies(&m, 1 + next_random(&seed) % 40000, (1 + next_random(&seed) % 100) * m.span,
                 (200 + next_random(&seed) % 100) * m.span);
  }
}

// Fresh ones, which addresses they are of, beside regions by digits.
static void copies_fresh(void **state) {
  static regions all;
  address_map m = map_of(&shapes[0]);
  const digits d = read_text("core 128, nbu 4");
  (void)state;
  assert_int_equal(region_fresh(&m), 0);  // no table
  m.regions = &all;
  assert_true(region_add(&all, m.span, m.span, &d));
  assert_true(region_add_copies(&all, &m, 3 * m.span, 1000, 10 * m.span));
  assert_true(region_add_copies(&all, &m, 5 * m.span, 128, 20 * m.span));
  assert_int_equal(region_fresh(&m), 0);
  all.of[2].fresh = true;
  assert_int_equal(region_fresh(&m), 4);
  assert_int_equal(region_copied(&all, 0, UINT64_MAX / 2), 6);
  assert_int_equal(region_copied(&all, 3 * m.span + 1023, 1), 2);
  assert_int_equal(region_copied(&all, 3 * m.span + 1024, 1), 0);
  assert_int_equal(region_copied(&all, 3 * m.span - 1, 1), 0);
  assert_int_equal(region_copied(&all, m.span, m.span), 0);
  assert_int_equal(region_copy_at(&m, 5 * m.span + 127, 6), 4);
  assert_int_equal(region_copy_at(&m, 5 * m.span + 127, 2), 0);
  assert_int_equal(region_copy_at(&m, 5 * m.span + 128, 6), 0);
  // what is not of them is by digits, or flat
  assert_int_equal(region_copy(&m, m.span + 128, 3, 6), map_place_of(&m, m.span + 128));
  region_remove(&all, 3 * m.span);
  assert_int_equal(region_copied(&all, 0, UINT64_MAX / 2), 2);
  assert_int_equal(region_fresh(&m), 2);
}

static void refused(void **state) {
  static const struct {
    const char *text, *says;
  } wrong[] = {{"nbu 4", "for 1 cores, the machine has 128"},
               {"nbu 4, core 64", "for 64 cores"},
               {"core 128", "for 1 NBUs of a core, which has 4"},
               {"core 16777216, core 16777216, core 16777216, nbu 4", "for 1073741824 cores"},
               {"core 128, nbu 4, line 16777216, line 16777216", "for more lines than there are"}};
  char why[WHY];
  const map_config pieces = {.processors = 8, .cores = 16, .column_below = 5, .row_below = 8};
  const address_map m = map_of(&shapes[0]), large = map_of(&pieces);
  (void)state;
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    const digits d = read_text(wrong[k].text);
    assert_false(region_fits(&d, &m, why, sizeof why));
    if (!strstr(why, wrong[k].says))
      fail_msg("'%s': '%s', not '%s'", wrong[k].text, why, wrong[k].says);
  }
  const digits d = read_text("nbu 4, core 128");
  assert_false(region_fits(&d, &large, why, sizeof why));
  assert_non_null(strstr(why, "map.column_below"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts),        cmocka_unit_test(wrong_texts),
                                     cmocka_unit_test(numbers),      cmocka_unit_test(groups),
                                     cmocka_unit_test(bijections),   cmocka_unit_test(known),
                                     cmocka_unit_test(table),        cmocka_unit_test(copies),
                                     cmocka_unit_test(copies_fresh), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
