// SPDX-License-Identifier: Apache-2.0
// Which copies of arrays the core still reads (docs/placement.md, "Copies"): what drops one, and
// when all that was sent to the NBUs to read it has ended.
#ifndef NEARBANK_CORE_COPIES_H
#define NEARBANK_CORE_COPIES_H

#include "bus.h"

// Sets of copies have a bit each, as base.copies has.
typedef struct copies {
  base *base;
  bus *bus;
  uint8_t client;
  // of a launch
  uint32_t reading[SUBCORES];  // by an access that has begun and has packets to send
  uint32_t dropped;            // no new access reads them
  uint32_t asked;              // of these, for which SYNC asks the NBUs
  uint32_t to_ask;             // NBUs that it still has to be sent to, a bit each
  uint32_t answers;            // that are to come
} copies;

void copies_new(copies *c, base *b, bus *u);
void copies_reset(copies *c);

// An access of a subcore reads these; 0: all its packets that do are sent.
static inline void copies_reads(copies *c, uint32_t subcore, uint32_t of) {
  c->reading[subcore] = of;
}
// From now on no access begins to read these.
void copies_drop(copies *c, uint32_t of);
// Nor does one that had begun.
static inline bool copies_unread(const copies *c, uint32_t of) {
  return !(of & (c->base->copies | c->dropped | c->asked));
}

// ---- a cycle
void copies_step(copies *c);
static inline bool copies_works(const copies *c) {
  return c->dropped | c->asked;
}

#endif
