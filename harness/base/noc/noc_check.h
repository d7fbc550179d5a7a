// SPDX-License-Identifier: Apache-2.0
// What holds inside of a network, for tests of it.
#ifndef NEARBANK_NOC_CHECK_H
#define NEARBANK_NOC_CHECK_H

#include "noc.h"

// Channels that are kept apart may be put together, to show what then happens.
typedef struct noc_shared {
  bool classes, legs;
} noc_shared;
noc *noc_new_shared(const noc_config *c, const noc_sink *sink, noc_shared s, char *why,
                    size_t why_bytes);

// Between steps: the register of a gateway's way has room for one flit of the wider width. NULL, or
// what is wrong.
const char *noc_check_gateways(const noc *n);
// Everything is where it was at the start: buffers empty, credits and places back, no channel held.
// NULL, or what is left over.
const char *noc_check_rest(const noc *n);

// Walks all packets of a network of this configuration through its tables; `legs`: channels of a
// chip are kept apart by leg. True: no packet can wait for one that waits for it. There must be
// memory for it, and each route must end where it should.
bool noc_check_routes(const noc_config *c, bool legs);

#endif
