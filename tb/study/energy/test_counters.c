// SPDX-License-Identifier: Apache-2.0
// What the near-bank units are counted to do, which follows from the packets that they get, and
// what their blocks do: reads and writes of the register file, accesses of the LSU-Extension, words
// of shared memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tb/isa/prog.h"
#include "csim/mpu/lsux.h"
#include "tb/cosim/near_ops.h"
#include "csim/mpu/opc.h"
#include "csim/mpu/regfile.h"
#include "csim/mpu/smem.h"
#include "tb/cosim/timed.h"
#include "csim/mpu/tsv_packet.h"
#include "csim/mpu/valu.h"

#ifdef HAVE_RTL
static const near_mode modes[] = {NEAR_C, NEAR_RTL};
#else
static const near_mode modes[] = {NEAR_C};  // no verilated models in this build
#endif
enum { MODES = sizeof modes / sizeof *modes };

// ---- what the blocks show, cycle by cycle

typedef struct meter {
  bool twins;
  uint32_t oldest[NEAR_NBUS];  // entry of the LSU-Extension's table
  nbu_stats nbu[NEAR_NBUS];
} meter;

static uint32_t shared_words(const nbu_out *o) {
  return (uint32_t)__builtin_popcount(o->sm_mask) * (o->sm_op >= TSV_MOP_ATOM ? 2 : 1);
}

static void look(void *ctx, const core *c, const core_event *events, uint32_t count) {
  meter *m = ctx;
  near *n = core_near(c);
  const smem_out *s = near_shared_pins(n);
  const uint32_t ready[NEAR_NBUS] = {s->q0_ready, s->q1_ready, s->q2_ready, s->q3_ready};
  (void)events, (void)count;
  for (uint32_t k = 0; k < NEAR_NBUS; k++) {
    nbu_stats *to = &m->nbu[k];
    static opc_out opc;
    static valu_out valu;
    static regfile_out rf;
    assert_true(near_part(n, k, NBU_PART_opc, &opc) && near_part(n, k, NBU_PART_valu, &valu) &&
                near_part(n, k, NBU_PART_regfile, &rf));
    to->rf_reads += opc.r0_en + opc.r1_en + opc.r2_en + opc.r3_en;
    to->rf_writes += valu.valid + rf.w1_done + rf.w2_done;
    const nbu_out *o = near_pins(n, k);
    to->smem_words += o->sm_valid && ready[k] ? shared_words(o) : 0;
    if (!m->twins)
      continue;
    const uint32_t oldest = nbu_lsux(near_unit(n, k))->oldest;
    to->lsux += (oldest - m->oldest[k]) % STRUCTURE_ENTRIES;
    m->oldest[k] = oldest;
  }
}

// A launch begins with the units as after reset.
static void begin(void *ctx, sim *s, const launch *l) {
  (void)s, (void)l;
  memset(((meter *)ctx)->oldest, 0, sizeof((meter *)ctx)->oldest);
}

// The counters of a run of `mod` on one core, after they were compared.
static core_stats check(near_mode mode, module *mod, launch_shape shape, const char *what) {
  static meter m;
  char why[1000];
  launch *l;
  sim_config c = timed_cores(1, mode);
  machine_config mc = machine_config_default();
  assert_true(sim_machine(&c, &mc, why, sizeof why));
  c.max_cycles = 3000000;
  prog p = prog_open(&mc);
  sim *s = sim_new(&c, p.m, why, sizeof why);
  if (!s)
    fail_msg("%s", why);
  m = (meter){.twins = mode == NEAR_C};
  const sim_observer launches = {.ctx = &m, .begin = begin};
  sim_observe(s, &launches);
  sim_observe_core(s, 0, (core_observer){look, &m});
  if (machine_add_module(p.m, mod) || machine_fill(p.m, p.out, 0, 4 * PROG_WORDS) ||
      launch_new(p.m, mod, mod->kernels, &shape, p.params, sizeof p.params, &l) || launch_run(l))
    fail_msg("%s: %s", what, machine_message(p.m));
  launch_free(l);
  const core_stats all = *core_statistics(sim_core(s, 0));
  sim_free(s);
  prog_close(&p);
  for (uint32_t k = 0; k < NEAR_NBUS; k++) {
    const nbu_stats *a = &all.nbu[k], *b = &m.nbu[k];
#define SAME(name)                                                                                 \
  if (a->name != b->name)                                                                          \
  fail_msg("%s, %s: " #name " of NBU %u: %llu counted, %llu done", what, near_mode_names[mode], k, \
           (unsigned long long)a->name, (unsigned long long)b->name)
    SAME(rf_reads);
    SAME(rf_writes);
    SAME(smem_words);
    if (m.twins)
      SAME(lsux);
  }
  return all;
}

// ---- packets of each kind

static const char packets[] = PROG_START
    "mov.b32.N r6, 7\n"
    "mul.u32.N r7, r0, 2654435761\n"
    "st.global.b32 [rd4], r7\n"
    "st.global.b32 [rd4+1024], rz\n"  // no register is read
    "ld.global.b32 r8, [rd4]\n"
    "setp.gt.u32 p1, r0, 3\n"
    "@p1 ld.global.b32 r9, [rd4]\n"  // sectors
    "@p1 st.global.u8 [rd4+2048], r8\n"
    "@p1 atom.add.global.u32 r10, [rd4+4096], r8\n"
    "@p1 red.add.global.u32 [rd4+4096], r8\n"
    "@p1 atom.cas.global.b32 r10, [rd4+4096], r8, r6\n"
    "@p1 atom.cas.global.b32 r10, [rd4+4096], rz, r6\n"
    "@p1 atom.cas.global.b32 r10, [rd4+4096], r8, rz\n"
    "mul.u32.F r12, r0, 12\n"
    "madw.u32.F rd14, r0, 12, rd4\n"
    "and.b32.F r14, r14, 4294967280\n"
    "st.global.b64 [rd14+8192], rd8\n"
    "ld.global.b64 rd16, [rd14+8192]\n"
    "st.global.b128 [rd14+8192], rq8\n"
    "ld.global.b128 rq16, [rd14+8192]\n"
    "atom.add.global.u64 rd20, [rd14+16384], rd16\n"
    "and.b32.F r22, r0, 31\n"
    "mul.u32.N r23, r22, 4\n"
    "st.shared.b32.N [r23], r8\n"
    "st.shared.b32.N [r23+128], rz\n"
    "ld.shared.b32.N r24, [r23+4]\n"
    "@p1 ld.shared.b32.N r24, [r23+4]\n"
    "ld.shared.b32.N r24, [rz]\n"
    "mul.u32.F r25, r22, 8\n"
    "st.shared.b64.F [r25+256], rd8\n"  // addresses in the packet
    "ld.shared.b64.N rd26, [r25+256]\n"
    "mul.u32.N r25, r22, 16\n"
    "st.shared.b128.N [r25+512], rq8\n"
    "ld.shared.b128.N rq28, [r25+512]\n"
    "atom.add.shared.u32.N r24, [r23], r8\n"
    "red.add.shared.u32.N [r23], r8\n"
    "red.add.shared.f32.N [rz], r8\n"
    "atom.cas.shared.b32.N r24, [r23], r8, r6\n"
    "atom.add.shared.u64 rd26, [r25+1024], rd8\n"
    "div.u32 r30, r8, r24\n"
    "add.u32.N r31, r30, r24\n"
    "st.local.b32.N [rz+4], r31\n"
    "ld.local.b32.N r31, [rz+4]\n"
    "@p1 st.local.b32.F [rz+8], r31\n"
    "st.global.b32 [rd4], r31\n"
    "exit\n";

static void of_packets(void **state) {
  (void)state;
  static const launch_shape shapes[] = {{{1, 1, 1}, {128, 1, 1}, 0}, {{3, 1, 1}, {67, 1, 1}, 0}};
  core_stats first = {0};
  for (unsigned k = 0; k < 2; k++)
    for (unsigned m = 0; m < MODES; m++) {
      const core_stats s = check(modes[m], prog_assemble(packets), shapes[k], "packets");
      for (unsigned kind = 0; kind < STATS_DOWN_KINDS; kind++) {
        uint64_t sent = 0;
        for (unsigned n = 0; n < NEAR_NBUS; n++)
          sent += s.nbu[n].down[kind];
        // RD and WR: 64-bit atomics. ATM needs another unit's memory, KEEP, RUN and SLOT forms
        assert_true(sent > 0 || kind == TSV_DN_ATM || kind >= TSV_DN_KEEP);
      }
      if (m == 0)
        first = s;
      assert_memory_equal(&s, &first, sizeof s);
    }
}

// ---- all that computes near the bank

enum { AT_ONCE = 200, FROM = 8, REGS = 24 };

// In place of the nops of a text.
static module *with(const isa_inst *insts, unsigned count) {
  static char text[AT_ONCE * 8 + 1000];
  char *at = text + sprintf(text, "%s", PROG_START "setp.lt.u32 p1, r0, 20\n");
  for (unsigned r = 8; r < 24; r++)
    at += sprintf(at, "mul.u32.N r%u, r0, %u\n", r, r * 1000003);
  const ptrdiff_t head = at - text;
  unsigned first = 0;
  for (const char *c = text; c < text + head; c++)
    first += *c == '\n';
  for (unsigned k = 0; k < count; k++)
    at += sprintf(at, "nop\n");
  sprintf(at, "exit\n");
  module *mod = prog_assemble(text);
  memcpy(mod->kernels->insts + first, insts, count * sizeof *insts);
  return mod;
}

// A register that the operand may begin at. 24 and up are valid nowhere, and read as zero.
static uint8_t place(unsigned n, unsigned words) {
  return (uint8_t)(FROM + n * 4 % REGS / words * words);
}

static isa_inst variant(isa_inst i, unsigned n, unsigned v) {
  i.hint = ISA_HINT_NEAR;
  i.d = (uint8_t)(40 + n * 4 % 8);  // near only
  i.guard = v == 1 ? 1 : ISA_PT;
  i.a = isa_words(&i, 1) ? place(n + v, isa_words(&i, 1)) : ISA_RZ;
  i.b = isa_words(&i, 2) ? place(n + v + 1, isa_words(&i, 2)) : ISA_RZ;
  i.c = isa_words(&i, 3) ? place(n + v + 2, isa_words(&i, 3)) : ISA_RZ;
  if (v == 2 && isa_words(&i, 2))
    i.b = ISA_RZ;
  const isa_inst without = i;
  if (v == 3 && isa_words(&i, 2))
    i.imm_at = ISA_IMM_B, i.b = ISA_RZ, i.imm = 3;
  else if (v == 3 && isa_words(&i, 1))
    i.imm_at = ISA_IMM_A, i.a = ISA_RZ, i.imm = 3;
  return isa_check(&i) ? without : i;
}

static void of_operations(void **state) {
  (void)state;
  unsigned count;
  const isa_inst *ops = near_ops(&count);
  for (unsigned v = 0; v < 4; v++)
    for (unsigned at = 0; at < count; at += AT_ONCE) {
      isa_inst insts[AT_ONCE];
      const unsigned some = count - at < AT_ONCE ? count - at : AT_ONCE;
      for (unsigned k = 0; k < some; k++)
        insts[k] = variant(ops[at + k], k, v);
      core_stats s = check(NEAR_C, with(insts, some), shape_1d(1, 32), "operations");
      assert_true(s.nbu[0].down[TSV_DN_EXEC] >= some);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_packets),
      cmocka_unit_test(of_operations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
