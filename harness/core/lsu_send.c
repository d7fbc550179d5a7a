// SPDX-License-Identifier: Apache-2.0
// Packets of accesses, one a cycle.
#include <string.h>
#include "lsu.h"

enum { INLINE_LANES = 22 };

// Near register of operand k, word w; *zero when there is none.
static uint64_t near_reg(const op *o, unsigned k, unsigned w, bool *zero) {
  const decoded *d = o->p->d;
  *zero = d->reg[k] < 0 || (k && o->zero >> (k - 1) & 1);
  return d->reg[k] < 0 ? 0 : near_place(o->w, (uint32_t)d->reg[k] + w);
}

void lsu_push(core *c, uint32_t nbu, op *o, tag t, uint64_t *flits, uint32_t len) {
  t.o = o;
  flits[0] |= tsv_put(TSV_DN_ANY_LEN, len) | tsv_put(TSV_DN_ANY_TAG, bus_tag(c, nbu, t));
  bus_push(c, nbu, flits, 1 + len);
  o->answers++;
}

// ---- a line of the own NBU

// Words of local memory lie in a line when all lanes access the same one.
static bool is_line(const op *o, const piece *p) {
  const unsigned op = o->p->d->i.op;
  if (p->space != ISA_SPACE_LOCAL || o->line)
    return o->line;
  if (p->lanes != ~0u || p->bytes != 4 || !lsu_data_near(o) || (op != ISA_OP_LD && op != ISA_OP_ST))
    return false;
  for (uint32_t l = 1; l < ISA_LANES; l++)
    if (o->address[l] != o->address[0])
      return false;
  return true;
}

static bool send_line(core *c, subcore *s, op *o, const piece *p) {
  const isa_inst *i = &o->p->d->i;
  const bool store = i->op == ISA_OP_ST;
  const uint64_t at = lsu_lane(c, o, p->word, 0);
  bool zero;
  if (!bus_room(c, s->index, 1))
    return false;
  const uint64_t reg = near_reg(o, store ? 2 : 0, p->word, &zero);
  uint64_t head = TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, bus_mtype(i, p->bytes)) |
                  tsv_put(TSV_DN_LINE_STORE, store) | tsv_put(TSV_DN_LINE_ZERO, store && zero) |
                  tsv_put(TSV_DN_LINE_REG, reg) |
                  tsv_put(TSV_DN_LINE_ADDR, lsu_sector(c, at) << 5 | at % 32);
  lsu_push(c, s->index, o, (tag){.kind = TAG_PACKET}, &head, 0);
  core_touch(c, at);
  core_touch(c, at + ISA_LANES * p->bytes - 1);
  o->left = 0;
  c->stats.sub[s->index].lines++;
  return true;
}

// ---- a sector

uint32_t lsu_same_sector(const core *c, const op *o, const piece *p, uint64_t at) {
  uint32_t lanes = 0;
  for (uint32_t m = o->left; m; m &= m - 1)
    if (lsu_lane(c, o, p->word, (uint32_t)__builtin_ctz(m)) / 32 == at / 32)
      lanes |= m & -m;
  return lanes;
}

static bool send_sector(core *c, subcore *s, op *o, const piece *p, uint64_t at, uint32_t lanes) {
  const isa_inst *i = &o->p->d->i;
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  uint64_t flits[5] = {0};
  bool zero_b, zero_c, zero_d, list = false;
  uint32_t n = 0;
  for (uint32_t m = lanes; m; m &= m - 1, n++) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    const uint64_t offset = lsu_lane(c, o, p->word, l) % 32;
    list |= offset != (at + (uint64_t)(l - first) * p->bytes) % 32;
    flits[2 + n / 12] |= offset << 5 * (n % 12);
  }
  const uint32_t len = list ? 1 + (n + 11) / 12 : 1;
  if (!bus_room(c, s->index, 1 + len))
    return false;
  const uint64_t d = near_reg(o, 0, p->word, &zero_d), b = near_reg(o, 2, p->word, &zero_b);
  const uint64_t cas = near_reg(o, 3, p->word, &zero_c);
  flits[0] = TSV_DN_SECT | tsv_put(TSV_DN_SECT_MTYPE, bus_mtype(i, p->bytes)) |
             tsv_put(TSV_DN_SECT_MOP, bus_mop(i)) | tsv_put(TSV_DN_SECT_RET, lsu_returns(o)) |
             tsv_put(TSV_DN_SECT_D, d) | tsv_put(TSV_DN_SECT_B, b) |
             tsv_put(TSV_DN_SECT_SECTOR, lsu_sector(c, at));
  flits[1] = lanes | cas << 32 | (uint64_t)zero_b << 39 | (uint64_t)zero_c << 40 |
             (uint64_t)list << 41 | (list ? 0 : at % 32) << 42;
  lsu_push(c, s->index, o, (tag){.kind = TAG_PACKET}, flits, len);
  core_touch(c, at);
  o->left &= ~lanes;
  c->stats.sub[s->index].sectors_own++;
  return true;
}

// Bytes of a sector that lanes access.
uint32_t lsu_bytes(const core *c, const op *o, const piece *p, uint32_t lanes) {
  uint32_t bytes = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint64_t offset = lsu_lane(c, o, p->word, (uint32_t)__builtin_ctz(m)) % 32;
    bytes |= (uint32_t)((1ull << p->bytes) - 1) << offset;
  }
  return bytes;
}

static bool send_read(core *c, subcore *s, op *o, const piece *p, uint64_t at, uint32_t lanes) {
  const tag t = {.kind = TAG_READ, .o = o, .reg = p->word, .bytes = p->bytes, .lanes = lanes};
  if (!bus_sector_read(c, lsu_nbu(c, at), lsu_sector(c, at), lsu_bytes(c, o, p, lanes), t))
    return false;
  core_touch(c, at);
  o->answers++;
  o->left &= ~lanes;
  c->stats.sub[s->index].sectors_other++;
  return true;
}

// Where lanes meet the highest wins.
void lsu_fill(const core *c, const op *o, const piece *p, uint32_t lanes, uint8_t sector[32]) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    uint32_t v[4];
    for (unsigned w = 0; w < 4; w++)
      v[w] = o->data[(p->word + w) & 3][l];
    memcpy(sector + lsu_lane(c, o, p->word, l) % 32, v, p->bytes);
  }
}

static bool send_write(core *c, subcore *s, op *o, const piece *p, uint64_t at, uint32_t lanes) {
  uint8_t sector[32] = {0};
  lsu_fill(c, o, p, lanes, sector);
  if (!bus_sector_write(c, lsu_nbu(c, at), lsu_sector(c, at), sector, lsu_bytes(c, o, p, lanes),
                        (tag){.kind = TAG_PACKET, .o = o}))
    return false;
  core_touch(c, at);
  o->answers++;
  o->left &= ~lanes;
  c->stats.sub[s->index].sectors_other++;
  return true;
}

// ---- atomics of the base die

static bool send_atomic(core *c, subcore *s, op *o, uint64_t at, uint32_t lane) {
  const tag t = {.kind = lsu_returns(o) ? TAG_ATOMIC : TAG_PACKET, .o = o, .lanes = 1u << lane};
  if (!bus_atomic(c, lsu_nbu(c, at), lsu_sector(c, at), &o->p->d->i, at % 32, lsu_returns(o),
                  o->data[0][lane], o->data_c[0][lane], t))
    return false;
  o->answers++;
  o->left &= ~(1u << lane);
  c->stats.sub[s->index].atomics_far++;
  return true;
}

// A lane of an atomic of 64 bits: read, then written, while the NBU is held.
static void step_wide(core *c, subcore *s, op *o, const piece *p) {
  const uint32_t lane = (uint32_t)__builtin_ctz(o->left), left = o->left;
  const uint64_t at = o->address[lane];
  if (o->step == 0) {
    if (send_read(c, s, o, p, at, 1u << lane))
      o->step = 1;
    o->left = left;
    return;
  }
  if (o->step == 1)
    return;
  uint8_t sector[32];
  const uint64_t now = lsu_wide_result(o, lane);
  memcpy(sector + at % 32, &now, 8);
  if (!bus_sector_write(c, lsu_nbu(c, at), lsu_sector(c, at), sector, 255u << at % 32,
                        (tag){.kind = TAG_PACKET, .o = o}))
    return;
  o->answers++;
  c->stats.sub[s->index].atomics_far++;
  lsu_wide_next(o, lane);
}

// ---- shared memory

void lsu_shared_sent(core *c, subcore *s, op *o, uint32_t lanes, uint32_t requests) {
  nbu_port *port = &c->port[s->index];
  for (uint32_t k = 0; k < requests; k++) {
    const uint32_t at = (port->shared_head + port->shared_count++) % (2 * TAGS);
    port->shared[at] = (uint8_t)(o - s->pool);
    port->shared_lanes[at] = lanes;
  }
  if (!o->shared)
    o->shared = true, o->w->accesses_shared++;
}

static bool send_shared(core *c, subcore *s, op *o, const piece *p) {
  const isa_inst *i = &o->p->d->i;
  uint32_t words[20] = {0}, n = 0, lanes = o->left;
  bool uniform = !p->in_place, inlined = false, zero_a = false, zero_b, zero_c, zero_d;
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  uint64_t a = 0;
  uint32_t imm = 0;
  if (p->in_place) {
    a = near_reg(o, 1, 0, &zero_a);
    imm = i->imm;
  } else {
    for (uint32_t m = lanes; m; m &= m - 1)
      uniform &= o->address[__builtin_ctz(m)] == o->address[first];
    zero_a = uniform;
    imm = uniform ? (uint32_t)o->address[first] : 0;
    inlined = !uniform;
    if (inlined)
      for (uint32_t left = lanes, k = (lanes = 0); left && k < INLINE_LANES; k++, left &= left - 1)
        lanes |= left & -left;
  }
  const bool masked = inlined || lanes != ~0u;
  if (masked)
    words[n++] = lanes;
  if (imm && !inlined)
    words[n++] = imm;
  if (inlined) {
    uint32_t k = 0;
    for (uint32_t m = lanes; m; m &= m - 1, k++)
      words[n + k / 2] |= (uint32_t)(o->address[__builtin_ctz(m)] & 0xffff) << 16 * (k % 2);
    n += (k + 1) / 2;
  }
  const uint32_t len = (n + 1) / 2;
  if (!bus_room(c, s->index, 1 + len))
    return false;
  uint64_t flits[11] = {0};
  const uint64_t d = near_reg(o, 0, 0, &zero_d), b = near_reg(o, 2, 0, &zero_b);
  const uint64_t cas = near_reg(o, 3, 0, &zero_c);
  const uint64_t zero = (uint64_t)zero_a | (uint64_t)zero_b << 1 | (uint64_t)zero_c << 2;
  flits[0] = TSV_DN_SHM | tsv_put(TSV_DN_SHM_MTYPE, bus_mtype(i, p->bytes)) |
             tsv_put(TSV_DN_SHM_MOP, bus_mop(i)) | tsv_put(TSV_DN_SHM_RET, lsu_returns(o)) |
             tsv_put(TSV_DN_SHM_D, d) | tsv_put(TSV_DN_SHM_A, a) | tsv_put(TSV_DN_SHM_B, b) |
             tsv_put(TSV_DN_SHM_C, cas) | tsv_put(TSV_DN_SHM_WIN, o->w->block_slot) |
             tsv_put(TSV_DN_SHM_ZERO, zero) | tsv_put(TSV_DN_SHM_HAS_MASK, masked) |
             tsv_put(TSV_DN_SHM_HAS_IMM, imm && !inlined) | tsv_put(TSV_DN_SHM_INLINE, inlined);
  for (uint32_t k = 0; k < n; k++)
    flits[1 + k / 2] |= (uint64_t)words[k] << 32 * (k % 2);
  lsu_push(c, s->index, o, (tag){.kind = TAG_PACKET}, flits, len);
  lsu_shared_sent(c, s, o, lanes, (p->bytes + 3u) / 4);
  o->left &= ~lanes;
  c->stats.sub[s->index].shared++;
  return true;
}

static void send_piece(core *c, subcore *s, op *o, const piece *p) {
  const isa_inst *i = &o->p->d->i;
  if (p->remote) {
    lsu_release(c, o);  // others must be served while this waits for room
    const uint32_t lanes = remote_send(c, o, p, o->left);
    o->left &= ~lanes;
    c->stats.sub[s->index].remote += lanes != 0;
    return;
  }
  if (p->space == ISA_SPACE_SHARED) {
    if (c->far_shared)
      lsu_far_shared(c, s, o, p);
    else if (lsu_wide_atomic(o))
      lsu_wide_shared(c, s, o);
    else
      send_shared(c, s, o, p);
    return;
  }
  if (lsu_wide_atomic(o)) {
    step_wide(c, s, o, p);
    return;
  }
  if (is_line(o, p)) {
    send_line(c, s, o, p);
    return;
  }
  const uint32_t lane = (uint32_t)__builtin_ctz(o->left);
  const uint64_t at = lsu_lane(c, o, p->word, lane);
  const uint32_t lanes = lsu_same_sector(c, o, p, at);
  if (lsu_nbu(c, at) == s->index && lsu_data_near(o))
    send_sector(c, s, o, p, at, lanes);
  else if (i->op == ISA_OP_LD)
    send_read(c, s, o, p, at, lanes);
  else if (i->op == ISA_OP_ST)
    send_write(c, s, o, p, at, lanes);
  else
    send_atomic(c, s, o, at, lane);
}

bool lsu_send(core *c, subcore *s, op *o) {
  if (o->at_piece < o->n_pieces && o->left)
    send_piece(c, s, o, &o->pieces[o->at_piece]);
  while (o->at_piece < o->n_pieces && !o->left)
    if (++o->at_piece < o->n_pieces)
      o->left = o->pieces[o->at_piece].lanes;
  return o->at_piece == o->n_pieces;
}
