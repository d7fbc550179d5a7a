// SPDX-License-Identifier: Apache-2.0
// Packets of the TSV bus: queues, one an NBU, and answers, which go to whoever has sent the packet.
//
// A part that sends packets joins as a client. Each of its packets has a tag, which it fills in and
// gets back with the answer; the bus knows nothing of what tags mean.
#ifndef NEARBANK_CORE_BUS_H
#define NEARBANK_CORE_BUS_H

#include "board.h"
#include "forms.h"
#include "csim/mpu/tsv_packet.h"

enum {
  TAGS = 255,    // of packets
  NO_TAG = 255,  // in packets that have none
  QUEUE = 256,   // flits of a queue at most
  BUS_CLIENTS = 8,
};

// What a packet is for: of interest to its client, and to those who look on.
typedef enum tag_kind {
  TAG_FREE,
  TAG_EXEC,
  TAG_CLEAR,  // of local memory: `reg` is the slot
  TAG_SYNC,   // `reg` is the slot
  TAG_MOVE_NEAR,
  TAG_MOVE_FAR,
  TAG_PACKET,   // of an access: nothing comes back, or only that it is done
  TAG_READ,     // RD
  TAG_LINE,     // LINE for the base die, and REGRD of what it loads; REGWR of what one stores
  TAG_ATOMIC,   // ATM with RET
  TAG_OPERAND,  // REGRD for the LSU
  TAG_WIDE,     // the same, of an atomic of 64 bits on shared memory: word `reg`
  TAG_REMOTE,   // of LSU-Remote
} tag_kind;

typedef struct tag {
  uint8_t kind;
  bool silent;     // not answered
  bool begun;      // its NBU has begun it
  uint8_t client;  // who gets the answer
  uint8_t reg;     // of moves: the register; of accesses: the word of the data; 4 and 5: of c
  uint8_t word;    // of a single word: which one, else 8
  uint8_t chunks;  // of RD
  uint8_t bytes;   // of a lane
  uint8_t writes;  // words of the instruction's result that it writes near, a bit each
  uint8_t shared;  // requests that its NBU makes of shared memory
  uint16_t entry;  // of LSU-Remote: which request
  uint8_t subcore;
  uint8_t words;    // of `effect`: words of each lane, a bit each
  uint16_t flight;  // its instruction's number, also when the base die has no more to do with that
  op *o;  // the instruction, NULL: none of this core; of a silent packet: only until it is sent
  uint32_t lanes;
  uint32_t effect;  // lanes of this core whose access takes effect when the packet begins
  uint32_t sent;    // its number among the packets to this NBU
} tag;

typedef struct bus_client {
  void *ctx;
  void (*answer)(void *ctx, uint32_t nbu, const tag *t, uint64_t head, const uint64_t *body);
  // A packet takes effect in memory, after all before it; NULL: of none that matters. For those who
  // look on.
  void (*begun)(void *ctx, uint32_t nbu, const tag *t);
  // Adds to an event what is known of a packet without an instruction; NULL: nothing.
  void (*tell)(const void *ctx, const tag *t, core_event *e);
} bus_client;

typedef struct nbu_port {  // what the base die has of an NBU's channel
  uint64_t flits[QUEUE];
  uint32_t head, count;
  uint32_t credits;
  uint8_t pushed;     // a packet was put into the queue in this cycle
  uint8_t down_left;  // flits still to go of the packet that goes down
  forms forms;
  uint32_t run;    // where the last RUN is, as head counts; looked at while run_n is not 0
  uint32_t run_n;  // its entries
  // what comes up
  uint64_t up_head, body[16];
  uint32_t up_got, up_len;
  bool up_open;
  uint32_t returned;  // credits to give in this cycle
  tag tags[TAGS + 1];
  uint8_t free_tags[TAGS];
  uint32_t n_free, n_sent;
  // who holds the NBU, so that packets of others wait: an access, or LSU-Remote
  const op *holder;
  bool remote_holds;
  bool claimed;  // LSU-Remote has waited for it or for room: it is next
  bool wanted;   // the core itself has waited for room: it is next
  bool served;   // the last packet was LSU-Remote's
} nbu_port;

typedef struct bus {
  base *base;
  board *board;
  bus_client clients[BUS_CLIENTS];
  uint32_t n_clients;
  // of a launch
  bool remote;                    // packets are LSU-Remote's
  uint32_t turn;                  // of the bus
  uint32_t down_heads, up_heads;  // places of the bus with the first flit of a packet, a bit each
  nbu_port port[SUBCORES];
} bus;

uint8_t bus_join(bus *u, bus_client c);  // its number, for tags
void bus_reset(bus *u);
// Takes what comes up, gives the answers, and arbitrates.
void bus_step(bus *u);
// No flit waits, here or there.
static inline bool bus_empty(const bus *u, uint32_t nbu) {
  return !u->port[nbu].count && u->port[nbu].credits == u->base->config.sizes.rx_depth;
}

// Packets that are not answered: their NBU executes them in the order in which they come, so nobody
// waits for them.
static inline bool bus_silent(uint64_t head) {
  const uint32_t kinds = 1u << TSV_DN_EXEC | 1u << TSV_DN_SHM | 1u << TSV_DN_LINE |
                         1u << TSV_DN_SECT | 1u << TSV_DN_REGWR;
  return kinds >> tsv_get(head, TSV_DN_ANY_KIND) & 1;
}

// The instruction of a packet that is under way, NULL: none of this core.
static inline const op *bus_op(const bus *u, const tag *t) {
  return t->o ? board_op(u->board, t->subcore, t->flight) : NULL;
}

// Room for a packet of n flits in this cycle, and a tag.
bool bus_room(bus *u, uint32_t nbu, uint32_t flits);
uint8_t bus_tag(bus *u, uint32_t nbu, tag t);
void bus_push(bus *u, uint32_t nbu, const uint64_t *flits, uint32_t n);
// REGWR and REGRD of the register at `place`, in these lanes; false when there is no room.
bool bus_write(bus *u, uint32_t nbu, uint32_t place, const uint32_t words[ISA_LANES],
               uint32_t lanes, tag t);
uint32_t bus_write_flits(const bus *u, const uint32_t words[ISA_LANES], uint32_t lanes);
bool bus_read(bus *u, uint32_t nbu, uint32_t place, uint32_t lanes, tag t);
// The lanes of the tag, from the REGD that answers it.
void bus_lanes(const tag *t, uint64_t head, const uint64_t *body, uint32_t words[ISA_LANES]);
unsigned bus_mtype(const isa_inst *i, unsigned bytes);  // as packets have them
unsigned bus_mop(const isa_inst *i);
// Of the bytes of a sector: 8-byte pieces with any; whether all bytes of these are there.
uint32_t bus_chunks(uint32_t mask);
bool bus_whole(uint32_t mask);
// RD, WR and ATM of a sector of an NBU; false when there is no room. `sector` as packets have it;
// mask: bytes that are wanted or written.
bool bus_sector_read(bus *u, uint32_t nbu, uint64_t sector, uint32_t mask, tag t);
bool bus_sector_write(bus *u, uint32_t nbu, uint64_t sector, const uint8_t data[32], uint32_t mask,
                      tag t);
bool bus_atomic(bus *u, uint32_t nbu, uint64_t sector, const isa_inst *i, uint32_t at, bool returns,
                uint32_t b, uint32_t cas, tag t);
// What the answer to RD holds, into its bytes of `data`.
void bus_sector(const tag *t, uint64_t head, const uint64_t *body, uint8_t data[32]);

#endif
