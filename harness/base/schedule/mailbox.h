// SPDX-License-Identifier: Apache-2.0
// Between nodes and network: keeps what nodes sent until the network has come to that cycle, and
// what the network delivered until the nodes are given it. So the network may step while nodes do,
// each on cycles that the other one has finished.
#ifndef NEARBANK_MAILBOX_H
#define NEARBANK_MAILBOX_H

#include "node.h"

typedef struct mailbox mailbox;

enum { MAILBOX_AHEAD = 64 };

// `steps` of the network make a cycle of the nodes; a packet is in the interfaces for `interface`
// cycles, MAILBOX_AHEAD at most. NULL: `why`.
mailbox *mailbox_new(const noc_config *c, uint32_t steps, uint32_t interface, char *why,
                     size_t why_bytes);
void mailbox_free(mailbox *p);
// As after power-up, from a cycle on; what was counted stays. False: no memory.
bool mailbox_reset(mailbox *p, uint64_t cycle);

// What a node has sent since the last time. Nodes in the order of their numbers.
bool mailbox_collect(mailbox *p, const node *n);  // false: no memory
// The network does the cycles up to `until`, all of which the nodes have done.
void mailbox_step(mailbox *p, uint64_t until);
uint64_t mailbox_cycle(const mailbox *p);  // the first one that it has not done
// Nothing arrives at a node in so many cycles from mailbox_cycle on, but what was delivered before.
// MAILBOX_AHEAD at most.
uint32_t mailbox_ahead(const mailbox *p);
bool mailbox_idle(const mailbox *p);  // nothing is under way, nothing to be sent

// What has been delivered, and to whom: nodes get it in a cycle that they have not done.
typedef void mailbox_wake(void *ctx, uint32_t node, uint64_t cycle);
void mailbox_deliver(mailbox *p, const node *nodes, mailbox_wake *wake, void *ctx);

noc_stats mailbox_statistics(const mailbox *p);
void mailbox_set_statistics(mailbox *p, const noc_stats *s);  // goes on counting from there
uint32_t mailbox_links(const mailbox *p);
noc_link mailbox_link(const mailbox *p, uint32_t k);
noc_link_stats mailbox_link_counted(const mailbox *p, uint32_t k);
void mailbox_set_link(mailbox *p, uint32_t k, const noc_link_stats *s);
// What the network has counted before cycle `at`, to which it has not come yet, is kept for
// mailbox_sampled. One at a time; UINT64_MAX: none.
void mailbox_sample(mailbox *p, uint64_t at);
// All nodes have come to that cycle. False: the network has not, and *to is what it has counted so
// far.
bool mailbox_sampled(const mailbox *p, noc_stats *to);

#endif
