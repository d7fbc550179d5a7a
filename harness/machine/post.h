// SPDX-License-Identifier: Apache-2.0
// Between cores and network: keeps what cores sent until the network has come to that cycle, and
// what the network delivered until the cores are given it. So the network may step while cores do,
// each on cycles that the other one has finished.
#ifndef NEARBANK_POST_H
#define NEARBANK_POST_H

#include "../core/core.h"

typedef struct post post;

enum { POST_AHEAD = 64 };

// `steps` of the network make a cycle of the cores; a packet is in the interfaces for `interface`
// cycles, POST_AHEAD at most. NULL: `why`.
post *post_new(const noc_config *c, uint32_t steps, uint32_t interface, char *why,
               size_t why_bytes);
void post_free(post *p);
// As after power-up, from a cycle on; what was counted stays. False: no memory.
bool post_reset(post *p, uint64_t cycle);

// What a core has sent since the last time. Cores in the order of their numbers.
bool post_collect(post *p, core *c);  // false: no memory
// The network does the cycles up to `until`, all of which the cores have done.
void post_step(post *p, uint64_t until);
uint64_t post_cycle(const post *p);  // the first one that it has not done
// Nothing arrives at a core in so many cycles from post_cycle on, but what was delivered before.
// POST_AHEAD at most.
uint32_t post_ahead(const post *p);
bool post_idle(const post *p);  // nothing is under way, nothing to be sent

// What has been delivered, and to whom: cores get it in a cycle that they have not done.
typedef void post_wake(void *ctx, uint32_t core, uint64_t cycle);
void post_deliver(post *p, core *const *cores, post_wake *wake, void *ctx);

noc_stats post_statistics(const post *p);
void post_set_statistics(post *p, const noc_stats *s);  // goes on counting from there

#endif
