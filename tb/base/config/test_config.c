// SPDX-License-Identifier: Apache-2.0
// The configuration: its table, presets, files with each kind of mistake, the flat form, and files
// with random bytes changed.
//
//   test_config_config [--seed N] [--count N]
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/base/config/config.h"
#include "harness/machines/common/config_timing.h"
#include "csim/base/splitmix.h"
#include "csim/dram/bankctl_times.h"

static uint64_t seed = 1, count = 20000;

static bool read_text(config *c, const char *text, char *why) {
  return config_read_yaml(c, text, strlen(text), "f.yaml", why, CONFIG_WHY);
}

static config good(const char *text) {
  config c;
  char why[CONFIG_WHY] = "";
  if (!read_text(&c, text, why))
    fail_msg("%s\n%s", why, text);
  return c;
}

static void assert_same(const config *a, const config *b) {
  for (size_t n = 0; n < CONFIG_FIELDS; n++)
    if (config_get(a, &config_fields[n]) != config_get(b, &config_fields[n]))
      fail_msg("%s.%s differs", config_fields[n].section, config_fields[n].key);
}

static config printed_and_read(const config *c, bool changes) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  assert_non_null(f);
  config_print(c, "a\nb: c", changes, f);
  fclose(f);
  config back = good(text);
  free(text);
  return back;
}

static config flat_and_read(const config *c) {
  char text[CONFIG_FLAT], why[CONFIG_WHY] = "";
  config back;
  config_write_flat(c, text, sizeof text);
  assert_in_range(strlen(text), 1, sizeof text - 200);  // nothing was cut off
  assert_int_equal(text[strlen(text) - 1], '\n');
  if (!config_read_flat(&back, text, why, sizeof why))
    fail_msg("%s", why);
  return back;
}

// ---- the table

static void defaults_are_the_paper(void **state) {
  (void)state;
  config c = config_default(), paper;
  char why[CONFIG_WHY];
  assert_true(config_from_preset(&paper, "paper", why, sizeof why));
  assert_same(&c, &paper);
  assert_int_equal(c.machine.processors * c.machine.cores, 128);
  assert_int_equal(c.core.far_rf_bytes, 32 << 10);
  assert_int_equal(c.core.near_rf_bytes, 16 << 10);
  assert_int_equal(c.core.icache_bytes, 128 << 10);
  assert_int_equal(c.core.schedule, CONFIG_SCHEDULE_LRR);
  assert_int_equal(c.near.packets, 16);
  assert_int_equal(c.tsv.queue, 32);
  assert_int_equal(c.shared.bytes, 64 << 10);
  assert_int_equal(c.dram.rows * c.dram.row_bytes, 16 << 20);
  assert_int_equal(c.dram.row_buffers, 4);
  assert_int_equal(c.dram.page, CONFIG_PAGE_OPEN);
  assert_true(c.dram.refresh);
  assert_int_equal(c.network.on_chip_bits, 256);
  assert_int_equal(c.network.off_chip_bits, 128);
  assert_true(c.energy.dram_access == 150 && c.energy.dram_row == 270);
  assert_true(c.energy.dram_refresh == 1130 && c.energy.register_file == 40);
  assert_true(c.energy.shared_memory == 22.2 && c.energy.operand_collector == 41.49);
  assert_true(c.energy.lsu_extension == 39.67 && c.energy.tsv_bit == 4.53);
  assert_true(c.energy.on_chip_bit == 0.72 && c.energy.off_chip_bit == 4.5);
  assert_string_equal(config_text(&c, config_find("energy", "tsv_bit"), why, sizeof why), "4.53");
  assert_string_equal(config_text(&c, config_find("energy", "dram_row"), why, sizeof why), "270");
}

static void times_are_those_of_the_arrays(void **state) {
  (void)state;
  const config c = config_default();
  const dram_timing t = config_timing(&c);
#define SAME(name, value) assert_int_equal(t.name, dram_timing_default.name);
  DRAM_TIMING(SAME, SAME)
#undef SAME
  assert_int_equal(c.dram.banks, DRAM_BANKS);
  assert_int_equal(c.dram.row_bytes, DRAM_COLS * DRAM_BYTES);
  assert_int_equal(c.dram.rows, DRAM_ROWS);
}

// Whatever a configuration may say of them, the controller can be told.
static void any_times_are_in_the_ranges_of_the_controller(void **state) {
  (void)state;
  uint64_t x = 1;
  uint32_t good = 0;
  for (uint32_t n = 0; n < 200000; n++) {
    config c = config_default();
    for (size_t k = CONFIG_FIELD_dram_tRCD; k <= CONFIG_FIELD_dram_tWA; k++) {
      const config_field *f = &config_fields[k];
      char text[32], why[CONFIG_WHY];
      x = x * 6364136223846793005u + 1442695040888963407u;
      const int64_t extreme[] = {f->min, f->max, f->standard,
                                 f->min + (int64_t)(x >> 40) % (f->max - f->min + 1)};
      if (f->type != CONFIG_TYPE_NUMBER)
        continue;
      snprintf(text, sizeof text, "%lld", (long long)extreme[x >> 33 & 3]);
      assert_true(config_set(&c, f, text, why, sizeof why));
    }
    const config_field *blamed[2];
    char why[CONFIG_WHY];
    bankctl_times times;
    const dram_timing t = config_timing(&c);
    if (!config_check(&c, blamed, why, sizeof why))
      continue;
    good++;
    if (!bankctl_times_of(&t, &times, why, sizeof why))
      fail_msg("%s", why);
  }
  assert_true(good > 10000);
}

static void fields_are_sound(void **state) {
  (void)state;
  config c = config_default();
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    char text[32], why[CONFIG_WHY];
    assert_ptr_equal(config_find(f->section, f->key), f);
    assert_int_equal(config_get(&c, f), f->standard);
    if (f->fixed_by)
      assert_true(f->min == f->max && f->which);
    config_text(&c, f, text, sizeof text);
    if (!config_set(&c, f, text, why, sizeof why))
      fail_msg("the default of %s.%s: %s", f->section, f->key, why);
    assert_int_equal(config_get(&c, f), f->standard);
  }
}

static void presets_are_sound(void **state) {
  (void)state;
  for (const config_preset *p = config_presets; p->name; p++) {
    config c, back;
    char why[CONFIG_WHY] = "";
    const config_field *blamed[2];
    if (!config_load(&c, p->name, why, sizeof why) || !config_check(&c, blamed, why, sizeof why))
      fail_msg("%s: %s", p->name, why);
    back = printed_and_read(&c, false);
    assert_same(&c, &back);
    back = printed_and_read(&c, true);
    assert_same(&c, &back);
    back = flat_and_read(&c);
    assert_same(&c, &back);
  }
}

static void presets_say_what_they_are_called(void **state) {
  (void)state;
  config c;
  char why[CONFIG_WHY];
#define PRESET(name, condition)                               \
  assert_true(config_load(&c, name, why, sizeof why));        \
  assert_int_equal(c.machine.processors *c.machine.cores, 1); \
  assert_true(condition)
  PRESET("small", c.dram.row_buffers == 4);
  PRESET("nearbank-small", c.near.forms == 64 && c.near.patterns && c.near.predicates &&
                               c.core.reorder && c.shared.skew &&
                               c.core.location == CONFIG_LOCATION_COST);
  PRESET("far-shared", c.shared.place == CONFIG_PLACE_FAR);
  PRESET("rows-1", c.dram.row_buffers == 1);
  PRESET("rows-2", c.dram.row_buffers == 2);
  PRESET("rows-4", c.dram.row_buffers == 4);
  PRESET("closed-page", c.dram.page == CONFIG_PAGE_CLOSED);
  PRESET("no-refresh", !c.dram.refresh);
  PRESET("location-compiler", c.core.location == CONFIG_LOCATION_COMPILER);
  PRESET("location-cost", c.core.location == CONFIG_LOCATION_COST);
  PRESET("location-hardware", c.core.location == CONFIG_LOCATION_HARDWARE);
  PRESET("location-near", c.core.location == CONFIG_LOCATION_NEAR);
  PRESET("location-far", c.core.location == CONFIG_LOCATION_FAR);
  PRESET("base-die", c.core.compute == CONFIG_COMPUTE_BASE_DIE);
}

// ---- files

static void files_set_what_they_say(void **state) {
  (void)state;
  config c = good(
      "base: rows-1\n"
      "core: {schedule: gto, warp_slots: 7}\n"
      "dram:\n  refresh: no\n  tREFI: 500\n  tRCD: 14\n"
      "energy:\n  tsv_bit: 4.000001\n  on_chip_bit: '1000000.000000'\n  dram_row: 007.50\n");
  assert_int_equal(c.machine.cores, 1);
  assert_int_equal(c.dram.row_buffers, 1);
  assert_int_equal(c.core.schedule, CONFIG_SCHEDULE_GTO);
  assert_int_equal(c.core.warp_slots, 7);
  assert_int_equal(c.core.block_slots, 16);
  assert_false(c.dram.refresh);
  assert_int_equal(c.dram.tREFI, 500);
  assert_true(c.energy.tsv_bit == 4.000001 && c.energy.on_chip_bit == 1e6);
  assert_true(c.energy.dram_row == 7.5);
  config back = printed_and_read(&c, false);
  assert_same(&c, &back);
  c = good("base: paper\r\ncore:\r\n  warp_slots: 010 # ten\r\n");
  assert_int_equal(c.core.warp_slots, 10);
  c = good("machine:\n  cores: 8\nnetwork:\n  topology: concentrated\n  group_columns: 4\n");
  assert_int_equal(c.network.topology, CONFIG_TOPOLOGY_CONCENTRATED);
  c = good("core:\n  compute: base_die\n  location: far\nshared:\n  place: far\n");
  assert_int_equal(c.core.compute, CONFIG_COMPUTE_BASE_DIE);
}

static const struct {
  const char *text, *why;
} wrong[] = {
    {"", "f.yaml:1: the file is empty"},
    {"# only a comment\n", "f.yaml:1: the file is empty"},
    {"---\n", "f.yaml:1: the file is empty"},
    {"{}\n", "f.yaml:1: the file is empty"},
    {"hello\n", "f.yaml:1: expected sections with keys"},
    {"- 1\n- 2\n", "f.yaml:1: expected sections with keys"},
    {"core:\n  warp_slots: [1\n",
     "f.yaml:2: core.warp_slots: a list or mapping is not allowed here; allowed: 1 to 16"},
    {"core:\n  warp_slots: 1\n schedule: lrr\n", "f.yaml:3: not YAML: "},
    {"core: a: b\n", "f.yaml:1: core: expected keys with values, indented below it"},
    {"core:\n  schedule: a: b\n", "f.yaml:2: not YAML: mapping values are not allowed"},
    {"core:\n\twarp_slots: 1\n", "f.yaml:2: a tab: YAML indents and separates with spaces"},
    {"core:\n  warp_slots: 1\t\n  schedule:\tlrr\t# a tab\n  x: 1\n",
     "f.yaml:4: unknown key 'core.x'"},
    {"\xef\xbb\xbf"
     "core:\n  warp_slots: 1\n",
     "f.yaml:1: begins with a byte order mark; save the file as UTF-8 without one"},
    {"\xff\xfe"
     "c",
     "f.yaml:1: begins with a byte order mark"},
    {"core:\n  warp_slots: \"1\n", "f.yaml:3: not YAML: "},
    {"core:\n  warp_slots: \xff\xfe\n", "f.yaml:2: not YAML: "},
    {"core:\n  warp_slots: \x01\n", "f.yaml:2: not YAML: "},
    {"core:\n  warp_slots: 1\n---\ncore:\n  warp_slots: 2\n", "f.yaml:3: a second document begins"},
    // names
    {"cores:\n  warp_slots: 1\n",
     "f.yaml:1: cores: is a key of section machine: write it below `machine:`"},
    {"cor:\n  warp_slots: 1\n", "f.yaml:1: unknown section 'cor'; nearest: core"},
    {"warp_slots: 4\n", "f.yaml:1: warp_slots: is a key of section core: write it below `core:`"},
    {"something: 4\n",
     "f.yaml:1: unknown section 'something'; allowed: base, machine, map, core,"
     " shared, tsv, near, dram, network, remote, link, energy"},
    {"\"\\x1b[2J\": 4\n", "f.yaml:1: unknown section '?[2J'"},
    {"dram:\n  page: open\n  trcd: 14\n", "f.yaml:3: unknown key 'dram.trcd'; nearest: dram.tRCD"},
    {"core:\n\n  warp_slot: 1\n",
     "f.yaml:3: unknown key 'core.warp_slot'; nearest: core.warp_slots"},
    {"core:\n  tRCD: 14\n", "f.yaml:2: unknown key 'core.tRCD'; nearest: dram.tRCD"},
    {"shared:\n  colour: red\n",
     "f.yaml:2: unknown key 'shared.colour'; keys of shared: place, bytes"},
    {"shared:\n  ? [a]\n  : 1\n", "f.yaml:2: shared: a list or mapping is not allowed here"},
    {"? {a: b}\n: 1\n", "f.yaml:1: a list or mapping is not allowed here; allowed: a section"},
    // shape
    {"core:\n", "f.yaml:1: core: expected keys with values, indented below it"},
    {"core: 3\n", "f.yaml:1: core: expected keys with values"},
    {"core:\n- warp_slots\n", "f.yaml:2: core: expected keys with values"},
    {"core:\n  warp_slots: {a: 1}\n", "f.yaml:2: core.warp_slots: a list or mapping is not"},
    {"core: &x\n  warp_slots: 1\n", "f.yaml:1: core: anchors and aliases are not supported"},
    {"core:\n  warp_slots: &x 1\n  block_slots: *x\n",
     "f.yaml:2: core.warp_slots: anchors and aliases are not supported; allowed: 1 to 16"},
    {"core:\n  block_slots: *x\n",
     "f.yaml:2: core.block_slots: anchors and aliases are not supported"},
    {"core:\n  <<: 1\n", "f.yaml:2: unknown key 'core.<<'"},
    {"core:\n  warp_slots: \"1\\02\"\n", "f.yaml:2: core.warp_slots: holds a zero byte"},
    // twice
    {"core:\n  warp_slots: 1\n  block_slots: 2\n  warp_slots: 1\n",
     "f.yaml:4: core.warp_slots: appears twice, first in line 2"},
    {"core:\n  warp_slots: 1\ndram:\n  page: open\ncore:\n  block_slots: 1\n",
     "f.yaml:5: core: the section appears twice, first in line 1"},
    {"base: small\nbase: small\n", "f.yaml:2: base: appears twice, first in line 1"},
    // base
    {"core:\n  warp_slots: 1\nbase: small\n", "f.yaml:3: base: must come before all sections"},
    {"# x\nbase: tiny\n", "f.yaml:2: base: unknown preset 'tiny'; presets: paper, small, "},
    {"base: [small]\n",
     "f.yaml:1: base: a list or mapping is not allowed here; allowed: the name of a "
     "preset"},
    {"base:\n", "f.yaml:1: base: unknown preset ''"},
    {"base: ./other.yaml\n", "f.yaml:1: base: unknown preset './other.yaml'"},
    // values
    {"core:\n  warp_slots: many\n",
     "f.yaml:2: core.warp_slots: 'many' is not a whole decimal number; allowed: 1 to 16"},
    {"core:\n  warp_slots:\n", "f.yaml:2: core.warp_slots: '' is not a whole decimal number"},
    {"core:\n  warp_slots: 12x\n", "f.yaml:2: core.warp_slots: '12x' is not a whole"},
    {"core:\n  warp_slots: 1.5\n", "f.yaml:2: core.warp_slots: '1.5' is not a whole"},
    {"core:\n  warp_slots: 0x8\n", "f.yaml:2: core.warp_slots: '0x8' is not a whole"},
    {"core:\n  warp_slots: 17\n",
     "f.yaml:2: core.warp_slots: 17 is out of range; allowed: 1 to 16"},
    {"core:\n  warp_slots: 0\n", "f.yaml:2: core.warp_slots: 0 is out of range; allowed: 1 to 16"},
    {"core:\n  warp_slots: -3\n", "f.yaml:2: core.warp_slots: -3 is out of range; allowed: 1 to"},
    {"core:\n  warp_slots: 4294967300\n", "f.yaml:2: core.warp_slots: 4294967300 is out of range"},
    {"core:\n  warp_slots: 99999999999999999999999999\n",
     "f.yaml:2: core.warp_slots: 99999999999999999999999999 is out of range"},
    {"core:\n  far_rf_bytes: 2000\n",
     "f.yaml:2: core.far_rf_bytes: 2000 is not a multiple of 512 "
     "from 1024 to 32768"},
    {"dram:\n  row_buffers: 3\n",
     "f.yaml:2: dram.row_buffers: 3 is not a power of two from 1 to 4"},
    {"dram:\n  tREFI: 499\n", "f.yaml:2: dram.tREFI: 499 is out of range; allowed: 500 to 100000"},
    {"core:\n  schedule: fifo\n",
     "f.yaml:2: core.schedule: 'fifo' is not one of its values; allowed: lrr or gto"},
    {"core:\n  location: 1\n",
     "f.yaml:2: core.location: '1' is not one of its values; allowed: "
     "compiler, hardware, near, far or cost"},
    {"dram:\n  refresh: maybe\n",
     "f.yaml:2: dram.refresh: 'maybe' is not one of its values; allowed: on or off"},
    {"energy:\n  tsv_bit: 4,53\n",
     "f.yaml:2: energy.tsv_bit: '4,53' is not a number with at most "
     "six decimals; allowed: 0 to 1000000"},
    {"energy:\n  tsv_bit: 4.\n", "f.yaml:2: energy.tsv_bit: '4.' is not a number"},
    {"energy:\n  tsv_bit: .5\n", "f.yaml:2: energy.tsv_bit: '.5' is not a number"},
    {"energy:\n  tsv_bit: 1e3\n", "f.yaml:2: energy.tsv_bit: '1e3' is not a number"},
    {"energy:\n  tsv_bit: nan\n", "f.yaml:2: energy.tsv_bit: 'nan' is not a number"},
    {"energy:\n  tsv_bit: 0.1234567\n", "f.yaml:2: energy.tsv_bit: '0.1234567' is not a number"},
    {"energy:\n  tsv_bit: -0.5\n", "f.yaml:2: energy.tsv_bit: -0.5 is out of range; allowed: 0 to"},
    {"energy:\n  tsv_bit: 1000000.000001\n", "f.yaml:2: energy.tsv_bit: 1000000.000001 is out of"},
    // fixed
    {"dram:\n  banks: 8\n",
     "f.yaml:2: dram.banks: must be 4, not '8': it is a parameter of the Verilog (req_bank_i of"},
    {"machine:\n  core_mhz: fast\n",
     "f.yaml:2: machine.core_mhz: must be 1000, not 'fast': it is a"},
    {"network:\n  router_stages: 4\n",
     "f.yaml:2: network.router_stages: must be 3, not '4': it is "
     "a parameter of the model"},
    // together
    {"map:\n  column_below: 5\ndram:\n  row_bytes: 512\n",
     "f.yaml:2: map.column_below: with dram.row_bytes 512 a column has 4 bits; allowed: 0 to 4"},
    {"map:\n  row_below: 10\ndram:\n  rows: 1024\n",
     "f.yaml:2: map.row_below: with dram.rows 1024 a row has 10 bits; allowed: 0 to 9"},
    {"dram:\n  row_bytes: 768\n", "f.yaml:2: dram.row_bytes: 768 is not a power of two"},
    {"near:\n  packets: 33\n", "f.yaml:2: near.packets: 33 is out of range; allowed: 2 to 32"},
    {"tsv:\n  queue: 257\n", "f.yaml:2: tsv.queue: 257 is out of range; allowed: 24 to 256"},
    {"near:\n  lsu_entries: 64\n", "f.yaml:2: near.lsu_entries: 64 is out of range; allowed:"},
    {"core:\n  compute: base_die\n",
     "f.yaml:2: core.location: with core.compute base_die nothing can execute near; allowed: far"},
    {"core:\n  location: near\n  compute: base_die\n",
     "f.yaml:2: core.location: with core.compute"},
    {"core:\n  compute: base_die\n  location: far\n",
     "f.yaml:2: shared.place: with core.compute base_die shared memory is on the base die; "
     "allowed: "
     "far"},
    {"base: base-die\nshared:\n  place: near\n", "f.yaml:3: shared.place: with core.compute"},
    {"core:\n  icache_miss: 5001\n  stall_limit: 10001\n",
     "f.yaml:3: core.stall_limit: 10001 cycles are fewer than an instruction may wait for its "
     "fetch; allowed: at least twice core.icache_miss (5001)"},
    {"network:\n  columns: 5\n",
     "f.yaml:2: network.columns: 5 does not divide machine.cores (16); allowed: 0 or one of its "
     "divisors"},
    {"machine:\n  processors: 4\nnetwork:\n  processor_columns: 3\n",
     "f.yaml:4: network.processor_columns: 3 does not divide machine.processors (4)"},
    {"machine:\n  cores: 4\nnetwork:\n  topology: concentrated\n  group_columns: 4\n",
     "f.yaml:5: network.group_columns: groups of 4 x 2 do not divide a processor of 2 x 2 cores"},
    {"machine:\n  cores: 12\n", "f.yaml:2: machine.cores: 12 is not a power of two from 1 to 16"},
    {"network:\n  topology: concentrated_diagonal\n  group_rows: 3\n",
     "f.yaml:3: network.group_rows: groups of 2 x 3 do not divide a processor of 4 x 4 cores"},
    {"network:\n  router_mhz: 3000\n  on_chip_mhz: 3000\n  off_chip_mhz: 2000\n",
     "f.yaml:4: network.off_chip_mhz: 2000 does not divide network.router_mhz (3000): a link takes "
     "a flit every so many cycles of the routers"},
    {"network:\n  on_chip_bits: 384\n  off_chip_bits: 256\n",
     "f.yaml:2: network.on_chip_bits: of 384 and network.off_chip_bits (256) one must be a "
     "multiple of the other: gateways cut and join whole flits"},
    {"network:\n  off_chip_bits: 40\n",
     "f.yaml:2: network.off_chip_bits: 40 is not a multiple of 32 from 32 to 1024"},
    {"network:\n  on_chip_mhz: 4000\n",
     "f.yaml:2: network.on_chip_mhz: 4000 does not divide network.router_mhz (2000)"},
};

static void wrong_files_say_where_and_what(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
    config c;
    char why[CONFIG_WHY] = "";
    if (read_text(&c, wrong[n].text, why))
      fail_msg("taken, but should say '%s':\n%s", wrong[n].why, wrong[n].text);
    if (strncmp(why, wrong[n].why, strlen(wrong[n].why)) != 0)
      fail_msg("says '%s'\ninstead of '%s':\n%s", why, wrong[n].why, wrong[n].text);
    assert_null(strpbrk(why, "\n\x1b"));
  }
}

// Every number at its limits, just outside of them, and as a word.
static void ranges_end_where_they_say(void **state) {
  (void)state;
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    char why[CONFIG_WHY], text[32];
    config c = config_default();
    assert_false(config_set(&c, f, "frob", why, sizeof why));
    assert_int_equal(config_get(&c, f), f->standard);
    if (f->names || f->type == CONFIG_TYPE_FLAG)
      continue;
    const int64_t unit = f->type == CONFIG_TYPE_DECIMAL ? CONFIG_DECIMALS : 1;
    const int64_t tried[] = {f->min, f->max, f->min - unit, f->max + unit};
    for (size_t i = 0; i < 4; i++) {
      snprintf(text, sizeof text, "%lld", (long long)(tried[i] / unit));
      assert_int_equal(config_set(&c, f, text, why, sizeof why), i < 2);
      if (i < 2)
        assert_int_equal(config_get(&c, f), tried[i]);
      else
        assert_non_null(strstr(why, f->fixed_by ? f->which : "allowed: "));
    }
  }
}

static void names_and_files_that_are_not_there(void **state) {
  (void)state;
  config c;
  char why[CONFIG_WHY], dir[] = "/tmp/config.XXXXXX", name[64];
  assert_false(config_load(&c, "frob", why, sizeof why));
  assert_non_null(strstr(why, "unknown preset 'frob'; presets: paper, small, nearbank,"));
  assert_non_null(strstr(why, "base-die (the name of a file has a slash or ends with .yaml)"));
  assert_false(config_load(&c, "none.yaml", why, sizeof why));
  assert_string_equal(why, "cannot read 'none.yaml': No such file or directory");
  assert_false(config_load(&c, "none.yml", why, sizeof why));
  assert_string_equal(why, "cannot read 'none.yml': No such file or directory");
  assert_false(config_load(&c, "./none", why, sizeof why));
  assert_string_equal(why, "cannot read './none': No such file or directory");
  assert_false(config_load(&c, "/dev/zero", why, sizeof why));
  assert_string_equal(why, "'/dev/zero' is longer than 1 MB: it is not a configuration");
  assert_non_null(mkdtemp(dir));
  assert_false(config_load(&c, dir, why, sizeof why));
  assert_non_null(strstr(why, ": Is a directory"));
  snprintf(name, sizeof name, "%s/f.yaml", dir);
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  fputs("core:\n  warp_slots: 3\n", f);
  fclose(f);
  assert_true(config_load(&c, name, why, sizeof why));
  assert_int_equal(c.core.warp_slots, 3);
  chmod(name, 0);
  if (geteuid()) {
    assert_false(config_load(&c, name, why, sizeof why));
    assert_non_null(strstr(why, ": Permission denied"));
  }
  unlink(name);
  rmdir(dir);
}

// ---- the flat form

static void flat_form(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } bad[] = {
      {"core.warp_slots", "'core.warp_slots' is not section.key=value"},
      {"core=3.5", "'core=3.5' is not section.key=value"},
      {"core.frob=3", "core.frob: no such key"},
      {"core.warp_slots=17", "core.warp_slots: 17 is out of range; allowed: 1 to 16"},
      {"core.warp_slots=", "core.warp_slots: '' is not a whole decimal number; allowed: 1 to 16"},
      {"dram.banks=8", "dram.banks: must be 4, not '8'"},
      {"dram.tRCD=256", "dram.tRCD: 256 is out of range; allowed: 1 to 255"},
      {"dram.tRAS=13",
       "dram.tRAS: a row closes after 13 cycles, before it can be accessed; allowed: "
       "at least dram.tRCD (14)"},
      {"dram.tRP=34",
       "dram.tRAS: a row that is open for 33 cycles is not supported; allowed: at "
       "least dram.tRP (34)"},
      {"dram.CL=20\ndram.burst=22",
       "dram.CL: with dram.burst (22) it is 42 cycles; allowed: up to 41 "
       "together"},
      {"dram.tREFI=3000\ndram.tRFC=2364",
       "dram.tREFI: refreshes every 3000 cycles leave a bank no "
       "time; allowed: at least 3002 (1.25 dram.tRFC + dram.tRAS + dram.tRP)"},
      {"core.stall_limit=10000\ndram.tRFC=1251",
       "core.stall_limit: 10000 cycles may pass while a "
       "bank is refreshed; allowed: at least 8 times "
       "dram.tRFC (1251)"},
      {"core.compute=base_die", "core.location: with core.compute base_die"},
  };
  config c, standard = config_default();
  char why[CONFIG_WHY], longer[300];
  assert_true(config_read_flat(&c, "", why, sizeof why));
  assert_same(&c, &standard);
  assert_true(config_read_flat(&c, "\ncore.warp_slots=3\n\nenergy.tsv_bit=0.25", why, sizeof why));
  assert_int_equal(c.core.warp_slots, 3);
  assert_true(c.energy.tsv_bit == 0.25);
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
    assert_false(config_read_flat(&c, bad[n].text, why, sizeof why));
    if (strncmp(why, bad[n].why, strlen(bad[n].why)) != 0)
      fail_msg("says '%s' instead of '%s'", why, bad[n].why);
  }
  memset(longer, '1', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  assert_false(config_read_flat(&c, longer, why, sizeof why));
  assert_non_null(strstr(why, "too long"));
  longer[128] = 0;
  assert_false(config_read_flat(&c, longer, why, sizeof why));
  assert_non_null(strstr(why, "too long"));
  longer[127] = 0;
  assert_false(config_read_flat(&c, longer, why, sizeof why));
  assert_non_null(strstr(why, "is not section.key=value"));
}

// ---- random bytes

// Changes, drops, doubles and swaps bytes; returns the new length.
static size_t spoil(char *text, size_t length, size_t room, uint64_t *x) {
  static const char likely[] = "\n\t :-{}[],&*!|>'\"#%@`?~0123456789.\\\0\xff\x80";
  for (uint64_t changes = 1 + splitmix(x) % 4; changes--;) {
    size_t at = length ? splitmix(x) % length : 0;
    char c = splitmix(x) % 4 ? likely[splitmix(x) % (sizeof likely - 1)] : (char)splitmix(x);
    switch (splitmix(x) % 4) {
      case 0:
        if (length) {
          memmove(text + at, text + at + 1, length - at - 1);
          length--;
        }
        break;
      case 1:
        if (length < room) {
          memmove(text + at + 1, text + at, length - at);
          text[at] = c;
          length++;
        }
        break;
      case 2:
        if (length)
          text[at] = text[splitmix(x) % length];
        break;
      default:
        if (length)
          text[at] = c;
        break;
    }
  }
  return length;
}

static void random_bytes_do_no_harm(void **state) {
  (void)state;
  static const char small_file[] =
      "base: small\ncore:\n  schedule: lrr\n  warp_slots: 8\n  stall_limit: 50000\ndram:\n"
      "  row_buffers: 2\n  refresh: off\n  tRCD: 14\nenergy: {tsv_bit: 4.53, dram_row: 270}\n";
  char *whole = NULL;
  size_t whole_bytes = 0, taken = 0;
  FILE *f = open_memstream(&whole, &whole_bytes);
  assert_non_null(f);
  config standard = config_default();
  config_print(&standard, "paper", false, f);
  fclose(f);
  for (uint64_t n = 0; n < count; n++) {
    uint64_t x = seed * 1000003 + n;
    bool long_one = n % 16 == 0;
    size_t length = long_one ? whole_bytes : sizeof small_file - 1, room = length + 8;
    char why[CONFIG_WHY] = "", tiny[24] = "", *text = malloc(room);
    assert_non_null(text);
    memcpy(text, long_one ? whole : small_file, length);
    length = spoil(text, length, room, &x);
    char *exact = malloc(length ? length : 1);  // so that the sanitizer sees the end
    assert_non_null(exact);
    memcpy(exact, text, length);
    config c;
    if (config_read_yaml(&c, exact, length, "f.yaml", why, sizeof why)) {
      const config_field *blamed[2];
      config back = flat_and_read(&c);
      assert_same(&c, &back);
      assert_true(config_check(&c, blamed, why, sizeof why));
      taken++;
    } else if (strncmp(why, "f.yaml:", 7) != 0 || strchr(why, '\n') || strlen(why) < 20) {
      fail_msg("message '%s'; repeat with --seed %llu --count %llu", why, (unsigned long long)seed,
               (unsigned long long)n + 1);
    } else {
      config_read_yaml(&c, exact, length, "f.yaml", tiny, sizeof tiny);
      assert_memory_equal(why, tiny, strlen(tiny));
    }
    free(exact);
    free(text);
  }
  free(whole);
  assert_in_range(taken, count / 100, count - count / 100);  // neither all nor none
}

// ---- values over a file or preset

static bool over(config *c, const char *const *sets, char *why) {
  size_t n = 0;
  while (sets[n])
    n++;
  *why = 0;
  return config_override(c, sets, n, why, CONFIG_WHY);
}

static void overrides(void **state) {
  (void)state;
  char why[CONFIG_WHY];
  config c = config_default();
  assert_true(over(&c, (const char *const[]){NULL}, why));
  assert_true(over(&c,
                   (const char *const[]){"dram.row_buffers=2", "core.schedule=gto",
                                         "energy.tsv_bit=1.25", "dram.row_buffers=1", NULL},
                   why));
  assert_int_equal(c.dram.row_buffers, 1);  // the last one counts
  assert_int_equal(c.core.schedule, CONFIG_SCHEDULE_GTO);
  assert_true(c.energy.tsv_bit > 1.24 && c.energy.tsv_bit < 1.26);
  // only the whole has to make sense
  assert_true(over(
      &c,
      (const char *const[]){"core.compute=base_die", "shared.place=far", "core.location=far", NULL},
      why));
}

// Every key of the table, with a value that a file may have too.
static void overrides_all(void **state) {
  (void)state;
  char why[CONFIG_WHY], text[32], set[128];
  const config paper = config_default();
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    config c = paper;
    snprintf(set, sizeof set, "%s.%s=%s", f->section, f->key,
             config_text(&paper, f, text, sizeof text));
    if (!over(&c, (const char *const[]){set, NULL}, why))
      fail_msg("%s", why);
    snprintf(set, sizeof set, "%s.%s=x", f->section, f->key);
    assert_false(over(&c, (const char *const[]){set, NULL}, why));
    assert_true(strncmp(why, "--set ", 6) == 0 && strstr(why, set));
  }
}

static void wrong_overrides(void **state) {
  (void)state;
  static const struct {
    const char *sets[4], *why;
  } cases[] = {
      {{"dram.tREFI=9"}, "--set dram.tREFI=9: dram.tREFI: 9 is out of range; allowed: "},
      {{"core.warp_slots=4", "dram.tRDC=20"},
       "--set dram.tRDC=20: unknown key 'dram.tRDC'; nearest: dram.tRCD"},
      {{"drma.tRCD=20"}, "--set drma.tRCD=20: unknown key 'drma.tRCD'; nearest: dram.tRCD"},
      {{"frob.colour=1"},
       "--set frob.colour=1: unknown key 'frob.colour'; sections: machine, map, core, "},
      {{"shared.colour=1"}, "unknown key 'shared.colour'; keys of shared: place, bytes"},
      {{"dram.page=ajar"},
       "--set dram.page=ajar: dram.page: 'ajar' is not one of its values; allowed: open or closed"},
      {{"dram.page"}, "--set takes section.key=value, as dram.page=closed; not 'dram.page'"},
      {{"=3"}, "--set takes section.key=value"},
      {{""}, "--set takes section.key=value"},
      {{".x=3"}, "--set takes section.key=value"},
      {{"page=dram.x"}, "--set takes section.key=value"},
      {{"dram.=3"}, "--set takes section.key=value"},
      {{"dram.tREFI="}, "--set dram.tREFI=: dram.tREFI: '' is not a whole decimal number"},
      {{"dram.page=\x1b[2J"}, "--set dram.page=?[2J: dram.page: '?[2J' is not one of its values"},
      {{"core.compute=base_die", "core.location=near"},
       "--set core.location=near and --set core.compute=base_die: core.location: with core.compute "
       "base_die nothing can execute near; allowed: far"},
      {{"core.stall_limit=10000", "core.icache_miss=9000"},
       "--set core.stall_limit=10000 and --set core.icache_miss=9000: core.stall_limit: "},
      {{"network.columns=3"}, "--set network.columns=3: network.columns: 3 does not divide"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    char why[CONFIG_WHY];
    config c = config_default();
    assert_false(over(&c, cases[n].sets, why));
    if (!strstr(why, cases[n].why))
      fail_msg("%s: \"%s\", not \"%s\"", cases[n].sets[0], why, cases[n].why);
  }
}

int main(int argc, char **argv) {
  for (int n = 1; n + 1 < argc; n += 2) {
    if (strcmp(argv[n], "--seed") == 0)
      seed = strtoull(argv[n + 1], NULL, 10);
    else if (strcmp(argv[n], "--count") == 0)
      count = strtoull(argv[n + 1], NULL, 10);
  }
  if (getenv("MPU_LONG"))
    count *= 20;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_the_paper),
      cmocka_unit_test(times_are_those_of_the_arrays),
      cmocka_unit_test(any_times_are_in_the_ranges_of_the_controller),
      cmocka_unit_test(fields_are_sound),
      cmocka_unit_test(presets_are_sound),
      cmocka_unit_test(presets_say_what_they_are_called),
      cmocka_unit_test(files_set_what_they_say),
      cmocka_unit_test(wrong_files_say_where_and_what),
      cmocka_unit_test(ranges_end_where_they_say),
      cmocka_unit_test(names_and_files_that_are_not_there),
      cmocka_unit_test(flat_form),
      cmocka_unit_test(overrides),
      cmocka_unit_test(overrides_all),
      cmocka_unit_test(wrong_overrides),
      cmocka_unit_test(random_bytes_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
