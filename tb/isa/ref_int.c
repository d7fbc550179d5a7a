// SPDX-License-Identifier: Apache-2.0
// Integer, logic, bit-field and predicate instructions.
#include <assert.h>
#include "ref.h"

typedef __int128 i128;

uint64_t ref_mask(unsigned bits) {
  return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

int64_t ref_sext(uint64_t x, unsigned bits) {
  uint64_t top = 1ull << (bits - 1);
  return (int64_t)(((x & ref_mask(bits)) ^ top) - top);
}

uint64_t ref_immediate(const isa_inst *i, unsigned operand) {
  unsigned kind = isa_ops[i->op].width[operand];
  bool f64 = (kind == ISA_W_T && i->type == ISA_TYPE_F64) ||
             (kind == ISA_W_T2 && i->type2 == ISA_TYPE_F64);
  if (f64)
    return (uint64_t)i->imm << 32;
  return isa_words(i, operand) == 2 ? (uint64_t)ref_sext(i->imm, 32) : i->imm;
}

// The value that operand bits stand for in a type.
static i128 value_of(uint64_t x, unsigned type) {
  unsigned bits = isa_types[type].bits;
  return isa_types[type].kind == 'S' ? (i128)ref_sext(x, bits) : (i128)(x & ref_mask(bits));
}

static i128 clamp(i128 x, unsigned type) {
  unsigned bits = isa_types[type].bits;
  bool is_signed = isa_types[type].kind == 'S';
  i128 low = is_signed ? -((i128)1 << (bits - 1)) : 0;
  i128 high = ((i128)1 << (bits - is_signed)) - 1;
  return x < low ? low : x > high ? high : x;
}

static bool compare(unsigned cmp, int order) {
  switch (cmp) {
    case ISA_CMP_EQ:
      return order == 0;
    case ISA_CMP_NE:
      return order != 0;
    case ISA_CMP_LT:
      return order < 0;
    case ISA_CMP_LE:
      return order <= 0;
    case ISA_CMP_GT:
      return order > 0;
    case ISA_CMP_GE:
      return order >= 0;
    default:
      assert(!"an integer comparison");
      return false;
  }
}

static bool boolean(unsigned op, bool x, bool y) {
  switch (op) {
    case ISA_BOOL_AND:
      return x && y;
    case ISA_BOOL_OR:
      return x || y;
    case ISA_BOOL_XOR:
      return x != y;
    default:
      return x;
  }
}

static uint64_t bit_at(uint64_t x, unsigned k) {
  return x >> k & 1;
}

static uint64_t bfe(uint64_t a, uint64_t b, unsigned type) {
  unsigned bits = isa_types[type].bits, pos = b & 0xff, len = b >> 8 & 0xff;
  unsigned last = pos + len == 0 ? 0 : pos + len - 1 > bits - 1 ? bits - 1 : pos + len - 1;
  uint64_t fill = isa_types[type].kind == 'U' || len == 0 ? 0 : bit_at(a, last), d = 0;
  for (unsigned k = 0; k < bits; k++)
    d |= (k < len && pos + k < bits ? bit_at(a, pos + k) : fill) << k;
  return d;
}

static uint64_t bfi(uint64_t a, uint64_t b, uint64_t c, unsigned bits) {
  unsigned pos = c & 0xff, len = c >> 8 & 0xff;
  for (unsigned k = 0; k < len && pos + k < bits; k++)
    b = (b & ~(1ull << (pos + k))) | bit_at(a, k) << (pos + k);
  return b;
}

static uint64_t bfind(uint64_t a, unsigned type, unsigned sub) {
  unsigned bits = isa_types[type].bits;
  uint64_t sign = isa_types[type].kind == 'S' ? bit_at(a, bits - 1) : 0;
  for (unsigned k = bits; k-- > 0;)
    if (bit_at(a, k) != sign)
      return sub == ISA_BFIND_SHIFTAMT ? bits - 1 - k : k;
  return 0xffffffff;
}

static uint64_t prmt(uint64_t a, uint64_t b, uint64_t c, unsigned mode) {
  // Bytes of the result from the lowest up, by the two low bits of c.
  static const uint8_t picks[7][4][4] = {
      [ISA_PRMT_F4E] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
      [ISA_PRMT_B4E] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
      [ISA_PRMT_RC8] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
      [ISA_PRMT_ECL] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
      [ISA_PRMT_ECR] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
      [ISA_PRMT_RC16] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}};
  uint64_t bytes = (b & 0xffffffff) << 32 | (a & 0xffffffff), d = 0;
  for (unsigned k = 0; k < 4; k++) {
    unsigned pick = mode == ISA_PRMT_PLAIN ? (unsigned)(c >> 4 * k) & 0xf : picks[mode][c & 3][k];
    uint64_t byte = bytes >> 8 * (pick & 7) & 0xff;
    if (pick & 8)
      byte = byte & 0x80 ? 0xff : 0;
    d |= byte << 8 * k;
  }
  return d;
}

static uint64_t shf(uint64_t a, uint64_t b, uint64_t c, unsigned sub) {
  bool wrap = sub == ISA_SHF_L_WRAP || sub == ISA_SHF_R_WRAP;
  unsigned n = wrap ? c & 31 : c > 32 ? 32 : (unsigned)c;
  uint64_t both = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  if (sub == ISA_SHF_R_WRAP || sub == ISA_SHF_R_CLAMP)
    return both >> n & 0xffffffff;
  return both >> (32 - n) & 0xffffffff;
}

static uint64_t vabsdiff4(uint64_t a, uint64_t b, uint64_t c, unsigned type, unsigned sub) {
  unsigned lane = type == ISA_TYPE_S32 ? ISA_TYPE_S8 : ISA_TYPE_U8;
  uint64_t sum = c, bytes = 0;
  for (unsigned k = 0; k < 32; k += 8) {
    i128 diff = value_of(a >> k, lane) - value_of(b >> k, lane);
    uint64_t size = (uint64_t)(diff < 0 ? -diff : diff);
    sum += size;
    bytes |= size << k;
  }
  return sub == ISA_VABSDIFF4_ADD ? sum & 0xffffffff : bytes;
}

static uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, uint32_t table) {
  uint64_t d = 0;
  for (unsigned k = 0; k < 32; k++)
    d |= bit_at(table, (unsigned)(bit_at(a, k) << 2 | bit_at(b, k) << 1 | bit_at(c, k))) << k;
  return d;
}

static uint64_t count_ones(uint64_t x) {
  uint64_t n = 0;
  for (; x; x >>= 1)
    n += x & 1;
  return n;
}

static uint64_t leading_zeros(uint64_t x, unsigned bits) {
  uint64_t n = 0;
  while (n < bits && !bit_at(x, bits - 1 - (unsigned)n))
    n++;
  return n;
}

static uint64_t reversed(uint64_t x, unsigned bits) {
  uint64_t d = 0;
  for (unsigned k = 0; k < bits; k++)
    d |= bit_at(x, k) << (bits - 1 - k);
  return d;
}

static uint64_t shifted(uint64_t a, uint64_t amount, unsigned type, bool left) {
  unsigned bits = isa_types[type].bits, n = amount > bits ? bits : (unsigned)(amount);
  for (; n; n--)
    a = left ? a << 1 & ref_mask(bits) : (uint64_t)(value_of(a, type) >> 1) & ref_mask(bits);
  return a;
}

static uint64_t window_of(unsigned space) {
  switch (space) {
    case ISA_SPACE_SHARED:
      return ISA_WINDOW_SHARED;
    case ISA_SPACE_LOCAL:
      return ISA_WINDOW_LOCAL;
    case ISA_SPACE_CONST:
      return ISA_WINDOW_CONST;
    case ISA_SPACE_PARAM:
      return ISA_WINDOW_PARAM;
    default:
      return 0;
  }
}

static bool lies_in(uint64_t a, unsigned space) {
  bool inside[ISA_SPACES] = {false}, any = false;
  for (unsigned s = ISA_SPACE_SHARED; s < ISA_SPACES; s++) {
    inside[s] = a >= window_of(s) && a < window_of(s) + ISA_WINDOW_BYTES;
    any = any || inside[s];
  }
  inside[ISA_SPACE_GLOBAL] = !any;
  return inside[space];
}

// Arithmetic of the integer types: the low half of the exact result.
static bool arithmetic(const isa_inst *i, const ref_in *in, i128 *d) {
  i128 a = value_of(in->a, i->type), b = value_of(in->b, i->type), c = value_of(in->c, i->type);
  switch (i->op) {
    case ISA_OP_ADD:
      *d = i->sat ? clamp(a + b, i->type) : a + b;
      return true;
    case ISA_OP_SUB:
      *d = i->sat ? clamp(a - b, i->type) : a - b;
      return true;
    case ISA_OP_MUL:
      *d = (i128)((unsigned __int128)a * (unsigned __int128)b);
      return true;
    case ISA_OP_MULH: {
      // 64 x 64 unsigned needs 128 unsigned bits
      unsigned __int128 p = (unsigned __int128)a * (unsigned __int128)b;
      *d = (i128)(p >> isa_types[i->type].bits);
      return true;
    }
    case ISA_OP_MULW:
      *d = a * b;
      return true;
    case ISA_OP_MAD:
      *d = (i128)((unsigned __int128)a * (unsigned __int128)b + (unsigned __int128)c);
      return true;
    case ISA_OP_MADW:
      *d = a * b + (i128)in->c;
      return true;
    case ISA_OP_DIV:
      *d = b == 0 ? -1 : a / b;
      return true;
    case ISA_OP_REM:
      *d = b == 0 ? a : a % b;
      return true;
    case ISA_OP_MIN:
      *d = a < b ? a : b;
      return true;
    case ISA_OP_MAX:
      *d = a > b ? a : b;
      return true;
    case ISA_OP_ABS:
      *d = a < 0 ? -a : a;
      return true;
    case ISA_OP_NEG:
      *d = -a;
      return true;
    case ISA_OP_SAD:
      *d = (a > b ? a - b : b - a) + c;
      return true;
    default:
      return false;
  }
}

static bool bits_op(const isa_inst *i, const ref_in *in, uint64_t *d) {
  uint64_t a = in->a, b = in->b, c = in->c;
  unsigned bits = isa_types[i->type].bits;
  switch (i->op) {
    case ISA_OP_MOV:
      *d = a;
      return true;
    case ISA_OP_AND:
      *d = a & b;
      return true;
    case ISA_OP_OR:
      *d = a | b;
      return true;
    case ISA_OP_XOR:
      *d = a ^ b;
      return true;
    case ISA_OP_NOT:
      *d = ~a;
      return true;
    case ISA_OP_LOP3:
      *d = lop3(a, b, c, i->imm);
      return true;
    case ISA_OP_SHL:
      *d = shifted(a, b, i->type, true);
      return true;
    case ISA_OP_SHR:
      *d = shifted(a, b, i->type, false);
      return true;
    case ISA_OP_SHF:
      *d = shf(a, b, c, i->fn);
      return true;
    case ISA_OP_BFE:
      *d = bfe(a, b, i->type);
      return true;
    case ISA_OP_BFI:
      *d = bfi(a, b, c, bits);
      return true;
    case ISA_OP_BREV:
      *d = reversed(a, bits);
      return true;
    case ISA_OP_POPC:
      *d = count_ones(a & ref_mask(bits));
      return true;
    case ISA_OP_CLZ:
      *d = leading_zeros(a, bits);
      return true;
    case ISA_OP_BFIND:
      *d = bfind(a, i->type, i->fn);
      return true;
    case ISA_OP_PRMT:
      *d = prmt(a, b, c, i->fn);
      return true;
    case ISA_OP_VABSDIFF4:
      *d = vabsdiff4(a, b, c, i->type, i->fn);
      return true;
    case ISA_OP_SELP:
      *d = (in->ps != i->ps_neg) ? a : b;
      return true;
    case ISA_OP_CVTA:
      *d = i->fn == ISA_CVTA_TO ? a - window_of(i->space) : a + window_of(i->space);
      return true;
    default:
      return false;
  }
}

bool ref_execute_int(const isa_inst *i, const ref_in *in, ref_out *out) {
  unsigned source = i->op == ISA_OP_SET || i->op == ISA_OP_I2I ? i->type2 : i->type;
  out->how = REF_BITS;
  if (i->op == ISA_OP_PLOP) {
    out->pd = boolean(i->boolop, in->ps != i->ps_neg, in->ps2 != i->ps2_neg);
    return true;
  }
  if (i->op == ISA_OP_ISSPACEP) {
    out->pd = lies_in(in->a, i->space);
    return true;
  }
  if (isa_types[source].kind == 'F')
    return false;
  i128 wide;
  if (i->op == ISA_OP_SETP || i->op == ISA_OP_SET) {
    i128 a = value_of(in->a, source), b = value_of(in->b, source);
    bool yes = compare(i->fn, a < b ? -1 : a > b), s = in->ps != i->ps_neg;
    out->pd = boolean(i->boolop, yes, s);
    out->pq = boolean(i->boolop, !yes, s);
    out->d = !yes ? 0 : i->type == ISA_TYPE_F32 ? 0x3f800000 : 0xffffffff;
    return true;
  }
  if (i->op == ISA_OP_I2I) {
    wide = value_of(in->a, i->type2);
    wide = i->sat ? clamp(wide, i->type) : value_of((uint64_t)wide, i->type);
    out->d = (uint64_t)wide & ref_mask(32 * isa_words(i, 0));
    return true;
  }
  if (arithmetic(i, in, &wide))
    out->d = (uint64_t)wide;
  else if (!bits_op(i, in, &out->d))
    return false;
  out->d &= ref_mask(32 * isa_words(i, 0));
  return true;
}

uint64_t ref_atomic(const isa_inst *i, uint64_t old, uint64_t b, uint64_t c) {
  uint64_t mask = ref_mask(isa_types[i->type].bits);
  bool is_float = isa_types[i->type].kind == 'F';
  i128 x = is_float ? 0 : value_of(old, i->type), y = is_float ? 0 : value_of(b, i->type);
  switch (i->fn) {
    case ISA_ATOM_ADD:
      return is_float ? ref_add(ref_format_of(i->type), old, b, ISA_RND_RN) : (old + b) & mask;
    case ISA_ATOM_MIN:
      return x < y ? old : b;
    case ISA_ATOM_MAX:
      return x > y ? old : b;
    case ISA_ATOM_INC:
      return old >= b ? 0 : old + 1;
    case ISA_ATOM_DEC:
      return old == 0 || old > b ? b : old - 1;
    case ISA_ATOM_AND:
      return old & b;
    case ISA_ATOM_OR:
      return old | b;
    case ISA_ATOM_XOR:
      return old ^ b;
    case ISA_ATOM_EXCH:
      return b;
    case ISA_ATOM_CAS:
      return old == b ? c : old;
    default:
      assert(!"an atomic operation");
      return 0;
  }
}
