// SPDX-License-Identifier: Apache-2.0
#include "cfg.h"

#include <assert.h>
#include <string.h>
#include "mem.h"

// A graph to find dominators in: predecessors in compressed form, nodes in reverse post-order.
typedef struct flow {
  uint32_t nodes;
  const uint32_t *pred_first, *preds;
  const uint32_t *order, *index;
  uint32_t order_count;
} flow;

static void find_preds(uint32_t nodes, uint32_t (*succ)[2], const uint8_t *succ_count,
                       uint32_t *first, uint32_t *preds) {
  memset(first, 0, (nodes + 1) * sizeof *first);
  for (uint32_t b = 0; b < nodes; b++)
    for (unsigned s = 0; s < succ_count[b]; s++)
      first[succ[b][s] + 1]++;
  for (uint32_t b = 0; b < nodes; b++)
    first[b + 1] += first[b];
  uint32_t *next = mem_new(nodes + 1, sizeof *next);
  memcpy(next, first, (nodes + 1) * sizeof *next);
  for (uint32_t b = 0; b < nodes; b++)
    for (unsigned s = 0; s < succ_count[b]; s++)
      preds[next[succ[b][s]]++] = b;
  free(next);
}

// Reverse post-order from `root` along lists in compressed form.
static uint32_t find_order(uint32_t nodes, uint32_t root, const uint32_t *first,
                           const uint32_t *list, uint32_t *order, uint32_t *index) {
  uint32_t *stack = mem_new(nodes, sizeof *stack), *next = mem_new(nodes, sizeof *next);
  bool *seen = mem_new(nodes, sizeof *seen);
  uint32_t depth = 0, end = nodes, count;
  stack[depth++] = root;
  seen[root] = true;
  next[root] = first[root];
  while (depth) {
    uint32_t b = stack[depth - 1];
    if (next[b] < first[b + 1]) {
      uint32_t s = list[next[b]++];
      if (!seen[s]) {
        seen[s] = true;
        next[s] = first[s];
        stack[depth++] = s;
      }
    } else {
      order[--end] = b;
      depth--;
    }
  }
  count = nodes - end;
  memmove(order, order + end, count * sizeof *order);
  for (uint32_t b = 0; b < nodes; b++)
    index[b] = CFG_NONE;
  for (uint32_t n = 0; n < count; n++)
    index[order[n]] = n;
  free(stack);
  free(next);
  free(seen);
  return count;
}

// Cooper, Harvey and Kennedy: intersect along the tree until nothing changes.
static void find_idoms(const flow *f, uint32_t *idom) {
  for (uint32_t b = 0; b < f->nodes; b++)
    idom[b] = CFG_NONE;
  uint32_t root = f->order[0];
  idom[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = 1; n < f->order_count; n++) {
      uint32_t b = f->order[n], dom = CFG_NONE;
      for (uint32_t p = f->pred_first[b]; p < f->pred_first[b + 1]; p++) {
        uint32_t q = f->preds[p];
        if (f->index[q] == CFG_NONE || idom[q] == CFG_NONE)
          continue;
        if (dom == CFG_NONE) {
          dom = q;
          continue;
        }
        while (dom != q) {
          while (f->index[dom] > f->index[q])
            dom = idom[dom];
          while (f->index[q] > f->index[dom])
            q = idom[q];
        }
      }
      changed |= idom[b] != dom;
      idom[b] = dom;
    }
  }
  idom[root] = CFG_NONE;
}

bool cfg_dominates(const cfg *c, uint32_t a, uint32_t b) {
  while (b != CFG_NONE && c->rpo_of[b] > c->rpo_of[a])
    b = c->idom[b];
  return a == b;
}

// Natural loops by their heads: the bodies of all back edges to one head are one loop.
static void find_depths(cfg *c) {
  uint32_t *stack = mem_new(c->count, sizeof *stack);
  uint32_t *mark = mem_new(c->count, sizeof *mark);  // head + 1 of the loop last seen in
  for (uint32_t n = 0; n < c->rpo_count; n++) {
    uint32_t head = c->rpo[n], depth = 0;
    for (uint32_t p = c->pred_first[head]; p < c->pred_first[head + 1]; p++) {
      uint32_t q = c->preds[p];
      if (c->rpo_of[q] == CFG_NONE || !cfg_dominates(c, head, q))
        continue;
      if (mark[head] != head + 1) {
        mark[head] = head + 1;
        c->depth[head]++;
      }
      if (mark[q] != head + 1) {
        mark[q] = head + 1;
        stack[depth++] = q;
      }
    }
    while (depth) {
      uint32_t b = stack[--depth];
      c->depth[b]++;
      for (uint32_t p = c->pred_first[b]; p < c->pred_first[b + 1]; p++) {
        uint32_t q = c->preds[p];
        if (c->rpo_of[q] != CFG_NONE && mark[q] != head + 1) {
          mark[q] = head + 1;
          stack[depth++] = q;
        }
      }
    }
  }
  free(stack);
  free(mark);
}

// Of a call the block where it comes back, of a return the exit, in place of their target.
static uint32_t over(const mir_kernel *k, uint32_t b) {
  const mir_block *x = &k->blocks[b];
  const isa_inst *last = x->count ? &x->insts[x->count - 1].i : NULL;
  return last && mir_is_call(last)     ? last->reconv
         : last && mir_is_return(last) ? k->block_count
                                       : CFG_NONE;
}

// How lanes end in a block, other than by leaving it without a successor.
static uint8_t ends(const mir_kernel *k, uint32_t b) {
  const mir_block *x = &k->blocks[b];
  uint8_t end = 0;
  for (uint32_t n = 0; n < x->count; n++) {
    const isa_inst *i = &x->insts[n].i;
    const bool always = i->guard == ISA_PT && !i->guard_neg;
    if (i->op == ISA_OP_EXIT && !always)
      end |= CFG_GUARDED;
    else if (i->op == ISA_OP_EXIT && x->count == 1)
      end |= CFG_LONE;
    else if (i->op == ISA_OP_TRAP && always && n + 1 == x->count)
      end |= CFG_TRAP;
  }
  return end;
}

void cfg_build(cfg *c, const mir_kernel *k) {
  uint32_t edges = 0, n = c->count = k->block_count;
  assert(n);
  c->succ = mem_new(n, sizeof *c->succ);
  c->succ_count = mem_new(n, 1);
  c->over = mem_new(n, sizeof *c->over);
  c->end = mem_new(n, 1);
  for (uint32_t b = 0; b < n; b++) {
    c->succ_count[b] = (uint8_t)mir_succs(k, b, c->succ[b]);
    c->over[b] = over(k, b);
    c->end[b] = ends(k, b);
    edges += c->succ_count[b];
  }
  c->pred_first = mem_new(n + 1, sizeof *c->pred_first);
  c->preds = mem_new(edges, sizeof *c->preds);
  find_preds(n, c->succ, c->succ_count, c->pred_first, c->preds);
  uint32_t *first = mem_new(n + 1, sizeof *first), *list = mem_new(edges, sizeof *list);
  for (uint32_t b = 0; b < n; b++) {
    first[b + 1] = first[b] + c->succ_count[b];
    // The fall-through (last in the list) is visited last and so comes first in the order.
    for (unsigned s = 0; s < c->succ_count[b]; s++)
      list[first[b] + s] = c->succ[b][s];
  }
  c->rpo = mem_new(n, sizeof *c->rpo);
  c->rpo_of = mem_new(n, sizeof *c->rpo_of);
  c->rpo_count = find_order(n, 0, first, list, c->rpo, c->rpo_of);
  free(first);
  free(list);
  c->idom = mem_new(n, sizeof *c->idom);
  find_idoms(&(flow){n, c->pred_first, c->preds, c->rpo, c->rpo_of, c->rpo_count}, c->idom);
  c->depth = mem_new(n, sizeof *c->depth);
  find_depths(c);
}

void cfg_free(cfg *c) {
  free(c->succ);
  free(c->succ_count);
  free(c->over);
  free(c->end);
  free(c->pred_first);
  free(c->preds);
  free(c->rpo);
  free(c->rpo_of);
  free(c->idom);
  free(c->depth);
}

// ---- post-dominance: the same on the reversed graph

// Edges towards the exit. Node `count` is the virtual exit, node count + 1 + b stands in front of b
// when b is the head of a loop without an end.
typedef struct exits {
  const cfg *c;
  uint32_t nodes;
  uint32_t (*succ)[2];
  uint8_t *succ_count;
  uint32_t *pred_first, *preds;
  bool *reaches;
  uint32_t *stack;
} exits;

// Who reaches one of the nodes whose `from` is set, over the edges as they are: how many do.
static uint32_t mark_reaching(exits *e, const bool *from) {
  uint32_t depth = 0, marked = 0;
  find_preds(e->nodes, e->succ, e->succ_count, e->pred_first, e->preds);
  memcpy(e->reaches, from, e->nodes);
  for (uint32_t b = 0; b < e->nodes; b++)
    if (from[b])
      e->stack[depth++] = b;
  while (depth) {
    uint32_t b = e->stack[--depth];
    marked++;
    for (uint32_t p = e->pred_first[b]; p < e->pred_first[b + 1]; p++)
      if (!e->reaches[e->preds[p]]) {
        e->reaches[e->preds[p]] = true;
        e->stack[depth++] = e->preds[p];
      }
  }
  return marked;
}

// Leaves out edges to blocks from which all ways end in a trap, which ends everything. `ends`:
// where lanes end otherwise. A kernel that ends by traps only keeps them.
static void drop_traps(exits *e, const bool *ends) {
  const cfg *c = e->c;
  bool *traps = mem_new(e->nodes, 1), *lost = mem_new(e->nodes, 1);
  for (uint32_t b = 0; b < c->count; b++)
    traps[b] = c->end[b] & CFG_TRAP;
  mark_reaching(e, traps);
  memcpy(lost, e->reaches, e->nodes);
  mark_reaching(e, ends);
  for (uint32_t b = 0; b < c->count; b++)
    lost[b] = lost[b] && !e->reaches[b];
  for (uint32_t b = 0; b < c->count && e->reaches[0]; b++)
    for (unsigned s = 0; s < 2 && e->succ_count[b] == 2; s++)
      if (lost[e->succ[b][s]] && !lost[b]) {
        e->succ[b][0] = e->succ[b][1 - s];
        e->succ_count[b] = 1;
      }
  for (uint32_t b = 0; b < c->count; b++)
    if (traps[b])
      e->succ[b][e->succ_count[b]++] = c->count;
  free(traps);
  free(lost);
}

// Edges to a block from others than those that are `in`.
static uint32_t entries(const cfg *c, const bool *in, uint32_t b) {
  uint32_t count = 0;
  for (uint32_t p = c->pred_first[b]; p < c->pred_first[b + 1]; p++)
    count += !in[c->preds[p]] && c->rpo_of[c->preds[p]] != CFG_NONE;
  return count;
}

// How many blocks the lanes of an edge run until they end, if these have no other entry but for
// lone exits; 0: others run them too. Changes e->stack.
static uint32_t leaving(exits *e, uint32_t from, uint32_t to) {
  const cfg *c = e->c;
  if (to >= c->count)
    return 0;
  bool *seen = mem_new(c->count, 1), own = true;
  uint32_t count = 0;
  e->stack[count++] = to, seen[to] = true;
  for (uint32_t n = 0; n < count && own; n++) {
    const uint32_t b = e->stack[n];
    own = c->over[b] == CFG_NONE;
    for (unsigned s = 0; s < c->succ_count[b]; s++)
      if (!seen[c->succ[b][s]]) {
        seen[c->succ[b][s]] = true;
        e->stack[count++] = c->succ[b][s];
      }
  }
  own = own && !seen[from] && entries(c, seen, to) == 1;
  for (uint32_t n = 1; n < count && own; n++)
    own = c->end[e->stack[n]] & CFG_LONE || entries(c, seen, e->stack[n]) == 0;
  free(seen);
  return own ? count : 0;
}

// Leaves out edges to blocks that just end the lanes of one branch, when all others still end:
// those to the fewest blocks first, as the rest of a kernel behind a loop is such blocks too.
static void drop_leaving(exits *e, const bool *ends) {
  const cfg *c = e->c;
  const uint32_t all = mark_reaching(e, ends);
  uint32_t(*size)[2] = mem_new(c->count, sizeof *size), most = 0;
  for (uint32_t b = 0; b < c->count; b++) {
    if (e->succ_count[b] != 2 || c->rpo_of[b] == CFG_NONE)
      continue;
    const uint32_t first = leaving(e, b, e->succ[b][0]), second = leaving(e, b, e->succ[b][1]);
    if (!first != !second)
      size[b][0] = first, size[b][1] = second;
    most = first + second > most ? first + second : most;
  }
  for (uint32_t blocks = 1; blocks <= most; blocks++)
    for (uint32_t n = 0; n < c->rpo_count; n++) {
      const uint32_t b = c->rpo[n];
      const unsigned s = size[b][1] == blocks;
      if (e->succ_count[b] != 2 || size[b][s] != blocks)
        continue;
      const uint32_t to = e->succ[b][s], other = e->succ[b][1 - s];
      e->succ[b][0] = other;
      e->succ_count[b] = 1;
      if (mark_reaching(e, ends) != all) {
        e->succ[b][s] = to;
        e->succ[b][1 - s] = other;
        e->succ_count[b] = 2;
      }
    }
  free(size);
}

// Can a block that reaches no exit get back to b without going down the order?
static bool is_endless_head(const exits *e, uint32_t b) {
  const cfg *c = e->c;
  for (uint32_t p = e->pred_first[b]; p < e->pred_first[b + 1]; p++)
    if (e->preds[p] < c->count && !e->reaches[e->preds[p]] && c->rpo_of[e->preds[p]] != CFG_NONE &&
        c->rpo_of[e->preds[p]] >= c->rpo_of[b])
      return true;
  return false;
}

// Whether all ways from a block come back to it. Changes e->reaches.
static bool never_leaves(exits *e, uint32_t from) {
  bool *seen = mem_new(e->nodes, 1), back = true;
  uint32_t depth = 0;
  seen[from] = true;
  mark_reaching(e, seen);
  e->stack[depth++] = from;
  while (depth && back) {
    const uint32_t b = e->stack[--depth];
    for (unsigned s = 0; s < e->succ_count[b]; s++) {
      const uint32_t to = e->succ[b][s];
      back &= e->reaches[to];
      if (!seen[to])
        e->stack[depth++] = to;
      seen[to] = true;
    }
  }
  free(seen);
  return back;
}

// Loops without an end, the outer ones first, are left in front of their heads. So the lanes of a
// branch in the loop meet in the same turn, or at the head.
static void connect_endless(exits *e, const bool *exit) {
  const cfg *c = e->c;
  const uint32_t end = c->count;
  mark_reaching(e, exit);
  for (uint32_t n = 0; n < c->rpo_count; n++) {
    const uint32_t head = c->rpo[n], front = end + 1 + head;
    if (e->reaches[head] || !is_endless_head(e, head))
      continue;
    const bool endless = never_leaves(e, head);
    mark_reaching(e, exit);
    if (!endless)
      continue;
    for (uint32_t b = 0; b < e->nodes; b++)
      for (unsigned s = 0; s < e->succ_count[b]; s++)
        if (e->succ[b][s] == head)
          e->succ[b][s] = front;
    e->succ[front][0] = head;
    e->succ[front][1] = end;
    e->succ_count[front] = 2;
    mark_reaching(e, exit);
  }
  for (uint32_t n = c->rpo_count; n-- > 0;)  // calls that never come back
    if (!e->reaches[c->rpo[n]]) {
      e->succ[c->rpo[n]][0] = end;
      if (!e->succ_count[c->rpo[n]])
        e->succ_count[c->rpo[n]] = 1;
      mark_reaching(e, exit);
    }
}

void cfg_post_dominators(const cfg *c, uint32_t *out) {
  const uint32_t n = c->count, nodes = 2 * n + 1;
  exits e = {c,
             nodes,
             mem_new(nodes, sizeof *e.succ),
             mem_new(nodes, 1),
             mem_new(nodes + 1, sizeof *e.pred_first),
             mem_new(2 * nodes, sizeof *e.preds),
             mem_new(nodes, 1),
             mem_new(nodes, sizeof *e.stack)};
  bool *exit = mem_new(nodes, 1), *ends = mem_new(nodes, 1);
  exit[n] = ends[n] = true;
  for (uint32_t o = 0; o < c->rpo_count; o++) {
    uint32_t b = c->rpo[o];
    memcpy(e.succ[b], c->succ[b], sizeof e.succ[b]);
    e.succ_count[b] = c->succ_count[b];
    if (c->over[b] != CFG_NONE)
      e.succ[b][0] = c->over[b];
    if (!e.succ_count[b] && !(c->end[b] & CFG_TRAP))
      e.succ[b][e.succ_count[b]++] = n;
    ends[b] = c->end[b] & CFG_GUARDED;
  }
  drop_traps(&e, ends);
  drop_leaving(&e, ends);
  connect_endless(&e, exit);
  uint32_t *order = mem_new(nodes, sizeof *order), *index = mem_new(nodes, sizeof *index);
  uint32_t *first = mem_new(nodes + 1, sizeof *first), *list = mem_new(2 * nodes, sizeof *list);
  uint32_t *idom = mem_new(nodes, sizeof *idom);
  uint32_t count = find_order(nodes, n, e.pred_first, e.preds, order, index);
  for (uint32_t b = 0; b < nodes; b++) {
    first[b + 1] = first[b] + e.succ_count[b];
    for (unsigned s = 0; s < e.succ_count[b]; s++)
      list[first[b] + s] = e.succ[b][s];
  }
  find_idoms(&(flow){nodes, first, list, order, index, count}, idom);
  for (uint32_t b = 0; b <= n; b++)
    out[b] = idom[b] == CFG_NONE || idom[b] <= n ? idom[b] : idom[b] - n - 1;
  free(e.succ);
  free(e.succ_count);
  free(e.pred_first);
  free(e.preds);
  free(e.reaches);
  free(e.stack);
  free(exit);
  free(ends);
  free(order);
  free(index);
  free(first);
  free(list);
  free(idom);
}
