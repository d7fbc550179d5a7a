// SPDX-License-Identifier: Apache-2.0
// Atomics of 64 bits on shared memory, which has only those of 32: a lane at a time, while no other
// access of shared memory is under way in the core. A near register of the instruction is where the
// words come to and go from: that of the result, else that of b, else that of c, which get their
// values back.
#include <string.h>
#include "lsu.h"

enum { LOAD, LOADED, FETCH_LOW, FETCH_HIGH, FETCHED, PUT_LOW, PUT_HIGH, STORE, STORED };

// Operand whose register is used, or 4: there is none.
static unsigned spare(const op *o) {
  const decoded *d = o->p->d;
  for (unsigned k = 0; k < 4; k++)
    if (k != 1 && d->reg[k] >= 0 && d->words[k] == 2)
      return k;
  return 4;
}

uint32_t lsu_wide_restored(const op *o) {
  const unsigned k = spare(o);
  return k == 2 || k == 3 ? k : 0;
}

static bool send_shm(core *c, subcore *s, op *o, uint32_t lane, bool store, uint64_t reg,
                     bool zero) {
  const uint32_t at = (uint32_t)o->address[lane];
  uint64_t flits[2] = {TSV_DN_SHM | tsv_put(TSV_DN_SHM_MTYPE, TSV_MTYPE_B64) |
                           tsv_put(TSV_DN_SHM_MOP, store ? TSV_MOP_ST : TSV_MOP_LD) |
                           tsv_put(store ? TSV_DN_SHM_B : TSV_DN_SHM_D, reg) |
                           tsv_put(TSV_DN_SHM_WIN, o->w->block_slot) |
                           tsv_put(TSV_DN_SHM_ZERO, zero ? 3 : 1) |
                           tsv_put(TSV_DN_SHM_HAS_MASK, 1) | tsv_put(TSV_DN_SHM_HAS_IMM, 1),
                       1u << lane | (uint64_t)at << 32};
  if (!bus_room(c, s->index, 2))
    return false;
  lsu_push(c, s->index, o, (tag){.kind = TAG_PACKET}, flits, 1);
  lsu_shared_sent(c, s, o, 1u << lane, 2);
  return true;
}

static bool send_fetch(core *c, subcore *s, op *o, uint32_t lane, uint32_t reg, uint8_t word) {
  const tag t = {.kind = TAG_WIDE, .o = o, .reg = word};
  const bool sent = bus_read(c, s->index, reg + word, 1u << lane, t);
  o->answers = (uint16_t)(o->answers + sent);
  return sent;
}

static bool send_put(core *c, subcore *s, op *o, uint32_t lane, uint32_t reg, uint32_t word) {
  uint32_t words[ISA_LANES];
  words[lane] = word;
  const bool sent =
      bus_write(c, s->index, reg, words, 1u << lane, (tag){.kind = TAG_PACKET, .o = o});
  o->answers = (uint16_t)(o->answers + sent);
  return sent;
}

uint64_t lsu_wide_result(const op *o, uint32_t lane) {
  const uint64_t b = o->data[0][lane] | (uint64_t)o->data[1][lane] << 32;
  const uint64_t cas = o->data_c[0][lane] | (uint64_t)o->data_c[1][lane] << 32;
  return exec_atomic(&o->p->d->i, o->wide, b, cas);
}

void lsu_wide_next(op *o, uint32_t lane) {
  if (lsu_returns(o)) {
    o->data[0][lane] = (uint32_t)o->wide, o->data[1][lane] = (uint32_t)(o->wide >> 32);
    o->gathered |= 1u << lane;
  }
  o->left &= ~(1u << lane);
  o->step = 0;
}

// With no register: b is zero, and c, and there is no result.
static void without(core *c, subcore *s, op *o, uint32_t lane) {
  const isa_inst *i = &o->p->d->i;
  if (o->step == STORED) {
    if (!o->answers)
      lsu_wide_next(o, lane);
    return;
  }
  const bool zeroes = i->fn == ISA_ATOM_AND || i->fn == ISA_ATOM_EXCH ||
                      (i->fn == ISA_ATOM_MIN && i->type == ISA_TYPE_U64);
  const bool keeps = i->fn == ISA_ATOM_OR || i->fn == ISA_ATOM_XOR || i->fn == ISA_ATOM_CAS ||
                     (i->fn == ISA_ATOM_ADD && i->type == ISA_TYPE_U64) ||
                     (i->fn == ISA_ATOM_MAX && i->type == ISA_TYPE_U64);
  if (keeps)
    lsu_wide_next(o, lane);
  else if (!zeroes)
    core_wrong(c, "this 64-bit atomic on shared memory has no register that the core could use");
  else if (send_shm(c, s, o, lane, true, 0, true))
    o->step = STORED;
}

void lsu_wide_shared(core *c, subcore *s, op *o) {
  const decoded *d = o->p->d;
  const uint32_t lane = (uint32_t)__builtin_ctz(o->left);
  const unsigned k = spare(o);
  if (k == 4) {
    without(c, s, o, lane);
    return;
  }
  const uint32_t reg = near_place(o->w, (uint32_t)d->reg[k]);
  uint64_t now;
  switch (o->step) {
    case LOAD:
      if (send_shm(c, s, o, lane, false, reg, false))
        o->step = LOADED;
      break;
    case LOADED:
      if (!o->answers)
        o->step = FETCH_LOW;
      break;
    case FETCH_LOW:
    case FETCH_HIGH:
      if (send_fetch(c, s, o, lane, reg, o->step == FETCH_HIGH))
        o->step++;
      break;
    case FETCHED:
      if (!o->answers)
        o->step = PUT_LOW;
      break;
    case PUT_LOW:
    case PUT_HIGH:
      now = lsu_wide_result(o, lane);
      if (now == o->wide)
        lsu_wide_next(o, lane);
      else if (o->step == PUT_LOW && send_put(c, s, o, lane, reg, (uint32_t)now))
        o->step = PUT_HIGH;
      else if (o->step == PUT_HIGH && send_put(c, s, o, lane, reg + 1, (uint32_t)(now >> 32)))
        o->step = STORE;
      break;
    case STORE:
      if (!o->answers && send_shm(c, s, o, lane, true, reg, false))
        o->step = STORED;
      break;
    default:
      if (!o->answers)
        lsu_wide_next(o, lane);
  }
}
