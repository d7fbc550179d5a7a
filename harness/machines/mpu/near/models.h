// SPDX-License-Identifier: Apache-2.0
// The verilated blocks of the near side.
#pragma once

#include "csim/mpu/structure.h"
#include "csim/mpu/fpu.h"
#include "csim/mpu/nbu_glue.h"
#include "harness/base/verilated.h"

typedef struct models {
  model nbu, smem, rtt;
  // Inside of nbu, or NULL: the outputs of a block (nbu_part); what nbu
  // makes for them at the next edge; fpu in valu (the operation it takes
  // at the next edge, but for its operands) or else in lsux (and its outputs).
  void (*part)(const void *nbu, unsigned part, void *out);
  void (*glue)(const void *nbu, nbu_glue *g);
  void (*fpu)(const void *nbu, bool valu, fpu_in *in, fpu_out *out);
  unsigned mutant;  // number of the mutant that was asked for, 0: none
  verilated_library library;
} models;

// `mutant`, `named`: as mutant and library of near_config. False, and a sentence in `why`, when
// there is no library, or it was built from other sources; other sizes than the default ones are
// those of a library of its own (verilated.h).
bool models_open(models *m, const structure *sizes, const char *mutant, const char *named,
                 char *why, size_t why_bytes);
void models_close(models *m);

// A block after reset, with the mutant in it; NULL when memory is short.
void *model_new(const models *m, const model *block);
