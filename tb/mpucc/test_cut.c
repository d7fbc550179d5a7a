// SPDX-License-Identifier: Apache-2.0
// The cut against all divisions of small random graphs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kernels/mpucc/cut.h"

enum { NODES = 10, EDGES = 40 };

typedef struct graph {
  uint32_t nodes, edges;
  struct {
    uint32_t from, to;
    int64_t cost;
  } edge[EDGES];
} graph;

static uint32_t next(uint32_t *state, uint32_t below) {
  *state = *state * 1664525 + 1013904223;
  return (*state >> 8) % below;
}

static int64_t cost_of(const graph *g, uint32_t near) {
  int64_t sum = 0;
  for (uint32_t e = 0; e < g->edges; e++)
    if ((near >> g->edge[e].from & 1) && !(near >> g->edge[e].to & 1)) {
      if (g->edge[e].cost == CUT_NEVER)
        return CUT_NEVER;
      sum += g->edge[e].cost;
    }
  return sum;
}

// `near` has a bit for each node; CUT_NEAR's is always set and CUT_FAR's never.
static int64_t least_of(const graph *g, uint32_t *near) {
  int64_t least = CUT_NEVER;
  for (uint32_t rest = 0; rest < 1u << (g->nodes - 2); rest++) {
    const uint32_t n = rest << 2 | 1u << CUT_NEAR;
    const int64_t cost = cost_of(g, n);
    const bool fewer = __builtin_popcount(n) < __builtin_popcount(*near);
    if (cost < least || (cost == least && fewer)) {
      least = cost;
      *near = n;
    }
  }
  return least;
}

static void random_graphs(void **state) {
  (void)state;
  uint32_t possible = 0;
  for (uint32_t seed = 0; seed < 3000; seed++) {
    uint32_t r = seed, near = 0, got = 0;
    graph g = {.nodes = 3 + next(&r, NODES - 2), .edges = next(&r, EDGES + 1)};
    cut *c = cut_new();
    for (uint32_t n = 2; n < g.nodes; n++)
      assert_int_equal(cut_node(c), n);
    for (uint32_t e = 0; e < g.edges; e++) {
      g.edge[e].from = next(&r, g.nodes);
      g.edge[e].to = next(&r, g.nodes);
      g.edge[e].cost = next(&r, 8) ? next(&r, 20) : CUT_NEVER;
    }
    const int64_t least = least_of(&g, &near);
    for (uint32_t e = 0; e < g.edges && least < CUT_NEVER; e++)
      cut_edge(c, g.edge[e].from, g.edge[e].to, g.edge[e].cost);
    if (least < CUT_NEVER) {
      possible++;
      if (cut_solve(c) != least)
        fail_msg("seed %u: not the least cost, %lld", seed, (long long)least);
      for (uint32_t n = 0; n < g.nodes; n++)
        got |= (uint32_t)cut_is_near(c, n) << n;
      if (got != near)
        fail_msg("seed %u: near are %x, not %x", seed, got, near);
    }
    cut_free(c);
  }
  assert_true(possible > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
