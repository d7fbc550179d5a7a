// SPDX-License-Identifier: Apache-2.0
// Register allocation: limits for the classes, rounds of colouring and spilling, numbers.
//
// What fits without spilling is coloured as it is. Otherwise the classes compete: a register of
// the class `both` takes room from near and far alike. Several shares for `both` are tried on
// copies of the kernel, and the one with the least spill code (by loop depth) is taken. If none
// works, all registers become one class: then only what a single instruction needs counts.
#include "alloc.h"
#include "alloc_spread.h"

#include <assert.h>
#include <string.h>
#include "mem.h"

enum { MAX_ROUNDS = 200, MAX_REGS = 254 };
enum { NEAR, FAR, SIDES };
// How many shares are tried; fewer for large kernels, where an attempt takes its time.
enum { SHARES = 16, LARGE = 4000, LARGE_SHARES = 4 };

static uint32_t round_up(uint32_t n, uint32_t to) {
  return (n + to - 1) / to * to;
}
static uint32_t round_down(uint32_t n, uint32_t to) {
  return n / to * to;
}
static uint32_t larger(uint32_t x, uint32_t y) {
  return x > y ? x : y;
}
static uint32_t smaller(uint32_t x, uint32_t y) {
  return x < y ? x : y;
}

// ---- numbers

static uint32_t class_align(const mir_kernel *k, unsigned class) {
  uint32_t align = 1;
  for (uint32_t v = 0; v < k->vreg_count; v++)
    if (k->vregs[v].files == class)
      align = larger(align, k->vregs[v].words);
  return align;
}

// Ranges start at multiples of what lives in them, as numbers and in their files.
static void count_ranges(const alloc *a, uint32_t ranges[ALLOC_CLASSES]) {
  uint32_t near = class_align(a->k, ALLOC_NEAR), far = class_align(a->k, ALLOC_FAR);
  memcpy(ranges, a->used, sizeof a->used);
  if (ranges[ALLOC_NEAR])
    ranges[ALLOC_BOTH] = round_up(ranges[ALLOC_BOTH], near);
  if (ranges[ALLOC_FAR]) {
    ranges[ALLOC_BOTH] = round_up(ranges[ALLOC_BOTH], larger(near, far));
    ranges[ALLOC_NEAR] = round_up(ranges[ALLOC_NEAR], far);
  }
}

static bool ranges_fit(const alloc *a, const uint32_t max[SIDES]) {
  uint32_t r[ALLOC_CLASSES];
  count_ranges(a, r);
  return r[ALLOC_BOTH] + r[ALLOC_NEAR] <= max[NEAR] && r[ALLOC_BOTH] + r[ALLOC_FAR] <= max[FAR] &&
         r[ALLOC_BOTH] + r[ALLOC_NEAR] + r[ALLOC_FAR] <= ISA_RZ;
}

static isa_reg number_of(const mir_kernel *k, isa_reg r) {
  unsigned part = ISA_REG_PART(r);
  return k->vregs[ISA_REG_ID(r)].phys + (part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
}

static bool is_empty_move(const isa_inst *i) {
  return i->op == ISA_OP_MOV && !i->imm_at && i->d == i->a;
}

static void assign(alloc *a) {
  mir_kernel *k = a->k;
  uint32_t r[ALLOC_CLASSES];
  count_ranges(a, r);
  const uint32_t start[ALLOC_CLASSES] = {
      [ALLOC_NEAR] = r[ALLOC_BOTH], [ALLOC_FAR] = r[ALLOC_BOTH] + r[ALLOC_NEAR]};
  k->regs_both = (uint16_t)r[ALLOC_BOTH];
  k->regs_near = (uint16_t)r[ALLOC_NEAR];
  k->regs_far = (uint16_t)r[ALLOC_FAR];
  k->preds = (uint16_t)r[ALLOC_PRED];
  for (uint32_t v = 0; v < k->vreg_count; v++)
    k->vregs[v].phys =
        a->color[v] == ALLOC_NO_COLOR ? ISA_RZ : start[k->vregs[v].files] + a->color[v];
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    uint32_t kept = 0;
    for (uint32_t j = 0; j < block->count; j++) {
      isa_inst *i = &block->insts[j].i;
      isa_reg *regs[4] = {&i->d, &i->a, &i->b, &i->c};
      isa_reg *preds[4] = {&i->guard, &i->pd, &i->pq, &i->ps};
      for (unsigned o = 0; o < 4; o++) {
        if (ISA_REG_IS_VIRTUAL(*regs[o]))
          *regs[o] = number_of(k, *regs[o]);
        if (ISA_REG_IS_VIRTUAL(*preds[o]))
          *preds[o] = a->color[k->vreg_count + ISA_REG_ID(*preds[o])];
      }
      if (!is_empty_move(i))
        block->insts[kept++] = block->insts[j];
    }
    block->count = kept;
  }
  k->pred_count = 0;
}

// ---- attempts

// Rounds of colouring and spilling until everything has a number.
static bool attempt(alloc *a) {
  for (unsigned round = 0; round < MAX_ROUNDS; round++) {
    if (alloc_color(a))
      return true;
    bool any = false;
    for (uint32_t x = 0; x < a->nodes; x++)
      any |= a->spill[x];
    if (!any)
      return false;
    alloc_spill(a);
  }
  return false;
}

// The best attempt so far, on its own copy of the kernel.
typedef struct best {
  bool found;
  alloc a;
  mir_kernel k;
} best;

static void try_limits(const mir_kernel *k, const uint32_t limit[ALLOC_CLASSES],
                       const uint32_t max[SIDES], bool one_class, best *best) {
  mir_kernel copy = mir_kernel_copy(k);
  alloc a = {.k = &copy, .one_class = one_class, .temp_pred = k->pred_count};
  memcpy(a.limit, limit, sizeof a.limit);
  for (uint32_t v = 0; one_class && v < copy.vreg_count; v++)
    if (copy.vregs[v].files)
      copy.vregs[v].files = ALLOC_BOTH;
  if (attempt(&a) && ranges_fit(&a, max) && (!best->found || a.cost < best->a.cost)) {
    if (best->found) {
      alloc_free(&best->a);
      mir_kernel_free_copy(&best->k);
    }
    best->found = true;
    best->a = a;
    best->k = copy;
    return;
  }
  alloc_free(&a);
  mir_kernel_free_copy(&copy);
}

static void try_share(const mir_kernel *k, const uint32_t need[ALLOC_CLASSES],
                      const uint32_t max[SIDES], uint32_t both, uint32_t align, best *best) {
  const uint32_t rest[SIDES] = {round_down(max[NEAR] - both, align),
                                round_down(max[FAR] - both, align)};
  uint32_t near = rest[NEAR], far = rest[FAR], all = round_down(ISA_RZ - both, align);
  if (near + far > all) {  // more than there are numbers: by what they would like
    near = smaller(
        rest[NEAR],
        round_down(all * need[ALLOC_NEAR] / (need[ALLOC_NEAR] + need[ALLOC_FAR] + 1), align));
    far = smaller(rest[FAR], all - near);
    near = smaller(rest[NEAR], all - far);
  }
  const uint32_t limit[ALLOC_CLASSES] = {0, near, far, both, ISA_PT};
  try_limits(k, limit, max, false, best);
}

static void try_one_class(const mir_kernel *k, const uint32_t max[SIDES], best *best) {
  const uint32_t limit[ALLOC_CLASSES] = {0, 0, 0, smaller(max[NEAR], max[FAR]), ISA_PT};
  try_limits(k, limit, max, true, best);
}

static void allocate_under_pressure(const mir_kernel *k, const uint32_t need[ALLOC_CLASSES],
                                    const uint32_t max[SIDES], best *best) {
  uint32_t align = 1;
  for (uint32_t v = 0; v < k->vreg_count; v++)
    align = larger(align, k->vregs[v].words);
  uint32_t most =
      smaller(round_up(need[ALLOC_BOTH], align), round_down(smaller(max[NEAR], max[FAR]), align));
  uint32_t shares = k->vreg_count > LARGE ? LARGE_SHARES : SHARES;
  uint32_t step = larger(align, round_up(most / shares, align));
  for (uint32_t both = most;; both -= smaller(step, both)) {
    try_share(k, need, max, both, align, best);
    if (both == 0)
      break;
  }
  if (!best->found)
    try_one_class(k, max, best);
}

// Every register has a place where instructions need it, also in a module that was not located.
static void find_files(mir_kernel *k) {
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const isa_inst *i = &k->blocks[b].insts[j].i;
      const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
      for (unsigned o = 0; o < 4; o++)
        if (ISA_REG_IS_VIRTUAL(regs[o]))
          k->vregs[ISA_REG_ID(regs[o])].files |= (uint8_t)isa_sides(i, o, k->dies);
    }
}

static bool report_misfit(const mir_kernel *k, uint32_t max, diag *d) {
  for (uint32_t more = max + 1; more <= MAX_REGS; more++) {
    best best = {0};
    try_one_class(k, (const uint32_t[SIDES]){more, more}, &best);
    if (!best.found)
      continue;
    alloc_free(&best.a);
    mir_kernel_free_copy(&best.k);
    return diag_error(d, 0, 0, "kernel %s does not fit in %u registers; it needs at least %u",
                      k->name, max, more);
  }
  return diag_error(d, 0, 0, "kernel %s does not fit in %u registers", k->name, MAX_REGS);
}

// Without spilling. The arrays of *a are left in either case.
static bool color_all(alloc *a, mir_kernel *k, const uint32_t max[SIDES]) {
  *a = (alloc){.k = k, .limit = {0, 252, 252, 252, ISA_PT}, .temp_pred = k->pred_count};
  find_files(k);
  return alloc_color(a) && ranges_fit(a, max);
}

// The words of a subcore's files, the parts in which its warps get them, the largest block.
uint32_t mir_room(const mir_kernel *k, unsigned side) {
  static const uint32_t words[SIDES] = {128, 256};
  enum { SUBCORES = 4, UNIT = 4, MOST_THREADS = 1024 };
  const uint32_t threads =
      k->reqntid[0] ? k->reqntid[0] * k->reqntid[1] * k->reqntid[2] : k->max_threads;
  const uint32_t warps = round_up(threads, SUBCORES * ISA_LANES) / (SUBCORES * ISA_LANES);
  return warps && threads <= MOST_THREADS ? words[side] / warps / UNIT * UNIT : UINT32_MAX;
}

// What a thread may use on either side: what is asked for, and what a core has for a block.
static void bounds(const mir_kernel *k, uint32_t max_regs, uint32_t max[SIDES]) {
  for (unsigned side = NEAR; side < SIDES; side++)
    max[side] = smaller(mir_room(k, side), max_regs && max_regs < MAX_REGS ? max_regs : MAX_REGS);
}

// Streams use near numbers that cost no warp its place, too.
static void spread_out(alloc *a, const uint32_t max[SIDES]) {
  enum { FREE = 8, UNIT = 4 };  // FREE: of each of the 16 warps of a subcore
  uint32_t r[ALLOC_CLASSES];
  count_ranges(a, r);
  const uint32_t room = round_up(larger(r[ALLOC_BOTH] + r[ALLOC_NEAR], FREE), UNIT);
  alloc wide = {.k = a->k, .spread = true, .temp_pred = a->temp_pred};
  memcpy(wide.limit, a->limit, sizeof wide.limit);
  wide.limit[ALLOC_NEAR] = smaller(room, max[NEAR]) - r[ALLOC_BOTH];
  if (alloc_color(&wide) && ranges_fit(&wide, max)) {
    alloc_free(a);
    *a = wide;
  } else {
    alloc_free(&wide);
  }
}

static bool allocate_kernel(mir_kernel *k, uint32_t max_regs, bool spread, diag *d) {
  uint32_t max[SIDES];
  bounds(k, max_regs, max);
  alloc a;
  if (color_all(&a, k, max)) {
    if (spread && spread_streams(k))
      spread_out(&a, max);
    assign(&a);
    alloc_free(&a);
    return true;
  }
  best best = {0};
  for (uint32_t x = 0; x < a.nodes; x++)  // what got no number would like more than there are
    if (x < k->vreg_count && a.spill[x])
      a.used[k->vregs[x].files] = 252;
  allocate_under_pressure(k, a.used, max, &best);
  alloc_free(&a);
  if (!best.found)
    return report_misfit(k, smaller(max[NEAR], max[FAR]), d);
  mir_kernel_free_copy(k);
  *k = best.k;
  best.a.k = k;
  assign(&best.a);
  alloc_free(&best.a);
  return true;
}

bool mir_registers(const mir_kernel *k, uint32_t max_regs, uint32_t registers[2]) {
  mir_kernel copy = mir_kernel_copy(k);
  alloc a;
  uint32_t r[ALLOC_CLASSES], max[SIDES];
  bounds(k, max_regs, max);
  const bool fits = color_all(&a, &copy, max);
  count_ranges(&a, r);
  registers[0] = r[ALLOC_BOTH] + r[ALLOC_NEAR];
  registers[1] = r[ALLOC_BOTH] + r[ALLOC_FAR];
  alloc_free(&a);
  mir_kernel_free_copy(&copy);
  return fits;
}

bool mir_allocate(mir_module *m, uint32_t max_regs, bool spread, diag *d) {
  bool ok = true;
  for (uint32_t n = 0; n < m->kernel_count; n++)
    ok = allocate_kernel(&m->kernels[n], max_regs, spread, d) && ok;
  if (ok)
    m->stage = MIR_ALLOCATED;
  return ok;
}
