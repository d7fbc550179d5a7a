// SPDX-License-Identifier: Apache-2.0
// The vault controller takes a request and a line in each cycle, and what it makes of them may go
// on LATENCY cycles later. Lines never wait for requests: requests may wait for lines.
#include "vault.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN, LINE };  // events
enum { LATENCY = 3 };

typedef struct message {
  uint32_t what;
  uint16_t vault;
  uint8_t kind;
  double body[4];
} message;

// ---- TSVs

static bool send_up(vault *v, const packet *p, uint32_t layer, uint64_t at) {
  packets *to = p->kind == PACKET_LINE ? &v->lines : &v->asked;
  if (!packets_room(to))
    return false;
  packet q = *p;
  if (p->kind == PACKET_WANT)
    q.vault = layer;
  packets_put(to, q, at);
  return true;
}

static uint64_t arrival(const vault *v, const packet *p, uint64_t cycle) {
  return cycle + v->bus.latency + (v->bus.flits ? packet_flits(p) / v->bus.flits : 0);
}

// Each of these: how many flits go; 0: nothing does.
static uint32_t send_of_vectors(vault *v, uint64_t cycle) {
  const packet *p = packets_first(&v->vectors.up, cycle);
  if (!p || !send_up(v, p, 0, arrival(v, p, cycle)))
    return 0;
  const uint32_t flits = packet_flits(p);
  packets_drop(&v->vectors.up);
  return flits;
}

static uint32_t send_of_group(vault *v, uint32_t layer, uint64_t cycle, bool *taken) {
  packet p;
  if (*taken || !matrix_group_offers(&v->group[layer - 1], &p) ||
      !send_up(v, &p, layer, arrival(v, &p, cycle)))
    return 0;
  *taken = true;
  return packet_flits(&p);
}

static uint32_t send_down(vault *v, uint32_t layer, uint64_t cycle) {
  packets *to = layer ? &v->group[layer - 1].down : &v->vectors.down;
  const packet *p = packets_first(&v->down[layer], cycle);
  if (!p || !packets_room(to))
    return 0;
  const uint32_t flits = packet_flits(p);
  packets_put(to, *p, arrival(v, p, cycle));
  packets_drop(&v->down[layer]);
  return flits;
}

// Senders are the layers, then the base die to each layer.
static uint32_t send_one(vault *v, uint32_t sender, uint64_t cycle, bool *taken) {
  return sender > v->groups ? send_down(v, sender - v->groups - 1, cycle)
         : sender           ? send_of_group(v, sender, cycle, &taken[sender - 1])
                            : send_of_vectors(v, cycle);
}

// So many flits a cycle in all, whoever sends them.
static void clock_bus(vault *v, uint64_t cycle, bool *taken) {
  const uint32_t senders = 2 * (v->groups + 1);
  vault_bus *b = &v->bus;
  const uint64_t now = b->flits * cycle;
  if (b->taken < now)
    b->taken = now;
  for (uint32_t k = 0; k < senders && (b->taken < now + b->flits || !b->flits); k++) {
    const uint32_t flits = send_one(v, b->next, cycle, taken);
    b->taken += flits, v->counters.tsv_flits += flits;
    b->next = (b->next + 1) % senders;
  }
}

// ---- the vault controller

static uint32_t home_of(const vault *v, const packet *p) {
  return p->kind == PACKET_SUM ? p->what / v->share_y : p->what * 4 / v->share_x;
}

static void post(vault *v, const packet *p, uint32_t to, uint32_t class) {
  message m = {p->what, (uint16_t)p->vault, (uint8_t)p->kind, {0}};
  memcpy(m.body, p->body, sizeof m.body);
  const uint32_t elements = p->kind == PACKET_LINE ? 4 : p->kind == PACKET_SUM;
  node_port_send(&v->node.port, to, class, &m,
                 (uint32_t)(offsetof(message, body) + elements * sizeof *m.body));
}

static packet received(const message *m, bool body) {
  packet p = {.kind = (packet_kind)m->kind, .what = m->what, .vault = m->vault};
  if (body)
    memcpy(p.body, m->body, (p.kind == PACKET_LINE ? 4 : 1) * sizeof *p.body);
  return p;
}

// To the vectors of a vault. False: there is no room for it.
static bool may_go_home(const vault *v, uint32_t home) {
  return home == v->node.port.index ? packets_room(&v->down[0])
                                    : node_port_free_place(&v->node.port, NOC_REQUEST);
}

static void go_home(vault *v, const packet *p, uint32_t home, uint64_t at) {
  if (home == v->node.port.index)
    packets_put(&v->down[0], *p, at);
  else
    post(v, p, home, NOC_REQUEST);
}

static bool look(vault *v, uint32_t key) {
  v->line_in.look_valid = 1, v->line_in.look_key = key;
  xcam_step(v->lines_here, &v->line_in, &v->line_out);
  v->line_in.look_valid = 0;
  return v->line_out.ans_hit;
}

static ldq_state ask(vault *v, const packet *p) {
  v->ask_in.ask_valid = v->ask_in.ask_enter = 1;
  v->ask_in.ask_key = p->what, v->ask_in.ask_layer = p->vault;
  ldq_step(v->under_way, &v->ask_in, &v->ask_out);
  v->ask_in.ask_valid = 0;
  return (ldq_state)v->ask_out.ans_state;
}

static bool take_want(vault *v, const packet *p, uint64_t cycle) {
  packet q = *p;
  const uint32_t home = home_of(v, p), layer = p->vault;
  if (!packets_room(&v->down[layer]) || !may_go_home(v, home))
    return false;
  if (look(v, p->what)) {
    q.kind = PACKET_LINE;
    memcpy(q.body, v->line_out.ans_data, sizeof q.body);
    packets_put(&v->down[layer], q, cycle + LATENCY);
    v->counters.l2_hits++;
  } else {
    const ldq_state s = ask(v, p);
    if (s == LDQ_FULL)
      return true;
    v->counters.merged += s == LDQ_THERE;
    if (s == LDQ_ENTERED) {
      q.vault = v->node.port.index;
      v->counters.far += home != v->node.port.index;
      clocked_tell(v, (node_event){NODE_BEGIN, LINE, p->what, .values = {p->what, home, layer}});
      go_home(v, &q, home, cycle + LATENCY);
    }
  }
  v->counters.wants++;
  packets_drop(&v->asked);
  return true;
}

// Of the vault's layers. True: it was looked for.
static bool take_asked(vault *v, uint64_t cycle, bool may_look) {
  const packet *p = packets_first(&v->asked, cycle);
  if (!p)
    return false;
  if (p->kind == PACKET_WANT)
    return may_look && take_want(v, p, cycle);
  const uint32_t home = home_of(v, p);
  if (!may_go_home(v, home))
    return false;
  v->counters.sums_far += home != v->node.port.index;
  go_home(v, p, home, cycle + LATENCY);
  packets_drop(&v->asked);
  return false;
}

// Of another vault, for the vectors of this one. True: it was looked for.
static bool take_request(vault *v, uint64_t cycle, bool may_look) {
  const message *m = node_port_first(&v->node.port, NOC_REQUEST);
  if (!m || !packets_room(&v->down[0]))
    return false;
  packet p = received(m, m->kind == PACKET_SUM);
  const bool looks = p.kind == PACKET_WANT;
  if (looks && (!may_look || !node_port_free_place(&v->node.port, NOC_RESPONSE)))
    return false;
  const bool hit = looks && look(v, p.what);
  v->counters.far_wants += looks, v->counters.far_hits += hit;
  if (hit) {
    p.kind = PACKET_LINE;
    memcpy(p.body, v->line_out.ans_data, sizeof p.body);
    post(v, &p, p.vault, NOC_RESPONSE);
  } else {
    packets_put(&v->down[0], p, cycle + LATENCY);
  }
  node_port_take(&v->node.port, NOC_REQUEST);
  return looks;
}

// One look a cycle: the vault's layers and other vaults in turns.
static void take_requests(vault *v, uint64_t cycle) {
  bool (*const take[2])(vault *, uint64_t, bool) = {take_asked, take_request};
  const bool first = v->prefer_network, looked = take[first](v, cycle, true);
  take[!first](v, cycle, !looked);
  if (looked)
    v->prefer_network = !first;
}

static bool layers_have_room(const vault *v) {
  for (uint32_t k = 1; k <= v->groups; k++)
    if (!packets_room(&v->down[k]))
      return false;
  return true;
}

static void fill(vault *v, const packet *p) {
  v->line_in.fill_valid = 1, v->line_in.fill_key = p->what;
  memcpy(v->line_in.fill_data, p->body, sizeof v->line_in.fill_data);
  xcam_step(v->lines_here, &v->line_in, &v->line_out);
  v->line_in.fill_valid = 0;
  v->counters.fills++;
}

// A line for this vault: to all layers that wait for it.
static void spread(vault *v, const packet *p, uint64_t cycle) {
  v->ask_in.leave_valid = 1, v->ask_in.leave_key = p->what;
  ldq_step(v->under_way, &v->ask_in, &v->ask_out);
  v->ask_in.leave_valid = 0;
  assert(v->ask_out.left_there);
  v->counters.lines_came++;
  clocked_tell(v, (node_event){.phase = NODE_END, .kind = LINE, .id = p->what});
  for (uint32_t k = 1; k <= v->groups; k++)
    if (v->ask_out.left_layers >> k & 1)
      packets_put(&v->down[k], *p, cycle + LATENCY);
}

static bool take_own_line(vault *v, uint64_t cycle) {
  const packet *p = packets_first(&v->lines, cycle);
  if (!p)
    return false;
  const bool here = p->vault == v->node.port.index;
  if (here ? !layers_have_room(v) : !node_port_free_place(&v->node.port, NOC_RESPONSE))
    return false;
  fill(v, p);
  if (here)
    spread(v, p, cycle);
  else
    post(v, p, p->vault, NOC_RESPONSE);
  packets_drop(&v->lines);
  return true;
}

static bool take_far_line(vault *v, uint64_t cycle) {
  const message *m = node_port_first(&v->node.port, NOC_RESPONSE);
  if (!m || !layers_have_room(v))
    return false;
  const packet p = received(m, true);
  fill(v, &p);
  spread(v, &p, cycle);
  node_port_take(&v->node.port, NOC_RESPONSE);
  return true;
}

// Of the network, or of the vault's vectors: in turns, unless only the other one has a line.
static void take_line(vault *v, uint64_t cycle) {
  bool (*const take[2])(vault *, uint64_t) = {take_own_line, take_far_line};
  const bool first = v->prefer_far;
  if (take[first](v, cycle) || !take[!first](v, cycle))
    v->prefer_far = !first;
}

// ---- a cycle

// What is recorded has had no edge since the last one, if the vault stood still before this cycle.
static void stand_still(vault *v, uint64_t cycle) {
  if (++v->group_cycle < cycle)
    for (uint32_t k = 0; k < v->groups; k++)
      if (v->recorded[k])
        lockstep_still(v->group[k].block);
}

static void tell_run(vault *v, uint32_t layer, bool was_done) {
  const bool done = v->group[layer].done;
  if (done != was_done)
    clocked_tell(v, (node_event){done ? NODE_END : NODE_BEGIN, RUN, layer, .values = {layer + 1}});
}

static void step(void *node) {
  vault *v = node;
  const uint64_t cycle = v->node.cycle, flits = v->counters.tsv_flits;
  bool taken[VAULT_GROUPS] = {0}, busy = false;
  stand_still(v, cycle);
  v->group_cycle = cycle;
  if (v->looker.cycle)
    v->looker.cycle(v->looker.ctx, v);
  clock_bus(v, cycle, taken);
  take_line(v, cycle);
  take_requests(v, cycle);
  for (uint32_t k = 0; k < v->groups; k++) {
    matrix_group *g = &v->group[k];
    const bool was_done = g->done;
    if (!taken[k] && matrix_group_idle(g) && !v->recorded[k])
      continue;
    if (!matrix_group_clock(g, cycle, taken[k]))
      v->node.error = lockstep_error(g->block);
    if (g->done != was_done || matrix_group_moves(g))
      v->node.moved = cycle;
    tell_run(v, k, was_done);
    busy |= !g->done;
    if (*g->banks.error)
      v->node.error = g->banks.error;
  }
  vectors_clock(&v->vectors, cycle);
  if (v->counters.tsv_flits != flits || vectors_move(&v->vectors))
    v->node.moved = cycle;
  if (*v->vectors.banks.error)
    v->node.error = v->vectors.banks.error;
  v->counters.busy += busy;
}

static bool idle(const void *node) {
  const vault *v = node;
  if (!vectors_idle(&v->vectors) || v->asked.n || v->lines.n)
    return false;
  for (uint32_t k = 0; k <= v->groups; k++)
    if (v->down[k].n || (k < v->groups && !matrix_group_idle(&v->group[k])))
      return false;
  return true;
}

// ---- the node

void vault_start(vault *v, const packet *p, semiring s) {
  v->line_in.clear = 1;
  xcam_step(v->lines_here, &v->line_in, &v->line_out);
  v->line_in.clear = 0;
  vectors_restart(&v->vectors, v->node.port.index * v->share_x, v->node.port.index * v->share_y, s);
  for (uint32_t k = 0; k < v->groups; k++) {
    v->group[k].in.cfg_min = s == SEMIRING_MIN_PLUS;
    packets_put(&v->down[k + 1], *p, 0);
  }
}

static bool open_model(model *m, const spacea_structure *sizes, char *why, size_t why_bytes) {
  char text[256];
  verilated_library l;
  sizes_text(&spacea_structure_table, sizes, text, sizeof text);
  if (!verilated_open(&l, "spaceartl", text, NULL, NULL, "bgroup", why, why_bytes) ||
      !verilated_block(&l, m, "bgroup", &bgroup_twin, why, why_bytes))
    return false;
  verilated_close(&l);
  return true;
}

// Of the queues only their ends.
static bool list_hot(vault *v) {
  prefetch *a = v->node.hot = calloc(1, sizeof *a);
  if (!a)
    return false;
  for (uint32_t k = 0; k < v->groups; k++)
    matrix_group_fetch(a, &v->group[k]);
  vectors_fetch(a, &v->vectors);
  for (uint32_t k = 0; k <= v->groups; k++)
    prefetch_add(a, &v->down[k], 1);
  prefetch_add(a, &v->asked, 1), prefetch_add(a, &v->lines, 1);
  prefetch_add(a, &v->lines_here, sizeof *v - offsetof(vault, lines_here));
  return true;
}

static bool init(void *node, const machine_site *site, char *why, size_t why_bytes) {
  vault *v = node;
  const config *c = site->config;
  const spacea_structure l1 = {(uint32_t)c->spacea.sets, (uint32_t)c->spacea.ways,
                               (uint32_t)c->spacea.requests},
                         l2 = {(uint32_t)c->spacea.vault_sets, (uint32_t)c->spacea.vault_ways,
                               (uint32_t)c->spacea.vault_requests};
  v->node.step = step, v->node.idle = idle, v->node.counters = (const uint64_t *)&v->counters;
  v->groups = (uint32_t)c->spacea.layers - 1, v->counters.layers = (uint64_t)c->spacea.layers;
  v->counters.matrix_layers = v->groups;
  v->bus.flits = (uint32_t)c->spacea.tsv_flits, v->bus.latency = (uint32_t)c->spacea.tsv_latency;
  snprintf(why, why_bytes, "out of memory");
  if (!node_port_init(&v->node.port, site->index, site->net) ||
      !(v->lines_here = xcam_create(&l2)) || !(v->under_way = ldq_create(&l2)) ||
      !vectors_init(&v->vectors, c, &l1, &v->counters, why, why_bytes))
    return false;
  model block = {0};
  if (site->near != LOCKSTEP_C && !open_model(&block, &l1, why, why_bytes))
    return false;
  for (uint32_t k = 0; k < v->groups; k++)
    if (!matrix_group_init(&v->group[k], c, k ? &v->group[0] : NULL, &l1, site->near, &block,
                           &v->counters, why, why_bytes))
      return false;
  xcam_step(v->lines_here, &v->line_in, &v->line_out);
  ldq_step(v->under_way, &v->ask_in, &v->ask_out);
  v->line_in.rst_n = v->ask_in.rst_n = 1;
  return list_hot(v);
}

static void finish(void *node) {
  vault *v = node;
  free(v->node.hot);
  clocked_finish(v);
  for (uint32_t k = 0; k < v->groups; k++)
    matrix_group_free(&v->group[k]);
  vectors_free(&v->vectors);
  if (v->lines_here)
    xcam_destroy(v->lines_here);
  if (v->under_way)
    ldq_destroy(v->under_way);
}

// ---- signals

static uint32_t traced(const void *node) {
  return ((const vault *)node)->groups;
}

static bool trace(void *node, uint32_t module, const rtl_trace *to) {
  vault *v = node;
  rtl_trace here = to ? *to : (rtl_trace){0};
  here.cycle = &v->group_cycle, v->group_cycle = v->node.cycle;
  v->recorded[module] = lockstep_trace(v->group[module].block, to ? &here : NULL) && to;
  v->group_cycle--;  // no edge since
  return v->recorded[module] || !to;
}

static void come_to(void *node, uint64_t cycle) {
  vault *v = node;
  if (v->node.error)
    return;
  stand_still(v, cycle);
  v->group_cycle = cycle - 1;
}

// ----

static const node_energy energies[] = {
#define ENERGY_PART(group, name, key, share, unit, events, layer) \
  {group, #name, key, share, unit, events, layer},
#include "energies.def"
};
static const node_standing standing[] = {
    {"banks", "banks in standby", "energy.dram_idle", BANKS, "layers"}};
static const node_layer layers[] = {
    {"matrix", "a layer with PEs and their banks", "spacea.footprint", "matrix_layers"},
    {"vectors", "the lowest layer", "spacea.footprint", NULL},
    {"base die", "vault controllers, TSVs, network", "spacea.footprint", NULL}};
static const node_event_kind events[] = {
    [RUN] = {"run", "a bank group works, from START to DONE", {"layer"}, {0}},
    [LINE] = {"line",
              "from the first WANT of it until it comes to the vault",
              {"line", "home", "layer"},
              {0}}};
static const node_counter counters[] = {
#define COUNTER(name, doc, energy) {#name, doc, energy},
#include "counters.def"
#undef COUNTER
};
static const node_area area[] = {{"bgroup", VAULT_GROUPS}};
static const node_kind kind = {.name = "vault",
                               .doc = "bank groups above each other, and their controller",
                               NODE_LIST(counters, counters),
                               NODE_LIST(energies, energies),
                               NODE_LIST(standing, standing),
                               NODE_LIST(layers, layers),
                               NODE_LIST(events, events),
                               NODE_LIST(area, area)};
static const node_ops ops = {.kind = "vault",
                             .declares = &kind,
                             CLOCKED_OPS,
                             .traced = traced,
                             .trace = trace,
                             .come_to = come_to};

// ---- the machine

static bool check(const config *c, uint32_t nodes, char *why, size_t why_bytes) {
  if (nodes == (uint32_t)(c->spacea.cubes * c->spacea.vaults))
    return true;
  return snprintf(why, why_bytes, "spacea.cubes: %" PRIu32 " nodes are not its vaults", nodes),
         false;
}

static void results(void *const *nodes, uint32_t count, json_writer *j) {
  uint64_t sums = 0;
  for (uint32_t k = 0; k < count; k++)
    sums += ((const vault *)nodes[k])->counters.sums;
  jw_count(j, "sums", sums);
}

static const machine_part parts[] = {{&ops, sizeof(vault), init, finish}};
const machine_ops spacea_vaults = {
    "spacea", "sparse matrix times vector next to the banks", "spacea", parts, 1, check, results};

// Among the machines of nodes: what its vaults declare. It multiplies matrices, so it is not run as
// they are.
static bool check_declared(const config *c, uint32_t nodes, char *why, size_t why_bytes) {
  (void)c, (void)nodes;
  return snprintf(why, why_bytes, "spacea multiplies matrices: mpu spacea run cant"), false;
}
static const machine_part declared[] = {{.ops = &ops}};
const machine_ops spacea_machine_ops = {.name = "spacea",
                                        .doc = "sparse matrix times vector next to the banks",
                                        .section = "spacea",
                                        .parts = declared,
                                        .n_parts = 1,
                                        .check = check_declared};
