// SPDX-License-Identifier: Apache-2.0
// One warp instruction: registers, predicates, control, lanes talking to lanes. Memory is in
// exec_mem.c.
#include <assert.h>
#include <string.h>
#include "exec.h"
#include "machine_priv.h"

static uint32_t pred_bits(const warp *w, isa_reg p, bool negated) {
  return negated ? ~w->preds[p] : w->preds[p];
}

static void pred_write(warp *w, isa_reg p, uint32_t bits, uint32_t lanes) {
  if (p != ISA_PT)
    w->preds[p] = (w->preds[p] & ~lanes) | (bits & lanes);
}

static uint32_t combine(unsigned boolop, uint32_t a, uint32_t b) {
  return boolop == ISA_BOOL_AND   ? a & b
         : boolop == ISA_BOOL_OR  ? a | b
         : boolop == ISA_BOOL_XOR ? a ^ b
                                  : a;
}

// ---- location rules: far only; the hint; near when every source has a near copy

// An instruction that no lane executes moves nothing.
static bool locate(warp *w, const decoded *d, uint32_t lanes) {
  bool near = d->where == WHERE_NEAR;
  if (d->where == WHERE_SOURCES) {
    near = true;
    for (int o = 1; o < 4; o++)
      near &= (w->near[d->near[o].word] & d->near[o].mask) == d->near[o].mask;
  }
  if (!lanes)
    return near;
  if (d->mem) {  // data lands near; addresses do only when shared memory does the access
    bool data =
        d->i.space < ISA_SPACE_CONST && !d->data_far && (d->i.space != ISA_SPACE_LOCAL || near);
    for (int o = 0; o < 4; o++)
      if (o == 1 ? near && d->i.space == ISA_SPACE_SHARED : data)
        w->near[d->near[o].word] |= d->near[o].mask;
    if (!data)
      w->near[d->near[0].word] &= ~d->near[0].mask;
  } else if (near) {
    for (int o = 0; o < 4; o++)
      w->near[d->near[o].word] |= d->near[o].mask;
  } else {
    w->near[d->near[0].word] &= ~d->near[0].mask;
  }
  return near;
}

// ---- instructions

static void run_lanes(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[2 * ISA_LANES];
  uint32_t *to = d->reg[0] < 0 ? out : exec_dst(w, d);
  const uint32_t *a = exec_src(w, d, 1), *b = exec_src(w, d, 2), *c = exec_src(w, d, 3);
  if (lanes == ~0u || d->reg[0] < 0) {
    d->fn(to, a, b, c, &d->i);
    return;
  }
  d->fn(out, a, b, c, &d->i);
  exec_blend(to, out, d->words[0], lanes);
}

static void run_setp(warp *w, const decoded *d, uint32_t lanes) {
  uint32_t m = d->cmp(exec_src(w, d, 1), exec_src(w, d, 2), &d->i);
  uint32_t s = pred_bits(w, d->i.ps, d->i.ps_neg);
  pred_write(w, d->i.pd, combine(d->i.boolop, m, s), lanes);
  pred_write(w, d->i.pq, combine(d->i.boolop, ~m, s), lanes);
}

static void run_selp(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[2 * ISA_LANES];
  uint32_t s = pred_bits(w, d->i.ps, d->i.ps_neg);
  const uint32_t *a = exec_src(w, d, 1), *b = exec_src(w, d, 2);
  for (unsigned p = 0; p < d->words[0]; p++)
    for (unsigned l = 0; l < ISA_LANES; l++)
      out[p * ISA_LANES + l] = s >> l & 1 ? a[p * ISA_LANES + l] : b[p * ISA_LANES + l];
  exec_write(w, d, out, lanes);
}

// Special registers that differ from lane to lane, but the thread index.
static uint32_t sreg_of_lane(unsigned sreg, uint32_t lane) {
  switch (sreg) {
    case ISA_SREG_LANEID:
      return lane;
    case ISA_SREG_LANEMASK_EQ:
      return 1u << lane;
    case ISA_SREG_LANEMASK_LE:
      return (2u << lane) - 1;
    case ISA_SREG_LANEMASK_LT:
      return (1u << lane) - 1;
    case ISA_SREG_LANEMASK_GE:
      return ~((1u << lane) - 1);
    default:
      return ~((2u << lane) - 1);
  }
}

// Those that a warp shares.
static uint32_t sreg_of_warp(const launch *l, const block *b, const warp *w, unsigned sreg) {
  uint64_t clock = l->clocked ? l->clock : l->stats.warp_instructions;
  switch (sreg) {
    case ISA_SREG_NTID_X:
    case ISA_SREG_NTID_Y:
    case ISA_SREG_NTID_Z:
      return l->shape.block[sreg - ISA_SREG_NTID_X];
    case ISA_SREG_CTAID_X:
    case ISA_SREG_CTAID_Y:
    case ISA_SREG_CTAID_Z:
      return b->id[sreg - ISA_SREG_CTAID_X];
    case ISA_SREG_NCTAID_X:
    case ISA_SREG_NCTAID_Y:
    case ISA_SREG_NCTAID_Z:
      return l->shape.grid[sreg - ISA_SREG_NCTAID_X];
    case ISA_SREG_WARPID:
      return w->index;
    case ISA_SREG_NWARPID:
      return l->m->config.warps_per_core;
    case ISA_SREG_SMID:
      return b->core;
    case ISA_SREG_NSMID:
      return l->m->config.cores;
    case ISA_SREG_GRIDID:
      return (uint32_t)l->number;
    case ISA_SREG_CLOCK:
      return (uint32_t)clock;
    case ISA_SREG_CLOCK_HI:
      return (uint32_t)(clock >> 32);
    case ISA_SREG_DYN_SMEM:
      return l->shape.dynamic_shared;
    default:
      return l->shared_bytes;
  }
}

static void run_s2r(launch *l, block *b, warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[ISA_LANES];
  unsigned sreg = d->i.fn;
  if (sreg <= ISA_SREG_TID_Z) {
    exec_write(w, d, w->tid[sreg], lanes);
    return;
  }
  bool by_lane =
      sreg == ISA_SREG_LANEID || (sreg >= ISA_SREG_LANEMASK_EQ && sreg <= ISA_SREG_LANEMASK_GT);
  uint32_t value = by_lane ? 0 : sreg_of_warp(l, b, w, sreg);
  for (uint32_t k = 0; k < ISA_LANES; k++)
    out[k] = by_lane ? sreg_of_lane(sreg, k) : value;
  exec_write(w, d, out, lanes);
}

static void run_testp(warp *w, const decoded *d, uint32_t lanes) {
  const uint32_t *a = exec_src(w, d, 1);
  bool wide = d->i.type == ISA_TYPE_F64;
  uint32_t bits = 0;
  for (unsigned k = 0; k < ISA_LANES; k++) {
    uint32_t high = wide ? a[k + ISA_LANES] : a[k];
    uint32_t exponent = wide ? high >> 20 & 0x7ff : high >> 23 & 0xff, top = wide ? 0x7ff : 0xff;
    bool fraction = wide ? (high & 0xfffff) || a[k] : (high & 0x7fffff) != 0, r;
    switch (d->i.fn) {
      case ISA_TESTP_FINITE:
        r = exponent != top;
        break;
      case ISA_TESTP_INFINITE:
        r = exponent == top && !fraction;
        break;
      case ISA_TESTP_NUMBER:
        r = exponent != top || !fraction;
        break;
      case ISA_TESTP_NOTANUMBER:
        r = exponent == top && fraction;
        break;
      case ISA_TESTP_NORMAL:
        r = exponent != top && (exponent || !fraction);
        break;
      default:
        r = exponent == 0 && fraction;
        break;
    }
    bits |= (uint32_t)r << k;
  }
  pred_write(w, d->i.pd, bits, lanes);
}

static void run_plop(warp *w, const decoded *d, uint32_t lanes) {
  pred_write(
      w, d->i.pd,
      combine(d->i.boolop, pred_bits(w, d->i.ps, d->i.ps_neg), pred_bits(w, d->i.pq, d->i.ps2_neg)),
      lanes);
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

static void run_cvta(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[2 * ISA_LANES];
  const uint32_t *a = exec_src(w, d, 1);
  uint64_t base = window_of(d->i.space);
  for (unsigned k = 0; k < ISA_LANES; k++) {
    uint64_t v = a[k] | (uint64_t)a[k + ISA_LANES] << 32;
    v = d->i.fn == ISA_CVTA_TO ? v - base : v + base;
    out[k] = (uint32_t)v;
    out[k + ISA_LANES] = (uint32_t)(v >> 32);
  }
  exec_write(w, d, out, lanes);
}

static void run_isspacep(warp *w, const decoded *d, uint32_t lanes) {
  const uint32_t *a = exec_src(w, d, 1);
  uint32_t bits = 0;
  for (unsigned k = 0; k < ISA_LANES; k++)
    bits |= (uint32_t)(exec_space(a[k] | (uint64_t)a[k + ISA_LANES] << 32) == d->i.space) << k;
  pred_write(w, d->i.pd, bits, lanes);
}

// ---- across lanes

// Each lane is told of the active lanes of its own mask. Lanes with the same mask, as those of a
// tile have, are told the same: the first of those left, with all that are like it, leave.
static uint32_t with_same_mask(const uint32_t *mask, uint32_t *left) {
  const uint32_t m = mask[__builtin_ctz(*left)];
  uint32_t same = 0;
  for (unsigned k = 0; k < ISA_LANES; k++)
    same |= (uint32_t)(mask[k] == m) << k;
  same &= *left;
  *left &= ~same;
  return same;
}

static void spread(uint32_t *out, uint32_t value, uint32_t to) {
  for (; to; to &= to - 1)
    out[__builtin_ctz(to)] = value;
}

static void run_vote(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[ISA_LANES] = {0};
  const uint32_t *mask = exec_src(w, d, 1), voted = pred_bits(w, d->i.ps, d->i.ps_neg);
  uint32_t yes = 0;
  for (uint32_t left = lanes; left;) {
    const uint32_t members = lanes & mask[__builtin_ctz(left)], votes = voted & members;
    const uint32_t to = with_same_mask(mask, &left);
    const bool r = d->i.fn == ISA_VOTE_ANY   ? votes != 0
                   : d->i.fn == ISA_VOTE_ALL ? votes == members
                                             : votes == 0 || votes == members;
    yes |= r ? to : 0;
    spread(out, votes, to);
  }
  if (d->i.fn == ISA_VOTE_BALLOT)
    exec_write(w, d, out, lanes);
  else
    pred_write(w, d->i.pd, yes, lanes);
}

// A source lane out of range gives the lane its own value. One in range that is not active, or has
// exited, gives 0: PTX leaves the value open, programs sum it up.
static void run_shfl(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[ISA_LANES];
  const uint32_t *a = exec_src(w, d, 1), *b = exec_src(w, d, 2), *c = exec_src(w, d, 3);
  uint32_t in_range = 0;
  for (uint32_t k = 0; k < ISA_LANES; k++) {
    uint32_t by = b[k] & 31, segment = c[k] >> 8 & 31, clamp = c[k] & 31;
    uint32_t max = (k & segment) | (clamp & ~segment & 31), min = k & segment, from;
    bool ok;
    switch (d->i.fn) {
      case ISA_SHFL_UP:
        from = k - by;
        ok = (int32_t)from >= (int32_t)max;
        break;
      case ISA_SHFL_DOWN:
        from = k + by;
        ok = from <= max;
        break;
      case ISA_SHFL_BFLY:
        from = k ^ by;
        ok = from <= max;
        break;
      default:
        from = min | (by & ~segment & 31);
        ok = from <= max;
        break;
    }
    in_range |= (uint32_t)ok << k;
    out[k] = !ok ? a[k] : lanes >> from & 1 ? a[from] : 0;
  }
  exec_write(w, d, out, lanes);
  pred_write(w, d->i.pd, in_range, lanes);
}

// Lanes of `members` with the value of lane k.
static uint32_t like(const decoded *d, const uint32_t *a, uint32_t members, unsigned k) {
  uint32_t same = 0;
  for (uint32_t m = members; m; m &= m - 1) {
    const unsigned j = (unsigned)__builtin_ctz(m);
    same |= a[j] == a[k] && (d->words[1] < 2 || a[j + ISA_LANES] == a[k + ISA_LANES]) ? m & -m : 0;
  }
  return same;
}

static void run_match(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[ISA_LANES] = {0};
  const uint32_t *a = exec_src(w, d, 1), *mask = exec_src(w, d, 2);
  uint32_t all = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const unsigned k = (unsigned)__builtin_ctz(m);
    const uint32_t members = lanes & mask[k];
    out[k] = like(d, a, members, k);
    all |= out[k] == members ? m & -m : 0;
    if (d->i.fn == ISA_MATCH_ALL && out[k] != members)
      out[k] = 0;
  }
  if (d->i.fn == ISA_MATCH_ALL)
    pred_write(w, d->i.pd, all, lanes);
  exec_write(w, d, out, lanes);
}

static uint32_t reduced(const decoded *d, uint32_t r, uint32_t x) {
  const bool less = d->i.type == ISA_TYPE_S32 ? (int32_t)x < (int32_t)r : x < r;
  switch (d->i.fn) {
    case ISA_REDUX_ADD:
      return r + x;
    case ISA_REDUX_MIN:
      return less ? x : r;
    case ISA_REDUX_MAX:
      return less ? r : x;
    case ISA_REDUX_AND:
      return r & x;
    case ISA_REDUX_OR:
      return r | x;
    default:
      return r ^ x;
  }
}

static void run_redux(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[ISA_LANES] = {0};
  const uint32_t *a = exec_src(w, d, 1), *mask = exec_src(w, d, 2);
  for (uint32_t left = lanes; left;) {
    uint32_t members = lanes & mask[__builtin_ctz(left)];
    uint32_t r = members ? a[__builtin_ctz(members)] : 0;
    for (members &= members - 1; members; members &= members - 1)
      r = reduced(d, r, a[__builtin_ctz(members)]);
    spread(out, r, with_same_mask(mask, &left));
  }
  exec_write(w, d, out, lanes);
}

static void run_activemask(warp *w, const decoded *d, uint32_t lanes) {
  _Alignas(64) uint32_t out[ISA_LANES];
  for (unsigned k = 0; k < ISA_LANES; k++)
    out[k] = lanes;
  exec_write(w, d, out, lanes);
}

// ---- control

void exec_exit(launch *l, block *b, warp *w, uint32_t lanes) {
  warp_top(w)->pc += ISA_BYTES;
  simt_exit(w, lanes);
  simt_settle(w);
  if (w->state != WARP_DONE)
    return;
  b->live_warps--;
  if (b->live_warps)
    barrier_check_all(l, b);
}

// True when the instruction moved the pc by itself.
static bool run_other(launch *l, block *b, warp *w, const decoded *d, uint32_t lanes) {
  switch (d->i.op) {
    case ISA_OP_BRA:
      simt_branch(w, lanes, d->i.imm, d->i.reconv);
      return true;
    case ISA_OP_EXIT:
      if (lanes) {
        exec_exit(l, b, w, lanes);
        return true;
      }
      return false;
    default:
      break;
  }
  if (!lanes)
    return false;
  switch (d->i.op) {
    case ISA_OP_SETP:
      run_setp(w, d, lanes);
      break;
    case ISA_OP_SELP:
      run_selp(w, d, lanes);
      break;
    case ISA_OP_S2R:
      run_s2r(l, b, w, d, lanes);
      break;
    case ISA_OP_PLOP:
      run_plop(w, d, lanes);
      break;
    case ISA_OP_TESTP:
      run_testp(w, d, lanes);
      break;
    case ISA_OP_CVTA:
      run_cvta(w, d, lanes);
      break;
    case ISA_OP_ISSPACEP:
      run_isspacep(w, d, lanes);
      break;
    case ISA_OP_VOTE:
      run_vote(w, d, lanes);
      break;
    case ISA_OP_SHFL:
      run_shfl(w, d, lanes);
      break;
    case ISA_OP_MATCH:
      run_match(w, d, lanes);
      break;
    case ISA_OP_REDUX:
      run_redux(w, d, lanes);
      break;
    case ISA_OP_ACTIVEMASK:
      run_activemask(w, d, lanes);
      break;
    case ISA_OP_BAR:
      barrier_arrive(l, b, w, d, lanes);
      return true;
    case ISA_OP_TRAP:
      trace_fault(l, b, w, warp_top(w)->pc, (unsigned)__builtin_ctz(lanes), MACHINE_FAULT_TRAP,
                  warp_top(w)->pc / ISA_BYTES < l->kernel->inst_count
                      ? "executed a trap"
                      : "ran past the end of the code");
      return true;
    case ISA_OP_LD:
    case ISA_OP_ST:
    case ISA_OP_ATOM:
    case ISA_OP_RED:
      lanes &= ~w->performed;
      w->performed = 0;
      return lanes && !exec_memory(l, b, w, d, warp_top(w)->pc, lanes);
    default:
      assert(d->i.op == ISA_OP_NOP || d->i.op == ISA_OP_MEMBAR || d->i.op == ISA_OP_BARW);
  }
  return false;
}

static void record(launch *l, const block *b, const warp *w, const decoded *d, uint32_t pc,
                   uint32_t lanes, bool near) {
  retire_record *r = &l->record;
  r->block = b->index;
  r->warp = w->index;
  r->pc = pc;
  r->lanes = lanes;
  r->near = near;
  r->reg = d->retired.reg;
  r->words = d->retired.words;
  r->pred = d->retired.pred;
  r->has_pred = r->pred != ISA_PT;
  r->pred_bits = w->preds[r->pred];
  r->pred2 = d->retired.pred2;
  r->has_pred2 = r->pred2 != ISA_PT;
  r->pred2_bits = w->preds[r->pred2];
}

void exec_registers(launch *l, block *b, warp *w, const decoded *d, uint32_t lanes) {
  if (d->fn)
    run_lanes(w, d, lanes);
  else
    run_other(l, b, w, d, lanes);
}

warp_state exec_step(launch *l, block *b, warp *w) {
  stack_entry *top = warp_top(w);
  uint32_t pc = top->pc, active = top->mask;
  const decoded *d = &l->code.insts[pc / ISA_BYTES];
  uint32_t guard = w->preds[d->i.guard];
  uint32_t lanes = active & (d->i.guard_neg ? ~guard : guard);
  bool near = locate(w, d, lanes);
  l->stats.warp_instructions++;
  l->stats.near_instructions += near;
  l->stats.thread_instructions += lanes == ~0u ? ISA_LANES : (uint64_t)__builtin_popcount(lanes);
  if (d->fn) {
    if (lanes)
      run_lanes(w, d, lanes);
    top->pc = pc + ISA_BYTES;
    if (top->pc == top->rpc)
      simt_settle(w);
  } else if (!run_other(l, b, w, d, lanes)) {
    top->pc = pc + ISA_BYTES;
    if (top->pc == top->rpc)
      simt_settle(w);
  }
  record(l, b, w, d, pc, lanes, near);
  return w->state;
}
