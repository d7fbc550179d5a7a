// SPDX-License-Identifier: Apache-2.0
// The network: chips of terminals, and links between chips. Rules: docs/network.md.
//
// A terminal sends packets of a class to another one; the network cuts them into flits, routes
// these from router to router with credits, and hands over whole packets. It knows nothing of what
// they mean. Cycles are those of the routers. Single threaded; the same calls give the same result.
#ifndef NEARBANK_NOC_H
#define NEARBANK_NOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NOC_REQUEST, NOC_RESPONSE, NOC_CLASSES };

typedef enum noc_topology {
  NOC_MESH,
  NOC_DIAGONAL_MESH,
  NOC_CONCENTRATED,           // mesh, several terminals a router
  NOC_CONCENTRATED_DIAGONAL,  // the same with diagonal links
  NOC_CROSSBAR,
  NOC_TOPOLOGIES
} noc_topology;
extern const char *const noc_topology_names[NOC_TOPOLOGIES];

typedef struct noc_config {
  noc_topology topology;      // of a chip
  uint32_t x, y;              // terminals of a chip
  uint32_t chips_x, chips_y;  // a mesh of chips; 1, 1: one chip
  uint32_t gateways;          // of a chip, a power of two; each has a mesh of chips of its own
  uint32_t group_x, group_y;  // terminals at a router of the concentrated ones
  uint32_t vcs;               // virtual channels of a class
  bool ordered;  // packets of one class from one terminal to another stay in order, whatever vcs is
  bool oldest_first;          // the packet that was sent first passes first; else round robin
  uint32_t depth, off_depth;  // flits of an input buffer, of each virtual channel: on a chip,
                              // between chips
  uint32_t loop;  // cycles from taking a place of a buffer to being able to use it again, over a
                  // link of one cycle; a longer link adds its other cycles there and back
  uint32_t flit_bytes, off_flit_bytes;        // on a chip, between chips
  uint32_t link, off_link;                    // cycles on a link
  uint32_t link_interval, off_link_interval;  // cycles from flit to flit, 1: one a cycle
  uint32_t send_packets, take_packets;  // places of a terminal for packets to be sent, and for
                                        // those that have arrived and were not taken: of each class
} noc_config;

noc_config noc_config_default(void);  // the machine of the paper

typedef struct noc_packet {
  uint32_t from, to;  // terminals: chip * (x * y) + terminal of the chip
  uint32_t class;
  uint32_t bytes;  // header and data
  uint64_t id;     // the caller's
} noc_packet;

// Called from noc_step, and may call noc_take and noc_send (for the next step). `sent`: a place for
// packets to be sent is free again, because the last flit of a packet has left it. `arrived`: the
// last flit has; the packet has one of the take_packets places until noc_take.
typedef struct noc_sink {
  void *ctx;
  void (*sent)(void *ctx, uint32_t terminal, uint32_t class);
  void (*arrived)(void *ctx, const noc_packet *p);
} noc_sink;

typedef struct noc noc;

// NULL: `why` says what is wrong with the configuration, or that there is no memory.
noc *noc_new(const noc_config *c, const noc_sink *sink, char *why, size_t why_bytes);
void noc_free(noc *n);

// In the cycle that the next noc_step makes. False: the terminal has no place; it has as many as
// send_packets less what was sent and not reported as `sent`.
bool noc_send(noc *n, const noc_packet *p);
void noc_take(noc *n, uint32_t terminal, uint32_t class);
void noc_step(noc *n);
uint64_t noc_cycle(const noc *n);  // steps so far

// No packet takes fewer cycles to another terminal, from noc_send to `arrived`.
uint32_t noc_shortest(const noc *n);

// No flit, credit or packet is under way but those that have arrived: steps change only the cycle.
bool noc_idle(const noc *n);
void noc_skip(noc *n, uint64_t cycles);  // that many such steps

typedef struct noc_stats {
  uint64_t packets[NOC_CLASSES];      // arrived
  uint64_t latency[NOC_CLASSES];      // sum, from noc_send to `arrived`
  uint64_t on_chip_flits, off_flits;  // that went over links
} noc_stats;
const noc_stats *noc_statistics(const noc *n);

// The links between routers, one for each way: those of chip 0, chip 1, ... by router and
// direction, then those between chips, by gateway, chip and direction.
typedef struct noc_link {
  bool off_chip;          // between chips
  uint32_t place;         // the chip; between chips the gateway whose mesh it is in
  uint32_t from, to;      // routers of the chip, row by row; between chips these
  const char *direction;  // "east"
} noc_link;
typedef struct noc_link_stats {
  uint64_t flits;   // that went over it: the sums of all are on_chip_flits and off_flits
  uint64_t waited;  // cycles in which a flit was first in its buffer, was to take it, and stayed
  uint64_t queued;  // flits in the buffer at its end, summed over cycles; at least one a flit
  uint64_t most;    // in that buffer at a time
} noc_link_stats;
uint32_t noc_links(const noc *n);
noc_link noc_link_of(const noc *n, uint32_t k);
noc_link_stats noc_link_counted(const noc *n, uint32_t k);

#endif
