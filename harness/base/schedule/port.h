// SPDX-License-Identifier: Apache-2.0
// A node's port to the network: what it sent, what has arrived, and the places that it has left.
// A node whose state begins with a node_port has the port's functions in its node_ops.
#ifndef NEARBANK_PORT_H
#define NEARBANK_PORT_H

#include "node.h"

enum { PORT_HEADER = 8 };  // bytes of a packet before its body

typedef struct port_queue port_queue;

typedef struct node_port {
  uint32_t index;  // of the node
  uint64_t cycle;  // that the node is in
  port_queue *classes;
  node_mail *out;
  uint8_t (*bodies)[NODE_BODY];
  uint32_t n_out, room_out;
} node_port;

// Of node `index` in this network. False: no memory; node_port_free always.
bool node_port_init(node_port *p, uint32_t index, const noc_config *c);
void node_port_free(node_port *p);

// ---- by the node itself

// It is in this cycle now; cycles ascend. What follows is about this cycle.
void node_port_clock(node_port *p, uint64_t cycle);
// A place for a packet is free.
bool node_port_free_place(const node_port *p, uint32_t class);
// Only with a free place.
void node_port_send(node_port *p, uint32_t to, uint32_t class, const void *body, uint32_t bytes);
// What the packet says that arrived first and was not taken. NULL: there is none.
const void *node_port_first(const node_port *p, uint32_t class);
void node_port_take(node_port *p, uint32_t class);  // only where there is one

// The first cycle in which a packet is there, or one more place; UINT64_MAX: none is known of.
uint64_t node_port_wakes(const node_port *p);

// ---- for node_ops

const node_mail *node_port_sent(const void *port, uint32_t *count);
const void *node_port_body(const void *port, const node_mail *m);
void node_port_sent_clear(void *port);
void node_port_arrives(void *port, uint64_t cycle, uint32_t class, const void *body,
                       uint32_t bytes);

#endif
