// SPDX-License-Identifier: Apache-2.0
// The network as a whole: it is put together here, and its cycle is here.
#include "noc_priv.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  LOCAL = 3,  // cycles from one decision to the next one over a wire inside a core or a gateway
  STAGES = 3,
  MAX_TERMINALS = 1024,
  MAX_CHIPS = 256,
  MAX_DEPTH = 1024,
  MAX_PLACES = 1024,
  MAX_CYCLES = 1024
};

noc_config noc_config_default(void) {
  return (noc_config){
      .topology = NOC_MESH,
      .x = 4,
      .y = 4,
      .chips_x = 4,
      .chips_y = 2,
      .gateways = 1,
      .group_x = 2,
      .group_y = 2,
      .vcs = 1,
      .ordered = true,
      .oldest_first = true,
      .depth = 4,
      .off_depth = 24,
      .loop = 7,
      .flit_bytes = 32,
      .off_flit_bytes = 16,
      .link = 1,
      .off_link = 8,
      .link_interval = 1,
      .off_link_interval = 1,
      .send_packets = 8,
      .take_packets = 32,
  };
}

static bool fail(char *why, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(char *why, size_t bytes, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, bytes, format, args);
  va_end(args);
  return false;
}

static bool check(const noc_config *c, char *why, size_t bytes) {
  const struct {
    const char *what;
    uint32_t value, min, max;
  } range[] = {
      {"columns of terminals", c->x, 1, MAX_TERMINALS},
      {"rows of terminals", c->y, 1, MAX_TERMINALS},
      {"columns of chips", c->chips_x, 1, MAX_CHIPS},
      {"rows of chips", c->chips_y, 1, MAX_CHIPS},
      {"virtual channels of a class", c->vcs, 1, NOC_MAX_VCS},
      {"flits of a buffer", c->depth, 1, MAX_DEPTH},
      {"flits of a buffer between chips", c->off_depth, 1, MAX_DEPTH},
      {"cycles of the credit loop", c->loop, STAGES + 2, MAX_CYCLES},
      {"cycles of a link", c->link, 1, MAX_CYCLES},
      {"cycles of a link between chips", c->off_link, 1, MAX_CYCLES},
      {"cycles from flit to flit", c->link_interval, 1, MAX_CYCLES},
      {"cycles from flit to flit between chips", c->off_link_interval, 1, MAX_CYCLES},
      {"packets to be sent", c->send_packets, 1, MAX_PLACES},
      {"packets to be taken", c->take_packets, 1, MAX_PLACES},
  };
  if (c->topology >= NOC_TOPOLOGIES)
    return fail(why, bytes, "topology %u; allowed: 0 to %u", c->topology, NOC_TOPOLOGIES - 1);
  for (size_t n = 0; n < sizeof range / sizeof *range; n++)
    if (range[n].value < range[n].min || range[n].value > range[n].max)
      return fail(why, bytes, "%u %s; allowed: %u to %u", range[n].value, range[n].what,
                  range[n].min, range[n].max);
  if (c->x * c->y > MAX_TERMINALS)
    return fail(why, bytes, "%u x %u terminals of a chip; allowed: %u together", c->x, c->y,
                MAX_TERMINALS);
  if (c->chips_x * c->chips_y > MAX_CHIPS)
    return fail(why, bytes, "%u x %u chips; allowed: %u together", c->chips_x, c->chips_y,
                MAX_CHIPS);
  if (!c->gateways || c->gateways & (c->gateways - 1) || c->gateways > TOPOLOGY_GATEWAYS)
    return fail(why, bytes, "%u gateways of a chip; allowed: a power of two to %u", c->gateways,
                TOPOLOGY_GATEWAYS);
  for (int off = 0; off < 2; off++) {
    const uint32_t f = off ? c->off_flit_bytes : c->flit_bytes;
    if (!f || f > 1024)
      return fail(why, bytes, "%u bytes of a flit%s; allowed: 1 to 1024", f,
                  off ? " between chips" : "");
  }
  const uint32_t on = c->flit_bytes, off = c->off_flit_bytes;
  if (on > off ? on % off : off % on)  // gateways cut and join whole flits
    return fail(why, bytes,
                "%u bytes of a flit, %u between chips; one must be a multiple of the other", on,
                off);
  return true;
}

// ---- putting it together

static bool queue_new(noc *n, uint32_t q, uint32_t delay, size_t most) {
  size_t size = 1;
  while (size < most)
    size *= 2;
  n->queues[q] = (queue){.mask = (uint32_t)(size - 1), .delay = delay};
  return (n->queues[q].events = malloc(size * sizeof(event)));
}

// From an output of a node to an input of another one.
static void connect(noc *n, uint32_t from, uint32_t to, uint32_t depth, uint8_t flits,
                    uint8_t credits) {
  output *o = &n->outputs[from];
  const uint32_t node = n->inputs[to].node;
  o->to = to;
  o->router = node < n->n_routers ? node : NOC_NONE;
  o->flits = flits;
  n->inputs[to].credits = credits;
  n->inputs[to].source = from;
  n->inputs[to].slots = 1;
  while (n->inputs[to].slots < depth)
    n->inputs[to].slots *= 2;
  for (uint32_t lane = 0; lane < n->lanes; lane++)
    o->credits[lane] = (uint16_t)depth;
}

// Links of the routers from `first` on, which are a copy of a topology.
static void connect_links(noc *n, const topology *t, uint32_t first, bool off) {
  for (uint32_t r = 0; r < t->routers; r++)
    for (uint32_t p = 0; p < t->ports; p++) {
      const topology_end e = t->peer[r * t->ports + p];
      if (e.router == TOPOLOGY_NONE)
        continue;
      const uint32_t from = (first + r) * n->ports + p;
      connect(n, from, (first + e.router) * n->ports + e.port, off ? n->c.off_depth : n->c.depth,
              off ? FLITS_OFF : FLITS_CHIP, off ? CREDITS_OFF : CREDITS_CHIP);
      n->outputs[from].interval = off ? n->c.off_link_interval : n->c.link_interval;
      n->outputs[from].counter = off ? &n->stats.off_flits : &n->stats.on_chip_flits;
    }
}

// A way of a gateway: from a port of one router to a port of another one.
static void connect_gate(noc *n, uint32_t g, uint32_t from, uint32_t to, bool into) {
  const uint32_t input = n->n_routers * n->ports + g;
  const uint32_t output = n->n_routers * n->ports + n->n_senders + g;
  const noc_config *c = &n->c;
  n->gates[g] = (gate){.input = input,
                       .output = output,
                       .in_bytes = into ? c->off_flit_bytes : c->flit_bytes,
                       .out_bytes = into ? c->flit_bytes : c->off_flit_bytes,
                       .into = into};
  for (uint32_t lane = 0; lane < NOC_LANES; lane++)
    n->gates[g].part[lane].packet = NOC_NONE;
  connect(n, from, input, into ? c->off_depth : c->depth, FLITS_LOCAL, CREDITS_LOCAL);
  connect(n, output, to, into ? c->depth : c->off_depth, FLITS_LOCAL, CREDITS_LOCAL);
}

static void connect_all(noc *n) {
  const uint32_t chips = n->chips.routers, on = n->chip.routers, terminals = n->chip.terminals;
  const uint32_t gateways = n->n_gates ? n->chip.gateways : 0, ends = terminals + n->chip.gateways;
  for (uint32_t r = 0; r < n->n_routers; r++) {
    n->routers[r].inputs = &n->inputs[r * n->ports];
    n->routers[r].outputs = &n->outputs[r * n->ports];
    n->routers[r].chip = r < chips * on ? r / on : NOC_NONE;
    n->routers[r].route =
        n->routes + (r < chips * on ? r % on * ends : on * ends + (r - chips * on) % chips * chips);
    for (uint32_t p = 0; p < n->ports; p++) {
      n->routers[r].inputs[p].node = n->routers[r].outputs[p].node = r;
      n->routers[r].inputs[p].port = (uint8_t)p;
    }
  }
  for (uint32_t s = 0; s < n->n_senders; s++) {
    const topology_end e = n->chip.place[s % terminals];
    const uint32_t port = (s / terminals * on + e.router) * n->ports + e.port;
    n->senders[s].output = n->n_routers * n->ports + s;
    n->outputs[n->senders[s].output].node = n->n_routers + s;
    connect(n, n->senders[s].output, port, n->c.depth, FLITS_LOCAL, CREDITS_LOCAL);
    n->outputs[port].terminal = s;
  }
  for (uint32_t g = 0; g < n->n_gates; g++) {
    n->inputs[n->n_routers * n->ports + g].node = n->n_routers + n->n_senders + g;
    n->outputs[n->n_routers * n->ports + n->n_senders + g].node = n->n_routers + n->n_senders + g;
  }
  for (uint32_t k = 0; k < chips; k++)
    connect_links(n, &n->chip, k * on, false);
  for (uint32_t g = 0; g < gateways; g++) {
    const topology_end e = n->chip.gateway[g];
    const uint32_t mesh = chips * on + g * chips;
    for (uint32_t k = 0; k < chips; k++) {
      const uint32_t inner = (k * on + e.router) * n->ports + e.port;
      const uint32_t outer = (mesh + k) * n->ports + n->chips.place[k].port;
      connect_gate(n, 2 * (g * chips + k), inner, outer, false);
      connect_gate(n, 2 * (g * chips + k) + 1, outer, inner, true);
    }
    connect_links(n, &n->chips, mesh, true);
  }
}

static void fill_routes(noc *n) {
  const uint32_t on = n->chip.routers, terminals = n->chip.terminals, chips = n->chips.routers;
  uint8_t *to = n->routes;
  for (uint32_t r = 0; r < on; r++)
    for (uint32_t t = 0; t < terminals + n->chip.gateways; t++) {
      const topology_end e = t < terminals ? n->chip.place[t] : n->chip.gateway[t - terminals];
      *to++ = e.router == r ? (uint8_t)e.port : n->chip.route[r * on + e.router];
    }
  for (uint32_t r = 0; r < chips && n->n_gates; r++)
    for (uint32_t k = 0; k < chips; k++)
      *to++ = k == r ? (uint8_t)n->chips.place[k].port : n->chips.route[r * chips + k];
}

static void fill_lanes(noc *n, noc_shared s) {
  const uint32_t legs = n->n_gates && !s.legs ? NOC_LEGS : 1, vcs = n->c.vcs;
  n->lanes = (s.classes ? 1 : NOC_CLASSES) * legs * vcs;
  for (uint32_t class = 0; class < NOC_CLASSES; class ++)
    for (uint32_t leg = 0; leg < NOC_LEGS; leg++) {
      const uint32_t base = ((s.classes ? 0 : class * legs) + leg % legs) * vcs;
      n->base_of[class][leg] = base;
      n->lanes_of[class][leg] = ((UINT32_C(1) << vcs) - 1) << base;
    }
  for (uint32_t lane = 0; lane < n->lanes; lane++)
    n->like[lane] =
        n->c.ordered ? UINT32_C(1) << lane : ((UINT32_C(1) << vcs) - 1) << lane / vcs * vcs;
}

static void *zeroed(size_t count, size_t bytes) {
  return calloc(count ? count : 1, bytes);
}

static bool allocate(noc *n) {
  const uint32_t chips = n->chips.routers, lanes = n->lanes, take = n->c.take_packets;
  const uint32_t credit = n->c.loop - STAGES - 1;
  const size_t ends = (size_t)n->n_senders * NOC_CLASSES;
  n->routers = zeroed(n->n_routers, sizeof *n->routers);
  n->senders = zeroed(n->n_senders, sizeof *n->senders);
  n->gates = zeroed(n->n_gates, sizeof *n->gates);
  n->words = (n->n_routers + n->n_senders + n->n_gates + 63) / 64;
  n->active = zeroed(n->words, sizeof *n->active);
  n->inputs = zeroed(n->n_inputs, sizeof *n->inputs);
  n->channels = zeroed((size_t)n->n_inputs * lanes, sizeof *n->channels);
  n->outputs = zeroed(n->n_outputs, sizeof *n->outputs);
  n->credits = zeroed((size_t)n->n_outputs * lanes, sizeof *n->credits);
  n->places = zeroed(ends, sizeof *n->places);
  n->waiting = zeroed(ends * n->c.send_packets, sizeof *n->waiting);
  n->routes = zeroed(
      (size_t)n->chip.routers * (n->chip.terminals + n->chip.gateways) + (size_t)chips * chips, 1);
  const size_t links = (size_t)n->n_routers * n->ports;
  const size_t local = 2 * (size_t)n->n_senders + 4 * (size_t)n->n_gates * lanes;
  return n->routers && n->senders && n->gates && n->active && n->inputs && n->channels &&
         n->outputs && n->credits && n->places && n->waiting && n->routes &&
         queue_new(n, FLITS_LOCAL, LOCAL, local * LOCAL) &&
         queue_new(n, FLITS_CHIP, STAGES + n->c.link, links * (STAGES + n->c.link)) &&
         queue_new(n, FLITS_OFF, STAGES + n->c.off_link, links * (STAGES + n->c.off_link)) &&
         queue_new(n, ARRIVALS, LOCAL, n->n_senders * LOCAL) &&
         queue_new(n, CREDITS_LOCAL, credit, local * credit) &&
         queue_new(n, CREDITS_CHIP, credit + n->c.link - 1, links * (credit + n->c.link - 1)) &&
         queue_new(n, CREDITS_OFF, credit + n->c.off_link - 1,
                   links * (credit + n->c.off_link - 1)) &&
         queue_new(n, PLACES, credit, ends * take);
}

// Buffers, and a packet for each place that one can be in.
static bool allocate_flits(noc *n) {
  size_t flits = 0;
  for (uint32_t i = 0; i < n->n_inputs; i++)
    flits += n->inputs[i].slots * n->lanes;
  const size_t packets =
      flits + (size_t)n->n_senders * NOC_CLASSES * (n->c.send_packets + n->c.take_packets);
  n->flits = zeroed(flits, sizeof *n->flits);
  n->packets = zeroed(packets, sizeof *n->packets);
  n->free_packets = zeroed(packets, sizeof *n->free_packets);
  if (!n->flits || !n->packets || !n->free_packets)
    return false;
  flits = 0;
  for (uint32_t i = 0; i < n->n_inputs; i++) {
    n->inputs[i].flits = n->flits + flits;
    flits += n->inputs[i].slots * n->lanes;
  }
  while (n->n_free < packets) {
    n->free_packets[n->n_free] = (uint32_t)packets - 1 - n->n_free;
    n->n_free++;
  }
  return true;
}

noc *noc_new_shared(const noc_config *c, const noc_sink *sink, noc_shared s, char *why,
                    size_t bytes) {
  noc *n = check(c, why, bytes) ? zeroed(1, sizeof *n) : NULL;
  if (!n)
    return NULL;
  n->c = *c;
  n->sink = *sink;
  if (!topology_chip(&n->chip, c, why, bytes) || !topology_chips(&n->chips, c, why, bytes)) {
    noc_free(n);
    return NULL;
  }
  const uint32_t chips = n->chips.routers, gateways = chips > 1 ? n->chip.gateways : 0;
  n->n_gates = 2 * chips * gateways;
  n->n_routers = chips * (n->chip.routers + gateways);
  n->n_senders = chips * n->chip.terminals;
  n->ports = gateways ? n->chip.gateway[gateways - 1].port + 1 : n->chip.ports;
  if (chips > 1 && n->ports < n->chips.ports)
    n->ports = n->chips.ports;
  n->n_inputs = n->n_routers * n->ports + n->n_gates;
  n->n_outputs = n->n_routers * n->ports + n->n_senders + n->n_gates;
  fill_lanes(n, s);
  bool good = allocate(n);
  if (good) {
    for (uint32_t o = 0; o < n->n_outputs; o++)
      n->outputs[o] = (output){.free = (uint32_t)((UINT64_C(1) << n->lanes) - 1),
                               .credit = (uint32_t)((UINT64_C(1) << n->lanes) - 1),
                               .interval = 1,
                               .to = NOC_NONE,
                               .terminal = NOC_NONE,
                               .router = NOC_NONE,
                               .credits = &n->credits[o * n->lanes]};
    for (uint32_t i = 0; i < n->n_inputs; i++)
      n->inputs[i].channels = &n->channels[i * n->lanes];
    for (uint32_t p = 0; p < n->n_senders * NOC_CLASSES; p++)
      n->places[p] = (uint16_t)c->take_packets;
    fill_routes(n);
    connect_all(n);
    good = links_new(n) && allocate_flits(n);
  }
  if (!good) {
    fail(why, bytes, "no memory for the network");
    noc_free(n);
    return NULL;
  }
  return n;
}

noc *noc_new(const noc_config *c, const noc_sink *sink, char *why, size_t why_bytes) {
  return noc_new_shared(c, sink, (noc_shared){0}, why, why_bytes);
}

void noc_free(noc *n) {
  if (!n)
    return;
  topology_free(&n->chip);
  topology_free(&n->chips);
  for (uint32_t q = 0; q < QUEUES; q++)
    free(n->queues[q].events);
  void *all[] = {n->routers,  n->senders, n->gates,   n->active,       n->inputs,
                 n->channels, n->flits,   n->outputs, n->credits,      n->places,
                 n->waiting,  n->routes,  n->packets, n->free_packets, n->links};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
  free(n);
}

// ---- its cycle

bool noc_send(noc *n, const noc_packet *p) {
  assert(p->from < n->n_senders && p->to < n->n_senders && p->class < NOC_CLASSES && p->bytes);
  sender *s = &n->senders[p->from];
  const uint32_t waiting = s->queue[p->class].count, places = n->c.send_packets;
  if (waiting == places)
    return false;
  assert(n->n_free);
  const uint32_t id = n->free_packets[--n->n_free];
  n->packets[id] = (packet){
      .p = *p,
      .sent = n->cycle + n->stepping,
      .chip = p->to / n->chip.terminals,
      .to = (uint16_t)(p->to % n->chip.terminals),
      .by = (uint8_t)packet_gateway(n, p->from, p->to),
      .lane = (uint8_t)(((p->from * 2654435761U ^ p->to * 2246822519U) >> 16) % n->c.vcs),
  };
  n->waiting[(p->from * NOC_CLASSES + p->class) * places +
             (s->queue[p->class].first + waiting) % places] = id;
  s->queue[p->class].count++;
  n->under_way++;
  noc_wake(n, n->n_routers + p->from);
  return true;
}

void noc_take(noc *n, uint32_t terminal, uint32_t class) {
  queue_push(n, PLACES)->at = terminal * NOC_CLASSES + class;
}

static const event *queue_pop(noc *n, uint32_t q) {
  queue *u = &n->queues[q];
  const event *e = &u->events[u->first & u->mask];
  if (u->first == u->last || e->when != (uint32_t)n->cycle)
    return NULL;
  u->first++;
  return e;
}

static void flits_arrive(noc *n, uint32_t q) {
  for (const event *e; (e = queue_pop(n, q));) {
    input *in = &n->inputs[e->at];
    channel *c = &in->channels[e->lane];
    if (e->head && !c->count)
      c->out = e->out;
    in->flits[e->lane * in->slots + ((c->first + c->count++) & (in->slots - 1))] =
        (flit){e->packet, e->out, e->head, e->tail};
    in->filled |= UINT32_C(1) << e->lane;
    in->queued -= n->cycle;
    if (++in->held > in->most)
      in->most = in->held;
    if (in->node < n->n_routers)
      n->routers[in->node].filled |= UINT64_C(1) << in->port;
    noc_wake(n, in->node);
  }
}

static void credits_arrive(noc *n, uint32_t q) {
  for (const event *e; (e = queue_pop(n, q));) {
    output *o = &n->outputs[e->at];
    o->credits[e->lane]++;
    o->credit |= UINT32_C(1) << e->lane;
    noc_wake(n, o->node);
  }
}

static void packets_arrive(noc *n) {
  for (const event *e; (e = queue_pop(n, ARRIVALS));) {
    const packet *k = &n->packets[e->packet];
    const noc_packet p = k->p;
    n->stats.packets[p.class]++;
    n->stats.latency[p.class] += n->cycle - k->sent;
    n->free_packets[n->n_free++] = e->packet;
    n->under_way--;
    n->sink.arrived(n->sink.ctx, &p);
  }
}

static void places_arrive(noc *n) {
  for (const event *e; (e = queue_pop(n, PLACES));) {
    const uint32_t terminal = e->at / NOC_CLASSES;
    assert(n->places[e->at] < n->c.take_packets);
    n->places[e->at]++;
    // the router that has the terminal: its input is where the terminal's sender ends
    noc_wake(n, n->inputs[n->outputs[n->senders[terminal].output].to].node);
  }
}

void noc_step(noc *n) {
  n->stepping = true;
  for (uint32_t q = FLITS_LOCAL; q <= FLITS_OFF; q++)
    flits_arrive(n, q);
  for (uint32_t q = CREDITS_LOCAL; q <= CREDITS_OFF; q++)
    credits_arrive(n, q);
  places_arrive(n);
  packets_arrive(n);
  for (uint32_t w = 0; w < n->words; w++)
    for (uint64_t m = n->active[w]; m; m &= m - 1) {
      const uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(m);
      if (node < n->n_routers)
        router_step(n, node);
      else if (node < n->n_routers + n->n_senders)
        sender_step(n, node);
      else
        gate_step(n, node);
    }
  n->stepping = false;
  n->cycle++;
}

uint64_t noc_cycle(const noc *n) {
  return n->cycle;
}

bool noc_idle(const noc *n) {
  for (uint32_t q = 0; q < QUEUES; q++)
    if (n->queues[q].first != n->queues[q].last)
      return false;
  return !n->under_way;
}

void noc_skip(noc *n, uint64_t cycles) {
  assert(noc_idle(n));
  n->cycle += cycles;
}

uint32_t noc_shortest(const noc *n) {
  const noc_config *c = &n->c;
  const topology *t = &n->chip;
  uint32_t least = UINT32_MAX;
  if (t->terminals > t->routers)
    least = 6;
  else if (t->terminals > 1)
    least = 9 + c->link;
  if (c->chips_x * c->chips_y > 1 && least > 21 + c->off_link)
    least = 21 + c->off_link;
  return least;
}

const noc_stats *noc_statistics(const noc *n) {
  return &n->stats;
}
