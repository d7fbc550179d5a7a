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
enum { UNIT = 4, ROW_BUFFERS = 4, ATTEMPTS = 4 };

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

// What an instruction reads and writes: registers by number, and predicates, of which each appears
// once in a list. `values`: of a register that is written anew each time another one.
typedef struct names {
  uint32_t reads[7], writes[3];
  unsigned n_reads, n_writes;
  uint32_t read_values[7], write_values[3];
} names;

static void add_name(uint32_t *to, unsigned *n, uint32_t name) {
  for (unsigned k = 0; k < *n; k++)
    if (to[k] == name)
      return;
  to[(*n)++] = name;
}

static names names_of(const mir_kernel *k, const mir_inst *mi) {
  names n = {0};
  isa_reg r[4];
  for (unsigned m = mir_uses(mi, r); m-- > 0;)
    add_name(n.reads, &n.n_reads, ISA_REG_ID(r[m]));
  for (unsigned m = mir_pred_uses(mi, r); m-- > 0;)
    add_name(n.reads, &n.n_reads, k->vreg_count + ISA_REG_ID(r[m]));
  const isa_reg d = mir_def(mi);
  if (ISA_REG_IS_VIRTUAL(d))
    add_name(n.writes, &n.n_writes, ISA_REG_ID(d));
  for (unsigned m = mir_pred_defs(mi, r); m-- > 0;)
    add_name(n.writes, &n.n_writes, k->vreg_count + ISA_REG_ID(r[m]));
  return n;
}

typedef struct region {
  mir_inst *insts;
  uint32_t count;
  names *names;
  node *nodes;
  edge *edges;
  uint32_t n_edges, capacity;
} region;

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

static bool share(const uint32_t *a, unsigned n, const uint32_t *b, unsigned m) {
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
  const names *of = r->names;
  const bool pace = keeps_pace(r);
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
}

// ---- registers that are live while a region is put in order

enum { NEAR_WORDS, FAR_WORDS, PREDICATES, FILES };

// What a register or predicate holds from one whole write to the next.
typedef struct value {
  uint32_t name;
  uint32_t reads;  // by instructions that have not been placed
  bool out, alive;
} value;

typedef struct pressure {
  const mir_kernel *k;
  value *values;
  uint32_t n_values;
  uint32_t words[FILES], limit[FILES];
} pressure;

static void count_words(const mir_kernel *k, uint32_t name, int sign, int words[FILES]) {
  if (name >= k->vreg_count) {
    words[PREDICATES] += sign;
    return;
  }
  for (unsigned f = NEAR_WORDS; f <= FAR_WORDS; f++)
    if (k->vregs[name].files >> f & 1)
      words[f] += sign * k->vregs[name].words;
}

// How many words more are live when an instruction is placed. `behind`: without what nobody reads,
// which needs a register only while it is written.
static void change_of(const pressure *p, const names *n, bool behind, int words[FILES]) {
  memset(words, 0, FILES * sizeof *words);
  for (unsigned m = 0; m < n->n_reads; m++) {
    const value *v = &p->values[n->read_values[m]];
    if (v->alive && v->reads == 1 && !v->out)
      count_words(p->k, v->name, -1, words);
  }
  for (unsigned m = 0; m < n->n_writes; m++) {
    const value *v = &p->values[n->write_values[m]];
    if (!v->alive && !(behind && !v->reads && !v->out))
      count_words(p->k, v->name, 1, words);
  }
}

static void take_place(pressure *p, const names *n) {
  int words[FILES];
  change_of(p, n, true, words);
  for (unsigned f = 0; f < FILES; f++)
    p->words[f] = (uint32_t)((int)p->words[f] + words[f]);
  for (unsigned m = 0; m < n->n_reads; m++) {
    value *v = &p->values[n->read_values[m]];
    v->alive &= --v->reads || v->out;
  }
  for (unsigned m = 0; m < n->n_writes; m++) {
    value *v = &p->values[n->write_values[m]];
    v->alive |= v->reads || v->out;
  }
}

static bool fits(const pressure *p, const names *n, int *more) {
  int words[FILES];
  bool ok = true;
  change_of(p, n, false, words);
  *more = words[NEAR_WORDS] + words[FAR_WORDS] + words[PREDICATES];
  for (unsigned f = 0; f < FILES; f++)
    ok &= words[f] <= 0 || p->words[f] + (uint32_t)words[f] <= p->limit[f];
  return ok;
}

static uint32_t value_new(pressure *p, uint32_t name, bool alive) {
  p->values[p->n_values] = (value){.name = name, .alive = alive};
  return p->n_values++;
}

// `before`, `behind`: what is live there.
static void find_values(pressure *p, region *r, const uint64_t *before, const uint64_t *behind) {
  const uint32_t all = p->k->vreg_count + p->k->pred_count, none = UINT32_MAX;
  uint32_t *now = mem_new(all, sizeof *now);
  memset(now, 0xff, all * sizeof *now);
  p->values = mem_new(r->count * 10, sizeof *p->values);
  for (uint32_t a = 0; a < r->count; a++) {
    const mir_inst *mi = &r->insts[a];
    names *n = &r->names[a];
    for (unsigned m = 0; m < n->n_reads; m++) {
      uint32_t *v = &now[n->reads[m]];
      if (*v == none)
        *v = value_new(p, n->reads[m], live_test(before, n->reads[m]));
      p->values[n->read_values[m] = *v].reads++;
    }
    for (unsigned m = 0; m < n->n_writes; m++) {
      const uint32_t name = n->writes[m];
      const bool whole =
          name < p->k->vreg_count ? mir_writes_whole(p->k, mi) : mi->i.guard == ISA_PT;
      if (whole || now[name] == none)
        now[name] = value_new(p, name, !whole && live_test(before, name));
      n->write_values[m] = now[name];
    }
  }
  for (uint32_t name = 0; name < all; name++)
    if (now[name] != none)
      p->values[now[name]].out = live_test(behind, name);
  free(now);
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
      const bool ok = fits(p, &r->names[a], &more);
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
    take_place(p, &r->names[best]);
    placed[n] = r->insts[best];
    cycle++;
  }
  memcpy(r->insts, placed, r->count * sizeof *placed);
  free(placed);
}

// `set`: what is live behind the region; before it when this returns.
static void schedule_region(const mir_kernel *k, const live *l, mir_inst *insts, uint32_t count,
                            const uint32_t limit[FILES], uint64_t *set) {
  region r = {.insts = insts, .count = count};
  pressure p = {.k = k};
  int words[FILES] = {0};
  uint64_t *behind = mem_new(l->words, sizeof *behind);
  memcpy(behind, set, l->words * sizeof *set);
  memcpy(p.limit, limit, sizeof p.limit);
  r.names = mem_new(count, sizeof *r.names);
  r.nodes = mem_new(count + 1, sizeof *r.nodes);
  for (uint32_t n = count; n-- > 0;) {
    r.names[n] = names_of(k, &insts[n]);
    live_step(l, k, &insts[n], set);
  }
  for (uint32_t name = 0; name < k->vreg_count + k->pred_count; name++)
    if (live_test(set, name))
      count_words(k, name, 1, words);
  for (unsigned f = 0; f < FILES; f++)
    p.words[f] = (uint32_t)words[f];
  find_values(&p, &r, set, behind);
  connect(&r);
  put_in_order(&r, &p);
  free(behind);
  free(r.names);
  free(r.nodes);
  free(r.edges);
  free(p.values);
}

static void schedule(mir_kernel *k, const uint32_t limit[FILES]) {
  live l;
  live_build(&l, k);
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

static uint32_t smaller(uint32_t x, uint32_t y) {
  return x < y ? x : y;
}
static uint32_t larger(uint32_t x, uint32_t y) {
  return x > y ? x : y;
}

// The most registers of a file that an order may need, where the program's order needs `before`.
static uint32_t most(const mir_kernel *k, unsigned file, uint32_t before, uint32_t max_regs) {
  return larger(smaller(mir_room(k, file), max_regs ? max_regs : UINT32_MAX), before);
}

// Counting words is not all, as classes of registers share no numbers: allocate says what an order
// needs. When that is too much, the next attempt has so many words fewer. A kernel that spills
// keeps its order, and so does one for which no attempt is good.
static void reorder(mir_kernel *k, uint32_t max_regs) {
  const uint32_t peak[FILES] = {live_peak(k, MIR_FILE_NEAR), live_peak(k, MIR_FILE_FAR),
                                live_peak_predicates(k)};
  uint32_t before[2], after[2], limit[FILES] = {[PREDICATES] = larger(ISA_PT, peak[PREDICATES])};
  if (!mir_registers(k, max_regs, before))
    return;
  for (unsigned f = 0; f < 2; f++) {
    const uint32_t wanted = larger((peak[f] + UNIT - 1) / UNIT * UNIT, free_words[f]);
    limit[f] = larger(smaller(wanted, most(k, f, before[f], max_regs)), peak[f]);
  }
  for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
    mir_kernel trial = mir_kernel_copy(k);
    schedule(&trial, limit);
    bool good = mir_registers(&trial, max_regs, after);
    for (unsigned f = 0; f < 2; f++) {
      const uint32_t bound = most(k, f, before[f], max_regs);
      good &= after[f] <= bound;
      if (after[f] > bound)
        limit[f] -= smaller(limit[f], after[f] - bound);
    }
    for (uint32_t b = 0; b < k->block_count && good; b++)
      memcpy(k->blocks[b].insts, trial.blocks[b].insts,
             k->blocks[b].count * sizeof *k->blocks[b].insts);
    mir_kernel_free_copy(&trial);
    if (good)
      return;
    limit[PREDICATES] = peak[PREDICATES];
  }
}

void mir_reorder(mir_module *m, uint32_t max_regs) {
  for (uint32_t n = 0; n < m->kernel_count; n++)
    reorder(&m->kernels[n], max_regs);
  m->stage = MIR_REORDERED;
}
