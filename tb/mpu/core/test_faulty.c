// SPDX-License-Identifier: Apache-2.0
// A core on a near side that is not right: Verilog with a fault in any block, answers and credits
// that get lost or come too often. near_step() of the core is one of this file (the linker wraps
// it).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/machines/mpu/machine/build.h"
#include "tb/isa/prog.h"
#include "csim/mpu/nbu.h"
#include "csim/mpu/rtt.h"
#include "csim/mpu/smem.h"
#include "csim/base/sum.h"
#include "csim/mpu/tsv_packet.h"

#ifdef HAVE_RTL
enum { RTL = 1 };
#else
enum { RTL = 0 };  // no verilated models in this build
#endif

enum { LOGGED = 20000, STALL = 3000 };

// What a core does: everything that some block might do wrong. Blocks of 67 threads: a warp of
// three lanes is among them.
static const char program[] = PROG_START
    "mul.u32.N r6, r0, 2654435761\n"
    "st.global.b32 [rd4], r6\n"
    "and.b32.F r20, r0, 31\n"
    "mul.u32.F r20, r20, 4\n"
    "ld.global.b32 r7, [rd4]\n"
    "ld.global.b32 r8, [rd4]\n"
    "and.b32.N r9, r7, 8388607\n"
    "or.b32.N r9, r9, 1065353216\n"
    "mul.u32.N r8, r8, 12345677\n"
    "and.b32.N r10, r8, 8388607\n"
    "or.b32.N r10, r10, 1065353216\n"
    "setp.ne.u32 p1, r0, 0\n"
    "fma.rn.f32.N r11, r9, r10, r9\n"
    "fma.rn.f32.N r12, r11, r9, r10\n"
    "@p1 add.u32.N r12, r12, 5\n"
    "add.u32.N r18, r11, r12\n"
    "xor.b32.N r19, r9, r10\n"
    // r9 and r10 are moved while the next one asks where r10 is
    "div.rn.f32 r13, r9, r10\n"
    "fma.rn.f32.N r14, r11, r12, r10\n"
    // waits until that has read it
    "mov.b32.N r10, 7\n"
    "st.shared.b32.N [r20], r12\n"
    "bar.sync.b32 rz, 0, rz\n"
    "ld.shared.b32.N r16, [r20+4]\n"
    "@p1 ld.shared.b32.N r17, [r20]\n"
    "add.u32.F r15, r13, r14\n"
    "madw.u32 rd22, r0, 3, rd4\n"
    "st.global.b32 [rd4+4096], r16\n"
    "st.global.b32 [rd4+8192], r17\n"
    "st.global.b32 [rd4+12288], r15\n"
    "@p1 st.global.u8 [rd22+20480], r18\n"
    "st.global.b32 [rd4+16384], r19\n"
    "exit\n";

typedef struct moment {  // outputs of all blocks
  bool there;
  nbu_out nbu[NEAR_NBUS];
  smem_out smem;
  rtt_out rtt[NEAR_NBUS];
  uint64_t part[NEAR_NBUS][NBU_BLOCKS];  // sums of the outputs of the blocks in them
} moment;

static struct {
  moment *seen;  // by cycle, or NULL
  near_out out;  // of the real one
  void (*spoil)(near_out *out, uint64_t cycle);
} hook;

static uint64_t sum_part(const near *n, unsigned k, nbu_part p) {
  unsigned char out[1024];
  assert_true(nbu_part_ops(p)->out_bytes <= sizeof out && near_part(n, k, p, out));
  return sum_bytes(0, out, nbu_part_ops(p)->out_bytes);
}

bool __real_near_step(near *n, const near_in *in, near_out *out);
bool __wrap_near_step(near *n, const near_in *in, near_out *out);
bool __wrap_near_step(near *n, const near_in *in, near_out *out) {
  const bool ok = __real_near_step(n, in, &hook.out);
  const uint64_t cycle = near_cycle(n);
  *out = hook.out;
  if (hook.seen && cycle < LOGGED) {
    moment *m = &hook.seen[cycle];
    m->there = true;
    m->smem = *near_shared_pins(n);
    for (unsigned k = 0; k < NEAR_NBUS; k++) {
      m->nbu[k] = *near_pins(n, k), m->rtt[k] = hook.out.rtt[k];
      for (nbu_part p = 0; p < NBU_BLOCKS; p++)
        m->part[k][p] = sum_part(n, k, p);
    }
  }
  if (hook.spoil)
    hook.spoil(out, cycle);
  return ok;
}

typedef struct outcome {
  machine_error error;
  char message[4200];
  uint64_t cycles;
} outcome;

static outcome run_text(near_mode mode, const char *mutant, const char *text) {
  outcome r = {0};
  char why[1000];
  machine_config mc = machine_config_default();
  sim_config c = sim_config_default(mode);
  assert_true(sim_machine(&c, &mc, why, sizeof why));
  prog p = prog_open(&mc);
  c.near.mutant = mutant;
  c.max_cycles = LOGGED;
  c.core.stall_limit = STALL, c.core.trefi = 0;
  memset(&hook.out, 0, sizeof hook.out);
  sim *s = sim_new(&c, p.m, why, sizeof why);
  if (!s)
    fail_msg("%s", why);
  launch *l;
  assert_int_equal(prog_launch(&p, text, shape_1d(2, 67), &l), MACHINE_OK);
  r.error = launch_run(l);
  r.cycles = sim_cycles(s);
  snprintf(r.message, sizeof r.message, "%s", r.error ? machine_message(p.m) : "");
  launch_free(l);
  sim_free(s);
  prog_close(&p);
  hook.spoil = NULL;
  return r;
}

static outcome run(near_mode mode, const char *mutant) {
  return run_text(mode, mutant, program);
}

static void expect(const outcome *r, const char *part) {
  if (!strstr(r->message, part))
    fail_msg("'%s' is not in '%s'", part, r->message);
}

// ---- Verilog that is broken

typedef struct found {
  uint64_t cycle;
  char ports[400];  // of all blocks that differ: "NBU 2: opc NBU 2: nbu up_data "
} found;

static const char *const parts[NBU_BLOCKS] = {
#define PART(name) #name,
#include "csim/mpu/nbu_parts.def"
#undef PART
};

static void compare(found *f, const char *block, const block_ops *ops, const void *a,
                    const void *b) {
  size_t n = strlen(f->ports);
  bool any = false;
  for (size_t k = 0; k < ops->n_ports; k++) {
    const block_port *p = &ops->ports[k];
    if (p->dir != BLOCK_OUT ||
        !memcmp((const char *)a + p->offset, (const char *)b + p->offset, 4 * BLOCK_WORDS(p->bits)))
      continue;
    n += (size_t)snprintf(f->ports + n, sizeof f->ports - n, "%s%s ", any ? "" : block, p->name);
    any = true;
  }
}

// The first cycle in which the Verilog with the fault shows something else than the Verilog
// without, both alone.
static found first_difference(const char *mutant) {
  found f = {0};
  moment *right = calloc(LOGGED, sizeof *right), *wrong = calloc(LOGGED, sizeof *wrong);
  assert_true(right && wrong);
  hook.seen = right;
  const outcome a = run(NEAR_RTL, NULL);
  if (a.error)
    fail_msg("%s", a.message);
  hook.seen = wrong;
  run(NEAR_RTL, mutant);
  hook.seen = NULL;
  for (uint64_t t = 0; t < LOGGED && !f.ports[0]; t++) {
    if (!right[t].there || !wrong[t].there)
      continue;
    char block[32];
    f.cycle = t;
    for (unsigned k = 0; k < NEAR_NBUS; k++) {
      for (nbu_part p = 0; p < NBU_BLOCKS; p++)
        if (right[t].part[k][p] != wrong[t].part[k][p]) {
          const size_t n = strlen(f.ports);
          snprintf(f.ports + n, sizeof f.ports - n, "NBU %u: %s ", k, parts[p]);
        }
      snprintf(block, sizeof block, "NBU %u: nbu ", k);
      compare(&f, block, &nbu_twin, &right[t].nbu[k], &wrong[t].nbu[k]);
      snprintf(block, sizeof block, "rtt of subcore %u ", k);
      compare(&f, block, &rtt_twin, &right[t].rtt[k], &wrong[t].rtt[k]);
    }
    compare(&f, "smem ", &smem_twin, &right[t].smem, &wrong[t].smem);
  }
  free(right);
  free(wrong);
  return f;
}

static void lockstep_finds_it(void **state) {
  (void)state;
  static const char *const mutants[] = {"tsv",  "order",   "opc",     "regfile", "valu", "fpu",
                                        "lsux", "regmove", "bankctl", "smem",    "rtt",  "nbu"};
  if (!RTL)
    skip();
  const outcome good = run(NEAR_LOCKSTEP, NULL);
  if (good.error)
    fail_msg("%s", good.message);
  for (size_t k = 0; k < sizeof mutants / sizeof *mutants; k++) {
    const found f = first_difference(mutants[k]);
    if (!f.ports[0])
      fail_msg("%s: the program does not show this fault", mutants[k]);
    const outcome r = run(NEAR_LOCKSTEP, mutants[k]);
    char want[200], block[32];
    const bool nbu = !strcmp(mutants[k], "nbu"), fpu = !strcmp(mutants[k], "fpu");
    printf("%s: cycle %d, %s\n", mutants[k], (int)f.cycle, f.ports);
    assert_int_equal(r.error, MACHINE_MODEL);
    assert_int_equal(sscanf(r.message, "core 0, %31[^,],", block), 1);
    if (!strstr(block, mutants[k]))
      fail_msg("%s: '%s'", mutants[k], r.message);
    // what nbu makes for tsv shows there a cycle later; the fpu of valu shows as valu
    if (nbu || fpu)
      memcpy(strstr(block, mutants[k]), nbu ? "tsv" : "valu", nbu ? 4 : 5);
    if (!strstr(f.ports, block))
      fail_msg("%s: '%s', but '%s'", mutants[k], r.message, f.ports);
    snprintf(want, sizeof want, ", cycle %llu: twin and Verilog differ\n",
             (unsigned long long)f.cycle - nbu);
    expect(&r, want);
  }
}

// ---- answers and credits

static uint64_t from;  // cycle from which on things go wrong

static void no_answers_of_1(near_out *out, uint64_t cycle) {
  for (unsigned p = 0; cycle >= from && p < 2; p++)
    if ((out->up_sel >> 2 * p & 3) == 1)
      out->up_valid &= ~(1u << p);
}

static void an_answer_that_does_not_come_is_told(void **state) {
  (void)state;
  from = 300;
  hook.spoil = no_answers_of_1;
  const outcome r = run(NEAR_C, NULL);
  assert_int_equal(r.error, MACHINE_MODEL);
  char want[64];
  snprintf(want, sizeof want, "no instruction has ended for %d cycles", STALL);
  expect(&r, want);
  unsigned n;
  const char *queue = strstr(r.message, "\n  NBU 1: ");
  assert_non_null(queue);
  assert_int_equal(sscanf(queue, "\n  NBU 1: %u packets are under way", &n), 1);
  assert_true(n > 0);
  assert_null(strstr(r.message, "\n  NBU 0: "));
  // each waits for the next: warp 0 at the barrier, for warp 1, and the last one for the NBU
  const char *chain = strstr(
      r.message, "\n  each waits for the next:\n  block (0,0,0) warp 0 waits at the barrier: ");
  assert_non_null(chain);
  const char *line = strchr(strchr(chain + 2, '\n') + 1, '\n');
  assert_true(line && !strncmp(line, "\n  block (0,0,0) warp 1 waits ", 30));
  for (const char *next; (next = strchr(line + 1, '\n')) && next < queue;)
    line = next;
  const char *whom = strstr(line, " waits for 1 answer of NBU 1: kernel test, pc 0x");
  assert_true(line < queue && whom && whom < queue);
  // who waits for it, and who for those
  expect(&r, "\n  block (0,0,0) warp 0 waits at the barrier: kernel test, pc 0x");
}

// What the warps did is not answered; that they want to know its end is.
static void an_end_that_does_not_come_is_told(void **state) {
  (void)state;
  static const char text[] = PROG_START
      "and.b32.F r20, r0, 31\n"
      "mul.u32.F r20, r20, 4\n"
      "st.shared.b32.N [r20], r0\n"
      "bar.sync.b32 rz, 0, rz\n"
      "exit\n";
  unsigned n;
  from = 0;
  hook.spoil = no_answers_of_1;
  const outcome r = run_text(NEAR_C, NULL, text);
  assert_int_equal(r.error, MACHINE_MODEL);
  expect(&r, "no instruction has ended for");
  expect(&r, "\n  block (0,0,0) warp 0 waits at the barrier: kernel test, pc 0x");
  expect(&r, "\n  block (0,0,0) warp 1 waits until NBU 1 has completed what it has");
  const char *queue = strstr(r.message, "\n  NBU 1: ");
  assert_non_null(queue);
  assert_int_equal(sscanf(queue, "\n  NBU 1: %u packets are under way", &n), 1);
  assert_int_equal(n, 2);  // a SYNC of each block
  assert_null(strstr(r.message, "\n  NBU 0: "));
}

static void no_credits_of_2(near_out *out, uint64_t cycle) {
  if (cycle >= from)
    out->dn_credit &= ~(3u << 4);
}

static void a_queue_that_does_not_drain_is_told(void **state) {
  (void)state;
  from = 100;
  hook.spoil = no_credits_of_2;
  const outcome r = run(NEAR_C, NULL);
  assert_int_equal(r.error, MACHINE_MODEL);
  expect(&r, "no instruction has ended for");
  expect(&r, "\n  NBU 2: ");
  expect(&r, "flits wait for the bus, room for 0");
  expect(&r, " waits for room in the queue of NBU 2");
}

static bool lost;

static void one_credit_of_3(near_out *out, uint64_t cycle) {
  const uint32_t n = out->dn_credit >> 6 & 3;
  if (lost || cycle < from || !n)
    return;
  out->dn_credit -= 1u << 6;
  lost = true;
}

static void a_lost_credit_is_told_at_the_end(void **state) {
  (void)state;
  from = 200;
  lost = false;
  hook.spoil = one_credit_of_3;
  const outcome r = run(NEAR_C, NULL);
  assert_true(lost);
  assert_int_equal(r.error, MACHINE_MODEL);
  expect(&r, "the launch has ended, but NBU 3 has room for 15 flits, not 16");
}

// The first flit of a packet of four, as if NBU 0 had sent it in the last cycle.
static void half_a_packet(near_out *out, uint64_t cycle) {
  const uint64_t head = TSV_UP_REGD | tsv_put(TSV_UP_ANY_LEN, 3);
  if (cycle != from)
    return;
  assert_int_equal(out->up_valid, 0);
  out->up_valid = 1, out->up_sel = 0;
  out->up_data[0] = (uint32_t)head, out->up_data[1] = (uint32_t)(head >> 32);
}

static void half_a_packet_is_told_at_the_end(void **state) {
  (void)state;
  const outcome good = run(NEAR_C, NULL);
  assert_int_equal(good.error, MACHINE_OK);
  from = good.cycles;
  hook.spoil = half_a_packet;
  const outcome r = run(NEAR_C, NULL);
  assert_int_equal(r.error, MACHINE_MODEL);
  expect(&r, "the launch has ended, but a packet of NBU 0 is incomplete: 1 flits of 4");
}

static uint32_t done[2];  // a DONE that NBU 0 sent

static void an_answer_again(near_out *out, uint64_t cycle) {
  const uint64_t flit = out->up_data[0] | (uint64_t)out->up_data[1] << 32;
  if (cycle >= from && !lost && (out->up_valid & 1) && !(out->up_sel & 3) &&
      tsv_get(flit, TSV_UP_ANY_KIND) == TSV_UP_DONE) {
    memcpy(done, out->up_data, sizeof done);
    lost = true;
  } else if (lost && !out->up_valid) {
    out->up_valid = 1, out->up_sel = 0;
    memcpy(out->up_data, done, sizeof done);
  }
}

static void an_answer_that_nobody_waits_for_is_told(void **state) {
  (void)state;
  from = 200;
  lost = false;
  hook.spoil = an_answer_again;
  const outcome r = run(NEAR_C, NULL);
  assert_true(lost);
  assert_int_equal(r.error, MACHINE_MODEL);
  expect(&r, "NBU 0 answers packet ");
  expect(&r, "which is not in flight");
}

static void always_busy(near_out *out, uint64_t cycle) {
  (void)cycle;
  out->busy = true;
}

static void a_near_side_that_does_not_rest_is_told(void **state) {
  (void)state;
  hook.spoil = always_busy;
  const outcome r = run(NEAR_C, NULL);
  assert_int_equal(r.error, MACHINE_MODEL);
  expect(&r, "the launch has ended, but the near side is not idle");
}

// ---- programs at fault on a near side that is right

static void an_atomic_without_a_register_is_a_fault(void **state) {
  (void)state;
  static const char text[] = PROG_START
      "and.b32.F r20, r0, 31\n"
      "mul.u32.F r20, r20, 8\n"
      "atom.min.shared.s64 rz, [r20], rz\n"
      "exit\n";
  for (int k = 0; k <= RTL; k++) {
    const outcome r = run_text(k ? NEAR_LOCKSTEP : NEAR_C, NULL, text);
    assert_int_equal(r.error, MACHINE_FAULT_TRAP);
    expect(&r, "executed a 64-bit atomic on shared memory that names no register to compute in");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lockstep_finds_it),
      cmocka_unit_test(an_answer_that_does_not_come_is_told),
      cmocka_unit_test(an_end_that_does_not_come_is_told),
      cmocka_unit_test(a_queue_that_does_not_drain_is_told),
      cmocka_unit_test(a_lost_credit_is_told_at_the_end),
      cmocka_unit_test(half_a_packet_is_told_at_the_end),
      cmocka_unit_test(an_answer_that_nobody_waits_for_is_told),
      cmocka_unit_test(a_near_side_that_does_not_rest_is_told),
      cmocka_unit_test(an_atomic_without_a_register_is_a_fault),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
