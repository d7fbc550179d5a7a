// SPDX-License-Identifier: Apache-2.0
#include "traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "csim/base/splitmix.h"

const char *const traffic_names[TRAFFIC_PATTERNS] = {
    [TRAFFIC_UNIFORM] = "uniform", [TRAFFIC_TRANSPOSE] = "transpose",
    [TRAFFIC_HOTSPOT] = "hotspot", [TRAFFIC_NEIGHBOUR] = "neighbour",
    [TRAFFIC_VAULTS] = "vaults",
};

// Round robin, as in what the figures are compared with.
static noc_config compared(void) {
  noc_config c = noc_config_default();
  c.oldest_first = false;
  return c;
}

enum { DRAIN = 50000 };

traffic_config traffic_default(void) {
  return (traffic_config){
      .net = compared(),
      .packet_bytes = 32,
      .read_share = 0.67,
      .short_bytes = 32,
      .long_bytes = 160,
      .hotspot_share = 0.1,
      .seed = 1,
      .warm = 5000,
      .measure = 20000,
      .drain = DRAIN,
  };
}

// ---- the network of six processors and sixteen vaults: four nodes of seven terminals

enum { NODE = 7, NODES = 4, SECOND = 1, VAULTS = 3 };

noc_config traffic_vaults(noc_topology t) {
  noc_config c = compared();
  c.topology = t;
  c.x = 2 * NODE, c.y = 2;
  c.group_x = NODE, c.group_y = 1;
  c.chips_x = c.chips_y = 1;
  c.vcs = 4;
  return c;
}

// Terminals of a node: two processors, of which the second one is in two nodes only, across; an
// interface to the outside, which is silent; four vaults.
static bool is_client(const traffic_config *c, uint32_t t) {
  const uint32_t node = t / NODE, place = t % NODE;
  if (c->pattern != TRAFFIC_VAULTS)
    return true;
  return place == 0 || (place == SECOND && (node == 0 || node == NODES - 1));
}

// ---- sources

typedef struct item {
  uint64_t made;
  uint32_t to, bytes;
} item;

typedef struct source {  // a queue that grows
  item *items;
  uint32_t size, first, count;
} source;

typedef struct run {
  const traffic_config *c;
  noc *n;
  uint64_t random, begin, end;  // begin, end: what is made then is measured
  source *requests, *answers;   // of a terminal
  uint64_t made, arrived[NOC_CLASSES], latency[NOC_CLASSES], most, done, accepted;
  uint64_t waiting;        // items of all sources
  uint64_t waiting_at[2];  // at begin and end
  uint32_t terminals, width, clients;
  bool memory;
} run;

static uint64_t random_next(run *u) {
  return splitmix(&u->random);
}

static bool random_chance(run *u, double p) {
  return (double)(random_next(u) >> 11) * 0x1p-53 < p;
}

static uint32_t random_below(run *u, uint32_t n) {
  return (uint32_t)((random_next(u) >> 32) * n >> 32);
}

static void source_add(run *u, source *s, item i) {
  if (s->count == s->size) {
    const uint32_t size = s->size ? 2 * s->size : 16;
    item *grown = malloc(size * sizeof *grown);
    if (!grown) {
      u->memory = false;
      return;
    }
    for (uint32_t k = 0; k < s->count; k++)
      grown[k] = s->items[(s->first + k) % s->size];
    free(s->items);
    *s = (source){grown, size, 0, s->count};
  }
  s->items[(s->first + s->count++) % s->size] = i;
  u->waiting++;
  u->made += i.made >= u->begin && i.made < u->end;
}

static void source_drop(run *u, source *s) {
  u->waiting--;
  s->first = (s->first + 1) % s->size;
  s->count--;
}

static uint32_t destination(run *u, uint32_t from) {
  const noc_config *c = &u->c->net;
  const uint32_t chip = from / (c->x * c->y), t = from % (c->x * c->y);
  const uint32_t x = chip % c->chips_x * c->x + t % c->x, y = chip / c->chips_x * c->y + t / c->x;
  uint32_t to_x = x, to_y = y, vault;
  switch (u->c->pattern) {
    case TRAFFIC_VAULTS:
      vault = random_below(u, NODES * (NODE - VAULTS));
      return vault / (NODE - VAULTS) * NODE + VAULTS + vault % (NODE - VAULTS);
    case TRAFFIC_HOTSPOT:
      if (random_chance(u, u->c->hotspot_share))
        return u->c->hotspot;
      // fall through
    case TRAFFIC_UNIFORM:
      return random_below(u, u->terminals);
    case TRAFFIC_TRANSPOSE:
      to_x = y, to_y = x;
      break;
    default:
      to_x = (x + 1) % u->width;
  }
  return (to_y / c->y * c->chips_x + to_x / c->x) * c->x * c->y + to_y % c->y * c->x + to_x % c->x;
}

// ---- a cycle

static void arrived(void *ctx, const noc_packet *p) {
  run *u = ctx;
  const uint64_t now = noc_cycle(u->n);
  const bool request = u->c->answers && p->class == NOC_REQUEST;
  if (p->id >= u->begin && p->id < u->end) {
    u->arrived[p->class]++;
    u->latency[p->class] += now - p->id;
    u->most = now - p->id > u->most ? now - p->id : u->most;
    u->done++;
  }
  if (now >= u->begin && now < u->end && !request)
    u->accepted += u->c->answers ? 1 : (p->bytes + u->c->net.flit_bytes - 1) / u->c->net.flit_bytes;
  if (request) {
    const uint32_t bytes = u->c->short_bytes + u->c->long_bytes - p->bytes;
    source_add(u, &u->answers[p->to], (item){now, p->from, bytes});
  } else {
    noc_take(u->n, p->to, p->class);
  }
}

static void make(run *u, uint32_t from, uint64_t now) {
  item i = {now, destination(u, from), u->c->packet_bytes};
  if (u->c->answers)
    i.bytes = random_chance(u, u->c->read_share) ? u->c->short_bytes : u->c->long_bytes;
  source_add(u, &u->requests[from], i);
}

static void send(run *u, uint32_t from, source *s, uint32_t class) {
  while (s->count) {
    const item *i = &s->items[s->first];
    if (!noc_send(u->n, &(noc_packet){from, i->to, class, i->bytes, i->made}))
      return;
    if (class == NOC_RESPONSE)
      noc_take(u->n, from, NOC_REQUEST);
    source_drop(u, s);
  }
}

enum { ALONE = 8000 };  // packets, for the latency of one at a time

static uint32_t random_client(run *u) {
  uint32_t t;
  do
    t = random_below(u, u->terminals);
  while (!is_client(u->c, t));
  return t;
}

static void run_all(run *u, traffic_result *r) {
  const traffic_config *c = u->c;
  const uint32_t flits = (c->packet_bytes + c->net.flit_bytes - 1) / c->net.flit_bytes;
  const double chance = c->answers ? c->load : c->load / flits;
  const bool alone = c->load <= 0;
  if (alone)
    u->begin = 0, u->end = UINT64_MAX;
  // that will be made, and a tenth more
  const double packets = 1.1 * chance * u->clients * (double)c->measure * (c->answers ? 2 : 1);
  for (uint64_t now = 0; u->memory; now++) {
    if (alone ? u->done >= ALONE
              : now >= u->end && (u->done == u->made || now >= u->end + c->drain))
      break;
    if (c->give_up > 0 &&
        (double)(u->latency[NOC_REQUEST] + u->latency[NOC_RESPONSE]) > c->give_up * packets)
      break;
    if (now == u->begin || now == u->end)
      u->waiting_at[now == u->end] = u->waiting;
    // alone: the next one when all is quiet
    const uint32_t one = alone && !u->waiting && noc_idle(u->n) ? random_client(u) : u->terminals;
    for (uint32_t t = 0; t < u->terminals; t++) {
      if (t == one || (!alone && is_client(c, t) && random_chance(u, chance)))
        make(u, t, now);
      send(u, t, &u->requests[t], NOC_REQUEST);
      send(u, t, &u->answers[t], NOC_RESPONSE);
    }
    noc_step(u->n);
  }
  const uint64_t all = u->arrived[NOC_REQUEST] + u->arrived[NOC_RESPONSE];
  const double sum = (double)(u->latency[NOC_REQUEST] + u->latency[NOC_RESPONSE]);
  *r = (traffic_result){
      .offered = c->load,
      .accepted = (double)u->accepted / (double)c->measure / u->clients,
      .latency = all ? sum / (double)all : 0,
      .most = u->most,
      .packets = all,
      .drained = u->done == u->made && (alone || noc_cycle(u->n) >= u->end),
      .cycles = noc_cycle(u->n),
      .growth = alone ? 0 : (int64_t)(u->waiting_at[1] - u->waiting_at[0]),
  };
  r->saturated = (double)r->growth > 2 * sqrt((double)u->made);
  for (int k = 0; k < NOC_CLASSES; k++)
    r->of_class[k] = u->arrived[k] ? (double)u->latency[k] / (double)u->arrived[k] : 0;
}

static bool fits(const traffic_config *c, char *why, size_t bytes) {
  const noc_config *n = &c->net;
  const noc_config v = traffic_vaults(n->topology);
  if (c->pattern == TRAFFIC_TRANSPOSE && n->chips_x * n->x != n->chips_y * n->y) {
    snprintf(why, bytes, "transpose needs as many columns as rows, not %u and %u",
             n->chips_x * n->x, n->chips_y * n->y);
    return false;
  }
  if (c->pattern == TRAFFIC_VAULTS &&
      (n->x != v.x || n->y != v.y || n->chips_x * n->chips_y != 1 || !c->answers)) {
    snprintf(why, bytes, "vaults needs answers and one chip of %u x %u terminals", v.x, v.y);
    return false;
  }
  if (c->pattern == TRAFFIC_HOTSPOT && c->hotspot >= n->chips_x * n->x * n->chips_y * n->y) {
    snprintf(why, bytes, "unknown terminal %u", c->hotspot);
    return false;
  }
  return true;
}

bool traffic_run(const traffic_config *c, traffic_result *r, char *why, size_t bytes) {
  run u = {
      .c = c, .random = c->seed, .begin = c->warm, .end = c->warm + c->measure, .memory = true};
  const noc_sink sink = {.ctx = &u, .arrived = arrived};
  if (!(u.n = noc_new(&c->net, &sink, why, bytes)))
    return false;
  bool good = fits(c, why, bytes);
  u.width = c->net.chips_x * c->net.x;
  u.terminals = u.width * c->net.chips_y * c->net.y;
  for (uint32_t t = 0; t < u.terminals; t++)
    u.clients += is_client(c, t);
  u.requests = calloc(u.terminals, sizeof *u.requests);
  u.answers = calloc(u.terminals, sizeof *u.answers);
  u.memory = u.requests && u.answers;
  if (good && u.memory)
    run_all(&u, r);
  for (uint32_t t = 0; u.requests && u.answers && t < u.terminals; t++) {
    free(u.requests[t].items);
    free(u.answers[t].items);
  }
  free(u.requests);
  free(u.answers);
  noc_free(u.n);
  if (!u.memory)
    snprintf(why, bytes, "no memory for the packets that wait");
  return good && u.memory;
}

enum { HALVES = 16, STEPS = 8 };  // first powers of two, then between two of them
static const double beyond = 10;

bool traffic_saturation(const traffic_config *c, double *empty, double *load, char *why,
                        size_t bytes) {
  traffic_config t = *c;
  traffic_result r;
  t.load = 0;
  if (!traffic_run(&t, &r, why, bytes))
    return false;
  *empty = r.latency;
  *load = 0;
  t.give_up = beyond * r.latency;
  t.drain = c->drain > DRAIN ? c->drain : DRAIN;
  double step = 1;
  for (int k = 0; k < (*load > 0 ? STEPS : HALVES); k++, step /= 2) {
    t.load = *load + step;
    if (t.load > 1)
      continue;
    if (!traffic_run(&t, &r, why, bytes))
      return false;
    if (!r.drained || r.saturated || r.latency > t.give_up)
      continue;
    k = *load > 0 ? k : 0;
    *load = t.load;
  }
  return true;
}
