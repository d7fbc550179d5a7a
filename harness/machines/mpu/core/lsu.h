// SPDX-License-Identifier: Apache-2.0
// Load-store units: accesses in order, from their addresses to the last answer.
#ifndef NEARBANK_CORE_LSU_H
#define NEARBANK_CORE_LSU_H

#include "board.h"
#include "csim/base/prefetch.h"
#include "remote.h"
#include "remote_cache.h"

enum {
  LSU_QUEUE = 32,
  LSU_SHARED = 512,
  WAITERS = 256,     // lanes of loads that wait for requests of others
  CACHE_CYCLES = 4,  // from a look at the cache to its data
  HITS = 8,
};

// Lanes of an access that are handled alike: of one space, and one word where a lane's words lie
// apart.
typedef struct piece {
  uint8_t space;
  uint8_t word;   // of the data registers
  uint8_t bytes;  // a lane
  bool in_place;  // shared: the addresses are near
  bool remote;    // in memory of other cores
  uint32_t lanes;
} piece;

typedef enum lsu_phase {
  LSU_ADDRESS,  // waits for it
  LSU_COPIES,   // waits until no core reads the copies of what it writes
  LSU_DATA,     // fetches data of the near registers
  LSU_START,    // waits for its NBUs
  LSU_SEND,
  LSU_ANSWERS,  // all is sent
  LSU_WRITE,    // what was gathered goes to the near registers
} lsu_phase;

// What the LSU knows of an instruction under way.
typedef struct access {
  _Alignas(64) struct access *next;  // of those in LSU_WRITE
  op *o;
  uint32_t subcore;
  lsu_phase phase;
  bool address_here;
  uint64_t checked;     // the cycle in which the range check has its addresses
  bool has_shared;      // lanes that access shared memory
  bool line;            // goes as LINE; of its addresses only the first is filled
  bool lines, sectors;  // it sent some
  uint8_t n_pieces, at_piece;
  uint8_t fetched;      // registers of data that were asked for, or are written
  uint8_t written;      // operand whose register gets what was gathered: the result, or one to be
                        // restored
  uint8_t step;         // of an atomic of 64 bits: 0 to be read, 1 being read, 2 read
  uint16_t answers;     // packets without one
  uint32_t remote;      // lanes that access memory of other cores
  uint32_t local;       // lanes that access local memory: their addresses count from its beginning
  uint32_t left;        // lanes of the piece that have no packet yet
  uint32_t line_lanes;  // of a line of which REGRD, or the LINE of a store, is next: lanes
  uint8_t line_reg;     // where it lies
  // a REGWR of a line that found no room: its flits, and what was left then of which piece
  uint8_t no_room, no_room_piece;
  uint32_t no_room_left;
  uint32_t gathered;  // lanes whose data came to the base die
  uint32_t touches;   // NBUs
  uint32_t copies;    // that a load reads, a bit each
  uint32_t ends;      // copies of what a store or an atomic writes
  uint64_t wide;      // the word of an atomic of 64 bits
  // elsewhere, so that what is looked at often is small
  piece *pieces;
  uint64_t *address;              // a lane
  uint32_t (*data)[ISA_LANES];    // loaded; or operand b
  uint32_t (*data_c)[ISA_LANES];  // operand c
} access;

typedef struct payload {
  piece pieces[8];
  uint64_t address[ISA_LANES];
  uint32_t data[4][ISA_LANES], data_c[2][ISA_LANES];
} payload;

typedef struct lsu_sub {
  access *queue[LSU_QUEUE];
  uint32_t head, count;
  bool missed;  // its load of a line has found neither that nor room for a request
  access *write_head, *write_tail;  // accesses in LSU_WRITE
  uint32_t shared_count;            // requests of shared memory that were sent, and are not done
  // those that its NBU has begun, in this order: instructions, their lanes, and words of a lane
  uint32_t shared_head, shared_tail;
  uint16_t shared[LSU_SHARED];
  uint32_t shared_lanes[LSU_SHARED];
  uint8_t shared_words[LSU_SHARED];
  access of[OPS];  // by place of the instruction
} lsu_sub;

// Lanes of a load that wait for the answer to a request for a line of another one.
typedef struct lsu_waiter {
  struct lsu_waiter *next;
  access *of;
  uint32_t lanes;
  uint8_t word;
} lsu_waiter;

typedef struct lsu_request {  // to another core
  access *of;
  uint32_t lanes;
  uint8_t word;  // of its data
  // for a line
  uint16_t live;             // pieces that others may wait for and that will be kept
  uint64_t number;           // of the line
  lsu_waiter *first, **end;  // in the order in which they came
} lsu_request;

typedef struct lsu_hit {  // of the cache: what was found is there in cycle `ready`
  access *of;
  uint64_t ready;
} lsu_hit;

typedef struct far_shared far_shared;

typedef struct lsu {
  base *base;
  board *board;
  bus *bus;
  remote *remote;
  copies *copies;
  uint8_t client;
  far_shared *far_shared;  // shared memory of the base die, or NULL: there is none
  payload *payloads[SUBCORES];
  lsu_request *requests;  // by number
  remote_cache cache;
  lsu_waiter *waiters;
  // of a launch
  uint8_t line_turn[SUBCORES];  // of four registers for lines: the next one
  uint32_t ending;              // copies that the other cores are being asked to drop
  uint32_t ask_next, ask_left;  // the core that is asked next; requests without answer
  lsu_waiter *free_waiters;
  uint64_t looked;  // the cycle behind the one of the last look at the cache
  uint32_t n_lines;
  uint16_t lines[REMOTES];  // requests for lines that are not answered, the oldest first
  uint32_t hit_head, hit_count;
  lsu_hit hits[HITS];
  const access *alone;  // an access that must be alone in shared memory
  lsu_sub sub[SUBCORES];
} lsu;

bool lsu_new(lsu *u, base *b, board *d, bus *bus, remote *n, copies *c);  // false: no memory
void lsu_delete(lsu *u);
void lsu_reset(lsu *u);

// ---- from other parts
// Takes its place in the order of accesses; false: there is none.
bool lsu_take(lsu *u, op *o);
void lsu_address(lsu *u, op *o);  // its address has been read, or lies near
// A fence: what was loaded of other cores is not kept, nor is what is on its way.
void lsu_forget(lsu *u);

// ---- a cycle
void lsu_step(lsu *u, uint32_t subcore);
void lsu_shared_done(lsu *u, uint32_t nbus);  // shared memory ended a request of these
void lsu_line_hits(lsu *u);                   // what was found in the cache is there
void lsu_far_clock(lsu *u);                   // the end of a cycle, with shared memory here
static inline bool lsu_works(const lsu *u, uint32_t subcore) {
  return (u->sub[subcore].write_head != NULL) | (u->sub[subcore].count != 0);
}
bool lsu_waits(const lsu *u, uint32_t subcore);  // for answers, or for room in the network
// So many cycles in which it does: counts them in *to.
void lsu_waited(const lsu *u, uint32_t subcore, uint64_t cycles, subcore_stats *to);

// ---- shared memory, where it is on the base die
const uint32_t *lsu_far_words(const lsu *u);  // 16384
shared_counts lsu_far_counted(const lsu *u, uint32_t subcore);

// It will be wanted soon: the host's caches.
static inline void lsu_fetch(const lsu *u, const op *o) {
  const access *x = &u->sub[o->subcore].of[o->place];
  prefetch_now(x, sizeof *x);
  prefetch_now(x->pieces, sizeof *x->pieces);
  prefetch_now(x->address, ISA_LANES * sizeof *x->address);
}
static inline const access *lsu_access(const lsu *u, const op *o) {
  return &u->sub[o->subcore].of[o->place];
}

#endif
