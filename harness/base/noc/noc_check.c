// SPDX-License-Identifier: Apache-2.0
#include "noc_check.h"

#include <assert.h>
#include <stdlib.h>
#include "noc_priv.h"

const char *noc_check_gateways(const noc *n) {
  for (uint32_t k = 0; k < n->n_gates; k++)
    for (uint32_t lane = 0; lane < n->lanes; lane++) {
      const gate *g = &n->gates[k];
      const uint32_t in = g->part[lane].have * g->in_bytes;
      const uint32_t out = g->part[lane].done * g->out_bytes;
      if (in > out + (g->in_bytes > g->out_bytes ? g->in_bytes : g->out_bytes))
        return "a gateway holds more than a flit";
    }
  return NULL;
}

// An input is between chips when its router is, or it is where a gateway's way in begins.
static bool between_chips(const noc *n, uint32_t input) {
  const uint32_t node = n->inputs[input].node;
  return node < n->n_routers ? n->routers[node].chip == NOC_NONE
                             : n->gates[node - n->n_routers - n->n_senders].into;
}

static const char *check_output(const noc *n, uint32_t k) {
  const output *o = &n->outputs[k];
  if (o->terminal == NOC_NONE && o->to == NOC_NONE)
    return NULL;
  if (o->free != (uint32_t)((UINT64_C(1) << n->lanes) - 1))
    return "a packet holds a channel of an output";
  for (uint32_t lane = 0; o->to != NOC_NONE && lane < n->lanes; lane++)
    if (n->credits[k * n->lanes + lane] != (between_chips(n, o->to) ? n->c.off_depth : n->c.depth))
      return "credits are missing, or too many";
  return NULL;
}

const char *noc_check_rest(const noc *n) {
  if (!noc_idle(n))
    return "it is not idle";
  for (uint32_t i = 0; i < n->n_inputs; i++)
    if (n->inputs[i].filled)
      return "flits in an input";
  for (uint32_t c = 0; c < n->n_inputs * n->lanes; c++)
    if (n->channels[c].count || n->channels[c].passing)
      return "flits or a packet in a channel";
  for (uint32_t k = 0; k < n->n_outputs; k++) {
    const char *wrong = check_output(n, k);
    if (wrong)
      return wrong;
  }
  for (uint32_t p = 0; p < n->n_senders * NOC_CLASSES; p++)
    if (n->places[p] != n->c.take_packets)
      return "places of a terminal are missing";
  for (uint32_t g = 0; g < n->n_gates; g++)
    if (n->gates[g].used)
      return "a gateway is in use";
  return NULL;
}

// Channels of a machine as nodes of a graph: links by leg, ways of the gateways, ways to terminals.
// From a channel to those that a packet in it may wait for. Without a cycle nothing waits for ever.
typedef struct graph {
  uint32_t nodes;
  bool *edge;
} graph;

static bool graph_visit(const graph *g, uint32_t at, uint8_t *seen) {
  seen[at] = 1;
  for (uint32_t to = 0; to < g->nodes; to++)
    if (g->edge[at * g->nodes + to] && (seen[to] == 1 || (!seen[to] && !graph_visit(g, to, seen))))
      return false;
  seen[at] = 2;
  return true;
}

bool noc_check_routes(const noc_config *c, bool legs) {
  char why[256];
  noc *n = noc_new(c, &(noc_sink){0}, why, sizeof why);
  assert(n);
  const uint32_t per_leg = n->n_outputs;
  graph g = {.nodes = per_leg * 2};
  g.edge = calloc((size_t)g.nodes * g.nodes, 1);
  uint8_t *seen = calloc(g.nodes, 1);
  for (uint32_t from = 0; from < n->n_senders; from++)
    for (uint32_t to = 0; to < n->n_senders; to++) {
      const uint32_t on = n->chip.terminals, chip = to / on;
      uint32_t out = n->senders[from].output, before = NOC_NONE;
      uint32_t leg = from / on == chip ? LEG_IN : LEG_OUT;
      for (uint32_t hops = 0;; hops++) {
        assert(hops <= 100);
        const output *o = &n->outputs[out];
        const uint32_t here = out + (legs && leg == LEG_OUT ? per_leg : 0);
        if (before != NOC_NONE)
          g.edge[before * g.nodes + here] = true;
        before = here;
        if (o->terminal != NOC_NONE) {
          assert(o->terminal == to);
          break;
        }
        const uint32_t node = n->inputs[o->to].node;
        if (node < n->n_routers) {
          const router *r = &n->routers[node];
          const uint32_t where = r->chip == NOC_NONE ? chip
                                 : r->chip == chip   ? to % on
                                                     : on + packet_gateway(n, from, to);
          out = (uint32_t)(r->outputs - n->outputs) + r->route[where];
        } else {
          const gate *w = &n->gates[node - n->n_routers - n->n_senders];
          out = w->output;
          leg = w->into ? LEG_IN : LEG_OUT;
        }
      }
    }
  bool ends = true;
  for (uint32_t k = 0; k < g.nodes && ends; k++)
    ends = seen[k] || graph_visit(&g, k, seen);
  free(g.edge);
  free(seen);
  noc_free(n);
  return ends;
}
