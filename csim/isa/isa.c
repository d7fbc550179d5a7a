// SPDX-License-Identifier: Apache-2.0
#include "isa.h"

#include <assert.h>
#include <stddef.h>

const isa_type_info isa_types[32] = {
#define ISA_TYPE(n, N, text, bits, kind) [n] = {text, bits, #kind[0]},
#include "isa.def"
};

const isa_op_info isa_ops[256] = {
#define ISA_OP(n, N, text, d, a, b, c, ty, ty2, loc, nr, nr2, lat, flags, doc) \
  [n] = {text,                                                                 \
         {ISA_W_##d, ISA_W_##a, ISA_W_##b, ISA_W_##c},                         \
         ISA_LOC_##loc,                                                        \
         ISA_LAT_##lat,                                                        \
         ty,                                                                   \
         ty2,                                                                  \
         nr,                                                                   \
         nr2,                                                                  \
         flags,                                                                \
         doc},
#include "isa.def"
};

static const char *const rnd_names[ISA_RNDS] = {
#define ISA_RND(n, N, text, doc) [n] = text,
#include "isa.def"
};
static const char *const cmp_names[ISA_CMPS] = {
#define ISA_CMP(n, N, text, doc) [n] = text,
#include "isa.def"
};
static const char *const space_names[ISA_SPACES] = {
#define ISA_SPACE(n, N, text, bits, doc) [n] = text,
#include "isa.def"
};
static const uint8_t space_bits[ISA_SPACES] = {
#define ISA_SPACE(n, N, text, bits, doc) [n] = bits,
#include "isa.def"
};
static const char *const atom_names[ISA_ATOMS] = {
#define ISA_ATOM(n, N, text, types, doc) [n] = text,
#include "isa.def"
};
static const uint32_t atom_types[ISA_ATOMS] = {
#define ISA_ATOM(n, N, text, types, doc) [n] = types,
#include "isa.def"
};
static const char *const sreg_names[ISA_SREGS] = {
#define ISA_SREG(n, N, text, doc) [n] = text,
#include "isa.def"
};
static const uint8_t lat_cycles[ISA_LATS] = {
#define ISA_LAT(n, N, cycles, doc) [n] = cycles,
#include "isa.def"
};
static const char *const order_names[ISA_ORDERS] = {"",        "volatile", "relaxed",
                                                    "acquire", "release",  "acq_rel"};
static const char *const scope_names[ISA_SCOPES] = {"", "cta", "gpu", "sys"};

static const struct {
  uint8_t op, sub;
  const char *name;
} sub_names[] = {
#define ISA_SUB(OP, n, N, text, doc) {ISA_OP_##OP, n, text},
#include "isa.def"
};

const char *isa_sub_name(unsigned op, unsigned sub) {
  if (op == ISA_OP_ATOM || op == ISA_OP_RED)
    return sub < ISA_ATOMS && !(op == ISA_OP_RED && (sub == ISA_ATOM_CAS || sub == ISA_ATOM_EXCH))
               ? atom_names[sub]
               : NULL;
  if (op == ISA_OP_S2R)
    return sub < ISA_SREGS ? sreg_names[sub] : NULL;
  for (size_t k = 0; k < sizeof sub_names / sizeof *sub_names; k++)
    if (sub_names[k].op == op && sub_names[k].sub == sub)
      return sub_names[k].name;
  return NULL;
}

const char *isa_space_name(unsigned s) {
  return s < ISA_SPACES ? space_names[s] : NULL;
}
const char *isa_rnd_name(unsigned r) {
  return r < ISA_RNDS ? rnd_names[r] : NULL;
}
const char *isa_cmp_name(unsigned c) {
  return c < ISA_CMPS ? cmp_names[c] : NULL;
}
const char *isa_order_name(unsigned o) {
  return o < ISA_ORDERS ? order_names[o] : NULL;
}
const char *isa_scope_name(unsigned s) {
  return s < ISA_SCOPES ? scope_names[s] : NULL;
}
unsigned isa_latency(unsigned lat) {
  assert(lat < ISA_LATS);
  return lat_cycles[lat];
}

unsigned isa_latency_class(const isa_inst *i) {
  unsigned lat = isa_ops[i->op].lat;
  if (lat != ISA_LAT_ALU && lat != ISA_LAT_MUL && lat != ISA_LAT_FP32)
    return lat;
  if (i->type == ISA_TYPE_F64 || i->type2 == ISA_TYPE_F64)
    return ISA_LAT_FP64;
  if (i->type == ISA_TYPE_F32 || i->type2 == ISA_TYPE_F32)
    return ISA_LAT_FP32;
  bool wide = isa_types[i->type].bits == 64 || isa_types[i->type2].bits == 64;
  return lat == ISA_LAT_ALU && wide ? ISA_LAT_ALU2 : lat;
}

isa_inst isa_inst_new(unsigned op, unsigned type) {
  return (isa_inst){.op = (uint8_t)op,
                    .type = (uint8_t)type,
                    .guard = ISA_PT,
                    .pd = ISA_PT,
                    .pq = ISA_PT,
                    .ps = ISA_PT,
                    .d = ISA_RZ,
                    .a = ISA_RZ,
                    .b = ISA_RZ,
                    .c = ISA_RZ,
                    .reconv = op == ISA_OP_BRA ? ISA_NO_RECONV : 0};
}

static unsigned type_words(unsigned type) {
  unsigned bits = isa_types[type].bits;
  return bits <= 32 ? 1 : bits / 32;
}

unsigned isa_words(const isa_inst *i, unsigned operand) {
  switch (isa_ops[i->op].width[operand]) {
    case ISA_W_T:
      if (operand == 3 && i->op == ISA_OP_ATOM && i->fn != ISA_ATOM_CAS)
        return 0;
      return type_words(i->type);
    case ISA_W_M:
      return type_words(i->type);
    case ISA_W_T2:
      return type_words(i->type2);
    case ISA_W_W:
      return 2 * type_words(i->type);
    case ISA_W_R:
      return 1;
    case ISA_W_RR:
      return 2;
    case ISA_W_AD:
      return space_bits[i->space] / 32;
    default:
      return 0;
  }
}

bool isa_near_capable(const isa_inst *i) {
  const isa_op_info *o = &isa_ops[i->op];
  if (o->loc == ISA_LOC_SMEM)
    return i->space == ISA_SPACE_SHARED && (o->near >> i->type & 1);
  return o->loc == ISA_LOC_NEAR && (o->near >> i->type & 1) &&
         (o->types2 == 0 || (o->near2 >> i->type2 & 1));
}

bool isa_may_have_far_data(const isa_inst *i) {
  return (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->space == ISA_SPACE_GLOBAL;
}

const char *const isa_dies_names[ISA_DIES] = {"hybrid", "far-shared", "base-die", "both-shared"};

bool isa_dies_execute(isa_dies machine, isa_dies kernel) {
  return machine == ISA_DIES_BOTH_SHARED
             ? kernel == ISA_DIES_HYBRID || kernel == ISA_DIES_FAR_SHARED
             : machine == kernel;
}

static bool on_base_die(const isa_inst *i, isa_dies dies) {
  return dies == ISA_DIES_BASE ||
         (dies == ISA_DIES_FAR_SHARED && isa_ops[i->op].flags & ISA_F_MEM &&
          i->space == ISA_SPACE_SHARED);
}

// Data of local memory are where their instruction is.
static bool accesses_local(const isa_inst *i) {
  return isa_ops[i->op].flags & ISA_F_MEM && i->space == ISA_SPACE_LOCAL;
}

bool isa_far_only(const isa_inst *i, isa_dies dies) {
  return on_base_die(i, dies) || !(isa_near_capable(i) || accesses_local(i));
}

unsigned isa_sides(const isa_inst *i, unsigned operand, isa_dies dies) {
  const unsigned by_hint[] = {ISA_NEAR | ISA_FAR, ISA_NEAR, ISA_FAR};
  bool memory = (isa_ops[i->op].flags & ISA_F_MEM) != 0;
  if (on_base_die(i, dies) || i->hint == ISA_HINT_FAR_DATA)
    return ISA_FAR;
  if (memory && operand != 1 && i->space <= ISA_SPACE_SHARED)
    return ISA_NEAR;
  if (isa_near_capable(i) || (operand != 1 && accesses_local(i)))
    return by_hint[i->hint];
  return ISA_FAR;
}

// Registers of an operand: in range, aligned to their size; rz stands for any size.
static bool reg_ok(isa_reg r, unsigned words) {
  if (ISA_REG_IS_VIRTUAL(r))
    return words != 0;
  if (r == ISA_RZ)
    return true;
  return words != 0 && r % words == 0 && r + words <= ISA_RZ;
}

static bool pred_ok(isa_reg p, bool used) {
  return ISA_REG_IS_VIRTUAL(p) ? used : p == ISA_PT || (used && p < ISA_PT);
}

// The rules of rounding, beyond "the opcode has one".
static const char *check_rnd(const isa_inst *i) {
  bool f32 = i->type == ISA_TYPE_F32, f64 = i->type == ISA_TYPE_F64;
  bool ieee = i->fn >= ISA_RND_RN && i->fn <= ISA_RND_RP;
  bool integral = i->fn >= ISA_RND_RNI && i->fn <= ISA_RND_RPI;
  switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_FMA:
      return i->fn == 0 || ((f32 || f64) && ieee) ? NULL : "rounding does not fit the opcode";
    case ISA_OP_DIV:
      if (!f32 && !f64)
        return i->fn == 0 ? NULL : "an integer division has no rounding";
      return ieee || (f32 && (i->fn == ISA_RND_APPROX || i->fn == ISA_RND_FULL))
                 ? NULL
                 : "division needs a rounding";
    case ISA_OP_RCP:
    case ISA_OP_SQRT:
      return ieee || i->fn == ISA_RND_APPROX ? NULL : "the opcode needs a rounding";
    case ISA_OP_RSQRT:
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_EX2:
    case ISA_OP_LG2:
    case ISA_OP_TANH:
      return i->fn == ISA_RND_APPROX ? NULL : "the opcode needs .approx";
    case ISA_OP_I2F:
      return ieee ? NULL : "the conversion needs rn, rz, rm or rp";
    case ISA_OP_F2I:
      return integral ? NULL : "the conversion needs rni, rzi, rmi or rpi";
    default:
      break;
  }
  assert(i->op == ISA_OP_F2F);
  if (i->type == i->type2)
    return i->fn == 0 || integral ? NULL : "the conversion takes rni, rzi, rmi, rpi or nothing";
  if (i->type == ISA_TYPE_F64)
    return i->fn == 0 ? NULL : "a widening conversion is exact";
  return ieee ? NULL : "a narrowing conversion needs rn, rz, rm or rp";
}

static const char *check_fn(const isa_inst *i, uint32_t flags) {
  if (flags & ISA_F_RND)
    return i->fn < ISA_RNDS ? check_rnd(i) : "unknown rounding";
  if (flags & ISA_F_CMP) {
    unsigned type = i->op == ISA_OP_SET ? i->type2 : i->type;
    if (i->fn >= ISA_CMPS || (i->fn >= ISA_CMP_EQU && isa_types[type].kind != 'F'))
      return "comparison does not fit the type";
    return NULL;
  }
  if (!(flags & ISA_F_SUB))
    return i->fn == 0 ? NULL : "the opcode has no rounding, comparison or sub-operation";
  if (!isa_sub_name(i->op, i->fn))
    return "unknown sub-operation";
  if ((i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) && !(atom_types[i->fn] >> i->type & 1))
    return "the atomic operation does not take this type";
  if (i->op == ISA_OP_REDUX && (i->fn >= ISA_REDUX_AND) != (i->type == ISA_TYPE_B32))
    return "the reduction does not take this type";
  return NULL;
}

static const char *check_modifiers(const isa_inst *i, uint32_t flags) {
  bool f32 = i->type == ISA_TYPE_F32 || i->type2 == ISA_TYPE_F32;
  if (i->ftz && (!(flags & ISA_F_FTZ) || !f32))
    return ".ftz is for f32 operations";
  if (i->sat) {
    bool fits = isa_types[i->type].kind == 'F'
                    ? (flags & ISA_F_SAT) != 0 && i->type != ISA_TYPE_F64
                    : i->op == ISA_OP_I2I ||
                          ((i->op == ISA_OP_ADD || i->op == ISA_OP_SUB) && i->type == ISA_TYPE_S32);
    if (!fits)
      return ".sat does not fit the opcode and type";
  }
  if (i->boolop > ISA_BOOL_XOR || (i->boolop && !(flags & ISA_F_BOOL)))
    return "no boolean operation here";
  if (i->op == ISA_OP_PLOP && !i->boolop)
    return "plop needs and, or or xor";
  if (i->op == ISA_OP_SETP && !i->boolop && (i->ps != ISA_PT || i->ps_neg))
    return "a predicate source needs and, or or xor";
  if (i->space >= ISA_SPACES || (i->space && !(flags & ISA_F_SPACE)))
    return "no state space here";
  if ((i->op == ISA_OP_CVTA || i->op == ISA_OP_ISSPACEP) && i->space == ISA_SPACE_GENERIC)
    return "a state space is missing";
  if ((i->op == ISA_OP_ST || i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) &&
      (i->space == ISA_SPACE_CONST || i->space == ISA_SPACE_PARAM))
    return "the space is read only";
  if ((i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) && i->space == ISA_SPACE_LOCAL)
    return "no atomics in local memory";
  if (i->order >= ISA_ORDERS || i->scope >= ISA_SCOPES ||
      ((i->order || i->scope) && !(flags & ISA_F_ORDER)))
    return "no memory order here";
  if ((i->op == ISA_OP_LD && i->order >= ISA_ORDER_RELEASE) ||
      (i->op == ISA_OP_ST && (i->order == ISA_ORDER_ACQUIRE || i->order == ISA_ORDER_ACQ_REL)))
    return "the memory order does not fit the opcode";
  return NULL;
}

static const char *check_operands(const isa_inst *i, uint32_t flags) {
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  for (unsigned k = 0; k < 4; k++)
    if (!reg_ok(regs[k], isa_words(i, k)))
      return isa_words(i, k) ? "register out of range or not aligned to its size"
                             : "the opcode has no such operand";
  if (i->imm_at > ISA_IMM_C || (i->imm_at && !(flags & ISA_F_IMM)))
    return "no immediate here";
  if (i->imm_at && (!isa_words(i, i->imm_at) || regs[i->imm_at] != ISA_RZ))
    return "the immediate's operand is not free";
  if (i->imm && !i->imm_at && !(flags & (ISA_F_OFFSET | ISA_F_TARGET | ISA_F_LUT)))
    return "no immediate here";
  if ((flags & ISA_F_LUT) && i->imm > 0xff)
    return "the table has eight bits";
  if (flags & ISA_F_TARGET) {
    if (i->imm % ISA_BYTES || (i->reconv != ISA_NO_RECONV && i->reconv % ISA_BYTES))
      return "branch target inside an instruction";
  } else if (i->reconv) {
    return "no reconvergence PC here";
  }
  if (!pred_ok(i->guard, true) || !pred_ok(i->pd, flags & ISA_F_PD) ||
      !pred_ok(i->pq, flags & (ISA_F_PQ | ISA_F_PS2)) || !pred_ok(i->ps, flags & ISA_F_PS))
    return "predicate out of range or not used by the opcode";
  if ((i->ps_neg && !(flags & ISA_F_PS)) || (i->ps2_neg && !(flags & ISA_F_PS2)))
    return "no predicate source to negate";
  return NULL;
}

const char *isa_check(const isa_inst *i) {
  const isa_op_info *o = &isa_ops[i->op];
  if (!o->name)
    return "unknown opcode";
  if (i->type >= ISA_TYPES || i->type2 >= ISA_TYPES)
    return "unknown type";
  if (o->types ? !(o->types >> i->type & 1) : i->type != ISA_TYPE_NONE)
    return "the opcode does not take this type";
  if (o->types2 ? !(o->types2 >> i->type2 & 1) : i->type2 != ISA_TYPE_NONE)
    return "the opcode does not take this source type";
  if (i->hint >= ISA_HINTS)
    return "unknown location hint";
  if (i->hint == ISA_HINT_FAR_DATA && !isa_may_have_far_data(i))
    return "far data are of ld and st of global memory only";
  const char *why = check_fn(i, o->flags);
  if (!why)
    why = check_modifiers(i, o->flags);
  if (!why)
    why = check_operands(i, o->flags);
  return why;
}

// Bit positions of word 0 and word 1, see docs/isa.md. One list serves both directions.
// clang-format off
#define FIELDS(F)                                                                        \
  F(0, 0, 8, op) F(0, 8, 5, type) F(0, 13, 2, hint) F(0, 16, 4, guard)                   \
  F(0, 20, 1, guard_neg) F(0, 21, 2, imm_at) F(0, 24, 5, type2) F(0, 32, 8, d)           \
  F(0, 40, 8, a) F(0, 48, 8, b) F(0, 56, 8, c) F(1, 0, 32, imm)
#define FIELDS_MOD(F)                                                                    \
  F(1, 32, 4, pd) F(1, 36, 4, pq) F(1, 40, 4, ps) F(1, 44, 1, ps_neg) F(1, 45, 1, ps2_neg) \
  F(1, 46, 2, boolop) F(1, 48, 5, fn) F(1, 53, 1, ftz) F(1, 54, 1, sat)                  \
  F(1, 55, 3, space) F(1, 58, 3, order) F(1, 61, 2, scope)
// clang-format on

void isa_encode(const isa_inst *i, uint64_t word[2]) {
  assert(isa_check(i) == NULL);
  word[0] = word[1] = 0;
#define PUT(w, at, bits, field) word[w] |= ((uint64_t)i->field & ((1ull << bits) - 1)) << at;
  FIELDS(PUT)
  if (isa_ops[i->op].flags & ISA_F_TARGET) {
    word[1] |= (uint64_t)i->reconv << 32;
  } else {
    FIELDS_MOD(PUT)
  }
#undef PUT
}

bool isa_decode(const uint64_t word[2], isa_inst *i) {
  const uint64_t unused = 1ull << 15 | 1ull << 23 | 7ull << 29;
  *i = isa_inst_new((unsigned)(word[0] & 0xff), 0);
  i->reconv = 0;
#define GET(w, at, bits, field) \
  i->field = (__typeof__(i->field))(word[w] >> at & ((1ull << bits) - 1));
  FIELDS(GET)
  if (isa_ops[i->op].flags & ISA_F_TARGET) {
    i->reconv = (uint32_t)(word[1] >> 32);
  } else {
    FIELDS_MOD(GET)
    if (word[1] >> 63)
      return false;
  }
#undef GET
  return !(word[0] & unused) && isa_check(i) == NULL;
}
