// SPDX-License-Identifier: Apache-2.0
#include "alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_REGS = 252, MAX_ROUNDS = 64 };

static uint32_t round_up(uint32_t v, uint32_t to) { return (v + to - 1) / to * to; }

// ---- predicates

static void pred_interference(mir_kernel *k, bool *edges) {
  live l;
  live_build(&l, k);
  for (uint32_t b = 0; b < k->block_count; b++) {
    uint64_t *set = l.out + (size_t)b * l.words;
    for (uint32_t j = k->blocks[b].count; j-- > 0;) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg defs[2];
      unsigned count = mir_pred_defs(mi, defs);
      for (unsigned n = 0; n < count; n++)
        for (uint32_t p = 0; p < k->pred_count; p++) {
          uint32_t q = ISA_REG_ID(defs[n]);
          bool other = count == 2 && p == ISA_REG_ID(defs[1 - n]);
          if (p != q && (other || live_test(set, l.vregs + p)))
            edges[(size_t)p * k->pred_count + q] = edges[(size_t)q * k->pred_count + p] = true;
        }
      live_step(&l, k, mi, set);
    }
  }
  for (uint32_t p = 0; p < k->pred_count; p++)
    for (uint32_t q = 0; q < p; q++)
      if (live_test(l.in, l.vregs + p) && live_test(l.in, l.vregs + q))
        edges[(size_t)p * k->pred_count + q] = edges[(size_t)q * k->pred_count + p] = true;
  live_free(&l);
}

static bool pred_is(isa_reg r, uint32_t id) { return ISA_REG_IS_VIRTUAL(r) && ISA_REG_ID(r) == id; }

static void pred_rename(isa_inst *i, uint32_t id, isa_reg by) {
  isa_reg *all[4] = {&i->guard, &i->pd, &i->pq, &i->ps};
  for (unsigned n = 0; n < 4; n++)
    if (pred_is(*all[n], id))
      *all[n] = by;
}

// Keeps predicate `id` in a far register: selp after each write, setp before each read.
static void pred_spill(mir_kernel *k, uint32_t id, bool **temps) {
  isa_reg home = mir_vreg_new(k, 1, NULL);
  k->vregs[ISA_REG_ID(home)].files = MIR_FILE_FAR;
  k->vregs[ISA_REG_ID(home)].loc = MIR_LOC_F;
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    for (uint32_t j = 0; j < block->count; j++) {
      mir_inst *mi = &block->insts[j];
      isa_reg preds[3], defs[2];
      bool reads = false, writes = false;
      for (unsigned n = 0, count = mir_pred_uses(mi, preds); n < count; n++)
        reads |= pred_is(preds[n], id);
      for (unsigned n = 0, count = mir_pred_defs(mi, defs); n < count; n++)
        writes |= pred_is(defs[n], id);
      if (!reads && !writes)
        continue;
      isa_reg t = mir_pred_new(k);
      *temps = realloc(*temps, k->pred_count * sizeof **temps);
      if (!*temps)
        abort();
      (*temps)[k->pred_count - 1] = true;
      bool keeps = writes && mi->i.guard != ISA_PT;
      mir_place at = mi->at;
      pred_rename(&mi->i, id, t);
      if (reads || keeps) {
        isa_inst load = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
        load.fn = ISA_CMP_NE;
        load.pd = t;
        load.a = home;
        load.hint = ISA_HINT_FAR;
        mir_insert(block, j++, load, at)->loc = MIR_LOC_F;
      }
      if (writes) {
        isa_inst save = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
        save.d = home;
        save.imm_at = ISA_IMM_A;
        save.imm = 1;
        save.ps = t;
        save.hint = ISA_HINT_FAR;
        mir_insert(block, ++j, save, at)->loc = MIR_LOC_F;
      }
    }
  }
}

// Greedy in order of degree; false with the predicate to spill when one gets no colour.
static bool pred_color(const mir_kernel *k, const bool *edges, const bool *temps, uint8_t *color,
                       uint32_t *victim) {
  uint32_t n = k->pred_count;
  uint32_t *stack = malloc((n + 1) * sizeof *stack), depth = 0;
  bool *gone = calloc(n + 1, sizeof *gone);
  if (!stack || !gone)
    abort();
  while (depth < n) {
    uint32_t best = CFG_NONE, best_degree = 0;
    for (uint32_t p = 0; p < n; p++) {
      uint32_t degree = 0;
      if (gone[p])
        continue;
      for (uint32_t q = 0; q < n; q++)
        degree += !gone[q] && edges[(size_t)p * n + q];
      if (degree < ISA_PT) {
        best = p;
        break;
      }
      if (best == CFG_NONE || (temps[best] && !temps[p]) ||
          (temps[best] == temps[p] && degree > best_degree)) {
        best = p;
        best_degree = degree;
      }
    }
    gone[best] = true;
    stack[depth++] = best;
  }
  bool ok = true;
  memset(color, ISA_PT, n);
  while (depth) {
    uint32_t p = stack[--depth], taken = 0;
    for (uint32_t q = 0; q < n; q++)
      if (edges[(size_t)p * n + q] && color[q] != ISA_PT)
        taken |= 1u << color[q];
    uint8_t c = 0;
    while (taken >> c & 1)
      c++;
    if (c < ISA_PT) {
      color[p] = c;
    } else if (ok || temps[*victim]) {
      ok = false;
      *victim = p;
    }
  }
  free(stack);
  free(gone);
  return ok;
}

void alloc_preds(mir_kernel *k) {
  bool *temps = calloc(k->pred_count + 1, sizeof *temps);
  if (!temps)
    abort();
  for (;;) {
    uint32_t n = k->pred_count, victim = 0;
    bool *edges = calloc((size_t)n * n + 1, sizeof *edges);
    uint8_t *color = malloc(n + 1);
    if (!edges || !color)
      abort();
    pred_interference(k, edges);
    bool ok = pred_color(k, edges, temps, color, &victim);
    if (ok)
      for (uint32_t b = 0; b < k->block_count; b++)
        for (uint32_t j = 0; j < k->blocks[b].count; j++) {
          isa_inst *i = &k->blocks[b].insts[j].i;
          isa_reg *all[4] = {&i->guard, &i->pd, &i->pq, &i->ps};
          for (unsigned p = 0; p < 4; p++)
            if (ISA_REG_IS_VIRTUAL(*all[p])) {
              uint8_t c = color[ISA_REG_ID(*all[p])];
              if (c + 1u > k->preds)
                k->preds = c + 1;
              *all[p] = c;
            }
        }
    free(edges);
    free(color);
    if (ok)
      break;
    assert(!temps[victim]);
    pred_spill(k, victim, &temps);
  }
  k->pred_count = 0;
  free(temps);
}

// ---- registers

// Words that one instruction needs at once in a class: its sources, and its destination.
static void inst_needs(const mir_kernel *k, const mir_inst *mi, uint32_t need[ALLOC_CLASSES]) {
  const isa_reg regs[4] = {mi->i.d, mi->i.a, mi->i.b, mi->i.c};
  uint32_t words[ALLOC_CLASSES] = {0};
  for (unsigned o = 0; o < 4; o++) {
    if (!ISA_REG_IS_VIRTUAL(regs[o]))
      continue;
    const mir_vreg *v = &k->vregs[ISA_REG_ID(regs[o])];
    bool again = false;
    for (unsigned p = 0; p < o; p++)
      again |= ISA_REG_IS_VIRTUAL(regs[p]) && ISA_REG_ID(regs[p]) == ISA_REG_ID(regs[o]);
    if (!again)
      words[v->files] += v->words;
  }
  for (unsigned c = 0; c < ALLOC_CLASSES; c++)
    if (words[c] > need[c])
      need[c] = words[c];
}

static void kernel_needs(const mir_kernel *k, uint32_t need[ALLOC_CLASSES]) {
  memset(need, 0, ALLOC_CLASSES * sizeof *need);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++)
      inst_needs(k, &k->blocks[b].insts[j], need);
  for (unsigned c = 1; c < ALLOC_CLASSES; c++)
    need[c] = round_up(need[c], 4);
}

// Ranges start at multiples of the largest register.
static bool ranges_fit(const alloc_result *r, uint32_t max) {
  uint32_t both = round_up(r->used[ALLOC_BOTH], 4), near = round_up(r->used[ALLOC_NEAR], 4);
  return both + near + r->used[ALLOC_FAR] <= ISA_RZ && both + r->used[ALLOC_NEAR] <= max &&
         both + r->used[ALLOC_FAR] <= max;
}

static void give_every_place(mir_kernel *k) {
  for (uint32_t v = 0; v < k->vreg_count; v++)
    k->vregs[v].files = ALLOC_BOTH;
}

// Limits of the classes when not everything fits: both first, what is left to the other two.
// False when an instruction's needs do not fit that way.
static bool divide(const mir_kernel *k, const alloc_result *free_run, uint32_t max,
                   alloc_limits *limits) {
  uint32_t need[ALLOC_CLASSES];
  kernel_needs(k, need);
  uint32_t other = need[ALLOC_NEAR] > need[ALLOC_FAR] ? need[ALLOC_NEAR] : need[ALLOC_FAR];
  uint32_t both = round_up(free_run->used[ALLOC_BOTH], 4);
  if (both > max / 2 / 4 * 4)
    both = max / 2 / 4 * 4;
  if (both < need[ALLOC_BOTH])
    both = need[ALLOC_BOTH];
  if (both + other > max)
    return false;
  limits->words[ALLOC_BOTH] = both;
  limits->words[ALLOC_NEAR] = max - both < 124 ? max - both : 124;
  limits->words[ALLOC_FAR] = max - both < 124 ? max - both : 124;
  return true;
}

static void assign(mir_kernel *k, const alloc_result *r) {
  uint32_t both = round_up(r->used[ALLOC_BOTH], 4), near = round_up(r->used[ALLOC_NEAR], 4);
  if (r->used[ALLOC_NEAR] + r->used[ALLOC_FAR] == 0)
    both = r->used[ALLOC_BOTH];
  if (r->used[ALLOC_FAR] == 0)
    near = r->used[ALLOC_NEAR];
  const uint32_t start[ALLOC_CLASSES] = {0, both, both + near, 0};
  k->regs_both = (uint16_t)both;
  k->regs_near = (uint16_t)near;
  k->regs_far = (uint16_t)r->used[ALLOC_FAR];
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      isa_inst *i = &k->blocks[b].insts[j].i;
      isa_reg *regs[4] = {&i->d, &i->a, &i->b, &i->c};
      for (unsigned o = 0; o < 4; o++) {
        if (!ISA_REG_IS_VIRTUAL(*regs[o]))
          continue;
        const mir_vreg *v = &k->vregs[ISA_REG_ID(*regs[o])];
        unsigned part = ISA_REG_PART(*regs[o]);
        *regs[o] = start[v->files] + v->phys + (part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
      }
    }
}

static bool allocate_kernel(mir_kernel *k, uint32_t max, diag *d) {
  alloc_limits limits = {{0, ALL_REGS, ALL_REGS, ALL_REGS}};
  alloc_result r;
  alloc_preds(k);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    if (k->vregs[v].files == 0)
      k->vregs[v].files = MIR_FILE_FAR;  // written or read nowhere
  alloc_color(k, &limits, &r);
  bool fits = !r.spills && ranges_fit(&r, max);
  if (!fits && !divide(k, &r, max, &limits)) {
    give_every_place(k);
    limits = (alloc_limits){{0, 0, 0, max}};
  }
  for (unsigned round = 0; !fits; round++) {
    free(r.spill);
    alloc_color(k, &limits, &r);
    if (!r.spills)
      break;
    bool stuck = round == MAX_ROUNDS;
    for (uint32_t v = 0; v < k->vreg_count; v++)
      stuck |= r.spill[v] && k->vregs[v].temp;
    if (stuck && limits.words[ALLOC_BOTH] == max) {
      free(r.spill);
      return diag_error(d, 0, 0, "kernel %s does not fit %u registers", k->name, max);
    }
    if (stuck) {  // one class for all is never harder for a single instruction
      give_every_place(k);
      limits = (alloc_limits){{0, 0, 0, max}};
      continue;
    }
    alloc_spill(k, r.spill);
  }
  assign(k, &r);
  free(r.spill);
  return true;
}

bool mir_allocate(mir_module *m, uint32_t max_regs, diag *d) {
  bool ok = true;
  uint32_t max = max_regs && max_regs < ALL_REGS ? max_regs : ALL_REGS;
  for (uint32_t n = 0; n < m->kernel_count; n++)
    ok = allocate_kernel(&m->kernels[n], max, d) && ok;
  m->stage = MIR_ALLOCATED;
  return ok;
}
