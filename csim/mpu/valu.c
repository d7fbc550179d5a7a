// SPDX-License-Identifier: Apache-2.0
// The results are there when a beat enters; a ring keeps them until their edge. Operations on f32
// are those of the functional machine; integers are rules 4 to 6, all lanes at once.
#include "valu.h"

#include <stdlib.h>
#include <string.h>

#include "csim/isa/isa.h"
#include "csim/isa/lanes.h"

#define LANES(result)                       \
  for (unsigned l = 0; l < VALU_LANES; l++) \
    d[l] = (uint32_t)(result);

void valu_init(valu *v) {
  memset(v, 0, sizeof *v);
  v->lanes = lanes_host();
}

static bool is_signed(unsigned type) {
  return isa_types[type].kind == 'S';
}

static bool less(uint32_t a, uint32_t b, bool sgn) {
  return sgn ? (int32_t)a < (int32_t)b : a < b;
}

static uint32_t add(valu *v, unsigned l, uint32_t a, uint32_t b, uint32_t carry) {
  const uint64_t sum = (uint64_t)a + b + carry;
  v->carry[l] = (uint32_t)(sum >> 32);
  return (uint32_t)sum;
}

static uint32_t clamp(int64_t x) {
  return (uint32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}

static bool compare(unsigned cmp, uint32_t a, uint32_t b, bool sgn) {
  switch (cmp) {
    case ISA_CMP_EQ:
      return a == b;
    case ISA_CMP_NE:
      return a != b;
    case ISA_CMP_LT:
      return less(a, b, sgn);
    case ISA_CMP_LE:
      return !less(b, a, sgn);
    case ISA_CMP_GT:
      return less(b, a, sgn);
    default:
      return !less(a, b, sgn);
  }
}

static uint64_t pair(uint32_t high, uint32_t low) {
  return (uint64_t)high << 32 | low;
}

static uint32_t shift_right(uint32_t a, uint32_t b, bool sgn) {
  if (sgn)
    return (uint32_t)((int32_t)a >> (b > 31 ? 31 : b));
  return b > 31 ? 0 : a >> b;
}

static uint64_t shift_right_pair(uint64_t a, uint32_t b, bool sgn) {
  if (sgn)
    return (uint64_t)((int64_t)a >> (b > 63 ? 63 : b));
  return b > 63 ? 0 : a >> b;
}

static uint64_t product(uint32_t a, uint32_t b, bool sgn) {
  return sgn ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

static uint64_t extend(uint64_t a, unsigned type) {
  const unsigned out = 64 - isa_types[type].bits;
  return is_signed(type) ? (uint64_t)((int64_t)(a << out) >> out) : a << out >> out;
}

// Rule 5.
static uint32_t convert(const valu_in *in, uint32_t a, uint32_t c) {
  const unsigned bits = isa_types[in->typ].bits;
  uint64_t x = isa_types[in->typ2].bits < 64 ? extend(a, in->typ2)
               : in->beat                    ? pair(a, c)
                                             : pair(c, a);
  if (in->sat) {
    const bool negative = is_signed(in->typ2) && x >> 63;
    const uint64_t top = (is_signed(in->typ) ? 1ull << (bits - 1) : 1ull << (bits - 1) << 1) - 1;
    if (negative)
      x = !is_signed(in->typ) ? 0 : (int64_t)x < -(int64_t)top - 1 ? ~top : x;
    else if (x > top)
      x = top;
  }
  if (bits == 64)
    return (uint32_t)(in->beat ? x >> 32 : x);
  return (uint32_t)(bits == 32 ? x : extend(x, in->typ));
}

static void integer(valu *v, const valu_in *in, uint32_t *d) {
  const uint32_t *a = in->a, *b = in->b, *c = in->c;
  const bool sgn = is_signed(in->typ), sgn2 = is_signed(in->typ2), second = in->beat;
  const bool wide = isa_types[in->typ].bits == 64;
  switch (in->op) {
    case ISA_OP_MOV:
      LANES(a[l])
      break;
    case ISA_OP_AND:
      LANES(a[l] & b[l])
      break;
    case ISA_OP_OR:
      LANES(a[l] | b[l])
      break;
    case ISA_OP_XOR:
      LANES(a[l] ^ b[l])
      break;
    case ISA_OP_NOT:
      LANES(~a[l])
      break;
    case ISA_OP_LOP3:
      memset(d, 0, sizeof v->ring[0].d);
      for (unsigned k = 0; k < 8; k++)
        if (in->lut >> k & 1)
          for (unsigned l = 0; l < VALU_LANES; l++)
            d[l] |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
      break;
    case ISA_OP_SELP:
      LANES(in->pred >> l & 1 ? a[l] : b[l])
      break;
    case ISA_OP_ADD:
      if (in->sat)
        LANES(clamp((int64_t)(int32_t)a[l] + (int32_t)b[l]))
      else
        LANES(add(v, l, a[l], b[l], second ? v->carry[l] : 0))
      break;
    case ISA_OP_SUB:
      if (in->sat)
        LANES(clamp((int64_t)(int32_t)a[l] - (int32_t)b[l]))
      else
        LANES(add(v, l, a[l], ~b[l], second ? v->carry[l] : 1))
      break;
    case ISA_OP_NEG:
      LANES(add(v, l, ~a[l], 0, second ? v->carry[l] : 1))
      break;
    case ISA_OP_ABS:
      if (!wide)
        LANES(a[l] >> 31 ? 0 - a[l] : a[l])
      else if (!second)
        LANES(c[l] >> 31 ? 0 - a[l] : a[l])
      else
        LANES(a[l] >> 31 ? ~a[l] + (c[l] == 0) : a[l])
      break;
    case ISA_OP_MIN:
    case ISA_OP_MAX:
      for (unsigned l = 0; l < VALU_LANES; l++) {
        if (!second)
          v->less[l] = less(a[l], b[l], sgn), v->equal[l] = a[l] == b[l];
        else if (v->equal[l])
          v->less[l] = a[l] < b[l];
        d[l] = (v->less[l] != 0) == (in->op == ISA_OP_MIN) ? a[l] : b[l];
      }
      break;
    case ISA_OP_SAD:
      LANES((less(a[l], b[l], sgn) ? b[l] - a[l] : a[l] - b[l]) + c[l])
      break;
    case ISA_OP_SET:
      LANES(!compare(in->fn, a[l], b[l], sgn2) ? 0 : in->typ == ISA_TYPE_F32 ? 0x3f800000 : ~0u)
      break;
    case ISA_OP_SHL:
      if (!second)
        LANES(b[l] > 31 ? 0 : a[l] << b[l])
      else
        LANES(b[l] > 63 ? 0 : pair(a[l], c[l]) << b[l] >> 32)
      break;
    case ISA_OP_SHR:
      if (wide && !second)
        LANES(shift_right_pair(pair(c[l], a[l]), b[l], sgn))
      else
        LANES(shift_right(a[l], b[l], sgn))
      break;
    case ISA_OP_MUL:
      LANES(a[l] * b[l])
      break;
    case ISA_OP_MULW:
      if (!second)
        LANES(a[l] * b[l])
      else
        LANES(product(a[l], b[l], sgn) >> 32)
      break;
    case ISA_OP_MAD:
      LANES(a[l] * b[l] + c[l])
      break;
    case ISA_OP_MADW:
      if (!second)
        LANES(add(v, l, a[l] * b[l], c[l], 0))
      else
        LANES((product(a[l], b[l], sgn) >> 32) + c[l] + v->carry[l])
      break;
    default:  // i2i
      LANES(convert(in, a[l], c[l]))
  }
}

static void compute(valu *v, const valu_in *in, uint32_t *d) {
  if (in->typ != ISA_TYPE_F32 && in->typ2 != ISA_TYPE_F32) {
    integer(v, in, d);
    return;
  }
  isa_inst i = isa_inst_new(in->op, in->typ);
  i.type2 = (uint8_t)in->typ2, i.fn = (uint8_t)in->fn;
  i.ftz = in->ftz, i.sat = in->sat;
  const lanes_fn fn = v->lanes->find(&i);
  if (fn)
    fn(d, in->a, in->b, in->c, &i);
  else
    integer(v, in, d);
}

void valu_clock(valu *v, const valu_in *in) {
  valu_beat *b = &v->ring[v->at];
  v->at = (v->at + 1) % VALU_EDGES;
  v->out.valid = in->rst_n && b->valid;
  if (b->valid) {
    v->inside--;
    v->out.last = b->last, v->out.dst = b->dst, v->out.tag = b->tag, v->out.mask = b->mask;
    if (b->mask == ~0u)
      memcpy(v->out.d, b->d, sizeof v->out.d);
    else
      for (uint32_t left = b->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        v->out.d[lane] = b->d[lane];
      }
  }
  if (!in->rst_n) {
    for (unsigned k = 0; k < VALU_EDGES; k++)
      v->ring[k].valid = 0;
    v->inside = 0;
    return;
  }
  b->valid = in->valid;
  if (in->valid) {
    v->inside++;
    b->last = in->last, b->dst = in->dst, b->tag = in->tag, b->mask = in->mask;
    compute(v, in, b->d);
  }
}

void valu_step(valu *v, const valu_in *in, valu_out *out) {
  valu_clock(v, in);
  *out = v->out;
}

#define BLOCK valu
#include "csim/base/block_table.h"
#define BLOCK valu
#define BLOCK_INIT(block, sizes) valu_init(block)
#include "csim/base/block_twin.h"
