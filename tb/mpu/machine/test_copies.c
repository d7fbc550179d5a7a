// SPDX-License-Identifier: Apache-2.0
// A store or an atomic of memory with copies takes effect when no core reads its copy any more,
// whichever core it is of and however many store at once; and what is read before it is a core's
// own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "csim/mpu/tsv_packet.h"
#include "harness/machines/mpu/core/remote_packet.h"
#include "rig.h"

typedef struct looking {
  sim *s;
  uint32_t load;  // pc of the load; others are stores
  uint64_t loads, stores, atomics;
} looking;

// All memory of the program has copies: none is read when a store takes effect.
static void nobody_reads(const looking *x, const core_event *e) {
  for (uint32_t k = 0; k < sim_cores(x->s); k++)
    if (core_copies(sim_core(x->s, k)))
      fail_msg("cycle %llu: core %u reads its copy when a store takes effect",
               (unsigned long long)e->cycle, k);
}

static void cycle(void *ctx, const core *c, const core_event *events, uint32_t count) {
  looking *x = ctx;
  for (const core_event *e = events; e < events + count; e++) {
    const bool own = e->kind == EVENT_ACCESS, asked = e->kind == EVENT_PERFORM;
    if (own && core_copies(c))
      x->load = e->pc;
    if (!own && !asked)
      continue;
    const bool loads = own ? e->pc == x->load : e->packet == 0;
    x->loads += loads;
    x->stores += !loads && !(asked && e->packet == 2);
    x->atomics += asked && e->packet == 2;
    if (!loads)
      nobody_reads(x, e);
    if (asked && loads)
      assert_true(x->stores + x->atomics > 0 || !core_copies(c));
  }
}

// `of_1`: observes core 1.
static looking run_observed(uint32_t cores, const char *text, uint32_t blocks, bool fresh,
                            core_stats *stats, core_observer of_1) {
  static uint32_t words[PROG_WORDS];
  char why[1000];
  const sim_config c = rig_machine(cores);
  machine_config mc = machine_config_default();
  const launch_shape shape = shape_1d(blocks, 64);
  uint64_t area;
  launch *l;
  if (!sim_machine(&c, &mc, why, sizeof why))
    fail_msg("%s", why);
  prog p = prog_open(&mc);
  looking x = {.s = sim_new(&c, p.m, why, sizeof why)};
  assert_non_null(x.s);
  module *mod = prog_assemble(text);
  assert_int_equal(machine_malloc(p.m, sim_copies_room(x.s, RIG_BYTES), &area), MACHINE_OK);
  assert_int_equal(area % sim_copies_align(x.s), 0);
  assert_true(sim_copy(x.s, p.out, RIG_BYTES, area));
  if (fresh)
    sim_copies_renew(x.s, p.out, RIG_BYTES);
  assert_int_equal(sim_transfers(x.s).copies, fresh);
  for (uint32_t k = 0; k < cores; k++)
    sim_observe_core(x.s, k, (core_observer){cycle, &x});
  if (of_1.cycle)
    sim_observe_core(x.s, 1, of_1);
  if (machine_add_module(p.m, mod) || machine_write(p.m, p.out, words, RIG_BYTES) ||
      launch_new(p.m, mod, mod->kernels, &shape, p.params, sizeof p.params, &l) || launch_run(l))
    fail_msg("%s", machine_message(p.m));
  launch_free(l);
  *stats = sim_all(x.s);
  sim_copies_renew(x.s, p.out, RIG_BYTES);  // what was ended is made again
  assert_int_equal(sim_transfers(x.s).copies, (x.stores || x.atomics || !fresh) + fresh);
  sim_free(x.s);
  prog_close(&p);
  return x;
}

static looking run(uint32_t cores, const char *text, uint32_t blocks, bool fresh,
                   core_stats *stats) {
  return run_observed(cores, text, blocks, fresh, stats, (core_observer){0});
}

#define READ                    \
  "mul.u32 r8, r0, 37\n"        \
  "and.b32 r8, r8, 4095\n"      \
  "ld.param.b64 rd2, [rz]\n"    \
  "madw.u32 rd10, r8, 4, rd2\n" \
  "ld.global.b32 r16, [rd10]\n"

static void reads(void **state) {
  core_stats stats;
  (void)state;
  for (uint32_t cores = 2; cores <= 8; cores *= 2) {
    const looking x = run(cores, PROG_START READ "exit\n", 16, true, &stats);
    assert_true(x.loads > 0 && !x.stores && !x.atomics);
    assert_int_equal(stats.served, 0);
    run(cores, PROG_START READ "exit\n", 16, false, &stats);  // stale ones are not read
    assert_true(stats.served > 0);
  }
}

// Each core that stores asks all others, once.
static void stores(void **state) {
  static const char store[] = PROG_START READ
      "add.u32 r16, r16, 1\n"
      "st.global.b32 [rd4+32768], r16\n"
      "exit\n";
  core_stats one, all;
  (void)state;
  for (uint32_t cores = 2; cores <= 8; cores *= 2) {
    looking x = run(cores, store, 1, true, &one);
    assert_true(x.loads > 0 && x.stores > 0);
    x = run(cores, store, 4 * cores, true, &all);
    assert_true(x.loads > 0 && x.stores > 0);
  }
}

static void atomics(void **state) {
  static const char atomic[] = PROG_START READ
      "red.add.global.u32 [rd10+16384], r0\n"
      "madw.u32 rd12, r0, 8, rd2\n"
      "atom.add.global.u64 rd18, [rd12+49152], rd2\n"
      "exit\n";
  core_stats stats;
  (void)state;
  for (uint32_t cores = 2; cores <= 8; cores *= 2) {
    const looking x = run(cores, atomic, 2 * cores, true, &stats);
    assert_true(x.atomics > 0);
  }
}

// With everything read from its own core before, what is served are requests to drop copies.
static void asked_once(void **state) {
  static const char store[] = PROG_START
      "ld.param.b64 rd2, [rz]\n"
      "st.global.b32 [rd2], r0\n"
      "exit\n";
  core_stats stats;
  (void)state;
  for (uint32_t cores = 2; cores <= 8; cores *= 2) {
    run(cores, store, 1, true, &stats);  // block 0 and the word are core 0's
    assert_int_equal(stats.served, cores - 1);
    run(cores, store, 1, false, &stats);
    assert_int_equal(stats.served, 0);
  }
}

// ---- a core answers when what it was reading has been read

enum { TAGS = 256 };
typedef struct draining {
  bool under_way[4][TAGS];  // packets of loads, by NBU
  bool answered;
  uint64_t loads;
} draining;

// The lines are core 0's, and core 1 only loads: what it sends to its NBUs reads its copy.
static void drains(void *ctx, const core *c, const core_event *events, uint32_t count) {
  draining *d = ctx;
  (void)c;
  for (const core_event *e = events; e < events + count; e++) {
    const bool load =
        e->packet == TSV_DN_LINE || e->packet == TSV_DN_SECT || e->packet == TSV_DN_RD;
    if (e->kind == EVENT_SEND && load) {
      assert_false(d->answered);
      d->under_way[e->nbu][e->tag] = true;
      d->loads++;
    } else if (e->kind == EVENT_ANSWER) {
      d->under_way[e->nbu][e->tag] = false;
    } else if (e->kind == EVENT_REPLY && e->packet == REMOTE_DROP) {
      d->answered = true;
      for (uint32_t n = 0; n < 4; n++)
        for (uint32_t t = 0; t < TAGS; t++)
          if (d->under_way[n][t])
            fail_msg("cycle %llu: it answers, but NBU %u has packet %u",
                     (unsigned long long)e->cycle, n, t);
    }
  }
}

// Block 0 stores after so many turns of a loop in which all load.
static void drained(void **state) {
  static const char text[] = PROG_START
      "ld.param.b64 rd2, [rz]\n"
      "mul.u32 r8, r0, 37\n"
      "and.b32 r8, r8, 127\n"
      "madw.u32 rd10, r8, 4, rd2\n"
      "mul.u32 r13, r1, 1000\n"
      "add.u32 r13, r13, %d\n"
      "mov.b32 r12, 0\n"
      "again:\n"
      "ld.global.b32 r16, [rd10]\n"
      "setp.eq.u32 p0, r12, r13\n"
      "@p0 st.global.b32 [rd4], r16\n"
      "add.u32 r12, r12, 1\n"
      "setp.lt.u32 p1, r12, 100\n"
      "@p1 bra again, end\n"
      "end:\n"
      "exit\n";
  (void)state;
  for (int turns = 1; turns < 40; turns++) {
    static draining d;
    char now[2000];
    core_stats stats;
    snprintf(now, sizeof now, text, turns);
    d = (draining){0};
    run_observed(2, now, 8, true, &stats, (core_observer){drains, &d});
    assert_true(d.answered && d.loads > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(stores),
                                     cmocka_unit_test(atomics), cmocka_unit_test(asked_once),
                                     cmocka_unit_test(drained)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
