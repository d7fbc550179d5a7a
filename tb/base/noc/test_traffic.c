// SPDX-License-Identifier: Apache-2.0
// Latency and saturation under synthetic traffic, against BookSim2 and a router without virtual
// channels (single flits, XY, links of one cycle, round robin, source queueing counted).
//
//   test_noc_traffic [--seed N]      MPU_LONG: all sizes and depths
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/noc/traffic.h"

static uint64_t seed = 1;

static traffic_config uniform(noc_topology t, uint32_t k, uint32_t depth, uint32_t loop,
                              uint32_t vcs) {
  traffic_config c = traffic_default();
  c.net.topology = t;
  c.net.x = c.net.y = k;
  c.net.chips_x = c.net.chips_y = 1;
  c.net.depth = depth, c.net.loop = loop, c.net.vcs = vcs;
  c.net.ordered = false;
  c.seed = seed;
  return c;
}

static traffic_result run(const traffic_config *c) {
  traffic_result r;
  char why[256];
  if (!traffic_run(c, &r, why, sizeof why))
    fail_msg("%s", why);
  return r;
}

static double saturation(const traffic_config *c) {
  double empty, load;
  char why[256];
  if (!traffic_saturation(c, &empty, &load, why, sizeof why))
    fail_msg("%s", why);
  return load;
}

// Of a router without virtual channels, where there is a figure, and of BookSim2. BookSim2 has
// 0.349 for 4 flits and a loop of 8: a router with virtual channels, even if it has one, holds it
// longer.
static const struct {
  noc_topology t;
  uint32_t depth, loop, vcs;
  double plain, booksim;
} entries[] = {
    {NOC_MESH, 4, 7, 1, 0.418, 0.405},     {NOC_MESH, 4, 8, 1, 0.371, 0},
    {NOC_MESH, 8, 7, 1, 0.664, 0},         {NOC_MESH, 8, 8, 1, 0, 0.648},
    {NOC_MESH, 16, 7, 1, 0.72, 0},         {NOC_MESH, 4, 7, 2, 0, 0.66},
    {NOC_MESH, 4, 7, 4, 0, 0.763},         {NOC_DIAGONAL_MESH, 4, 7, 4, 0, 0.890},
    {NOC_CONCENTRATED, 4, 7, 4, 0, 0.401}, {NOC_CONCENTRATED_DIAGONAL, 4, 7, 4, 0, 0.668},
    {NOC_CROSSBAR, 4, 7, 4, 0, 0.658},
};

static void saturation_is_that_of_the_reference(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof entries / sizeof *entries; n++) {
    traffic_config c = uniform(entries[n].t, 4, entries[n].depth, entries[n].loop, entries[n].vcs);
    c.warm = 2000;
    const double s = saturation(&c), known[] = {entries[n].plain, entries[n].booksim};
    print_message("%s, %u x %u flits, loop %u: %.3f (%.3f %.3f)\n",
                  noc_topology_names[entries[n].t], entries[n].vcs, entries[n].depth,
                  entries[n].loop, s, known[0], known[1]);
    for (int k = 0; k < 2; k++)
      if (known[k] > 0 && (s < 0.95 * known[k] || s > 1.05 * known[k]))
        fail_msg("%.3f is not within 5 %% of %.3f", s, known[k]);
  }
}

// The router without virtual channels: latency below saturation.
static void latency_is_that_of_the_reference(void **state) {
  (void)state;
  static const double loads[] = {0.05, 0.10, 0.20, 0.25, 0.30};
  static const struct {
    uint32_t depth, loop;
    double latency[5];
  } known[] = {{4, 7, {16.0, 16.1, 16.3, 16.6, 17.0}},
               {4, 8, {16.0, 16.1, 16.4, 16.9, 18.1}},
               {8, 7, {16.0, 16.1, 16.2, 16.3, 16.4}}};
  for (size_t n = 0; n < 3; n++)
    for (size_t k = 0; k < 5; k++) {
      traffic_config c = uniform(NOC_MESH, 4, known[n].depth, known[n].loop, 1);
      c.measure = 40000;
      c.load = loads[k];
      const traffic_result r = run(&c);
      if (r.latency < 0.98 * known[n].latency[k] || r.latency > 1.02 * known[n].latency[k])
        fail_msg("%u flits, loop %u, load %.2f: %.2f cycles, not %.1f", known[n].depth,
                 known[n].loop, loads[k], r.latency, known[n].latency[k]);
      assert_true(r.accepted > 0.97 * loads[k] && r.accepted < 1.03 * loads[k]);
    }
}

// Nothing exceeds what the links between the halves of a mesh, or those of terminals, carry with
// their credits, and at least half of that is reached; more buffers never hurt, a longer loop never
// helps.
static void all_sizes_and_depths(void **state) {
  (void)state;
  const bool all = getenv("MPU_LONG");
  static const uint32_t depths[] = {1, 2, 4, 6, 8, 12, 16};
  for (uint32_t k = all ? 2 : 5; k <= (all ? 16 : 8); k += all ? 1 : 3) {
    const double bound = k % 2 ? 4.0 * k / (k * k - 1.0) : 4.0 / k;
    double before[2] = {0};
    for (size_t d = all ? 0 : 2; d < (all ? 7 : 5); d += all ? 1 : 2) {
      double here[2];
      for (uint32_t loop = 7; loop <= 8; loop++) {
        traffic_config c = uniform(NOC_MESH, k, depths[d], loop, 1);
        c.warm = 2000, c.measure = all ? 8000 : 3000;
        here[loop - 7] = saturation(&c);
        const double links = bound * fmin(1, (double)depths[d] / loop);
        const double most = fmin(1, fmin(links, depths[d] / (loop - 1.0)));
        print_message("%ux%u, %u flits, loop %u: %.3f of %.3f\n", k, k, depths[d], loop,
                      here[loop - 7], most);
        assert_true(here[loop - 7] <= 1.02 * most);
        assert_true(here[loop - 7] >= 0.5 * most);
        assert_true(here[loop - 7] >= 0.98 * before[loop - 7]);
      }
      assert_true(here[1] <= 1.02 * here[0]);
      memcpy(before, here, sizeof here);
    }
  }
}

// Saturation is what the network delivers: sources do not fill below it, and no load brings more
// than a little more through. A short drain does not change it, nor the mark of what is beyond.
static void saturation_can_be_delivered(void **state) {
  (void)state;
  traffic_config c = uniform(NOC_MESH, 8, 16, 7, 1);
  const double s = saturation(&c);
  double most = 0;
  for (int k = 0; k < 4; k++) {
    c.load = s * (k == 3 ? 2 : 0.9 + 0.06 * k);
    c.drain = k < 2 ? 50000 : 1;
    const traffic_result r = run(&c);
    most = fmax(most, r.accepted);
    assert_int_equal(r.saturated, k > 1);
    assert_int_equal(r.drained, k < 2);
  }
  print_message("8x8, 16 flits: saturation %.4f, at most %.4f delivered\n", s, most);
  assert_true(s <= 1.002 * most && s > 0.97 * most);
  c = uniform(NOC_MESH, 4, 4, 7, 1);
  c.warm = 500, c.measure = 2000;
  const double usual = saturation(&c);
  c.drain = 1;
  assert_true(saturation(&c) == usual);
}

// Beyond saturation. With turns, sources that push in take their part from packets under way, the
// more of it the more virtual channels they fill: 8 x 8 terminals lose up to a tenth of their peak,
// here as in BookSim2 (8 x 8, XY, 4 flits a channel, iSLIP; at loads of 0.45 and 1). By age packets
// under way go first, and nothing is lost; a channel alone loses nothing either way.
static void throughput_beyond_saturation(void **state) {
  (void)state;
  static const struct {
    uint32_t vcs;
    double booksim[2];  // for one channel it has another credit loop
  } known[] = {{1, {0, 0}}, {2, {0.364, 0.357}}, {4, {0.406, 0.375}}, {8, {0.418, 0.370}}};
  for (size_t n = 0; n < sizeof known / sizeof *known; n++)
    for (int by_age = 0; by_age < 2; by_age++) {
      double got[2];
      for (int k = 0; k < 2; k++) {
        traffic_config c = uniform(NOC_MESH, 8, 4, 7, known[n].vcs);
        c.net.oldest_first = by_age;
        c.load = k ? 1 : 0.45;
        c.warm = 4000, c.measure = 5000, c.drain = 0;
        got[k] = run(&c).accepted;
      }
      print_message("8x8, %u channels, %s: %.3f, then %.3f (%.3f %.3f)\n", known[n].vcs,
                    by_age ? "by age" : "turns", got[0], got[1], known[n].booksim[0],
                    known[n].booksim[1]);
      if (by_age || known[n].vcs == 1)
        assert_true(got[1] > 0.985 * got[0]);
      for (int k = 0; k < 2; k++)
        if (!by_age && known[n].booksim[k] > 0 &&
            fabs(got[k] - known[n].booksim[k]) > 0.05 * known[n].booksim[k])
          fail_msg("%.3f is not within 5 %% of %.3f", got[k], known[n].booksim[k]);
    }
}

// Two links of 16 bytes a cycle each way between the halves of a machine of 4 x 2 chips: half of
// the flits of 64 terminals cross them.
static void the_links_between_chips_bound_the_machine(void **state) {
  (void)state;
  traffic_config c = traffic_default();
  c.seed = seed;
  c.warm = 2000, c.measure = 5000;
  const double s = saturation(&c), bound = 2 * 16 / (64 * 32 * 0.5);
  print_message("machine of the paper: %.4f of %.4f\n", s, bound);
  assert_true(s < bound && s > 0.7 * bound);
}

// Each gateway has links of its own: what they carry grows as their number, and ways get shorter.
static void gateways_carry_as_many_times(void **state) {
  (void)state;
  double one = 0, before = 1e9;
  for (uint32_t g = 1; g <= 8; g *= 2) {
    traffic_config c = traffic_default();
    double empty, load;
    char why[256];
    c.seed = seed;
    c.net.gateways = g;
    c.warm = 2000, c.measure = 5000;
    assert_true(traffic_saturation(&c, &empty, &load, why, sizeof why));
    print_message("%u gateways: %.2f cycles, %.4f\n", g, empty, load);
    one = g == 1 ? load : one;
    assert_true(load > 0.9 * one * g && load < 2 * 16 * g / (64 * 32 * 0.5));
    assert_true(empty < before);
    before = empty;
  }
}

static void six_processors_and_sixteen_vaults(void **state) {
  (void)state;
  static const struct {
    noc_topology t;
    double empty, low, high;
  } known[] = {{NOC_CROSSBAR, 8.6, 0.22, 0.24},
               {NOC_CONCENTRATED_DIAGONAL, 11.6, 0.20, 0.22},
               {NOC_CONCENTRATED, 12.6, 0.10, 0.15}};
  for (size_t n = 0; n < 3; n++) {
    traffic_config c = traffic_default();
    char why[256];
    double empty, load;
    c.net = traffic_vaults(known[n].t);
    c.net.ordered = false;
    c.net.depth = 8;
    c.pattern = TRAFFIC_VAULTS;
    c.answers = true;
    c.seed = seed;
    assert_true(traffic_saturation(&c, &empty, &load, why, sizeof why));
    print_message("%s: %.2f cycles (%.1f), %.3f (%.2f to %.2f)\n", noc_topology_names[known[n].t],
                  empty, known[n].empty, load, known[n].low, known[n].high);
    assert_true(empty > 0.98 * known[n].empty && empty < 1.02 * known[n].empty);
    assert_true(load > 0.95 * known[n].low && load < 1.05 * known[n].high);
    for (int k = 0; k <= 4;
         k += 2) {  // what the port of a processor takes and gives, for any share
      c.read_share = k / 4.0;
      c.warm = 1000, c.measure = 4000;
      const double r = c.read_share, in = 5 * r + (1 - r), out = r + 5 * (1 - r);
      assert_true(saturation(&c) <= 1.01 / (in > out ? in : out));
    }
  }
}

// ---- patterns

static void patterns_go_where_they_say(void **state) {
  (void)state;
  traffic_config c = uniform(NOC_MESH, 4, 4, 7, 1);
  c.measure = 40000;
  c.load = 0.01;
  c.pattern = TRAFFIC_NEIGHBOUR;  // three of four go to the next router, one goes back over three
  traffic_result r = run(&c);
  assert_true(r.latency > 11.8 && r.latency < 12.2 && r.most < 30);
  c.pattern = TRAFFIC_TRANSPOSE;  // 2 |x - y| links: 2.5 on average, 6 at most
  r = run(&c);
  assert_true(r.latency > 15.6 && r.latency < 16.4);
  c.pattern = TRAFFIC_HOTSPOT;
  c.hotspot_share = 1;
  c.hotspot = 5;  // links from (x, y) to (1, 1): 2 on average
  r = run(&c);
  assert_true(r.latency > 13.8 && r.latency < 14.6);
  c.load = 0.5;  // all for one: a flit a cycle
  c.drain = 1000;
  r = run(&c);
  assert_true(r.accepted * 16 <= 1.001 && r.accepted * 16 > 0.55 && !r.drained);
  // of a machine of chips: terminal 1 of chip 0 is at (1, 0), and (0, 1) is terminal 2 of chip 0;
  // in a machine of 2 x 2 chips the halves of the square change places over the diagonal
  c = uniform(NOC_MESH, 2, 4, 7, 1);
  c.net.chips_x = c.net.chips_y = 2;
  c.pattern = TRAFFIC_TRANSPOSE;
  c.load = 0.01;
  r = run(&c);
  assert_true(r.drained && r.latency > 6);
  char why[256];
  c.net.chips_x = 1;
  assert_false(traffic_run(&c, &r, why, sizeof why));
  assert_string_equal(why, "transpose needs as many columns as rows, not 2 and 4");
  c.pattern = TRAFFIC_HOTSPOT, c.hotspot = 8;
  assert_false(traffic_run(&c, &r, why, sizeof why));
  assert_string_equal(why, "unknown terminal 8");
  c.pattern = TRAFFIC_VAULTS;
  assert_false(traffic_run(&c, &r, why, sizeof why));
  assert_string_equal(why, "vaults needs answers and one chip of 14 x 2 terminals");
}

static void a_seed_gives_one_result(void **state) {
  (void)state;
  traffic_config c = uniform(NOC_MESH, 4, 4, 7, 2);
  c.warm = 2000, c.measure = 8000;
  c.load = 0.5;
  c.answers = true;
  c.net.chips_x = 2;
  const traffic_result a = run(&c), b = run(&c);
  c.seed++;
  const traffic_result d = run(&c);
  assert_true(a.latency == b.latency && a.accepted == b.accepted && a.most == b.most &&
              a.packets == b.packets && a.cycles == b.cycles);
  assert_true(a.latency != d.latency);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(saturation_is_that_of_the_reference),
      cmocka_unit_test(latency_is_that_of_the_reference),
      cmocka_unit_test(all_sizes_and_depths),
      cmocka_unit_test(saturation_can_be_delivered),
      cmocka_unit_test(throughput_beyond_saturation),
      cmocka_unit_test(the_links_between_chips_bound_the_machine),
      cmocka_unit_test(gateways_carry_as_many_times),
      cmocka_unit_test(six_processors_and_sixteen_vaults),
      cmocka_unit_test(patterns_go_where_they_say),
      cmocka_unit_test(a_seed_gives_one_result),
  };
  for (int n = 1; n + 1 < argc; n += 2)
    if (strcmp(argv[n], "--seed") == 0)
      seed = strtoull(argv[n + 1], NULL, 10);
  printf("seed %llu\n", (unsigned long long)seed);
  return cmocka_run_group_tests_name("noc traffic", tests, NULL, NULL);
}
