// SPDX-License-Identifier: Apache-2.0
// Shared memory on the base die, for comparison: the block that lies on the DRAM die otherwise, one
// port a subcore, asked by the LSUs. An access has one request under way: a word a lane, or one
// lane of an atomic of 64 bits.
#include <stdlib.h>
#include <string.h>
#include "../../csim/smem.h"
#include "lsu.h"

enum { FREE, ASKS, WAITS };

typedef struct far_port {
  uint8_t state;
  op *o;
  uint32_t lanes;
  unsigned word;
  // wires of the block
  uint32_t *valid, *op, *is_signed, *f32, *mask, *addr, *be, *b, *c;
  const uint32_t *ready, *done, *words;
} far_port;

struct far_shared {
  smem smem;
  smem_in in;
  far_port port[SUBCORES];
  shared_meter meter;
  shared_counts counts[SUBCORES];
};

bool far_shared_new(core *c) {
  far_shared *f = c->far_shared = calloc(1, sizeof *f);
  if (!f)
    return false;
#define WIRES(k)                                              \
  f->port[k] = (far_port){.valid = &f->in.q##k##_valid,       \
                          .op = &f->in.q##k##_op,             \
                          .is_signed = &f->in.q##k##_sgn,     \
                          .f32 = &f->in.q##k##_f32,           \
                          .mask = &f->in.q##k##_mask,         \
                          .addr = f->in.q##k##_addr,          \
                          .be = f->in.q##k##_be,              \
                          .b = f->in.q##k##_b,                \
                          .c = f->in.q##k##_c,                \
                          .ready = &f->smem.out.q##k##_ready, \
                          .done = &f->smem.out.q##k##_rvalid, \
                          .words = f->smem.out.q##k##_rdata};
  WIRES(0)
  WIRES(1)
  WIRES(2)
  WIRES(3)
#undef WIRES
  smem_init(&f->smem);
  far_shared_reset(c);
  return true;
}

void far_shared_reset(core *c) {
  far_shared *f = c->far_shared;
  f->in.rst_n = 0;
  smem_clock(&f->smem, &f->in);
  f->in.rst_n = 1;
  f->meter = (shared_meter){0};
  for (uint32_t k = 0; k < SUBCORES; k++)
    f->port[k].state = FREE, *f->port[k].valid = 0;
}

const uint32_t *far_shared_words(const core *c) {
  return c->far_shared->smem.words;
}

const shared_counts *far_shared_counted(const core *c, uint32_t subcore) {
  return &c->far_shared->counts[subcore];
}

static uint32_t address(const core *c, const op *o, uint32_t lane, unsigned word) {
  return c->blocks[o->w->block_slot].shared_base + (uint32_t)o->address[lane] + 4 * word;
}

static void set_field(uint32_t *words, uint32_t bits, uint32_t n, uint32_t v) {
  const uint32_t at = n * bits;
  const uint64_t mask = ((1ull << bits) - 1) << at % 32, value = (uint64_t)v << at % 32;
  words[at / 32] = (words[at / 32] & ~(uint32_t)mask) | (uint32_t)value;
  if (mask >> 32)
    words[at / 32 + 1] = (words[at / 32 + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(value >> 32);
}

// A load (mop LD), a store or an atomic of word `word` of the lanes.
static void ask(core *c, subcore *s, op *o, unsigned mop, uint32_t lanes, unsigned word,
                unsigned bytes, const uint32_t b[ISA_LANES], const uint32_t cas[ISA_LANES]) {
  far_port *p = &c->far_shared->port[s->index];
  const isa_inst *i = &o->p->d->i;
  p->state = ASKS, p->o = o, p->lanes = lanes, p->word = word;
  c->stats.nbu[s->index].smem_words += core_lanes(lanes) * (mop >= TSV_MOP_ATOM ? 2 : 1);
  *p->op = mop, *p->mask = lanes;
  *p->is_signed = i->type == ISA_TYPE_S32, *p->f32 = i->type == ISA_TYPE_F32;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m), at = address(c, o, l, word);
    set_field(p->addr, 14, l, at / 4 % (SMEM_ROWS * SMEM_BANKS));
    set_field(p->be, 4, l, (bytes < 4 ? (1u << bytes) - 1 : 15) << at % 4 & 15);
    p->b[l] = b ? b[l] << 8 * (at % 4) : 0;
    p->c[l] = cas ? cas[l] : 0;
  }
  o->step++;
  o->answers++;
}

// Steps of a lane: load low, load high, store low, store high; at an even step nothing is asked.
static void wide_atomic(core *c, subcore *s, op *o, const piece *p) {
  const uint32_t lane = (uint32_t)__builtin_ctz(o->left), bit = 1u << lane;
  const unsigned word = o->step / 2 % 2;
  uint32_t b[ISA_LANES];
  if (o->step % 2)
    return;
  if (o->step < 4) {
    ask(c, s, o, TSV_MOP_LD, bit, word, p->bytes, NULL, NULL);
    return;
  }
  if (o->step < 8) {
    const uint64_t now = lsu_wide_result(o, lane);
    b[lane] = (uint32_t)(now >> 32 * word);
    ask(c, s, o, TSV_MOP_ST, bit, word, p->bytes, b, NULL);
    return;
  }
  lsu_wide_next(o, lane);
}

void lsu_far_shared(core *c, subcore *s, op *o, const piece *p) {
  const isa_inst *i = &o->p->d->i;
  if (lsu_wide_atomic(o)) {
    wide_atomic(c, s, o, p);
    return;
  }
  const unsigned word = o->step / 2, words = (p->bytes + 3u) / 4;
  if (o->step % 2)
    return;
  if (word == words)
    o->left = 0;
  else if (i->op == ISA_OP_LD)
    ask(c, s, o, TSV_MOP_LD, o->left, word, p->bytes, NULL, NULL);
  else if (i->op == ISA_OP_ST)
    ask(c, s, o, TSV_MOP_ST, o->left, word, p->bytes, o->data[word], NULL);
  else
    ask(c, s, o, TSV_MOP_ATOM + i->fn, o->left, 0, p->bytes, o->data[0], o->data_c[0]);
}

static void answered(core *c, subcore *s, far_port *p) {
  op *o = p->o;
  const piece *at = &o->pieces[o->at_piece];
  const unsigned bytes = at->bytes < 4 ? at->bytes : 4;
  p->state = FREE;
  o->answers--;
  o->step++;
  c->stats.sub[s->index].shared++;
  if (lsu_wide_atomic(o)) {
    const uint32_t word = p->words[__builtin_ctz(p->lanes)];
    if (o->step <= 4)
      o->wide = p->word ? (uint32_t)o->wide | (uint64_t)word << 32 : word;
    return;
  }
  if (c->gold)
    gold_performed(c, s, o, p->lanes);
  if (o->p->d->i.op != ISA_OP_LD && !lsu_returns(o))
    return;
  for (uint32_t m = p->lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    lsu_loaded(o, l, p->word, (const uint8_t *)&p->words[l] + o->address[l] % 4, bytes);
  }
}

// What an LSU asks in this cycle is there for the block after it, like the wires of the near side.
void far_shared_clock(core *c) {
  far_shared *f = c->far_shared;
  bool any = !smem_idle(&f->smem);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    far_port *p = &f->port[k];
    if (*p->done) {
      shared_meter_done(&f->meter, k, c->cycle - 1, &f->counts[k]);
      LOOK(c, look_shared(c, EVENT_SHARED_END, p->o, *p->op, p->lanes));
      answered(c, &c->sub[k], p);
    }
    *p->valid = p->state == ASKS;
    if (*p->valid && *p->ready) {
      p->state = WAITS;
      LOOK(c, look_shared(c, EVENT_SHARED, p->o, *p->op, p->lanes));
      f->meter.taken[k] = c->cycle;
    }
    any |= *p->valid;
  }
  if (any)
    smem_clock(&f->smem, &f->in);
}
