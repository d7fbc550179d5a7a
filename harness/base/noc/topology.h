// SPDX-License-Identifier: Apache-2.0
// A topology: routers, the links between their ports, terminals at ports, and a route. All are
// tables, filled once by a function for each name; the rest of the network knows nothing else.
#ifndef NEARBANK_TOPOLOGY_H
#define NEARBANK_TOPOLOGY_H

#include "noc.h"

enum { TOPOLOGY_PORTS = 64, TOPOLOGY_GATEWAYS = 16, TOPOLOGY_NONE = UINT32_MAX };

typedef struct topology_end {
  uint32_t router, port;
} topology_end;

typedef struct topology {
  uint32_t routers, terminals;
  uint32_t ports;       // of a router: links first, then terminals
  topology_end *peer;   // [router * ports + port]: where a link ends; router NONE: there is no link
  topology_end *place;  // [terminal]
  uint8_t *route;  // [router * routers + to]: the port of the next link; not for a router to itself
  // Where the ways off the chip are, at ports behind those of terminals; and of a packet from a
  // terminal of one chip to a terminal of another one: by which of them it goes there
  // [from * terminals + to].
  uint32_t gateways;
  topology_end gateway[TOPOLOGY_GATEWAYS];
  uint8_t *by;
} topology;

// Of the ports of links, in their order.
enum { TOPOLOGY_DIRECTIONS = 8 };
extern const char *const topology_directions[TOPOLOGY_DIRECTIONS];

// False after a message in `why`. topology_free always.
bool topology_chip(topology *t, const noc_config *c, char *why, size_t bytes);
bool topology_chips(topology *t, const noc_config *c, char *why, size_t bytes);
void topology_free(topology *t);

#endif
