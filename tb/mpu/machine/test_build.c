// SPDX-License-Identifier: Apache-2.0
// From configurations to machines (harness/machines/mpu/machine/build.h): each key gets there, and
// machines of different configurations live side by side in a process without one changing what
// another does.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "csim/isa/mpu_elf.h"
#include "harness/machines/mpu/machine/build.h"
#include "tb/isa/prog.h"
#include "rig.h"

static config preset(const char *name) {
  char why[CONFIG_WHY];
  config c;
  if (!config_from_preset(&c, name, why, sizeof why))
    fail_msg("%s", why);
  return c;
}

// Another value that is allowed; false: there is none.
static bool change(config *c, const config_field *f) {
  char why[CONFIG_WHY], text[32];
  const int64_t now = config_get(c, f);
  const int64_t tries[] = {now + f->step, now - f->step, now / 2, now * 2, 1, f->min, f->max};
  for (size_t n = 0; n < sizeof tries / sizeof *tries; n++) {
    if (f->type == CONFIG_TYPE_FLAG)
      snprintf(text, sizeof text, "%s", now ? "off" : "on");
    else if (f->type == CONFIG_TYPE_CHOICE)
      snprintf(text, sizeof text, "%s", f->names[now ? 0 : 1].text);
    else
      snprintf(text, sizeof text, "%lld", (long long)tries[n]);
    if (config_set(c, f, text, why, sizeof why) && config_get(c, f) != now)
      return true;
  }
  return false;
}

// A section that another machine has brought along.
static bool of_another(const char *section) {
  char path[512];
  snprintf(path, sizeof path, NEARBANK_ROOT "/harness/machines/%s/section.def", section);
  return access(path, F_OK) == 0;
}

// Every key of the machine that can be changed changes what is built. Not the keys that are not the
// machine's: what events cost, the link to the host, and what the compiler does with instructions.
static void keys_arrive(void **state) {
  (void)state;
  const config paper = config_default();
  const sim_config before = sim_of_config(&paper, NEAR_C), again = sim_of_config(&paper, NEAR_C);
  assert_memory_equal(&before, &again, sizeof before);
  unsigned changed = 0;
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    config c = paper;
    if (f->fixed_by || strcmp(f->section, "energy") == 0 || strcmp(f->section, "link") == 0 ||
        strcmp(f->key, "location") == 0 || strcmp(f->key, "reorder") == 0 ||
        strcmp(f->key, "predicates") == 0 || of_another(f->section))
      continue;
    if (!change(&c, f))
      fail_msg("%s.%s: no other value", f->section, f->key);
    const sim_config k = sim_of_config(&c, NEAR_C);
    if (!memcmp(&before, &k, sizeof k))
      fail_msg("%s.%s does not reach the machine", f->section, f->key);
    changed++;
  }
  assert_true(changed > 30);
}

// What launches may take of a core comes from the configuration too.
static void limits_arrive(void **state) {
  (void)state;
  char why[1000];
  config c = preset("small");
  c.core.warp_slots = 3, c.core.far_rf_bytes = 4096, c.core.near_rf_bytes = 2048;
  c.shared.bytes = 1024;
  const sim_config k = sim_of_config(&c, NEAR_C);
  machine_config m = machine_config_default();
  assert_true(sim_machine(&k, &m, why, sizeof why));
  assert_int_equal(m.cores, 1);
  assert_true(m.memory_bytes == 256ull << 20);
  assert_int_equal(m.warps_per_core, 12);
  assert_int_equal(m.far_rf_bytes, 4096);
  assert_int_equal(m.near_rf_bytes, 2048);
  assert_int_equal(m.shared_per_block, 1024);
}

// ---- two machines at a time

enum { LAUNCHES = 3 };
static const launch_shape shape = {{16, 1, 1}, {128, 1, 1}, 0};

// Reads and writes of memory that two threads want, shared memory and arithmetic.
static const char program[] = PROG_START
    "ld.global.b32 r8, [rd4]\n"
    "mad.u32 r8, r8, r0, r0\n"
    "and.b32 r9, r0, 31\n"
    "mad.u32 r9, r9, 4, rz\n"
    "atom.add.shared.u32 r10, [r9], r0\n"
    "bar.sync.b32 rz, 0, rz\n"
    "ld.shared.b32 r11, [r9]\n"
    "ld.param.b64 rd2, [rz]\n"
    "atom.add.global.u32 r12, [rd2+8192], r11\n"
    "add.u32 r8, r8, r11\n"
    "st.global.b32 [rd4], r8\n"
    "exit\n";

typedef struct machine_of {
  sim_config config;
  prog p;
  sim *s;
  module *mod;
  core_stats stats;
  uint32_t words[PROG_WORDS];
} machine_of;

static void start(machine_of *x, const sim_config *config, const char *text) {
  char why[1000];
  machine_config mc = machine_config_default();
  x->config = *config;
  if (!sim_machine(&x->config, &mc, why, sizeof why))
    fail_msg("%s", why);
  x->p = prog_open(&mc);
  x->s = sim_new(&x->config, x->p.m, why, sizeof why);
  if (!x->s)
    fail_msg("%s", why);
  x->mod = prog_assemble(text);
  x->mod->kernels->local_bytes = 0;
  x->mod->kernels->flags |= (uint32_t)x->config.core.dies << MPU_KERNEL_DIES;
  for (uint32_t k = 0; k < PROG_WORDS; k++)
    x->words[k] = k * 2654435761u;
  if (machine_add_module(x->p.m, x->mod) || machine_write(x->p.m, x->p.out, x->words, RIG_BYTES))
    fail_msg("%s", machine_message(x->p.m));
}

static void launch_once(machine_of *x, const launch_shape *shape) {
  launch *l;
  machine *m = x->p.m;
  if (launch_new(m, x->mod, x->mod->kernels, shape, x->p.params, sizeof x->p.params, &l) ||
      launch_run(l))
    fail_msg("%s", machine_message(m));
  launch_free(l);
}

static void finish(machine_of *x) {
  prog_fetch(&x->p, x->words);
  x->stats = sim_all(x->s);
  sim_free(x->s);
  prog_close(&x->p);
}

static void *alone(void *ctx) {
  machine_of *x = ctx;
  const sim_config c = x->config;
  start(x, &c, program);
  for (int n = 0; n < LAUNCHES; n++)
    launch_once(x, &shape);
  finish(x);
  return NULL;
}

static void same(const machine_of *a, const machine_of *b, const char *what) {
  if (memcmp(&a->stats, &b->stats, sizeof a->stats))
    fail_msg("%s: other counters (%llu cycles, %llu)", what, (unsigned long long)a->stats.cycles,
             (unsigned long long)b->stats.cycles);
  if (memcmp(a->words, b->words, sizeof a->words))
    fail_msg("%s: other memory", what);
}

static void side_by_side(void **state) {
  (void)state;
  static machine_of one[2], two[2], three[2];
  near_mode mode = NEAR_C;
  timed_mode(&mode);
  config a = preset("small"), b = config_default();
  a.dram.row_buffers = 1, a.core.schedule = CONFIG_SCHEDULE_LRR, a.core.warp_slots = 5;
  b.machine.processors = 2, b.machine.cores = 2, b.dram.page = CONFIG_PAGE_CLOSED;
  b.shared.place = CONFIG_PLACE_FAR, b.dram.tREFI = 500, b.network.on_chip_bits = 64;
  const config *const configs[2] = {&a, &b};
  for (int k = 0; k < 2; k++) {
    one[k].config = two[k].config = three[k].config = sim_of_config(configs[k], mode);
    alone(&one[k]);
  }
  assert_true(one[0].stats.cycles != one[1].stats.cycles);
  // launches by turns
  for (int k = 0; k < 2; k++) {
    const sim_config c = two[k].config;
    start(&two[k], &c, program);
  }
  for (int n = 0; n < LAUNCHES; n++)
    for (int k = 0; k < 2; k++)
      launch_once(&two[k], &shape);
  for (int k = 0; k < 2; k++) {
    finish(&two[k]);
    same(&one[k], &two[k], "by turns");
  }
  // each on a thread of its own
  pthread_t threads[2];
  for (int k = 0; k < 2; k++)
    assert_int_equal(pthread_create(&threads[k], NULL, alone, &three[k]), 0);
  for (int k = 0; k < 2; k++) {
    pthread_join(threads[k], NULL);
    same(&one[k], &three[k], "on two threads");
  }
}

// ---- how many blocks a core has room for

typedef struct live {
  uint32_t blocks;
  uint32_t exit;  // pc
  bool done;
} live;

// Until the first warp leaves: then there is room for one more here and there.
static void count_blocks(void *ctx, const core *c, const core_event *events, uint32_t count) {
  live *l = ctx;
  (void)c;
  for (uint32_t n = 0; n < count; n++) {
    l->done |= events[n].kind == EVENT_ISSUE && events[n].pc == l->exit;
    l->blocks += events[n].kind == EVENT_BLOCK && !l->done;
  }
}

// What a program is told before a launch is what the core then does.
static void room(void **state) {
  (void)state;
  static const struct {
    uint32_t warp_slots, block_slots, far, near, shared;
    uint16_t both, only_near, only_far;
    uint32_t threads, dynamic, expected;
  } cases[] = {
      {16, 16, 32768, 16384, 65536, 8, 0, 8, 32, 0, 16},    // block slots
      {16, 5, 32768, 16384, 65536, 8, 0, 8, 32, 0, 5},      //
      {16, 16, 32768, 16384, 65536, 4, 0, 4, 160, 0, 12},   // warp slots: 64 for blocks of 5
      {3, 16, 32768, 16384, 65536, 4, 0, 4, 128, 0, 3},     //
      {16, 16, 32768, 16384, 65536, 17, 0, 0, 128, 0, 6},   // 20 near registers, not 17
      {16, 16, 16384, 16384, 65536, 8, 0, 25, 128, 0, 3},   // 36 far ones
      {16, 16, 32768, 16384, 65536, 8, 0, 8, 32, 8192, 7},  // 8193 bytes are 129 pieces
      {16, 16, 32768, 16384, 4096, 8, 0, 8, 64, 1000, 4},   //
  };
  near_mode mode = NEAR_C;
  timed_mode(&mode);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    static machine_of x;
    config c = preset("small");
    c.core.warp_slots = cases[n].warp_slots, c.core.block_slots = cases[n].block_slots;
    c.core.far_rf_bytes = cases[n].far, c.core.near_rf_bytes = cases[n].near;
    c.shared.bytes = cases[n].shared;
    const sim_config k = sim_of_config(&c, mode);
    start(&x, &k,
          "mov.b32 r1, 0\n"
          "again:\n"
          "add.u32 r1, r1, 1\n"
          "setp.lt.u32 p1, r1, 400\n"
          "@p1 bra again, again\n"
          "exit\n");
    module_kernel *kernel = x.mod->kernels;
    kernel->regs_both = cases[n].both, kernel->regs_near = cases[n].only_near;
    kernel->regs_far = cases[n].only_far, kernel->shared_bytes = 1;
    assert_int_equal(core_room(&k.core, kernel, cases[n].threads, cases[n].dynamic),
                     cases[n].expected);
    live l = {.exit = (kernel->inst_count - 1) * ISA_BYTES};
    sim_observe_core(x.s, 0, (core_observer){count_blocks, &l});
    const launch_shape many = {{40, 1, 1}, {cases[n].threads, 1, 1}, cases[n].dynamic};
    launch_once(&x, &many);
    if (l.blocks != cases[n].expected)
      fail_msg("case %zu: %u blocks lived at a time, not %u", n, l.blocks, cases[n].expected);
    finish(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_arrive),
      cmocka_unit_test(limits_arrive),
      cmocka_unit_test(side_by_side),
      cmocka_unit_test(room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
