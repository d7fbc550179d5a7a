// SPDX-License-Identifier: Apache-2.0
#include "port.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct port_packet {
  uint64_t cycle;
  uint8_t body[NODE_BODY];
} port_packet;

struct port_queue {  // of a class: rings
  port_packet *packets;
  uint32_t room, first, count;
  uint64_t *places;  // cycles in which places for packets to be sent become free
  uint32_t places_room, places_first, places_count;
  uint32_t may_send;
};

bool node_port_init(node_port *p, uint32_t index, const noc_config *c) {
  *p = (node_port){.index = index};
  // places and packets that the network can know of; each packet that is taken is told
  p->room_out = NOC_CLASSES * (c->send_packets + c->take_packets);
  p->out = malloc(p->room_out * sizeof *p->out);
  p->bodies = malloc(p->room_out * sizeof *p->bodies);
  p->classes = calloc(NOC_CLASSES, sizeof *p->classes);
  bool memory = p->out && p->bodies && p->classes;
  for (uint32_t k = 0; memory && k < NOC_CLASSES; k++) {
    port_queue *q = &p->classes[k];
    q->room = c->take_packets, q->places_room = q->may_send = c->send_packets;
    q->packets = malloc(q->room * sizeof *q->packets);
    q->places = malloc(q->places_room * sizeof *q->places);
    memory = q->packets && q->places;
  }
  return memory;
}

void node_port_free(node_port *p) {
  for (uint32_t k = 0; p->classes && k < NOC_CLASSES; k++) {
    free(p->classes[k].packets);
    free(p->classes[k].places);
  }
  free(p->classes);
  free(p->out);
  free(p->bodies);
}

void node_port_clock(node_port *p, uint64_t cycle) {
  p->cycle = cycle;
  for (uint32_t k = 0; k < NOC_CLASSES; k++) {
    port_queue *q = &p->classes[k];
    for (; q->places_count && q->places[q->places_first] <= cycle; q->places_count--) {
      q->places_first = (q->places_first + 1) % q->places_room;
      q->may_send++;
    }
  }
}

bool node_port_free_place(const node_port *p, uint32_t class) {
  return p->classes[class].may_send;
}

static node_mail *post(node_port *p) {
  assert(p->n_out < p->room_out);
  return &p->out[p->n_out++];
}

void node_port_send(node_port *p, uint32_t to, uint32_t class, const void *body, uint32_t bytes) {
  assert(p->classes[class].may_send && bytes <= NODE_BODY);
  const uint32_t at = p->n_out;
  p->classes[class].may_send--;
  memcpy(p->bodies[at], body, bytes);
  *post(p) = (node_mail){
      .cycle = p->cycle,
      .packet = {.from = p->index, .to = to, .class = class, .bytes = PORT_HEADER + bytes},
      .body = at,
      .body_bytes = bytes};
}

const void *node_port_first(const node_port *p, uint32_t class) {
  const port_queue *q = &p->classes[class];
  return q->count && q->packets[q->first].cycle <= p->cycle ? q->packets[q->first].body : NULL;
}

void node_port_take(node_port *p, uint32_t class) {
  port_queue *q = &p->classes[class];
  assert(q->count);
  q->first = (q->first + 1) % q->room, q->count--;
  *post(p) =
      (node_mail){.cycle = p->cycle, .taken = true, .packet = {.to = p->index, .class = class}};
}

uint64_t node_port_wakes(const node_port *p) {
  uint64_t at = UINT64_MAX;
  for (uint32_t k = 0; k < NOC_CLASSES; k++) {
    const port_queue *q = &p->classes[k];
    if (q->count && q->packets[q->first].cycle < at)
      at = q->packets[q->first].cycle;
    if (q->places_count && q->places[q->places_first] < at)
      at = q->places[q->places_first];
  }
  return at;
}

const node_mail *node_port_sent(const void *port, uint32_t *count) {
  const node_port *p = port;
  *count = p->n_out;
  return p->out;
}

const void *node_port_body(const void *port, const node_mail *m) {
  return ((const node_port *)port)->bodies[m->body];
}

void node_port_sent_clear(void *port) {
  ((node_port *)port)->n_out = 0;
}

void node_port_arrives(void *port, uint64_t cycle, uint32_t class, const void *body,
                       uint32_t bytes) {
  port_queue *q = &((node_port *)port)->classes[class];
  if (!body) {
    assert(q->places_count < q->places_room);
    q->places[(q->places_first + q->places_count++) % q->places_room] = cycle;
    return;
  }
  assert(q->count < q->room && bytes <= NODE_BODY);
  port_packet *x = &q->packets[(q->first + q->count++) % q->room];
  x->cycle = cycle;
  memcpy(x->body, body, bytes);
}
