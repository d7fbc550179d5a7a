// SPDX-License-Identifier: Apache-2.0
// What happens in a core, for those who look on (core_observe), and for the comparison with the
// functional machine: one record each, in the order in which it happens. Nothing of this is made
// when nobody does.
#ifndef NEARBANK_EVENT_H
#define NEARBANK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum event_kind {
  EVENT_BLOCK,       // a block starts
  EVENT_BLOCK_END,   // it has ended
  EVENT_ISSUE,       // an instruction is issued
  EVENT_TARGET,      // the offload engine knows where it executes: `near`
  EVENT_MOVE,        // and asks for a move of register `reg`, to where `near` says
  EVENT_MOVED,       // which is there
  EVENT_UNIT,        // it enters its unit of the base die; an access: its address is read
  EVENT_START,       // an access starts: it has its NBUs
  EVENT_SEND,        // a packet goes into the queue of an NBU
  EVENT_ANSWER,      // it is answered, or, with no flits, complete and not answered
  EVENT_END,         // an instruction has ended
  EVENT_READY,       // the registers that it waited for are there
  EVENT_REQUEST,     // a request of it to another core leaves
  EVENT_REPLIED,     // and is answered
  EVENT_SERVE,       // a request of another core has come
  EVENT_REPLY,       // its answer leaves
  EVENT_SHARED,      // shared memory of the base die takes a request: of `lanes`, operation `reg`
  EVENT_SHARED_END,  // and has done it
  EVENT_ACCESS,      // words `reg` of lanes `part` of an access take effect in memory of this core,
                     // after all before them; constants are read, a warp arrives at a barrier
  EVENT_PERFORM,     // and so does a request of another core, or a sector of one for a line
  EVENT_HIT,         // lanes of a load find what they want in the cache for remote data
  EVENT_MERGE,       // lanes of a load wait for the answer to request `request` of another one
  EVENT_MERGED,      // which has come
} event_kind;

enum {
  EVENT_NONE = 0xffffffff,  // as `number`: of no instruction
  EVENT_PLACES = 320,       // instructions of a subcore that have not ended: those of the core,
                            // and those of packets
  EVENT_SLOTS = 16,         // warps of a subcore
  EVENT_WORDS = 15,         // all words that a lane can access
};

typedef struct core_event {
  uint64_t cycle;
  uint32_t number;     // of the instruction, as the core issued them in this launch, from 0 on
  uint32_t block;      // linear index in the grid
  uint32_t pc, lanes;  // lanes: that execute it
  // Of EVENT_ACCESS, EVENT_REQUEST, EVENT_REPLIED, EVENT_HIT, EVENT_MERGE, EVENT_MERGED: lanes that
  // this is about. Of EVENT_ANSWER: words
  // of the result that the packet has written near.
  uint32_t part;
  uint16_t place;  // of an instruction under way: its number among those of the subcore
  uint8_t kind;    // event_kind
  uint8_t subcore, warp, slot;  // warp: in its block; slot: of the subcore
  bool near;
  bool ends;  // of EVENT_ISSUE and EVENT_END: both are in the same cycle, and it has no place
  // Of EVENT_TARGET: how many registers it waits for. Of EVENT_ANSWER: words of `part` that another
  // packet has overwritten. Of EVENT_ACCESS: words of each lane, a bit each.
  uint8_t reg;
  uint8_t nbu, tag, packet,
      flits;  // packet: TSV_DN_* or, of an answer, TSV_UP_* (csim/mpu/tsv.def)
  // Of requests, and of packets for those of others: `packet` is 0 for reads, 1 for writes, 2 for
  // atomics, 3 for drops of copies; `bytes` as the network has them, `address` of device memory.
  uint8_t core, request;  // the other core; number of the request among those of the one that asked
  uint16_t bytes;
  uint64_t address;
  uint64_t sent, came, left;  // cycles: it left, it came, its answer left
} core_event;

#endif
