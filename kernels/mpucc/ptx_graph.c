// SPDX-License-Identifier: Apache-2.0
// Which functions stand once in a kernel: those in rings of the call graph (Tarjan's strongly
// connected components), and large ones that many calls through pointers may mean.
#include <stdlib.h>
#include <string.h>
#include "mem.h"
#include "ptx_calls.h"

// Statements of all that calls through pointers may mean, inlined at each call: more than that, and
// functions of at least SMALL statements stand. A call by the stack takes about as many.
enum { INLINED = 4000, SMALL = 24 };

typedef struct graph {
  inliner *in;
  callee **open;  // met, and not in a component yet
  uint32_t open_count, order, regions;
} graph;

static void visit(graph *g, callee *x, unsigned depth, const ptx_stmt *s);

static void lead_to(graph *g, callee *from, callee *to, unsigned depth, const ptx_stmt *s) {
  if (to->state == CALLEE_FRESH)
    visit(g, to, depth + 1, s);
  if (to->state == CALLEE_BUSY && to->low < from->low)
    from->low = to->low;
  from->stands |= to == from;  // more of a ring is found at its end
}

static void follow(graph *g, callee *x, const ptx_stmt *s, unsigned depth) {
  call_parts c;
  g->in->ok = true;
  if (calls_is_pure(s) || !calls_split(g->in, s, x->f, &c))
    return;
  if (c.f)
    lead_to(g, x, c.f->callee, depth, s);
  for (uint32_t n = 0; !c.f && n < g->in->taken_count; n++)
    if (calls_fits(&c, g->in->taken[n]->f)) {
      g->in->taken[n]->sites++;
      lead_to(g, x, g->in->taken[n], depth, s);
    }
}

// x leads back to nothing before it: what is open from x on is a component.
static void close(graph *g, const callee *x) {
  const bool ring = g->open[g->open_count - 1] != x;
  callee *y;
  do {
    y = g->open[--g->open_count];
    y->state = CALLEE_DONE;
    y->region = g->regions;
    y->stands |= ring;
  } while (y != x);
  g->regions++;
}

static void visit(graph *g, callee *x, unsigned depth, const ptx_stmt *s) {
  if (depth > CALLS_MAX_DEPTH) {
    calls_refuse(g->in, s, "too many calls inside each other, the innermost of %s: use a loop",
                 x->f->name);
    return;
  }
  x->state = CALLEE_BUSY;
  x->order = x->low = g->order++;
  g->open[g->open_count++] = x;
  for (uint32_t n = 0; n < x->f->stmt_count; n++)
    if (calls_is(&x->f->stmts[n]))
      follow(g, x, &x->f->stmts[n], depth);
  if (x->low == x->order)
    close(g, x);
}

// Its statements with those of what is inlined into it.
static uint64_t weigh(inliner *in, callee *x) {
  if (x->weight)
    return x->weight;
  x->weight = x->f->stmt_count + 1;
  for (uint32_t n = 0; n < x->f->stmt_count && x->weight < INLINED; n++) {
    call_parts c;
    if (!calls_is(&x->f->stmts[n]) || calls_is_pure(&x->f->stmts[n]) ||
        !calls_split(in, &x->f->stmts[n], x->f, &c))
      continue;
    if (c.f && !c.f->callee->stands)
      x->weight += weigh(in, c.f->callee);
    for (uint32_t k = 0; !c.f && k < in->taken_count; k++)
      if (!in->taken[k]->stands && calls_fits(&c, in->taken[k]->f))
        x->weight += weigh(in, in->taken[k]);
  }
  return x->weight;
}

static void stand_large(inliner *in) {
  uint64_t all = 0;
  for (uint32_t n = 0; n < in->taken_count; n++)
    if (!in->taken[n]->stands && in->taken[n]->sites)
      all += weigh(in, in->taken[n]) * in->taken[n]->sites;
  if (all <= INLINED)
    return;
  for (uint32_t n = 0; n < in->taken_count; n++)
    in->taken[n]->stands |= in->taken[n]->sites > 1 && in->taken[n]->weight >= SMALL;
}

void calls_graph(inliner *in) {
  const uint32_t count = in->m->function_count;
  graph g = {.in = in, .open = mem_new(count + 1, sizeof *g.open)};
  for (uint32_t n = 0; n < count; n++)
    if (in->callees[n].state == CALLEE_FRESH && in->m->functions[n]->is_entry)
      visit(&g, &in->callees[n], 0, NULL);
  if (!diag_errors(in->d))
    stand_large(in);
  for (uint32_t n = 0; n < count; n++)
    in->callees[n].state = CALLEE_FRESH;
  free(g.open);
}
