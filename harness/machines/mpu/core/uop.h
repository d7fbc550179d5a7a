// SPDX-License-Identifier: Apache-2.0
// Instructions as cores see them: made once a launch, for all cores; nobody changes them.
#ifndef NEARBANK_CORE_UOP_H
#define NEARBANK_CORE_UOP_H

#include "base.h"

enum { LOOKS = 16, FAR_BANKS = 4 };  // LOOKS: registers that one asks the track table for

typedef enum uop_kind {
  UOP_NONE,     // nothing to do
  UOP_BRANCH,   // at issue
  UOP_EXIT,     // at issue
  UOP_TRAP,     // at issue
  UOP_FENCE,    // membar
  UOP_COMPUTE,  // far, or near where it can
  UOP_BARRIER,  // far
  UOP_CONST,    // const and param loads: far, with their own latency
  UOP_ACCESS,
} uop_kind;

typedef enum far_unit {
  UNIT_ALU,
  UNIT_FP64,
  UNIT_SFU,
  UNIT_DIV,
  UNIT_CONST,
  UNIT_LSU,
  UNITS
} far_unit;

typedef struct look {
  uint8_t reg, operand;
  uint8_t bank;  // of the far file, where registers of a warp begin at bank 0
} look;

struct uop {
  const decoded *d;
  uop_kind kind;
  bool stops_fetch;
  bool acquires, releases;  // accesses: what follows waits for it; it waits for what precedes it
  uint64_t reads[REG_WORDS], writes[REG_WORDS];  // registers
  uint64_t address[REG_WORDS];  // of `reads`: those that only the address of an access needs
  uint16_t preds_read, preds_written;
  uint8_t n_sources, n_looks;  // of looks: sources first, then the destination
  look looks[LOOKS];
  // when it executes far [0], near [1]
  bool data_near[2];
  uint16_t near_looks[2];  // looks that must be near
  bool in_place;           // an access of shared memory: near it takes its addresses there
  far_unit unit;
  uint8_t interval;
  uint16_t latency;
  uint64_t head;    // of EXEC: all but tag, registers and lanes
  nbu_work work;    // of EXEC
  stats_kind does;  // where it computes
};

struct core_uops {
  uop *all;
  uint32_t count, reg_words;
};

#endif
