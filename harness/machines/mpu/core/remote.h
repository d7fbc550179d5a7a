// SPDX-License-Identifier: Apache-2.0
// The network interface of a core: requests to other cores, whose answers go to the part that sent
// them, and LSU-Remote, which serves what others send. Rules: docs/machine.md.
#ifndef NEARBANK_CORE_REMOTE_H
#define NEARBANK_CORE_REMOTE_H

#include "copies.h"

enum { REMOTES = 256, SERVES = 64, SENDS = 64, ARRIVALS = 1024, MAILS = 1024 };

// A request of this core to another one, which is under way.
typedef struct net_request {
  struct net_request *next;  // of the free ones
  bool open;                 // not answered yet
  uint32_t to;               // core
  const op *o;               // of the instruction: for those who look on
  remote_request sent;
  remote_answer answer;
} net_request;

// One of another core, from its arrival until its answer has left.
typedef struct served {
  struct served *next;  // of the free ones, of those to be answered
  uint32_t nbu;
  uint64_t sector;
  uint32_t waits;  // packets to the NBU without answer
  uint8_t left;    // of a line: sectors still to be read
  uint8_t step;    // of atomics: 0 to be read, 1 being read, 2 to be written, 3 all is sent
  isa_inst inst;   // atomics
  remote_request asked;
  remote_answer answer;
} served;

typedef struct arrival {
  uint64_t cycle;
  uint32_t class;
  net_request *answered;  // its answer has come; or
  served *asks;           // this has come; neither: a place for a packet is free again
} arrival;

// The part that sends requests, and gets the answers: before the request is free again, and after.
typedef struct remote_client {
  void *ctx;
  void (*answer)(void *ctx, const net_request *r);
  void (*done)(void *ctx, const net_request *r);
} remote_client;

typedef struct remote {
  base *base;
  bus *bus;
  copies *copies;
  remote_client client;
  uint8_t tag_client;
  net_request *requests;  // `place.requests`
  served *serving;        // `place.serves`
  uint8_t *bodies;        // of packets that were sent: as many as there are credits
  // of a launch
  arrival in[ARRIVALS];
  uint32_t in_head, in_count;
  node_mail out[MAILS];
  uint32_t n_out;
  uint32_t body_bytes;  // of what was sent
  uint32_t credits[NOC_CLASSES];
  bool requested;  // a request left in this cycle
  net_request *free;
  uint32_t under_way;
  served *free_serves;
  served *serves[SERVES];  // not all of it sent to the NBUs, the oldest first
  uint32_t n_serves;
  uint32_t served;                // sent to the NBUs, not answered
  served *drops;                  // wait for the ends of reads of this core
  served *answers, *last_answer;  // to be sent
} remote;

bool remote_new(remote *n, base *b, bus *u, copies *c);  // false: no memory
void remote_delete(remote *n);
void remote_reset(remote *n);

// ---- requests
// The next one, to be filled in and sent; NULL: none may leave in this cycle.
net_request *remote_next_request(remote *n);
bool remote_full(const remote *n);  // nor in any other before something arrives
// All but `from`, `sent` and `index` is filled in. `o`: its instruction.
void remote_send(remote *n, net_request *r, const op *o, uint32_t lanes);
void remote_send_to(remote *n, net_request *r, uint32_t core, const op *o, uint32_t lanes);
// Bytes in the network: of a request, and of the answer to it.
uint32_t remote_request_size(const remote_request *r);
uint32_t remote_answer_size(const remote_request *r);

// ---- a cycle
void remote_take(remote *n);   // what has come: nothing, unless remote_next is this cycle
void remote_serve(remote *n);  // a packet to an NBU, an answer
static inline void remote_begin(remote *n) {
  n->requested = false;
  n->base->stats.serving += n->n_serves + n->served;
}
static inline bool remote_works(const remote *n) {
  return n->n_serves | (n->answers != NULL) | (n->drops != NULL);
}
// The next arrival, UINT64_MAX: nothing is expected.
static inline uint64_t remote_next(const remote *n) {
  return n->in_count ? n->in[n->in_head % ARRIVALS].cycle : UINT64_MAX;
}
// Other cores have to do with it.
static inline bool remote_involved(const remote *n) {
  return n->under_way | n->n_serves | n->served;
}

// Whom it concerns: bits of subcores, and from SUBCORES on of units.
uint32_t remote_arrives(remote *n, uint64_t cycle, uint32_t class, const void *body,
                        uint32_t bytes);

#endif
