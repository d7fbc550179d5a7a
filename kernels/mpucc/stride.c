// SPDX-License-Identifier: Apache-2.0
// How what an instruction writes grows with the indices of thread and block, and of which power of
// two the rest is a multiple, as far as that follows from the code. What is clamped is taken to lie
// within the bounds.
#include <stdlib.h>
#include "chains.h"
#include "mem.h"

enum {
  ALL_ZERO = 63,      // of a rest that is 0
  POINTER_ZEROS = 9,  // arrays begin at multiples of 512 bytes
  SIZE_ZEROS = 7      // sizes of blocks and grids, and other parameters, are multiples of 128
};

static const chain_stride unknown = {STRIDE_UNKNOWN, STRIDE_UNKNOWN, STRIDE_UNKNOWN, 0};
static const chain_stride none = {STRIDE_NONE, STRIDE_NONE, STRIDE_NONE, ALL_ZERO};

static bool known(int64_t s) {
  return s != STRIDE_NONE && s != STRIDE_UNKNOWN;
}

static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

static unsigned zeros_of(int64_t value) {
  return value == 0 ? ALL_ZERO : (unsigned)__builtin_ctzll((uint64_t)value);
}

static chain_stride uniform(unsigned zeros) {
  return (chain_stride){.zeros = (uint8_t)least(zeros, ALL_ZERO)};
}

// ---- growths. A sum of which a part is not known yet is not known yet either.

static int64_t sum_of(int64_t a, int64_t b) {
  if (a == STRIDE_NONE || b == STRIDE_NONE)
    return STRIDE_NONE;
  return known(a) && known(b) && llabs(a + b) <= INT32_MAX ? a + b : STRIDE_UNKNOWN;
}

static int64_t times(int64_t s, int64_t factor) {
  return s == STRIDE_NONE                                            ? s
         : known(s) && (llabs(factor) == 1 || llabs(s) <= INT16_MAX) ? s * factor
                                                                     : STRIDE_UNKNOWN;
}

// Of a factor that is not a constant.
static int64_t varied(int64_t a, int64_t b) {
  return a == STRIDE_NONE || b == STRIDE_NONE ? STRIDE_NONE : a || b ? STRIDE_UNKNOWN : 0;
}

// What is written in more than one place.
static int64_t joined(int64_t a, int64_t b) {
  return a == STRIDE_NONE ? b : b == STRIDE_NONE || a == b ? a : STRIDE_UNKNOWN;
}

// ---- all of a value

// Of what the threads of a block share.
static unsigned shared_zeros(chain_stride a) {
  return known(a.block) ? least(zeros_of(a.block), a.zeros) : a.block == STRIDE_NONE ? a.zeros : 0;
}

static chain_stride sum(chain_stride a, chain_stride b) {
  return (chain_stride){sum_of(a.x, b.x), sum_of(a.y, b.y), sum_of(a.block, b.block),
                        (uint8_t)least(a.zeros, b.zeros)};
}

static chain_stride scaled(chain_stride a, int64_t factor) {
  return (chain_stride){times(a.x, factor), times(a.y, factor), times(a.block, factor),
                        (uint8_t)least(a.zeros + zeros_of(factor), ALL_ZERO)};
}

static chain_stride product(const mir_inst *mi, chain_stride a, chain_stride b) {
  if (mi->i.imm_at == ISA_IMM_A)
    return scaled(b, (int32_t)mi->i.imm);
  if (mi->i.imm_at == ISA_IMM_B)
    return scaled(a, (int32_t)mi->i.imm);
  return (chain_stride){varied(a.x, b.x), varied(a.y, b.y), 0,
                        (uint8_t)least(shared_zeros(a) + shared_zeros(b), ALL_ZERO)};
}

static chain_stride join(chain_stride a, chain_stride b) {
  return (chain_stride){joined(a.x, b.x), joined(a.y, b.y), joined(a.block, b.block),
                        (uint8_t)least(a.zeros, b.zeros)};
}

// Of two values of which each lane has one: if its threads share one of them, that is a bound.
static chain_stride either(chain_stride a, chain_stride b) {
  const bool of_block_a = !a.x && !a.y, of_block_b = !b.x && !b.y;
  return of_block_a == of_block_b ? join(a, b) : of_block_a ? b : a;
}

static bool same(chain_stride a, chain_stride b) {
  return a.x == b.x && a.y == b.y && a.block == b.block && a.zeros == b.zeros;
}

// ---- instructions

static chain_stride special(unsigned sreg) {
  switch (sreg) {
    case ISA_SREG_TID_X:
    case ISA_SREG_LANEID:
      return (chain_stride){.x = 1, .zeros = ALL_ZERO};
    case ISA_SREG_TID_Y:
      return (chain_stride){.y = 1, .zeros = ALL_ZERO};
    case ISA_SREG_CTAID_X:
      return (chain_stride){.block = 1, .zeros = ALL_ZERO};
    case ISA_SREG_NTID_X:
    case ISA_SREG_NCTAID_X:
      return uniform(SIZE_ZEROS);
    case ISA_SREG_NTID_Y:
    case ISA_SREG_NTID_Z:
    case ISA_SREG_CTAID_Y:
    case ISA_SREG_CTAID_Z:
      return uniform(0);
    default:
      return unknown;
  }
}

chain_stride stride_operand(const chains *v, uint32_t s, unsigned operand) {
  const isa_inst *i = &v->sites[s].mi->i;
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  chain_stride all = none;
  if (v->sites[s].mi->reloc && operand == 1)
    return uniform(0);  // an address of a variable
  if (i->imm_at == operand && operand)
    return uniform(zeros_of((int32_t)i->imm));
  if (!ISA_REG_IS_VIRTUAL(regs[operand]))
    return uniform(ALL_ZERO);
  for (uint32_t u = v->sites[s].first_use; u < v->sites[s + 1].first_use; u++)
    if (v->uses[u].operand == operand)
      all = join(all, v->stride[v->defs[v->uses[u].def].site]);
  return all;
}

static chain_stride result(const chains *v, uint32_t s) {
  const mir_inst *mi = v->sites[s].mi;
  const chain_stride a = stride_operand(v, s, 1), b = stride_operand(v, s, 2);
  switch (mi->i.op) {
    case ISA_OP_S2R:
      return special(mi->i.fn);
    case ISA_OP_LD:
      return mi->i.space != ISA_SPACE_PARAM     ? unknown
             : isa_types[mi->i.type].bits == 64 ? uniform(POINTER_ZEROS)
                                                : uniform(SIZE_ZEROS);
    case ISA_OP_MOV:
    case ISA_OP_I2I:
    case ISA_OP_CVTA:
      return a;
    case ISA_OP_NEG:
      return scaled(a, -1);
    case ISA_OP_ADD:
    case ISA_OP_OR:  // of bits that do not meet: so compilers write an addition
      return sum(a, b);
    case ISA_OP_SUB:
      return sum(a, scaled(b, -1));
    case ISA_OP_MUL:
    case ISA_OP_MULW:
      return product(mi, a, b);
    case ISA_OP_MAD:
    case ISA_OP_MADW:
      return sum(product(mi, a, b), stride_operand(v, s, 3));
    case ISA_OP_SHL:
      return mi->i.imm_at == ISA_IMM_B && mi->i.imm < 16 ? scaled(a, 1 << mi->i.imm) : unknown;
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_SELP:
      return either(a, b);
    default:
      return unknown;
  }
}

void stride_find(chains *v) {
  v->stride = mem_new(v->site_count, sizeof *v->stride);
  for (uint32_t s = 0; s < v->site_count; s++)
    v->stride[s] = none;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t s = 0; s < v->site_count; s++) {
      const isa_reg d = mir_def(v->sites[s].mi);
      if (!ISA_REG_IS_VIRTUAL(d))
        continue;
      chain_stride now = result(v, s);
      if (!v->varies[ISA_REG_ID(d)])
        now.x = now.y = 0;
      now = join(v->stride[s], now);
      changed |= !same(now, v->stride[s]);
      v->stride[s] = now;
    }
  }
}
