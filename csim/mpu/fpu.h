// SPDX-License-Identifier: Apache-2.0
// The C twin of fpu. docs/blocks/fpu.md.
#pragma once

#define BLOCK fpu
#include "csim/base/block_declare.h"

typedef enum fpu_op {
  FPU_ADD,
  FPU_SUB,
  FPU_MUL,
  FPU_FMA,
  FPU_MIN,
  FPU_MAX,
  FPU_ABS,
  FPU_NEG,
  FPU_COPYSIGN,
  FPU_SETB,
  FPU_SETF,
  FPU_I2F_U,
  FPU_I2F_S,
  FPU_F2I_U,
  FPU_F2I_S,
  FPU_F2F,
  FPU_OPS
} fpu_op;

enum { FPU_EDGES = 4 };  // from the edge that takes an operation to the one that brings its result

typedef struct fpu {
  bool valid[FPU_EDGES];
  uint32_t d[FPU_EDGES];
  uint32_t at, inside;
  fpu_out out;
} fpu;

// What an operation gives: rules 3 to 11.
uint32_t fpu_result(const fpu_in *in);

void fpu_init(fpu *f);
void fpu_step(fpu *f, const fpu_in *in, fpu_out *out);

static inline bool fpu_idle(const fpu *f) {
  return !f->inside && !f->out.valid;
}
