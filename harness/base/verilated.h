// SPDX-License-Identifier: Apache-2.0
// Verilated blocks, from shared libraries: most runs need none of them, and they take long to
// compile. A library is a target of the build, lib<target>.so in its folder; it has blocks as
// csim/base/rtl_shim.cpp makes them.
#pragma once

#include "csim/base/block.h"
#include "csim/base/rtl_trace.h"

typedef struct verilated_library {
  void *handle;
  const char *target;
  char file[1024];
} verilated_library;

// A block of a library. `failed`: a check of the Verilog was false; it has said which.
typedef struct model {
  const block_ops *ops;
  bool (*failed)(const void *block);
  void (*set_mutant)(void *block, unsigned number);  // NULL in the product's library
  // NULL in a library that stands in for it.
  bool (*trace)(void *block, const rtl_trace *to, const void *in);  // false: no memory
  void (*trace_inputs)(void *block, const void *in);                // of a cycle without an edge
  void (*trace_off)(void *block);
} model;

// `sizes` are those of its blocks that are not the default ones (structure_parameters), "" for the
// default; a library with others is built when there is none (verilated.sh), which takes minutes
// and says so on stderr. `file` NULL: that of the build; else in place of it, named by the
// environment variable `variable`. `of` is a block of the library, which knows its sizes. False:
// `why`; the library is closed.
bool verilated_open(verilated_library *l, const char *target, const char *sizes, const char *file,
                    const char *variable, const char *of, char *why, size_t why_bytes);
// Models of it may live on: what a library has is constant, and stays.
void verilated_close(verilated_library *l);
// Of <block>_rtl<suffix>. NULL: there is none.
void *verilated_symbol(const verilated_library *l, const char *block, const char *suffix);
// A block with the ports of its twin. False: `why`; the library is closed.
bool verilated_block(verilated_library *l, model *m, const char *block, const block_ops *twin,
                     char *why, size_t why_bytes);
// The command of a shell that builds a library: verilated.sh in the checkout `root`, for the build
// in `build`. False: it does not fit.
bool verilated_command(const char *root, const char *build, const char *target, const char *sizes,
                       char *to, size_t bytes);
