// SPDX-License-Identifier: Apache-2.0
#include "watch.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "harness/machines/mpu/core/core_view.h"
#include "tb/cosim/timed.h"

static watch *watched;  // the one that executes

// ---- what is on the pins

static void flit_down(watch *w, uint64_t now, uint32_t nbu, uint64_t flit) {
  assert_true(w->n_flits < WATCH_FLITS);
  w->flits[w->n_flits++] = now;
  if (!w->open[nbu]) {
    assert_true(w->n_packets < WATCH_EVENTS);
    const uint32_t kind = (uint32_t)tsv_get(flit, TSV_DN_ANY_KIND);
    w->at[nbu] = w->n_packets++;
    w->packets[w->at[nbu]] = (packet){now, now, nbu, kind, 1 + tsv_dn_len(flit), flit};
    w->left[nbu] = tsv_dn_len(flit);
  } else {
    w->left[nbu]--;
  }
  w->packets[w->at[nbu]].last = now;
  w->open[nbu] = w->left[nbu] != 0;
}

static void arrays(watch *w, uint64_t now, uint32_t nbu, const nbu_out *pins) {
  for (uint32_t k = w->n_commands; k-- > 0 && w->commands[k].cycle + 2 >= now;) {
    command *c = &w->commands[k];
    if (c->cycle + 2 != now || c->nbu != nbu || c->cmd != DRAM_WR)
      continue;
    memcpy(c->data, pins->wdata, sizeof c->data);
    c->mask = pins->wmask;
  }
  if (!pins->cmd)
    return;
  assert_true(w->n_commands < WATCH_EVENTS);
  w->commands[w->n_commands++] = (command){.cycle = now,
                                           .cmd = (dram_cmd)pins->cmd,
                                           .nbu = nbu,
                                           .bank = pins->cmd_bank,
                                           .row = pins->cmd_row,
                                           .col = pins->cmd_col};
}

// A request stands until it is taken; the next one may follow at once.
static void shared(watch *w, uint64_t now, uint32_t nbu, const nbu_out *pins, bool ready) {
  if (pins->sm_valid && !w->standing[nbu]) {
    assert_true(w->n_requests < WATCH_EVENTS);
    request *r = &w->requests[w->n_requests++];
    *r = (request){.cycle = now, .nbu = nbu, .op = pins->sm_op, .mask = pins->sm_mask};
    memcpy(r->data, pins->sm_b, sizeof r->data);
  }
  w->standing[nbu] = pins->sm_valid && !ready;
}

static uint32_t deepest(const core *c) {
  uint32_t depth = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->board.sub[k].live; m; m &= m - 1) {
      const warp *x = c->board.sub[k].warps[__builtin_ctz(m)].w;
      if (x && x->depth > depth)
        depth = x->depth;
    }
  return depth;
}

// The linker puts this in the place of near_step (--wrap).
bool __real_near_step(near *n, const near_in *in, near_out *out);
bool __wrap_near_step(near *n, const near_in *in, near_out *out);

bool __wrap_near_step(near *n, const near_in *in, near_out *out) {
  watch *w = watched;
  if (!w)
    return __real_near_step(n, in, out);
  if (!w->started)
    w->start = near_cycle(n), w->started = true;
  for (uint32_t place = 0; place < 2; place++)
    if (in->dn_valid >> place & 1)
      flit_down(w, near_cycle(n) - w->start, in->dn_sel >> 2 * place & 3,
                in->dn_data[2 * place] | (uint64_t)in->dn_data[2 * place + 1] << 32);
  const bool ok = __real_near_step(n, in, out);
  const smem_out *s = near_shared_pins(n);
  const bool ready[NEAR_NBUS] = {s->q0_ready, s->q1_ready, s->q2_ready, s->q3_ready};
  for (uint32_t k = 0; ok && k < NEAR_NBUS; k++) {
    arrays(w, near_cycle(n) - w->start, k, near_pins(n, k));
    shared(w, near_cycle(n) - w->start, k, near_pins(n, k), ready[k]);
  }
  const uint32_t depth = deepest(sim_core(w->sim, 0));
  if (depth > w->depth)
    w->depth = depth;
  return ok;
}

// ---- the core

static void check(watch *w, machine_error e) {
  if (e)
    fail_msg("%s", machine_message(w->m));
}

watch *watch_open(const char *ptx, mir_policy policy) {
  watch *w = calloc(1, sizeof *w);
  assert_non_null(w);
  mpucc_options o = mpucc_options_default();
  uint8_t *image;
  size_t bytes;
  char why[1000];
  o.locate = policy;
  if (mpucc_compile(ptx, strlen(ptx), "kernel", &o, &image, &bytes))
    fail_msg("does not compile:\n%s", ptx);
  w->mod = module_load(image, bytes, why, sizeof why);
  free(image);
  if (!w->mod)
    fail_msg("%s", why);
  machine_config m = machine_config_default();
  near_mode mode = NEAR_C;
  timed_mode(&mode);
  sim_config c = sim_config_default(mode);
  c.max_cycles = 1000000;
  c.core.trefi = 0;
  c.core.icache_line = 1024, c.core.icache_miss = 1;
  timed_machine(&m);
  w->m = machine_new(&m);
  assert_non_null(w->m);
  w->sim = sim_new(&c, w->m, why, sizeof why);
  if (!w->sim)
    fail_msg("%s", why);
  check(w, machine_add_module(w->m, w->mod));
  check(w, machine_malloc(w->m, WATCH_WORDS * 4, &w->out));
  check(w, machine_malloc(w->m, WATCH_WORDS * 4, &w->in));
  assert_int_equal(w->out % 512 + w->in % 512, 0);
  w->words = calloc(WATCH_WORDS, 4);
  assert_non_null(w->words);
  watch_fill(w, 1, 0);
  return w;
}

void watch_close(watch *w) {
  sim_free(w->sim);
  machine_free(w->m);
  free(w->words);
  free(w);
}

void watch_fill(watch *w, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < WATCH_WORDS; i++)
    w->words[i] = a * i + b;
  check(w, machine_write(w->m, w->in, w->words, WATCH_WORDS * 4));
}

static void subtract(core_stats *of, const core_stats *before) {
  uint64_t *a = (uint64_t *)of;
  const uint64_t *b = (const uint64_t *)before;
  for (size_t k = 0; k < sizeof *of / sizeof *a; k++)
    a[k] -= b[k];
}

void watch_run(watch *w, const char *kernel, uint32_t blocks, uint32_t threads, uint32_t n,
               uint32_t k) {
  const module_kernel *f = module_find_kernel(w->mod, kernel);
  assert_non_null(f);
  const launch_shape shape = {{blocks, 1, 1}, {threads, 1, 1}, 0};
  struct {
    uint64_t out, in;
    uint32_t n, k;
  } params = {w->out, w->in, n, k};
  launch *l;
  const core_stats before = *core_statistics(sim_core(w->sim, 0));
  w->n_flits = w->n_packets = w->n_commands = w->n_requests = w->depth = 0;
  w->started = false;
  check(w, launch_new(w->m, w->mod, f, &shape, &params, sizeof params, &l));
  watched = w;
  const machine_error e = launch_run(l);
  watched = NULL;
  check(w, e);
  launch_free(l);
  w->s = *core_statistics(sim_core(w->sim, 0));
  subtract(&w->s, &before);
  w->cycles = w->s.cycles;
  check(w, machine_read(w->m, w->words, w->out, WATCH_WORDS * 4));
}

uint64_t watch_down(const watch *w, enum tsv_kind kind) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < NEAR_NBUS; k++)
    sum += w->s.nbu[k].down[kind];
  return sum;
}

uint64_t watch_flits(const watch *w, uint64_t from, uint64_t to) {
  uint64_t n = 0;
  for (uint32_t k = 0; k < w->n_flits; k++)
    n += w->flits[k] >= from && w->flits[k] <= to;
  return n;
}

uint64_t watch_count(const watch *w, dram_cmd cmd) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < w->n_commands; k++)
    sum += w->commands[k].cmd == cmd;
  return sum;
}

cost watch_cost(const watch *w) {
  return (cost){w->cycles, watch_sub(w, issued), watch_sub(w, lanes)};
}

void watch_words(const watch *w, uint32_t n, uint32_t times, uint32_t plus) {
  for (uint32_t i = 0; i < n; i++)
    assert_int_equal(w->words[i], i * times + plus);
}

const mir_policy watch_policies[4] = {MIR_LOCATE_PAPER, MIR_LOCATE_NEAR, MIR_LOCATE_FAR,
                                      MIR_LOCATE_NONE};

void assert_about(uint64_t got, uint64_t want) {
  assert_in_range(got, want - SLACK, want + SLACK);
}
