// SPDX-License-Identifier: Apache-2.0
// The near side of a core: wired from parts it is what die_slice is; broken rules and differences
// are told, with their place and cycle; steps that are left out change nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csim/base/differ.h"
#include "rig.h"

#ifdef HAVE_RTL
enum { RTL = 1 };
#else
enum { RTL = 0 };  // no verilated models in this build
#endif

enum { CYCLES = 200000, LOCKSTEP_CYCLES = 24000, SHARED_WORDS = 16384 };

static void fine(rig *r, bool ok) {
  if (!ok)
    fail_msg("%s", near_error(r->near));
  if (rig_wrong(r))
    fail_msg("%s", rig_wrong(r));
}

static void begin(rig *r, const near_config *c, unsigned mode, uint64_t seed) {
  if (!rig_start(r, c, mode, seed))
    fail_msg("%s", r->why);
}

// ---- wired as die_slice is ----------------------------------------------------------------------

static void same_as_die(near_mode mode, unsigned traffic, unsigned cycles) {
  near_config c = rig_config(mode);
  rig r;
  begin(&r, &c, traffic, 5 + traffic);
  void *die = die_slice_twin.create(NULL), *table[NEAR_NBUS];
  static die_slice_out out;
  rtt_out table_out[NEAR_NBUS];
  memset(&out, 0, sizeof out);
  for (unsigned k = 0; k < NEAR_NBUS; k++)
    assert_non_null(table[k] = rtt_twin.create(NULL));
  assert_non_null(die);
  uint64_t done = 0;
  for (unsigned n = 0; n < cycles; n++) {
    rig_drive(&r);
    bool busy = false;
    die_slice_twin.step(die, &r.die_in, &out);
    for (unsigned k = 0; k < NEAR_NBUS; k++) {
      rtt_in in = r.in.rtt[k];
      in.rst_n = 1;
      rtt_twin.step(table[k], &in, &table_out[k]);
      busy |= table_out[k].lk_valid;
    }
    fine(&r, rig_edge(&r));
    busy |= out.busy || out.up_valid;
    r.die_out.busy = out.busy;
    if (memcmp(&out, &r.die_out, sizeof out))
      for (size_t p = 0; p < die_slice_twin.n_ports; p++) {
        const block_port *port = &die_slice_twin.ports[p];
        if (port->dir == BLOCK_OUT &&
            memcmp((char *)&out + port->offset, (char *)&r.die_out + port->offset,
                   4 * BLOCK_WORDS(port->bits)))
          fail_msg("step %u: %s differs", n, port->name);
      }
    assert_memory_equal(table_out, r.out.rtt, sizeof table_out);
    assert_int_equal(r.out.busy, busy);
    assert_int_equal(near_idle(r.near), !busy);
    for (unsigned k = 0; k < NEAR_NBUS; k++)
      done += r.out.sm_done >> k & 1;
  }
  assert_true(done > (traffic == RIG_STREAMS ? 0 : cycles / 5000));
  assert_int_equal(near_cycle(r.near), cycles);
  die_slice_twin.destroy(die);
  for (unsigned k = 0; k < NEAR_NBUS; k++)
    rtt_twin.destroy(table[k]);
  rig_end(&r);
  rig_memory_free(&c);
}

static void twins_are_a_die_slice(void **state) {
  (void)state;
  for (unsigned traffic = 0; traffic < RIG_MODES; traffic++)
    same_as_die(NEAR_C, traffic, CYCLES / RIG_MODES);
}

static void verilog_is_a_die_slice(void **state) {
  (void)state;
  if (!RTL)
    skip();
  for (unsigned traffic = 0; traffic < RIG_MODES; traffic++) {
    same_as_die(NEAR_LOCKSTEP, traffic, LOCKSTEP_CYCLES / RIG_MODES);
    same_as_die(NEAR_RTL, traffic, LOCKSTEP_CYCLES / RIG_MODES);
  }
}

// ---- clocks that stand --------------------------------------------------------------------------

static void skipped_steps_change_nothing(void **state) {
  (void)state;
  near_config c = rig_config(NEAR_C), other = rig_config(NEAR_C);
  rig r;
  begin(&r, &c, RIG_SPARSE, 3);
  char why[256];
  other.channel.row_buffers = r.config.channel.row_buffers;
  other.channel.closed = r.config.channel.closed;
  near *n = near_new(&other, why, sizeof why);
  assert_non_null(n);
  near_out out;
  memset(&out, 0, sizeof out);
  uint64_t skips = 0, stood = 0;
  unsigned silence = 0;
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    if (!silence && near_idle(n) && rng_chance(&r.rng, 16))
      silence = rng_below(&r.rng, 3000);
    if (silence) {
      silence--;
      memset(&r.in, 0, sizeof r.in);
    } else
      rig_drive(&r);
    if (cycle >= CYCLES / 2)
      memset(r.in.rtt, 0, sizeof r.in.rtt);
    const bool skip = near_idle(n) && rig_quiet(&r.in) && cycle;
    if (skip)
      skips++;
    else {
      if (skips)
        near_skip(n, skips), stood += skips, skips = 0;
      assert_true(near_step(n, &r.in, &out));
    }
    fine(&r, rig_edge(&r));
    assert_memory_equal(&out, &r.out, sizeof out);
  }
  if (skips)
    near_skip(n, skips), stood += skips;
  if (stood < CYCLES / 100)
    fail_msg("%llu cycles stood", (unsigned long long)stood);
  assert_int_equal(near_cycle(n), near_cycle(r.near));
  assert_memory_equal(near_shared(n), near_shared(r.near), SHARED_WORDS * 4);
  uint64_t reads = 0;
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    for (unsigned place = 0; place < NEAR_PLACES; place++)
      assert_memory_equal(near_register(n, k, place), near_register(r.near, k, place),
                          NEAR_LANES * 4);
    for (unsigned b = 0; b < DRAM_BANKS; b++) {
      for (unsigned cmd = 0; cmd < DRAM_CMDS; cmd++)
        assert_int_equal(near_commands(n, k, b, cmd), near_commands(r.near, k, b, cmd));
      reads += near_commands(n, k, b, DRAM_RD);
      assert_true(near_commands(n, k, b, DRAM_REF) > 0);
    }
  }
  assert_true(reads > 1000);
  near_free(n);
  rig_end(&r);
  rig_memory_free(&c), rig_memory_free(&other);
}

// ---- broken rules -------------------------------------------------------------------------------

static void expect_text(const char *text, const char *part) {
  if (!text || !strstr(text, part))
    fail_msg("'%s' is not in '%s'", part, text ? text : "(nothing)");
}

// A refresh of a bank becomes due in each cycle. The first is done at once; with the tenth one more
// than the eight that may be put off is owed, and that is seen with the next.
static void late_refresh_is_told(void **state) {
  (void)state;
  near_config c = rig_config(NEAR_C);
  c.name = "core 7";
  char why[256];
  near *n = near_new(&c, why, sizeof why);
  assert_non_null(n);
  near_in in = {0};
  near_out out = {0};
  for (unsigned k = 0; k < 100; k++)
    assert_true(near_step(n, &in, &out));
  assert_true(near_idle(n) && !out.busy);
  near_skip(n, 900);
  in.ref_tick = 2u << 4 * 3;  // bank 1 of NBU 3
  for (unsigned k = 0; k < 10; k++)
    assert_true(near_step(n, &in, &out));
  assert_null(near_error(n));
  assert_false(near_step(n, &in, &out));
  expect_text(near_error(n), "core 7, NBU 3: cycle 1011: REF bank 1 ");
  const uint64_t at = near_cycle(n);
  assert_false(near_step(n, &in, &out));
  memset(&in, 0, sizeof in);
  assert_false(near_step(n, &in, &out));
  assert_int_equal(near_cycle(n), at);
  near_free(n);
  c.channel.refresh = CHANNEL_NO_REFRESH;  // nobody counts then
  assert_non_null(n = near_new(&c, why, sizeof why));
  in.ref_tick = 2u << 4 * 3;
  for (unsigned k = 0; k < 20; k++)
    assert_true(near_step(n, &in, &out));
  near_free(n);
  rig_memory_free(&c);
}

// ---- differences --------------------------------------------------------------------------------

typedef struct outputs {
  uint32_t narrow, wide[3], same, rows[14];
} outputs;

static void differences_are_marked(void **state) {
  (void)state;
  static const block_port ports[] = {
      {"rst_n", "", 1, BLOCK_IN, 0},
      {"narrow", "", 3, BLOCK_OUT, offsetof(outputs, narrow)},
      {"wide", "", 70, BLOCK_OUT, offsetof(outputs, wide)},
      {"same", "", 32, BLOCK_OUT, offsetof(outputs, same)},
      {"rows", "", 448, BLOCK_OUT, offsetof(outputs, rows)},
  };
  const block_ops ops = {.ports = ports, .n_ports = sizeof ports / sizeof *ports};
  const outputs a = {.narrow = 5, .wide = {0x12345678, 0x9abcdef0, 0x21}, .same = 7};
  outputs b = a;
  b.narrow = 1, b.wide[0] ^= 0x10000001, b.wide[2] ^= 0x20;
  b.rows[13] = 0x8000000f, b.rows[8] = 0x000ff000;
  char text[2048];
  const size_t n = differ_ports(text, sizeof text, &ops, &a, &b);
  assert_string_equal(
      text,
      "  port narrow (3 bits): 1 differs, bit 2\n"
      "    twin    5\n"
      "    verilog 1\n"
      "            ^\n"
      "  port wide (70 bits): 3 differ, bits 0, 28, 69\n"
      "    twin    21_9abcdef0_12345678\n"
      "    verilog 01_9abcdef0_02345679\n"
      "            ^           ^      ^\n"
      "  port rows (448 bits): 13 differ, bits 268, 269, 270, 271, 272, 273, 274, 275 and more\n"
      "    bits 447 to 256\n"
      "    twin    00000000_00000000_00000000_00000000_00000000_00000000\n"
      "    verilog 8000000f_00000000_00000000_00000000_00000000_000ff000\n"
      "            ^      ^                                        ^^");
  assert_int_equal(n, strlen(text));
  for (size_t bytes = 1; bytes < n; bytes += 13) {  // cut, not overrun
    char small[2048];
    memset(small, '#', sizeof small);
    assert_int_equal(differ_ports(small, bytes, &ops, &a, &b), bytes - 1);
    assert_memory_equal(small, text, bytes - 1);
    assert_int_equal(small[bytes - 1], 0);
    assert_int_equal(small[bytes], '#');
  }
}

// ---- the library --------------------------------------------------------------------------------

static void expect_no_library(const char *file, const char *mutant, const char *a, const char *b) {
  near_config c = rig_config(NEAR_LOCKSTEP);
  c.mutant = mutant;
  char why[1024] = "";
  c.library = file;
  assert_null(near_new(&c, why, sizeof why));
  expect_text(why, a);
  expect_text(why, b);
  c.mode = NEAR_C;  // needs none
  near *n = near_new(&c, why, sizeof why);
  assert_non_null(n);
  near_free(n);
  rig_memory_free(&c);
}

static void missing_library_is_told(void **state) {
  (void)state;
  const char *command = "cmake --build " NEARBANK_BUILD " --target nearrtl";
  Dl_info other;
  assert_true(dladdr((void *)(uintptr_t)_fail, &other));
  expect_no_library("/nowhere/lib.so", NULL, "/nowhere/lib.so", command);
  expect_no_library(NEARBANK_ROOT "/README.md", NULL, "cannot load", "README.md");
  expect_no_library(other.dli_fname, NULL, "other sources", command);
  expect_no_library(NULL, "nothing", "unknown mutant 'nothing'", "");
  if (!RTL)
    expect_no_library(NULL, NULL, NEARBANK_BUILD "/libnearrtl.so", command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twins_are_a_die_slice),        cmocka_unit_test(verilog_is_a_die_slice),
      cmocka_unit_test(skipped_steps_change_nothing), cmocka_unit_test(late_refresh_is_told),
      cmocka_unit_test(differences_are_marked),       cmocka_unit_test(missing_library_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
