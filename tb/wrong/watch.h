// SPDX-License-Identifier: Apache-2.0
// A core whose pins are written down while it executes kernels given as PTX: packets that go down,
// commands to the DRAM arrays with their data, requests to shared memory.
//
// Banks are not refreshed and lines of the I-cache are long and come at once: so the cycles of a
// kernel depend on nothing but its instructions. MPU_NEAR=c (default), rtl or lockstep.
#ifndef NEARBANK_TB_WRONG_WATCH_H
#define NEARBANK_TB_WRONG_WATCH_H

#include "harness/machines/mpu/machine/sim.h"
#include "kernels/mpucc/mpucc.h"
#include "csim/mpu/tsv_packet.h"

enum { WATCH_WORDS = 8192, WATCH_EVENTS = 4096, WATCH_FLITS = 8 * WATCH_EVENTS };

// Cycles are those since the start of the launch.
typedef struct packet {
  uint64_t first, last;  // its flits are on the bus
  uint32_t nbu, kind, flits;
  uint64_t head;
} packet;

typedef struct command {
  uint64_t cycle;  // on the pins
  dram_cmd cmd;
  uint32_t nbu, bank, row, col;
  uint32_t data[8], mask;  // of WR
} command;

typedef struct request {
  uint64_t cycle;  // first one on the pins
  uint32_t nbu, op, mask, data[32];
} request;

typedef struct watch {
  machine *m;
  sim *sim;
  module *mod;
  uint64_t out, in;  // buffers of WATCH_WORDS words, each begins in NBU 0; in[i] = i
  uint32_t *words;   // `out` after the last run
  // of the last run
  uint64_t cycles;
  core_stats s;
  uint32_t depth;  // of a SIMT stack, at most
  packet packets[WATCH_EVENTS];
  command commands[WATCH_EVENTS];
  request requests[WATCH_EVENTS];
  uint64_t flits[WATCH_FLITS];  // cycles of flits down
  uint32_t n_packets, n_commands, n_requests, n_flits;
  // inside
  uint64_t start;
  bool started, open[4], standing[4];
  uint32_t at[4], left[4];  // packet of each NBU that is not complete
} watch;

watch *watch_open(const char *ptx, mir_policy policy);
void watch_close(watch *w);
void watch_fill(watch *w, uint32_t a, uint32_t b);  // in[i] = a * i + b
void watch_run(watch *w, const char *kernel, uint32_t blocks, uint32_t threads, uint32_t n,
               uint32_t k);

// Sums over subcores and NBUs.
#define watch_sub(w, name) \
  ((w)->s.sub[0].name + (w)->s.sub[1].name + (w)->s.sub[2].name + (w)->s.sub[3].name)
uint64_t watch_down(const watch *w, enum tsv_kind kind);
uint64_t watch_flits(const watch *w, uint64_t from,
                     uint64_t to);  // on their way down in these cycles
uint64_t watch_count(const watch *w, dram_cmd cmd);
typedef struct cost {
  uint64_t cycles, issued, lanes;
} cost;
cost watch_cost(const watch *w);

void watch_words(const watch *w, uint32_t n, uint32_t times,
                 uint32_t plus);  // out[i] is that * i + this

// The cycles of two launches that should take as many. Round robins go on where the launch before
// left them, which may be a cycle.
enum { SLACK = 1 };
void assert_about(uint64_t got, uint64_t want);

// A test with each location policy, which is its state.
#define EACH_POLICY(test)                                                      \
  {#test " --locate=paper", test, NULL, NULL, (void *)&watch_policies[0]},     \
      {#test " --locate=near", test, NULL, NULL, (void *)&watch_policies[1]},  \
      {#test " --locate=far", test, NULL, NULL, (void *)&watch_policies[2]}, { \
#test " --locate=none", test, NULL, NULL, (void *)&watch_policies[3]       \
  }
extern const mir_policy watch_policies[4];
static inline mir_policy policy_of(void **state) {
  return *(const mir_policy *)*state;
}

// A kernel with parameters out, in, n, k; body sees r1 = its thread in the grid, r2 = tid.x, r3 =
// n, r4 = k, rd1 = out + 4 * r1, rd2 = in + 4 * r1. Its own registers: r10 on, rd10 on, p, and q
// for shared memory.
#define KERNEL_HEAD ".version 6.4\n.target sm_70\n.address_size 64\n"
#define KERNEL(name, body)                                                         \
  ".visible .entry " name                                                          \
  "(.param .u64 out, .param .u64 in, .param .u32 n, .param .u32 k)\n{\n"           \
  ".reg .b32 %r<60>;\n.reg .b64 %rd<20>;\n.reg .pred %p<10>;\n.reg .b16 %h<10>;\n" \
  "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"                          \
  "ld.param.u32 %r3, [n];\nld.param.u32 %r4, [k];\n"                               \
  "mov.u32 %r2, %tid.x;\nmov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %ntid.x;\n"          \
  "mad.lo.s32 %r1, %r5, %r6, %r2;\nmul.wide.u32 %rd3, %r1, 4;\n"                   \
  "add.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\n" body "ret;\n}\n"

#endif
