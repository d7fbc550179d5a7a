// SPDX-License-Identifier: Apache-2.0
// What near.c and near_trace.c share.
#pragma once

#include "inside.h"
#include "models.h"
#include "near.h"
#include "csim/base/port_trace.h"
#include "csim/mpu/die_wires.h"

enum { NAME = 64, ERROR = 4096 };

struct near {
  bool idle, shown;  // shown: the outputs have been written once
  near_mode mode;
  structure sizes;
  uint64_t cycle;
  // what the base die and the blocks see of one another: of the twins, or of the Verilog alone
  nbu_in in[NEAR_NBUS];
  nbu_out out[NEAR_NBUS];
  smem_in smem_in;
  const smem_out *smem_out;
  rtt_in rtt_in[NEAR_NBUS];
  rtt_out rtt_out[NEAR_NBUS];
  uint32_t open;  // requests that smem has taken and not answered
  die_bus up;
  uint32_t arrays;  // with data to come, a bit an NBU
  // and of the outputs: clock needed; command or data to come; request to smem, its answer
  uint32_t busy, pins, offers, answers;
  bool shared;  // smem was needed at the last edge
  dram *dram[NEAR_NBUS];
  // twins
  nbu *nbu[NEAR_NBUS];
  smem smem;
  rtt rtt[NEAR_NBUS];
  // Verilog, and in lockstep its outputs
  models models;
  void *rtl_nbu[NEAR_NBUS], *rtl_smem, *rtl_rtt[NEAR_NBUS];
  inside inside[NEAR_NBUS];  // lockstep
  nbu_out rtl_nbu_out[NEAR_NBUS];
  smem_out rtl_smem_out;
  rtt_out rtl_rtt_out[NEAR_NBUS];
  bool refresh, closed;
  near_counts counts[NEAR_NBUS];
  shared_meter meter;
  char name[NAME], array_names[NEAR_NBUS][NAME + 16];
  port_trace *trace[NEAR_BLOCKS];  // of twins, in mode NEAR_C
  uint32_t traced;                 // a bit a block
  near_fault fault;
  uint32_t stepping;  // whose arrays are
  char error[ERROR];
};

// Idle: its inputs are what they are from now on.
void near_rest(near *n);
// In this cycle these blocks have an edge, a bit each: shows the inputs of the others, whose clocks
// stand.
void near_trace_still(near *n, uint32_t edges);
