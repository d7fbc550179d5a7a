// SPDX-License-Identifier: Apache-2.0
// Lockstep finds a fault in any block of the near side, in the cycle in which it first shows, and
// says where. The faults: tb/mpu/near/plant.sh.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#ifdef HAVE_RTL
enum { RTL = 1 };
#else
enum { RTL = 0 };  // no verilated models in this build
#endif

enum { CYCLES = 30000 };

static void expect_text(const char *text, const char *part) {
  if (!text || !strstr(text, part))
    fail_msg("'%s' is not in '%s'", part, text ? text : "(nothing)");
}

static near *make(const near_config *c) {
  char why[1024];
  near *n = near_new(c, why, sizeof why);
  if (!n)
    fail_msg("%s", why);
  return n;
}

enum { PART_BYTES = 1024 };

static const char *const parts[NBU_BLOCKS] = {
#define PART(name) #name,
#include "csim/mpu/nbu_parts.def"
#undef PART
};

static size_t bytes_of(nbu_part p) {
  return nbu_part_ops(p)->out_bytes;
}

// The first block in which Verilog with a fault and Verilog without one, which get the same inputs,
// differ. NULL: none.
static const char *first_difference(const near *a, const near_out *ao, const near *b,
                                    const near_out *bo) {
  static unsigned char x[PART_BYTES], y[PART_BYTES];
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    for (nbu_part p = 0; p < NBU_BLOCKS; p++) {
      assert_true(near_part(a, k, p, x) && near_part(b, k, p, y));
      if (memcmp(x, y, bytes_of(p)) != 0)
        return parts[p];
    }
    if (memcmp(near_pins(a, k), near_pins(b, k), sizeof(nbu_out)) != 0)
      return "nbu";
    if (memcmp(&ao->rtt[k], &bo->rtt[k], sizeof(rtt_out)) != 0)
      return "rtt";
  }
  return memcmp(near_shared_pins(a), near_shared_pins(b), sizeof(smem_out)) ? "smem" : NULL;
}

// The lockstep run, and beside it the Verilog with the fault and without it, which get the same
// inputs: as long as lockstep says nothing these are alike in all that any block says, and then
// not, in the block that lockstep names.
static void found(const char *mutant, unsigned traffic) {
  near_config c = rig_config(NEAR_LOCKSTEP), other = rig_config(NEAR_RTL);
  near_config well = rig_config(NEAR_RTL);
  c.name = "core 5", c.mutant = other.mutant = mutant;
  rig r;
  if (!rig_start(&r, &c, traffic, 11))
    fail_msg("%s", r.why);
  const channel_config *channel = &r.config.channel;
  other.channel.row_buffers = well.channel.row_buffers = channel->row_buffers;
  other.channel.closed = well.channel.closed = channel->closed;
  near *n = make(&other), *w = make(&well);
  near_out out, good;
  memset(&out, 0, sizeof out), memset(&good, 0, sizeof good);
  bool ok = true;
  while (ok && near_cycle(r.near) < CYCLES) {
    assert_null(first_difference(n, &out, w, &good));
    rig_drive(&r);
    assert_true(near_step(n, &r.in, &out));
    assert_true(near_step(w, &r.in, &good));
    ok = rig_edge(&r);
  }
  if (ok)
    fail_msg("%s: not found in %d cycles", mutant, CYCLES);
  const char *text = near_error(r.near), *block = first_difference(n, &out, w, &good);
  const near_fault *fault = near_failed(r.near);
  printf("%s\n", text);
  // what nbu makes for a block shows there a cycle later; fpu is in valu, in smem, and in lsux,
  // from where its result comes some cycles later
  const bool in_smem = !strcmp(mutant, "fpu") && !strcmp(fault->name, "smem");
  const char *name = in_smem ? "smem" : mutant;
  if (!strcmp(mutant, "nbu")) {
    assert_string_equal(block, "tsv");
  } else if (strcmp(mutant, "fpu") != 0 || strstr(text, "of valu")) {
    assert_non_null(block);
    assert_string_equal(block, strcmp(mutant, "fpu") != 0 ? mutant : "valu");
  }
  assert_string_equal(fault->name, name);
  assert_int_equal(fault->cycle, near_cycle(n) - !strcmp(mutant, "nbu"));
  char part[64];
  snprintf(part, sizeof part, "%s, cycle %llu: twin and Verilog differ\n",
           fault->block < NEAR_RTT ? name : "", (unsigned long long)fault->cycle);
  expect_text(text, fault->block < NEAR_RTT ? part : "rtt of subcore");
  expect_text(text, "core 5, ");
  near_free(n), near_free(w);
  rig_end(&r);
  rig_memory_free(&c), rig_memory_free(&other), rig_memory_free(&well);
}

static void every_block(void **state) {
  (void)state;
  if (!RTL)
    skip();
  static const char *const blocks[] = {"tsv",     "opc",     "regfile", "valu", "fpu",  "lsux",
                                       "regmove", "bankctl", "rtt",     "nbu",  "order"};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
    found(blocks[k], RIG_ALL);
  found("smem", RIG_SHARED);
  found("fpu", RIG_STREAMS);
}

// Register 9 of warp 4 is copied near by update 1 in the cycle in which its look-up, as the third
// register, asks for it.
static void the_cycle_is_right(void **state) {
  (void)state;
  if (!RTL)
    skip();
  near_config c = rig_config(NEAR_LOCKSTEP);
  c.mutant = "rtt";
  near *n = make(&c);
  near_in in = {0};
  near_out out = {0};
  for (unsigned k = 0; k < 77; k++)
    assert_true(near_step(n, &in, &out));
  rtt_in *t = &in.rtt[2];
  t->lk_valid = 1, t->lk_warp = t->up1_warp = 4, t->lk_reg2 = t->up1_reg = 9;
  t->up1_valid = 1, t->up1_op = 3;
  assert_false(near_step(n, &in, &out));  // step 77
  assert_string_equal(near_error(n),
                      "core 0, rtt of subcore 2, cycle 78: twin and Verilog differ\n"
                      "  port lk_near (4 bits): 1 differs, bit 2\n"
                      "    twin    4\n"
                      "    verilog 0\n"
                      "            ^");
  assert_int_equal(near_cycle(n), 78);
  near_free(n);
  c.mutant = NULL;
  n = make(&c);
  assert_true(near_step(n, &in, &out));
  assert_int_equal(out.rtt[2].lk_near, 4);
  near_free(n);
  rig_memory_free(&c);
}

// The Verilog alone, with a controller that is a cycle too fast: the arrays say so.
static void a_broken_rule_is_told(void **state) {
  (void)state;
  if (!RTL)
    skip();
  near_config c = rig_config(NEAR_RTL);
  c.mutant = "bankctl";
  rig r;
  if (!rig_start(&r, &c, RIG_ALL, 11))
    fail_msg("%s", r.why);
  uint64_t steps = 0;
  for (rig_drive(&r); rig_edge(&r) && steps < CYCLES; rig_drive(&r))
    steps++;
  const char *text = near_error(r.near);
  assert_non_null(text);
  unsigned nbu, bank, subarray;
  unsigned long long cycle;
  char cmd[8];
  if (sscanf(text, "core 0, NBU %u: cycle %llu: %7s bank %u subarray %u breaks tRCD by 1.000 ns",
             &nbu, &cycle, cmd, &bank, &subarray) != 5)
    fail_msg("%s", text);
  const nbu_out *pins = near_pins(r.near, nbu);
  assert_int_equal(cycle, near_cycle(r.near));
  assert_int_equal(cycle, steps);
  assert_int_equal(pins->cmd, !strcmp(cmd, "RD") ? DRAM_RD : DRAM_WR);
  assert_int_equal(pins->cmd_bank, bank);
  assert_int_equal(pins->cmd_row % DRAM_SUBARRAYS, subarray);
  rig_end(&r);
  rig_memory_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_block),
      cmocka_unit_test(the_cycle_is_right),
      cmocka_unit_test(a_broken_rule_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
