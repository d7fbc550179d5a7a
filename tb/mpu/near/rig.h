// SPDX-License-Identifier: Apache-2.0
// The near side of a core under the random traffic of die_slice: its driver sees a die_slice, made
// of what the near side shows. The track tables get traffic of their own. One rig at a time: the
// driver's state is not in it.
#pragma once

#include "tb/cosim/cosim.h"
#include "harness/machines/mpu/near/near.h"
#define BLOCK die_slice
#include "csim/base/block_declare.h"

// Kinds of traffic of the driver.
enum { RIG_ALL, RIG_SHARED, RIG_STREAMS, RIG_ALONE, RIG_SPARSE, RIG_SLOW, RIG_MODES };

typedef struct rig {
  cosim_rng rng;
  near *near;
  near_config config;
  near_in in;
  near_out out;
  die_slice_in die_in;  // the same pins
  die_slice_out die_out;
  char why[1024];  // when there is no near
} rig;

// With a memory of zeros.
near_config rig_config(near_mode mode);
void rig_memory_free(near_config *c);

// Starts the traffic and makes a near side for it. False when there is none: `why`.
bool rig_start(rig *r, const near_config *c, unsigned mode, uint64_t seed);
void rig_end(rig *r);

// The inputs of the next edge, then the edge. False: near_error() or the driver's models say why.
void rig_drive(rig *r);
bool rig_edge(rig *r);
// NULL when the answers are those that the driver expects.
const char *rig_wrong(rig *r);

bool rig_quiet(const near_in *in);
