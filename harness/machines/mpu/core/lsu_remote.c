// SPDX-License-Identifier: Apache-2.0
// Lanes that access memory of other cores: requests, and what their answers bring.
#include "lsu_priv.h"

static uint64_t word_of(const uint32_t data[][ISA_LANES], unsigned bytes, uint32_t lane) {
  return data[0][lane] | (bytes == 8 ? (uint64_t)data[1][lane] << 32 : 0);
}

// Returns the lanes that there is room for.
static uint32_t fill_atomics(lsu *u, const access *x, remote_request *r, uint32_t lanes) {
  const isa_inst *i = &x->o->p->d->i;
  uint32_t taken = 0;
  r->op = i->op, r->type = i->type, r->fn = i->fn;
  r->returns = lsu_returns(x);
  for (uint32_t m = lanes; m && r->n < REMOTE_ATOMICS; m &= m - 1, r->n++) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    taken |= m & -m;
    r->at[r->n] = (uint8_t)(x->address[lane] % 32);
    r->b[r->n] = word_of((const uint32_t(*)[ISA_LANES])x->data, r->bytes, lane);
    r->c[r->n] = word_of((const uint32_t(*)[ISA_LANES])x->data_c, r->bytes, lane);
  }
  r->mask = lsu_bytes(u, x, &(piece){.bytes = r->bytes}, taken);
  return taken;
}

uint32_t lsu_remote_send(lsu *u, access *x, const piece *p, uint32_t left) {
  net_request *r = remote_next_request(u->remote);
  if (!r)
    return 0;
  const uint64_t at = x->address[__builtin_ctz(left)];
  const unsigned code = x->o->p->d->i.op;
  lsu_request *mine = &u->requests[r - u->remote->requests];
  remote_request *q = &r->sent;
  mine->of = x, mine->word = p->word;
  mine->lanes = lsu_same_sector(u, x, p, at);
  q->address = at / 32 * 32;
  q->pc = x->o->pc;
  q->kind = code == ISA_OP_LD ? REMOTE_READ : code == ISA_OP_ST ? REMOTE_WRITE : REMOTE_ATOMIC;
  q->bytes = p->bytes;
  if (q->kind == REMOTE_ATOMIC)
    mine->lanes = fill_atomics(u, x, q, mine->lanes);
  else
    q->mask = lsu_bytes(u, x, p, mine->lanes);
  if (q->kind == REMOTE_WRITE)
    lsu_fill(u, x, p, mine->lanes, q->data);
  x->answers++;
  u->base->stats.sub[lsu_subcore(x)].remote++;
  lsu_line_drop(u, q->address);
  remote_send(u->remote, r, x->o, mine->lanes);
  return mine->lanes;
}

void lsu_remote_answer(void *ctx, const net_request *r) {
  lsu *u = ctx;
  base *b = u->base;
  const lsu_request *mine = &u->requests[r->sent.index];
  const remote_request *q = &r->sent;
  access *x = mine->of;
  uint32_t k = 0;
  if (q->kind == REMOTE_LINE)
    lsu_line_answer(u, r);
  EMIT(b, emit_request(b, EVENT_REPLIED, r->o, r->to, mine->lanes, q, &r->answer,
                       remote_answer_size(q)));
  for (uint32_t m = mine->lanes; m && q->kind == REMOTE_READ; m &= m - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    lsu_loaded(x, lane, mine->word, r->answer.data + x->address[lane] % 32, q->bytes);
  }
  for (uint32_t m = mine->lanes; m && q->returns; m &= m - 1, k++) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    x->data[0][lane] = (uint32_t)r->answer.old[k];
    if (q->bytes == 8)
      x->data[1][lane] = (uint32_t)(r->answer.old[k] >> 32);
    x->gathered |= m & -m;
  }
}

void lsu_remote_done(void *ctx, const net_request *r) {
  lsu *u = ctx;
  if (r->sent.kind == REMOTE_DROP) {
    u->ask_left--;
    return;
  }
  lsu_answered(u, u->requests[r->sent.index].of);
  if (r->sent.kind == REMOTE_LINE)
    lsu_line_done(u, r->sent.index);
}
