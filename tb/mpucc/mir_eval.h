// SPDX-License-Identifier: Apache-2.0
// For the tests of the passes: executes MIR with virtual or physical registers, one thread at a
// time, and makes random programs. What a program leaves in memory must not depend on the passes.
// The evaluator knows the instructions that the programs use, and aborts on others.
#ifndef NEARBANK_MIR_EVAL_H
#define NEARBANK_MIR_EVAL_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/mpucc/mem.h"
#include "kernels/mpucc/mir.h"

enum { EVAL_GLOBAL = 8192, EVAL_SHARED = 1024, EVAL_PARAM = 64, EVAL_BASE = 0x10000 };

typedef struct eval {
  const mir_kernel *k;
  uint32_t lane;
  uint32_t *base;  // first word of each virtual register
  uint32_t *r;
  bool *p;
  uint8_t global[EVAL_GLOBAL], shared[EVAL_SHARED], param[EVAL_PARAM];
  uint8_t *local;
} eval;

static inline uint32_t eval_word(const eval *e, isa_reg r) {
  if (!ISA_REG_IS_VIRTUAL(r))
    return r;
  unsigned part = ISA_REG_PART(r);
  return e->base[ISA_REG_ID(r)] + (part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
}

static inline uint64_t eval_get(const eval *e, const isa_inst *i, unsigned o) {
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  unsigned words = isa_words(i, o);
  if (i->imm_at == o && o)
    return words == 2 ? (uint64_t)(int64_t)(int32_t)i->imm : i->imm;
  if (regs[o] == ISA_RZ)
    return 0;
  uint32_t at = eval_word(e, regs[o]);
  return words == 2 ? e->r[at] | (uint64_t)e->r[at + 1] << 32 : e->r[at];
}

static inline void eval_put(eval *e, const isa_inst *i, uint64_t v) {
  if (i->d == ISA_RZ)
    return;
  uint32_t at = eval_word(e, i->d);
  e->r[at] = (uint32_t)v;
  if (isa_words(i, 0) == 2)
    e->r[at + 1] = (uint32_t)(v >> 32);
}

static inline bool eval_pred(const eval *e, isa_reg p, bool neg) {
  return (p == ISA_PT || e->p[ISA_REG_ID(p)]) != neg;
}

static inline void eval_put_pred(eval *e, isa_reg p, bool v) {
  if (p != ISA_PT)
    e->p[ISA_REG_ID(p)] = v;
}

static inline bool eval_bool(unsigned op, bool x, bool y) {
  return op == ISA_BOOL_AND ? x && y : op == ISA_BOOL_OR ? x || y : op == ISA_BOOL_XOR ? x != y : x;
}

static inline bool eval_compare(unsigned cmp, unsigned type, uint64_t a, uint64_t b) {
  bool is_signed = type == ISA_TYPE_S32 || type == ISA_TYPE_S64;
  int64_t x = type == ISA_TYPE_S32 ? (int32_t)a : (int64_t)a;
  int64_t y = type == ISA_TYPE_S32 ? (int32_t)b : (int64_t)b;
  bool less = is_signed ? x < y : a < b;
  switch (cmp) {
    case ISA_CMP_EQ:
      return a == b;
    case ISA_CMP_NE:
      return a != b;
    case ISA_CMP_LT:
      return less;
    case ISA_CMP_LE:
      return less || a == b;
    case ISA_CMP_GT:
      return !less && a != b;
    default:
      return !less;
  }
}

static inline uint8_t *eval_address(eval *e, const isa_inst *i, unsigned bytes) {
  uint64_t at = eval_get(e, i, 1) + (uint64_t)(int64_t)(int32_t)i->imm;
  if (i->space != ISA_SPACE_GLOBAL)
    at = (uint32_t)at;
  uint8_t *memory = i->space == ISA_SPACE_GLOBAL   ? e->global
                    : i->space == ISA_SPACE_SHARED ? e->shared
                    : i->space == ISA_SPACE_PARAM  ? e->param
                                                   : e->local;
  uint64_t size = i->space == ISA_SPACE_GLOBAL   ? EVAL_GLOBAL
                  : i->space == ISA_SPACE_SHARED ? EVAL_SHARED
                  : i->space == ISA_SPACE_PARAM  ? EVAL_PARAM
                                                 : e->k->local_bytes;
  if (i->space == ISA_SPACE_GLOBAL)
    at -= EVAL_BASE;
  if (at + bytes > size || at % bytes) {
    fprintf(stderr, "bad address %llx in space %u\n", (unsigned long long)at, i->space);
    abort();
  }
  return memory + at;
}

static inline void eval_memory(eval *e, const isa_inst *i) {
  unsigned bytes = isa_types[i->type].bits / 8;
  uint8_t *at = eval_address(e, i, bytes);
  isa_reg data = i->op == ISA_OP_LD ? i->d : i->b;
  uint32_t words[4] = {0};
  if (i->op == ISA_OP_LD) {
    memcpy(words, at, bytes);
    if (i->type == ISA_TYPE_S8)
      words[0] = (uint32_t)(int8_t)words[0];
    if (data != ISA_RZ)
      memcpy(&e->r[eval_word(e, data)], words, bytes < 4 ? 4 : bytes);
  } else {
    if (data != ISA_RZ)
      memcpy(words, &e->r[eval_word(e, data)], bytes < 4 ? 4 : bytes);
    memcpy(at, words, bytes);
  }
}

static inline uint64_t eval_alu(const eval *e, const isa_inst *i) {
  uint64_t a = eval_get(e, i, 1), b = eval_get(e, i, 2), c = eval_get(e, i, 3);
  unsigned bits = isa_types[i->type].bits;
  bool is_signed = isa_types[i->type].kind == 'S';
  switch (i->op) {
    case ISA_OP_MOV:
      return a;
    case ISA_OP_S2R:
      return i->fn == ISA_SREG_TID_X ? e->lane : 7u * i->fn;
    case ISA_OP_ADD:
      return a + b;
    case ISA_OP_SUB:
      return a - b;
    case ISA_OP_MUL:
      return a * b;
    case ISA_OP_MAD:
      return a * b + c;
    case ISA_OP_MULW:
    case ISA_OP_MADW:
      return (is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : a * b) + c;
    case ISA_OP_AND:
      return a & b;
    case ISA_OP_OR:
      return a | b;
    case ISA_OP_XOR:
      return a ^ b;
    case ISA_OP_NOT:
      return ~a;
    case ISA_OP_SHL:
      return b >= bits ? 0 : a << b;
    case ISA_OP_SHR:
      if (is_signed)
        return (uint64_t)((bits == 32 ? (int32_t)a : (int64_t)a) >> (b >= bits ? bits - 1 : b));
      return b >= bits ? 0 : a >> b;
    case ISA_OP_SET:
      return eval_compare(i->fn, i->type2, a, b) ? 0xffffffff : 0;
    case ISA_OP_LOP3: {
      uint32_t d = 0;
      for (unsigned n = 0; n < 32; n++)
        d |= (i->imm >> ((a >> n & 1) << 2 | (b >> n & 1) << 1 | (c >> n & 1)) & 1) << n;
      return d;
    }
    case ISA_OP_SELP:
      return eval_pred(e, i->ps, i->ps_neg) ? a : b;
    case ISA_OP_I2I:
      switch (i->type2) {
        case ISA_TYPE_S8:
          return (uint64_t)(int8_t)a;
        case ISA_TYPE_U8:
          return (uint8_t)a;
        case ISA_TYPE_S32:
          return (uint64_t)(int32_t)a;
        case ISA_TYPE_U32:
          return (uint32_t)a;
        default:
          return a;
      }
    case ISA_OP_CVTA:
      return i->space != ISA_SPACE_SHARED ? a
             : i->fn == ISA_CVTA_TO       ? a - ISA_WINDOW_SHARED
                                          : a + ISA_WINDOW_SHARED;
    default:
      fprintf(stderr, "cannot evaluate %s\n", isa_ops[i->op].name);
      abort();
  }
}

static inline void eval_inst(eval *e, const isa_inst *i) {
  if (i->op == ISA_OP_NOP || i->op == ISA_OP_BARW)
    return;
  if (i->op == ISA_OP_LD || i->op == ISA_OP_ST) {
    eval_memory(e, i);
  } else if (i->op == ISA_OP_SETP) {
    bool t = eval_compare(i->fn, i->type, eval_get(e, i, 1), eval_get(e, i, 2));
    bool s = eval_pred(e, i->ps, i->ps_neg);
    eval_put_pred(e, i->pd, eval_bool(i->boolop, t, s));
    eval_put_pred(e, i->pq, eval_bool(i->boolop, !t, s));
  } else if (i->op == ISA_OP_PLOP) {
    eval_put_pred(
        e, i->pd,
        eval_bool(i->boolop, eval_pred(e, i->ps, i->ps_neg), eval_pred(e, i->pq, i->ps2_neg)));
  } else {
    eval_put(e, i, eval_alu(e, i));
  }
}

// Runs one thread. Registers and local memory start with `junk`. False after too many steps.
static inline bool eval_thread(eval *e, uint32_t lane, uint32_t junk) {
  uint32_t words = 256;
  e->lane = lane;
  e->base = mem_new(e->k->vreg_count + 1, sizeof *e->base);
  for (uint32_t v = 0; v < e->k->vreg_count; v++) {
    e->base[v] = words;
    words += e->k->vregs[v].words;
  }
  e->r = mem_new(words, sizeof *e->r);
  e->p = mem_new(e->k->pred_count + 16, sizeof *e->p);
  e->local = mem_new(e->k->local_bytes + 1, 1);
  for (uint32_t w = 0; w < words; w++)
    e->r[w] = junk = junk * 1664525 + 1013904223;
  for (uint32_t n = 0; n < e->k->pred_count + 16; n++)
    e->p[n] = (junk = junk * 1664525 + 1013904223) >> 31;
  uint32_t b = 0, steps = 0;
  bool done = false;
  while (!done && b < e->k->block_count && steps < 1000000) {
    const mir_block *block = &e->k->blocks[b++];
    for (uint32_t j = 0; j < block->count; j++, steps++) {
      const isa_inst *i = &block->insts[j].i;
      if (!eval_pred(e, i->guard, i->guard_neg))
        continue;
      if (i->op == ISA_OP_EXIT) {
        done = true;
        break;
      }
      if (i->op == ISA_OP_BRA) {
        b = i->imm;
        break;
      }
      eval_inst(e, i);
    }
  }
  free(e->base);
  free(e->r);
  free(e->p);
  free(e->local);
  return done;
}

// Runs four threads after one another; false when one does not end.
static inline bool eval_kernel(eval *e, const mir_kernel *k, uint32_t junk) {
  memset(e, 0, sizeof *e);
  e->k = k;
  for (uint32_t n = 0; n < EVAL_GLOBAL; n++)
    e->global[n] = (uint8_t)(n * 37 + 11);
  for (uint32_t n = 0; n < EVAL_PARAM; n++)
    e->param[n] = (uint8_t)(n * 91 + 5);
  for (uint32_t lane = 0; lane < 4; lane++)
    if (!eval_thread(e, lane, junk + lane))
      return false;
  return true;
}

static inline bool eval_same(const eval *x, const eval *y) {
  return memcmp(x->global, y->global, EVAL_GLOBAL) == 0 &&
         memcmp(x->shared, y->shared, EVAL_SHARED) == 0;
}

// ---- random programs. Every register is written before it is read on every path.

typedef struct maker {
  mir_kernel *k;
  uint32_t block, seed, line;
  isa_reg regs[4096];  // with a value on the path to here
  uint32_t count;
  isa_reg preds[512];
  uint32_t pred_count;
  bool spread;  // few reused registers, many long-lived ones
  bool masks;   // all predicates can become masks
} maker;

static inline uint32_t make_random(maker *g, uint32_t below) {
  g->seed = g->seed * 1664525 + 1013904223;
  return (uint32_t)((uint64_t)(g->seed ^ g->seed >> 15) % below);
}

static inline mir_inst *make_emit(maker *g, isa_inst i) {
  return mir_append(g->k, g->block, i, (mir_place){++g->line, 0, 0});
}

// A readable register or part of `words` words.
static inline isa_reg make_source(maker *g, unsigned words) {
  for (unsigned tries = 0; tries < 64; tries++) {
    isa_reg r = g->regs[make_random(g, g->count)];
    unsigned has = g->k->vregs[ISA_REG_ID(r)].words;
    if (has == words)
      return r;
    if (has > words && words == 1)
      return ISA_VREG_WORD(ISA_REG_ID(r), make_random(g, has));
    if (has == 4 && words == 2)
      return ISA_VREG_PAIR(ISA_REG_ID(r), make_random(g, 2));
  }
  return ISA_RZ;
}

static inline void make_known(maker *g, isa_reg r) {
  if (g->count < sizeof g->regs / sizeof *g->regs)
    g->regs[g->count++] = r;
}

// A place to write: an old register, a part of one, or a new one (then *fresh).
static inline isa_reg make_target(maker *g, unsigned words, bool *fresh) {
  *fresh = false;
  if (make_random(g, 10) < (g->spread ? 3u : 6u)) {
    isa_reg r = make_source(g, words);
    if (r != ISA_RZ)
      return r;
  }
  *fresh = true;
  return mir_vreg_new(g->k, words, NULL);
}

static inline void make_guard(maker *g, isa_inst *i, bool fresh) {
  if (!fresh && g->pred_count && make_random(g, 5) == 0) {
    i->guard = g->preds[make_random(g, g->pred_count)];
    i->guard_neg = make_random(g, 2);
  }
}

static inline void make_operand(maker *g, isa_inst *i, unsigned o, bool may_imm) {
  isa_reg *regs[4] = {&i->d, &i->a, &i->b, &i->c};
  if (may_imm && !i->imm_at && make_random(g, 3) == 0) {
    i->imm_at = (uint8_t)o;
    i->imm = make_random(g, 3) ? make_random(g, 64) : make_random(g, 0xffffffff);
  } else {
    *regs[o] = make_source(g, isa_words(i, o));
  }
}

static inline void make_alu(maker *g) {
  static const struct {
    uint8_t op, type;
  } ops[] = {{ISA_OP_ADD, ISA_TYPE_U32},  {ISA_OP_ADD, ISA_TYPE_U64},  {ISA_OP_SUB, ISA_TYPE_U32},
             {ISA_OP_MUL, ISA_TYPE_U32},  {ISA_OP_MUL, ISA_TYPE_U64},  {ISA_OP_MAD, ISA_TYPE_U32},
             {ISA_OP_MAD, ISA_TYPE_U64},  {ISA_OP_MULW, ISA_TYPE_U32}, {ISA_OP_MULW, ISA_TYPE_S32},
             {ISA_OP_MADW, ISA_TYPE_U32}, {ISA_OP_AND, ISA_TYPE_B32},  {ISA_OP_XOR, ISA_TYPE_B64},
             {ISA_OP_OR, ISA_TYPE_B32},   {ISA_OP_NOT, ISA_TYPE_B64},  {ISA_OP_SHL, ISA_TYPE_B32},
             {ISA_OP_SHL, ISA_TYPE_B64},  {ISA_OP_SHR, ISA_TYPE_S32},  {ISA_OP_SHR, ISA_TYPE_U64},
             {ISA_OP_MOV, ISA_TYPE_B32},  {ISA_OP_MOV, ISA_TYPE_B64},  {ISA_OP_MOV, ISA_TYPE_B32},
             {ISA_OP_SELP, ISA_TYPE_B32}, {ISA_OP_SELP, ISA_TYPE_B64}, {ISA_OP_S2R, ISA_TYPE_B32}};
  unsigned pick = make_random(g, sizeof ops / sizeof *ops);
  isa_inst i = isa_inst_new(ops[pick].op, ops[pick].type);
  bool fresh;
  for (unsigned o = 1; o < 4; o++)
    if (isa_words(&i, o))
      make_operand(g, &i, o, true);
  if (i.op == ISA_OP_SELP && g->pred_count) {
    i.ps = g->preds[make_random(g, g->pred_count)];
    i.ps_neg = make_random(g, 2);
  }
  i.d = make_target(g, isa_words(&i, 0), &fresh);
  make_guard(g, &i, fresh);
  make_emit(g, i);
  if (fresh)
    make_known(g, i.d);
}

static inline void make_convert(maker *g) {
  static const uint8_t types[][2] = {{ISA_TYPE_U64, ISA_TYPE_U32}, {ISA_TYPE_S64, ISA_TYPE_S32},
                                     {ISA_TYPE_U32, ISA_TYPE_U64}, {ISA_TYPE_S32, ISA_TYPE_S8},
                                     {ISA_TYPE_U64, ISA_TYPE_U8},  {ISA_TYPE_S64, ISA_TYPE_S64}};
  unsigned pick = make_random(g, 6);
  bool fresh;
  isa_inst i = isa_inst_new(ISA_OP_I2I, types[pick][0]);
  i.type2 = types[pick][1];
  i.a = make_source(g, isa_words(&i, 1));
  i.d = make_target(g, isa_words(&i, 0), &fresh);
  make_guard(g, &i, fresh);
  make_emit(g, i);
  if (fresh)
    make_known(g, i.d);
}

static inline void make_compare(maker *g) {
  static const uint8_t types[] = {ISA_TYPE_S32, ISA_TYPE_U32, ISA_TYPE_U64};
  isa_inst i = isa_inst_new(ISA_OP_SETP, types[make_random(g, g->masks ? 2 : 3)]);
  i.fn = (uint8_t)make_random(g, 6);
  i.a = make_source(g, isa_words(&i, 1));
  make_operand(g, &i, 2, true);
  bool fresh = !g->pred_count || (make_random(g, 3) && g->pred_count < 400);
  if (g->pred_count && make_random(g, 2)) {
    i.boolop = (uint8_t)(1 + make_random(g, 3));
    i.ps = g->preds[make_random(g, g->pred_count)];
    i.ps_neg = make_random(g, 2);
  }
  i.pd = fresh ? mir_pred_new(g->k) : g->preds[make_random(g, g->pred_count)];
  if (!g->masks && g->pred_count && make_random(g, 4) == 0) {
    i.pq = g->preds[make_random(g, g->pred_count)];
    if (i.pq == i.pd)
      i.pq = ISA_PT;
  }
  make_guard(g, &i, fresh);
  make_emit(g, i);
  if (fresh)
    g->preds[g->pred_count++] = i.pd;
}

static inline void make_plop(maker *g) {
  isa_inst i = isa_inst_new(ISA_OP_PLOP, ISA_TYPE_PRED);
  i.boolop = (uint8_t)(1 + make_random(g, 3));
  i.ps = g->preds[make_random(g, g->pred_count)];
  i.pq = g->preds[make_random(g, g->pred_count)];
  i.ps_neg = make_random(g, 2);
  i.ps2_neg = make_random(g, 2);
  i.pd = g->preds[make_random(g, g->pred_count)];
  make_guard(g, &i, false);
  make_emit(g, i);
}

// Loads and stores of 1 to 16 bytes at a masked, computed address.
static inline void make_access(maker *g, bool store) {
  static const uint8_t types[] = {ISA_TYPE_U8, ISA_TYPE_S8, ISA_TYPE_B32, ISA_TYPE_B64,
                                  ISA_TYPE_B128};
  unsigned where = make_random(g, 4);
  isa_inst mask = isa_inst_new(ISA_OP_AND, ISA_TYPE_B32),
           wide = isa_inst_new(ISA_OP_MULW, ISA_TYPE_U32);
  isa_inst i = isa_inst_new(store ? ISA_OP_ST : ISA_OP_LD, types[make_random(g, 5)]);
  i.space = where == 0 ? ISA_SPACE_SHARED : where == 1 ? ISA_SPACE_LOCAL : ISA_SPACE_GLOBAL;
  if (!store && make_random(g, 6) == 0) {
    i.space = ISA_SPACE_PARAM;
    i.imm = 16 * make_random(g, EVAL_PARAM / 16);
  } else if (i.space == ISA_SPACE_LOCAL) {
    i.imm = 16 * make_random(g, 4);
  } else {
    mask.a = make_source(g, 1);
    mask.imm_at = ISA_IMM_B;
    mask.imm = i.space == ISA_SPACE_SHARED ? 31 : 127;
    mask.d = mir_vreg_new(g->k, 1, NULL);
    make_emit(g, mask);
    wide.a = mask.d;
    wide.imm_at = ISA_IMM_B;
    wide.imm = 16;
    wide.d = mir_vreg_new(g->k, 2, NULL);
    make_emit(g, wide);
    if (i.space == ISA_SPACE_SHARED) {
      i.a = ISA_VREG_WORD(ISA_REG_ID(wide.d), 0);
    } else {
      isa_inst add = isa_inst_new(ISA_OP_ADD, ISA_TYPE_U64);
      add.a = wide.d;
      add.imm_at = ISA_IMM_B;
      add.imm = EVAL_BASE;
      add.d = make_random(g, 2) ? wide.d : mir_vreg_new(g->k, 2, NULL);
      make_emit(g, add);
      i.a = add.d;
      i.imm = 16 * make_random(g, 16);
      if (make_random(g, 3) == 0)
        make_known(g, i.a);
    }
  }
  bool fresh = false;
  if (store)
    i.b = make_source(g, isa_words(&i, 2));
  else
    i.d = make_target(g, isa_words(&i, 0), &fresh);
  make_guard(g, &i, fresh);
  make_emit(g, i);
  if (fresh)
    make_known(g, i.d);
}

// A vector built word by word and taken apart again.
static inline void make_vector(maker *g) {
  isa_reg v = mir_vreg_new(g->k, 4, NULL);
  for (unsigned w = 0; w < 4; w++) {
    isa_inst i = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
    make_operand(g, &i, 1, true);
    i.d = ISA_VREG_WORD(ISA_REG_ID(v), w);
    make_emit(g, i);
  }
  make_known(g, v);
  for (unsigned w = 0; w < 4; w += 1 + make_random(g, 2)) {
    isa_inst i = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
    i.a = ISA_VREG_WORD(ISA_REG_ID(v), w);
    i.d = mir_vreg_new(g->k, 1, NULL);
    make_emit(g, i);
    make_known(g, i.d);
  }
}

static inline isa_inst make_branch(maker *g, uint32_t to, isa_reg guard, bool neg) {
  (void)g;
  isa_inst i = isa_inst_new(ISA_OP_BRA, ISA_TYPE_NONE);
  i.imm = to;
  i.guard = guard;
  i.guard_neg = neg;
  return i;
}

static inline void make_statements(maker *g, unsigned count, unsigned depth);

static inline void make_if(maker *g, unsigned depth) {
  uint32_t known = g->count, preds = g->pred_count;
  isa_reg p = g->preds[make_random(g, g->pred_count)];
  mir_inst *to_else = make_emit(g, make_branch(g, 0, p, true));
  uint32_t head = g->block, at = (uint32_t)(to_else - g->k->blocks[head].insts);
  g->block = mir_block_add(g->k, NULL);
  make_statements(g, 1 + make_random(g, 6), depth + 1);
  g->count = known;
  g->pred_count = preds;
  mir_inst *to_end = make_emit(g, make_branch(g, 0, ISA_PT, false));
  uint32_t then = g->block, then_at = (uint32_t)(to_end - g->k->blocks[then].insts);
  uint32_t other = mir_block_add(g->k, NULL);
  g->block = other;
  if (make_random(g, 2))
    make_statements(g, 1 + make_random(g, 5), depth + 1);
  g->count = known;
  g->pred_count = preds;
  uint32_t end = mir_block_add(g->k, NULL);
  g->k->blocks[head].insts[at].i.imm = other;
  g->k->blocks[then].insts[then_at].i.imm = end;
  g->block = end;
}

static inline void make_loop(maker *g, unsigned depth) {
  uint32_t known = g->count, preds = g->pred_count;
  isa_inst zero = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
  zero.d = mir_vreg_new(g->k, 1, NULL);
  zero.imm_at = ISA_IMM_A;
  make_emit(g, zero);
  uint32_t head = mir_block_add(g->k, NULL);
  g->block = head;
  make_statements(g, 1 + make_random(g, 8), depth + 1);
  g->count = known;
  g->pred_count = preds;
  isa_inst add = isa_inst_new(ISA_OP_ADD, ISA_TYPE_U32),
           test = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
  add.d = add.a = zero.d;
  add.imm_at = ISA_IMM_B;
  add.imm = 1;
  make_emit(g, add);
  test.fn = ISA_CMP_LT;
  test.a = zero.d;
  test.imm_at = ISA_IMM_B;
  test.imm = 1 + make_random(g, 3);
  test.pd = mir_pred_new(g->k);
  make_emit(g, test);
  make_emit(g, make_branch(g, head, test.pd, false));
  g->block = mir_block_add(g->k, NULL);
}

static inline void make_statements(maker *g, unsigned count, unsigned depth) {
  while (count--) {
    unsigned what = make_random(g, 24);
    if (what < 2 && depth < 3 && g->pred_count)
      make_if(g, depth);
    else if (what < 3 && depth < 2)
      make_loop(g, depth);
    else if (what < 6)
      make_compare(g);
    else if (what < 7 && g->pred_count)
      make_plop(g);
    else if (what < 9)
      make_convert(g);
    else if (what < 11)
      make_access(g, true);
    else if (what < 13)
      make_access(g, false);
    else if (what < 14)
      make_vector(g);
    else if (what == 14 && depth == 0 && g->pred_count && make_random(g, 4) == 0) {
      isa_inst i = isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE);
      i.guard = g->preds[make_random(g, g->pred_count)];
      make_emit(g, i);
    } else
      make_alu(g);
  }
}

// A module with one kernel of about `size` statements. Equal arguments give equal modules.
static inline mir_module *make_module(uint32_t seed, unsigned size, unsigned wide) {
  mir_module *m = mir_module_new();
  maker *g = mem_new(1, sizeof *g);
  g->k = mir_kernel_add(m, "random");
  g->k->local_bytes = 64;
  g->k->param_bytes = EVAL_PARAM;
  g->k->shared_bytes = EVAL_SHARED;
  g->seed = seed * 2654435761u + 12345;
  g->block = mir_block_add(g->k, "entry");
  g->spread = make_random(g, 2);
  g->masks = make_random(g, 2);
  for (uint32_t a = 0; a < 64; a += 16) {  // local memory starts undefined
    isa_inst i = isa_inst_new(ISA_OP_ST, ISA_TYPE_B128);
    i.space = ISA_SPACE_LOCAL;
    i.imm = a;
    make_emit(g, i);
  }
  for (unsigned n = 0; n < wide; n++) {
    isa_inst i = isa_inst_new(ISA_OP_LD, n % 7 == 6   ? ISA_TYPE_B128
                                         : n % 3 == 2 ? ISA_TYPE_B64
                                                      : ISA_TYPE_B32);
    i.space = ISA_SPACE_PARAM;
    i.imm = 16 * make_random(g, EVAL_PARAM / 16);
    i.d = mir_vreg_new(g->k, isa_words(&i, 0), n % 2 ? "%v" : NULL);
    make_emit(g, i);
    make_known(g, i.d);
  }
  for (unsigned n = 0; n < 2 * wide; n++)  // more predicates than there are
    make_compare(g);
  make_statements(g, size, 0);
  for (uint32_t n = 0; n < g->count && n < 200; n++) {  // everything known is a result
    unsigned words = g->k->vregs[ISA_REG_ID(g->regs[n])].words;
    isa_inst i = isa_inst_new(ISA_OP_ST, words == 4   ? ISA_TYPE_B128
                                         : words == 2 ? ISA_TYPE_B64
                                                      : ISA_TYPE_B32);
    isa_inst base = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B64);
    base.d = mir_vreg_new(g->k, 2, NULL);
    base.imm_at = ISA_IMM_A;
    base.imm = EVAL_BASE;
    make_emit(g, base);
    i.space = ISA_SPACE_GLOBAL;
    i.a = base.d;
    i.imm = 4096 + 16 * n;
    i.b = g->regs[n];
    make_emit(g, i);
  }
  make_emit(g, isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE));
  free(g);
  return m;
}

#endif
