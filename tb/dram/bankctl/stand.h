// SPDX-License-Identifier: Apache-2.0
// A bank controller on a test stand: the rig around it, what it did first, and requests as a list.
#pragma once

#include "csim/dram/bankctl_times.h"
#include "rig.h"

extern const block_ops bankctl_rtl;
extern bool bankctl_rtl_failed(const void *block);
extern const block_ops *subject;  // of the group of tests that runs: the Verilog, or the twin
int stand_verilog(void **state);  // for cmocka: the group's subject
int stand_twin(void **state);

static const rig_refresh no_refresh = {0, 0, false};

typedef struct bench {
  rig r;
  void *block;
  bankctl_out out;
  struct {
    dram_cmd cmd;
    uint64_t cycle;
  } log[16];  // the first commands
  uint32_t n_log;
} bench;

// With default times, or others. All is checked on the way: a test fails at once.
bench *bench_new(uint32_t rows, bool closed, rig_refresh refresh);
bench *bench_with(uint32_t rows, bool closed, rig_refresh refresh, const dram_timing *t);
void bench_cycle(bench *b);
void bench_cycles(bench *b, uint64_t n);
void bench_drain(bench *b);
// Drains, compares memory, and frees the bench.
void bench_end(bench *b);

typedef struct list {
  const rig_request *requests;
  uint32_t n, next;
} list;
bool list_next(void *ctx, uint64_t cycle, rig_request *q);
// Takes a list of requests, all of them at once, and drains.
void bench_list(bench *b, const rig_request *requests, uint32_t n);
// Of a single request, to its data.
uint64_t latency_of(bench *b, rig_request q);
uint64_t commands(const bench *b, dram_cmd cmd);
