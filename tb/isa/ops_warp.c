// SPDX-License-Identifier: Apache-2.0
// Instructions across lanes, with all lanes, with lanes that a guard or a branch has taken out, in
// whole warps and in partial ones.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref.h"
#include "rig.h"

enum { WARPS = 2, BLOCKS = 40, FEW_BLOCKS = 10, MAX_THREADS = WARPS * 32 * BLOCKS };
enum { P_GUARD, P_S, P_BRANCH, P_D, PREDS };
enum { R_IN = 4, A = 8, B = 10, C = 12, D = 14 };

typedef struct record {
  uint64_t a, b, c, d;
  uint32_t preds, pad;
} record;

typedef struct bed {
  bench *b;
  rig rig;
  uint64_t in;
  record before[MAX_THREADS], after[MAX_THREADS];
  unsigned block;            // threads of a block
  unsigned blocks, threads;  // of a launch; in brief fewer
} bed;

// What one warp does.
typedef struct verdict {
  uint64_t d[32];
  bool p[32];
} verdict;

static uint64_t operand(const isa_inst *i, const record *r, unsigned k) {
  if (i->imm_at == k)
    return ref_immediate(i, k);
  uint64_t v = k == 1 ? r->a : k == 2 ? r->b : r->c;
  return isa_words(i, k) == 2 ? v : v & 0xffffffff;
}

static void model_vote(const isa_inst *i, const record *r, uint32_t active, verdict *v) {
  for (unsigned lane = 0; lane < 32; lane++) {
    uint32_t voters = active & (uint32_t)operand(i, &r[lane & 31], 1), yes = 0;
    if (!(active >> lane & 1))
      continue;
    for (unsigned k = 0; k < 32; k++)
      if (voters >> k & 1 && (r[k].preds >> P_S & 1) != i->ps_neg)
        yes |= 1u << k;
    v->d[lane] = yes;
    v->p[lane] = i->fn == ISA_VOTE_ANY   ? yes != 0
                 : i->fn == ISA_VOTE_ALL ? yes == voters
                                         : yes == 0 || yes == voters;
  }
}

static void model_shfl(const isa_inst *i, const record *r, uint32_t active, verdict *v) {
  for (int lane = 0; lane < 32; lane++) {
    if (!(active >> lane & 1))
      continue;
    int amount = (int)operand(i, &r[lane], 2) & 31, c = (int)operand(i, &r[lane], 3);
    int clamp = c & 31, segment = c >> 8 & 31;
    int highest = (lane & segment) | (clamp & ~segment & 31), lowest = lane & segment, from = 0;
    switch (i->fn) {
      case ISA_SHFL_UP:
        from = lane - amount, v->p[lane] = from >= highest;
        break;
      case ISA_SHFL_DOWN:
        from = lane + amount, v->p[lane] = from <= highest;
        break;
      case ISA_SHFL_BFLY:
        from = lane ^ amount, v->p[lane] = from <= highest;
        break;
      default:
        from = lowest | (amount & ~segment & 31), v->p[lane] = from <= highest;
    }
    if (!v->p[lane])
      from = lane;
    v->d[lane] = active >> from & 1 ? operand(i, &r[from], 1) : 0;
  }
}

static void model_match(const isa_inst *i, const record *r, uint32_t active, verdict *v) {
  for (unsigned lane = 0; lane < 32; lane++) {
    if (!(active >> lane & 1))
      continue;
    uint32_t among = active & (uint32_t)operand(i, &r[lane], 2), same = 0;
    for (unsigned k = 0; k < 32; k++)
      if (among >> k & 1 && operand(i, &r[k], 1) == operand(i, &r[lane], 1))
        same |= 1u << k;
    v->p[lane] = same == among;
    v->d[lane] = i->fn == ISA_MATCH_ANY ? same : v->p[lane] ? among : 0;
  }
}

static void model_redux(const isa_inst *i, const record *r, uint32_t active, verdict *v) {
  bool is_signed = i->type == ISA_TYPE_S32;
  for (unsigned lane = 0; lane < 32; lane++) {
    if (!(active >> lane & 1))
      continue;
    uint32_t among = active & (uint32_t)operand(i, &r[lane], 2), sum = 0;
    bool first = true;
    for (unsigned k = 0; k < 32; k++) {
      uint32_t x = (uint32_t)operand(i, &r[k], 1);
      if (!(among >> k & 1))
        continue;
      bool less = is_signed ? ref_sext(x, 32) < ref_sext(sum, 32) : x < sum;
      switch (i->fn) {
        case ISA_REDUX_ADD:
          sum += x;
          break;
        case ISA_REDUX_MIN:
          sum = first || less ? x : sum;
          break;
        case ISA_REDUX_MAX:
          sum = first || !less ? x : sum;
          break;
        case ISA_REDUX_AND:
          sum = first ? x : sum & x;
          break;
        case ISA_REDUX_OR:
          sum |= x;
          break;
        default:
          sum ^= x;
      }
      first = false;
    }
    v->d[lane] = sum;
  }
}

static void model(const isa_inst *i, const record *r, uint32_t active, verdict *v) {
  memset(v, 0, sizeof *v);
  switch (i->op) {
    case ISA_OP_VOTE:
      model_vote(i, r, active, v);
      break;
    case ISA_OP_SHFL:
      model_shfl(i, r, active, v);
      break;
    case ISA_OP_MATCH:
      model_match(i, r, active, v);
      break;
    case ISA_OP_REDUX:
      model_redux(i, r, active, v);
      break;
    default:
      for (unsigned k = 0; k < 32; k++)
        v->d[k] = active;
  }
}

static void code_warp(code *c, const isa_inst *i, bool branch) {
  c->count = 0;
  code_thread_address(c, R_IN, 0, sizeof(record));
  static const unsigned regs[4] = {A, B, C, D};
  for (unsigned k = 0; k < 4; k++)
    code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, regs[k], R_IN, (int32_t)(8 * k));
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, 0, R_IN, offsetof(record, preds));
  for (unsigned k = 0; k < PREDS; k++) {
    code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 1, 0, 1u << k);
    code_setp(c, ISA_CMP_NE, ISA_TYPE_U32, k, 1, 0);
  }
  if (branch) {
    isa_inst bra = isa_inst_new(ISA_OP_BRA, 0);
    bra.guard = P_BRANCH, bra.guard_neg = true;
    bra.imm = bra.reconv = code_here(c) + 2 * ISA_BYTES;
    code_put(c, bra);
  }
  code_put(c, *i);
  for (unsigned k = 0; k < 4; k++)
    code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_IN, (int32_t)(8 * k), regs[k]);
  code_predicates(c, 0, 1, PREDS);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_IN, offsetof(record, preds), 0);
  code_exit(c);
}

static uint32_t lanes_active(const bed *x, const isa_inst *i, unsigned first, bool branch) {
  uint32_t active = 0;
  unsigned in_block = first % (WARPS * 32), here = x->block - in_block;
  for (unsigned k = 0; k < 32 && k < here; k++) {
    uint32_t p = x->before[first + k].preds;
    bool on = !branch || (p >> P_BRANCH & 1);
    if (i->guard != ISA_PT)
      on = on && (p >> i->guard & 1) != i->guard_neg;
    active |= (uint32_t)on << k;
  }
  return active;
}

// Index of a record: blocks have room for whole warps, the launch is compact.
static unsigned compact(const bed *x, unsigned padded) {
  return padded / (WARPS * 32) * x->block + padded % (WARPS * 32);
}

static void warp_check(bed *x, const isa_inst *i, unsigned first, bool branch, unsigned *shown) {
  uint32_t active = lanes_active(x, i, first, branch);
  bool has_d = isa_words(i, 0) && i->d != ISA_RZ;
  bool has_p = (isa_ops[i->op].flags & ISA_F_PD) != 0 && i->pd != ISA_PT;
  verdict v;
  model(i, &x->before[first], active, &v);
  for (unsigned k = 0; k < 32 && first % (WARPS * 32) + k < x->block; k++) {
    record want = x->before[first + k];
    const record *got = &x->after[compact(x, first + k)];
    if (active >> k & 1) {
      if (has_d)
        want.d = (want.d & ~0xffffffffull) | v.d[k];
      if (has_p)
        want.preds = (want.preds & ~(1u << i->pd)) | (uint32_t)v.p[k] << i->pd;
    }
    x->b->checks++;
    if (memcmp(&want, got, sizeof want) == 0 || *shown >= 2 || !bench_fail(x->b))
      continue;
    ++*shown;
    printf("lane %u, active 0x%08x%s: ", k, active, branch ? " (branch)" : "");
    inst_print(i);
    printf(
        "  after it: a %llx b %llx c %llx\n"
        "  a = 0x%llx b = 0x%llx c = 0x%llx; d: want 0x%llx, got 0x%llx; predicates: want 0x%x, "
        "got 0x%x\n",
        (unsigned long long)got->a, (unsigned long long)got->b, (unsigned long long)got->c,
        (unsigned long long)want.a, (unsigned long long)want.b, (unsigned long long)want.c,
        (unsigned long long)want.d, (unsigned long long)got->d, want.preds, got->preds);
    bench_hint(x->b);
  }
}

// Operands of a warp. Masks hold at least the lanes that execute.
static uint32_t tile_of(unsigned lane, uint32_t lanes) {
  return (uint32_t)((1ull << lanes) - 1) << lane / lanes * lanes;
}

static void warp_fill(bed *x, const isa_inst *i, dice *d, unsigned first, bool branch) {
  uint32_t uniform_c = (uint32_t)dice_u64(d) & 0x1f1f, style = dice_below(d, 4);
  static const uint32_t usual[] = {0x1f, 0, 0x181f, 0x1c03, 0x1e00, 0x1f1f};
  if (style == 0)
    uniform_c = usual[dice_below(d, 6)];
  for (unsigned k = 0; k < 32; k++) {
    record *r = &x->before[first + k];
    *r = (record){dice_u64(d), dice_u64(d), dice_u64(d), dice_u64(d), 0, 0};
    r->preds = (uint32_t)dice_u64(d) & ((1u << PREDS) - 1);
    if (style == 1)
      r->preds |= 1u << P_GUARD | 1u << P_BRANCH;
    if (style == 2)
      r->preds |= 1u << P_S;
    if (style == 3)
      r->preds &= ~(1u << P_S);
    if (i->op == ISA_OP_SHFL)
      r->c = (r->c & ~0xffffffffull) | (style == 1 ? r->c & 0x1f1f : uniform_c);
    if (i->op == ISA_OP_MATCH)
      r->a = style < 2 ? 7 : dice_below(d, 3) * 0x100000001ull;
  }
  uint32_t mask = lanes_active(x, i, first, branch), extra = (uint32_t)dice_u64(d);
  const uint32_t tiles =
      dice_below(d, 2) ? 1u << dice_below(d, 5) : 0;  // lanes of a tile; 0: one mask
  bool exact = dice_below(d, 2) || (i->op == ISA_OP_MATCH && i->fn == ISA_MATCH_ALL);
  mask |= exact ? 0 : extra;
  for (unsigned k = 0; k < 32; k++) {
    record *r = &x->before[first + k];
    uint64_t *m = i->op == ISA_OP_VOTE ? &r->a : &r->b;
    if (i->op != ISA_OP_SHFL && i->op != ISA_OP_ACTIVEMASK)
      *m = (*m & ~0xffffffffull) | (tiles ? mask & tile_of(k, tiles) : mask);
  }
}

static void warp_run(bed *x, isa_inst i, bool branch, unsigned block, uint64_t salt) {
  rig_begin(&x->rig);
  dice d = dice_new(x->b, salt);
  unsigned shown = 0;
  code *c = malloc(sizeof *c);
  if (isa_check(&i))
    goto done;
  x->block = block;
  for (unsigned first = 0; first < x->threads; first += 32)
    warp_fill(x, &i, &d, first, branch);
  for (unsigned k = 0; k < x->threads; k++)
    if (k % (WARPS * 32) < block)
      x->after[compact(x, k)] = x->before[k];
  code_warp(c, &i, branch);
  rig_setup setup = {.shape = {{x->blocks, 1, 1}, {block, 1, 1}, 0},
                     .params = &x->in,
                     .param_bytes = sizeof x->in};
  rig_write(&x->rig, x->in, x->after, sizeof x->after);
  if (rig_run(x->b, &x->rig, c, &setup, MACHINE_OK) == MACHINE_OK) {
    rig_read(&x->rig, x->after, x->in, sizeof x->after);
    for (unsigned first = 0; first < x->threads; first += 32)
      if (first % (WARPS * 32) < block)
        warp_check(x, &i, first, branch, &shown);
    bench_cover(x->b, &i);
  }
done:
  free(c);
}

static void form_run(void *ctx, const isa_inst *proto) {
  bed *x = ctx;
  static const unsigned blocks[] = {64, 33, 50, 7};
  for (unsigned n = 0; n < 64; n++) {
    if (x->b->brief && n % 4 != (n / 4 + n / 16 + proto->fn) % 4)  // one of branch and guard
      continue;
    uint64_t salt =
        (uint64_t)proto->op << 32 | (uint64_t)proto->type << 16 | (uint64_t)proto->fn << 8 | n;
    unsigned block = blocks[n / 16];
    bool branch = n & 1;
    isa_inst i = *proto;
    i.a = isa_words(&i, 1) ? A : ISA_RZ;
    i.b = isa_words(&i, 2) ? B : ISA_RZ;
    i.c = isa_words(&i, 3) ? C : ISA_RZ;
    bool ballot = i.op == ISA_OP_VOTE && i.fn == ISA_VOTE_BALLOT;
    i.d = (i.op == ISA_OP_VOTE && !ballot) ? ISA_RZ : D;
    bool matches_any = i.op == ISA_OP_MATCH && i.fn == ISA_MATCH_ANY;
    if (isa_ops[i.op].flags & ISA_F_PD && !ballot && !matches_any)
      i.pd = P_D;
    if (isa_ops[i.op].flags & ISA_F_PS) {
      i.ps = P_S;
      i.ps_neg = n >> 3 & 1;
    }
    if (n & 2) {
      i.guard = P_GUARD;
      i.guard_neg = n >> 3 & 1;
    }
    if (n & 4) {  // an immediate: the mask, or the amount or the bounds of a shuffle
      unsigned k = i.op == ISA_OP_VOTE ? 1 : i.op == ISA_OP_SHFL ? 2 + (n >> 3 & 1) : 2;
      if (i.op == ISA_OP_ACTIVEMASK || (i.op == ISA_OP_MATCH && i.fn == ISA_MATCH_ALL))
        continue;
      i.imm_at = (uint8_t)k;
      *(k == 1 ? &i.a : k == 2 ? &i.b : &i.c) = ISA_RZ;
      dice d = dice_new(x->b, salt);
      i.imm = i.op == ISA_OP_SHFL ? (k == 2 ? dice_below(&d, 32) : (uint32_t)dice_u64(&d) & 0x1f1f)
                                  : 0xffffffff;
    }
    warp_run(x, i, branch, block, salt);
  }
}

void ops_warp(bench *b) {
  bed *x = calloc(1, sizeof *x);
  x->b = b;
  x->blocks = b->brief ? FEW_BLOCKS : BLOCKS, x->threads = WARPS * 32 * x->blocks;
  rig_open(&x->rig);
  x->in = rig_buffer(&x->rig, sizeof x->before);
  inst_each(ISA_OP_VOTE, form_run, x);
  inst_each(ISA_OP_SHFL, form_run, x);
  inst_each(ISA_OP_ACTIVEMASK, form_run, x);
  inst_each(ISA_OP_MATCH, form_run, x);
  inst_each(ISA_OP_REDUX, form_run, x);
  rig_close(&x->rig);
  free(x);
}
