// SPDX-License-Identifier: Apache-2.0
// Narrowing. PTX computes the addresses of shared, local and constant memory in 64 bits, of which
// the machine uses 32. A 64-bit register of which nobody wants the high word, and which only such
// instructions write whose low word comes from low words, becomes a 32-bit one.
#include "mem.h"
#include "simplify.h"

typedef struct narrower {
  mir_kernel *k;
  bool *can;        // by register: a 64-bit one, written only by what can be narrowed
  uint8_t *wanted;  // by register: words that are wanted, a bit each
} narrower;

// The low word of the result comes from the low words of the sources.
static bool keeps_low(const isa_inst *i) {
  if (isa_words(i, 0) != 2)
    return false;
  switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_MAD:
      return i->type == ISA_TYPE_U64;
    case ISA_OP_I2I:
      return !i->sat;
    case ISA_OP_MULW:
    case ISA_OP_MADW:
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_NOT:
    case ISA_OP_SHL:
    case ISA_OP_SELP:
    case ISA_OP_MOV:
      return true;
    case ISA_OP_CVTA:
      return true;  // the windows are multiples of 4 GB
    default:
      return false;
  }
}

static uint8_t words_of(const mir_kernel *k, isa_reg r) {
  unsigned part = ISA_REG_PART(r), words = mir_reg_words(k, r);
  unsigned first = part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5);
  return (uint8_t)(((1u << words) - 1) << first);
}

static bool is_narrowed(const narrower *n, const mir_inst *mi) {
  isa_reg d = mir_def(mi);
  return ISA_REG_IS_VIRTUAL(d) && ISA_REG_PART(d) == 0 && n->can[ISA_REG_ID(d)] &&
         !(n->wanted[ISA_REG_ID(d)] & 2) && keeps_low(&mi->i);
}

static bool want_sources(narrower *n, const mir_inst *mi) {
  isa_reg regs[4];
  bool changed = false, low = is_narrowed(n, mi);
  for (unsigned u = 0, count = mir_uses(mi, regs); u < count; u++) {
    uint8_t words = words_of(n->k, regs[u]), *wanted = &n->wanted[ISA_REG_ID(regs[u])];
    if (low && words == 3)
      words = 1;
    changed |= (words & ~*wanted) != 0;
    *wanted |= words;
  }
  return changed;
}

static void find_candidates(narrower *n) {
  mir_kernel *k = n->k;
  for (uint32_t v = 0; v < k->vreg_count; v++)
    n->can[v] = k->vregs[v].words == 2;
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg d = mir_def(mi);
      if (!ISA_REG_IS_VIRTUAL(d))
        continue;
      unsigned part = ISA_REG_PART(d);
      if (part >= 5 || (part == 0 ? !keeps_low(&mi->i) : mir_has_side_effect(mi)))
        n->can[ISA_REG_ID(d)] = false;
    }
}

// The 32-bit form of an instruction of keeps_low; its operands follow by narrow_operands.
static void narrow_inst(isa_inst *i) {
  switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_MAD:
      i->type = ISA_TYPE_U32;
      return;
    case ISA_OP_MULW:
      i->op = ISA_OP_MUL;
      i->type = ISA_TYPE_U32;
      return;
    case ISA_OP_MADW:
      i->op = ISA_OP_MAD;
      i->type = ISA_TYPE_U32;
      return;
    case ISA_OP_I2I:
      if (isa_types[i->type2].bits < 32) {
        i->type = isa_types[i->type2].kind == 'S' ? ISA_TYPE_S32 : ISA_TYPE_U32;
        return;
      }
      break;
    case ISA_OP_CVTA:
      break;
    default:
      i->type = ISA_TYPE_B32;
      return;
  }
  isa_inst move = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
  move.guard = i->guard;
  move.guard_neg = i->guard_neg;
  move.d = i->d;
  move.a = i->a;
  move.imm = i->imm;
  move.imm_at = i->imm_at;
  *i = move;
}

static bool is_narrow_reg(const narrower *n, isa_reg r) {
  return ISA_REG_IS_VIRTUAL(r) && n->can[ISA_REG_ID(r)] && !(n->wanted[ISA_REG_ID(r)] & 2);
}

static void rewrite_inst(const narrower *n, mir_inst *mi) {
  isa_inst *i = &mi->i;
  isa_reg *regs[4] = {&i->d, &i->a, &i->b, &i->c};
  bool low = is_narrowed(n, mi);
  unsigned words[4];
  for (unsigned o = 0; o < 4; o++)
    words[o] = isa_words(i, o);
  if (ISA_REG_IS_VIRTUAL(i->d) && words[0] && is_narrow_reg(n, i->d) && ISA_REG_PART(i->d) == 2) {
    *i = isa_inst_new(ISA_OP_NOP, ISA_TYPE_NONE);  // nobody wants the high word
    mi->reloc = MIR_RELOC_NONE;
    return;
  }
  for (unsigned o = 0; o < 4; o++) {
    if (!ISA_REG_IS_VIRTUAL(*regs[o]) || !words[o])
      continue;
    uint32_t id = ISA_REG_ID(*regs[o]);
    if (is_narrow_reg(n, *regs[o]))
      *regs[o] = ISA_VREG(id);  // from now on one word
    else if (o > 0 && low && words[o] == 2)
      *regs[o] = ISA_REG_PART(*regs[o]) == 0 ? ISA_VREG_WORD(id, 0)
                                             : ISA_VREG_WORD(id, 2 * (ISA_REG_PART(*regs[o]) - 5));
  }
  if (low)
    narrow_inst(i);
}

bool simplify_narrow(mir_kernel *k) {
  narrower n = {k, mem_new(k->vreg_count, sizeof *n.can), mem_new(k->vreg_count, 1)};
  bool any = false;
  find_candidates(&n);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = k->block_count; b-- > 0;)
      for (uint32_t j = k->blocks[b].count; j-- > 0;)
        changed |= want_sources(&n, &k->blocks[b].insts[j]);
  }
  for (uint32_t v = 0; v < k->vreg_count; v++)
    any |= n.can[v] && !(n.wanted[v] & 2) && n.wanted[v];
  if (any) {
    for (uint32_t b = 0; b < k->block_count; b++)
      for (uint32_t j = 0; j < k->blocks[b].count; j++)
        rewrite_inst(&n, &k->blocks[b].insts[j]);
    for (uint32_t v = 0; v < k->vreg_count; v++)
      if (n.can[v] && !(n.wanted[v] & 2))
        k->vregs[v].words = 1;
  }
  free(n.can);
  free(n.wanted);
  return any;
}
