// SPDX-License-Identifier: Apache-2.0
// Inside of the profile of a core.
//
// profile.c          cycles of subcores, issue and end of instructions
// profile_traffic.c  packets, flits and commands of the arrays
#ifndef NEARBANK_PROFILE_PRIV_H
#define NEARBANK_PROFILE_PRIV_H

#include "harness/machines/mpu/core/core_view.h"
#include "core_profile.h"

// What a packet is still to do in the banks of its NBU.
typedef struct bank_access {
  profile_traffic *of;
  uint32_t place;  // row and column, as packets have them
  uint8_t reads[DRAM_BANKS], writes[DRAM_BANKS], left;
} bank_access;

enum { ACCESSES = 2 * TAGS };  // writes may be answered before the arrays have them

typedef struct unit {  // an NBU and its channel
  profile_traffic *tags[TAGS + 1];
  struct {
    profile_traffic *of;
    uint32_t flits;
  } queue[QUEUE];  // packets that wait for the bus
  uint32_t head, count;
  profile_traffic *up;  // whose packet comes up, and its flits that are still to come
  uint32_t up_left;
  bank_access accesses[ACCESSES];  // the oldest first
  uint32_t n_accesses;
  // the read or write that was on the pins in the last cycle, NULL: none
  profile_traffic *accessing;
  uint32_t accessing_bank;
  dram_rows rows[DRAM_BANKS];     // as the arrays had counted before it
  uint32_t closings[DRAM_BANKS];  // rows closed whose room is still free
} unit;

typedef struct watch {  // a subcore
  uint64_t counted[PROFILE_CAUSES], moves_zero;
  profile_cause standing;   // what a cycle counts as in which nothing happens, and for which row
  uint32_t row, held;       // held: the row of what that waits for; none is `rows`
  uint8_t decoding[SLOTS];  // instructions that can issue from the next cycle on
  uint32_t last[SLOTS];     // row of a warp's last instruction
  struct {
    uint32_t number;
    uint64_t cycle;  // of its issue
  } under_way[EVENT_PLACES];
  uint32_t n_under_way;
} watch;

struct core_profile {
  profile_counts *counts;  // a row each
  uint32_t rows, room;
  watch sub[SUBCORES];
  unit unit[SUBCORES];
  uint32_t banks, cols;  // of the arrays
};

static inline profile_counts *profile_of(core_profile *p, uint32_t pc) {
  return &p->counts[pc / ISA_BYTES];
}
static inline profile_counts *profile_else(core_profile *p, profile_other other) {
  return &p->counts[p->rows - PROFILE_OTHERS + other];
}

// ---- profile_traffic.c
void profile_traffic_begin(core_profile *p, const core *c);
void profile_traffic_cycle(core_profile *p, const core *c, const core_event *e, uint32_t count);
void profile_traffic_end(core_profile *p, const core *c);

#endif
