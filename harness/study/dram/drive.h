// SPDX-License-Identifier: Apache-2.0
// One bank controller, the DRAM arrays behind it and accesses before it; what they took.
#ifndef NEARBANK_DRAM_DRIVE_H
#define NEARBANK_DRAM_DRIVE_H

#include "csim/dram/channel.h"
#include "stream.h"

typedef struct drive_config {
  channel_config channel;  // but for its memory: nobody looks at the bytes
  uint32_t queue;          // 1 to 16; below 16 it is given no more that wait for ACT, RD or WR
} drive_config;

// All figures are of the accesses after the first tenth: latencies of these; the others from the
// cycle in which that tenth was done to the one in which all were.
typedef struct drive_result {
  uint64_t accesses, cycles;
  double offered, accepted;  // accesses a cycle; offered 0: each followed the one before
  double bytes;              // a cycle
  double hit_rate;           // share of the accesses that found their row open
  uint64_t commands[DRAM_CMDS];
  double selects;  // SASEL an access
  // cycles from the arrival to the last data
  double mean;
  uint64_t least, p50, p90, p99, most;
  // Accesses that the controller had not taken when the last one arrived; 0 if that one follows.
  // More than the square root of all, which chance alone makes of a load as high as the controller
  // serves, mean that the queue grows: the latencies then measure the length of the run.
  uint64_t waiting;
  bool saturated;
} drive_result;

enum { DRIVE_QUEUE = 16 };

// False, and what went wrong in `why`: a command that breaks a rule of the arrays, models that
// differ, a check of the Verilog, a controller that stands still.
bool drive(const drive_config *config, const stream_access *accesses, size_t count,
           drive_result *result, char *why, size_t why_bytes);

#endif
