// SPDX-License-Identifier: Apache-2.0
// What cores say to each other: an access of a sector of another core's memory, or a load of pieces
// of a line of it, and its answer.
//
// Values without pointers, of the same layout on every host, so that they can be copied byte by
// byte through any transport. How many bytes a packet has in the network is another matter
// (noc_packet.bytes; docs/machine.md, "Sizes"): here are also cycles, which are kept for those who
// look on, and room that a packet does not need.
#ifndef NEARBANK_REMOTE_PACKET_H
#define NEARBANK_REMOTE_PACKET_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { REMOTE_SECTOR = 32, REMOTE_LINE_BYTES = 128, REMOTE_ATOMICS = 16 };
typedef enum remote_kind {
  REMOTE_READ,
  REMOTE_WRITE,
  REMOTE_ATOMIC,
  REMOTE_LINE,
  REMOTE_DROP  // copies of arrays are to be read no more; answered when none is being read
} remote_kind;
extern const char *const remote_kinds[];  // their names

typedef struct remote_request {
  uint64_t address;  // of device memory: the sector's, or the line's
  uint64_t sent;     // cycle
  uint32_t from;     // core
  uint32_t mask;  // bytes of the sector that are wanted or written; of a line: pieces of 8 bytes;
                  // of a drop: which copies, a bit each
  uint32_t pc;    // of the instruction that asks: for the profile
  uint32_t zero;
  uint8_t kind;          // remote_kind
  uint8_t index;         // number among the requests of its core; the answer has it too
  uint8_t op, type, fn;  // atomics: of their instruction
  uint8_t returns;       // atomics: the old values are wanted
  uint8_t bytes;         // of a lane
  uint8_t n;             // atomics: how many lanes, in their order
  // writes: up to here with the data, reads and drops: without
  uint8_t data[REMOTE_SECTOR];
  uint8_t at[REMOTE_ATOMICS];  // atomics: byte of the sector
  uint64_t b[REMOTE_ATOMICS], c[REMOTE_ATOMICS];
} remote_request;

typedef struct remote_answer {
  uint64_t came, left;  // cycles: the request came, this left
  uint8_t index, zero[7];
  uint8_t data[REMOTE_LINE_BYTES];  // of a read
  uint64_t old[REMOTE_ATOMICS];     // of atomics
} remote_answer;

static_assert(sizeof(remote_request) == 344 && offsetof(remote_request, data) == 40 &&
                  offsetof(remote_request, at) == 72 && offsetof(remote_request, b) == 88,
              "no padding");
static_assert(sizeof(remote_answer) == 280 && offsetof(remote_answer, data) == 24 &&
                  offsetof(remote_answer, old) == 152,
              "no padding");

// The bytes that have a meaning; those behind them need not be copied.
static inline uint32_t remote_request_bytes(const remote_request *r) {
  return r->kind == REMOTE_WRITE    ? offsetof(remote_request, at)
         : r->kind == REMOTE_ATOMIC ? sizeof *r
                                    : offsetof(remote_request, data);
}
static inline uint32_t remote_answer_bytes(const remote_request *to) {
  return to->kind == REMOTE_READ   ? offsetof(remote_answer, data) + REMOTE_SECTOR
         : to->kind == REMOTE_LINE ? offsetof(remote_answer, old)
         : to->returns             ? sizeof(remote_answer)
                                   : offsetof(remote_answer, data);
}

#endif
