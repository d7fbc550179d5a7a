// SPDX-License-Identifier: Apache-2.0
// Other orders of a launch than the machine's own, in which warps of all resident blocks
// interleave. They are fair: a warp that can run gets turns again and again. The same seed gives
// the same order.
#ifndef NEARBANK_TURNS_H
#define NEARBANK_TURNS_H

#include "machine.h"

typedef enum turns_kind {
  TURNS_OWN,          // the machine's: launch_run without a runner
  TURNS_ROUND_ROBIN,  // all resident warps in turn, TURNS_EACH instructions each
  TURNS_RANDOM,       // rounds of all resident warps, each in another order, with turns of 1 up
                      // to a number of instructions (1 to 2048) that is drawn for each launch
} turns_kind;

enum { TURNS_EACH = 64 };

// How many blocks of a launch are resident at a time; 0 is taken as 1.
typedef uint32_t turns_resident(void *ctx, const module_kernel *k, const launch_shape *shape);

typedef struct turns {
  turns_kind kind;
  uint64_t seed;
  turns_resident *resident;
  void *ctx;
} turns;

extern const char turns_forms[];  // what turns_parse takes, for messages
// "round-robin" or "random:SEED": sets kind and seed. False: it is neither.
bool turns_parse(const char *text, turns *s);

// A machine_runner; ctx is a `turns` of a kind but TURNS_OWN. Blocks become resident in the order
// of their indices, each as soon as there is room.
machine_error turns_run(void *ctx, launch *l);

#endif
