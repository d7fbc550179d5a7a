// SPDX-License-Identifier: Apache-2.0
// Packets of accesses, one a cycle.
#include <string.h>
#include "lsu.h"

enum { INLINE_LANES = 22 };

static unsigned mtype_of(const isa_inst *i, unsigned bytes) {
  const bool atomic = i->op == ISA_OP_ATOM || i->op == ISA_OP_RED;
  if (bytes == 4 && atomic)
    return i->type == ISA_TYPE_F32   ? TSV_MTYPE_F32
           : i->type == ISA_TYPE_S32 ? TSV_MTYPE_S32
                                     : TSV_MTYPE_U32;
  switch (bytes) {
    case 1:
      return i->type == ISA_TYPE_S8 ? TSV_MTYPE_S8 : TSV_MTYPE_U8;
    case 2:
      return i->type == ISA_TYPE_S16 ? TSV_MTYPE_S16 : TSV_MTYPE_U16;
    case 4:
      return TSV_MTYPE_U32;
    case 8:
      return TSV_MTYPE_B64;
    default:
      return TSV_MTYPE_B128;
  }
}

static unsigned mop_of(const isa_inst *i) {
  return i->op == ISA_OP_LD ? TSV_MOP_LD : i->op == ISA_OP_ST ? TSV_MOP_ST : TSV_MOP_ATOM + i->fn;
}

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
static bool is_line(const op *o, const piece *p, uint32_t own) {
  const unsigned op = o->p->d->i.op;
  const uint64_t at = o->address[0];
  if (p->space != ISA_SPACE_LOCAL || o->line)
    return o->line;
  if (p->lanes != ~0u || p->bytes > 4 || !lsu_data_near(o) || lsu_nbu(at) != own ||
      (op != ISA_OP_LD && op != ISA_OP_ST) || at % 128 + ISA_LANES * p->bytes > 128)
    return false;
  for (uint32_t l = 1; l < ISA_LANES; l++)
    if (o->address[l] != at + l * p->bytes)
      return false;
  return true;
}

static bool send_line(core *c, subcore *s, op *o, const piece *p) {
  const isa_inst *i = &o->p->d->i;
  const bool store = i->op == ISA_OP_ST;
  const uint64_t at = o->address[0] + (uint64_t)p->word * 512;
  bool zero;
  if (!bus_room(c, s->index, 1))
    return false;
  const uint64_t reg = near_reg(o, store ? 2 : 0, p->word, &zero);
  uint64_t head = TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, mtype_of(i, p->bytes)) |
                  tsv_put(TSV_DN_LINE_STORE, store) | tsv_put(TSV_DN_LINE_ZERO, store && zero) |
                  tsv_put(TSV_DN_LINE_REG, reg) |
                  tsv_put(TSV_DN_LINE_ADDR, lsu_sector(at) << 5 | at % 32);
  lsu_push(c, s->index, o, (tag){.kind = TAG_PACKET}, &head, 0);
  o->left = 0;
  c->stats.sub[s->index].lines++;
  return true;
}

// ---- a sector

static uint64_t lane_address(const op *o, const piece *p, uint32_t lane) {
  return o->address[lane] + (uint64_t)p->word * 512;
}

static uint32_t lanes_of_sector(const op *o, const piece *p, uint64_t at) {
  uint32_t lanes = 0;
  for (uint32_t m = o->left; m; m &= m - 1)
    if (lane_address(o, p, (uint32_t)__builtin_ctz(m)) / 32 == at / 32)
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
    const uint64_t offset = lane_address(o, p, l) % 32;
    list |= offset != (at + (uint64_t)(l - first) * p->bytes) % 32;
    flits[2 + n / 12] |= offset << 5 * (n % 12);
  }
  const uint32_t len = list ? 1 + (n + 11) / 12 : 1;
  if (!bus_room(c, s->index, 1 + len))
    return false;
  const uint64_t d = near_reg(o, 0, p->word, &zero_d), b = near_reg(o, 2, p->word, &zero_b);
  const uint64_t cas = near_reg(o, 3, p->word, &zero_c);
  flits[0] = TSV_DN_SECT | tsv_put(TSV_DN_SECT_MTYPE, mtype_of(i, p->bytes)) |
             tsv_put(TSV_DN_SECT_MOP, mop_of(i)) | tsv_put(TSV_DN_SECT_RET, lsu_returns(o)) |
             tsv_put(TSV_DN_SECT_D, d) | tsv_put(TSV_DN_SECT_B, b) |
             tsv_put(TSV_DN_SECT_SECTOR, lsu_sector(at));
  flits[1] = lanes | cas << 32 | (uint64_t)zero_b << 39 | (uint64_t)zero_c << 40 |
             (uint64_t)list << 41 | (list ? 0 : at % 32) << 42;
  lsu_push(c, s->index, o, (tag){.kind = TAG_PACKET}, flits, len);
  o->left &= ~lanes;
  c->stats.sub[s->index].sectors_own++;
  return true;
}

static bool send_read(core *c, subcore *s, op *o, const piece *p, uint64_t at, uint32_t lanes) {
  const uint32_t nbu = lsu_nbu(at);
  uint32_t bytes = 0;
  if (!bus_room(c, nbu, 1))
    return false;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint64_t offset = lane_address(o, p, (uint32_t)__builtin_ctz(m)) % 32;
    bytes |= (uint32_t)((1ull << p->bytes) - 1) << offset;
  }
  uint32_t chunks = 0, word = (uint32_t)__builtin_ctz(bytes) / 4;
  const bool single = !(bytes & ~(15u << 4 * word));
  for (uint32_t k = 0; k < 4; k++)
    chunks |= (uint32_t)((bytes >> 8 * k & 255) != 0) << k;
  const tag t = {.kind = TAG_READ,
                 .reg = p->word,
                 .word = single ? (uint8_t)word : 8,
                 .chunks = (uint8_t)chunks,
                 .bytes = p->bytes,
                 .lanes = lanes};
  uint64_t head = TSV_DN_RD | tsv_put(TSV_DN_RD_CHUNKS, single ? 0 : chunks) |
                  tsv_put(TSV_DN_RD_SINGLE, single) | tsv_put(TSV_DN_RD_WORD, single ? word : 0) |
                  tsv_put(TSV_DN_RD_SECTOR, lsu_sector(at));
  lsu_push(c, nbu, o, t, &head, 0);
  o->left &= ~lanes;
  c->stats.sub[s->index].sectors_other++;
  return true;
}

// WR of the bytes in `mask` of a sector.
static bool send_bytes(core *c, uint32_t nbu, op *o, uint64_t at, const uint8_t sector[32],
                       uint32_t mask) {
  uint64_t flits[6] = {0};
  uint32_t len = 1, chunks = 0, word = (uint32_t)__builtin_ctz(mask) / 4;
  const bool single = !(mask & ~(15u << 4 * word));
  bool full = true;
  for (uint32_t k = 0; k < 4; k++) {
    chunks |= (uint32_t)((mask >> 8 * k & 255) != 0) << k;
    full &= (mask >> 8 * k & 255) == 0 || (mask >> 8 * k & 255) == 255;
  }
  if (single) {
    memcpy(&flits[1], sector + 4 * word, 4);
  } else {
    flits[1] = mask;
    len = full ? 0 : 1;
    for (uint32_t k = 0; k < 4; k++)
      if (chunks >> k & 1)
        memcpy(&flits[1 + len++], sector + 8 * k, 8);
  }
  if (!bus_room(c, nbu, 1 + len))
    return false;
  flits[0] = TSV_DN_WR | tsv_put(TSV_DN_WR_CHUNKS, single ? 0 : chunks) |
             tsv_put(TSV_DN_WR_SINGLE, single) | tsv_put(TSV_DN_WR_WORD, single ? word : 0) |
             tsv_put(TSV_DN_WR_BE, single ? mask >> 4 * word & 15 : 0) |
             tsv_put(TSV_DN_WR_FULL, !single && full) | tsv_put(TSV_DN_WR_SECTOR, lsu_sector(at));
  lsu_push(c, nbu, o, (tag){.kind = TAG_PACKET}, flits, len);
  return true;
}

static bool send_write(core *c, subcore *s, op *o, const piece *p, uint64_t at, uint32_t lanes) {
  uint8_t sector[32] = {0};
  uint32_t mask = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {  // where lanes meet the highest wins
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    const uint64_t offset = lane_address(o, p, l) % 32;
    uint32_t v[4];
    for (unsigned w = 0; w < 4; w++)
      v[w] = o->data[(p->word + w) & 3][l];
    memcpy(sector + offset, v, p->bytes);
    mask |= (uint32_t)((1ull << p->bytes) - 1) << offset;
  }
  if (!send_bytes(c, lsu_nbu(at), o, at, sector, mask))
    return false;
  o->left &= ~lanes;
  c->stats.sub[s->index].sectors_other++;
  return true;
}

// ---- atomics of the base die

static bool send_atomic(core *c, subcore *s, op *o, uint64_t at, uint32_t lane) {
  const isa_inst *i = &o->p->d->i;
  const uint32_t nbu = lsu_nbu(at);
  if (!bus_room(c, nbu, 2))
    return false;
  uint64_t flits[2] = {
      TSV_DN_ATM | tsv_put(TSV_DN_ATM_MTYPE, mtype_of(i, 4)) | tsv_put(TSV_DN_ATM_MOP, mop_of(i)) |
          tsv_put(TSV_DN_ATM_RET, lsu_returns(o)) | tsv_put(TSV_DN_ATM_WORD, at % 32 / 4) |
          tsv_put(TSV_DN_ATM_SECTOR, lsu_sector(at)),
      o->data[0][lane] | (uint64_t)o->data_c[0][lane] << 32};
  const tag t = {.kind = lsu_returns(o) ? TAG_ATOMIC : TAG_PACKET, .lanes = 1u << lane};
  lsu_push(c, nbu, o, t, flits, 1);
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
  if (!send_bytes(c, lsu_nbu(at), o, at, sector, 255u << at % 32))
    return;
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
  flits[0] = TSV_DN_SHM | tsv_put(TSV_DN_SHM_MTYPE, mtype_of(i, p->bytes)) |
             tsv_put(TSV_DN_SHM_MOP, mop_of(i)) | tsv_put(TSV_DN_SHM_RET, lsu_returns(o)) |
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
  if (is_line(o, p, s->index)) {
    send_line(c, s, o, p);
    return;
  }
  const uint32_t lane = (uint32_t)__builtin_ctz(o->left);
  const uint64_t at = lane_address(o, p, lane);
  const uint32_t lanes = lanes_of_sector(o, p, at);
  if (lsu_nbu(at) == s->index && lsu_data_near(o))
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
