// SPDX-License-Identifier: Apache-2.0
// Inside of the network. Nodes are routers, the interfaces of terminals and the two ways of each
// gateway. A node decides in a step which flits leave it; a flit or a credit reaches the next node
// at least a cycle later, by a queue of its delay. So nodes may step in any order.
#ifndef NEARBANK_NOC_PRIV_H
#define NEARBANK_NOC_PRIV_H

#include "csim/base/round_robin.h"
#include "noc.h"
#include "noc_check.h"
#include "topology.h"

enum {
  NOC_MAX_VCS = 8,  // of a class
  NOC_LEGS = 2,     // on a chip: still to leave it, or to end on it
  NOC_LANES = NOC_CLASSES * NOC_LEGS * NOC_MAX_VCS,  // virtual channels of a port, at most 32
  NOC_NONE = UINT32_MAX
};
enum { LEG_IN, LEG_OUT };

typedef struct flit {
  uint32_t packet;
  uint8_t out;  // the port of this router by which it leaves: looked up by the router before
  bool head, tail;
} flit;

// A virtual channel of an input.
typedef struct channel {
  uint16_t first, count;
  uint8_t out;   // of the packet whose flit is the first one
  uint8_t lane;  // by which virtual channel of the output it leaves, while it is
  bool passing;  // its head has left, its tail has not
} channel;

typedef struct input {
  uint32_t filled;              // virtual channels with flits
  uint32_t slots;               // for flits of a virtual channel, a power of two
  channel *channels;            // [lane]
  flit *flits;                  // [lane * slots + n]
  uint8_t next_lane, next_out;  // round robin
  uint8_t port;
  uint8_t credits;      // the queue in which they go back
  uint32_t held, most;  // flits in it now, and at most so far
  uint64_t queued;      // less the cycles in which they came: flits in it, summed over cycles
  uint32_t source;      // the output that is at the other end
  uint32_t node;        // whose it is
} input;

// An output of a node. An output to a terminal has a place for each packet instead of credits.
typedef struct output {
  uint32_t free;               // virtual channels that no packet holds
  uint32_t credit;             // ... that have credits
  uint64_t busy;               // the link takes the next flit in this cycle or later
  uint32_t terminal;           // or NONE
  uint32_t to;                 // input, or NONE
  uint8_t next_lane, next_in;  // round robin
  uint8_t flits;               // the queue of those that leave
  uint32_t interval;           // cycles from flit to flit
  uint16_t *credits;           // [lane]
  uint32_t node;               // whose it is
  uint32_t router;             // at the other end; NONE: a gateway or a terminal
  uint64_t *counter;           // of flits, or NULL
  uint64_t sent,
      waited;  // flits; cycles in which one waited for it, less the begin if one waits now
} output;

typedef struct router {
  uint64_t filled;  // inputs with flits
  input *inputs;    // [port]
  output *outputs;
  const uint8_t *route;  // [terminal of the chip, then gateway], or [chip]
  uint64_t waiting;      // outputs for which a flit waits
  uint32_t chip;         // NONE: it is between chips
} router;

// Sends packets of a terminal.
typedef struct sender {
  uint32_t output;
  uint8_t next;  // round robin over classes
  struct {
    uint32_t first, count;
    uint32_t done;  // flits of the first packet that have left
    uint8_t lane;
  } queue[NOC_CLASSES];
} sender;

// One way of a gateway. A flit goes from its buffer to a register of the wider width, from there on
// as flits of the other width.
typedef struct gate {
  uint32_t input, output;
  uint32_t in_bytes, out_bytes;
  uint32_t used;  // virtual channels with a flit or a packet
  uint8_t next;
  bool into;  // into the chip
  struct {
    uint32_t packet, have, done;  // flits that came into and left the register
    uint8_t lane;
  } part[NOC_LANES];
} gate;

typedef struct event {
  uint32_t when;  // low bits of the cycle
  uint32_t at;    // input, output or terminal
  uint32_t packet;
  uint8_t lane, out;
  bool head, tail;
} event;

typedef struct queue {
  event *events;
  uint32_t mask, first, last, delay;
} queue;

enum {
  FLITS_LOCAL,
  FLITS_CHIP,
  FLITS_OFF,
  ARRIVALS,
  CREDITS_LOCAL,
  CREDITS_CHIP,
  CREDITS_OFF,
  PLACES,
  QUEUES
};

typedef struct packet {
  noc_packet p;
  uint64_t sent;
  uint32_t chip;  // where it goes
  uint16_t to;    // terminal of that chip
  uint8_t by;     // the gateway, if it goes to another chip
  uint8_t lane;   // of the virtual channels of a class, if ordered
} packet;

struct noc {
  noc_config c;
  noc_sink sink;
  topology chip, chips;
  uint64_t cycle;
  bool stepping;
  uint64_t under_way;  // packets that have not arrived
  noc_stats stats;

  uint32_t lanes;                            // virtual channels of a port
  uint32_t lanes_of[NOC_CLASSES][NOC_LEGS];  // which, as a mask
  uint32_t base_of[NOC_CLASSES][NOC_LEGS];   // the first of them
  uint32_t like[NOC_LANES];                  // where a packet of that channel may go on
  uint32_t ports;                            // of any router, inputs and outputs alike

  router *routers;  // those of the chips, then those between chips, by gateway
  sender *senders;
  gate *gates;  // of each gateway of all chips, of the next one, ...: out, in
  uint32_t n_routers, n_senders, n_gates, n_inputs, n_outputs;
  uint64_t *active;  // nodes: routers, senders, gates
  uint32_t words;

  input *inputs;      // of routers, then of gates
  channel *channels;  // [input * lanes + lane]
  flit *flits;        // of all inputs
  output *outputs;    // of routers, senders, gates
  uint32_t *links;    // outputs that begin one
  uint32_t n_links;
  uint16_t *credits;  // [output * lanes + lane]
  uint16_t *places;   // [terminal * classes + class]
  uint32_t *waiting;  // [(terminal * classes + class) * send_packets + n]
  uint8_t *routes;
  packet *packets;
  uint32_t *free_packets, n_free;
  queue queues[QUEUES];
};

bool links_new(noc *n);  // of what is connected; false: no memory
void router_step(noc *n, uint32_t at);
void sender_step(noc *n, uint32_t at);
void gate_step(noc *n, uint32_t at);

static inline void noc_wake(noc *n, uint32_t node) {
  n->active[node / 64] |= UINT64_C(1) << node % 64;
}
static inline void noc_sleep(noc *n, uint32_t node) {
  n->active[node / 64] &= ~(UINT64_C(1) << node % 64);
}

static inline event *queue_push(noc *n, uint32_t q) {
  queue *u = &n->queues[q];
  event *e = &u->events[u->last++ & u->mask];
  e->when = (uint32_t)n->cycle + u->delay;
  return e;
}

// Those of `lanes` in which a packet may begin to leave by an output.
static inline uint32_t output_may(const noc *n, const output *o, uint32_t lanes, uint32_t packet) {
  if (o->terminal != NOC_NONE && !n->places[o->terminal * NOC_CLASSES + n->packets[packet].p.class])
    return 0;
  return o->free & o->credit & lanes;
}

// Which way off its chip a packet goes.
static inline uint32_t packet_gateway(const noc *n, uint32_t from, uint32_t to) {
  const uint32_t on = n->chip.terminals;
  return n->chip.by[(size_t)(from % on) * on + to % on];
}

// Where a packet may be on a leg.
static inline uint32_t packet_lanes(const noc *n, const packet *k, uint32_t leg) {
  return n->c.ordered ? UINT32_C(1) << (n->base_of[k->p.class][leg] + k->lane)
                      : n->lanes_of[k->p.class][leg];
}

#endif
