// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "csim/base/splitmix.h"
#include "csim/isa/mpu_elf.h"
#include "tb/cosim/timed.h"

dice dice_new(const bench *b, uint64_t salt) {
  return (dice){b->seed * 0x9e3779b97f4a7c15u + salt * 0xd1342543de82ef95u + 1};
}

uint64_t dice_u64(dice *d) {
  return splitmix(&d->state);
}

uint32_t dice_below(dice *d, uint32_t n) {
  return (uint32_t)((dice_u64(d) >> 32) * n >> 32);
}

unsigned specials(unsigned type, uint64_t out[64]) {
  static const uint64_t ints[] = {
      0,          1,          2,          3,          7,         31,         32,
      33,         63,         64,         65,         0x7f,      0x80,       0xff,
      0x100,      0x7fff,     0x8000,     0xffff,     0x10000,   0x55555555, 0x7ffffffe,
      0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  static const uint64_t wide[] = {0x100000000,        0x7fffffffffffffff, 0x8000000000000000,
                                  0x8000000000000001, 0xffffffffffffffff, 0xfffffffffffffffe,
                                  0xffffffff80000000, 0xffffffff00000000, 0xaaaaaaaa55555555};
  static const uint32_t f32[] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff,
      0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
      0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffbfffff, 0x3f000000, 0x3fc00000,
      0xc0200000, 0x40600000, 0x3f800001, 0x3f7fffff, 0x4b000001, 0x4b800000, 0x4effffff,
      0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x33800000,
      0x34000000, 0x3dcccccd, 0x40490fdb, 0x7e800000, 0x7f000000, 0x3effffff, 0x4b7fffff};
  static const uint64_t f64[] = {
      0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
      0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff,
      0x0010000000000000, 0x8010000000000000, 0x0010000000000001, 0x7fefffffffffffff,
      0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
      0xfff8000000000001, 0x7ff0000000000001, 0xfff7ffffffffffff, 0x3fe0000000000000,
      0x3ff8000000000000, 0xc004000000000000, 0x400c000000000000, 0x3ff0000000000001,
      0x3fefffffffffffff, 0x4330000000000001, 0x4340000000000000, 0x41dfffffffc00000,
      0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000,
      0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
      0x43f0000000000000, 0x3c90000000000000, 0x3ca0000000000000, 0x3810000000000000,
      0x36a0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x380fffffc0000000,
      0x3fb999999999999a, 0x7fd0000000000000, 0x7fe0000000000000};
  unsigned n = 0;
  switch (type) {
    case ISA_TYPE_F32:
      for (unsigned k = 0; k < sizeof f32 / sizeof *f32; k++)
        out[n++] = f32[k];
      break;
    case ISA_TYPE_F64:
      for (unsigned k = 0; k < sizeof f64 / sizeof *f64; k++)
        out[n++] = f64[k];
      break;
    default:
      for (unsigned k = 0; k < sizeof ints / sizeof *ints; k++)
        out[n++] = ints[k];
      for (unsigned k = 0; isa_types[type].bits == 64 && k < sizeof wide / sizeof *wide; k++)
        out[n++] = wide[k];
  }
  assert(n <= 64);
  return n;
}

uint64_t dice_int(dice *d, unsigned bits) {
  uint64_t list[64], x = dice_u64(d);
  unsigned n;
  switch (dice_below(d, 6)) {
    case 0:
      n = specials(bits == 64 ? ISA_TYPE_U64 : ISA_TYPE_U32, list);
      x = list[dice_below(d, n)];
      break;
    case 1:
      x = (uint64_t)((int64_t)dice_below(d, 129) - 64);
      break;
    case 2:
      x = (1ull << dice_below(d, bits)) + dice_below(d, 3) - 1;
      break;
    case 3:
      x &= dice_u64(d) & dice_u64(d);
      break;
    default:
      break;
  }
  return bits == 64 ? x : x & 0xffffffff;
}

uint64_t dice_float(dice *d, unsigned type) {
  bool f32 = type == ISA_TYPE_F32;
  unsigned digits = f32 ? 23 : 52, bias = f32 ? 127 : 1023;
  uint64_t sign = dice_u64(d) & 1, exponent, fraction = dice_u64(d) & ((1ull << digits) - 1);
  uint64_t list[64];
  switch (dice_below(d, 8)) {
    case 0:
      return list[dice_below(d, specials(type, list))];
    case 1:
      exponent = dice_u64(d) & (2 * bias + 1);
      break;
    case 2:
      exponent = bias + dice_below(d, 5) - 2;
      break;
    case 3:  // few bits: products and sums that end half-way
      exponent = bias + dice_below(d, digits) - digits / 2;
      fraction &= ~((1ull << dice_below(d, digits)) - 1);
      break;
    case 4:  // a run of ones
      exponent = bias + dice_below(d, 2 * digits) - digits;
      fraction |= (1ull << dice_below(d, digits)) - 1;
      break;
    case 5:
      exponent = dice_below(d, digits + 4);
      break;
    case 6:  // near the bounds of the integers, often with a half
      exponent = bias + dice_below(d, 68);
      if (dice_below(d, 2) && exponent - bias < digits) {
        uint64_t half = 1ull << (digits - 1 - (exponent - bias));
        fraction = (fraction & ~(half - 1)) | half;
      }
      break;
    default:
      exponent = bias + dice_below(d, 60) - 30;
      break;
  }
  return sign << (digits + (f32 ? 8 : 11)) | exponent << digits | fraction;
}

uint64_t dice_operand(dice *d, unsigned type) {
  return isa_types[type].kind == 'F' ? dice_float(d, type)
                                     : dice_int(d, isa_types[type].bits == 64 ? 64 : 32);
}

// ---- code
void code_put(code *c, isa_inst i) {
  const char *why = isa_check(&i);
  if (why) {
    inst_print(&i);
    printf("  illegal: %s\n", why);
  }
  assert(!why && c->count < CODE_MAX);
  c->inst[c->count++] = i;
}

void code_3(code *c, unsigned op, unsigned type, unsigned d, unsigned a, unsigned b) {
  isa_inst i = isa_inst_new(op, type);
  i.d = d, i.a = a, i.b = b;
  code_put(c, i);
}

void code_3i(code *c, unsigned op, unsigned type, unsigned d, unsigned a, uint32_t imm) {
  isa_inst i = isa_inst_new(op, type);
  i.d = d, i.a = a, i.imm_at = ISA_IMM_B, i.imm = imm;
  code_put(c, i);
}

void code_load(code *c, unsigned space, unsigned type, unsigned d, unsigned a, int32_t offset) {
  isa_inst i = isa_inst_new(ISA_OP_LD, type);
  i.space = (uint8_t)space, i.d = d, i.a = a, i.imm = (uint32_t)offset;
  code_put(c, i);
}

void code_store(code *c, unsigned space, unsigned type, unsigned a, int32_t offset, unsigned b) {
  isa_inst i = isa_inst_new(ISA_OP_ST, type);
  i.space = (uint8_t)space, i.a = a, i.b = b, i.imm = (uint32_t)offset;
  code_put(c, i);
}

void code_s2r(code *c, unsigned d, unsigned sreg) {
  isa_inst i = isa_inst_new(ISA_OP_S2R, ISA_TYPE_B32);
  i.d = d, i.fn = (uint8_t)sreg;
  code_put(c, i);
}

void code_setp(code *c, unsigned cmp, unsigned type, unsigned p, unsigned a, uint32_t imm) {
  isa_inst i = isa_inst_new(ISA_OP_SETP, type);
  i.fn = (uint8_t)cmp, i.pd = p, i.a = a, i.imm_at = ISA_IMM_B, i.imm = imm;
  code_put(c, i);
}

void code_select(code *c, unsigned d, uint32_t imm, unsigned p) {
  isa_inst i = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
  i.d = d, i.imm_at = ISA_IMM_A, i.imm = imm, i.ps = p;
  code_put(c, i);
}

void code_thread_address(code *c, unsigned d, uint32_t offset, uint32_t stride) {
  code_s2r(c, 0, ISA_SREG_TID_Z);
  static const unsigned size[2] = {ISA_SREG_NTID_Y, ISA_SREG_NTID_X};
  static const unsigned index[2] = {ISA_SREG_TID_Y, ISA_SREG_TID_X};
  for (unsigned k = 0; k < 2; k++) {
    isa_inst mad = isa_inst_new(ISA_OP_MAD, ISA_TYPE_U32);
    mad.d = 0, mad.a = 0, mad.b = 1, mad.c = 2;
    code_s2r(c, 1, size[k]);
    code_s2r(c, 2, index[k]);
    code_put(c, mad);
  }
  code_s2r(c, 1, ISA_SREG_CTAID_Z);
  static const unsigned grid[2] = {ISA_SREG_NCTAID_Y, ISA_SREG_NCTAID_X};
  static const unsigned block[2] = {ISA_SREG_CTAID_Y, ISA_SREG_CTAID_X};
  for (unsigned k = 0; k < 2; k++) {
    isa_inst mad = isa_inst_new(ISA_OP_MAD, ISA_TYPE_U32);
    mad.d = 1, mad.a = 1, mad.b = 2, mad.c = 3;
    code_s2r(c, 2, grid[k]);
    code_s2r(c, 3, block[k]);
    code_put(c, mad);
  }
  static const unsigned sizes[3] = {ISA_SREG_NTID_X, ISA_SREG_NTID_Y, ISA_SREG_NTID_Z};
  for (unsigned k = 0; k < 3; k++) {
    code_s2r(c, 2, sizes[k]);
    code_3(c, ISA_OP_MUL, ISA_TYPE_U32, 1, 1, 2);
  }
  code_3(c, ISA_OP_ADD, ISA_TYPE_U32, 0, 0, 1);
  code_indexed(c, d, offset, stride);
}

void code_indexed(code *c, unsigned d, uint32_t offset, uint32_t stride) {
  code_load(c, ISA_SPACE_PARAM, ISA_TYPE_B64, d, ISA_RZ, (int32_t)offset);
  isa_inst wide = isa_inst_new(ISA_OP_MADW, ISA_TYPE_U32);
  wide.d = d, wide.a = 0, wide.imm_at = ISA_IMM_B, wide.imm = stride, wide.c = d;
  code_put(c, wide);
}

void code_predicates(code *c, unsigned d, unsigned scratch, unsigned n) {
  isa_inst zero = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
  zero.d = d;
  code_put(c, zero);
  for (unsigned k = 0; k < n; k++) {
    code_select(c, scratch, 1u << k, k);
    code_3(c, ISA_OP_OR, ISA_TYPE_B32, d, d, scratch);
  }
}

void code_exit(code *c) {
  code_put(c, isa_inst_new(ISA_OP_EXIT, 0));
}
uint32_t code_here(const code *c) {
  return c->count * ISA_BYTES;
}

// ---- running
static void rig_allocate(rig *r, unsigned k) {
  uint64_t address = 0;
  machine_error e = machine_malloc(r->m, r->bytes[k], &address);
  assert(e == MACHINE_OK && (r->at[k] == 0 || r->at[k] == address));
  (void)e;
  r->at[k] = address;
}

void rig_open(rig *r) {
  machine_config config = machine_config_default();
  config.max_instructions = 100000000;
  timed_config(&config);
  r->m = machine_new(&config);
  r->timed = timed_attach(r->m);
  r->runs = 0;
  assert(r->m);
  for (unsigned k = 0; k < r->buffers; k++)
    rig_allocate(r, k);
}

void rig_close(rig *r) {
  timed_detach(r->timed);
  machine_free(r->m);
}

uint64_t rig_buffer(rig *r, uint64_t bytes) {
  assert(r->buffers < 4 && r->runs == 0);
  r->bytes[r->buffers] = bytes;
  rig_allocate(r, r->buffers);
  return r->at[r->buffers++];
}

void rig_begin(rig *r) {
  enum { MODULES = 60 };
  if (r->runs++ < MODULES)
    return;
  rig_close(r);
  rig_open(r);
  r->runs = 1;
}

void rig_write(rig *r, uint64_t to, const void *from, uint64_t bytes) {
  machine_error e = machine_write(r->m, to, from, bytes);
  assert(e == MACHINE_OK);
  (void)e;
}

void rig_read(rig *r, void *to, uint64_t from, uint64_t bytes) {
  machine_error e = machine_read(r->m, to, from, bytes);
  assert(e == MACHINE_OK);
  (void)e;
}

// Registers that the code names.
static unsigned registers(const code *c) {
  unsigned most = 0;
  for (unsigned n = 0; n < c->count; n++) {
    const isa_inst *i = &c->inst[n];
    const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
    for (unsigned o = 0; o < 4; o++)
      if (regs[o] != ISA_RZ && regs[o] + isa_words(i, o) > most)
        most = regs[o] + isa_words(i, o);
  }
  return most;
}

machine_error rig_run(bench *b, rig *r, const code *c, const rig_setup *s, machine_error expected) {
  module *mod = calloc(1, sizeof *mod);
  module_kernel *k = calloc(1, sizeof *k);
  assert(mod && k);
  k->name = "bench";
  k->insts = malloc(c->count * sizeof *k->insts);
  memcpy(k->insts, c->inst, c->count * sizeof *k->insts);
  k->inst_count = c->count;
  k->param_bytes = s->param_bytes;
  k->shared_bytes = s->shared_bytes;
  k->local_bytes = s->local_bytes;
  k->regs_both = (uint16_t)registers(c);
  k->preds = 15;
  k->flags = (uint32_t)timed_dies() << MPU_KERNEL_DIES;
  mod->kernels = k;
  mod->kernel_count = 1;
  mod->constants = malloc(s->constant_bytes + 1);
  mod->constant_bytes = s->constant_bytes;
  if (s->constant_bytes)
    memcpy(mod->constants, s->constants, s->constant_bytes);
  machine_error e = machine_add_module(r->m, mod);
  launch *l = NULL;
  if (!e)
    e = launch_new(r->m, mod, k, &s->shape, s->params, s->param_bytes, &l);
  if (!e)
    e = launch_run(l);
  if (e != expected && bench_fail(b)) {
    printf("launch: error %d where %d was expected: %s\n", e, expected, machine_message(r->m));
    bench_hint(b);
  }
  launch_free(l);
  return e;
}

// ---- verdicts
static size_t cover_index(const isa_inst *i) {
  return ((size_t)i->op << 15 | (size_t)(i->type & 31) << 10 | (size_t)(i->type2 & 31) << 5 |
          (i->fn & 31));
}

void bench_cover(bench *b, const isa_inst *i) {
  size_t k = cover_index(i);
  b->covered[k / 8] = (uint8_t)(b->covered[k / 8] | 1u << k % 8);
}

bool bench_covered(const bench *b, const isa_inst *i) {
  size_t k = cover_index(i);
  return b->covered[k / 8] >> k % 8 & 1;
}

bool bench_fail(bench *b) {
  enum { PRINTED = 60 };
  b->failures++;
  return ++b->printed <= PRINTED;
}

void bench_hint(const bench *b) {
  printf("  reproduce: %s --seed %llu\n", b->program, (unsigned long long)b->seed);
}

void inst_print(const isa_inst *i) {
  const isa_op_info *o = &isa_ops[i->op];
  static const char *const bools[] = {"", ".and", ".or", ".xor"};
  static const char *const hints[] = {"", " @near", " @far", " @far data"};
  const char *fn = "";
  if (o->flags & ISA_F_RND)
    fn = isa_rnd_name(i->fn);
  else if (o->flags & ISA_F_CMP)
    fn = isa_cmp_name(i->fn);
  else if (o->flags & ISA_F_SUB)
    fn = isa_sub_name(i->op, i->fn);
  if (i->guard != ISA_PT)
    printf("@%sp%u ", i->guard_neg ? "!" : "", i->guard);
  printf("%s.%s%s%s%s%s%s%s", o->name, isa_space_name(i->space),
         *isa_space_name(i->space) ? "." : "", fn && *fn ? fn : "", fn && *fn ? "." : "",
         i->ftz ? "ftz." : "", i->sat ? "sat." : "", isa_types[i->type].name);
  printf("%s%s%s d=r%u a=r%u b=r%u c=r%u", i->type2 ? "." : "", isa_types[i->type2].name,
         bools[i->boolop & 3], i->d, i->a, i->b, i->c);
  if (i->imm_at || (o->flags & (ISA_F_LUT | ISA_F_OFFSET)))
    printf(" imm%c=0x%x", i->imm_at ? "?abc"[i->imm_at] : ' ', i->imm);
  if (o->flags & (ISA_F_PD | ISA_F_PS))
    printf(" pd=p%u pq=p%s%u ps=%sp%u", i->pd, i->ps2_neg ? "!" : "", i->pq, i->ps_neg ? "!" : "",
           i->ps);
  printf("%s\n", hints[i->hint % ISA_HINTS]);
}

void inst_each(unsigned op, void (*visit)(void *ctx, const isa_inst *i), void *ctx) {
  if (!isa_ops[op].name)
    return;
  for (unsigned type = 0; type < ISA_TYPES; type++)
    for (unsigned type2 = 0; type2 < ISA_TYPES; type2++)
      for (unsigned fn = 0; fn < 32; fn++) {
        isa_inst i = isa_inst_new(op, type);
        i.type2 = (uint8_t)type2;
        i.fn = (uint8_t)fn;
        if (op == ISA_OP_PLOP)
          i.boolop = ISA_BOOL_AND;
        if (isa_ops[op].flags & ISA_F_SPACE)
          i.space = ISA_SPACE_GLOBAL;
        if (!isa_check(&i))
          visit(ctx, &i);
      }
}
