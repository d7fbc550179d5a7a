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
static const int step_x[8] = {1, -1, 0, 0, 1, 1, -1, -1};
static const int step_y[8] = {0, 0, 1, -1, 1, -1, 1, -1};

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

// Routers in columns and rows, group_x x group_y terminals at each.
static bool grid(topology *t, uint32_t columns, uint32_t rows, uint32_t group_x, uint32_t group_y,
                 bool diagonal, char *why, size_t bytes) {
  const uint32_t links = columns * rows == 1 ? 0 : diagonal ? 8 : 4, group = group_x * group_y;
  *t = (topology){.routers = columns * rows, .terminals = columns * rows * group};
  t->ports = links + group;
  if (t->ports >= TOPOLOGY_PORTS) {  // one is for the gateway
    snprintf(why, bytes, "%u terminals at a router are too many; allowed: %u", group,
             TOPOLOGY_PORTS - 1 - links);
    return false;
  }
  t->gateway = (rows - 1) / 2 * columns + (columns - 1) / 2;
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
  return true;
}

bool topology_chip(topology *t, const noc_config *c, char *why, size_t bytes) {
  const uint32_t gx = c->group_x, gy = c->group_y;
  *t = (topology){0};
  switch (c->topology) {
    case NOC_MESH:
    case NOC_DIAGONAL_MESH:
      return grid(t, c->x, c->y, 1, 1, c->topology == NOC_DIAGONAL_MESH, why, bytes);
    case NOC_CONCENTRATED:
    case NOC_CONCENTRATED_DIAGONAL:
      if (!gx || !gy || c->x % gx || c->y % gy) {
        snprintf(why, bytes,
                 "groups of %u x %u terminals do not divide a chip of %u x %u terminals", gx, gy,
                 c->x, c->y);
        return false;
      }
      return grid(t, c->x / gx, c->y / gy, gx, gy, c->topology == NOC_CONCENTRATED_DIAGONAL, why,
                  bytes);
    default:
      return grid(t, 1, 1, c->x, c->y, false, why, bytes);
  }
}

bool topology_chips(topology *t, const noc_config *c, char *why, size_t bytes) {
  return grid(t, c->chips_x, c->chips_y, 1, 1, false, why, bytes);
}

void topology_free(topology *t) {
  free(t->peer);
  free(t->place);
  free(t->route);
}
