// SPDX-License-Identifier: Apache-2.0
// Shared by lsu.c, lsu_send.c, lsu_wide.c and lsu_far.c.
#ifndef NEARBANK_LSU_H
#define NEARBANK_LSU_H

#include "core_priv.h"

static inline uint32_t lsu_nbu(const core *c, uint64_t address) {
  return map_get(&c->place.map->nbu, address);
}
// Row, column and bank, as packets have them.
static inline uint64_t lsu_sector(const core *c, uint64_t address) {
  const address_map *m = c->place.map;
  return (uint64_t)map_get(&m->row, address) << 7 | map_get(&m->column, address) << 2 |
         (address >> 5 & 3);
}

// The device address of a lane's access of global or local memory, of word `word` of it.
uint64_t lsu_lane(const core *c, const op *o, unsigned word, uint32_t lane);
// A word of the data of an access for a lane, from memory, extended by the type of the access.
void lsu_loaded(op *o, uint32_t lane, unsigned word, const void *from, unsigned bytes);
// An atomic that has a result.
static inline bool lsu_returns(const op *o) {
  return o->p->d->i.op == ISA_OP_ATOM && o->p->d->reg[0] >= 0;
}
// Of an atomic of 64 bits: what a lane makes of the word that was read; the lane is done.
uint64_t lsu_wide_result(const op *o, uint32_t lane);
void lsu_wide_next(op *o, uint32_t lane);
// Of lanes of a piece: those still to be sent whose word is in the sector of `at`; the bytes of it
// that lanes access; what they store there.
uint32_t lsu_same_sector(const core *c, const op *o, const piece *p, uint64_t at);
uint32_t lsu_bytes(const core *c, const op *o, const piece *p, uint32_t lanes);
void lsu_fill(const core *c, const op *o, const piece *p, uint32_t lanes, uint8_t sector[32]);
bool lsu_data_near(const op *o);
bool lsu_wide_atomic(const op *o);
void lsu_settle(core *c, subcore *s, op *o);
void lsu_release(core *c, const op *o);  // the NBUs that it holds
// Puts a packet of an access into a queue; there is room.
void lsu_push(core *c, uint32_t nbu, op *o, tag t, uint64_t *flits, uint32_t len);
// It was one for shared memory, of these lanes and so many requests.
void lsu_shared_sent(core *c, subcore *s, op *o, uint32_t lanes, uint32_t requests);
// A step of an atomic of 64 bits on shared memory; operand that gets its value back, or 0.
void lsu_wide_shared(core *c, subcore *s, op *o);
uint32_t lsu_wide_restored(const op *o);
// A step of an access to shared memory on the base die.
void lsu_far_shared(core *c, subcore *s, op *o, const piece *p);
// Sends a packet, if there is room; true when the last one is sent.
bool lsu_send(core *c, subcore *s, op *o);

#endif
