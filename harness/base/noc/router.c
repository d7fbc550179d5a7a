// SPDX-License-Identifier: Apache-2.0
// What the nodes decide in a step: routers, interfaces of terminals, gateways.
#include "noc_priv.h"

// A flit leaves by an output, in a virtual channel that has a credit and that its packet holds, or
// may hold.
static inline void output_send(noc *n, output *o, uint32_t lane, uint32_t packet, bool head,
                               bool tail) {
  const uint32_t bit = UINT32_C(1) << lane;
  const struct packet *k = &n->packets[packet];
  if (head)
    o->free &= ~bit;
  if (tail)
    o->free |= bit;
  o->busy = n->cycle + o->interval;
  o->sent++;
  if (o->counter)
    ++*o->counter;
  if (o->terminal != NOC_NONE) {
    if (head)
      n->places[o->terminal * NOC_CLASSES + k->p.class]--;
    if (tail)
      queue_push(n, ARRIVALS)->packet = packet;
    return;
  }
  if (!--o->credits[lane])
    o->credit &= ~bit;
  event *e = queue_push(n, o->flits);
  e->at = o->to;
  e->packet = packet;
  e->lane = (uint8_t)lane;
  e->head = head;
  e->tail = tail;
  if (head && o->router != NOC_NONE) {
    const router *r = &n->routers[o->router];
    e->out = r->route[r->chip == NOC_NONE  ? k->chip
                      : r->chip == k->chip ? k->to
                                           : n->chip.terminals + k->by];
  }
}

// Takes the first flit out of a virtual channel of an input; its place is free again.
static inline flit input_take(noc *n, input *in, uint32_t lane) {
  channel *c = &in->channels[lane];
  flit *flits = &in->flits[lane * in->slots];
  const flit f = flits[c->first];
  c->first = (uint16_t)((c->first + 1) & (in->slots - 1));
  if (!--c->count) {
    in->filled &= ~(UINT32_C(1) << lane);
  } else if (f.tail) {
    c->out = flits[c->first].out;
  }
  in->queued += n->cycle + 1;
  in->held--;
  event *e = queue_push(n, in->credits);
  e->at = in->source;
  e->lane = (uint8_t)lane;
  return f;
}

static uint64_t age_of(const noc *n, const input *in, uint32_t lane) {
  return n->packets[in->flits[lane * in->slots + in->channels[lane].first].packet].sent;
}

// Of these virtual channels of an input, which are for these outputs: those whose packet was sent
// first.
static uint32_t oldest_lanes(const noc *n, const input *in, uint32_t lanes, uint64_t outs) {
  uint64_t best = UINT64_MAX;
  uint32_t oldest = 0;
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    if (!(outs >> in->channels[lane].out & 1))
      continue;
    const uint64_t age = age_of(n, in, lane);
    oldest = age < best ? lanes & -lanes : age == best ? oldest | (lanes & -lanes) : oldest;
    best = age < best ? age : best;
  }
  return oldest;
}

static uint64_t oldest_inputs(const noc *n, const router *r, uint64_t inputs, const uint32_t *able,
                              uint32_t out) {
  uint64_t best = UINT64_MAX, oldest = 0;
  if (!(inputs & (inputs - 1)))
    return inputs;
  for (; inputs; inputs &= inputs - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(inputs);
    const uint32_t lanes = oldest_lanes(n, &r->inputs[i], able[i], UINT64_C(1) << out);
    const uint64_t age = age_of(n, &r->inputs[i], (uint32_t)__builtin_ctz(lanes));
    oldest = age < best ? inputs & -inputs : age == best ? oldest | (inputs & -inputs) : oldest;
    best = age < best ? age : best;
  }
  return oldest;
}

// For these outputs flits wait in this cycle, and until the router steps again.
static inline void note_waiting(const noc *n, router *r, uint64_t outs) {
  for (uint64_t m = outs ^ r->waiting; m; m &= m - 1) {
    output *o = &r->outputs[__builtin_ctzll(m)];
    o->waited += m & -m & outs ? -n->cycle : n->cycle;
  }
  r->waiting = outs;
}

// Each output grants one of the inputs with a flit for it, each input takes one of its grants: an
// iteration of iSLIP. Pointers move on from what was taken. By age both take the oldest packet.
void router_step(noc *n, uint32_t at) {
  router *r = &n->routers[at];
  uint64_t wanted[TOPOLOGY_PORTS], granted[TOPOLOGY_PORTS];
  uint64_t outs = 0, winners = 0;
  uint64_t first = 0, others = 0, sent = 0;  // outputs of flits that are the first of their buffers
  uint32_t able[TOPOLOGY_PORTS];  // by input: virtual channels whose first flit can leave
  const bool by_age = n->c.oldest_first;
  bool early = false;  // a link is not ready for the next flit
  for (uint64_t m = r->filled; m; m &= m - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(m);
    const input *in = &r->inputs[i];
    able[i] = 0;
    for (uint32_t left = in->filled; left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left);
      const channel *c = &in->channels[lane];
      const output *o = &r->outputs[c->out];
      others |= first & UINT64_C(1) << c->out;
      first |= UINT64_C(1) << c->out;
      if (o->busy > n->cycle) {
        early = true;
        continue;
      }
      const uint32_t packet = in->flits[lane * in->slots + c->first].packet;
      if (c->passing ? !(o->credit >> c->lane & 1) : !output_may(n, o, n->like[lane], packet))
        continue;
      if (!(outs >> c->out & 1))
        wanted[c->out] = 0;
      outs |= UINT64_C(1) << c->out;
      wanted[c->out] |= UINT64_C(1) << i;
      able[i] |= UINT32_C(1) << lane;
    }
  }
  for (uint64_t m = outs; m; m &= m - 1) {
    const uint32_t out = (uint32_t)__builtin_ctzll(m);
    const uint32_t next = r->outputs[out].next_in;
    if (by_age)
      wanted[out] = oldest_inputs(n, r, wanted[out], able, out);
    const uint32_t i = round_robin(wanted[out], next);
    if (!(winners >> i & 1))
      granted[i] = 0;
    winners |= UINT64_C(1) << i;
    granted[i] |= UINT64_C(1) << out;
  }
  for (uint64_t m = winners; m; m &= m - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(m);
    input *in = &r->inputs[i];
    if (by_age)
      able[i] = oldest_lanes(n, in, able[i], granted[i]);
    uint32_t out = round_robin(granted[i], in->next_out);
    uint32_t lane = round_robin(able[i], in->next_lane);
    if (by_age)
      out = in->channels[lane].out;
    while (in->channels[lane].out != out)
      able[i] &= ~(UINT32_C(1) << lane), lane = round_robin(able[i], in->next_lane);
    channel *c = &in->channels[lane];
    output *o = &r->outputs[out];
    const flit f = input_take(n, in, lane);
    if (!in->filled)
      r->filled &= ~(UINT64_C(1) << i);
    if (f.head) {
      c->lane = (uint8_t)round_robin(output_may(n, o, n->like[lane], f.packet), o->next_lane);
      o->next_lane = (uint8_t)((c->lane + 1) % n->lanes);
    }
    c->passing = !f.tail;
    in->next_lane = (uint8_t)((lane + 1) % n->lanes);
    in->next_out = (uint8_t)((out + 1) % n->ports);
    o->next_in = (uint8_t)((i + 1) % n->ports);
    output_send(n, o, c->lane, f.packet, f.head, f.tail);
    sent |= UINT64_C(1) << out;
  }
  note_waiting(n, r, (first & ~sent) | others);
  // nothing can leave before a flit, a credit or a place arrives
  if (!r->filled || (!outs && !early))
    noc_sleep(n, at);
}

void sender_step(noc *n, uint32_t at) {
  const uint32_t t = at - n->n_routers;
  sender *s = &n->senders[t];
  output *o = &n->outputs[s->output];
  bool early = false;
  for (uint32_t left = (UINT32_C(1) << NOC_CLASSES) - 1; left;) {
    const uint32_t class = round_robin(left, s->next);
    const uint32_t first = (t * NOC_CLASSES + class) * n->c.send_packets + s->queue[class].first;
    left &= ~(UINT32_C(1) << class);
    if (!s->queue[class].count)
      continue;
    const uint32_t packet = n->waiting[first];
    const struct packet *k = &n->packets[packet];
    const bool head = !s->queue[class].done;
    if (k->sent > n->cycle) {
      early = true;
      continue;
    }
    if (head) {
      const uint32_t leg = k->chip == t / n->chip.terminals ? LEG_IN : LEG_OUT;
      const uint32_t may = output_may(n, o, packet_lanes(n, k, leg), packet);
      if (!may)
        continue;
      s->queue[class].lane = (uint8_t)round_robin(may, o->next_lane);
      o->next_lane = (uint8_t)((s->queue[class].lane + 1) % n->lanes);
    } else if (!(o->credit >> s->queue[class].lane & 1)) {
      continue;
    }
    const bool tail = ++s->queue[class].done * n->c.flit_bytes >= k->p.bytes;
    s->next = (uint8_t)((class + 1) % NOC_CLASSES);
    output_send(n, o, s->queue[class].lane, packet, head, tail);
    if (tail) {
      s->queue[class].done = 0;
      s->queue[class].count--;
      s->queue[class].first = (s->queue[class].first + 1) % n->c.send_packets;
      if (n->sink.sent)
        n->sink.sent(n->sink.ctx, t, class);
    }
    return;
  }
  if (!early)
    noc_sleep(n, at);
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

void gate_step(noc *n, uint32_t at) {
  gate *g = &n->gates[at - n->n_routers - n->n_senders];
  input *in = &n->inputs[g->input];
  output *o = &n->outputs[g->output];
  const uint32_t wider = g->in_bytes > g->out_bytes ? g->in_bytes : g->out_bytes;
  uint32_t ready = 0;
  bool moved = false;
  for (uint32_t m = g->used | in->filled; m; m &= m - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    const channel *c = &in->channels[lane];
    if (c->count && g->part[lane].packet == NOC_NONE) {
      g->part[lane].packet = in->flits[lane * in->slots + c->first].packet;
      g->used |= UINT32_C(1) << lane;
    }
    const uint32_t bytes = n->packets[g->part[lane].packet].p.bytes;
    uint32_t have = g->part[lane].have * g->in_bytes, sent = g->part[lane].done * g->out_bytes;
    if (c->count && have < bytes && have + g->in_bytes <= sent + wider) {
      input_take(n, in, lane);
      g->part[lane].have++;
      have += g->in_bytes;
      moved = true;
    }
    if (least(have, bytes) >= least(sent + g->out_bytes, bytes))
      ready |= UINT32_C(1) << lane;
  }
  while (ready && o->busy <= n->cycle) {
    const uint32_t lane = round_robin(ready, g->next), packet = g->part[lane].packet;
    const struct packet *k = &n->packets[packet];
    const bool head = !g->part[lane].done;
    ready &= ~(UINT32_C(1) << lane);
    if (head) {
      const uint32_t may = output_may(n, o, packet_lanes(n, k, g->into ? LEG_IN : LEG_OUT), packet);
      if (!may)
        continue;
      g->part[lane].lane = (uint8_t)round_robin(may, o->next_lane);
      o->next_lane = (uint8_t)((g->part[lane].lane + 1) % n->lanes);
    } else if (!(o->credit >> g->part[lane].lane & 1)) {
      continue;
    }
    const bool tail = ++g->part[lane].done * g->out_bytes >= k->p.bytes;
    g->next = (uint8_t)((lane + 1) % n->lanes);
    output_send(n, o, g->part[lane].lane, packet, head, tail);
    if (tail) {
      g->part[lane].packet = NOC_NONE;
      g->part[lane].have = g->part[lane].done = 0;
      g->used &= ~(UINT32_C(1) << lane);
    }
    moved = true;
    break;
  }
  if (!moved)
    noc_sleep(n, at);
}
