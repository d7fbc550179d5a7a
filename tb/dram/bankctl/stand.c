// SPDX-License-Identifier: Apache-2.0
#include "stand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const block_ops *subject;

int stand_verilog(void **state) {
  (void)state;
  subject = &bankctl_rtl;
  return 0;
}

int stand_twin(void **state) {
  (void)state;
  subject = &bankctl_twin;
  return 0;
}

bench *bench_with(uint32_t rows, bool closed, rig_refresh refresh, const dram_timing *t) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  assert_true(rig_init(&b->r, 1, rows, closed, t));
  rig_refresh_set(&b->r, refresh);
  b->block = subject->create(NULL);
  assert_non_null(b->block);
  bankctl_in reset = b->r.in;
  reset.rst_n = 0;
  subject->step(b->block, &reset, &b->out);
  return b;
}

bench *bench_new(uint32_t rows, bool closed, rig_refresh refresh) {
  return bench_with(rows, closed, refresh, NULL);
}

void bench_cycle(bench *b) {
  subject->step(b->block, rig_cycle(&b->r, &b->out), &b->out);
  if (*b->r.error)
    fail_msg("%s", b->r.error);
  if (b->out.cmd && b->n_log < 16) {
    b->log[b->n_log].cmd = (dram_cmd)b->out.cmd;
    b->log[b->n_log++].cycle = b->r.cycle;
  }
}

void bench_cycles(bench *b, uint64_t n) {
  while (n--)
    bench_cycle(b);
}

void bench_drain(bench *b) {
  for (uint32_t i = 0; !rig_quiet(&b->r, &b->out); i++) {
    assert_true(i < 100000);
    bench_cycle(b);
  }
}

void bench_end(bench *b) {
  bench_drain(b);
  rig_finish(&b->r);
  if (*b->r.error)
    fail_msg("%s", b->r.error);
  if (subject == &bankctl_rtl)
    assert_false(bankctl_rtl_failed(b->block));
  subject->destroy(b->block);
  rig_free(&b->r);
  free(b);
}

uint64_t commands(const bench *b, dram_cmd cmd) {
  return dram_commands(b->r.arrays, cmd);
}

bool list_next(void *ctx, uint64_t cycle, rig_request *q) {
  (void)cycle;
  list *l = ctx;
  if (l->next == l->n)
    return false;
  *q = l->requests[l->next++];
  return true;
}

void bench_list(bench *b, const rig_request *requests, uint32_t n) {
  list l = {requests, n, 0};
  rig_source_set(&b->r, list_next, &l);
  for (uint32_t i = 0; l.next < n || b->r.offering; i++) {
    assert_true(i < 1000000);
    bench_cycle(b);
  }
  bench_drain(b);
  rig_source_set(&b->r, NULL, NULL);
}

uint64_t latency_of(bench *b, rig_request q) {
  bench_list(b, &q, 1);
  return b->r.last_latency;
}
