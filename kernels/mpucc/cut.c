// SPDX-License-Identifier: Apache-2.0
#include "cut.h"

#include <string.h>
#include "mem.h"

enum { NONE = -1 };

typedef struct edge {  // edge n and n ^ 1 are the two directions of one
  uint32_t to;
  int32_t next;
  int64_t room;
} edge;

struct cut {
  edge *edges;
  int32_t *first, *at;  // of each node: its edges, and the next one to try
  uint32_t *level, *queue;
  uint32_t nodes, node_room;
  int32_t count, room;
};

cut *cut_new(void) {
  cut *c = mem_new(1, sizeof *c);
  cut_node(c);
  cut_node(c);
  return c;
}

void cut_free(cut *c) {
  free(c->edges);
  free(c->first);
  free(c->at);
  free(c->level);
  free(c->queue);
  free(c);
}

uint32_t cut_node(cut *c) {
  if (c->nodes == c->node_room) {
    c->node_room = c->node_room ? 2 * c->node_room : 64;
    c->first = mem_resize(c->first, c->node_room, sizeof *c->first);
  }
  c->first[c->nodes] = NONE;
  return c->nodes++;
}

static void add(cut *c, uint32_t from, uint32_t to, int64_t room) {
  if (c->count == c->room) {
    c->room = c->room ? 2 * c->room : 256;
    c->edges = mem_resize(c->edges, (size_t)c->room, sizeof *c->edges);
  }
  c->edges[c->count] = (edge){to, c->first[from], room};
  c->first[from] = c->count++;
}

void cut_edge(cut *c, uint32_t from, uint32_t to, int64_t cost) {
  if (from == to || !cost)
    return;
  add(c, from, to, cost);
  add(c, to, from, 0);
}

// Distances from the near end along edges with room. False: the far end is out of reach.
static bool find_levels(cut *c) {
  uint32_t head = 0, tail = 0;
  memset(c->level, 0, c->nodes * sizeof *c->level);
  c->level[CUT_NEAR] = 1;
  for (c->queue[tail++] = CUT_NEAR; head < tail; head++)
    for (int32_t e = c->first[c->queue[head]]; e != NONE; e = c->edges[e].next)
      if (c->edges[e].room && !c->level[c->edges[e].to]) {
        c->level[c->edges[e].to] = c->level[c->queue[head]] + 1;
        c->queue[tail++] = c->edges[e].to;
      }
  return c->level[CUT_FAR] != 0;
}

// One path on which each step goes a level up; `queue` has its edges. 0: there is none.
static int64_t push(cut *c) {
  uint32_t at = CUT_NEAR, steps = 0;
  while (at != CUT_FAR) {
    int32_t e = c->at[at];
    while (e != NONE && !(c->edges[e].room && c->level[c->edges[e].to] == c->level[at] + 1))
      e = c->edges[e].next;
    c->at[at] = e;
    if (e != NONE) {
      c->queue[steps++] = (uint32_t)e;
      at = c->edges[e].to;
    } else if (steps) {  // a dead end
      c->level[at] = 0;
      at = c->edges[c->queue[--steps] ^ 1].to;
    } else {
      return 0;
    }
  }
  int64_t least = CUT_NEVER;
  for (uint32_t n = 0; n < steps; n++)
    least = c->edges[c->queue[n]].room < least ? c->edges[c->queue[n]].room : least;
  for (uint32_t n = 0; n < steps; n++) {
    c->edges[c->queue[n]].room -= least;
    c->edges[c->queue[n] ^ 1].room += least;
  }
  return least;
}

int64_t cut_solve(cut *c) {
  int64_t sum = 0, more;
  c->level = mem_new(c->nodes, sizeof *c->level);
  c->queue = mem_new(c->nodes, sizeof *c->queue);
  c->at = mem_new(c->nodes, sizeof *c->at);
  while (find_levels(c)) {
    memcpy(c->at, c->first, c->nodes * sizeof *c->at);
    while ((more = push(c)))
      sum += more;
  }
  return sum;
}

bool cut_is_near(const cut *c, uint32_t node) {
  return c->level[node] != 0;
}
