// SPDX-License-Identifier: Apache-2.0
// Atomics of 64 bits on shared memory, which has only those of 32: a lane at a time, while no other
// access of shared memory is under way in the core. A near register of the instruction is where the
// words come to and go from: that of the result, else that of b, else that of c, which get their
// values back.
#include <string.h>
#include "lsu_priv.h"

enum { LOAD, LOADED, FETCH_LOW, FETCH_HIGH, FETCHED, PUT_LOW, PUT_HIGH, STORE, STORED };

// Operand whose register is used, or 4: there is none.
static unsigned spare(const access *x) {
  const decoded *d = x->o->p->d;
  for (unsigned k = 0; k < 4; k++)
    if (k != 1 && d->reg[k] >= 0 && d->words[k] == 2)
      return k;
  return 4;
}

uint32_t lsu_wide_restored(const access *x) {
  const unsigned k = spare(x);
  return k == 2 || k == 3 ? k : 0;
}

static bool send_shm(lsu *u, access *x, uint32_t lane, bool store, uint64_t reg, bool zero) {
  const uint32_t at = (uint32_t)x->address[lane];
  uint64_t flits[2] = {TSV_DN_SHM | tsv_put(TSV_DN_SHM_MTYPE, TSV_MTYPE_B64) |
                           tsv_put(TSV_DN_SHM_MOP, store ? TSV_MOP_ST : TSV_MOP_LD) |
                           tsv_put(store ? TSV_DN_SHM_B : TSV_DN_SHM_D, reg) |
                           tsv_put(TSV_DN_SHM_WIN, x->o->w->block_slot) |
                           tsv_put(TSV_DN_SHM_ZERO, zero ? 3 : 1) |
                           tsv_put(TSV_DN_SHM_HAS_MASK, 1) | tsv_put(TSV_DN_SHM_HAS_IMM, 1),
                       1u << lane | (uint64_t)at << 32};
  if (!bus_room(u->bus, lsu_subcore(x), 2))
    return false;
  lsu_push(u, lsu_subcore(x), lsu_shared(u, x, 1u << lane, 2), flits, 1);
  return true;
}

static bool send_fetch(lsu *u, access *x, uint32_t lane, uint32_t reg, uint8_t word) {
  tag t = lsu_tag(u, TAG_WIDE, x);
  t.reg = word;
  const bool sent = bus_read(u->bus, lsu_subcore(x), reg + word, 1u << lane, t);
  x->answers = (uint16_t)(x->answers + sent);
  return sent;
}

static bool send_put(lsu *u, access *x, uint32_t lane, uint32_t reg, uint32_t word) {
  uint32_t words[ISA_LANES];
  words[lane] = word;
  return bus_write(u->bus, lsu_subcore(x), reg, words, 1u << lane, lsu_tag(u, TAG_PACKET, x));
}

uint64_t lsu_wide_result(const access *x, uint32_t lane) {
  const uint64_t b = x->data[0][lane] | (uint64_t)x->data[1][lane] << 32;
  const uint64_t cas = x->data_c[0][lane] | (uint64_t)x->data_c[1][lane] << 32;
  return exec_atomic(&x->o->p->d->i, x->wide, b, cas);
}

void lsu_wide_next(access *x, uint32_t lane) {
  if (lsu_returns(x)) {
    x->data[0][lane] = (uint32_t)x->wide, x->data[1][lane] = (uint32_t)(x->wide >> 32);
    x->gathered |= 1u << lane;
  }
  x->left &= ~(1u << lane);
  x->step = 0;
}

static void no_register(lsu *u, const access *x, uint32_t lane) {
  if (u->base->result)
    return;
  trace_fault(u->base->l, x->o->w->b, x->o->w->w, x->o->pc, lane, MACHINE_FAULT_TRAP,
              "executed a 64-bit atomic on shared memory that names no register to compute in");
  u->base->result = CORE_FAULT;
}

// With no register: b is zero, and c, and there is no result. What would need one to compute in is
// a fault of the program: the compiler gives it a register.
static void without(lsu *u, access *x, uint32_t lane) {
  const isa_inst *i = &x->o->p->d->i;
  if (x->step == STORED) {
    if (!u->sub[lsu_subcore(x)].shared_count)
      lsu_wide_next(x, lane);
    return;
  }
  const bool zeroes = i->fn == ISA_ATOM_AND || i->fn == ISA_ATOM_EXCH ||
                      (i->fn == ISA_ATOM_MIN && i->type == ISA_TYPE_U64);
  const bool keeps = i->fn == ISA_ATOM_OR || i->fn == ISA_ATOM_XOR || i->fn == ISA_ATOM_CAS ||
                     (i->fn == ISA_ATOM_ADD && i->type == ISA_TYPE_U64) ||
                     (i->fn == ISA_ATOM_MAX && i->type == ISA_TYPE_U64);
  if (keeps)
    lsu_wide_next(x, lane);
  else if (!zeroes)
    no_register(u, x, lane);
  else if (send_shm(u, x, lane, true, 0, true))
    x->step = STORED;
}

void lsu_wide_shared(lsu *u, access *x) {
  const decoded *d = x->o->p->d;
  const uint32_t lane = (uint32_t)__builtin_ctz(x->left);
  const unsigned k = spare(x);
  if (k == 4) {
    without(u, x, lane);
    return;
  }
  const uint32_t reg = near_place(x->o->w, (uint32_t)d->reg[k]);
  uint64_t now;
  switch (x->step) {
    case LOAD:
      if (send_shm(u, x, lane, false, reg, false))
        x->step = LOADED;
      break;
    case LOADED:
      if (!x->answers)
        x->step = FETCH_LOW;
      break;
    case FETCH_LOW:
    case FETCH_HIGH:
      if (send_fetch(u, x, lane, reg, x->step == FETCH_HIGH))
        x->step++;
      break;
    case FETCHED:
      if (!x->answers)
        x->step = PUT_LOW;
      break;
    case PUT_LOW:
    case PUT_HIGH:
      now = lsu_wide_result(x, lane);
      if (now == x->wide)
        lsu_wide_next(x, lane);
      else if (x->step == PUT_LOW && send_put(u, x, lane, reg, (uint32_t)now))
        x->step = PUT_HIGH;
      else if (x->step == PUT_HIGH && send_put(u, x, lane, reg + 1, (uint32_t)(now >> 32)))
        x->step = STORE;
      break;
    case STORE:
      if (!x->answers && send_shm(u, x, lane, true, reg, false))
        x->step = STORED;
      break;
    default:  // others may come when it is done
      if (!u->sub[lsu_subcore(x)].shared_count)
        lsu_wide_next(x, lane);
  }
}
