// SPDX-License-Identifier: Apache-2.0
// Machines of nodes: packets, places to send and their order, nodes that fail or wait for ever, and
// what is counted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/schedule/clocked.h"
#include "harness/base/schedule/machine.h"

enum { PACKETS = 500, FAIL_AT = 100 };

// Node 0 sends as fast as it may to the next one, which passes everything on, and so forth; the
// last one sends it back.
typedef struct runner {
  clocked node;
  uint64_t counters[2];  // sent, taken
  uint32_t left, expects, nodes;
  bool wrong;
} runner;

static bool fails, waits;  // what a test wants
static uint32_t packets = PACKETS;

static bool idle(const void *node) {
  const runner *r = node;
  return (!r->left || !node_port_free_place(&r->node.port, NOC_REQUEST)) &&
         (!waits || r->node.port.index != 1);
}

static void pass(runner *r, uint32_t number) {
  node_port_send(&r->node.port, (r->node.port.index + 1) % r->nodes, NOC_REQUEST, &number,
                 sizeof number);
  r->counters[0]++;
}

static void step(void *node) {
  runner *r = node;
  node_port *p = &r->node.port;
  const uint32_t *number = node_port_first(p, NOC_REQUEST);
  if (fails && p->index == 2 && r->counters[1] == FAIL_AT)
    r->node.error = "it was told to";
  if (number && (!p->index || node_port_free_place(p, NOC_REQUEST))) {
    r->wrong |= *number != r->expects++;
    if (p->index)
      pass(r, *number);
    node_port_take(p, NOC_REQUEST);
    r->counters[1]++;
  }
  if (r->left && node_port_free_place(p, NOC_REQUEST))
    pass(r, packets - r->left--);
}

static runner *made[SCHEDULE_NODES];

static bool init(void *node, const machine_site *site, char *why, size_t bytes) {
  (void)why, (void)bytes;
  runner *r = made[site->index] = node;
  r->node.step = step, r->node.idle = idle, r->node.counters = r->counters;
  r->left = site->index ? 0 : packets, r->nodes = site->nodes;
  return node_port_init(&r->node.port, site->index, site->net);
}

static bool check(const config *c, uint32_t nodes, char *why, size_t bytes) {
  (void)c;
  snprintf(why, bytes, "one node is too few");
  return nodes > 1;
}

static void results(void *const *nodes, uint32_t count, json_writer *j) {
  for (uint32_t k = 0; k < count; k++)
    assert_ptr_equal(nodes[k], made[k]);
  jw_count(j, "count", count);
}

static const build_info build = {"1", "unknown", "some", "none"};
static const node_counter counters[] = {{"sent", "packets", "energy.dram_row"},
                                        {"taken", "packets", NULL}};
static const node_kind kind = {.name = "runner", .doc = "passes on", NODE_LIST(counters, counters)};
static const node_ops ops = {.kind = "runner", .declares = &kind, CLOCKED_OPS};
static const machine_part parts[] = {{&ops, sizeof(runner), init, clocked_finish}};
static const machine_ops machine = {"ring", "for this test", NULL, parts, 1, check, results};

static config config_of(const char *a, const char *b) {
  char why[CONFIG_WHY];
  const char *const sets[] = {a, b};
  config c = config_default();
  assert_true(config_override(&c, sets, 2, why, sizeof why));
  return c;
}

// What a run leaves as JSON; freed by the caller.
static char *run(const config *c, uint32_t threads, bool well, char *why, size_t why_bytes) {
  char *text = NULL;
  size_t bytes;
  machine_run *r = machine_run_new(&machine, c, NULL, threads, why, why_bytes);
  assert_non_null(r);
  assert_int_equal(machine_run_all(r, why, why_bytes), well);
  FILE *f = open_memstream(&text, &bytes);
  assert_non_null(f);
  machine_run_json(r, &build, f);
  fclose(f);
  for (uint32_t k = 0; well && k < c->machine.cores * c->machine.processors; k++) {
    assert_int_equal(made[k]->counters[0], packets);
    assert_int_equal(made[k]->counters[1], packets);
    assert_false(made[k]->wrong);
  }
  machine_run_free(r);
  return text;
}

static void all_arrive_in_order(void **state) {
  (void)state;
  static const char *const places[] = {"network.send_packets=1", "network.send_packets=8",
                                       "network.take_packets=1"};
  char why[CONFIG_WHY];
  for (size_t k = 0; k < 3; k++) {
    const config c = config_of("machine.processors=2", places[k]);
    char *one = run(&c, 1, true, why, sizeof why), *three = run(&c, 3, true, why, sizeof why);
    assert_string_equal(one, three);
    assert_non_null(strstr(one, "\"processors\": 2, \"cores\": 16"));
    assert_non_null(strstr(one, "\"build\": {\"release\": \"1\", \"commit\": \"unknown\""));
    assert_non_null(strstr(one, "\"runner\": {\"sent\": 16000, \"taken\": 16000}"));
    // 16000 times 270 pJ; 30000 flits of 256 bits at 0.72 pJ and 1000 of 128 at 4.5, all of them
    // through a router at 0.362
    assert_non_null(strstr(one,
                           "\"runner\": {\"sent\": 4.32e+06}, \"network\": {\"on_chip_links\": "
                           "5.5296e+06, \"off_chip_links\": 576000, \"routers\": "
                           "2.8265e+06}, \"total\": 1.32521e+07}"));
    free(one), free(three);
  }
}

static void a_node_fails(void **state) {
  (void)state;
  char why[CONFIG_WHY];
  const config c = config_of("machine.processors=1", "machine.cores=4");
  fails = true;
  free(run(&c, 2, false, why, sizeof why));
  fails = false;
  assert_non_null(strstr(why, "runner 2, cycle "));
  assert_non_null(strstr(why, ": it was told to"));
}

static void a_node_waits(void **state) {
  (void)state;
  char why[CONFIG_WHY];
  const config c = config_of("machine.cores=4", "core.stall_limit=10000");
  waits = true;
  free(run(&c, 1, false, why, sizeof why));
  waits = false;
  assert_non_null(strstr(why, "runner 1, cycle "));
  assert_non_null(strstr(why, "waits for something that does not come"));
}

// Slow is not stalled: packets that are sent and taken are progress.
static void a_long_run(void **state) {
  (void)state;
  char why[CONFIG_WHY];
  const config c = config_of("network.send_packets=1", "core.stall_limit=10000");
  free(run(&c, 2, true, why, sizeof why));
}

// Nor are nodes that all rest while the last packet is in flight: whenever that is.
static void all_rest_before_the_end(void **state) {
  (void)state;
  char why[CONFIG_WHY];
  config c = config_of("machine.processors=1", "core.stall_limit=10000");
  c.machine.cores = 4, c.network.send_packets = 1, c.network.interface = 61;
  for (packets = 300; packets < 450; packets++)
    free(run(&c, 1, true, why, sizeof why));
  packets = PACKETS;
}

static void not_this_configuration(void **state) {
  (void)state;
  char why[CONFIG_WHY];
  const config c = config_of("machine.processors=1", "machine.cores=1");
  assert_null(machine_run_new(&machine, &c, NULL, 1, why, sizeof why));
  assert_string_equal(why, "one node is too few");
}

// What a counter costs is a key that does not exist; and nodes that declare nothing.
static void other_declarations(void **state) {
  (void)state;
  static const node_counter dear[] = {{"sent", "packets", "energy.dram_rows"}};
  const node_kind wrong_kind = {.name = "runner", .doc = "passes on", NODE_LIST(counters, dear)};
  node_ops other = ops;
  const machine_part other_parts[] = {{&other, sizeof(runner), init, clocked_finish}};
  machine_ops m = machine;
  char why[CONFIG_WHY];
  const config c = config_of("machine.processors=1", "machine.cores=4");
  m.parts = other_parts, other.declares = &wrong_kind;
  assert_null(machine_run_new(&m, &c, NULL, 1, why, sizeof why));
  assert_string_equal(
      why, "counter runner.sent: its energy is the key 'energy.dram_rows', which does not exist");
  const node_group parts_of[] = {
      {.name = "ways", .count = 2, .words = 1, NODE_LIST(counters, dear)}};
  const node_kind grouped = {.name = "runner", .doc = "passes on", NODE_LIST(groups, parts_of)};
  other.declares = &grouped;
  assert_null(machine_run_new(&m, &c, NULL, 1, why, sizeof why));
  assert_string_equal(why,
                      "counter runner.ways.sent: its energy belongs in the energies of the node");
  static const node_counter plain[] = {{"sent", "packets", NULL}};
  node_layer top[] = {{"top", "the DRAM", "energy.footprint", "lost"}};
  node_energy spent[] = {{"all", "send", "energy.dram_row", 1, "packets", "sent", "bottom"}};
  const node_kind stacked = {.name = "runner",
                             .doc = "passes on",
                             NODE_LIST(counters, plain),
                             NODE_LIST(energies, spent),
                             NODE_LIST(layers, top)};
  other.declares = &stacked;
  assert_null(machine_run_new(&m, &c, NULL, 1, why, sizeof why));
  assert_string_equal(why, "layer runner.top: 'lost' is not a sum of its counters");
  top[0].per = NULL;
  assert_null(machine_run_new(&m, &c, NULL, 1, why, sizeof why));
  assert_string_equal(why, "energy runner.send: 'bottom' is not a layer of the node");
  spent[0].layer = "top", top[0].area = "energy.footprints";
  assert_null(machine_run_new(&m, &c, NULL, 1, why, sizeof why));
  assert_string_equal(
      why, "layer runner.top: its area is the key 'energy.footprints', which does not exist");
  const machine_part twice[] = {parts[0], parts[0]};
  m.parts = twice, m.n_parts = 2;
  assert_null(machine_run_new(&m, &c, NULL, 1, why, sizeof why));
  assert_string_equal(why, "node runner: two parts of the machine declare it");
  m.parts = other_parts, m.n_parts = 1;
  other.declares = NULL;
  machine_run *r = machine_run_new(&m, &c, NULL, 1, why, sizeof why);
  assert_non_null(r);
  assert_true(machine_run_all(r, why, sizeof why));
  FILE *f = tmpfile();
  assert_non_null(f);
  machine_run_json(r, &build, f);
  machine_run_report(r, f);
  machine_declared(&m, f);
  assert_true(ftell(f) > 100);
  fclose(f);
  machine_run_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_arrive_in_order),
                                     cmocka_unit_test(a_node_fails),
                                     cmocka_unit_test(a_node_waits),
                                     cmocka_unit_test(a_long_run),
                                     cmocka_unit_test(all_rest_before_the_end),
                                     cmocka_unit_test(not_this_configuration),
                                     cmocka_unit_test(other_declarations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
