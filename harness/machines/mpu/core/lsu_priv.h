// SPDX-License-Identifier: Apache-2.0
// Inside of the LSU.
//
// lsu.c         accesses: addresses, locks, what comes back
// lsu_send.c    packets
// lsu_wide.c    atomics of 64 bits on shared memory
// lsu_far.c     shared memory on the base die
// lsu_remote.c  requests to other cores
// lsu_copies.c  stores to arrays with copies
// lsu_line.c    weak loads of their memory, by the line
#ifndef NEARBANK_CORE_LSU_PRIV_H
#define NEARBANK_CORE_LSU_PRIV_H

#include "csim/isa/exec.h"
#include "lsu.h"

enum { LINE_BYTES = 128, LINE_REGS = MACHINE_REGS };

// ---- lsu.c
// The device address of a lane's access of global or local memory, of word `word` of it.
uint64_t lsu_local_lane(const lsu *u, const access *x, unsigned word, uint32_t lane);
static inline uint64_t lsu_lane(const lsu *u, const access *x, unsigned word, uint32_t lane) {
  return x->local >> lane & 1 ? lsu_local_lane(u, x, word, lane) : x->address[lane];
}
// A word of the data of an access for a lane, from memory, extended by the type of the access.
void lsu_loaded(access *x, uint32_t lane, unsigned word, const void *from, unsigned bytes);
// An atomic that has a result.
static inline bool lsu_returns(const access *x) {
  return x->o->p->d->i.op == ISA_OP_ATOM && x->o->p->d->reg[0] >= 0;
}
bool lsu_data_near(const access *x);
bool lsu_wide_atomic(const access *x);
void lsu_settle(lsu *u, access *x);
void lsu_answered(lsu *u, access *x);       // a packet of its own
void lsu_release(lsu *u, const access *x);  // the NBUs that it holds
static inline uint32_t lsu_subcore(const access *x) {
  return x->subcore;
}
static inline tag lsu_tag(const lsu *u, tag_kind kind, const access *x) {
  return (tag){.kind = (uint8_t)kind, .client = u->client, .o = x->o};
}

// Words of a lane, a bit each: `bytes` from word `word` on.
static inline uint8_t lsu_words(uint32_t word, uint32_t bytes) {
  return (uint8_t)(((1u << (bytes + 3) / 4) - 1) << word);
}
// The same, of a packet with which these lanes of a piece access memory of this core.
static inline tag lsu_effect(tag t, const piece *p, uint32_t lanes) {
  t.effect = lanes, t.words = lsu_words(p->word, p->bytes);
  return t;
}
// Of one that writes words of the result near: `bytes` of a lane from word `word` on.
static inline tag lsu_writes(const access *x, tag t, uint32_t word, uint32_t bytes) {
  t.writes = x->o->p->d->i.op == ISA_OP_LD || lsu_returns(x) ? lsu_words(word, bytes) : 0;
  return t;
}

// ---- lsu_send.c
// Sends a packet, if there is room; true when the last one is sent.
bool lsu_send(lsu *u, access *x);
// Of lanes of a piece: those still to be sent whose word is in the sector of `at`; the bytes of it
// that lanes access; what they store there.
uint32_t lsu_same_sector(const lsu *u, const access *x, const piece *p, uint64_t at);
uint32_t lsu_bytes(const lsu *u, const access *x, const piece *p, uint32_t lanes);
void lsu_fill(const lsu *u, const access *x, const piece *p, uint32_t lanes, uint8_t sector[32]);
// Puts a packet of an access into a queue; there is room.
void lsu_push(lsu *u, uint32_t nbu, tag t, uint64_t *flits, uint32_t len);
// Of a packet that makes so many requests of shared memory, for these lanes. It will be sent now.
tag lsu_shared(lsu *u, const access *x, uint32_t lanes, uint32_t requests);

// ---- lsu_wide.c
// Of an atomic of 64 bits: what a lane makes of the word that was read; the lane is done.
uint64_t lsu_wide_result(const access *x, uint32_t lane);
void lsu_wide_next(access *x, uint32_t lane);
// A step of one on shared memory; operand that gets its value back, or 0.
void lsu_wide_shared(lsu *u, access *x);
uint32_t lsu_wide_restored(const access *x);

// ---- lsu_far.c
bool lsu_far_new(lsu *u);
void lsu_far_reset(lsu *u);
void lsu_far_shared(lsu *u, access *x, const piece *p);  // a step of an access

// ---- lsu_remote.c
// Sends a request for some of the lanes `left` of an access, if there is room; returns these.
uint32_t lsu_remote_send(lsu *u, access *x, const piece *p, uint32_t left);
void lsu_remote_answer(void *ctx, const net_request *r);
void lsu_remote_done(void *ctx, const net_request *r);

// ---- lsu_copies.c
// No core reads the copies of what the access writes; false: to be asked again in the next cycle.
bool lsu_copies_end(lsu *u, const access *x);
// ---- lsu_line.c
bool lsu_line_new(lsu *u);
void lsu_line_delete(lsu *u);
void lsu_line_reset(lsu *u);
// Of an access that goes by the line.
static inline bool lsu_by_line(const lsu *u, const access *x) {
  const isa_inst *i = &x->o->p->d->i;
  return u->base->config.remote_lines && i->op == ISA_OP_LD && i->order == ISA_ORDER_WEAK;
}
// Looks for what some of the lanes `left` want; returns those that will get it.
uint32_t lsu_line_load(lsu *u, access *x, const piece *p, uint32_t left);
void lsu_line_answer(lsu *u, const net_request *r);
void lsu_line_done(lsu *u, uint32_t index);   // the same, when the request is free again
void lsu_line_drop(lsu *u, uint64_t sector);  // the sector at this address is not kept

#endif
