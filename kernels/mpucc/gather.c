// SPDX-License-Identifier: Apache-2.0
// Lanes that a branch parts may come to the same block by both ways before all of them meet, and
// then run it one part after the other: behind `if (a && b) continue;` those without a, and those
// without b. Nobody sees that but functions of warps and barriers. Where there are some, the lanes
// are gathered: each way out of the branch says in a predicate where it leads, and all go on in one
// block, which branches by it.
#include <string.h>
#include "cfg.h"
#include "mem.h"

// A branch is gathered again when that of another one has parted its lanes anew, but not for ever:
// where a loop never ends its lanes do not come.
enum { GATHERS = 3 };

typedef struct added {
  uint32_t behind;  // the block that it stands behind
  uint8_t gathered;
} added;

typedef struct gather {
  mir_kernel *k;
  uint32_t blocks;    // before anything is added
  uint32_t (*to)[2];  // ways of a block; a call's leads to where it comes back
  uint8_t *ways;
  cfg c;
  uint32_t *meet;
  bool *warp;         // has a function of warps
  uint8_t *gathered;  // how often a branch was
  // of the branch at hand: where its two ways lead before its lanes meet, and all up to there
  bool *first, *second, *region;
  uint32_t *stack;
  added *added;
} gather;

static bool is_of_warps(const mir_block *b) {
  for (uint32_t n = 0; n < b->count; n++)
    switch (b->insts[n].i.op) {
      case ISA_OP_VOTE:
      case ISA_OP_SHFL:
      case ISA_OP_MATCH:
      case ISA_OP_REDUX:
      case ISA_OP_ACTIVEMASK:
      case ISA_OP_BAR:
      case ISA_OP_BARW:
        return true;
      case ISA_OP_BRA:
        if (mir_is_call(&b->insts[n].i))  // of a function that may have one
          return true;
    }
  return false;
}

static void begin(gather *g, mir_kernel *k, uint8_t *gathered) {
  const uint32_t n = k->block_count;
  *g = (gather){.k = k, .blocks = n, .gathered = gathered};
  cfg_build(&g->c, k);
  g->meet = mem_new(n + 1, sizeof *g->meet);
  cfg_post_dominators(&g->c, g->meet);
  g->to = mem_new(n, sizeof *g->to);
  g->ways = mem_new(n, 1);
  g->warp = mem_new(n, 1);
  for (uint32_t b = 0; b < n; b++) {
    memcpy(g->to[b], g->c.succ[b], sizeof g->to[b]);
    g->ways[b] = g->c.succ_count[b];
    if (g->c.over[b] != CFG_NONE)
      g->to[b][0] = g->c.over[b], g->ways[b] = g->c.over[b] < n;
    g->warp[b] = is_of_warps(&k->blocks[b]);
  }
  g->first = mem_new(n, 1);
  g->second = mem_new(n, 1);
  g->region = mem_new(n, 1);
  g->stack = mem_new(n, sizeof *g->stack);
}

static void end(gather *g) {
  cfg_free(&g->c);
  free(g->meet);
  free(g->to);
  free(g->ways);
  free(g->warp);
  free(g->first);
  free(g->second);
  free(g->region);
  free(g->stack);
  free(g->added);
}

// ---- where

// The blocks from one on, without `stop` and `other`. `down`: in this turn of the loops around, and
// none if it is one of the two.
static void reach(gather *g, uint32_t from, uint32_t stop, uint32_t other, bool down, bool *seen) {
  uint32_t depth = 0;
  memset(seen, 0, g->blocks);
  if (!down || (from != stop && from != other))
    g->stack[depth++] = from, seen[from] = true;
  while (depth) {
    const uint32_t b = g->stack[--depth];
    for (unsigned w = 0; w < g->ways[b]; w++) {
      const uint32_t to = g->to[b][w];
      if (to != stop && to != other && !seen[to] && (!down || g->c.rpo_of[to] > g->c.rpo_of[b]))
        g->stack[depth++] = to, seen[to] = true;
    }
  }
}

// The first block to which lanes of a branch come by both ways before they meet, if they come to a
// function of warps so; else CFG_NONE.
static uint32_t parted(gather *g, uint32_t b) {
  bool warps = false;
  uint32_t first = CFG_NONE;
  reach(g, g->to[b][0], g->meet[b], CFG_NONE, true, g->first);
  reach(g, g->to[b][1], g->meet[b], CFG_NONE, true, g->second);
  for (uint32_t n = 0; n < g->c.rpo_count; n++) {
    const uint32_t x = g->c.rpo[n];
    if (!g->first[x] || !g->second[x])
      continue;
    first = first == CFG_NONE ? x : first;
    warps |= g->warp[x];
  }
  return warps ? first : CFG_NONE;
}

static isa_inst *last_of(const mir_kernel *k, uint32_t b) {
  return k->blocks[b].count ? &k->blocks[b].insts[k->blocks[b].count - 1].i : NULL;
}

static bool ends(const mir_kernel *k, uint32_t b, unsigned op) {
  const isa_inst *i = last_of(k, b);
  return i && i->op == op && i->guard == ISA_PT && !i->guard_neg;
}

// Can all ways of the region to one of the two blocks, or to the end, be led elsewhere? Those of
// calls and returns cannot.
static bool can_be_led(const gather *g, uint32_t to, uint32_t meet) {
  for (uint32_t b = 0; b < g->blocks; b++)
    if (g->region[b] && g->c.over[b] != CFG_NONE && (g->to[b][0] == to || g->to[b][0] == meet))
      return false;
  return true;
}

// ---- what

static mir_place place_of(const mir_kernel *k, uint32_t b) {
  const mir_block *x = &k->blocks[b];
  return x->count ? x->insts[x->count - 1].at : (mir_place){0};
}

static isa_inst jump(uint32_t to) {
  isa_inst i = isa_inst_new(ISA_OP_BRA, ISA_TYPE_NONE);
  i.imm = to;
  i.reconv = MIR_NO_BLOCK;
  return i;
}

// A predicate as another one, or always.
static isa_inst set(isa_reg p, isa_reg as, bool negated) {
  isa_inst i = isa_inst_new(ISA_OP_PLOP, ISA_TYPE_PRED);
  i.boolop = ISA_BOOL_AND;
  i.pd = p;
  i.ps = as;
  i.ps_neg = negated;
  return i;
}

static uint32_t add_block(gather *g, added a, const char *label) {
  const uint32_t b = mir_block_add(g->k, label), n = b - g->blocks;
  g->added = mem_grow(g->added, n, sizeof *g->added);
  g->added[n] = a;
  return b;
}

// One that leads on by p.
static uint32_t add_jump(gather *g, uint32_t behind, isa_reg p) {
  char label[40];  // no other has one of this predicate
  snprintf(label, sizeof label, ".gather%u.%u", ISA_REG_ID(p), g->k->block_count - g->blocks);
  return add_block(g, (added){behind, GATHERS}, label);
}

// The ways of block b that leave for `to` or `meet` lead to `all` instead, and say which in p. So
// does an exit when lanes meet only there.
static void lead(gather *g, uint32_t b, uint32_t to, uint32_t meet, uint32_t all, isa_reg p) {
  mir_kernel *k = g->k;
  mir_block *x = &k->blocks[b];
  const mir_place at = place_of(k, b);
  isa_inst *last = last_of(k, b);
  bool parts = g->ways[b] == 2;
  if (meet == g->blocks && last && last->op == ISA_OP_EXIT) {
    isa_inst i = jump(meet);
    i.guard = last->guard;
    i.guard_neg = last->guard_neg;
    parts = !ends(k, b, ISA_OP_EXIT);
    *last = i;
  } else if (!g->ways[b] || g->c.over[b] != CFG_NONE) {
    return;
  }
  const bool branch = last && last->op == ISA_OP_BRA;
  const uint32_t taken = branch ? last->imm : b + 1;
  const bool leaves = taken == to || taken == meet;
  const bool falls_out = parts && (b + 1 == to || b + 1 == meet);
  if (!leaves && !falls_out)
    return;
  if (!parts) {
    x->count -= branch;
    mir_append(k, b, set(p, ISA_PT, taken != to), at);
    mir_append(k, b, jump(all), at);
  } else if (leaves && falls_out) {
    *last = set(p, last->guard, last->guard_neg != (taken != to));
    mir_append(k, b, jump(all), at);
  } else {  // lanes that stay have p set too, and set it again when they leave
    if (leaves)
      last->imm = all;
    mir_insert(x, x->count - 1, set(p, ISA_PT, leaves ? taken != to : b + 1 != to), at);
    if (falls_out)
      mir_append(k, add_jump(g, b, p), jump(all), at);
  }
}

// Added blocks go to where they shall stand.
static void put_in_place(gather *g) {
  mir_kernel *k = g->k;
  const uint32_t n = k->block_count, added = n - g->blocks;
  uint32_t *now = mem_new(n, sizeof *now), at = 0;
  mir_block *blocks = mem_new(n, sizeof *blocks);
  uint8_t *gathered = mem_new(n, 1);
  for (uint32_t b = 0; b < g->blocks; b++) {
    now[b] = at;
    gathered[at] = g->gathered[b];
    blocks[at++] = k->blocks[b];
    for (uint32_t a = 0; a < added; a++)
      if (g->added[a].behind == b) {
        now[g->blocks + a] = at;
        gathered[at] = g->added[a].gathered;
        blocks[at++] = k->blocks[g->blocks + a];
      }
  }
  memcpy(k->blocks, blocks, n * sizeof *blocks);
  for (uint32_t b = 0; b < n; b++) {
    isa_inst *i = last_of(k, b);
    if (!i || i->op != ISA_OP_BRA)
      continue;
    i->imm = now[i->imm];
    i->reconv = i->reconv == MIR_NO_BLOCK ? MIR_NO_BLOCK : now[i->reconv];
  }
  free(now);
  free(blocks);
  free(g->gathered);
  g->gathered = gathered;
}

static bool is_guarded_exit(const isa_inst *i) {
  return i->op == ISA_OP_EXIT && (i->guard != ISA_PT || i->guard_neg);
}

// What stands behind a guarded exit in a block of the region becomes a block of its own. False:
// nothing does.
static bool part_at_exits(gather *g) {
  mir_kernel *k = g->k;
  for (uint32_t b = 0; b < g->blocks; b++) {
    uint32_t n = 0;
    while (n < k->blocks[b].count && !is_guarded_exit(&k->blocks[b].insts[n].i))
      n++;
    if (!g->region[b] || n + 1 >= k->blocks[b].count)
      continue;
    char label[100];
    snprintf(label, sizeof label, "%.80s.rest", k->blocks[b].label);
    const uint32_t rest = add_block(g, (added){b, g->gathered[b]}, label);
    mir_block *x = &k->blocks[b];
    for (uint32_t m = n + 1; m < x->count; m++)
      *mir_append(k, rest, x->insts[m].i, x->insts[m].at) = x->insts[m];
    x->count = n + 1;
  }
  if (k->block_count == g->blocks)
    return false;
  put_in_place(g);
  return true;
}

static void apply(gather *g, uint32_t to, uint32_t meet) {
  mir_kernel *k = g->k;
  const isa_reg p = mir_pred_new(k);
  const mir_place at = place_of(k, to);
  uint32_t behind = to;  // in the same function, where no block goes on with the next
  while (behind + 1 < g->blocks && !ends(k, behind, ISA_OP_BRA) && !ends(k, behind, ISA_OP_EXIT) &&
         !ends(k, behind, ISA_OP_TRAP))
    behind++;
  const uint32_t all = add_jump(g, behind, p), other = add_jump(g, behind, p);
  isa_inst go = jump(to);
  go.guard = p;
  mir_append(k, all, go, at);
  mir_append(k, other, meet < g->blocks ? jump(meet) : isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE),
             at);
  for (uint32_t b = 0; b < g->blocks; b++)
    if (g->region[b])
      lead(g, b, to, meet, all, p);
  put_in_place(g);
}

// The next branch that needs it. False: there is none.
static bool gather_next(mir_kernel *k, uint8_t **gathered) {
  gather g;
  bool done = false;
  begin(&g, k, *gathered);
  for (uint32_t n = 0; n < g.c.rpo_count && !done; n++) {
    const uint32_t b = g.c.rpo[n];
    const uint32_t to = g.ways[b] == 2 && g.gathered[b] < GATHERS ? parted(&g, b) : CFG_NONE;
    if (to == CFG_NONE)
      continue;
    reach(&g, b, g.meet[b], to, false, g.region);
    if (!can_be_led(&g, to, g.meet[b])) {
      g.gathered[b] = GATHERS;
      continue;
    }
    done = true;
    if (g.meet[b] == g.blocks && part_at_exits(&g))
      continue;
    g.gathered[b]++;
    apply(&g, to, g.meet[b]);
  }
  *gathered = g.gathered;
  end(&g);
  return done;
}

void mir_gather(mir_kernel *k) {
  bool warps = false;
  uint8_t *gathered = mem_new(k->block_count, 1);
  for (uint32_t b = 0; b < k->block_count; b++)
    warps |= is_of_warps(&k->blocks[b]);
  while (warps && gather_next(k, &gathered))
    continue;
  free(gathered);
}
