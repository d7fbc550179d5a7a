// SPDX-License-Identifier: Apache-2.0
// Links between routers, and what was counted for each of them.
#include <stdlib.h>
#include "noc_priv.h"

bool links_new(noc *n) {
  const uint32_t outputs = n->n_routers * n->ports;
  n->links = malloc((outputs + 1) * sizeof *n->links);
  for (uint32_t o = 0; n->links && o < outputs; o++)
    if (n->outputs[o].counter)
      n->links[n->n_links++] = o;
  return n->links;
}

uint32_t noc_links(const noc *n) {
  return n->n_links;
}

noc_link noc_link_of(const noc *n, uint32_t k) {
  const output *o = &n->outputs[n->links[k]];
  const uint32_t chips = n->chips.routers, on = n->chip.routers, all = chips * on;
  const bool off = o->node >= all;
  const uint32_t first = off ? all : 0, size = off ? chips : on;
  return (noc_link){.off_chip = off,
                    .place = (o->node - first) / size,
                    .from = (o->node - first) % size,
                    .to = (n->inputs[o->to].node - first) % size,
                    .direction = topology_directions[n->links[k] % n->ports]};
}

noc_link_stats noc_link_counted(const noc *n, uint32_t k) {
  const output *o = &n->outputs[n->links[k]];
  const input *in = &n->inputs[o->to];
  const router *r = &n->routers[o->node];
  const bool waits = r->waiting >> n->links[k] % n->ports & 1;
  return (noc_link_stats){.flits = o->sent,
                          .waited = o->waited + (waits ? n->cycle : 0),
                          .queued = in->queued + in->held * n->cycle,
                          .most = in->most};
}
