// SPDX-License-Identifier: Apache-2.0
// Lockstep finds a fault in any block of the near side, in the cycle in which it first shows, and
// says where. The faults: tb/near/plant.sh.
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

static bool port_differs(const block_ops *ops, const char *name, const void *a, const void *b) {
  for (size_t k = 0; k < ops->n_ports; k++)
    if (ops->ports[k].dir == BLOCK_OUT && !strcmp(ops->ports[k].name, name))
      return memcmp((const char *)a + ops->ports[k].offset, (const char *)b + ops->ports[k].offset,
                    4 * BLOCK_WORDS(ops->ports[k].bits)) != 0;
  fail_msg("no port %s", name);
  return false;
}

// The lockstep run, and beside it the Verilog with the fault alone, which gets the same inputs: as
// long as lockstep says nothing they are alike in all that one sees of them, and then not.
static void found(const char *mutant, unsigned traffic, const char *ports) {
  near_config c = rig_config(NEAR_LOCKSTEP), other = rig_config(NEAR_RTL);
  c.name = "core 5", c.mutant = other.mutant = mutant;
  rig r;
  if (!rig_start(&r, &c, traffic, 11))
    fail_msg("%s", r.why);
  other.rows = r.config.rows, other.closed = r.config.closed;
  near *n = make(&other);
  near_out out;
  memset(&out, 0, sizeof out);
  bool ok = true;
  while (ok && near_cycle(r.near) < CYCLES) {
    rig_drive(&r);
    assert_true(near_step(n, &r.in, &out));
    ok = rig_edge(&r);
    if (!ok)
      break;
    assert_memory_equal(&out, &r.out, sizeof out);
    for (unsigned k = 0; k < NEAR_NBUS; k++)
      assert_memory_equal(near_pins(n, k), near_pins(r.near, k), sizeof(nbu_out));
  }
  if (ok)
    fail_msg("%s: not found in %d cycles", mutant, CYCLES);
  const char *text = near_error(r.near);
  printf("%s\n", text);
  char part[64], port[32] = "", list[128];
  const char *at = strstr(text, "  port ");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "  port %31s", port), 1);
  snprintf(part, sizeof part, " %s ", port);
  snprintf(list, sizeof list, " %s ", ports);
  if (!strstr(list, part))
    fail_msg("%s: port %s", mutant, port);
  snprintf(part, sizeof part, ", cycle %llu: twin and Verilog differ\n",
           (unsigned long long)near_cycle(n));
  expect_text(text, part);
  expect_text(text, "core 5, ");
  unsigned k;
  if (sscanf(text, "core 5, NBU %u: nbu, ", &k) == 1)
    assert_true(port_differs(&nbu_twin, port, near_pins(n, k), near_pins(r.near, k)));
  else if (sscanf(text, "core 5, rtt of subcore %u, ", &k) == 1)
    assert_true(port_differs(&rtt_twin, port, &out.rtt[k], &r.out.rtt[k]));
  else
    expect_text(text, "core 5, smem, ");
  near_free(n);
  rig_end(&r);
  rig_memory_free(&c), rig_memory_free(&other);
}

static void every_block(void **state) {
  (void)state;
  if (!RTL)
    skip();
  static const struct {
    const char *mutant;
    unsigned traffic;
    const char *ports;  // where it may show first
  } table[] = {
      {"tsv", RIG_ALL, "up_data"},
      {"opc", RIG_ALL, "up_data up_count wdata sm_addr sm_b sm_c ret_valid"},
      {"regfile", RIG_ALL, "up_data up_count wdata sm_addr sm_b sm_c"},
      {"valu", RIG_ALL, "up_data up_count wdata sm_addr sm_b sm_c"},
      {"fpu", RIG_ALL, "up_data up_count wdata sm_addr sm_b sm_c"},
      {"lsux", RIG_ALL, "wmask"},
      {"regmove", RIG_ALL, "up_data"},
      {"bankctl", RIG_ALL, "cmd"},
      {"smem", RIG_SHARED, "q0_rdata q1_rdata q2_rdata q3_rdata"},
      {"rtt", RIG_ALL, "lk_far lk_near"},
      {"nbu", RIG_ALL, "up_data"},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    found(table[k].mutant, table[k].traffic, table[k].ports);
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
