// SPDX-License-Identifier: Apache-2.0
// How registers grow from lane to lane, as far as that follows from the thread's index. Warps are
// taken to lie in one row of their block, and what is clamped to lie within the bounds.
#include <stdlib.h>
#include "chains.h"
#include "mem.h"

enum { OPERANDS = 4 };

// Of one operand: the register's, 0 of an immediate.
static int64_t of_operand(const mir_inst *mi, const int64_t *stride, unsigned o) {
  const isa_reg regs[OPERANDS] = {mi->i.d, mi->i.a, mi->i.b, mi->i.c};
  if (mi->i.imm_at == o || !ISA_REG_IS_VIRTUAL(regs[o]))
    return 0;
  return stride[ISA_REG_ID(regs[o])];
}

static bool known(int64_t s) {
  return s != STRIDE_NONE && s != STRIDE_UNKNOWN;
}

// A sum of which a part is not known yet is not known yet either.
static int64_t sum(int64_t a, int64_t b) {
  const int64_t most = INT32_MAX;
  if (a == STRIDE_NONE || b == STRIDE_NONE)
    return STRIDE_NONE;
  return known(a) && known(b) && llabs(a + b) <= most ? a + b : STRIDE_UNKNOWN;
}

static int64_t product(const mir_inst *mi, int64_t a, int64_t b) {
  const unsigned at = mi->i.imm_at;
  if (a == STRIDE_NONE || b == STRIDE_NONE)
    return STRIDE_NONE;
  if (a == 0 && b == 0)
    return 0;
  const int64_t s = at == ISA_IMM_A ? b : at == ISA_IMM_B ? a : STRIDE_UNKNOWN;
  if (!known(s) || llabs(s) > INT16_MAX)
    return STRIDE_UNKNOWN;
  return s * (int32_t)mi->i.imm;
}

// Of two values of which each lane has one.
static int64_t either(int64_t a, int64_t b) {
  return a == STRIDE_NONE || a == 0 ? b : b == STRIDE_NONE || b == 0 || a == b ? a : STRIDE_UNKNOWN;
}

static int64_t result(const mir_inst *mi, const int64_t *stride) {
  const int64_t a = of_operand(mi, stride, 1), b = of_operand(mi, stride, 2);
  const int64_t c = of_operand(mi, stride, 3);
  switch (mi->i.op) {
    case ISA_OP_S2R:
      return mi->i.fn == ISA_SREG_TID_X || mi->i.fn == ISA_SREG_LANEID ? 1 : 0;
    case ISA_OP_MOV:
    case ISA_OP_I2I:
    case ISA_OP_CVTA:
      return a;
    case ISA_OP_NEG:
      return known(a) ? -a : a;
    case ISA_OP_ADD:
    case ISA_OP_OR:  // of bits that do not meet: so compilers write an addition
      return sum(a, b);
    case ISA_OP_SUB:
      return sum(a, known(b) ? -b : b);
    case ISA_OP_MUL:
    case ISA_OP_MULW:
      return product(mi, a, b);
    case ISA_OP_MAD:
    case ISA_OP_MADW:
      return sum(product(mi, a, b), c);
    case ISA_OP_SHL:
      if (mi->i.imm_at != ISA_IMM_B || mi->i.imm > 15 || !known(a) || llabs(a) > INT16_MAX)
        return a == STRIDE_NONE ? a : STRIDE_UNKNOWN;
      return a * (1 << mi->i.imm);
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_SELP:
      return either(a, b);
    default:
      return STRIDE_UNKNOWN;
  }
}

int64_t *stride_of(const mir_kernel *k, const bool *varies) {
  int64_t *stride = mem_new(k->vreg_count, sizeof *stride);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    stride[v] = varies[v] ? STRIDE_NONE : 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < k->block_count; b++)
      for (uint32_t j = 0; j < k->blocks[b].count; j++) {
        const mir_inst *mi = &k->blocks[b].insts[j];
        const isa_reg d = mir_def(mi);
        if (!ISA_REG_IS_VIRTUAL(d) || !varies[ISA_REG_ID(d)])
          continue;
        int64_t *to = &stride[ISA_REG_ID(d)];
        const int64_t now = result(mi, stride);
        const int64_t all = *to == STRIDE_NONE                 ? now
                            : now == STRIDE_NONE || now == *to ? *to
                                                               : STRIDE_UNKNOWN;
        changed |= all != *to;
        *to = all;
      }
  }
  return stride;
}
