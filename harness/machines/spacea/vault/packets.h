// SPDX-License-Identifier: Apache-2.0
// Packets in a vault of SpaceA, and queues of them. A packet may be taken from the cycle `at` on.
#ifndef NEARBANK_SPACEA_PACKETS_H
#define NEARBANK_SPACEA_PACKETS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum packet_kind { PACKET_WANT, PACKET_LINE, PACKET_SUM, PACKET_START } packet_kind;

typedef struct packet {
  packet_kind kind;
  uint32_t what;   // WANT, LINE: key; SUM: row
  uint32_t vault;  // WANT, LINE: who wants it
  double body[4];  // LINE: elements of X; SUM: body[0]
  uint64_t at;
} packet;

static inline uint32_t packet_flits(const packet *p) {
  return p->kind == PACKET_LINE ? 5 : p->kind == PACKET_SUM ? 2 : 1;
}

enum { PACKETS = 16 };
typedef struct packets {
  uint32_t first, n;
  packet of[PACKETS];
} packets;

static inline bool packets_room(const packets *q) {
  return q->n < PACKETS;
}

static inline void packets_put(packets *q, packet p, uint64_t at) {
  assert(packets_room(q));
  p.at = at;
  q->of[(q->first + q->n++) % PACKETS] = p;
}

// NULL: there is none yet.
static inline const packet *packets_first(const packets *q, uint64_t cycle) {
  const packet *p = &q->of[q->first];
  return q->n && p->at <= cycle ? p : NULL;
}

static inline void packets_drop(packets *q) {
  q->first = (q->first + 1) % PACKETS, q->n--;
}

#endif
