// SPDX-License-Identifier: Apache-2.0
// A node: a part of a machine that steps cycles by itself and has a place in the network. The
// scheduler, the network and the statistics know nodes only; docs/adding-a-machine.md says how to
// write one.
//
// Time. A node steps cycle by cycle, as far as it is told; it may stand still where nothing
// changes until something arrives. All functions but advance are called between windows, on one
// thread. Nodes share nothing that changes, so windows of different nodes run on any threads.
#ifndef NEARBANK_NODE_H
#define NEARBANK_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include "csim/base/rtl_trace.h"
#include "harness/base/noc/noc.h"

// What a node sent in a cycle, in order: a packet, or the news that one that arrived was taken.
// What a packet says is `body_bytes` bytes without pointers, NODE_BODY at most, so that it could
// cross the border of a process; `body` is the sender's number of them.
enum { NODE_BODY = 384 };
typedef struct node_mail {
  uint64_t cycle;
  bool taken;
  noc_packet packet;  // without an id
  uint32_t body, body_bytes;
} node_mail;

// What nodes of a kind declare: who prints, adds up or prices what they count needs no more.
typedef struct node_counter {
  const char *name, *doc;
  // Key of the configuration with the pJ of an event: "energy.dram_row"; NULL, as of all counters
  // of a group: what they cost is in the energies of the node.
  const char *energy;
} node_counter;
// Parts of a node that count for themselves, and counters that belong together.
typedef struct node_group {
  const char *name, *doc;  // "subcores"
  uint32_t count;          // parts of this kind, a list; 0: not a list
  uint32_t at, words;      // where the first one is in the words of what it is part of; of each
  const node_counter *counters;  // at its beginning
  uint32_t n_counters;
  const struct node_group *groups;
  uint32_t n_groups;
} node_group;
// What costs energy beyond a counter with a key: "ALU", "near_int", "energy.alu_int", share,
// "lanes near", "subcores.lanes_near.INT". An event costs the key's value divided by `share`;
// `events` is a sum of counters by their paths, each of which may have a factor: "2*nbus.lsux".
typedef struct node_energy {
  const char *group, *name, *key;
  uint32_t share;
  const char *unit, *events;
  const char *layer;  // of the kind's layers; NULL in a kind without
} node_energy;
// Power that is there also when nothing happens: `count` times the key's value, in mW; in a node
// as often as its counter `per` says, NULL: once.
typedef struct node_standing {
  const char *name, *doc, *key;
  uint32_t count;
  const char *per;
} node_standing;
// A die of which a node has a part, for the power of a mm2: as many of them as its counter `per`
// says (NULL: one), each with `area` mm2, a key. The last one is the base die, with the network;
// standing power is that of the others in equal shares.
typedef struct node_layer {
  const char *name, *doc, *area;
  const char *per;
} node_layer;
// Its area, and the signals of its waves. Modules are counted through all rows: of {"a", 2},
// {"b", 1} module 2 is b.
typedef struct node_area {
  const char *module;  // of the Verilog, as `mpu area --blocks` takes it
  uint32_t count;      // in a node
} node_area;

// What happens in a node, for whoever looks on: a kind of event is a row of a timeline. It has a
// beginning and an end, or is over within its cycle (NODE_AT). Events of a kind may overlap: `id`
// says which of them ends.
enum { NODE_VALUES = 4 };
typedef struct node_event_kind {
  const char *name, *doc;            // "request", "from its packet to its sum"
  const char *values[NODE_VALUES];   // names of what it carries at its beginning
  const char *results[NODE_VALUES];  // and at its end
} node_event_kind;
typedef enum node_phase { NODE_BEGIN, NODE_END, NODE_AT } node_phase;
typedef struct node_event {
  node_phase phase;
  uint32_t kind, id;  // kind: its number among those that are declared
  uint64_t values[NODE_VALUES];
  uint64_t cycle;
} node_event;
// Called in the order of the cycles, by the thread that steps the node.
typedef struct node_observer {
  void *ctx;
  void (*event)(void *ctx, const node_event *e);
} node_observer;

typedef struct node_kind {
  const char *name, *doc;  // "engine", "adds up what is in its banks"
  const node_counter *counters;
  uint32_t n_counters;
  const node_group *groups;
  uint32_t n_groups;
  const node_energy *energies;
  uint32_t n_energies;
  const node_standing *standing;
  uint32_t n_standing;
  const node_layer *layers;
  uint32_t n_layers;
  const node_area *area;
  uint32_t n_area;
  const node_event_kind *events;
  uint32_t n_events;
} node_kind;
// A list of it, with its length.
#define NODE_LIST(field, list) .field = list, .n_##field = sizeof list / sizeof *list

typedef struct node_ops {
  const char *kind;           // in messages: "core"
  const node_kind *declares;  // NULL: nothing
  // Words: the counters of the kind in their order, then its groups where they say; of the cycles
  // up to cycle(). NULL with nothing declared.
  const uint64_t *(*counters)(const void *node);
  // The signals of a module from now on, with *to but for `cycle`, which is the node's own; NULL:
  // no longer. False: no memory, or it cannot. Then the node is told the cycle that all have come
  // to, also when it stands still.
  bool (*trace)(void *node, uint32_t module, const rtl_trace *to);  // NULL: it has none
  uint32_t (*traced)(const void *node);  // how many modules, the first ones; NULL: all of them
  void (*come_to)(void *node, uint64_t cycle);
  // From now on, in place of whoever was told before; NULL: nobody. NULL with no events declared.
  void (*observe)(void *node, const node_observer *o);

  // Steps to cycle `until`, or stands still before it if nothing happens until then but what may
  // arrive: not before wakes(). `next`, or NULL, is the node that the same thread steps next: a
  // large node may ask the host's caches for what that one will look at.
  void (*advance)(void *node, uint64_t until, const void *next);
  uint64_t (*wakes)(const void *node);
  uint64_t (*cycle)(const void *node);  // that it does next; of one that rests: when it began
  // Nothing is under way or expected: only what arrives can change that.
  bool (*rests)(const void *node);
  bool (*failed)(const void *node);        // it does not go on; the node knows why
  const char *(*error)(const void *node);  // of one that failed, a sentence; or NULL: not told here
  uint64_t (*moved)(const void *node);     // the last cycle with progress
  void (*stalled)(void *node);             // no node makes progress: that is a failure of this one

  // The port to the network. NULL in a machine without one.
  const node_mail *(*sent)(const void *node, uint32_t *count);
  const void *(*body)(const void *node, const node_mail *m);  // until sent_clear
  void (*sent_clear)(void *node);
  // In `cycle`, none before one that it has stepped, arrives a packet, whose body is copied, or
  // the news that a place for a packet of a class is free again (NULL).
  void (*arrives)(void *node, uint64_t cycle, uint32_t class, const void *body,
                  uint32_t body_bytes);
} node_ops;

typedef struct node {
  const node_ops *ops;
  void *state;  // the owner's
} node;

#endif
