// SPDX-License-Identifier: Apache-2.0
#include "topology.h"

#include <stdio.h>
#include <stdlib.h>

const char *const noc_topology_names[NOC_TOPOLOGIES] = {
    [NOC_MESH] = "mesh",
    [NOC_DIAGONAL_MESH] = "diagonal_mesh",
    [NOC_CONCENTRATED] = "concentrated",
    [NOC_CONCENTRATED_DIAGONAL] = "concentrated_diagonal",
    [NOC_CROSSBAR] = "crossbar",
};

// Directions: the first four are those of a mesh.
static const int step_x[TOPOLOGY_DIRECTIONS] = {1, -1, 0, 0, 1, 1, -1, -1};
static const int step_y[TOPOLOGY_DIRECTIONS] = {0, 0, 1, -1, 1, -1, 1, -1};
const char *const topology_directions[TOPOLOGY_DIRECTIONS] = {
    "east", "west", "south", "north", "south_east", "north_east", "south_west", "north_west"};

static int sign(int n) {
  return (n > 0) - (n < 0);
}

// Diagonal links as far as they help, then x, then y: without diagonal links that is XY.
static uint8_t direction(int dx, int dy, bool diagonal) {
  const int x = sign(dx), y = diagonal || !dx ? sign(dy) : 0;
  for (uint8_t d = 0; d < 8; d++)
    if (step_x[d] == x && step_y[d] == y)
      return d;
  abort();  // only for a router to itself
}

static uint32_t power_below(uint32_t n, uint32_t most) {
  uint32_t p = 1;
  while (2 * p <= n && 2 * p <= most)
    p *= 2;
  return p;
}

// Of the places [from, to) of n the middle one; of two that one which is nearer to the middle of
// all, or the lower one.
static uint32_t middle(uint32_t from, uint32_t to, uint32_t n) {
  const uint32_t low = (from + to - 1) / 2, high = (from + to) / 2;
  return 2 * low + 2 * high < 2 * n - 2 ? high : low;
}

// The chip in as many rectangles as it has gateways, a gateway in the middle of each: the mean and
// the longest way from one of an only one to all routers are as short as any. Where there are not
// so many routers, several share one.
static void place_gateways(topology *t, uint32_t gateways, uint32_t columns, uint32_t rows) {
  uint32_t x = 1;
  while (x * x < gateways)
    x *= 2;
  x = power_below(columns, x);
  const uint32_t y = power_below(rows, gateways / x);
  x = power_below(columns, gateways / y);
  t->gateways = gateways;
  for (uint32_t g = 0; g < gateways; g++) {
    const uint32_t at_x = g % x, at_y = g / x % y;
    t->gateway[g].router = middle(at_y * rows / y, (at_y + 1) * rows / y, rows) * columns +
                           middle(at_x * columns / x, (at_x + 1) * columns / x, columns);
    t->gateway[g].port = t->ports + g / (x * y);
  }
}

// Routers on the way, from the tables.
static uint32_t hops(const topology *t, uint32_t from, uint32_t to) {
  uint32_t n = 0;
  for (; from != to; n++)
    from = t->peer[from * t->ports + t->route[from * t->routers + to]].router;
  return n;
}

// By the gateway of the shortest way on both chips; where several are as short, the one that has
// the fewest pairs of terminals so far.
static bool choose_gateways(topology *t) {
  const uint32_t n = t->terminals;
  uint32_t *way = malloc((size_t)t->gateways * n * sizeof *way), pairs[TOPOLOGY_GATEWAYS] = {0};
  t->by = malloc((size_t)n * n);
  if (!way || !t->by) {
    free(way);
    return false;
  }
  for (uint32_t g = 0; g < t->gateways; g++)
    for (uint32_t k = 0; k < n; k++)
      way[g * n + k] = hops(t, t->gateway[g].router, t->place[k].router);
  for (uint32_t from = 0; from < n; from++)
    for (uint32_t to = 0; to < n; to++) {
      uint32_t best = 0;
      for (uint32_t g = 1; g < t->gateways; g++) {
        const uint32_t here = way[g * n + from] + way[g * n + to];
        const uint32_t there = way[best * n + from] + way[best * n + to];
        if (here < there || (here == there && pairs[g] < pairs[best]))
          best = g;
      }
      t->by[(size_t)from * n + to] = (uint8_t)best;
      pairs[best]++;
    }
  free(way);
  return true;
}

// Routers in columns and rows, group_x x group_y terminals at each.
static bool grid(topology *t, uint32_t columns, uint32_t rows, uint32_t group_x, uint32_t group_y,
                 bool diagonal, uint32_t gateways, char *why, size_t bytes) {
  const uint32_t links = columns * rows == 1 ? 0 : diagonal ? 8 : 4, group = group_x * group_y;
  *t = (topology){.routers = columns * rows, .terminals = columns * rows * group};
  t->ports = links + group;
  place_gateways(t, gateways, columns, rows);
  const uint32_t more = t->gateway[gateways - 1].port - t->ports + 1;  // ports of gateways
  if (t->ports + more > TOPOLOGY_PORTS) {
    snprintf(why, bytes, "%u terminals at a router are too many; allowed: %u", group,
             TOPOLOGY_PORTS - more - links);
    return false;
  }
  t->peer = malloc(t->routers * t->ports * sizeof *t->peer);
  t->place = malloc(t->terminals * sizeof *t->place);
  t->route = malloc((size_t)t->routers * t->routers);
  if (!t->peer || !t->place || !t->route) {
    snprintf(why, bytes, "no memory for the network");
    return false;
  }
  for (uint32_t n = 0; n < t->terminals; n++) {
    const uint32_t x = n % (columns * group_x), y = n / (columns * group_x);
    t->place[n].router = y / group_y * columns + x / group_x;
    t->place[n].port = links + y % group_y * group_x + x % group_x;
  }
  for (uint32_t r = 0; r < t->routers; r++) {
    const int x = (int)(r % columns), y = (int)(r / columns);
    for (uint32_t p = 0; p < t->ports; p++) {
      const int to_x = p < links ? x + step_x[p] : -1, to_y = p < links ? y + step_y[p] : -1;
      const bool is = to_x >= 0 && to_x < (int)columns && to_y >= 0 && to_y < (int)rows;
      t->peer[r * t->ports + p].router =
          is ? (uint32_t)to_y * columns + (uint32_t)to_x : TOPOLOGY_NONE;
      t->peer[r * t->ports + p].port = p < 4 ? p ^ 1 : p ^ 3;  // the direction back
    }
    for (uint32_t to = 0; to < t->routers; to++)
      if (to != r)
        t->route[r * t->routers + to] =
            direction((int)(to % columns) - x, (int)(to / columns) - y, diagonal);
  }
  if (!choose_gateways(t)) {
    snprintf(why, bytes, "no memory for the network");
    return false;
  }
  return true;
}

bool topology_chip(topology *t, const noc_config *c, char *why, size_t bytes) {
  const uint32_t gx = c->group_x, gy = c->group_y;
  *t = (topology){0};
  switch (c->topology) {
    case NOC_MESH:
    case NOC_DIAGONAL_MESH:
      return grid(t, c->x, c->y, 1, 1, c->topology == NOC_DIAGONAL_MESH, c->gateways, why, bytes);
    case NOC_CONCENTRATED:
    case NOC_CONCENTRATED_DIAGONAL:
      if (!gx || !gy || c->x % gx || c->y % gy) {
        snprintf(why, bytes,
                 "groups of %u x %u terminals do not divide a chip of %u x %u terminals", gx, gy,
                 c->x, c->y);
        return false;
      }
      return grid(t, c->x / gx, c->y / gy, gx, gy, c->topology == NOC_CONCENTRATED_DIAGONAL,
                  c->gateways, why, bytes);
    default:
      return grid(t, 1, 1, c->x, c->y, false, c->gateways, why, bytes);
  }
}

bool topology_chips(topology *t, const noc_config *c, char *why, size_t bytes) {
  return grid(t, c->chips_x, c->chips_y, 1, 1, false, 1, why, bytes);
}

void topology_free(topology *t) {
  free(t->peer);
  free(t->place);
  free(t->route);
  free(t->by);
}
