// SPDX-License-Identifier: Apache-2.0
// A pass looks at the lanes in their order; what it reads goes to rdata at the next edge.
#include "smem.h"

#include <stdlib.h>
#include <string.h>

#include "atomic.h"
#include "csim/isa/isa.h"
#include "csim/isa/scalar.h"

enum { OP_LOAD = 0, OP_STORE = 1, OP_ATOMIC = 4, SUM = 7 };

void smem_init(smem *s, const structure *sizes) {
  memset(s, 0, sizeof *s);
  s->mask = structure_or_default(sizes)->smem_rows * SMEM_BANKS - 1;
  s->last = SMEM_PORTS - 1;
  s->out.q0_ready = s->out.q1_ready = s->out.q2_ready = s->out.q3_ready = 1;
}

// Rules 4 to 6: the lanes that a pass serves. With `share`, lanes with one word go together.
static uint32_t serve(const smem *s, bool share) {
  uint16_t word[SMEM_BANKS];
  uint32_t banks = 0, served = 0;
  for (uint32_t left = s->pending; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const uint16_t addr = s->now.addr[lane];
    const unsigned bank = addr % SMEM_BANKS;
    if (!(banks >> bank & 1)) {
      banks |= 1u << bank;
      word[bank] = addr;
      served |= 1u << lane;
    } else if (share && word[bank] == addr)
      served |= 1u << lane;
  }
  return served;
}

static void read(smem *s, uint32_t lanes) {
  s->read_valid = true, s->read_first = s->first, s->read_lanes = lanes;
  s->first = false;
  for (; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    s->read_words[lane] = s->words[s->now.addr[lane]];
  }
}

// The bits of the bytes of a word that have their bit set.
static uint32_t bytes_of(uint32_t be) {
  const uint32_t each = (be & 1) | (be & 2) << 7 | (be & 4) << 14 | (be & 8) << 21;
  return each * 0xff;
}

// An edge of the request under way.
static void pass(smem *s) {
  const smem_request *q = &s->now;
  if (q->op == OP_STORE) {
    const uint32_t served = serve(s, false);
    for (uint32_t left = served; left; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      const uint32_t bytes = bytes_of(q->be[lane]);
      uint32_t *word = &s->words[q->addr[lane]];
      *word = (*word & ~bytes) | (q->b[lane] & bytes);
    }
    s->pending &= ~served;
  } else if (q->op < OP_ATOMIC) {
    const uint32_t served = serve(s, true);
    read(s, served);
    s->pending &= ~served;
  } else {
    const bool sum = q->op == OP_ATOMIC + ISA_ATOM_ADD && q->f32;
    if (s->edge == 0) {
      s->served = sum ? s->pending & -s->pending : serve(s, false);
      read(s, s->served);
      s->edge = 1;
      if (s->pending)
        return;
    } else if (s->edge < (sum ? SUM : 1)) {
      s->edge++;
      return;
    }
    for (uint32_t left = s->served; left; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      uint32_t *word = &s->words[q->addr[lane]];
      if (sum) {
        isa_inst i = isa_inst_new(ISA_OP_ADD, ISA_TYPE_F32);
        i.fn = ISA_RND_RN;
        *word = scalar_f32(&i, *word, q->b[lane], 0);
      } else
        *word = atomic_word(q->op - OP_ATOMIC, q->is_signed, *word, q->b[lane], q->c[lane]);
    }
    s->pending &= ~s->served;
    s->edge = 0;
  }
  if (!s->pending) {
    s->active = false;
    s->ended = 1u << s->port;
  }
}

// Narrow fields of a wide port, one a lane, from lane 0 on.
static void unpack(const uint32_t *port, unsigned bits, uint16_t lanes[SMEM_LANES]) {
  const uint32_t field = (1u << bits) - 1;
  uint64_t left = 0;
  unsigned have = 0;
  for (unsigned l = 0; l < SMEM_LANES; l++) {
    if (have < bits)
      left |= (uint64_t)*port++ << have, have += 32;
    lanes[l] = (uint16_t)(left & field);
    left >>= bits, have -= bits;
  }
}

static void take(smem *s, unsigned port, uint32_t op, uint32_t sgn, uint32_t f32, uint32_t mask,
                 const uint32_t *addr, const uint32_t *be, const uint32_t *b, const uint32_t *c) {
  smem_request *q = &s->slots[port];
  q->op = op, q->is_signed = sgn, q->f32 = f32, q->mask = mask;
  unpack(addr, 14, q->addr);
  for (unsigned l = 0; l < SMEM_LANES; l++)
    q->addr[l] = (uint16_t)(q->addr[l] & s->mask);
  if (op == OP_STORE)
    unpack(be, 4, q->be);
  if (op == OP_STORE || op >= OP_ATOMIC)
    memcpy(q->b, b, sizeof q->b);
  if (op == OP_ATOMIC + ISA_ATOM_CAS)
    memcpy(q->c, c, sizeof q->c);
  s->full |= 1u << port;
}

void smem_clock(smem *s, const smem_in *in) {
  smem_out *o = &s->out;
  if (!in->rst_n) {
    s->full = s->ended = 0;
    s->active = s->read_valid = false;
    s->last = SMEM_PORTS - 1;
    o->q0_rvalid = o->q1_rvalid = o->q2_rvalid = o->q3_rvalid = 0;
    o->q0_ready = o->q1_ready = o->q2_ready = o->q3_ready = 1;
    return;
  }
  if (s->read_valid) {  // rule 9
    s->read_valid = false;
    if (s->read_first && s->read_lanes != ~0u)
      memset(o->q0_rdata, 0, sizeof o->q0_rdata);
    if (s->read_lanes == ~0u)
      memcpy(o->q0_rdata, s->read_words, sizeof o->q0_rdata);
    else
      for (uint32_t left = s->read_lanes; left; left &= left - 1)
        o->q0_rdata[__builtin_ctz(left)] = s->read_words[__builtin_ctz(left)];
    memcpy(o->q1_rdata, o->q0_rdata, sizeof o->q1_rdata);
    memcpy(o->q2_rdata, o->q0_rdata, sizeof o->q2_rdata);
    memcpy(o->q3_rdata, o->q0_rdata, sizeof o->q3_rdata);
  }
  o->q0_rvalid = s->ended & 1, o->q1_rvalid = s->ended >> 1 & 1;
  o->q2_rvalid = s->ended >> 2 & 1, o->q3_rvalid = s->ended >> 3 & 1;
  s->ended = 0;

  const uint32_t full = s->full;
  if (s->active)
    pass(s);
  if (full && !s->active) {
    uint32_t next = s->last;
    do
      next = (next + 1) % SMEM_PORTS;
    while (!(full >> next & 1));
    s->now = s->slots[next];
    s->full &= ~(1u << next);
    s->active = s->first = true;
    s->edge = 0;
    s->port = s->last = next;
    s->pending = s->now.mask;
  }
#define TAKE(n)                                                                                 \
  if (in->q##n##_valid && o->q##n##_ready)                                                      \
    take(s, n, in->q##n##_op, in->q##n##_sgn, in->q##n##_f32, in->q##n##_mask, in->q##n##_addr, \
         in->q##n##_be, in->q##n##_b, in->q##n##_c);                                            \
  o->q##n##_ready = ~s->full >> n & 1;
  TAKE(0)
  TAKE(1)
  TAKE(2)
  TAKE(3)
#undef TAKE
}

void smem_step(smem *s, const smem_in *in, smem_out *out) {
  smem_clock(s, in);
  *out = s->out;
}

#define BLOCK smem
#include "csim/base/block_table.h"
#define BLOCK smem
#define BLOCK_INIT(block, sizes) smem_init(block, sizes)
#include "csim/base/block_twin.h"
