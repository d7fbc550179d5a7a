// SPDX-License-Identifier: Apache-2.0
// The network full: no deadlock, order, nothing lost, the same every time; what it refuses.
//
//   test_noc_storm [--seed N]
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/noc/noc_check.h"
#include "harness/base/noc/topology.h"
#include "tb/cosim/cosim.h"

static uint64_t seed = 1;

// Terminals that ask each other for ever. One takes a request only when its answer has a place.
typedef struct storm {
  noc *n;
  noc_config c;
  cosim_rng random;
  uint32_t terminals, most_bytes;
  unsigned chance;       // of a request of a terminal in a cycle, of 256
  noc_packet *held;      // [terminal * take_packets + k]: requests without an answer
  uint32_t *holds;       // [terminal]
  uint64_t *made, *got;  // [(from * terminals + to) * classes + class]
  uint64_t arrivals, digest;
} storm;

static void storm_arrived(void *ctx, const noc_packet *p) {
  storm *s = ctx;
  const size_t flow = ((size_t)p->from * s->terminals + p->to) * NOC_CLASSES + p->class;
  if (s->c.ordered)
    assert_int_equal(p->id >> 16, s->got[flow]);
  assert_int_equal(p->id & 0xffff, p->bytes);
  s->got[flow]++;
  s->arrivals++;
  s->digest = (s->digest ^ (noc_cycle(s->n) + flow * 31 + p->id)) * UINT64_C(1099511628211);
  if (p->class == NOC_REQUEST) {
    assert_in_range(s->holds[p->to], 0, s->c.take_packets - 1);
    s->held[p->to * s->c.take_packets + s->holds[p->to]++] = *p;
  } else {
    noc_take(s->n, p->to, p->class);
  }
}

static bool storm_send(storm *s, uint32_t from, uint32_t to, uint32_t class) {
  const size_t flow = ((size_t)from * s->terminals + to) * NOC_CLASSES + class;
  const uint32_t bytes = 1 + rng_below(&s->random, s->most_bytes);
  const noc_packet p = {from, to, class, bytes, s->made[flow] << 16 | bytes};
  if (!noc_send(s->n, &p))
    return false;
  s->made[flow]++;
  return true;
}

static void storm_step(storm *s, bool ask) {
  for (uint32_t t = 0; t < s->terminals; t++) {
    noc_packet *first = &s->held[t * s->c.take_packets];
    if (s->holds[t] && storm_send(s, t, first->from, NOC_RESPONSE)) {
      noc_take(s->n, t, NOC_REQUEST);
      memmove(first, first + 1, --s->holds[t] * sizeof *first);
    }
    if (ask && rng_chance(&s->random, s->chance))
      storm_send(s, t, rng_below(&s->random, s->terminals), NOC_REQUEST);
  }
  noc_step(s->n);
  if (noc_check_gateways(s->n))
    fail_msg("%s", noc_check_gateways(s->n));
}

static void storm_new(storm *s, const noc_config *c, noc_shared shared, uint64_t random) {
  char why[256] = "";
  const noc_sink sink = {.ctx = s, .arrived = storm_arrived};
  *s = (storm){.n = noc_new_shared(c, &sink, shared, why, sizeof why),
               .c = *c,
               .random = {random},
               .terminals = c->x * c->y * c->chips_x * c->chips_y,
               .most_bytes = 160,
               .chance = 128};
  if (!s->n)
    fail_msg("%s", why);
  s->held = calloc((size_t)s->terminals * c->take_packets, sizeof *s->held);
  s->holds = calloc(s->terminals, sizeof *s->holds);
  s->made = calloc((size_t)s->terminals * s->terminals * NOC_CLASSES, sizeof *s->made);
  s->got = calloc((size_t)s->terminals * s->terminals * NOC_CLASSES, sizeof *s->got);
}

static void storm_free(storm *s) {
  noc_free(s->n);
  free(s->held);
  free(s->holds);
  free(s->made);
  free(s->got);
}

// False: nothing arrives any more, although terminals ask.
static bool storm_lives(storm *s, uint64_t cycles) {
  uint64_t before = s->arrivals;
  for (uint64_t k = 1; k <= cycles; k++) {
    storm_step(s, true);
    if (k % 2000 == 0) {
      if (s->arrivals == before)
        return false;
      before = s->arrivals;
    }
  }
  return true;
}

static void assert_clean(const noc *n) {
  if (noc_check_rest(n))
    fail_msg("%s", noc_check_rest(n));
}

// Nobody asks any more: all is answered, all arrives, all is as at the start.
static void storm_ends(storm *s) {
  uint64_t sent = 0;
  for (uint64_t k = 0; k < 200000; k++) {
    uint32_t holds = 0;
    for (uint32_t t = 0; t < s->terminals; t++)
      holds += s->holds[t];
    if (!holds && noc_idle(s->n))
      break;
    storm_step(s, false);
  }
  assert_clean(s->n);
  for (size_t f = 0; f < (size_t)s->terminals * s->terminals * NOC_CLASSES; f++) {
    assert_int_equal(s->made[f], s->got[f]);
    sent += s->made[f];
  }
  const noc_stats *st = noc_statistics(s->n);
  assert_int_equal(st->packets[NOC_REQUEST] + st->packets[NOC_RESPONSE], sent);
  assert_int_equal(st->packets[NOC_REQUEST], st->packets[NOC_RESPONSE]);
}

// ---- deadlock

static noc_config smallest(void) {
  noc_config c = noc_config_default();
  c.depth = c.off_depth = c.send_packets = c.take_packets = 1;
  return c;
}

static void buffers_of_one_flit_do_not_deadlock(void **state) {
  (void)state;
  static const struct {
    uint32_t chips_x, chips_y, x, y;
  } sizes[] = {{1, 1, 4, 4}, {4, 2, 4, 4}, {3, 3, 2, 2}, {1, 4, 4, 2}};
  for (noc_topology t = 0; t < NOC_TOPOLOGIES; t++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      noc_config c = smallest();
      storm s;
      c.topology = t;
      c.chips_x = sizes[k].chips_x, c.chips_y = sizes[k].chips_y;
      c.x = sizes[k].x, c.y = sizes[k].y;
      c.gateways = 1U << (k + t) % 4;  // all of 1 to 8, with each topology
      storm_new(&s, &c, (noc_shared){0}, seed);
      if (!storm_lives(&s, getenv("MPU_LONG") ? 200000 : 6000))
        fail_msg("%s of %ux%u, %ux%u chips of %u gateways: deadlock", noc_topology_names[t], c.x,
                 c.y, c.chips_x, c.chips_y, c.gateways);
      storm_ends(&s);
      storm_free(&s);
    }
}

// The same without the separation of requests and responses: the test above would see it.
static void classes_on_the_same_channels_deadlock(void **state) {
  (void)state;
  for (int chips = 0; chips < 2; chips++) {
    noc_config c = smallest();
    storm s;
    if (!chips)
      c.chips_x = c.chips_y = 1;
    storm_new(&s, &c, (noc_shared){.classes = true}, seed);
    assert_false(storm_lives(&s, 50000));
    storm_free(&s);
  }
}

// ---- what the separation of legs is for

typedef struct halves {
  noc *n;
  uint64_t here;
} halves;

static void halves_arrived(void *ctx, const noc_packet *p) {
  halves *h = ctx;
  h->here += p->from / 16 == p->to / 16;
  noc_take(h->n, p->to, p->class);
}

// Flits that each even terminal gets through to its chip, of 0.25 offered, while the odd ones send
// as much as they can to other chips.
static double flits_of_a_chip(bool shared) {
  const noc_config c = noc_config_default();
  cosim_rng g = {seed};
  halves h = {0};
  h.n = noc_new_shared(&c, &(noc_sink){.ctx = &h, .arrived = halves_arrived},
                       (noc_shared){.legs = shared}, NULL, 0);
  assert_non_null(h.n);
  const uint32_t cycles = 6000;
  for (uint32_t k = 0; k < cycles; k++, noc_step(h.n))
    for (uint32_t t = 0; t < 128; t++) {
      const uint32_t chip = t / 16 * 16;
      const uint32_t far = (chip + 16 + rng_below(&g, 112)) % 128, near = chip + rng_below(&g, 16);
      if (t % 2 || rng_chance(&g, 64))
        noc_send(h.n, &(noc_packet){t, t % 2 ? far : near, NOC_REQUEST, 32, 0});
    }
  noc_free(h.n);
  return (double)h.here / cycles / 64;
}

static void packets_that_leave_a_chip_do_not_stop_those_that_stay(void **state) {
  (void)state;
  const double apart = flits_of_a_chip(false), together = flits_of_a_chip(true);
  print_message("flits to the own chip: %.3f with legs apart, %.3f together\n", apart, together);
  assert_true(apart > 0.24 && together < 0.2);
}

// ---- nothing is lost, order, repetition

static noc_config any_config(cosim_rng *g) {
  static const uint32_t x[] = {2, 4, 8}, y[] = {2, 4};
  noc_config c = noc_config_default();
  c.topology = rng_below(g, NOC_TOPOLOGIES);
  c.x = RNG_PICK(g, x), c.y = RNG_PICK(g, y);
  c.chips_x = rng_range(g, 1, 3), c.chips_y = rng_range(g, 1, 2);
  c.gateways = 1U << rng_below(g, 4);
  c.vcs = rng_range(g, 1, 4);
  c.ordered = rng_below(g, 2);
  c.depth = rng_range(g, 1, 6), c.off_depth = rng_range(g, 1, 12);
  c.loop = rng_range(g, 5, 9);
  c.flit_bytes = 4U << rng_below(g, 5), c.off_flit_bytes = 4U << rng_below(g, 5);
  *(c.flit_bytes > c.off_flit_bytes ? &c.flit_bytes : &c.off_flit_bytes) *= 1 + 2 * rng_below(g, 2);
  c.link = rng_range(g, 1, 3), c.off_link = rng_range(g, 1, 12);
  c.link_interval = rng_range(g, 1, 3), c.off_link_interval = rng_range(g, 1, 3);
  c.send_packets = rng_range(g, 1, 4), c.take_packets = rng_range(g, 1, 4);
  return c;
}

static void storms_of_any_kind_end_clean(void **state) {
  (void)state;
  cosim_rng g = {seed};
  for (int round = 0; round < (getenv("MPU_LONG") ? 2000 : 60); round++) {
    const noc_config c = any_config(&g);
    storm s;
    storm_new(&s, &c, (noc_shared){0}, rng_next(&g));
    s.most_bytes = rng_range(&g, 1, 200);
    s.chance = rng_range(&g, 1, 256);
    assert_true(storm_lives(&s, 2000));
    storm_ends(&s);
    storm_free(&s);
  }
}

static void ordered_packets_stay_in_order(void **state) {
  (void)state;
  noc_config c = noc_config_default();
  storm s;
  c.vcs = 4;
  c.chips_x = 2, c.chips_y = 1, c.x = c.y = 2;
  c.ordered = true;  // storm_arrived looks at it
  storm_new(&s, &c, (noc_shared){0}, seed);
  assert_true(storm_lives(&s, 20000));
  storm_ends(&s);
  storm_free(&s);
}

// Without the promise packets do overtake each other: there is something to be promised.
static bool overtaken;
static void watch_order(void *ctx, const noc_packet *p) {
  uint64_t *next = ctx;
  overtaken |= p->id != next[p->from * 4 + p->to]++;
}

static void unordered_packets_overtake(void **state) {
  (void)state;
  noc_config c = noc_config_default();
  c.vcs = 4, c.ordered = false;
  c.chips_x = c.chips_y = 1, c.x = 4, c.y = 1;
  c.take_packets = 1000;
  uint64_t next[16] = {0}, made[16] = {0};
  const noc_sink sink = {.ctx = next, .arrived = watch_order};
  cosim_rng g = {seed};
  noc *n = noc_new(&c, &sink, NULL, 0);
  assert_non_null(n);
  overtaken = false;
  for (int k = 0; k < 300; k++, noc_step(n))
    for (uint32_t t = 0; t < 2; t++)
      made[t * 4 + 3] +=
          noc_send(n, &(noc_packet){t, 3, NOC_REQUEST, rng_range(&g, 1, 200), made[t * 4 + 3]});
  assert_true(overtaken);
  noc_free(n);
}

static void the_same_calls_give_the_same_result(void **state) {
  (void)state;
  cosim_rng g = {seed};
  for (int round = 0; round < 10; round++) {
    const noc_config c = any_config(&g);
    const uint64_t random = rng_next(&g);
    uint64_t digest[3];
    for (uint64_t k = 0; k < 3; k++) {  // the third one is another storm
      storm s;
      storm_new(&s, &c, (noc_shared){0}, random + k / 2);
      storm_lives(&s, 1500);
      digest[k] = s.digest;
      storm_free(&s);
    }
    assert_int_equal(digest[0], digest[1]);
    assert_int_not_equal(digest[0], digest[2]);
  }
}

// Short storms with pauses: one network steps through them, the other one skips.
static void skips_equal_steps(void **state) {
  (void)state;
  cosim_rng g = {seed};
  for (int round = 0; round < 20; round++) {
    const noc_config c = any_config(&g);
    const uint64_t random = rng_next(&g);
    const uint64_t pause = round % 2 ? rng_range(&g, 1, 500) : (UINT64_C(1) << 33) + 5;
    uint64_t digest[2], cycles[2], skipped = 0;
    for (int skips = 0; skips < 2; skips++) {
      storm s;
      storm_new(&s, &c, (noc_shared){0}, random);
      for (int burst = 0; burst < 10; burst++) {
        storm_lives(&s, 5);
        storm_ends(&s);
        // 2^33 cycles cannot be stepped through; there the other one also skips, but in two pieces
        const uint64_t pieces = pause > 1000 ? pause / 3 : 0;
        if (skips || pieces) {
          noc_skip(s.n, skips ? pause : pieces);
          noc_skip(s.n, skips ? 0 : pause - pieces);
          skipped++;
        } else {
          for (uint64_t k = 0; k < pause; k++)
            noc_step(s.n);
        }
      }
      digest[skips] = s.digest;
      cycles[skips] = noc_cycle(s.n);
      storm_free(&s);
    }
    assert_int_equal(digest[0], digest[1]);
    assert_int_equal(cycles[0], cycles[1]);
    assert_true(skipped > 0);
  }
}

// ---- routes

// XY: along the row to the column, then along the column; diagonal links before all others.
static void routes_go_in_order_of_dimension(void **state) {
  (void)state;
  for (noc_topology t = NOC_MESH; t <= NOC_DIAGONAL_MESH; t++) {
    noc_config c = noc_config_default();
    topology m;
    char why[64];
    c.topology = t, c.x = 5, c.y = 4;
    assert_true(topology_chip(&m, &c, why, sizeof why));
    for (uint32_t from = 0; from < 20; from++)
      for (uint32_t to = 0; to < 20; to++) {
        if (from == to)
          continue;
        const topology_end e = m.peer[from * m.ports + m.route[from * 20 + to]];
        const int dx = (int)(to % 5) - (int)(from % 5), dy = (int)(to / 5) - (int)(from / 5);
        const int x = (dx > 0) - (dx < 0), y = (dy > 0) - (dy < 0);
        const int step = x + 5 * (t == NOC_MESH && x ? 0 : y);
        assert_int_equal((int)e.router - (int)from, step);
        // the port at the other end is the one back
        assert_int_equal(m.peer[e.router * m.ports + e.port].router, from);
      }
    topology_free(&m);
  }
}

static void no_route_waits_for_itself(void **state) {
  (void)state;
  for (noc_topology t = 0; t < NOC_TOPOLOGIES; t++)
    for (uint32_t gateways = 2; gateways <= 4; gateways *= 2) {
      noc_config c = noc_config_default();
      c.topology = t, c.chips_x = 2, c.chips_y = 1, c.gateways = gateways;
      if (!noc_check_routes(&c, true))
        fail_msg("%s, %u gateways: packets may wait in a circle", noc_topology_names[t], gateways);
    }
  // with several gateways the legs must be apart: a way to one and a way from another one may turn
  // from a column into a row together
  noc_config apart = noc_config_default();
  apart.chips_x = 2, apart.chips_y = 1, apart.gateways = 4;
  assert_false(noc_check_routes(&apart, false));
  for (noc_topology t = 0; t < NOC_TOPOLOGIES; t++)
    for (uint32_t chips = 1; chips <= 6; chips++)
      for (uint32_t x = 2; x <= 4; x += 2)
        for (int legs = 0; legs < 2; legs++) {
          noc_config c = noc_config_default();
          c.topology = t;
          c.chips_x = chips > 3 ? 2 : chips, c.chips_y = chips > 3 ? chips - 2 : 1;
          c.x = x, c.y = 4;
          if (!noc_check_routes(&c, legs))
            fail_msg("%s of %ux4, %ux%u chips, legs %s: packets may wait in a circle",
                     noc_topology_names[t], x, c.chips_x, c.chips_y, legs ? "apart" : "together");
        }
}

// ---- what it refuses

static void wrong_configurations_are_refused(void **state) {
  (void)state;
  static const struct {
    size_t at;
    uint32_t value;
    const char *why;
  } wrong[] = {
#define WRONG(key, value, why) {offsetof(noc_config, key), value, why}
      WRONG(topology, 5, "topology 5; allowed: 0 to 4"),
      WRONG(x, 0, "0 columns of terminals; allowed: 1 to 1024"),
      WRONG(y, 300, "4 x 300 terminals of a chip; allowed: 1024 together"),
      WRONG(chips_x, 200, "200 x 2 chips; allowed: 256 together"),
      WRONG(chips_y, 0, "0 rows of chips; allowed: 1 to 256"),
      WRONG(gateways, 0, "0 gateways of a chip; allowed: a power of two to 16"),
      WRONG(gateways, 3, "3 gateways of a chip; allowed: a power of two to 16"),
      WRONG(gateways, 32, "32 gateways of a chip; allowed: a power of two to 16"),
      WRONG(vcs, 9, "9 virtual channels of a class; allowed: 1 to 8"),
      WRONG(depth, 0, "0 flits of a buffer; allowed: 1 to 1024"),
      WRONG(off_depth, 2000, "2000 flits of a buffer between chips; allowed: 1 to 1024"),
      WRONG(loop, 4, "4 cycles of the credit loop; allowed: 5 to 1024"),
      WRONG(flit_bytes, 24,
            "24 bytes of a flit, 16 between chips; one must be a multiple of the other"),
      WRONG(flit_bytes, 1025, "1025 bytes of a flit; allowed: 1 to 1024"),
      WRONG(off_flit_bytes, 0, "0 bytes of a flit between chips; allowed: 1 to 1024"),
      WRONG(link, 0, "0 cycles of a link; allowed: 1 to 1024"),
      WRONG(off_link, 1025, "1025 cycles of a link between chips; allowed: 1 to 1024"),
      WRONG(link_interval, 0, "0 cycles from flit to flit; allowed: 1 to 1024"),
      WRONG(send_packets, 0, "0 packets to be sent; allowed: 1 to 1024"),
      WRONG(take_packets, 0, "0 packets to be taken; allowed: 1 to 1024"),
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    noc_config c = noc_config_default();
    char why[256] = "";
    memcpy((char *)&c + wrong[k].at, &wrong[k].value, sizeof wrong[k].value);
    assert_null(noc_new(&c, &(noc_sink){0}, why, sizeof why));
    assert_string_equal(why, wrong[k].why);
  }
  char why[256] = "";
  noc_config c = noc_config_default();
  c.topology = NOC_CONCENTRATED, c.group_x = 3;
  assert_null(noc_new(&c, &(noc_sink){0}, why, sizeof why));
  assert_string_equal(why, "groups of 3 x 2 terminals do not divide a chip of 4 x 4 terminals");
  c.topology = NOC_CROSSBAR, c.x = c.y = 8;
  assert_null(noc_new(&c, &(noc_sink){0}, why, sizeof why));
  assert_string_equal(why, "64 terminals at a router are too many; allowed: 63");
  c.gateways = 4;
  assert_null(noc_new(&c, &(noc_sink){0}, why, sizeof why));
  assert_string_equal(why, "64 terminals at a router are too many; allowed: 60");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_of_one_flit_do_not_deadlock),
      cmocka_unit_test(classes_on_the_same_channels_deadlock),
      cmocka_unit_test(packets_that_leave_a_chip_do_not_stop_those_that_stay),
      cmocka_unit_test(storms_of_any_kind_end_clean),
      cmocka_unit_test(ordered_packets_stay_in_order),
      cmocka_unit_test(unordered_packets_overtake),
      cmocka_unit_test(the_same_calls_give_the_same_result),
      cmocka_unit_test(skips_equal_steps),
      cmocka_unit_test(routes_go_in_order_of_dimension),
      cmocka_unit_test(no_route_waits_for_itself),
      cmocka_unit_test(wrong_configurations_are_refused),
  };
  for (int n = 1; n + 1 < argc; n += 2)
    if (strcmp(argv[n], "--seed") == 0)
      seed = strtoull(argv[n + 1], NULL, 10);
  printf("seed %llu\n", (unsigned long long)seed);
  return cmocka_run_group_tests_name("noc storms", tests, NULL, NULL);
}
