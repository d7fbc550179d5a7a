// SPDX-License-Identifier: Apache-2.0
// The result is there when an operation enters; a ring keeps it until its edge.
#include "fpu.h"

#include <stdlib.h>
#include <string.h>

#include "csim/isa/isa.h"
#include "csim/isa/scalar.h"

void fpu_init(fpu *f) {
  memset(f, 0, sizeof *f);
}

// Rule 3: 0 nearest, 1 towards zero, 2 down, 3 up.
static unsigned rounding(uint32_t fn) {
  switch (fn) {
    case ISA_RND_RZ:
    case ISA_RND_RZI:
      return 1;
    case ISA_RND_RM:
    case ISA_RND_RMI:
      return 2;
    case ISA_RND_RP:
    case ISA_RND_RPI:
      return 3;
    default:
      return 0;
  }
}

static isa_inst instruction(const fpu_in *in, unsigned op, unsigned type, unsigned type2,
                            unsigned fn) {
  isa_inst i = isa_inst_new(op, type);
  i.type2 = (uint8_t)type2, i.fn = (uint8_t)fn;
  i.ftz = in->ftz, i.sat = in->sat;
  return i;
}

uint32_t fpu_result(const fpu_in *in) {
  static const unsigned arith[] = {ISA_OP_ADD, ISA_OP_SUB, ISA_OP_MUL, ISA_OP_FMA};
  const unsigned to = ISA_RND_RN + rounding(in->fn), to_integer = ISA_RND_RNI + rounding(in->fn);
  const uint32_t a = in->ftz ? scalar_ftz(in->a) : in->a, b = in->ftz ? scalar_ftz(in->b) : in->b;
  isa_inst i;
  switch ((fpu_op)in->op) {
    case FPU_ADD:
    case FPU_SUB:
    case FPU_MUL:
    case FPU_FMA:
      i = instruction(in, arith[in->op], ISA_TYPE_F32, 0, to);
      return scalar_f32(&i, in->a, in->b, in->c);
    case FPU_MIN:
    case FPU_MAX:
      return scalar_min_f32(a, b, in->op == FPU_MAX);
    case FPU_ABS:
      return a & 0x7fffffff;
    case FPU_NEG:
      return a ^ 0x80000000;
    case FPU_COPYSIGN:
      return (in->b & 0x7fffffff) | (in->a & 0x80000000);
    case FPU_SETB:
      return scalar_compare_f32(in->fn, a, b) ? 0xffffffff : 0;
    case FPU_SETF:
      return scalar_compare_f32(in->fn, a, b) ? 0x3f800000 : 0;
    case FPU_I2F_U:
    case FPU_I2F_S:
      i = instruction(in, ISA_OP_I2F, ISA_TYPE_F32,
                      in->op == FPU_I2F_S ? ISA_TYPE_S32 : ISA_TYPE_U32, to);
      return (uint32_t)scalar_i2f(&i, in->a);
    case FPU_F2I_U:
    case FPU_F2I_S:
      i = instruction(in, ISA_OP_F2I, in->op == FPU_F2I_S ? ISA_TYPE_S32 : ISA_TYPE_U32,
                      ISA_TYPE_F32, to_integer);
      return (uint32_t)scalar_f2i(&i, in->a);
    default:  // F2F
      i = instruction(in, ISA_OP_F2F, ISA_TYPE_F32, ISA_TYPE_F32,
                      in->fn >= ISA_RND_RNI && in->fn <= ISA_RND_RPI ? to_integer : ISA_RND_NONE);
      return (uint32_t)scalar_f2f(&i, in->a);
  }
}

void fpu_step(fpu *f, const fpu_in *in, fpu_out *out) {
  f->out.valid = in->rst_n && f->valid[f->at];
  if (f->valid[f->at])
    f->out.d = f->d[f->at];
  f->inside -= f->valid[f->at];
  f->valid[f->at] = in->rst_n && in->valid;
  if (f->valid[f->at])
    f->d[f->at] = fpu_result(in), f->inside++;
  f->at = (f->at + 1) % FPU_EDGES;
  if (!in->rst_n)
    memset(f->valid, 0, sizeof f->valid), f->inside = 0;
  *out = f->out;
}

#define BLOCK fpu
#include "csim/base/block_table.h"
#define BLOCK fpu
#define BLOCK_INIT(block, sizes) fpu_init(block)
#include "csim/base/block_twin.h"
