// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: conversions, moves, memory, atomics.
#include <string.h>
#include "lower.h"
#include "ptx_ops.h"

static bool is(const lower *l, const char *op) {
  return strcmp(l->s->op, op) == 0;
}

static ptx_type type_of(const lower *l) {
  return l->mods.type_count ? l->mods.types[l->mods.type_count - 1] : PTX_NOTYPE;
}

static uint8_t space_of(ptx_space s) {
  static const uint8_t map[PTX_SPACES] = {ISA_SPACE_GENERIC, ISA_SPACE_GLOBAL, ISA_SPACE_SHARED,
                                          ISA_SPACE_LOCAL,   ISA_SPACE_CONST,  ISA_SPACE_PARAM};
  return map[s];
}

// ---- conversions

static bool is_float(ptx_type t) {
  return lower_kind(t) == 'F';
}

static uint8_t int_type(ptx_type t) {
  static const uint8_t map[PTX_TYPES] = {
      [PTX_U8] = ISA_TYPE_U8,   [PTX_U16] = ISA_TYPE_U16, [PTX_U32] = ISA_TYPE_U32,
      [PTX_U64] = ISA_TYPE_U64, [PTX_S8] = ISA_TYPE_S8,   [PTX_S16] = ISA_TYPE_S16,
      [PTX_S32] = ISA_TYPE_S32, [PTX_S64] = ISA_TYPE_S64, [PTX_B8] = ISA_TYPE_U8,
      [PTX_B16] = ISA_TYPE_U16, [PTX_B32] = ISA_TYPE_U32, [PTX_B64] = ISA_TYPE_U64};
  return map[t];
}

// Registers of cvt may be wider than the type: the low part counts.
lower_value lower_convert_src(lower *l, ptx_type t) {
  const ptx_operand *op = &l->s->operands[1];
  if (l->s->operand_count > 1 && op->kind == PTX_REG && !is_float(t)) {
    ptx_type has = l->f->regs[op->reg].type;
    if (has != PTX_PRED && lower_words(has) == 2 && lower_words(t) == 1)
      return lower_of(lower_part(l->regs[op->reg], 0));
  }
  return lower_src(l, 1, t);
}

static void int_to_int(lower *l, ptx_type d, ptx_type s) {
  const ptx_operand *op = &l->s->operands[0];
  ptx_type has = l->s->operand_count && op->kind == PTX_REG ? l->f->regs[op->reg].type : d;
  lower_value v = lower_convert_src(l, s);
  unsigned words = lower_words(has) > lower_words(d) ? lower_words(has) : lower_words(d);
  isa_reg to = lower_dst(l, 0, words);
  isa_inst i = isa_inst_new(ISA_OP_I2I, int_type(d));
  i.type2 = int_type(s);
  i.sat = l->mods.sat;
  if (words > lower_words(d)) {  // the value is extended to a wider register
    i.d = lower_temp(l, 1);
    isa_reg narrow = i.d;
    lower_emit3(l, i, narrow, v, lower_none, lower_none);
    isa_inst wide = isa_inst_new(ISA_OP_I2I, lower_kind(d) == 'S' ? ISA_TYPE_S64 : ISA_TYPE_U64);
    wide.type2 = lower_kind(d) == 'S' ? ISA_TYPE_S32 : ISA_TYPE_U32;
    lower_emit3(l, wide, to, lower_of(narrow), lower_none, lower_none);
    return;
  }
  bool narrows = ptx_type_bytes(d) <= ptx_type_bytes(s) && ptx_type_bytes(d) >= 4;
  if (narrows && !i.sat) {
    if (lower_words(s) == 2 && lower_words(d) == 1 && !v.is_imm)
      v = lower_of(lower_part(v.reg, 0));
    lower_mov(l, to, v, lower_words(d));
    return;
  }
  lower_emit3(l, i, to, v, lower_none, lower_none);
}

static void int_to_float(lower *l, ptx_type d, ptx_type s) {
  lower_value v = lower_extend(l, lower_convert_src(l, s), s);
  isa_inst i = isa_inst_new(ISA_OP_I2F, lower_isa_type(d));
  i.type2 =
      ptx_type_bytes(s) < 4 ? (lower_kind(s) == 'S' ? ISA_TYPE_S32 : ISA_TYPE_U32) : int_type(s);
  i.fn = l->mods.rnd ? l->mods.rnd : ISA_RND_RN;
  i.sat = l->mods.sat;
  lower_emit3(l, i, lower_dst(l, 0, lower_words(d)), v, lower_none, lower_none);
}

void lower_float_to_int(lower *l, lower_value v, ptx_type d, ptx_type s) {
  bool sub = ptx_type_bytes(d) < 4;
  isa_inst i = isa_inst_new(ISA_OP_F2I, sub ? ISA_TYPE_S32 : int_type(d));
  i.type2 = lower_isa_type(s);
  i.fn = l->mods.rnd;
  i.ftz = l->mods.ftz && s == PTX_F32;
  if (!i.fn) {
    lower_error(l, UINT32_MAX,
                "a conversion of a float to an integer needs .rni, .rzi, .rmi or .rpi");
    return;
  }
  isa_reg to = lower_dst(l, 0, lower_words(d));
  isa_reg got = sub ? lower_temp(l, 1) : to;
  lower_emit3(l, i, got, v, lower_none, lower_none);
  if (sub) {
    isa_inst clamp = isa_inst_new(ISA_OP_I2I, int_type(d));
    clamp.type2 = ISA_TYPE_S32;
    clamp.sat = true;
    lower_emit3(l, clamp, to, lower_of(got), lower_none, lower_none);
  }
}

static void float_to_float(lower *l, ptx_type d, ptx_type s) {
  lower_value v = lower_src(l, 1, s);
  isa_reg to = lower_dst(l, 0, lower_words(d));
  isa_inst i = isa_inst_new(ISA_OP_F2F, lower_isa_type(d));
  i.type2 = lower_isa_type(s);
  i.fn = l->mods.rnd;
  i.ftz = l->mods.ftz && (d == PTX_F32 || s == PTX_F32);
  i.sat = l->mods.sat;
  if (d == PTX_F32 && s == PTX_F64 && !i.fn)
    i.fn = ISA_RND_RN;
  if (d == PTX_F64 && s == PTX_F32)
    i.fn = ISA_RND_NONE;
  lower_emit3(l, i, to, v, lower_none, lower_none);
}

bool lower_convert(lower *l) {
  if (!is(l, "cvt"))
    return false;
  if (l->mods.type_count != 2) {
    lower_error(l, UINT32_MAX, "`cvt` needs two types");
    return true;
  }
  ptx_type d = l->mods.types[0], s = l->mods.types[1];
  if (d == PTX_PRED || s == PTX_PRED || lower_kind(d) == 'B' || lower_kind(s) == 'B')
    return false;
  if (is_float(d))
    (is_float(s) ? float_to_float : int_to_float)(l, d, s);
  else if (is_float(s))
    lower_float_to_int(l, lower_src(l, 1, s), d, s);
  else
    int_to_int(l, d, s);
  return true;
}

// ---- mov

static void mov_special(lower *l, ptx_type t) {
  const char *name = l->s->operands[1].name;
  isa_inst i = isa_inst_new(ISA_OP_S2R, ISA_TYPE_B32);
  unsigned words = lower_words(t);
  isa_reg d = lower_dst(l, 0, words);
  if (strcmp(name, "stack_base") == 0 && words == 1) {
    lower_emit3(l, isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32), d, lower_none, lower_none, lower_none);
    mir_inst *mi = &l->k->blocks[l->block].insts[l->k->blocks[l->block].count - 1];
    mi->i.imm_at = ISA_IMM_A;
    mi->reloc = MIR_RELOC_STACK;
    return;
  }
  for (const ptx_sreg *r = ptx_sregs; r->name; r++)
    if (strcmp(r->name, name) == 0)
      name = r->isa;
  if (strcmp(name, "clock") == 0 && words == 2) {
    for (unsigned w = 0; w < 2; w++) {
      i.fn = (uint8_t)(ISA_SREG_CLOCK + w);
      lower_emit3(l, i, lower_part(d, w), lower_none, lower_none, lower_none);
    }
    return;
  }
  for (unsigned n = 0; n < ISA_SREGS; n++) {
    if (strcmp(isa_sub_name(ISA_OP_S2R, n), name) != 0)
      continue;
    i.fn = (uint8_t)n;
    lower_emit3(l, i, words == 2 ? lower_part(d, 0) : d, lower_none, lower_none, lower_none);
    if (words == 2)
      lower_mov(l, lower_part(d, 1), lower_imm(0), 1);
    return;
  }
  lower_error(l, 1, "the special register %%%s is not supported: docs/ptx.md lists those that are",
              name);
}

// Elements of 8 or 16 bits into one register of twice or four times the size.
static void pack_small(lower *l, isa_reg d, const ptx_operand *v, ptx_type element) {
  bool bytes = ptx_type_bytes(element) == 1;
  isa_inst i = isa_inst_new(ISA_OP_PRMT, ISA_TYPE_B32);
  for (uint32_t w = 0; 2 * w < v->count; w++) {
    lower_value a = lower_item(l, &v->items[2 * w], element),
                b = lower_item(l, &v->items[2 * w + 1], element);
    lower_emit3(l, i, v->count == 4 ? lower_part(d, w) : d, lower_of(lower_reg(l, a, 1)),
                lower_of(lower_reg(l, b, 1)), lower_imm(bytes ? 0x7740 : 0x5410));
  }
}

static bool element_reg(lower *l, const ptx_operand *v, uint32_t n, unsigned words, isa_reg *r) {
  const ptx_operand *o = &v->items[n];
  if (o->kind == PTX_SINK)
    return false;
  if (o->kind != PTX_REG || lower_words(l->f->regs[o->reg].type) != words ||
      l->f->regs[o->reg].type == PTX_PRED) {
    diag_error(l->d, o->line, o->col, "expected a register of %u bits", words * 32);
    l->failed = true;
    return false;
  }
  *r = l->regs[o->reg];
  return true;
}

static ptx_type element_type(ptx_type whole, uint32_t count) {
  unsigned bytes = ptx_type_bytes(whole) / (count ? count : 1);
  return bytes == 8 ? PTX_B64 : bytes == 4 ? PTX_B32 : bytes == 2 ? PTX_B16 : PTX_B8;
}

static void mov_pack(lower *l, ptx_type t) {
  const ptx_operand *v = &l->s->operands[1];
  ptx_type element = element_type(t, v->count);
  isa_reg d = lower_dst(l, 0, lower_words(t));
  if (ptx_type_bytes(element) * v->count != ptx_type_bytes(t) || (v->count != 2 && v->count != 4)) {
    lower_error(l, 1, "the elements do not make up .%s", ptx_type_name(t));
  } else if (ptx_type_bytes(element) < 4) {
    pack_small(l, d, v, element);
  } else {
    // the elements may be parts of d: read all before writing
    lower_value items[2];
    for (uint32_t n = 0; n < 2; n++)
      items[n] = lower_item(l, &v->items[n], element);
    isa_reg whole = d;
    for (uint32_t n = 0; n < 2; n++)
      lower_mov(l, lower_part(whole, n), items[n], 1);
  }
}

static void mov_unpack(lower *l, ptx_type t) {
  const ptx_operand *v = &l->s->operands[0];
  ptx_type element = element_type(t, v->count);
  unsigned bytes = ptx_type_bytes(element);
  lower_value a = lower_src(l, 1, t);
  isa_reg whole = lower_reg(l, a, lower_words(t)), r;
  if (bytes * v->count != ptx_type_bytes(t) || (v->count != 2 && v->count != 4)) {
    lower_error(l, 0, "the elements do not make up .%s", ptx_type_name(t));
    return;
  }
  for (uint32_t n = 0; n < v->count; n++) {
    if (!element_reg(l, v, n, 1, &r))
      continue;
    if (bytes >= 4) {
      lower_mov(l, r, lower_of(lower_part(whole, n)), 1);
      continue;
    }
    unsigned bit = n * bytes * 8;
    isa_reg from = lower_words(t) == 2 ? lower_part(whole, bit / 32) : whole;
    isa_inst i = isa_inst_new(ISA_OP_SHR, ISA_TYPE_U32);
    if (bit % 32)
      lower_emit3(l, i, r, lower_of(from), lower_imm(bit % 32), lower_none);
    else
      lower_mov(l, r, lower_of(from), 1);
  }
}

static void mov(lower *l) {
  ptx_type t = type_of(l);
  if (t == PTX_PRED) {
    isa_inst i = isa_inst_new(ISA_OP_PLOP, ISA_TYPE_PRED);
    i.boolop = ISA_BOOL_AND;
    i.pd = lower_dst_pred(l, 0);
    i.ps = lower_src_pred(l, 1, &i.ps_neg);
    lower_emit(l, i);
  } else if (t == PTX_NOTYPE || t == PTX_B128) {
    lower_error(l, UINT32_MAX, "`mov` of this type is not supported: move .b32 or .b64 words");
  } else if (l->s->operand_count == 2 && l->s->operands[1].kind == PTX_SREG) {
    mov_special(l, t);
  } else if (l->s->operand_count == 2 && l->s->operands[1].kind == PTX_VEC) {
    mov_pack(l, t);
  } else if (l->s->operand_count == 2 && l->s->operands[0].kind == PTX_VEC) {
    mov_unpack(l, t);
  } else {
    lower_value v = lower_src(l, 1, t);
    lower_mov(l, lower_dst(l, 0, lower_words(t)), v, lower_words(t));
  }
}

// ---- addresses

bool lower_address(lower *l, uint32_t o, isa_inst *i) {
  if (o >= l->s->operand_count || l->s->operands[o].kind != PTX_ADDR || l->s->operands[o].count) {
    lower_error(l, o, "expected an address");
    return false;
  }
  const ptx_operand *a = &l->s->operands[o];
  i->space = space_of(l->mods.space);
  bool narrow = i->space >= ISA_SPACE_SHARED;
  int64_t offset = a->value;
  isa_reg base = ISA_RZ;
  if (a->var) {
    if (narrow && space_of(a->var->space) != i->space) {
      lower_error(l, o, "the variable %s is in .%s", a->var->name, ptx_space_name(a->var->space));
      return false;
    }
    if (a->var->space == PTX_GLOBAL) {
      base = lower_global_address(l, a->var, offset);
      offset = 0;
    } else {
      static const uint64_t windows[PTX_SPACES] = {
          0, 0, ISA_WINDOW_SHARED, ISA_WINDOW_LOCAL, ISA_WINDOW_CONST, ISA_WINDOW_PARAM};
      offset += a->var->mark;
      if (!narrow) {  // a generic access to a variable of a space
        base = lower_temp(l, 2);
        lower_mov(l, lower_part(base, 0), lower_imm(0), 1);
        lower_mov(l, lower_part(base, 1), lower_imm((uint32_t)(windows[a->var->space] >> 32)), 1);
      }
    }
  } else if (a->has_reg) {
    unsigned words = lower_words(l->f->regs[a->reg].type);
    base = l->regs[a->reg];
    if (l->f->regs[a->reg].type == PTX_PRED || (!narrow && words != 2)) {
      lower_error(l, o, "expected a 64-bit address register");
      return false;
    }
    if (narrow && words == 2)
      base = lower_part(base, 0);
  }
  if (narrow) {
    offset = (int32_t)(uint32_t)offset;
  } else if (offset != (int32_t)offset) {
    isa_reg far = lower_temp(l, 2), sum = lower_temp(l, 2);
    lower_mov(l, lower_part(far, 0), lower_imm((uint32_t)offset), 1);
    lower_mov(l, lower_part(far, 1), lower_imm((uint32_t)((uint64_t)offset >> 32)), 1);
    lower_emit3(l, isa_inst_new(ISA_OP_ADD, ISA_TYPE_U64), sum, lower_of(base), lower_of(far),
                lower_none);
    base = sum;
    offset = 0;
  }
  i->a = base;
  i->imm = (uint32_t)offset;
  i->order = l->mods.order;
  i->scope = l->mods.order >= ISA_ORDER_RELAXED ? l->mods.scope : ISA_SCOPE_NONE;
  return true;
}

// Memory type of a scalar access.
static uint8_t memory_type(ptx_type t) {
  if (ptx_type_bytes(t) >= 4)
    return lower_words(t) == 2 ? ISA_TYPE_B64 : lower_words(t) == 4 ? ISA_TYPE_B128 : ISA_TYPE_B32;
  return lower_isa_type(t);
}

// Memory type of `bytes` bytes moved at once.
static uint8_t whole_type(unsigned bytes) {
  return bytes == 16  ? ISA_TYPE_B128
         : bytes == 8 ? ISA_TYPE_B64
         : bytes == 4 ? ISA_TYPE_B32
                      : ISA_TYPE_U16;
}

static bool vector_fits(lower *l, uint32_t o, ptx_type t) {
  unsigned bytes = ptx_type_bytes(t) * l->mods.vec;
  if (l->s->operands[o].kind != PTX_VEC || l->s->operands[o].count != l->mods.vec) {
    lower_error(l, o, "expected a vector of %u elements", l->mods.vec);
    return false;
  }
  if (bytes > 16 || bytes < 2) {
    lower_error(l, UINT32_MAX, "a vector access moves at most 16 bytes");
    return false;
  }
  return true;
}

static isa_reg vector_part(isa_reg whole, unsigned total, unsigned element, unsigned n) {
  if (element == total)
    return whole;
  return element == 8 ? lower_pair(whole, n)
         : total <= 4 ? whole
                      : lower_part(whole, n * element / 4);
}

static void load_vector(lower *l, isa_inst i, ptx_type t) {
  unsigned element = ptx_type_bytes(t), total = element * l->mods.vec;
  if (!vector_fits(l, 0, t))
    return;
  i.type = whole_type(total);
  isa_reg whole = lower_temp(l, total <= 4 ? 1 : total / 4), r;
  i.d = whole;
  lower_emit(l, i);
  for (unsigned n = 0; n < l->mods.vec; n++) {
    if (!element_reg(l, &l->s->operands[0], n, element == 8 ? 2 : 1, &r))
      continue;
    isa_reg part = vector_part(whole, total, element, n);
    if (element >= 4) {
      lower_mov(l, r, lower_of(part), element == 8 ? 2 : 1);
      continue;
    }
    unsigned bit = n * element * 8 % 32;
    isa_reg shifted = part;
    if (bit) {
      shifted = lower_temp(l, 1);
      lower_emit3(l, isa_inst_new(ISA_OP_SHR, ISA_TYPE_U32), shifted, lower_of(part),
                  lower_imm(bit), lower_none);
    }
    lower_mov(l, r, lower_extend(l, lower_of(shifted), t), 1);
  }
}

static void store_vector(lower *l, isa_inst i, ptx_type t) {
  unsigned element = ptx_type_bytes(t), total = element * l->mods.vec;
  if (!vector_fits(l, 1, t))
    return;
  const ptx_operand *v = &l->s->operands[1];
  i.type = whole_type(total);
  isa_reg whole = lower_temp(l, total <= 4 ? 1 : total / 4);
  if (element >= 4) {
    for (unsigned n = 0; n < l->mods.vec; n++)
      lower_mov(l, vector_part(whole, total, element, n), lower_item(l, &v->items[n], t),
                element == 8 ? 2 : 1);
  } else {
    // pairs of elements into 16 or 32 bits, then 16-bit halves into words
    isa_inst merge = isa_inst_new(ISA_OP_PRMT, ISA_TYPE_B32);
    isa_reg half[4];
    for (unsigned n = 0; n < l->mods.vec; n++)
      half[n] = lower_reg(l, lower_item(l, &v->items[n], t), 1);
    unsigned count = l->mods.vec;
    for (unsigned size = element; count > 1 && size < 4; size *= 2, count /= 2)
      for (unsigned n = 0; n < count / 2; n++) {
        bool last = size * 2 == total || size * 2 == 4;
        isa_reg d = last ? vector_part(whole, total, total <= 4 ? total : 4, n) : lower_temp(l, 1);
        lower_emit3(l, merge, d, lower_of(half[2 * n]), lower_of(half[2 * n + 1]),
                    lower_imm(size == 1 ? 0x7740 : 0x5410));
        half[n] = d;
      }
  }
  i.b = whole;
  lower_emit(l, i);
}

static void load(lower *l) {
  ptx_type t = type_of(l);
  isa_inst i = isa_inst_new(ISA_OP_LD, ISA_TYPE_NONE);
  if (t == PTX_NOTYPE || t == PTX_PRED) {
    lower_error(l, UINT32_MAX, "`%s` needs a type", l->s->op);
    return;
  }
  if (!lower_address(l, 1, &i))
    return;
  if (i.space >= ISA_SPACE_CONST)
    i.order = i.scope = 0;
  if (l->mods.vec > 1) {
    load_vector(l, i, t);
    return;
  }
  i.type = memory_type(t);
  const ptx_operand *d = &l->s->operands[0];
  unsigned words = lower_words(t);
  if (d->kind == PTX_REG && l->f->regs[d->reg].type != PTX_PRED &&
      lower_words(l->f->regs[d->reg].type) == 2 && words == 1) {  // extended to the register
    isa_inst wide = isa_inst_new(ISA_OP_I2I, lower_kind(t) == 'S' ? ISA_TYPE_S64 : ISA_TYPE_U64);
    wide.type2 = lower_kind(t) == 'S' ? ISA_TYPE_S32 : ISA_TYPE_U32;
    i.d = lower_temp(l, 1);
    isa_reg narrow = i.d;
    lower_emit(l, i);
    lower_emit3(l, wide, l->regs[d->reg], lower_of(narrow), lower_none, lower_none);
    return;
  }
  i.d = lower_dst(l, 0, words);
  lower_emit(l, i);
}

static void store(lower *l) {
  ptx_type t = type_of(l);
  isa_inst i = isa_inst_new(ISA_OP_ST, ISA_TYPE_NONE);
  if (t == PTX_NOTYPE || t == PTX_PRED) {
    lower_error(l, UINT32_MAX, "`st` needs a type");
    return;
  }
  if (!lower_address(l, 0, &i))
    return;
  if (i.space >= ISA_SPACE_CONST) {
    lower_error(l, UINT32_MAX, "a store to .%s is not supported: it is read only",
                ptx_space_name(l->mods.space));
    return;
  }
  if (l->mods.vec > 1) {
    store_vector(l, i, t);
    return;
  }
  i.type = memory_type(t);
  const ptx_operand *v = &l->s->operands[1];
  if (l->s->operand_count > 1 && v->kind == PTX_REG && l->f->regs[v->reg].type != PTX_PRED &&
      lower_words(l->f->regs[v->reg].type) == 2 && lower_words(t) == 1)
    i.b = lower_part(l->regs[v->reg], 0);  // the low part of a wider register
  else
    i.b = lower_src_reg(l, 1, t);
  lower_emit(l, i);
}

static void atomic(lower *l, bool wants_old) {
  ptx_type t = type_of(l);
  isa_inst i = isa_inst_new(ISA_OP_ATOM, ISA_TYPE_NONE);
  unsigned op = ISA_ATOMS;
  for (unsigned n = 0; n < ISA_ATOMS; n++)
    if (lower_mod(l, isa_sub_name(ISA_OP_ATOM, n)))
      op = n;
  unsigned words = lower_words(t);
  bool adds = op == ISA_ATOM_ADD, wraps = op == ISA_ATOM_INC || op == ISA_ATOM_DEC;
  bool compares = op == ISA_ATOM_MIN || op == ISA_ATOM_MAX;
  bool fits = op < ISA_ATOMS && ptx_type_bytes(t) >= 4 && words <= 2 && t != PTX_B128 &&
              (is_float(t) ? adds
               : adds      ? lower_kind(t) != 'B'
               : wraps     ? t == PTX_U32
               : compares  ? lower_kind(t) != 'B'
                           : true);
  if (!fits) {
    lower_error(l, UINT32_MAX, "the atomic operation does not take .%s", ptx_type_name(t));
    return;
  }
  i.type = is_float(t)     ? lower_isa_type(t)
           : adds || wraps ? (words == 2 ? ISA_TYPE_U64 : ISA_TYPE_U32)
           : compares      ? lower_isa_type(t)
                           : (words == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32);
  i.fn = (uint8_t)op;
  uint32_t at = wants_old ? 1 : 0;
  uint8_t order = l->mods.order;
  if (order == ISA_ORDER_VOLATILE) {
    lower_error(l, UINT32_MAX, "an atomic operation is never .volatile");
    return;
  }
  if (!lower_address(l, at, &i))
    return;
  i.order = order;
  i.scope = l->mods.scope;
  if (i.space >= ISA_SPACE_LOCAL) {
    lower_error(l, UINT32_MAX, "atomics are for global and shared memory");
    return;
  }
  bool sink = wants_old && l->s->operands[0].kind == PTX_SINK;
  if ((!wants_old || sink) && op != ISA_ATOM_EXCH && op != ISA_ATOM_CAS)
    i.op = ISA_OP_RED;
  else
    i.d = lower_dst(l, wants_old ? 0 : UINT32_MAX, words);
  i.b = lower_src_reg(l, at + 1, t);
  if (i.op == ISA_OP_RED && words == 2 && i.b == ISA_RZ && i.space != ISA_SPACE_GLOBAL) {
    i.b = lower_temp(l, words);  // shared memory has atomics of 32 bits: the core needs a register
    lower_mov(l, i.b, lower_imm(0), words);
  }
  if (op == ISA_ATOM_CAS)
    i.c = lower_src_reg(l, at + 2, t);
  if (!l->failed)
    lower_emit(l, i);
}

static void convert_address(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_CVTA, ISA_TYPE_U64);
  ptx_type t = type_of(l);
  if (ptx_type_bytes(t) != 8 || !l->mods.has_space) {
    lower_error(l, UINT32_MAX, "`cvta` needs a state space and .u64");
    return;
  }
  lower_value a = lower_src(l, 1, PTX_U64);
  isa_reg d = lower_dst(l, 0, 2);
  if (l->mods.space == PTX_GLOBAL) {  // generic and global addresses are the same
    lower_mov(l, d, a, 2);
    return;
  }
  i.space = space_of(l->mods.space);
  i.fn = lower_mod(l, "to") ? ISA_CVTA_TO : ISA_CVTA_FROM;
  lower_emit3(l, i, d, lower_of(lower_reg(l, a, 2)), lower_none, lower_none);
}

static void is_space(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_ISSPACEP, ISA_TYPE_U64);
  i.space = space_of(l->mods.space);
  i.pd = lower_dst_pred(l, 0);
  lower_emit3(l, i, ISA_RZ, lower_of(lower_src_reg(l, 1, PTX_U64)), lower_none, lower_none);
}

bool lower_memory(lower *l) {
  if (is(l, "mov"))
    mov(l);
  else if (is(l, "ld") || is(l, "ldu"))
    load(l);
  else if (is(l, "st"))
    store(l);
  else if (is(l, "atom"))
    atomic(l, true);
  else if (is(l, "red"))
    atomic(l, false);
  else if (is(l, "cvta"))
    convert_address(l);
  else if (is(l, "isspacep"))
    is_space(l);
  else
    return false;
  return true;
}
