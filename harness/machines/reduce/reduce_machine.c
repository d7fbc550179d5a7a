// SPDX-License-Identifier: Apache-2.0
// The machine `reduce`: a host, node 0, asks engines, the other nodes, for sums of what is in their
// banks. docs/adding-a-machine.md explains it.
#include <string.h>
#include "csim/reduce/reduce.h"
#include "harness/machines/common/bank_node.h"

typedef struct message {  // a request: first access and number of them; an answer: from, and a sum
  uint32_t at, value;
} message;

// ---- the host

typedef struct host {
  clocked node;
  uint64_t answers;  // its counter
  uint32_t left, engines, first, accesses, asked[SCHEDULE_NODES], sums[SCHEDULE_NODES];
} host;

static bool host_idle(const void *node) {
  const host *h = node;
  return !h->left || !node_port_free_place(&h->node.port, NOC_REQUEST);
}

static void host_step(void *node) {
  host *h = node;
  node_port *port = &h->node.port;
  const message *a = node_port_first(port, NOC_RESPONSE);
  if (a) {
    h->sums[a->at] += a->value, h->answers++;
    clocked_tell(h, (node_event){NODE_AT, .values = {a->at, a->value}});
    node_port_take(port, NOC_RESPONSE);
  }
  if (!host_idle(h)) {
    const uint32_t to = 1 + --h->left % h->engines;
    const message q = {h->first + h->asked[to]++ * h->accesses, h->accesses};
    node_port_send(port, to, NOC_REQUEST, &q, sizeof q);
  }
}

static bool host_init(void *node, const machine_site *site, char *why, size_t bytes) {
  (void)why, (void)bytes;
  host *h = node;
  h->node.step = host_step, h->node.idle = host_idle, h->node.counters = &h->answers;
  h->engines = site->nodes - 1, h->left = h->engines * site->config->reduce.requests;
  h->first = site->config->reduce.first, h->accesses = site->config->reduce.accesses;
  return node_port_init(&h->node.port, site->index, site->net);
}

static const node_counter host_counters[] = {{"answers", "answers that arrived", NULL}};
static const node_event_kind host_events[] = {
    {"answer", "an answer arrives", {"from", "sum"}, {0}}};
static const node_kind host_kind = {.name = "host",
                                    .doc = "asks the engines",
                                    NODE_LIST(counters, host_counters),
                                    NODE_LIST(events, host_events)};
static const node_ops host_ops = {.kind = "host", .declares = &host_kind, CLOCKED_OPS};

// ---- an engine: the block and its bank channel

typedef struct engine {
  bank_node bank;
  reduce_in in;
  struct {
#define COUNTER(name, doc, energy) uint64_t name;
#include "counters.def"
#undef COUNTER
  } counters;
} engine;

enum { REQUEST, READ };
static const node_event_kind engine_events[] = {
    {"request", "from its packet to its sum", {"first", "accesses"}, {"sum"}},
    {"read", "the bank channel takes a read", {"bank", "row", "column"}, {0}}};

static void engine_step(void *node) {
  engine *e = node;
  node_port *port = &e->bank.node.port;
  const bankctl_out *bank = bank_node_begin(&e->bank);
  const reduce_out *out = lockstep_out(e->bank.block);
  const message *q = out->start_ready ? node_port_first(port, NOC_REQUEST) : NULL;
  const bool sum = out->sum_valid && node_port_free_place(port, NOC_RESPONSE);
  const channel_request read = {.bank = out->req_bank, .row = out->req_row, .col = out->req_col};
  reduce_in *in = &e->in;
  *in = (reduce_in){.rst_n = 1, .sum_ready = sum, .req_ready = bank->req_ready};
  in->rsp_valid = bank->rsp_valid;
  memcpy(in->rsp_data, bank->rsp_data, sizeof in->rsp_data);
  if (q) {
    in->start_valid = 1, in->start_first = q->at, in->start_count = q->value;
    clocked_tell(e, (node_event){NODE_BEGIN, REQUEST, .values = {q->at, q->value}});
    node_port_take(port, NOC_REQUEST);
  }
  if (sum) {
    const message a = {port->index, out->sum};
    clocked_tell(e, (node_event){NODE_END, REQUEST, .values = {out->sum}});
    node_port_send(port, 0, NOC_RESPONSE, &a, sizeof a);
  }
  if (out->req_valid && bank->req_ready)
    clocked_tell(e, (node_event){NODE_AT, READ, .values = {read.bank, read.row, read.col}});
  const dram *d = channel_dram(e->bank.channel);
  e->counters.requests += sum;
  e->counters.adds += in->rsp_valid ? REDUCE_WORDS : 0;
  e->counters.busy += out->busy;
  e->counters.accesses = dram_commands(d, DRAM_RD);
  e->counters.rows = dram_commands(d, DRAM_ACT) + dram_commands(d, DRAM_PRE);
  e->counters.refreshes = dram_commands(d, DRAM_REF);
  bank_node_end(&e->bank, in, out->req_valid ? &read : NULL);
}

// In the banks is another number in each word.
static bool engine_init(void *node, const machine_site *site, char *why, size_t bytes) {
  engine *e = node;
  const uint32_t first = site->config->reduce.first;
  const uint32_t end = first + site->config->reduce.accesses * site->config->reduce.requests;
  e->bank.node.step = engine_step, e->bank.node.counters = (const uint64_t *)&e->counters;
  if (!bank_node_init(&e->bank, site, &reduce_twin, "reduce", why, bytes))
    return false;
  for (uint32_t a = first; a < end; a++) {
    uint8_t *to = bank_node_access(&e->bank, a);
    for (uint32_t w = 0; w < REDUCE_WORDS; w++) {
      const uint32_t x = (site->index * 7919 + a * REDUCE_WORDS + w) * 2654435761u, y = x ^ x >> 15;
      memcpy(to + 4 * w, &y, 4);
    }
  }
  return true;
}

static const node_counter engine_counters[] = {
#define COUNTER(name, doc, energy) {#name, doc, energy},
#include "counters.def"
#undef COUNTER
};
static const node_area engine_area[] = {{"reduce", 1}, {"bankctl", 1}};
static const node_standing engine_standing[] = {
    {"banks", "banks in standby", "energy.dram_idle", 4, NULL}};
static const node_kind engine_kind = {.name = "engine",
                                      .doc = "adds up what is in its banks",
                                      NODE_LIST(counters, engine_counters),
                                      NODE_LIST(events, engine_events),
                                      NODE_LIST(standing, engine_standing),
                                      NODE_LIST(area, engine_area)};
static const node_ops engine_ops = {.kind = "engine", .declares = &engine_kind, BANK_NODE_OPS};

// ---- the machine

static bool check(const config *c, uint32_t nodes, char *why, size_t bytes) {
  const uint64_t all = (uint64_t)c->reduce.accesses * c->reduce.requests;
  const uint32_t room = c->dram.rows * REDUCE_COLS * REDUCE_BANKS;
  if (nodes < 2)
    snprintf(why, bytes, "machine.cores: a host and an engine are 2 nodes; allowed: at least 2");
  else if (c->dram.row_bytes != REDUCE_COLS * DRAM_BYTES)
    snprintf(why, bytes, "dram.row_bytes: the engine has rows of 1024 bytes; allowed: 1024");
  else if (c->reduce.first + all > room)
    snprintf(why, bytes, "reduce.requests: the last one ends behind the %u accesses of a channel",
             room);
  else
    return true;
  return false;
}

static void results(void *const *nodes, uint32_t count, json_writer *j) {
  jw_list(j, "sums");
  for (uint32_t k = 1; k < count; k++)
    jw_count(j, NULL, ((const host *)nodes[0])->sums[k]);
  jw_end(j);
}

static const machine_part parts[] = {{&host_ops, sizeof(host), host_init, clocked_finish},
                                     {&engine_ops, sizeof(engine), engine_init, bank_node_finish}};
const machine_ops reduce_machine = {
    "reduce", "engines that add up what is in their banks", "reduce", parts, 2, check, results};
