// SPDX-License-Identifier: Apache-2.0
// Twin of the block that says which packets may begin (docs/blocks/order.md has the rules).
#pragma once

#define BLOCK order
#include "structure.h"
#include "csim/base/block_declare.h"

// What matters of a packet.
typedef struct order_look {
  uint64_t reads[2], writes[2];  // places of the register file, a bit each
  uint32_t memory, line;         // ORDER_NONE; the line or the window
} order_look;

enum { ORDER_NONE, ORDER_BANKS, ORDER_SHARED };
enum { ORDER_PLACES = 128 };  // of the register file

typedef struct order_entry {
  _Alignas(64) order_look look;
  uint32_t asleep_for, unread_for, here_for;  // who waits until it is awake, read, gone
  uint32_t waits;                             // for so many of these
  uint32_t head[2], body[2];
  uint64_t number;  // by which the older one is told
} order_entry;

typedef struct order {
  uint32_t all;                      // entries that there are
  uint32_t held, gone, read, awake;  // those that are free are all of it
  uint32_t clear;                    // of those held: they wait for nothing
  uint32_t syncs, rests, longs;      // of those held: SYNC; REGRD, awake when read; body in tsv
  uint32_t opc, lsux, regm;          // of those held: the room that they need
  uint32_t banks, shared;            // of those held: what they access
  uint32_t waking[3];                // awake an edge from now, two, three
  uint64_t next_number;
  order_entry of[STRUCTURE_MAX_HELD];
  uint32_t reads[ORDER_PLACES], writes[ORDER_PLACES];  // of those held, by place of the file
  order_out out;
} order;

order_look order_look_at(const uint32_t *head, const uint32_t *body);
void order_init(order *o, const structure *sizes);  // NULL: the default ones
// One clock edge; the outputs after it are in o->out.
void order_edge(order *o, const order_in *in);
// The same; costs nothing when there is nothing to do.
static inline void order_clock(order *o, const order_in *in) {
  if (o->out.busy | in->in_valid || !in->rst_n)
    order_edge(o, in);
}
void order_step(order *o, const order_in *in, order_out *out);

// An edge changes nothing, if nothing comes, begins or ends.
static inline bool order_waits(const order *o) {
  const uint32_t goes = o->out.out_valid ? 0 : o->clear & ~o->gone;
  return !(goes | (o->clear & o->syncs) | o->out.sync_valid | o->waking[0] | o->waking[1] |
           o->waking[2]);
}

static inline bool order_idle(const order *o) {
  return !o->out.busy;
}
