// SPDX-License-Identifier: Apache-2.0
// The rules of the network (docs/network.md), one packet at a time and under load.
//
//   test_noc_noc [--seed N]
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/noc/noc_of.h"
#include "harness/base/noc/topology.h"
#include "tb/cosim/cosim.h"

static uint64_t seed = 1;

// ---- a network whose terminals take at once, and note what arrived last

typedef struct rig {
  noc *n;
  uint64_t arrivals, sents, at;  // at: cycle of the last arrival
  noc_packet last;
  bool keep;  // nothing is taken
} rig;

static void rig_arrived(void *ctx, const noc_packet *p) {
  rig *r = ctx;
  r->arrivals++;
  r->at = noc_cycle(r->n);
  r->last = *p;
  if (!r->keep)
    noc_take(r->n, p->to, p->class);
}

static void rig_sent(void *ctx, uint32_t terminal, uint32_t class) {
  (void)terminal, (void)class;
  ((rig *)ctx)->sents++;
}

static void rig_new(rig *r, const noc_config *c) {
  char why[256] = "";
  const noc_sink sink = {r, rig_sent, rig_arrived};
  *r = (rig){.n = noc_new(c, &sink, why, sizeof why)};
  if (!r->n)
    fail_msg("%s", why);
}

static uint32_t terminals(const noc_config *c) {
  return c->x * c->y * c->chips_x * c->chips_y;
}

static noc_config one_chip(noc_topology t, uint32_t x, uint32_t y) {
  noc_config c = noc_config_default();
  c.topology = t;
  c.x = x, c.y = y;
  c.chips_x = c.chips_y = 1;
  return c;
}

// ---- cycles of a packet alone

static uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

static uint32_t routers_between(uint32_t dx, uint32_t dy, bool diagonal) {
  return diagonal ? (dx > dy ? dx : dy) : dx + dy;
}

// Cycles in which the flits of a packet are decided about, from stage to stage.
typedef struct stages {
  uint64_t t[64];
  uint32_t flits, bytes, width;
} stages;

static void stage(stages *s, uint32_t delay, uint32_t interval) {
  for (uint32_t k = 0; k < s->flits; k++) {
    s->t[k] += delay;
    if (k && s->t[k] < s->t[k - 1] + interval)
      s->t[k] = s->t[k - 1] + interval;
  }
}

static void convert(stages *s, uint32_t width) {
  stages to = {.bytes = s->bytes, .width = width, .flits = (s->bytes + width - 1) / width};
  for (uint32_t k = 0; k < to.flits; k++) {
    const uint32_t bytes = (k + 1) * width < s->bytes ? (k + 1) * width : s->bytes;
    to.t[k] = s->t[(bytes + s->width - 1) / s->width - 1];
  }
  *s = to;
  stage(s, 3, 1);
}

// Places of gateways as the page has them, of 4 x 4 and 4 x 2 routers, in any order; of one
// gateway, and where there is one router, of any size.
static void gateway_at(const noc_config *c, uint32_t columns, uint32_t rows, uint32_t g,
                       uint32_t *x, uint32_t *y) {
  static const uint32_t two[2] = {1, 2};
  *x = (columns - 1) / 2, *y = (rows - 1) / 2;
  if (c->gateways == 1 || columns * rows == 1)
    return;
  assert_true(columns == 4 && (rows == 4 || rows == 2));
  *x = c->gateways <= 4 ? two[g % 2] : g % 4;
  if (c->gateways > 2)
    *y = rows == 2           ? g / (c->gateways == 4 ? 2 : 4) % 2
         : c->gateways == 16 ? g / 4
                             : two[g / (c->gateways / 2) % 2];
}

// The page's formula, with the pieces of a packet one behind the other.
static uint64_t expected(const noc_config *c, const noc_packet *p) {
  const uint32_t on = c->x * c->y;
  const bool concentrated =
      c->topology == NOC_CONCENTRATED || c->topology == NOC_CONCENTRATED_DIAGONAL;
  const bool diagonal =
      c->topology == NOC_DIAGONAL_MESH || c->topology == NOC_CONCENTRATED_DIAGONAL;
  const uint32_t all = c->topology == NOC_CROSSBAR;
  const uint32_t gx = all ? c->x : concentrated ? c->group_x : 1;
  const uint32_t gy = all ? c->y : concentrated ? c->group_y : 1;
  const uint32_t fx = p->from % on % c->x / gx, fy = p->from % on / c->x / gy;
  const uint32_t tx = p->to % on % c->x / gx, ty = p->to % on / c->x / gy;
  const uint32_t a = p->from / on, b = p->to / on;
  uint32_t mx = 0, my = 0, best = UINT32_MAX;  // the gateway of the shortest way
  for (uint32_t g = 0; g < c->gateways; g++) {
    uint32_t x, y;
    gateway_at(c, c->x / gx, c->y / gy, g, &x, &y);
    const uint32_t way = routers_between(distance(fx, x), distance(fy, y), diagonal) +
                         routers_between(distance(x, tx), distance(y, ty), diagonal);
    if (way < best)
      best = way, mx = x, my = y;
  }
  stages s = {.bytes = p->bytes, .width = c->flit_bytes};
  s.flits = (p->bytes + s.width - 1) / s.width;
  stage(&s, 0, 1);
  stage(&s, 3, 1);
  uint32_t hops = a == b ? routers_between(distance(fx, tx), distance(fy, ty), diagonal)
                         : routers_between(distance(fx, mx), distance(fy, my), diagonal);
  for (; hops; hops--) {
    stage(&s, 0, c->link_interval);
    stage(&s, 3 + c->link, 1);
  }
  if (a != b) {
    stage(&s, 3, 1);
    convert(&s, c->off_flit_bytes);
    hops = distance(a % c->chips_x, b % c->chips_x) + distance(a / c->chips_x, b / c->chips_x);
    for (; hops; hops--) {
      stage(&s, 0, c->off_link_interval);
      stage(&s, 3 + c->off_link, 1);
    }
    stage(&s, 3, 1);
    convert(&s, c->flit_bytes);
    hops = routers_between(distance(mx, tx), distance(my, ty), diagonal);
    for (; hops; hops--) {
      stage(&s, 0, c->link_interval);
      stage(&s, 3 + c->link, 1);
    }
  }
  stage(&s, 3, 1);
  return s.t[s.flits - 1];
}

// Says how many.
static uint64_t check_pair(rig *r, const noc_config *c, uint32_t from, uint32_t to,
                           uint32_t bytes) {
  const noc_packet p = {from, to, (from + to) % NOC_CLASSES, bytes, 77};
  const uint64_t begin = noc_cycle(r->n), before = r->arrivals, limit = begin + 20000;
  assert_true(noc_send(r->n, &p));
  while (r->arrivals == before && noc_cycle(r->n) < limit)
    noc_step(r->n);
  assert_int_equal(r->arrivals, before + 1);
  assert_memory_equal(&r->last, &p, sizeof p);
  const uint64_t took = r->at - begin;
  assert_true(from == to || took >= noc_shortest(r->n));
  if (took != expected(c, &p))
    fail_msg("%s %ux%u, %ux%u chips: %u bytes from %u to %u take %llu cycles, not %llu",
             noc_topology_names[c->topology], c->x, c->y, c->chips_x, c->chips_y, bytes, from, to,
             (unsigned long long)took, (unsigned long long)expected(c, &p));
  while (!noc_idle(r->n))
    noc_step(r->n);
  return took;
}

static void check_all_pairs(const noc_config *c) {
  rig r;
  uint64_t least = UINT64_MAX;
  rig_new(&r, c);
  for (uint32_t from = 0; from < terminals(c); from++)
    for (uint32_t to = 0; to < terminals(c); to++) {
      const uint64_t took = check_pair(&r, c, from, to, 1 + (from * 7 + to * 13) % c->flit_bytes);
      least = from != to && took < least ? took : least;
    }
  assert_true(noc_idle(r.n));
  if (terminals(c) > 1)
    assert_int_equal(noc_shortest(r.n), least);
  noc_free(r.n);
}

static void an_empty_mesh_of_any_size(void **state) {
  (void)state;
  const uint32_t most = getenv("MPU_LONG") ? 16 : 8;
  for (uint32_t y = 1; y <= most; y++)
    for (uint32_t x = 1; x <= most; x++) {
      const noc_config c = one_chip(NOC_MESH, x, y);
      check_all_pairs(&c);
    }
}

static void empty_networks_of_other_topologies(void **state) {
  (void)state;
  for (noc_topology t = NOC_DIAGONAL_MESH; t < NOC_TOPOLOGIES; t++)
    for (uint32_t y = 2; y <= 6; y += 2)
      for (uint32_t x = 2; x <= 8; x += 2) {
        noc_config c = one_chip(t, x, y);
        c.group_x = x == 8 ? 4 : 2;
        check_all_pairs(&c);
      }
}

// Several ways off a chip: each pair of terminals takes one on a shortest way.
static void empty_networks_with_gateways(void **state) {
  (void)state;
  static const noc_topology topologies[] = {NOC_MESH, NOC_DIAGONAL_MESH, NOC_CROSSBAR};
  for (size_t n = 0; n < sizeof topologies / sizeof *topologies; n++)
    for (uint32_t y = 2; y <= 4; y += 2)
      for (uint32_t g = 1; g <= 16; g *= 2) {
        noc_config c = one_chip(topologies[n], 4, y);
        c.chips_x = y == 2 ? 4 : 2, c.chips_y = y == 2 ? 2 : 1;
        c.gateways = g;
        check_all_pairs(&c);
      }
}

// A share of all pairs of terminals goes by each gateway, which is the same for each within a tenth
// (8 x 8: a fifth), at routers of their own while there are so many.
static void gateways_share_the_pairs(void **state) {
  (void)state;
  static const struct {
    uint32_t x, y;
    double most;
  } sizes[] = {{4, 4, 1.1}, {4, 2, 1.15}, {2, 2, 1.1}, {1, 1, 1}, {8, 8, 1.2}, {3, 5, 1.5}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (uint32_t g = 1; g <= 16; g *= 2) {
      const uint32_t all = sizes[k].x * sizes[k].y;
      noc_config c = one_chip(NOC_MESH, sizes[k].x, sizes[k].y);
      topology t;
      char why[200];
      uint32_t pairs[TOPOLOGY_GATEWAYS] = {0}, most = 0, routers = 0;
      bool seen[64] = {0};
      c.gateways = g;
      assert_true(topology_chip(&t, &c, why, sizeof why));
      assert_int_equal(t.gateways, g);
      for (uint32_t n = 0; n < all * all; n++)
        pairs[t.by[n]]++;
      for (uint32_t n = 0; n < g; n++) {
        most = pairs[n] > most ? pairs[n] : most;
        routers += !seen[t.gateway[n].router];
        seen[t.gateway[n].router] = true;
        for (uint32_t m = 0; m < n; m++)  // and at ports of their own
          assert_true(t.gateway[m].router != t.gateway[n].router ||
                      t.gateway[m].port != t.gateway[n].port);
      }
      if (sizes[k].x != 3)
        assert_int_equal(routers, g < all ? g : all);
      if (all * all >= g && (double)most * g > sizes[k].most * all * all + g)
        fail_msg("%u x %u, %u gateways: one has %u of %u pairs", c.x, c.y, g, most, all * all);
      topology_free(&t);
    }
}

// The mean over all pairs is the figure that the literature gives.
static void means_are_the_published_ones(void **state) {
  (void)state;
  static const struct {
    noc_topology t;
    uint32_t k;
    double mean;
  } known[] = {
      {NOC_MESH, 4, 16.0},
      {NOC_MESH, 8, 27.0},
      {NOC_DIAGONAL_MESH, 4, 13.2},
      {NOC_CONCENTRATED, 4, 10.0},
      {NOC_CONCENTRATED_DIAGONAL, 4, 9.0},
      {NOC_CROSSBAR, 4, 6.0},
  };
  for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
    const noc_config c = one_chip(known[n].t, known[n].k, known[n].k);
    rig r;
    double sum = 0;
    rig_new(&r, &c);
    for (uint32_t from = 0; from < terminals(&c); from++)
      for (uint32_t to = 0; to < terminals(&c); to++) {
        const uint64_t begin = noc_cycle(r.n);
        assert_true(noc_send(r.n, &(noc_packet){from, to, NOC_REQUEST, 32, 0}));
        while (!noc_idle(r.n))
          noc_step(r.n);
        sum += (double)(r.at - begin);
      }
    noc_free(r.n);
    sum /= terminals(&c) * terminals(&c);
    if (sum < 0.98 * known[n].mean || sum > 1.02 * known[n].mean)
      fail_msg("%s of %u: %.2f cycles, not %.1f", noc_topology_names[known[n].t], known[n].k, sum,
               known[n].mean);
  }
}

// On slow chips a packet is sooner on another one.
static void the_shortest_way_may_leave_the_chip(void **state) {
  (void)state;
  for (uint32_t x = 1; x <= 3; x++)
    for (uint32_t link = 1; link <= 20; link++) {
      noc_config c = one_chip(NOC_MESH, x, 1);
      rig r;
      uint64_t least = UINT64_MAX;
      c.chips_x = 2, c.link = link, c.off_link = 8;
      rig_new(&r, &c);
      for (uint32_t from = 0; from < terminals(&c); from++)
        for (uint32_t to = 0; to < terminals(&c); to++) {
          const uint64_t took = check_pair(&r, &c, from, to, 1);
          least = from != to && took < least ? took : least;
        }
      assert_int_equal(noc_shortest(r.n), least);
      noc_free(r.n);
    }
}

// Any configuration, any size of packet, on chip and between chips.
static void packets_between_chips_change_their_flits(void **state) {
  (void)state;
  cosim_rng g = {seed};
  for (int round = 0; round < 300; round++) {
    noc_config c = noc_config_default();
    rig r;
    c.topology = rng_below(&g, NOC_TOPOLOGIES);
    c.x = 2 + 2 * rng_below(&g, 2), c.y = 2 + 2 * rng_below(&g, 2);
    c.chips_x = 1 + rng_below(&g, 4), c.chips_y = 1 + rng_below(&g, 3);
    c.vcs = 1 + rng_below(&g, 4);
    c.ordered = rng_below(&g, 2);
    c.loop = 5 + rng_below(&g, 5);
    c.flit_bytes = 4U << rng_below(&g, 5), c.off_flit_bytes = 4U << rng_below(&g, 5);
    *(c.flit_bytes > c.off_flit_bytes ? &c.flit_bytes : &c.off_flit_bytes) *=
        1 + 2 * rng_below(&g, 2);
    c.link = 1 + rng_below(&g, 3), c.off_link = 1 + rng_below(&g, 12);
    c.link_interval = 1 + rng_below(&g, 3), c.off_link_interval = 1 + rng_below(&g, 3);
    c.depth = c.off_depth = 64;  // no wait for credits
    rig_new(&r, &c);
    for (int k = 0; k < 40; k++)
      check_pair(&r, &c, rng_below(&g, terminals(&c)), rng_below(&g, terminals(&c)),
                 1 + rng_below(&g, 200));
    assert_true(noc_idle(r.n));
    noc_free(r.n);
  }
}

// ---- links

// Cycles that n packets of some flits take from one terminal to its neighbour, all sent at once.
static uint64_t burst(const noc_config *c, uint32_t packets, uint32_t flits, uint32_t to) {
  rig r;
  rig_new(&r, c);
  uint32_t left = packets;
  while (r.arrivals < packets) {
    while (left && noc_send(r.n, &(noc_packet){0, to, NOC_REQUEST, flits * c->flit_bytes, 0}))
      left--;
    noc_step(r.n);
    assert_in_range(noc_cycle(r.n), 0, 1000000);
  }
  assert_int_equal(r.sents, packets);
  noc_free(r.n);
  return r.at;
}

// With the loop covered a link carries a flit every cycle; else depth flits every loop. To itself a
// terminal sends over a wire to its router, with a loop that is a cycle shorter.
static void a_link_is_as_fast_as_its_credits(void **state) {
  (void)state;
  for (uint32_t loop = 5; loop <= 9; loop++)
    for (uint32_t depth = 1; depth <= 10; depth++)
      for (uint32_t flits = 1; flits <= 5; flits += 4)
        for (uint32_t to = 0; to < 2; to++) {
          noc_config c = one_chip(NOC_MESH, 2, 1);
          c.loop = loop, c.depth = depth;
          const uint32_t all = 1000, cycles = to ? loop : loop - 1, empty = to ? 10 : 6;
          const uint64_t first = empty + flits - 1, took = burst(&c, all, flits, to);
          if (depth >= cycles)
            assert_int_equal(took, empty + all * flits - 1);
          else
            assert_in_range(took - first, (uint64_t)(all - 1) * flits * cycles / depth - loop,
                            (uint64_t)all * flits * cycles / depth + loop);
        }
}

static void slow_links_take_a_flit_an_interval(void **state) {
  (void)state;
  for (uint32_t interval = 1; interval <= 4; interval++) {
    noc_config c = one_chip(NOC_MESH, 2, 1);
    c.depth = 16;
    c.link_interval = interval;
    assert_int_equal(burst(&c, 100, 5, 1), 10 + 499 * interval);
  }
}

// Default links between chips, two flits there for one on the chip: buffers cover their loop.
static void links_between_chips_are_kept_busy(void **state) {
  (void)state;
  noc_config c = noc_config_default();
  c.depth = 8;
  const uint64_t took = burst(&c, 500, 4, 16);
  assert_in_range(took, 500 * 8, 500 * 8 + 100);
  c.off_depth = 20;  // of a loop of 7 + 2 x 7
  assert_in_range(burst(&c, 500, 4, 16), 500 * 8 * 21 / 20 - 100, 500 * 8 * 21 / 20 + 100);
}

// ---- terminals

static void a_terminal_has_the_places_it_says(void **state) {
  (void)state;
  noc_config c = one_chip(NOC_MESH, 2, 1);
  c.send_packets = 3, c.take_packets = 2;
  rig r;
  rig_new(&r, &c);
  r.keep = true;
  const noc_packet p = {0, 1, NOC_RESPONSE, 70, 0};
  uint32_t sent = 0;
  for (int k = 0; k < 3; k++)
    assert_true(noc_send(r.n, &p));
  assert_false(noc_send(r.n, &p));
  assert_true(noc_send(r.n, &(noc_packet){0, 1, NOC_REQUEST, 70, 0}));  // of the other class
  for (sent = 4; noc_cycle(r.n) < 500; noc_step(r.n))
    sent += noc_send(r.n, &p);
  assert_int_equal(r.arrivals, 3);      // two responses, the request
  assert_int_equal(sent, r.sents + 3);  // what has not left has the places
  assert_false(noc_idle(r.n));
  const uint64_t before = noc_cycle(r.n);
  noc_take(r.n, 1, NOC_RESPONSE);
  while (r.arrivals < 4)
    noc_step(r.n);
  // the place is there after loop - 4; then 3 cycles, and two more flits
  assert_int_equal(r.at - before, c.loop - 4 + 3 + 2);
  noc_free(r.n);
}

// Flits of links, on chips and between them, by the width there.
static void flits_are_counted_on_links(void **state) {
  (void)state;
  const noc_config c = noc_config_default();
  rig r;
  rig_new(&r, &c);
  // from the corner (0, 0) of chip 0 to the gateway (1, 1), two chips on, to the corner (3, 3)
  assert_true(noc_send(r.n, &(noc_packet){0, 2 * 16 + 15, NOC_REQUEST, 70, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  assert_int_equal(noc_statistics(r.n)->on_chip_flits, 3 * (2 + 4));
  assert_int_equal(noc_statistics(r.n)->off_flits, 5 * 2);
  noc_free(r.n);
}

// ---- links

static uint32_t link_between(const noc *n, bool off, uint32_t place, uint32_t from, uint32_t to) {
  for (uint32_t k = 0; k < noc_links(n); k++) {
    const noc_link l = noc_link_of(n, k);
    if (l.off_chip == off && l.place == place && l.from == from && l.to == to)
      return k;
  }
  fail_msg("no link from %u to %u", from, to);
  return 0;
}

// Each pair of neighbours, of each chip and mesh of chips, each way once.
static void links_are_where_the_page_has_them(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int x, y;
  } ways[] = {{"east", 1, 0},        {"west", -1, 0},       {"south", 0, 1},
              {"north", 0, -1},      {"south_east", 1, 1},  {"north_east", 1, -1},
              {"south_west", -1, 1}, {"north_west", -1, -1}};
  for (uint32_t diagonal = 0; diagonal < 2; diagonal++) {
    noc_config c = noc_config_default();
    rig r;
    c.topology = diagonal ? NOC_DIAGONAL_MESH : NOC_MESH;
    c.gateways = 2;
    rig_new(&r, &c);
    const uint32_t of_chip = diagonal ? 84 : 48;
    assert_int_equal(noc_links(r.n), 8 * of_chip + 2 * 20);
    bool seen[2][8][16][16] = {{{{false}}}};
    for (uint32_t k = 0; k < noc_links(r.n); k++) {
      const noc_link l = noc_link_of(r.n, k);
      uint32_t way = 0;
      while (strcmp(ways[way].name, l.direction) != 0)
        assert_true(++way < (l.off_chip || !diagonal ? 4 : 8));
      assert_int_equal(l.off_chip, k >= 8 * of_chip);
      assert_int_equal(l.place, l.off_chip ? (k - 8 * of_chip) / 20 : k / of_chip);
      assert_int_equal((int)(l.to % 4) - (int)(l.from % 4), ways[way].x);
      assert_int_equal((int)(l.to / 4) - (int)(l.from / 4), ways[way].y);
      assert_false(seen[l.off_chip][l.place][l.from][l.to]);
      seen[l.off_chip][l.place][l.from][l.to] = true;
    }
    noc_free(r.n);
  }
}

static void expect_link(const noc *n, uint32_t k, uint64_t flits, uint64_t waited, uint64_t queued,
                        uint64_t most) {
  const noc_link_stats s = noc_link_counted(n, k);
  assert_int_equal(s.flits, flits);
  assert_int_equal(s.waited, waited);
  assert_int_equal(s.queued, queued);
  assert_int_equal(s.most, most);
}

static void links_count_what_passes(void **state) {
  (void)state;
  noc_config c = one_chip(NOC_MESH, 4, 4);
  rig r;
  rig_new(&r, &c);
  assert_true(noc_send(r.n, &(noc_packet){0, 5, NOC_REQUEST, 96, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  for (uint32_t k = 0; k < noc_links(r.n); k++) {
    const bool on_way =
        k == link_between(r.n, false, 0, 0, 1) || k == link_between(r.n, false, 0, 1, 5);
    expect_link(r.n, k, on_way ? 3 : 0, 0, on_way ? 3 : 0, on_way);
  }
  noc_free(r.n);
}

static void links_count_waiting(void **state) {
  (void)state;
  rig r;
  // two flits for a link at once: that of terminal 0 is in router 1 after 3 and 4 cycles
  noc_config c = one_chip(NOC_MESH, 4, 1);
  rig_new(&r, &c);
  assert_true(noc_send(r.n, &(noc_packet){0, 2, NOC_REQUEST, 32, 0}));
  for (int k = 0; k < 4; k++)
    noc_step(r.n);
  assert_true(noc_send(r.n, &(noc_packet){1, 2, NOC_REQUEST, 32, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  expect_link(r.n, link_between(r.n, false, 0, 0, 1), 1, 0, 1, 1);
  expect_link(r.n, link_between(r.n, false, 0, 1, 2), 2, 1, 2, 1);
  noc_free(r.n);
  // the younger one waits in the link's buffer when it is the other one's turn
  rig_new(&r, &c);
  assert_true(noc_send(r.n, &(noc_packet){1, 2, NOC_REQUEST, 5 * 32, 0}));
  noc_step(r.n);
  assert_true(noc_send(r.n, &(noc_packet){0, 2, NOC_REQUEST, 32, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  // it comes in cycle 8; the packet of five holds the channel from 3 to 10, four places and a loop
  expect_link(r.n, link_between(r.n, false, 0, 0, 1), 1, 0, 1 + 11 - 8, 1);
  noc_free(r.n);
  // a link that takes a flit every third cycle
  c.link_interval = 3;
  rig_new(&r, &c);
  assert_true(noc_send(r.n, &(noc_packet){0, 1, NOC_REQUEST, 64, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  expect_link(r.n, link_between(r.n, false, 0, 0, 1), 2, 2, 2, 1);
  noc_free(r.n);
  // buffers of one flit: each waits for the credit, which takes a cycle longer than a terminal's
  c.link_interval = 1, c.depth = 1;
  rig_new(&r, &c);
  assert_true(noc_send(r.n, &(noc_packet){0, 1, NOC_REQUEST, 6 * 32, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  expect_link(r.n, link_between(r.n, false, 0, 0, 1), 6, 5, 6, 1);
  noc_free(r.n);
  // between chips it takes much longer: the router sleeps meanwhile
  c = noc_config_default();
  c.off_depth = 1;
  rig_new(&r, &c);
  assert_true(noc_send(r.n, &(noc_packet){0, 16, NOC_REQUEST, 32, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  expect_link(r.n, link_between(r.n, true, 0, 0, 1), 2, 2 * (c.off_link - 1) + 1, 2, 1);
  noc_free(r.n);
}

// Under load: sums, bounds, and that looking on changes nothing.
static void links_add_up(void **state) {
  (void)state;
  for (uint32_t t = 0; t < 2 * NOC_TOPOLOGIES; t++) {
    noc_config c = noc_config_default();
    rig a, b;
    c.topology = (noc_topology)(t % NOC_TOPOLOGIES);
    c.oldest_first = t < NOC_TOPOLOGIES;
    c.gateways = t % 3 == 1 ? 4 : 1;
    rig_new(&a, &c);
    rig_new(&b, &c);
    noc_link_stats *before = calloc(noc_links(a.n) + 1, sizeof *before);
    cosim_rng x = {seed + t};
    for (uint64_t cycle = 0; cycle < 1500 || !noc_idle(a.n); cycle++) {
      for (int k = 0; k < 6 && cycle < 1200; k++) {
        const noc_packet p = {rng_below(&x, terminals(&c)), rng_below(&x, terminals(&c)),
                              rng_below(&x, 2), 1 + rng_below(&x, 100), 0};
        assert_int_equal(noc_send(a.n, &p), noc_send(b.n, &p));
      }
      noc_step(a.n);
      noc_step(b.n);
      for (uint32_t k = 0; k < noc_links(a.n); k++) {
        const noc_link_stats s = noc_link_counted(a.n, k);
        assert_true(s.waited - before[k].waited <= 1 && s.flits - before[k].flits <= 1);
        assert_true(s.queued - before[k].queued <= s.most);
        before[k] = s;
      }
    }
    uint64_t on = 0, off = 0, waited = 0;
    for (uint32_t k = 0; k < noc_links(a.n); k++) {
      const noc_link_stats s = noc_link_counted(a.n, k), other = noc_link_counted(b.n, k);
      assert_memory_equal(&s, &other, sizeof s);
      *(noc_link_of(a.n, k).off_chip ? &off : &on) += s.flits;
      waited += s.waited;
      assert_true(s.queued >= s.flits && s.most <= s.queued && (s.flits == 0) == (s.most == 0));
    }
    assert_true(waited && off);
    assert_int_equal(on, noc_statistics(a.n)->on_chip_flits);
    assert_int_equal(off, noc_statistics(a.n)->off_flits);
    free(before);
    noc_free(a.n);
    noc_free(b.n);
  }
}

static void latency_is_counted_from_the_send(void **state) {
  (void)state;
  const noc_config c = one_chip(NOC_MESH, 4, 4);
  rig r;
  rig_new(&r, &c);
  for (int k = 0; k < 2; k++)
    assert_true(noc_send(r.n, &(noc_packet){0, 15, NOC_REQUEST, 32, 0}));
  while (!noc_idle(r.n))
    noc_step(r.n);
  const noc_stats *s = noc_statistics(r.n);
  assert_int_equal(s->packets[NOC_REQUEST], 2);
  assert_int_equal(s->latency[NOC_REQUEST], 30 + 31);
  assert_int_equal(s->on_chip_flits, 12);
  assert_int_equal(s->off_flits, 0);
  noc_free(r.n);
}

// Terminals that send as much as they can share a link evenly, and so do the classes of one.
typedef struct shares {
  noc *n;
  uint64_t got[16][NOC_CLASSES];
} shares;

static void shares_arrived(void *ctx, const noc_packet *p) {
  shares *s = ctx;
  s->got[p->from][p->class]++;
  noc_take(s->n, p->to, p->class);
}

static void everybody_gets_the_same(void **state) {
  (void)state;
  const noc_config c = one_chip(NOC_CROSSBAR, 4, 1);
  shares s = {0};
  s.n = noc_new(&c, &(noc_sink){.ctx = &s, .arrived = shares_arrived}, NULL, 0);
  assert_non_null(s.n);
  for (int k = 0; k < 12000; k++, noc_step(s.n))
    for (uint32_t from = 0; from < 4; from++)
      for (uint32_t class = 0; class < NOC_CLASSES; class ++)
        noc_send(s.n, &(noc_packet){from, 2, class, 96, 0});
  for (uint32_t from = 0; from < 4; from++)
    for (uint32_t class = 0; class < NOC_CLASSES; class ++)
      assert_in_range(s.got[from][class], 495, 505);  // of 4000, an eighth each
  noc_free(s.n);
}

// All send to a corner: the share of a terminal halves with each router on its way when these take
// turns, and is the same for all when the oldest packet is first.
static void distance_costs_no_share_of_the_oldest(void **state) {
  (void)state;
  for (uint32_t oldest = 0; oldest < 2; oldest++) {
    noc_config c = one_chip(NOC_MESH, 4, 4);
    c.oldest_first = oldest;
    shares s = {0};
    s.n = noc_new(&c, &(noc_sink){.ctx = &s, .arrived = shares_arrived}, NULL, 0);
    assert_non_null(s.n);
    for (int k = 0; k < 64000; k++, noc_step(s.n))
      for (uint32_t from = 1; from < 16; from++)
        noc_send(s.n, &(noc_packet){from, 0, NOC_REQUEST, 32, 0});
    if (oldest)
      assert_in_range(s.got[15][NOC_REQUEST], s.got[1][NOC_REQUEST] / 2, s.got[1][NOC_REQUEST]);
    else
      assert_in_range(s.got[15][NOC_REQUEST], 1, s.got[1][NOC_REQUEST] / 10);
    noc_free(s.n);
  }
}

// From one terminal, with buffers that never fill: on a chip, and over the gateways.
static void classes_take_turns(void **state) {
  (void)state;
  for (uint32_t chips = 1; chips <= 2; chips++) {
    noc_config c = one_chip(NOC_MESH, 2, 1);
    c.chips_x = chips;
    c.depth = c.off_depth = 64;
    shares s = {0};
    s.n = noc_new(&c, &(noc_sink){.ctx = &s, .arrived = shares_arrived}, NULL, 0);
    assert_non_null(s.n);
    for (int k = 0; k < 6000; k++, noc_step(s.n))
      for (uint32_t class = 0; class < NOC_CLASSES; class ++)
        noc_send(s.n, &(noc_packet){0, chips * 2 - 1, class, 96, 0});
    for (uint32_t class = 0; class < NOC_CLASSES; class ++)
      assert_in_range(s.got[0][class], 980 / chips, 1000 / chips);
    noc_free(s.n);
  }
}

// What is sent from a callback counts from the next step.
typedef struct echo {
  noc *n;
  uint64_t at[8], sent_at;
  uint32_t arrivals, sents;
} echo;

static void echo_arrived(void *ctx, const noc_packet *p) {
  echo *e = ctx;
  e->at[e->arrivals++] = noc_cycle(e->n);
  noc_take(e->n, p->to, p->class);
  if (e->arrivals < 3)
    assert_true(noc_send(e->n, &(noc_packet){p->to, p->from, NOC_RESPONSE, 32, 0}));
}

static void echo_sent(void *ctx, uint32_t terminal, uint32_t class) {
  echo *e = ctx;
  if (e->sents++)
    return;
  assert_int_equal(terminal, 0);
  e->sent_at = noc_cycle(e->n);
  // the place that is reported is there
  assert_true(noc_send(e->n, &(noc_packet){0, 0, class, 32, 0}));
}

static void callbacks_may_send(void **state) {
  (void)state;
  noc_config c = one_chip(NOC_MESH, 2, 1);
  c.send_packets = 1;
  echo e = {0};
  e.n = noc_new(&c, &(noc_sink){&e, echo_sent, echo_arrived}, NULL, 0);
  assert_non_null(e.n);
  assert_true(noc_send(e.n, &(noc_packet){0, 1, NOC_REQUEST, 32, 0}));
  while (!noc_idle(e.n))
    noc_step(e.n);
  assert_int_equal(e.sent_at, 0);
  assert_int_equal(e.arrivals, 4);
  assert_int_equal(e.at[0], 1 + 6);  // to itself, sent in the next step
  assert_int_equal(e.at[1], 10);     // the first one
  assert_int_equal(e.at[2], 7 + 1 + 6);
  assert_int_equal(e.at[3], 10 + 1 + 10);
  noc_free(e.n);
}

// ---- the configuration of the machine

static bool same(const noc_config *a, const noc_config *b) {
#define SAME(key) (a->key == b->key)
  return SAME(topology) && SAME(x) && SAME(y) && SAME(chips_x) && SAME(chips_y) && SAME(gateways) &&
         SAME(group_x) && SAME(group_y) && SAME(vcs) && SAME(ordered) && SAME(oldest_first) &&
         SAME(depth) && SAME(off_depth) && SAME(loop) && SAME(flit_bytes) && SAME(off_flit_bytes) &&
         SAME(link) && SAME(off_link) && SAME(link_interval) && SAME(off_link_interval) &&
         SAME(send_packets) && SAME(take_packets);
}

static void the_default_is_the_machine_of_the_paper(void **state) {
  (void)state;
  const config paper = config_default();
  const noc_config a = noc_of_config(&paper), b = noc_config_default();
  assert_true(same(&a, &b));
  assert_int_equal(noc_steps_a_cycle(&paper), 2);
  assert_true(a.x == 4 && a.y == 4 && a.chips_x == 4 && a.chips_y == 2);
}

// Each key that can be changed changes the network, or its clock.
static void every_key_is_used(void **state) {
  (void)state;
  int tried = 0;
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    const config_field *blamed[2];
    const config paper = config_default();
    config c = paper;
    char text[32], why[CONFIG_WHY] = "";
    if (strcmp(f->section, "network") != 0 || f->fixed_by || strcmp(f->key, "interface") == 0 ||
        strcmp(f->key, "requests") == 0)  // these two are the cores'
      continue;
    const int64_t twice = f->standard ? 2 * f->standard : 2;
    const bool link = strstr(f->key, "chip_mhz");
    if (f->names)
      snprintf(text, sizeof text, "%s", f->names[!f->standard].text);
    else
      snprintf(text, sizeof text, "%lld", (long long)(link ? f->standard / 2 : twice));
    if (!config_set(&c, f, text, why, sizeof why) || !config_check(&c, blamed, why, sizeof why))
      fail_msg("%s", why);
    const noc_config a = noc_of_config(&paper), b = noc_of_config(&c);
    if (same(&a, &b) && noc_steps_a_cycle(&c) == noc_steps_a_cycle(&paper))
      fail_msg("network.%s changes nothing", f->key);
    tried++;
  }
  assert_int_equal(tried, 20);
}

static void cores_are_in_a_grid(void **state) {
  (void)state;
  static const uint32_t known[][3] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 2, 2},  {6, 3, 2},
                                      {7, 7, 1}, {8, 4, 2}, {9, 3, 3}, {12, 4, 3}, {16, 4, 4}};
  for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
    config c = config_default();
    c.machine.cores = known[n][0];
    assert_int_equal(noc_of_config(&c).x, known[n][1]);
    assert_int_equal(noc_of_config(&c).y, known[n][2]);
  }
  config c = config_default();
  c.network.columns = 8, c.network.processor_columns = 1;
  const noc_config n = noc_of_config(&c);
  assert_true(n.x == 8 && n.y == 2 && n.chips_x == 1 && n.chips_y == 8);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_mesh_of_any_size),
      cmocka_unit_test(empty_networks_of_other_topologies),
      cmocka_unit_test(empty_networks_with_gateways),
      cmocka_unit_test(gateways_share_the_pairs),
      cmocka_unit_test(means_are_the_published_ones),
      cmocka_unit_test(the_shortest_way_may_leave_the_chip),
      cmocka_unit_test(packets_between_chips_change_their_flits),
      cmocka_unit_test(a_link_is_as_fast_as_its_credits),
      cmocka_unit_test(slow_links_take_a_flit_an_interval),
      cmocka_unit_test(links_between_chips_are_kept_busy),
      cmocka_unit_test(a_terminal_has_the_places_it_says),
      cmocka_unit_test(flits_are_counted_on_links),
      cmocka_unit_test(links_are_where_the_page_has_them),
      cmocka_unit_test(links_count_what_passes),
      cmocka_unit_test(links_count_waiting),
      cmocka_unit_test(links_add_up),
      cmocka_unit_test(latency_is_counted_from_the_send),
      cmocka_unit_test(everybody_gets_the_same),
      cmocka_unit_test(distance_costs_no_share_of_the_oldest),
      cmocka_unit_test(classes_take_turns),
      cmocka_unit_test(callbacks_may_send),
      cmocka_unit_test(the_default_is_the_machine_of_the_paper),
      cmocka_unit_test(every_key_is_used),
      cmocka_unit_test(cores_are_in_a_grid),
  };
  for (int n = 1; n + 1 < argc; n += 2)
    if (strcmp(argv[n], "--seed") == 0)
      seed = strtoull(argv[n + 1], NULL, 10);
  printf("seed %llu\n", (unsigned long long)seed);
  return cmocka_run_group_tests_name("noc", tests, NULL, NULL);
}
