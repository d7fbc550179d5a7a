// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/machines/mpu/machine/build.h"
#include "tb/isa/prog.h"

enum { TEXT = 1 << 16, WARPS = 32 };

typedef struct text {
  char s[TEXT];
  size_t n;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  t->n += (size_t)vsnprintf(t->s + t->n, TEXT - t->n, format, args);
  va_end(args);
  if (t->n >= TEXT)
    abort();
}

static void put_code(text *t, const char *code, unsigned number) {
  for (; *code; code++)
    if (*code == '$')
      put(t, "%u", number);
    else if (*code == '#')
      put(t, "%u", 8 + number % 24);
    else if (*code == '~')
      put(t, "%u", 8 + 2 * number % 24);
    else
      put(t, "%c", *code);
}

static void write_program(text *t, const rig_config *c, const rig_program *p) {
  t->n = 0;
  put(t,
      "s2r.b32 r0, tid.x\n"
      "and.b32.F r1, r0, 127\n"  // the first warp of four is that of subcore 0
      "setp.ge.u32 p0, r1, 32\n"
      "@p0 exit\n"
      "ld.param.b64 rd32, [rz]\n"
      "ld.param.b64 rd34, [rz+8]\n"
      "s2r.b32 r36, laneid\n"
      "setp.lt.u32 p1, r36, 16\n"
      "setp.lt.u32 p2, r36, 8\n"
      "setp.lt.u32 p3, r36, 4\n"
      "setp.lt.u32 p4, r36, 2\n"
      "madw.u32.F rd38, r36, 4, rd34\n"
      "shr.u32.F r1, r0, 7\n"
      "madw.u32.F rd32, r1, 8, rd32\n"
      "mov.b32.F r37, 0\n"
      "again:\n");
  for (unsigned r = 4; r < 32; r++)
    put(t, "mov.b32.%c r%u, %u\n", p->side, r, r);
  put(t, "%s\n", p->setup ? p->setup : "");
  put(t, "membar.cta\ndiv.u32 r3, r36, 3\nmov.b32.F r47, 0\n");
  if (c->warps > 1)
    put(t, "bar.sync.b32 rz, 0, rz\n");
  put(t, "s2r.b32 r3, clock\n");
  if (p->loop)  // what it takes is hidden behind a body of 25 cycles
    put(t, "loop:\n%s\nadd.u32.F r47, r47, 1\nsetp.lt.u32 p0, r47, %u\n@p0 bra loop, left\nleft:\n",
        p->body, p->times);
  for (unsigned n = 0; n < p->times && !p->loop; n++) {
    put_code(t, p->body, n);
    put(t, "\n");
  }
  const char *const last = p->used ? "r5" : p->last;
  if (p->used) {
    put(t, "add.u32.F r5, ");
    put_code(t, p->last, p->times - 1);
    put(t, ", 1\n");
  }
  put(t, "s2r.b32 ");
  put_code(t, last, p->times - 1);
  put(t, ", clock\n");
  put(t,
      "add.u32.F r37, r37, 1\n"
      "setp.lt.u32 p0, r37, %u\n"
      "@p0 bra again, done\n"
      "done:\n"
      "st.global.b32 [rd32], r3\n"
      "st.global.b32 [rd32+4], ",
      c->cold ? 1 : 2);
  put_code(t, last, p->times - 1);
  put(t, "\nexit\n");
}

static void check(machine *m, machine_error e) {
  if (!e)
    return;
  printf("%s\n", machine_message(m));
  fflush(stdout);
  abort();
}

rig_result rig_run(near_mode mode, const rig_config *c, const rig_program *p) {
  static text t;
  char why[1000];
  uint64_t params[4] = {0};
  uint32_t times[2 * WARPS];
  rig_result r = {0};
  launch *l;
  const uint32_t warps = c->warps ? c->warps : 1;
  machine_config mc = machine_config_default();
  sim_config sc = sim_config_default(mode);
  sc.near.channel.row_buffers = c->rows ? c->rows : 4, sc.near.channel.closed = c->closed;
  sc.max_cycles = 10000000;
  sc.core.far_rf_bytes = 65536;
  sc.core.icache_bytes = c->icache ? c->icache : sc.core.icache_bytes;
  sc.core.constant_latency = c->constant ? c->constant : sc.core.constant_latency;
  sc.core.trefi = c->trefi;
  sc.core.schedule = c->schedule;
  if (!sim_machine(&sc, &mc, why, sizeof why))
    abort();
  machine *m = machine_new(&mc);
  sim *s = sim_new(&sc, m, why, sizeof why);
  if (!s) {
    printf("%s\n", why);
    fflush(stdout);
    abort();
  }
  check(m, machine_malloc(m, RIG_BUFFER, &params[1]));
  check(m, machine_malloc(m, sizeof times, &params[0]));
  write_program(&t, c, p);
  module *mod = prog_assemble(t.s);
  // with many warps there is room for few near registers
  mod->kernels->regs_both = warps > 1 ? 8 : 32;
  mod->kernels->regs_far = warps > 1 ? 40 : 16;
  mod->kernels->regs_near = 0;
  mod->kernels->local_bytes = 0;
  check(m, machine_add_module(m, mod));
  const launch_shape shape = {{1, 1, 1},
                              {warps > 1    ? (warps - 1) * 128 + 32
                               : c->threads ? c->threads
                                            : 32,
                               1, 1},
                              0};
  check(m, launch_new(m, mod, mod->kernels, &shape, params, mod->kernels->param_bytes, &l));
  check(m, launch_run(l));
  launch_free(l);
  check(m, machine_read(m, times, params[0], sizeof times));
  uint32_t first = UINT32_MAX, last = 0, shortest = UINT32_MAX;
  for (uint32_t w = 0; w < warps; w++) {
    const uint32_t from = times[2 * w], to = times[2 * w + 1];
    first = from < first ? from : first;
    last = to > last ? to : last;
    shortest = to - from < shortest ? to - from : shortest;
  }
  r.cycles = c->shortest ? shortest : last - first;
  for (uint32_t b = 0; b < DRAM_BANKS; b++)
    r.refresh += sim_commands(s, 0, 0, b, DRAM_REF);
  r.stats = *core_statistics(sim_core(s, 0));
  sim_free(s);
  machine_free(m);
  return r;
}
