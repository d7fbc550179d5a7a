// SPDX-License-Identifier: Apache-2.0
// The verilated blocks of the near side, from a shared library: most runs need none of them, and
// they take minutes to compile.
#pragma once

#include "csim/mpu/structure.h"
#include "csim/base/block.h"
#include "csim/mpu/fpu.h"
#include "csim/mpu/nbu_glue.h"
#include "csim/base/rtl_trace.h"

// A block of the library. `failed`: a check of the Verilog was false; it has said which.
typedef struct model {
  const block_ops *ops;
  bool (*failed)(const void *block);
  void (*set_mutant)(void *block, unsigned number);  // NULL in the product's library
  // NULL in a library that stands in for it.
  bool (*trace)(void *block, const rtl_trace *to, const void *in);  // false: no memory
  void (*trace_inputs)(void *block, const void *in);                // of a cycle without an edge
  void (*trace_off)(void *block);
} model;

typedef struct models {
  model nbu, smem, rtt;
  // Inside of nbu, or NULL: the outputs of a block (nbu_part); what nbu
  // makes for them at the next edge; fpu in valu (the operation it takes
  // at the next edge, but for its operands) or else in lsux (and its outputs).
  void (*part)(const void *nbu, unsigned part, void *out);
  void (*glue)(const void *nbu, nbu_glue *g);
  void (*fpu)(const void *nbu, bool valu, fpu_in *in, fpu_out *out);
  model bankctl;    // of models_open_bankctl() only
  unsigned mutant;  // number of the mutant that was asked for, 0: none
  void *library;
  const char *file;
  char built[1024];  // its name, when it has other sizes
} models;

// `mutant`, `named`: as mutant and library of near_config. False, and a sentence in `why`, when
// there is no library, or it was built from other sources. A library with other sizes than the
// default ones is built when there is none (build_models.sh), which takes minutes and says so on
// stderr.
bool models_open(models *m, const structure *sizes, const char *mutant, const char *named,
                 char *why, size_t why_bytes);
// A bank controller by itself: of a library of its own, which compiles in seconds.
bool models_open_bankctl(models *m, char *why, size_t why_bytes);
void models_close(models *m);
// The command of a shell that builds a library with these sizes: build_models.sh in the checkout
// `root`, for the build in `build`. False: it does not fit.
bool models_command(const char *root, const char *build, const char *sizes, char *to, size_t bytes);

// A block after reset, with the mutant in it; NULL when memory is short.
void *model_new(const models *m, const model *block);
