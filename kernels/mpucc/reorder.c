// SPDX-License-Identifier: Apache-2.0
// The order of the instructions of a block: what takes long begins early, and what depends on each
// other stands apart, as long as there are registers for it. A warp issues in order, and a
// near-bank unit looks at a few packets at a time, so independent instructions help only when they
// are close.
#include <string.h>

#include "live.h"
#include "mem.h"
#include "mir.h"

// Cycles until what depends on an instruction can go, about.
enum { NEAR_OP = 10, UP = 30, DOWN = 4, LOAD_GLOBAL = 40, LOAD_SHARED = 20, LOAD_UP = 60 };

enum {
  REGION = 256
};  // instructions that are put in order together: it takes time with their square

// Registers that cost no warp its place: those, near and far, of each of the 16 warps of a subcore;
// beyond them warps get pieces of UNIT.
static const uint32_t free_words[2] = {8, 16};
enum { UNIT = 4, ROW_BUFFERS = 4 };

typedef struct node {
  uint32_t waits;          // instructions before it that have not been placed
  uint32_t height;         // cycles to the end of the region
  uint32_t start;          // first cycle in which it can go
  uint32_t first, n_succ;  // its edges
  bool placed;
} node;

typedef struct edge {
  uint32_t from, to, cycles;
} edge;

typedef struct region {
  mir_inst *insts;
  uint32_t count;
  node *nodes;
  edge *edges;
  uint32_t n_edges, capacity;
} region;

// What nothing may pass.
static bool is_fixed(const mir_inst *mi) {
  const isa_inst *i = &mi->i;
  switch (i->op) {
    case ISA_OP_BRA:
    case ISA_OP_EXIT:
    case ISA_OP_TRAP:
    case ISA_OP_BAR:
    case ISA_OP_BARW:
    case ISA_OP_MEMBAR:
      return true;
    case ISA_OP_S2R:
      return i->fn == ISA_SREG_CLOCK || i->fn == ISA_SREG_CLOCK_HI;
    default:
      return mir_is_memory(i) && (i->order || (i->op != ISA_OP_ST && mir_has_side_effect(mi)));
  }
}

static bool is_near(const mir_inst *mi) {
  return mi->loc == MIR_LOC_N;
}

static uint32_t latency(const mir_inst *from, const mir_inst *to) {
  static const uint32_t far[] = {
      [ISA_LAT_ALU] = 4,  [ISA_LAT_ALU2] = 6,  [ISA_LAT_MUL] = 6,
      [ISA_LAT_FP32] = 6, [ISA_LAT_FP64] = 12, [ISA_LAT_SFU] = 20,
      [ISA_LAT_DIV] = 40, [ISA_LAT_CTRL] = 2,  [ISA_LAT_MEM] = 8,
  };
  const isa_inst *i = &from->i;
  const bool both = is_near(from) && is_near(to);
  if (mir_has_data(i))
    return !is_near(to) ? LOAD_UP : i->space == ISA_SPACE_SHARED ? LOAD_SHARED : LOAD_GLOBAL;
  return both            ? NEAR_OP
         : is_near(from) ? UP
         : is_near(to)   ? DOWN + far[isa_ops[i->op].lat]
                         : far[isa_ops[i->op].lat];
}

static void depend(region *r, uint32_t from, uint32_t to, uint32_t cycles) {
  if (r->n_edges == r->capacity) {
    r->capacity = r->capacity ? 2 * r->capacity : 64;
    r->edges = mem_resize(r->edges, r->capacity, sizeof *r->edges);
  }
  r->edges[r->n_edges++] = (edge){from, to, cycles};
}

// Can both be of one place?
static bool may_alias(const isa_inst *a, const isa_inst *b) {
  if (a->space == ISA_SPACE_PARAM || b->space == ISA_SPACE_PARAM || a->space == ISA_SPACE_CONST ||
      b->space == ISA_SPACE_CONST)
    return false;
  return a->space == b->space || a->space == ISA_SPACE_GENERIC || b->space == ISA_SPACE_GENERIC;
}

typedef struct names {
  isa_reg reads[7], writes[3];
  unsigned n_reads, n_writes;
} names;

enum { PREDICATE = 1u << 27 };  // beside the numbers of registers

static names names_of(const mir_inst *mi) {
  names n = {0};
  isa_reg r[4];
  for (unsigned k = mir_uses(mi, r); k-- > 0;)
    n.reads[n.n_reads++] = ISA_REG_ID(r[k]);
  for (unsigned k = mir_pred_uses(mi, r); k-- > 0;)
    n.reads[n.n_reads++] = ISA_REG_ID(r[k]) | PREDICATE;
  const isa_reg d = mir_def(mi);
  if (ISA_REG_IS_VIRTUAL(d))
    n.writes[n.n_writes++] = ISA_REG_ID(d);
  for (unsigned k = mir_pred_defs(mi, r); k-- > 0;)
    n.writes[n.n_writes++] = ISA_REG_ID(r[k]) | PREDICATE;
  return n;
}

static bool share(const isa_reg *a, unsigned n, const isa_reg *b, unsigned m) {
  for (unsigned x = 0; x < n; x++)
    for (unsigned y = 0; y < m; y++)
      if (a[x] == b[y])
        return true;
  return false;
}

static bool of_banks(const mir_inst *mi) {
  return mir_has_data(&mi->i) && mi->i.space != ISA_SPACE_SHARED;
}

// A warp with more accesses than there are row buffers closes the rows that others are about to
// use. Then these keep their pace: they, and what the base die computes for them, in the order of
// the program.
static bool keeps_pace(const region *r) {
  uint32_t n = 0;
  for (uint32_t a = 0; a < r->count; a++)
    n += of_banks(&r->insts[a]);
  return n > ROW_BUFFERS;
}

static void connect(region *r) {
  names *of = mem_new(r->count, sizeof *of);
  const bool pace = keeps_pace(r);
  for (uint32_t n = 0; n < r->count; n++)
    of[n] = names_of(&r->insts[n]);
  for (uint32_t a = 0; a < r->count; a++) {
    r->nodes[a].first = r->n_edges;
    for (uint32_t b = a + 1; b < r->count; b++) {
      const mir_inst *x = &r->insts[a], *y = &r->insts[b];
      const bool stores = x->i.op == ISA_OP_ST || y->i.op == ISA_OP_ST;
      if (share(of[a].writes, of[a].n_writes, of[b].reads, of[b].n_reads))
        depend(r, a, b, latency(x, y));
      else if (share(of[a].writes, of[a].n_writes, of[b].writes, of[b].n_writes) ||
               share(of[a].reads, of[a].n_reads, of[b].writes, of[b].n_writes) ||
               (pace && (!is_near(x) || of_banks(x)) && (!is_near(y) || of_banks(y))) ||
               (mir_is_memory(&x->i) && mir_is_memory(&y->i) && stores && may_alias(&x->i, &y->i)))
        depend(r, a, b, 1);
    }
    r->nodes[a].n_succ = r->n_edges - r->nodes[a].first;
  }
  for (uint32_t a = r->count; a-- > 0;)
    for (uint32_t e = r->nodes[a].first, n = r->nodes[a].n_succ; n-- > 0; e++) {
      const edge *x = &r->edges[e];
      const uint32_t height = r->nodes[x->to].height + x->cycles;
      r->nodes[x->to].waits++;
      if (height > r->nodes[a].height)
        r->nodes[a].height = height;
    }
  free(of);
}

// ---- registers that are live while a region is put in order

typedef struct pressure {
  const mir_kernel *k;
  uint32_t *uses;     // in the region, of instructions that have not been placed
  bool *out, *alive;  // live behind the region; now
  uint32_t words[2], limit[2];
} pressure;

static void count_words(const mir_kernel *k, uint32_t v, int sign, int words[2]) {
  for (unsigned f = 0; f < 2; f++)
    if (k->vregs[v].files >> f & 1)
      words[f] += sign * k->vregs[v].words;
}

// How many words more are live when an instruction is placed.
static void change_of(const pressure *p, const mir_inst *mi, int words[2]) {
  isa_reg r[4];
  words[0] = words[1] = 0;
  const isa_reg d = mir_def(mi);
  const unsigned n = mir_uses(mi, r);
  for (unsigned a = 0; a < n; a++) {
    const uint32_t v = ISA_REG_ID(r[a]);
    uint32_t here = 0;
    bool first = true;
    for (unsigned b = 0; b < n; b++)
      here += ISA_REG_ID(r[b]) == v, first &= b >= a || ISA_REG_ID(r[b]) != v;
    if (first && p->alive[v] && p->uses[v] == here && !p->out[v])
      count_words(p->k, v, -1, words);
  }
  if (ISA_REG_IS_VIRTUAL(d) && !p->alive[ISA_REG_ID(d)])
    count_words(p->k, ISA_REG_ID(d), 1, words);
}

static void take_place(pressure *p, const mir_inst *mi) {
  isa_reg r[4];
  int words[2];
  change_of(p, mi, words);
  for (unsigned f = 0; f < 2; f++)
    p->words[f] = (uint32_t)((int)p->words[f] + words[f]);
  for (unsigned n = mir_uses(mi, r); n-- > 0;) {
    const uint32_t v = ISA_REG_ID(r[n]);
    if (--p->uses[v] == 0 && !p->out[v])
      p->alive[v] = false;
  }
  if (ISA_REG_IS_VIRTUAL(mir_def(mi)))
    p->alive[ISA_REG_ID(mir_def(mi))] = true;
}

static bool fits(const pressure *p, const mir_inst *mi, int *more) {
  int words[2];
  bool ok = true;
  change_of(p, mi, words);
  *more = words[0] + words[1];
  for (unsigned f = 0; f < 2; f++)
    ok &= words[f] <= 0 || p->words[f] + (uint32_t)words[f] <= p->limit[f];
  return ok;
}

static void put_in_order(region *r, pressure *p) {
  mir_inst *placed = mem_new(r->count, sizeof *placed);
  uint32_t cycle = 0;
  for (uint32_t n = 0; n < r->count; n++) {
    uint32_t best = r->count;
    bool best_fits = false;
    int best_more = 0;
    for (uint32_t a = 0; a < r->count; a++) {
      const node *x = &r->nodes[a], *y = &r->nodes[best];
      int more;
      if (x->placed || x->waits)
        continue;
      const bool ok = fits(p, &r->insts[a], &more);
      bool better = best == r->count || (ok && !best_fits);
      if (!better && ok == best_fits) {
        const uint32_t late = x->start > cycle ? x->start : cycle,
                       late_y = y->start > cycle ? y->start : cycle;
        better = !ok ? more < best_more : late != late_y ? late < late_y : x->height > y->height;
      }
      if (better)
        best = a, best_fits = ok, best_more = more;
    }
    node *x = &r->nodes[best];
    cycle = x->start > cycle ? x->start : cycle;
    x->placed = true;
    for (uint32_t e = x->first, m = x->n_succ; m-- > 0; e++) {
      node *y = &r->nodes[r->edges[e].to];
      y->waits--;
      if (y->start < cycle + r->edges[e].cycles)
        y->start = cycle + r->edges[e].cycles;
    }
    take_place(p, &r->insts[best]);
    placed[n] = r->insts[best];
    cycle++;
  }
  memcpy(r->insts, placed, r->count * sizeof *placed);
  free(placed);
}

// `set`: what is live behind the region; before it when this returns.
static void schedule_region(const mir_kernel *k, const live *l, mir_inst *insts, uint32_t count,
                            const uint32_t limit[2], uint64_t *set) {
  region r = {.insts = insts, .count = count};
  pressure p = {.k = k, .limit = {limit[0], limit[1]}};
  p.uses = mem_new(k->vreg_count, sizeof *p.uses);
  p.out = mem_new(k->vreg_count, sizeof *p.out);
  p.alive = mem_new(k->vreg_count, sizeof *p.alive);
  r.nodes = mem_new(count + 1, sizeof *r.nodes);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    p.out[v] = live_test(set, v);
  for (uint32_t n = count; n-- > 0;) {
    isa_reg regs[4];
    live_step(l, k, &insts[n], set);
    for (unsigned m = mir_uses(&insts[n], regs); m-- > 0;)
      p.uses[ISA_REG_ID(regs[m])]++;
  }
  int words[2] = {0};
  for (uint32_t v = 0; v < k->vreg_count; v++)
    if ((p.alive[v] = live_test(set, v)))
      count_words(k, v, 1, words);
  p.words[0] = (uint32_t)words[0], p.words[1] = (uint32_t)words[1];
  connect(&r);
  put_in_order(&r, &p);
  free(r.nodes);
  free(r.edges);
  free(p.uses);
  free(p.out);
  free(p.alive);
}

void mir_reorder(mir_kernel *k) {
  live l;
  uint32_t limit[2] = {live_peak(k, MIR_FILE_NEAR), live_peak(k, MIR_FILE_FAR)};
  live_build(&l, k);
  for (unsigned f = 0; f < 2; f++)
    limit[f] = limit[f] < free_words[f] ? free_words[f] : (limit[f] + UNIT - 1) / UNIT * UNIT;
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    uint64_t *set = l.out + (size_t)b * l.words;
    for (uint32_t end = block->count; end > 0;) {
      if (is_fixed(&block->insts[end - 1])) {
        live_step(&l, k, &block->insts[--end], set);
        continue;
      }
      uint32_t begin = end;
      while (begin > 0 && end - begin < REGION && !is_fixed(&block->insts[begin - 1]))
        begin--;
      schedule_region(k, &l, block->insts + begin, end - begin, limit, set);
      end = begin;
    }
  }
  live_free(&l);
}
