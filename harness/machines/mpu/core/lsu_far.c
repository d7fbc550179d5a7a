// SPDX-License-Identifier: Apache-2.0
// Shared memory on the base die: the block that lies on the DRAM die otherwise, one
// port a subcore, asked by the LSUs. An access has one request under way: a word a lane, or one
// lane of an atomic of 64 bits.
#include <stdlib.h>
#include <string.h>
#include "csim/mpu/smem.h"
#include "lsu_priv.h"

enum { FREE, ASKS, WAITS };

typedef struct far_port {
  uint8_t state;
  access *x;
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

bool lsu_far_new(lsu *u) {
  far_shared *f = u->far_shared = calloc(1, sizeof *f);
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
  smem_init(&f->smem, NULL);
  lsu_far_reset(u);
  return true;
}

void lsu_far_reset(lsu *u) {
  far_shared *f = u->far_shared;
  f->in.rst_n = 0;
  smem_clock(&f->smem, &f->in);
  f->in.rst_n = 1;
  f->meter = (shared_meter){0};
  for (uint32_t k = 0; k < SUBCORES; k++)
    f->port[k].state = FREE, *f->port[k].valid = 0;
}

const uint32_t *lsu_far_words(const lsu *u) {
  return u->far_shared->smem.words;
}

shared_counts lsu_far_counted(const lsu *u, uint32_t subcore) {
  return u->far_shared ? u->far_shared->counts[subcore] : (shared_counts){0};
}

static uint32_t address(const access *x, uint32_t lane, unsigned word) {
  return x->o->w->shared_base + (uint32_t)x->address[lane] + 4 * word;
}

static void set_field(uint32_t *words, uint32_t bits, uint32_t n, uint32_t v) {
  const uint32_t at = n * bits;
  const uint64_t mask = ((1ull << bits) - 1) << at % 32, value = (uint64_t)v << at % 32;
  words[at / 32] = (words[at / 32] & ~(uint32_t)mask) | (uint32_t)value;
  if (mask >> 32)
    words[at / 32 + 1] = (words[at / 32 + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(value >> 32);
}

// A load (mop LD), a store or an atomic of word `word` of the lanes.
static void ask(lsu *u, access *x, unsigned mop, uint32_t lanes, unsigned word, unsigned bytes,
                const uint32_t b[ISA_LANES], const uint32_t cas[ISA_LANES]) {
  far_port *p = &u->far_shared->port[lsu_subcore(x)];
  const isa_inst *i = &x->o->p->d->i;
  p->state = ASKS, p->x = x, p->lanes = lanes, p->word = word;
  u->base->stats.nbu[lsu_subcore(x)].smem_words +=
      base_lanes(lanes) * (mop >= TSV_MOP_ATOM ? 2 : 1);
  *p->op = mop, *p->mask = lanes;
  *p->is_signed = i->type == ISA_TYPE_S32, *p->f32 = i->type == ISA_TYPE_F32;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m), at = address(x, l, word);
    set_field(p->addr, 14, l, at / 4 % (SMEM_ROWS * SMEM_BANKS));
    set_field(p->be, 4, l, (bytes < 4 ? (1u << bytes) - 1 : 15) << at % 4 & 15);
    p->b[l] = b ? b[l] << 8 * (at % 4) : 0;
    p->c[l] = cas ? cas[l] : 0;
  }
  x->step++;
  x->answers++;
}

// Steps of a lane: load low, load high, store low, store high; at an even step nothing is asked.
static void wide_atomic(lsu *u, access *x, const piece *p) {
  const uint32_t lane = (uint32_t)__builtin_ctz(x->left), bit = 1u << lane;
  const unsigned word = x->step / 2 % 2;
  uint32_t b[ISA_LANES];
  if (x->step % 2)
    return;
  if (x->step < 4) {
    ask(u, x, TSV_MOP_LD, bit, word, p->bytes, NULL, NULL);
    return;
  }
  if (x->step < 8) {
    const uint64_t now = lsu_wide_result(x, lane);
    b[lane] = (uint32_t)(now >> 32 * word);
    ask(u, x, TSV_MOP_ST, bit, word, p->bytes, b, NULL);
    return;
  }
  lsu_wide_next(x, lane);
}

void lsu_far_shared(lsu *u, access *x, const piece *p) {
  const isa_inst *i = &x->o->p->d->i;
  if (lsu_wide_atomic(x)) {
    wide_atomic(u, x, p);
    return;
  }
  const unsigned word = x->step / 2, words = (p->bytes + 3u) / 4;
  if (x->step % 2)
    return;
  if (word == words)
    x->left = 0;
  else if (i->op == ISA_OP_LD)
    ask(u, x, TSV_MOP_LD, x->left, word, p->bytes, NULL, NULL);
  else if (i->op == ISA_OP_ST)
    ask(u, x, TSV_MOP_ST, x->left, word, p->bytes, x->data[word], NULL);
  else
    ask(u, x, TSV_MOP_ATOM + i->fn, x->left, 0, p->bytes, x->data[0], x->data_c[0]);
}

static void answered(lsu *u, far_port *p) {
  access *x = p->x;
  const piece *at = &x->pieces[x->at_piece];
  const unsigned bytes = at->bytes < 4 ? at->bytes : 4;
  p->state = FREE;
  x->answers--;
  x->step++;
  u->base->stats.sub[lsu_subcore(x)].shared++;
  if (lsu_wide_atomic(x)) {
    const uint32_t word = p->words[__builtin_ctz(p->lanes)];
    if (x->step <= 4)
      x->wide = p->word ? (uint32_t)x->wide | (uint64_t)word << 32 : word;
    return;
  }
  EMIT(u->base, emit_access(u->base, x->o, p->lanes, 1u << p->word));
  if (x->o->p->d->i.op != ISA_OP_LD && !lsu_returns(x))
    return;
  for (uint32_t m = p->lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    lsu_loaded(x, l, p->word, (const uint8_t *)&p->words[l] + x->address[l] % 4, bytes);
  }
}

// What an LSU asks in this cycle is there for the block after it, like the wires of the near side.
void lsu_far_clock(lsu *u) {
  far_shared *f = u->far_shared;
  bool any = !smem_idle(&f->smem);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    far_port *p = &f->port[k];
    if (*p->done) {
      shared_meter_done(&f->meter, k, u->base->cycle - 1, &f->counts[k]);
      EMIT(u->base, emit_shared(u->base, EVENT_SHARED_END, p->x->o, *p->op, p->lanes));
      answered(u, p);
    }
    *p->valid = p->state == ASKS;
    if (*p->valid && *p->ready) {
      p->state = WAITS;
      EMIT(u->base, emit_shared(u->base, EVENT_SHARED, p->x->o, *p->op, p->lanes));
      shared_meter_taken(&f->meter, k, u->base->cycle);
    }
    any |= *p->valid;
  }
  if (any)
    smem_clock(&f->smem, &f->in);
}
