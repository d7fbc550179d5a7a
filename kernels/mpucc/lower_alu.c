// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: arithmetic, logic, comparison, selection.
#include <string.h>
#include "lower.h"

static bool is(const lower *l, const char *op) {
  return strcmp(l->s->op, op) == 0;
}

static ptx_type type_of(const lower *l) {
  return l->mods.type_count ? l->mods.types[l->mods.type_count - 1] : PTX_NOTYPE;
}

static bool is_float(ptx_type t) {
  return lower_kind(t) == 'F';
}
static bool is_sub(ptx_type t) {
  return ptx_type_bytes(t) < 4;
}

// The ISA's type of an operation that does not care for signs: b, u and s of one width.
static uint8_t wrap_type(ptx_type t) {
  return is_float(t) ? lower_isa_type(t) : lower_words(t) == 2 ? ISA_TYPE_U64 : ISA_TYPE_U32;
}

static uint8_t bits_type(ptx_type t) {
  return lower_words(t) == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32;
}

// The type of an operation that does care; sub-words were extended to 32 bits.
static uint8_t full_type(ptx_type t) {
  if (is_float(t))
    return lower_isa_type(t);
  bool s = lower_kind(t) == 'S';
  return lower_words(t) == 2 ? (s ? ISA_TYPE_S64 : ISA_TYPE_U64)
                             : (s ? ISA_TYPE_S32 : ISA_TYPE_U32);
}

static isa_inst start(lower *l, unsigned op, unsigned type) {
  isa_inst i = isa_inst_new(op, type);
  if (type == ISA_TYPE_F32 || type == ISA_TYPE_F64) {
    if (isa_ops[op].flags & ISA_F_RND)
      i.fn = l->mods.rnd;
    i.ftz = l->mods.ftz && type == ISA_TYPE_F32;
  }
  i.sat = l->mods.sat;
  return i;
}

static lower_value src_extended(lower *l, uint32_t o, ptx_type t) {
  return lower_extend(l, lower_src(l, o, t), t);
}

// d = a op b, or d = op a: `care` when upper bits of sub-words matter.
static void simple(lower *l, unsigned op, unsigned sources, bool care) {
  ptx_type t = type_of(l);
  lower_value v[3] = {lower_none, lower_none, lower_none};
  for (unsigned n = 0; n < sources; n++)
    v[n] = care ? src_extended(l, n + 1, t) : lower_src(l, n + 1, t);
  isa_inst i = start(l, op, care ? full_type(t) : wrap_type(t));
  if (i.sat && lower_kind(t) == 'S')
    i.type = full_type(t);
  lower_emit3(l, i, lower_dst(l, 0, lower_words(t)), v[0], v[1], v[2]);
}

static void logic(lower *l, unsigned op, unsigned sources) {
  ptx_type t = type_of(l);
  if (t == PTX_PRED) {
    isa_inst i = isa_inst_new(ISA_OP_PLOP, ISA_TYPE_PRED);
    i.boolop = op == ISA_OP_OR ? ISA_BOOL_OR : op == ISA_OP_XOR ? ISA_BOOL_XOR : ISA_BOOL_AND;
    i.pd = lower_dst_pred(l, 0);
    i.ps = lower_src_pred(l, 1, &i.ps_neg);
    if (sources == 2)
      i.pq = lower_src_pred(l, 2, &i.ps2_neg);
    else if (op == ISA_OP_NOT)
      i.ps_neg = !i.ps_neg;
    lower_emit(l, i);
    return;
  }
  isa_inst i = isa_inst_new(op, bits_type(t));
  lower_value a = lower_src(l, 1, t);
  lower_value b = sources == 2 ? lower_src(l, 2, t) : lower_none;
  lower_emit3(l, i, lower_dst(l, 0, lower_words(t)), a, b, lower_none);
}

static void shift(lower *l, unsigned op) {
  ptx_type t = type_of(l);
  bool right = op == ISA_OP_SHR;
  lower_value a = right ? src_extended(l, 1, t) : lower_src(l, 1, t);
  lower_value b = lower_src(l, 2, PTX_U32);
  isa_inst i = isa_inst_new(op, right ? full_type(t) : bits_type(t));
  lower_emit3(l, i, lower_dst(l, 0, lower_words(t)), a, b, lower_none);
}

// mul and mad, of integers: lo, hi, wide, and the 24-bit forms.
static lower_value low24(lower *l, lower_value v, ptx_type t) {
  isa_inst i = isa_inst_new(ISA_OP_BFE, full_type(t));
  i.d = lower_temp(l, 1);
  return lower_of(lower_emit3(l, i, i.d, v, lower_imm(24 << 8), lower_none)->i.d);
}

static void multiply(lower *l, bool add) {
  ptx_type t = type_of(l);
  bool wide = lower_mod(l, "wide"), high = lower_mod(l, "hi");
  bool m24 = strstr(l->s->op, "24") != NULL;
  if (is_float(t)) {
    simple(l, add ? ISA_OP_FMA : ISA_OP_MUL, add ? 3 : 2, false);
    return;
  }
  if (!wide && !high && !lower_mod(l, "lo")) {
    lower_error(l, UINT32_MAX, "an integer multiplication needs .lo, .hi or .wide");
    return;
  }
  lower_value a = src_extended(l, 1, t), b = src_extended(l, 2, t);
  unsigned words = lower_words(t);
  if (m24) {
    a = low24(l, a, t);
    b = low24(l, b, t);
  }
  if (wide && !is_sub(t)) {
    lower_value c = add ? lower_src(l, 3, lower_kind(t) == 'S' ? PTX_S64 : PTX_U64) : lower_none;
    if (words != 1)
      lower_error(l, UINT32_MAX, "a wide multiplication takes 16- or 32-bit operands");
    else
      lower_emit3(l, isa_inst_new(add ? ISA_OP_MADW : ISA_OP_MULW, full_type(t)),
                  lower_dst(l, 0, 2), a, b, c);
    return;
  }
  ptx_type result = wide ? (lower_kind(t) == 'S' ? PTX_S32 : PTX_U32) : t;
  lower_value c = add ? lower_src(l, 3, result) : lower_none;
  isa_reg d = lower_dst(l, 0, words);
  if (!high) {
    lower_emit3(l, isa_inst_new(add ? ISA_OP_MAD : ISA_OP_MUL, wrap_type(t)), d, a, b, c);
    return;
  }
  isa_reg product = add || is_sub(t) || m24 ? lower_temp(l, words) : d;
  if (is_sub(t)) {  // the high half of 16 x 16 bits
    isa_reg whole = lower_temp(l, 1);
    lower_emit3(l, isa_inst_new(ISA_OP_MUL, ISA_TYPE_U32), whole, a, b, lower_none);
    lower_emit3(l, isa_inst_new(ISA_OP_SHR, ISA_TYPE_U32), add ? product : d, lower_of(whole),
                lower_imm(16), lower_none);
  } else if (m24) {  // bits 47 to 16 of the 48-bit product
    isa_reg whole = lower_temp(l, 2);
    lower_emit3(l, isa_inst_new(ISA_OP_MULW, full_type(t)), whole, a, b, lower_none);
    isa_inst i = isa_inst_new(ISA_OP_SHF, ISA_TYPE_B32);
    i.fn = ISA_SHF_R_WRAP;
    lower_emit3(l, i, add ? product : d, lower_of(lower_part(whole, 0)),
                lower_of(lower_part(whole, 1)), lower_imm(16));
  } else {
    lower_emit3(l, isa_inst_new(ISA_OP_MULH, full_type(t)), product, a, b, lower_none);
  }
  if (add)
    lower_emit3(l, isa_inst_new(ISA_OP_ADD, wrap_type(t)), d, lower_of(product), c, lower_none);
}

static void divide(lower *l, unsigned op) {
  ptx_type t = type_of(l);
  if (is_float(t) && l->mods.rnd == ISA_RND_NONE)
    l->mods.rnd = ISA_RND_RN;
  simple(l, op, 2, true);
}

static void one_source(lower *l, unsigned op) {
  ptx_type t = type_of(l);
  if (!is_float(t)) {
    lower_error(l, UINT32_MAX, "`%s` takes .f32 or .f64", l->s->op);
    return;
  }
  if (l->mods.rnd == ISA_RND_NONE)
    l->mods.rnd = op == ISA_OP_RCP || op == ISA_OP_SQRT ? ISA_RND_RN : ISA_RND_APPROX;
  simple(l, op, 1, false);
}

// ---- bit fields: position and length packed into one operand

static lower_value pack_field(lower *l, uint32_t pos, uint32_t len) {
  lower_value p = lower_src(l, pos, PTX_U32), n = lower_src(l, len, PTX_U32);
  if (p.is_imm && n.is_imm)
    return lower_imm((p.imm & 0xff) | (n.imm & 0xff) << 8);
  isa_reg d = lower_temp(l, 1);
  isa_inst i = isa_inst_new(ISA_OP_PRMT, ISA_TYPE_B32);  // bytes n.0 and p.0, zeros above
  isa_reg both = lower_temp(l, 1);
  lower_emit3(l, i, both, lower_of(lower_reg(l, p, 1)), lower_of(lower_reg(l, n, 1)),
              lower_imm(0x4440));
  lower_emit3(l, isa_inst_new(ISA_OP_AND, ISA_TYPE_B32), d, lower_of(both), lower_imm(0xffff),
              lower_none);
  return lower_of(d);
}

static void field(lower *l, bool insert) {
  ptx_type t = type_of(l);
  unsigned words = lower_words(t);
  if (!insert) {
    lower_value a = lower_src(l, 1, t), at = pack_field(l, 2, 3);
    lower_emit3(l, isa_inst_new(ISA_OP_BFE, full_type(t)), lower_dst(l, 0, words), a, at,
                lower_none);
    return;
  }
  lower_value a = lower_src(l, 1, t), b = lower_src(l, 2, t), at = pack_field(l, 3, 4);
  lower_emit3(l, isa_inst_new(ISA_OP_BFI, bits_type(t)), lower_dst(l, 0, words), a, b, at);
}

static void count_bits(lower *l, unsigned op) {
  ptx_type t = type_of(l);
  isa_inst i = isa_inst_new(op, op == ISA_OP_BFIND ? full_type(t) : bits_type(t));
  if (op == ISA_OP_BFIND && lower_mod(l, "shiftamt"))
    i.fn = ISA_BFIND_SHIFTAMT;
  lower_value a = lower_src(l, 1, t);
  lower_emit3(l, i, lower_dst(l, 0, op == ISA_OP_BREV ? lower_words(t) : 1), a, lower_none,
              lower_none);
}

static void three_words(lower *l, isa_inst i) {
  lower_value a = lower_src(l, 1, PTX_B32), b = lower_src(l, 2, PTX_B32),
              c = lower_src(l, 3, PTX_B32);
  lower_emit3(l, i, lower_dst(l, 0, 1), a, b, c);
}

static void funnel(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_SHF, ISA_TYPE_B32);
  i.fn = (uint8_t)((lower_mod(l, "l") ? ISA_SHF_L_WRAP : ISA_SHF_R_WRAP) +
                   (lower_mod(l, "clamp") ? 1 : 0));
  three_words(l, i);
}

static void permute(lower *l) {
  static const char *const modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  isa_inst i = isa_inst_new(ISA_OP_PRMT, ISA_TYPE_B32);
  for (unsigned n = 1; n < 7; n++)
    if (lower_mod(l, modes[n]))
      i.fn = (uint8_t)n;
  three_words(l, i);
}

static void lop3(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_LOP3, ISA_TYPE_B32);
  if (l->s->operand_count != 5 || l->s->operands[4].kind != PTX_INT ||
      (uint64_t)l->s->operands[4].value > 255) {
    lower_error(l, 4, "expected a table from 0 to 255");
    return;
  }
  i.imm = (uint32_t)l->s->operands[4].value;
  three_words(l, i);
}

static void absdiff4(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_VABSDIFF4, ISA_TYPE_U32);
  bool add = lower_mod(l, "add");
  i.fn = add ? ISA_VABSDIFF4_ADD : ISA_VABSDIFF4_PLAIN;
  if (l->mods.type_count == 3 &&
      (lower_kind(l->mods.types[1]) == 'S' || lower_kind(l->mods.types[2]) == 'S'))
    i.type = ISA_TYPE_S32;
  if (l->mods.type_count == 3 && l->mods.types[1] != l->mods.types[2])
    lower_error(l, UINT32_MAX,
                "vabsdiff4 of mixed signs is not supported: extend the bytes to words first");
  if (add || l->s->operand_count == 4) {
    three_words(l, i);
    return;
  }
  lower_value a = lower_src(l, 1, PTX_B32), b = lower_src(l, 2, PTX_B32);
  lower_emit3(l, i, lower_dst(l, 0, 1), a, b, lower_none);
}

// ---- comparison and selection

bool lower_find_cmp(lower *l, ptx_type *t, uint8_t *cmp) {
  static const char *const unsigned_names[] = {"lo", "ls", "hi", "hs"};
  static const uint8_t unsigned_cmp[] = {ISA_CMP_LT, ISA_CMP_LE, ISA_CMP_GT, ISA_CMP_GE};
  const char *w = l->s->mod_count ? l->s->mods[0] : "";
  for (unsigned n = 0; n < ISA_CMPS; n++)
    if (strcmp(w, isa_cmp_name(n)) == 0) {
      *cmp = (uint8_t)n;
      if (n >= ISA_CMP_EQU && !is_float(*t))
        break;
      return true;
    }
  for (unsigned n = 0; n < 4; n++)
    if (strcmp(w, unsigned_names[n]) == 0 && !is_float(*t)) {
      *cmp = unsigned_cmp[n];
      *t = ptx_type_bytes(*t) == 8 ? PTX_U64 : ptx_type_bytes(*t) == 4 ? PTX_U32 : PTX_U16;
      return true;
    }
  lower_error(l, UINT32_MAX, "`%s`: the comparison .%s does not fit .%s", l->s->op, w,
              ptx_type_name(*t));
  return false;
}

static uint8_t swapped(uint8_t cmp) {
  static const uint8_t map[ISA_CMPS] = {
      [ISA_CMP_EQ] = ISA_CMP_EQ,   [ISA_CMP_NE] = ISA_CMP_NE,   [ISA_CMP_LT] = ISA_CMP_GT,
      [ISA_CMP_LE] = ISA_CMP_GE,   [ISA_CMP_GT] = ISA_CMP_LT,   [ISA_CMP_GE] = ISA_CMP_LE,
      [ISA_CMP_EQU] = ISA_CMP_EQU, [ISA_CMP_NEU] = ISA_CMP_NEU, [ISA_CMP_LTU] = ISA_CMP_GTU,
      [ISA_CMP_LEU] = ISA_CMP_GEU, [ISA_CMP_GTU] = ISA_CMP_LTU, [ISA_CMP_GEU] = ISA_CMP_LEU,
      [ISA_CMP_NUM] = ISA_CMP_NUM, [ISA_CMP_NAN] = ISA_CMP_NAN};
  return map[cmp];
}

// p (and q) = a cmp b [bool s], from operand `first` on.
static bool compare(lower *l, ptx_type t, isa_reg p, isa_reg q, uint32_t first) {
  uint8_t cmp;
  if (!lower_find_cmp(l, &t, &cmp))
    return false;
  lower_value a = src_extended(l, first, t), b = src_extended(l, first + 1, t);
  if (a.is_imm && !b.is_imm) {
    lower_value swap = a;
    a = b;
    b = swap;
    cmp = swapped(cmp);
  }
  isa_inst i = start(l, ISA_OP_SETP, full_type(t));
  i.sat = false;
  i.fn = cmp;
  i.pd = p;
  i.pq = q;
  if (l->s->operand_count == first + 3) {
    i.boolop = l->mods.boolop;
    if (!i.boolop)
      lower_error(l, first + 2, "a third source needs .and, .or or .xor");
    i.ps = lower_src_pred(l, first + 2, &i.ps_neg);
  } else if (l->mods.boolop) {
    lower_error(l, UINT32_MAX, "an operand is missing");
  }
  lower_emit3(l, i, ISA_RZ, a, b, lower_none);
  return true;
}

static void setp(lower *l) {
  isa_reg p = lower_dst_pred(l, 0);
  compare(l, type_of(l), p, l->s->pair != UINT32_MAX ? l->regs[l->s->pair] : ISA_PT, 1);
}

static void select(lower *l, isa_reg d, unsigned words, lower_value a, lower_value b, isa_reg p,
                   bool neg) {
  isa_inst i = isa_inst_new(ISA_OP_SELP, words == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32);
  i.ps = p;
  i.ps_neg = neg;
  lower_emit3(l, i, d, a, b, lower_none);
}

static void set(lower *l) {
  if (l->mods.type_count != 2) {
    lower_error(l, UINT32_MAX, "`set` needs two types");
    return;
  }
  ptx_type dt = l->mods.types[0], t = l->mods.types[1];
  bool wants_float = dt == PTX_F32;
  uint32_t one = wants_float ? 0x3f800000 : 0xffffffff;
  isa_reg d = lower_dst(l, 0, 1);
  uint8_t cmp;
  if (l->mods.boolop) {
    isa_reg p = mir_pred_new(l->k);
    if (compare(l, t, p, ISA_PT, 1))
      select(l, d, 1, lower_imm(one), lower_imm(0), p, false);
    return;
  }
  if (!lower_find_cmp(l, &t, &cmp))
    return;
  lower_value a = src_extended(l, 1, t), b = src_extended(l, 2, t);
  isa_inst i = isa_inst_new(ISA_OP_SET, wants_float ? ISA_TYPE_F32 : ISA_TYPE_B32);
  i.type2 = full_type(t);
  i.ftz = l->mods.ftz && (t == PTX_F32 || wants_float);
  i.fn = cmp;
  lower_emit3(l, i, d, a, b, lower_none);
}

// selp: constants of doubles are whole words here, the immediate is sign extended
static lower_value src_bits(lower *l, uint32_t o, ptx_type t) {
  lower_value v = lower_src(l, o, t);
  return v.high ? lower_of(lower_reg(l, v, 2)) : v;
}

static void selp(lower *l) {
  ptx_type t = type_of(l);
  unsigned words = lower_words(t);
  bool neg;
  lower_value a = src_bits(l, 1, t), b = src_bits(l, 2, t);
  isa_reg p = lower_src_pred(l, 3, &neg);
  select(l, lower_dst(l, 0, words), words, a, b, p, neg);
}

static void slct(lower *l) {
  if (l->mods.type_count != 2) {
    lower_error(l, UINT32_MAX, "`slct` needs two types");
    return;
  }
  ptx_type t = l->mods.types[0], by = l->mods.types[1];
  unsigned words = lower_words(t);
  isa_inst i = isa_inst_new(ISA_OP_SETP, by == PTX_F32 ? ISA_TYPE_F32 : ISA_TYPE_S32);
  i.fn = ISA_CMP_GE;
  i.ftz = l->mods.ftz && by == PTX_F32;
  i.pd = mir_pred_new(l->k);
  lower_value a = src_bits(l, 1, t), b = src_bits(l, 2, t), c = lower_src(l, 3, by);
  isa_reg p = i.pd;
  lower_emit3(l, i, ISA_RZ, lower_of(lower_reg(l, c, 1)), lower_none, lower_none);
  select(l, lower_dst(l, 0, words), words, a, b, p, false);
}

static void cnot(lower *l) {
  ptx_type t = type_of(l);
  isa_inst i = isa_inst_new(ISA_OP_SETP, lower_words(t) == 2 ? ISA_TYPE_U64 : ISA_TYPE_U32);
  i.fn = ISA_CMP_EQ;
  i.pd = mir_pred_new(l->k);
  isa_reg p = i.pd;
  ptx_type u = lower_words(t) == 2 ? PTX_U64 : ptx_type_bytes(t) == 4 ? PTX_U32 : PTX_U16;
  lower_emit3(l, i, ISA_RZ, src_extended(l, 1, u), lower_none, lower_none);
  select(l, lower_dst(l, 0, lower_words(t)), lower_words(t), lower_imm(1), lower_none, p, false);
}

static void testp(lower *l) {
  ptx_type t = type_of(l);
  isa_inst i = isa_inst_new(ISA_OP_TESTP, lower_isa_type(t));
  for (unsigned n = 0; n < 6; n++)
    if (lower_mod(l, isa_sub_name(ISA_OP_TESTP, n)))
      i.fn = (uint8_t)n;
  i.pd = lower_dst_pred(l, 0);
  lower_emit3(l, i, ISA_RZ, lower_of(lower_src_reg(l, 1, t)), lower_none, lower_none);
}

static void copysign_(lower *l) {
  ptx_type t = type_of(l);
  lower_value a = lower_src(l, 1, t), b = lower_src(l, 2, t);
  lower_emit3(l, isa_inst_new(ISA_OP_COPYSIGN, lower_isa_type(t)), lower_dst(l, 0, lower_words(t)),
              a, b, lower_none);
}

bool lower_alu(lower *l) {
  static const struct {
    const char *op;
    unsigned isa, sources;
    bool care;
  } plain[] = {
      {"add", ISA_OP_ADD, 2, false}, {"sub", ISA_OP_SUB, 2, false}, {"fma", ISA_OP_FMA, 3, false},
      {"rem", ISA_OP_REM, 2, true},  {"min", ISA_OP_MIN, 2, true},  {"max", ISA_OP_MAX, 2, true},
      {"abs", ISA_OP_ABS, 1, true},  {"neg", ISA_OP_NEG, 1, true},  {"sad", ISA_OP_SAD, 3, true},
  };
  static const struct {
    const char *op;
    unsigned isa;
  } units[] = {{"rcp", ISA_OP_RCP}, {"sqrt", ISA_OP_SQRT}, {"rsqrt", ISA_OP_RSQRT},
               {"sin", ISA_OP_SIN}, {"cos", ISA_OP_COS},   {"ex2", ISA_OP_EX2},
               {"lg2", ISA_OP_LG2}, {"tanh", ISA_OP_TANH}};
  for (unsigned n = 0; n < sizeof plain / sizeof *plain; n++)
    if (is(l, plain[n].op)) {
      simple(l, plain[n].isa, plain[n].sources, plain[n].care);
      return true;
    }
  for (unsigned n = 0; n < sizeof units / sizeof *units; n++)
    if (is(l, units[n].op)) {
      one_source(l, units[n].isa);
      return true;
    }
  if (is(l, "mul") || is(l, "mul24"))
    multiply(l, false);
  else if (is(l, "mad") || is(l, "mad24"))
    multiply(l, true);
  else if (is(l, "div"))
    divide(l, ISA_OP_DIV);
  else if (is(l, "and"))
    logic(l, ISA_OP_AND, 2);
  else if (is(l, "or"))
    logic(l, ISA_OP_OR, 2);
  else if (is(l, "xor"))
    logic(l, ISA_OP_XOR, 2);
  else if (is(l, "not"))
    logic(l, ISA_OP_NOT, 1);
  else if (is(l, "cnot"))
    cnot(l);
  else if (is(l, "shl"))
    shift(l, ISA_OP_SHL);
  else if (is(l, "shr"))
    shift(l, ISA_OP_SHR);
  else if (is(l, "bfe"))
    field(l, false);
  else if (is(l, "bfi"))
    field(l, true);
  else if (is(l, "brev"))
    count_bits(l, ISA_OP_BREV);
  else if (is(l, "popc"))
    count_bits(l, ISA_OP_POPC);
  else if (is(l, "clz"))
    count_bits(l, ISA_OP_CLZ);
  else if (is(l, "bfind"))
    count_bits(l, ISA_OP_BFIND);
  else if (is(l, "shf"))
    funnel(l);
  else if (is(l, "prmt"))
    permute(l);
  else if (is(l, "lop3"))
    lop3(l);
  else if (is(l, "vabsdiff4"))
    absdiff4(l);
  else if (is(l, "setp"))
    setp(l);
  else if (is(l, "set"))
    set(l);
  else if (is(l, "selp"))
    selp(l);
  else if (is(l, "slct"))
    slct(l);
  else if (is(l, "testp"))
    testp(l);
  else if (is(l, "copysign"))
    copysign_(l);
  else
    return false;
  return true;
}
