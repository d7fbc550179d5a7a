// SPDX-License-Identifier: Apache-2.0
// The C twin of fma64. docs/blocks/fma64.md.
#pragma once

#define BLOCK fma64
#include "csim/base/block_declare.h"

typedef enum fma64_op { FMA64_FMA, FMA64_ADD, FMA64_MUL, FMA64_MIN, FMA64_OPS } fma64_op;

enum {
  FMA64_EDGES = 5
};  // from the edge that takes an operation to the one that brings its result

typedef struct fma64 {
  bool valid[FMA64_EDGES];
  uint64_t d[FMA64_EDGES];
  uint32_t at, inside;
  fma64_out out;
} fma64;

// What an operation gives: rules 3 to 7. The thread rounds to nearest, as programs do at start.
double fma64_value(fma64_op op, double a, double b, double c);
uint64_t fma64_result(fma64_op op, uint64_t a, uint64_t b, uint64_t c);

void fma64_step(fma64 *f, const fma64_in *in, fma64_out *out);

static inline bool fma64_idle(const fma64 *f) {
  return !f->inside && !f->out.valid;
}
