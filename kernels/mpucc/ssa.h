// SPDX-License-Identifier: Apache-2.0
// The values of an allocated kernel in static single assignment: for each instruction which values
// it reads, and where paths meet, a value for each register that needs one there. A snapshot.
#ifndef NEARBANK_SSA_H
#define NEARBANK_SSA_H

#include <stdbool.h>
#include <stdint.h>
#include "cfg.h"
#include "mir.h"

typedef enum ssa_kind {
  SSA_START,    // what a register holds when a thread begins
  SSA_RESULT,   // of instruction `site`
  SSA_GUARDED,  // a: written under a guard, over b
  SSA_LOW,      // words of the pair a
  SSA_HIGH,
  SSA_PAIR,      // a: low word, b: high word
  SSA_VARIABLE,  // the address of a device variable, 64 bits: variable a; `addend`
  SSA_MEET,      // of block `site` and variable b: inputs[a + k] is of the k-th predecessor
} ssa_kind;

typedef struct ssa_value {
  ssa_kind kind;
  uint32_t site, a, b;
  int64_t addend;
} ssa_value;

// Registers are variables, and behind them pairs of registers.
enum { SSA_NONE = UINT32_MAX, SSA_VARIABLES = 256 + 256 / 2 };

typedef struct ssa_site {  // an instruction
  const mir_inst *mi;
  uint32_t block, pc;
  uint32_t operand[4];  // values of a, b, c in 1 to 3; SSA_NONE: no register
} ssa_site;

typedef struct ssa {
  const mir_kernel *k;
  cfg cfg;
  ssa_site *sites;
  ssa_value *of;
  uint32_t *inputs;
  uint32_t *first_site;  // of each block, and of one more
  uint32_t n_sites, n, n_inputs;
  struct ssa_maker *maker;
} ssa;

void ssa_build(ssa *v, const mir_kernel *k);
void ssa_free(ssa *v);

#endif
