// SPDX-License-Identifier: Apache-2.0
// Packets of accesses, one a cycle.
#include <string.h>
#include "lsu_priv.h"

enum { INLINE_LANES = 22 };

// Near register of operand k, word w; *zero when there is none.
static uint64_t near_reg(const access *x, unsigned k, unsigned w, bool *zero) {
  const decoded *d = x->o->p->d;
  *zero = d->reg[k] < 0 || (k && x->o->zero >> (k - 1) & 1);
  return d->reg[k] < 0 ? 0 : near_place(x->o->w, (uint32_t)d->reg[k] + w);
}

// One that is not answered.
void lsu_push(lsu *u, uint32_t nbu, tag t, uint64_t *flits, uint32_t len) {
  flits[0] |= tsv_put(TSV_DN_ANY_LEN, len) | tsv_put(TSV_DN_ANY_TAG, bus_tag(u->bus, nbu, t));
  bus_push(u->bus, nbu, flits, 1 + len);
}

// ---- a line of the own NBU

// Words of local memory lie in a line when all lanes access the same one.
static bool is_line(const access *x, const piece *p) {
  const unsigned op = x->o->p->d->i.op;
  if (p->space != ISA_SPACE_LOCAL || x->line)
    return x->line;
  if (p->lanes != ~0u || p->bytes != 4 || !lsu_data_near(x) || (op != ISA_OP_LD && op != ISA_OP_ST))
    return false;
  for (uint32_t l = 1; l < ISA_LANES; l++)
    if (x->address[l] != x->address[0])
      return false;
  return true;
}

static bool send_line(lsu *u, access *x, const piece *p) {
  const isa_inst *i = &x->o->p->d->i;
  const bool store = i->op == ISA_OP_ST;
  const uint64_t at = lsu_lane(u, x, p->word, 0);
  bool zero;
  if (!bus_room(u->bus, lsu_subcore(x), 1))
    return false;
  const uint64_t reg = near_reg(x, store ? 2 : 0, p->word, &zero);
  uint64_t head = TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, bus_mtype(i, p->bytes)) |
                  tsv_put(TSV_DN_LINE_STORE, store) | tsv_put(TSV_DN_LINE_ZERO, store && zero) |
                  tsv_put(TSV_DN_LINE_REG, reg) |
                  tsv_put(TSV_DN_LINE_ADDR, base_sector(u->base, at, x->copies) << 5 | at % 32);
  lsu_push(u, lsu_subcore(x),
           lsu_writes(x, lsu_effect(lsu_tag(u, TAG_PACKET, x), p, x->left), p->word, p->bytes),
           &head, 0);
  base_touch(u->base, at);
  base_touch(u->base, at + ISA_LANES * p->bytes - 1);
  x->left = 0;
  x->lines = true;
  u->base->stats.sub[lsu_subcore(x)].lines++;
  return true;
}

// ---- a sector

uint32_t lsu_same_sector(const lsu *u, const access *x, const piece *p, uint64_t at) {
  uint32_t lanes = 0;
  for (uint32_t m = x->left; m; m &= m - 1)
    if (lsu_lane(u, x, p->word, (uint32_t)__builtin_ctz(m)) / 32 == at / 32)
      lanes |= m & -m;
  return lanes;
}

static bool send_sector(lsu *u, access *x, const piece *p, uint64_t at, uint32_t lanes) {
  const isa_inst *i = &x->o->p->d->i;
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  uint64_t flits[5] = {0};
  bool zero_b, zero_c, zero_d, list = false;
  uint32_t n = 0;
  for (uint32_t m = lanes; m; m &= m - 1, n++) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    const uint64_t offset = lsu_lane(u, x, p->word, l) % 32;
    list |= offset != (at + (uint64_t)(l - first) * p->bytes) % 32;
    flits[2 + n / 12] |= offset << 5 * (n % 12);
  }
  const uint32_t len = list ? 1 + (n + 11) / 12 : 1;
  if (!bus_room(u->bus, lsu_subcore(x), 1 + len))
    return false;
  const uint64_t d = near_reg(x, 0, p->word, &zero_d), b = near_reg(x, 2, p->word, &zero_b);
  const uint64_t cas = near_reg(x, 3, p->word, &zero_c);
  flits[0] = TSV_DN_SECT | tsv_put(TSV_DN_SECT_MTYPE, bus_mtype(i, p->bytes)) |
             tsv_put(TSV_DN_SECT_MOP, bus_mop(i)) | tsv_put(TSV_DN_SECT_RET, lsu_returns(x)) |
             tsv_put(TSV_DN_SECT_D, d) | tsv_put(TSV_DN_SECT_B, b) |
             tsv_put(TSV_DN_SECT_SECTOR, base_sector(u->base, at, x->copies));
  flits[1] = lanes | cas << 32 | (uint64_t)zero_b << 39 | (uint64_t)zero_c << 40 |
             (uint64_t)list << 41 | (list ? 0 : at % 32) << 42;
  lsu_push(u, lsu_subcore(x),
           lsu_writes(x, lsu_effect(lsu_tag(u, TAG_PACKET, x), p, lanes), p->word, p->bytes), flits,
           len);
  base_touch(u->base, at);
  if (u->base->arrays && bus_mop(i) >= TSV_MOP_ATOM)
    arrays_atomic(u->base->arrays, lsu_subcore(x), at, (p->bytes + 3u) / 4);
  x->left &= ~lanes;
  x->sectors = true;
  u->base->stats.sub[lsu_subcore(x)].sectors_own++;
  return true;
}

// Bytes of a sector that lanes access.
uint32_t lsu_bytes(const lsu *u, const access *x, const piece *p, uint32_t lanes) {
  uint32_t bytes = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint64_t offset = lsu_lane(u, x, p->word, (uint32_t)__builtin_ctz(m)) % 32;
    bytes |= (uint32_t)((1ull << p->bytes) - 1) << offset;
  }
  return bytes;
}

static bool send_read(lsu *u, access *x, const piece *p, uint64_t at, uint32_t lanes) {
  tag t = lsu_effect(lsu_tag(u, TAG_READ, x), p, lsu_wide_atomic(x) ? 0 : lanes);
  t.reg = p->word, t.bytes = p->bytes, t.lanes = lanes;
  if (!bus_sector_read(u->bus, base_nbu(u->base, at, x->copies),
                       base_sector(u->base, at, x->copies), lsu_bytes(u, x, p, lanes), t))
    return false;
  base_touch(u->base, at);
  x->answers++;
  x->left &= ~lanes;
  x->sectors = true;
  u->base->stats.sub[lsu_subcore(x)].sectors_other++;
  return true;
}

// ---- a line of the base die: LINE into a register of its NBU that no warp has, then REGRD of it;
// or REGWR, then LINE from it. Both are sent while the access holds the NBU, and executed in that
// order.

// Lanes that are still to be sent whose words are in the line of `at`, if the line whole takes
// fewer flits than its sectors; else none.
static uint32_t whole_line(const lsu *u, const access *x, const piece *p, uint64_t at) {
  enum { WHOLE = 2 + 1 + ISA_LANES / 2 };
  uint32_t lanes = 0, pieces = 0, flits = 0;
  for (uint32_t m = x->left; m; m &= m - 1) {
    const uint64_t lane = lsu_lane(u, x, p->word, (uint32_t)__builtin_ctz(m));
    if (lane / LINE_BYTES != at / LINE_BYTES)
      continue;
    lanes |= m & -m;
    for (uint32_t byte = 0; byte < p->bytes; byte += 8)
      pieces |= 1u << (lane + byte) % LINE_BYTES / 8;
  }
  for (uint32_t s = 0; s < 4; s++)
    if (pieces >> 4 * s & 15)
      flits += 2 + (uint32_t)__builtin_popcount(pieces >> 4 * s & 15);
  return flits > WHOLE ? lanes : 0;
}

// A register that no warp has, or -1; four in turn, so that lines do not wait for each other.
static int free_register(const lsu *u, uint32_t nbu) {
  const uint32_t pieces = u->base->config.near_rf_bytes / (ISA_LANES * 4 * LINE_REGS);
  const uint32_t free = ~u->board->sub[nbu].near_used & (uint32_t)((1ull << pieces) - 1);
  if (!free || u->base->config.dies == ISA_DIES_BASE)
    return -1;
  return (31 - __builtin_clz(free)) * LINE_REGS + u->line_turn[nbu] % LINE_REGS;
}

static void line_is_begun(lsu *u, access *x, uint32_t nbu, uint32_t lanes, uint32_t reg) {
  u->board->sub[nbu].near_used |= 1u << reg / LINE_REGS;
  u->line_turn[nbu]++;
  x->line_lanes = lanes, x->line_reg = (uint8_t)reg;
}

static void send_line_load(lsu *u, access *x, const piece *p, uint64_t at, uint32_t lanes,
                           uint32_t reg) {
  const uint32_t nbu = base_nbu(u->base, at, x->copies);
  uint64_t head =
      TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, TSV_MTYPE_U32) | tsv_put(TSV_DN_LINE_REG, reg) |
      tsv_put(TSV_DN_LINE_ADDR, base_sector(u->base, at / LINE_BYTES * LINE_BYTES, x->copies) << 5);
  if (!bus_room(u->bus, nbu, 1))
    return;
  lsu_push(u, nbu, lsu_effect(lsu_tag(u, TAG_LINE, x), p, lanes), &head, 0);
  base_touch(u->base, at);
  line_is_begun(u, x, nbu, lanes, reg);
  x->sectors = true;
  u->base->stats.sub[lsu_subcore(x)].sectors_other += 4;
}

// What is sent after the second packet finds the register read, so it is free for others.
static void line_is_sent(lsu *u, access *x, uint32_t nbu) {
  u->board->sub[nbu].near_used &= ~(1u << x->line_reg / LINE_REGS);
  x->left &= ~x->line_lanes;
  x->line_lanes = 0;
}

static void send_line_fetch(lsu *u, access *x, const piece *p, uint64_t at) {
  const uint32_t nbu = base_nbu(u->base, at, x->copies);
  uint64_t head =
      TSV_DN_REGRD | tsv_put(TSV_DN_REGRD_REG, x->line_reg) | tsv_put(TSV_DN_REGRD_MASK, ~0u);
  tag t = lsu_tag(u, TAG_LINE, x);
  t.reg = p->word, t.bytes = p->bytes, t.lanes = x->line_lanes;
  if (!bus_room(u->bus, nbu, 1))
    return;
  lsu_push(u, nbu, t, &head, 0);
  x->answers++;
  line_is_sent(u, x, nbu);
}

// Where lanes meet the highest wins.
void lsu_fill(const lsu *u, const access *x, const piece *p, uint32_t lanes, uint8_t sector[32]) {
  const uint32_t words = (p->bytes + 3u) / 4;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    uint32_t v[4];
    for (uint32_t w = 0; w < words; w++)
      v[w] = x->data[(p->word + w) & 3][l];
    memcpy(sector + lsu_lane(u, x, p->word, l) % 32, v, p->bytes);
  }
}

// Lanes that are still to be sent whose words are all of the line of `at`, and the line; else none.
static uint32_t filled_line(const lsu *u, const access *x, const piece *p, uint64_t at,
                            uint8_t line[LINE_BYTES]) {
  uint32_t lanes = 0;
  for (uint32_t s = 0; s < LINE_BYTES / 32; s++) {
    const uint32_t some = lsu_same_sector(u, x, p, at / LINE_BYTES * LINE_BYTES + 32 * s);
    if (lsu_bytes(u, x, p, some) != ~0u)
      return 0;
    lsu_fill(u, x, p, some, line + 32 * s);
    lanes |= some;
  }
  return lanes;
}

static void send_line_data(lsu *u, access *x, uint64_t at, const uint8_t line[LINE_BYTES],
                           uint32_t lanes, uint32_t reg) {
  const uint32_t nbu = base_nbu(u->base, at, x->copies);
  uint32_t words[ISA_LANES];
  memcpy(words, line, sizeof words);
  if (bus_write(u->bus, nbu, reg, words, ~0u, lsu_tag(u, TAG_LINE, x))) {
    line_is_begun(u, x, nbu, lanes, reg);
    return;
  }
  x->no_room = (uint8_t)bus_write_flits(u->bus, words, ~0u);
  x->no_room_left = x->left, x->no_room_piece = x->at_piece;
}

// What is next is a line of a store that had no room, and it has none now.
static bool line_has_no_room(const lsu *u, const access *x, uint32_t nbu) {
  return x->no_room_left == x->left && x->no_room_piece == x->at_piece &&
         free_register(u, nbu) >= 0 && !bus_room(u->bus, nbu, x->no_room);
}

static void send_line_store(lsu *u, access *x, const piece *p, uint64_t at) {
  const uint32_t nbu = base_nbu(u->base, at, x->copies);
  uint64_t head =
      TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, TSV_MTYPE_U32) | tsv_put(TSV_DN_LINE_STORE, 1) |
      tsv_put(TSV_DN_LINE_REG, x->line_reg) |
      tsv_put(TSV_DN_LINE_ADDR, base_sector(u->base, at / LINE_BYTES * LINE_BYTES, x->copies) << 5);
  if (!bus_room(u->bus, nbu, 1))
    return;
  lsu_push(u, nbu, lsu_effect(lsu_tag(u, TAG_LINE, x), p, x->line_lanes), &head, 0);
  x->o->w->lines |= (uint8_t)(1u << nbu);
  x->o->w->owed_access |= 1u << OP_LOCAL;
  base_touch(u->base, at);
  x->sectors = true;
  u->base->stats.sub[lsu_subcore(x)].sectors_other += 4;
  line_is_sent(u, x, nbu);
}

static bool send_write(lsu *u, access *x, const piece *p, uint64_t at, uint32_t lanes) {
  uint8_t sector[32] = {0};
  lsu_fill(u, x, p, lanes, sector);
  if (!bus_sector_write(u->bus, base_nbu(u->base, at, x->copies),
                        base_sector(u->base, at, x->copies), sector, lsu_bytes(u, x, p, lanes),
                        lsu_effect(lsu_tag(u, TAG_PACKET, x), p, lanes)))
    return false;
  base_touch(u->base, at);
  x->answers++;
  x->left &= ~lanes;
  x->sectors = true;
  u->base->stats.sub[lsu_subcore(x)].sectors_other++;
  return true;
}

// A load of the base die: the whole line, or a sector of it.
static void send_load(lsu *u, access *x, const piece *p, uint64_t at, uint32_t lanes) {
  const uint32_t line = whole_line(u, x, p, at);
  const int reg = line ? free_register(u, base_nbu(u->base, at, x->copies)) : -1;
  if (reg >= 0)
    send_line_load(u, x, p, at, line, (uint32_t)reg);
  else
    send_read(u, x, p, at, lanes);
}

static void send_store(lsu *u, access *x, const piece *p, uint64_t at, uint32_t lanes) {
  uint8_t line[LINE_BYTES];
  const int reg = free_register(u, base_nbu(u->base, at, x->copies));
  const uint32_t whole = reg < 0 ? 0 : filled_line(u, x, p, at, line);
  if (whole)
    send_line_data(u, x, at, line, whole, (uint32_t)reg);
  else
    send_write(u, x, p, at, lanes);
}

// ---- atomics of the base die

static bool send_atomic(lsu *u, access *x, const piece *p, uint64_t at, uint32_t lane) {
  tag t = lsu_effect(lsu_tag(u, lsu_returns(x) ? TAG_ATOMIC : TAG_PACKET, x), p, 1u << lane);
  t.lanes = 1u << lane;
  if (!bus_atomic(u->bus, base_nbu(u->base, at, x->copies), base_sector(u->base, at, x->copies),
                  &x->o->p->d->i, at % 32, lsu_returns(x), x->data[0][lane], x->data_c[0][lane], t))
    return false;
  if (u->base->arrays)
    arrays_atomic(u->base->arrays, base_nbu(u->base, at, x->copies), at, 1);
  x->answers++;
  x->left &= ~(1u << lane);
  u->base->stats.sub[lsu_subcore(x)].atomics_far++;
  return true;
}

// A lane of an atomic of 64 bits: read, then written, while the NBU is held.
static void step_wide(lsu *u, access *x, const piece *p) {
  const uint32_t lane = (uint32_t)__builtin_ctz(x->left), left = x->left;
  const uint64_t at = x->address[lane];
  if (x->step == 0) {
    if (send_read(u, x, p, at, 1u << lane))
      x->step = 1;
    x->left = left;
    return;
  }
  if (x->step == 1)
    return;
  uint8_t sector[32];
  const uint64_t now = lsu_wide_result(x, lane);
  memcpy(sector + at % 32, &now, 8);
  if (!bus_sector_write(u->bus, base_nbu(u->base, at, x->copies),
                        base_sector(u->base, at, x->copies), sector, 255u << at % 32,
                        lsu_effect(lsu_tag(u, TAG_PACKET, x), p, 1u << lane)))
    return;
  if (u->base->arrays)
    arrays_atomic(u->base->arrays, base_nbu(u->base, at, x->copies), at, 1);
  x->answers++;
  u->base->stats.sub[lsu_subcore(x)].atomics_far++;
  lsu_wide_next(x, lane);
}

// ---- shared memory

tag lsu_shared(lsu *u, const access *x, uint32_t lanes, uint32_t requests) {
  tag t = lsu_tag(u, TAG_PACKET, x);
  t.effect = lanes, t.shared = (uint8_t)requests;
  u->sub[lsu_subcore(x)].shared_count += requests;
  return t;
}

static bool send_shared(lsu *u, access *x, const piece *p) {
  const isa_inst *i = &x->o->p->d->i;
  uint32_t words[20] = {0}, n = 0, lanes = x->left;
  bool uniform = !p->in_place, inlined = false, zero_a = false, zero_b, zero_c, zero_d;
  if (!bus_room(u->bus, lsu_subcore(x), 1))
    return false;
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  uint64_t a = 0;
  uint32_t imm = 0;
  if (p->in_place) {
    a = near_reg(x, 1, 0, &zero_a);
    imm = i->imm;
  } else {
    for (uint32_t m = lanes; m; m &= m - 1)
      uniform &= x->address[__builtin_ctz(m)] == x->address[first];
    zero_a = uniform;
    imm = uniform ? (uint32_t)x->address[first] : 0;
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
      words[n + k / 2] |= (uint32_t)(x->address[__builtin_ctz(m)] & 0xffff) << 16 * (k % 2);
    n += (k + 1) / 2;
  }
  const uint32_t len = (n + 1) / 2;
  if (!bus_room(u->bus, lsu_subcore(x), 1 + len))
    return false;
  uint64_t flits[11] = {0};
  const uint64_t d = near_reg(x, 0, 0, &zero_d), b = near_reg(x, 2, 0, &zero_b);
  const uint64_t cas = near_reg(x, 3, 0, &zero_c);
  const uint64_t zero = (uint64_t)zero_a | (uint64_t)zero_b << 1 | (uint64_t)zero_c << 2;
  flits[0] = TSV_DN_SHM | tsv_put(TSV_DN_SHM_MTYPE, bus_mtype(i, p->bytes)) |
             tsv_put(TSV_DN_SHM_MOP, bus_mop(i)) | tsv_put(TSV_DN_SHM_RET, lsu_returns(x)) |
             tsv_put(TSV_DN_SHM_D, d) | tsv_put(TSV_DN_SHM_A, a) | tsv_put(TSV_DN_SHM_B, b) |
             tsv_put(TSV_DN_SHM_C, cas) | tsv_put(TSV_DN_SHM_WIN, x->o->w->block_slot) |
             tsv_put(TSV_DN_SHM_ZERO, zero) | tsv_put(TSV_DN_SHM_HAS_MASK, masked) |
             tsv_put(TSV_DN_SHM_HAS_IMM, imm && !inlined) | tsv_put(TSV_DN_SHM_INLINE, inlined);
  for (uint32_t k = 0; k < n; k++)
    flits[1 + k / 2] |= (uint64_t)words[k] << 32 * (k % 2);
  lsu_push(u, lsu_subcore(x),
           lsu_writes(x, lsu_shared(u, x, lanes, (p->bytes + 3u) / 4), 0, p->bytes), flits, len);
  x->left &= ~lanes;
  u->base->stats.sub[lsu_subcore(x)].shared++;
  return true;
}

static void send_piece(lsu *u, access *x, const piece *p) {
  const isa_inst *i = &x->o->p->d->i;
  if (p->remote) {
    lsu_release(u, x);  // others must be served while this waits for room
    copies_reads(u->copies, lsu_subcore(x), 0);
    x->left &= ~(lsu_by_line(u, x) ? lsu_line_load : lsu_remote_send)(u, x, p, x->left);
    return;
  }
  if (p->space == ISA_SPACE_SHARED) {
    if (u->base->shared_far)
      lsu_far_shared(u, x, p);
    else if (lsu_wide_atomic(x))
      lsu_wide_shared(u, x);
    else
      send_shared(u, x, p);
    return;
  }
  if (lsu_wide_atomic(x)) {
    step_wide(u, x, p);
    return;
  }
  if (is_line(x, p)) {
    send_line(u, x, p);
    return;
  }
  const uint32_t lane = (uint32_t)__builtin_ctz(x->left);
  const uint64_t at = lsu_lane(u, x, p->word, lane);
  const uint32_t nbu = base_nbu(u->base, at, x->copies);
  // it is asked again in each cycle: what goes into the packet waits until there is room for any
  if (!bus_room(u->bus, nbu, 1))
    return;
  if (x->line_lanes) {
    (i->op == ISA_OP_LD ? send_line_fetch : send_line_store)(u, x, p, at);
    return;
  }
  if (line_has_no_room(u, x, nbu))
    return;
  const uint32_t lanes = lsu_same_sector(u, x, p, at);
  if (nbu == lsu_subcore(x) && lsu_data_near(x))
    send_sector(u, x, p, at, lanes);
  else if (i->op == ISA_OP_LD)
    send_load(u, x, p, at, lanes);
  else if (i->op == ISA_OP_ST)
    send_store(u, x, p, at, lanes);
  else
    send_atomic(u, x, p, at, lane);
}

bool lsu_send(lsu *u, access *x) {
  if (x->at_piece < x->n_pieces && x->left)
    send_piece(u, x, &x->pieces[x->at_piece]);
  while (x->at_piece < x->n_pieces && !x->left)
    if (++x->at_piece < x->n_pieces)
      x->left = x->pieces[x->at_piece].lanes;
  return x->at_piece == x->n_pieces;
}
