// SPDX-License-Identifier: Apache-2.0
// The verilated blocks of the near side, from a shared library: most runs need none of them, and
// they take minutes to compile.
#pragma once

#include "block.h"

// A block of the library. `failed`: a check of the Verilog was false; it has said which.
typedef struct model {
  const block_ops *ops;
  bool (*failed)(const void *block);
  void (*set_mutant)(void *block, unsigned number);  // NULL in the product's library
} model;

typedef struct models {
  model nbu, smem, rtt;
  model bankctl;    // of models_open_bankctl() only
  unsigned mutant;  // number of the mutant that was asked for, 0: none
  void *library;
  const char *file;
} models;

// `mutant`: as in near_config. False, and a sentence in `why`, when there is no library, or it was
// built from other sources.
bool models_open(models *m, const char *mutant, char *why, size_t why_bytes);
// A bank controller by itself: of a library of its own, which compiles in seconds.
bool models_open_bankctl(models *m, char *why, size_t why_bytes);
void models_close(models *m);

// A block after reset, with the mutant in it; NULL when memory is short.
void *model_new(const models *m, const model *block);
