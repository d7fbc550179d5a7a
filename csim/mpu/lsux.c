// SPDX-License-Identifier: Apache-2.0
#include "lsux.h"

#include <stdlib.h>
#include <string.h>
#include "csim/base/rare.h"

#include "atomic.h"
#include "csim/isa/isa.h"
#include "csim/isa/skew.h"
#include "tsv_packet.h"

#define BLOCK lsux
#include "csim/base/block_table.h"

enum {
  ALL = -1,
  BYTES = 4 * LSUX_SECTOR,  // of a sector
  ATOMIC_ID = 0x80,
  MERGE_EDGES = 4,
  INT_EDGES = 2,  // PICK, APPLY
  F32_EDGES = 7,  // and five edges of the fpu
};

void lsux_init(lsux *l, const structure *sizes) {
  const structure *s = structure_or_default(sizes);
  *l = (lsux){.entries = s->entries,
              .column_bits = (uint32_t)__builtin_ctz(s->cols),
              .skews = s->skew != 0};
  l->out.cmd_ready = l->out.opd_ready = 1;
}

// Bytes of a lane's access in a beat.
static uint32_t access_bytes(uint32_t mtype) {
  const uint32_t bytes = tsv_mtype_bytes(mtype);
  return bytes < 4 ? bytes : 4;
}

static uint32_t all_bytes(uint32_t n) {
  return n == 4 ? ~0u : (1u << 8 * n) - 1;
}

static uint32_t extend(uint32_t word, uint32_t byte, uint32_t mtype) {
  const uint32_t x = word >> 8 * (byte & 3);
  switch (mtype) {
    case TSV_MTYPE_U8:
      return x & 0xff;
    case TSV_MTYPE_S8:
      return (uint32_t)(int32_t)(int8_t)x;
    case TSV_MTYPE_U16:
      return x & 0xffff;
    case TSV_MTYPE_S16:
      return (uint32_t)(int32_t)(int16_t)x;
    default:
      return x;
  }
}

// A lane's bytes into a sector and the mask of its bytes.
static void place_bytes(uint32_t *wdata, uint32_t *wmask, uint32_t byte, uint32_t value,
                        uint32_t bytes) {
  const uint32_t shift = 8 * (byte & 3), cover = all_bytes(bytes) << shift;
  uint32_t *word = &wdata[byte / 4];
  *word = (*word & ~cover) | (value << shift & cover);
  *wmask |= ((1u << bytes) - 1) << byte;
}

static uint32_t f32_add(uint32_t a, uint32_t b) {
  float x, y;
  memcpy(&x, &a, 4);
  memcpy(&y, &b, 4);
  x += y;
  uint32_t r;
  memcpy(&r, &x, 4);
  return x != x ? 0x7fffffff : r;
}

static uint32_t atomic(uint32_t op, bool f32, bool is_signed, uint32_t old, uint32_t b,
                       uint32_t c) {
  return f32 && op == ISA_ATOM_ADD ? f32_add(old, b) : atomic_word(op, is_signed, old, b, c);
}

// ---- the way out

static void set_done(lsux *l, uint32_t tag) {
  l->out.done_valid = 1;
  l->out.done_tag = tag;
}

static void set_up(lsux *l, uint64_t head, uint32_t tag, uint32_t len) {
  head |= tsv_put(TSV_UP_ANY_TAG, tag) | tsv_put(TSV_UP_ANY_LEN, len);
  l->out.up_valid = 1;
  l->out.up_head[0] = (uint32_t)head;
  l->out.up_head[1] = (uint32_t)(head >> 32);
  l->out.up_len = len;
}

static void copy_lanes(uint32_t *to, const uint32_t *from, uint32_t mask) {
  if (mask == ~0u)
    memcpy(to, from, LSUX_LANES * sizeof *to);
  else
    for (; mask; mask &= mask - 1)
      to[__builtin_ctz(mask)] = from[__builtin_ctz(mask)];
}

static void retire_reg(lsux *l, const lsux_entry *e) {
  l->out.w_valid = 1;
  l->out.w_reg = e->reg;
  l->out.w_mask = e->mask;
  copy_lanes(l->out.w_data, e->data, e->mask);
  l->w_last = e->last;
  l->w_tag = e->tag;
}

static void retire_data(lsux *l, const lsux_entry *e) {
  uint32_t n = 0;
  memset(l->out.up_body, 0, sizeof l->out.up_body);
  for (uint32_t left = e->chunks; left; left &= left - 1, n++)
    memcpy(&l->out.up_body[2 * n], &e->data[2 * __builtin_ctz(left)], 8);
  set_up(l, tsv_put(TSV_UP_ANY_KIND, TSV_UP_DATA) | tsv_put(TSV_UP_DATA_CHUNKS, e->chunks), e->tag,
         n);
}

static void retire_fault(lsux *l, const lsux_entry *e) {
  set_up(l,
         tsv_put(TSV_UP_ANY_KIND, TSV_UP_FAULT) | tsv_put(TSV_UP_FAULT_LANE, e->lane) |
             tsv_put(TSV_UP_FAULT_ALIGN, e->align) | tsv_put(TSV_UP_FAULT_ADDR, e->word),
         e->tag, 0);
}

// The oldest entry and what is on the outputs, as they were before the edge.
static void retire(lsux *l, const lsux_in *in) {
  lsux_out *out = &l->out;
  const bool write_free = !(out->w_valid | l->waits);
  out->done_valid &= !in->done_ready;
  out->up_valid &= !in->up_ready;
  const bool done_free = !out->done_valid, up_free = !out->up_valid;
  if (out->w_valid & in->w_done) {
    out->w_valid = 0;
    l->waits = l->w_last;
  }
  if (l->waits & done_free) {
    l->waits = false;
    set_done(l, l->w_tag);
  }
  const lsux_entry *e = &l->table[l->oldest];
  if (!l->used || e->missing)
    return;
  switch (e->type) {
    case LSUX_REG:
      if (!write_free)
        return;
      retire_reg(l, e);
      break;
    case LSUX_NONE:
      if (!write_free || (e->last && !done_free))
        return;
      if (e->last)
        set_done(l, e->tag);
      break;
    case LSUX_DATA:
      if (!up_free)
        return;
      retire_data(l, e);
      break;
    case LSUX_WORD:
      if (!up_free)
        return;
      set_up(l, tsv_put(TSV_UP_ANY_KIND, TSV_UP_WORD) | tsv_put(TSV_UP_WORD_DATA, e->word), e->tag,
             0);
      break;
    case LSUX_FAULT:
      if (e->last && !up_free)
        return;
      if (e->last)
        retire_fault(l, e);
      break;
  }
  l->oldest = (l->oldest + 1) & (l->entries - 1);
  l->used--;
}

// ---- answers of the banks

static void answer(lsux *l, const lsux_in *in) {
  lsux_entry *e = &l->table[in->rsp_id / LSUX_BANKS & (l->entries - 1)];
  const uint32_t sector = in->rsp_id % LSUX_BANKS;
  e->missing--;
  if (e->type == LSUX_DATA) {
    memcpy(e->data, in->rsp_data, sizeof in->rsp_data);
  } else if (e->type == LSUX_WORD) {
    e->word = in->rsp_data[e->word];
  } else if (e->lined_up) {
    memcpy(&e->data[LSUX_SECTOR * sector], in->rsp_data, sizeof in->rsp_data);
  } else {
    for (uint32_t left = e->mask; left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left), place = e->place[lane];
      if (place / BYTES == sector)
        e->data[lane] = extend(in->rsp_data[place % BYTES / 4], place, e->mtype);
    }
  }
}

// ---- B

static void request(lsux *l, uint32_t bank, bool we, uint32_t id) {
  l->out.req_valid = 1;
  l->out.req_bank = bank;
  l->out.req_row = l->b.row;
  l->out.req_col = l->b.col;
  l->out.req_we = we;
  l->out.req_id = id;
  if (we) {
    memcpy(l->out.req_wdata, l->b.wdata[bank], sizeof l->out.req_wdata);
    l->out.req_wmask = l->b.wmask[bank];
  }
}

static void b_issue(lsux *l) {
  const uint32_t bank = (uint32_t)__builtin_ctz(l->b.sectors);
  request(l, bank, l->b.we, LSUX_BANKS * l->b.entry + bank);
  l->b.sectors &= l->b.sectors - 1;
  if (!l->b.sectors) {
    l->b.state = LSUX_B_FREE;
    if (l->b.we)
      l->table[l->b.entry].missing--;
  } else if (l->b.merged) {
    l->b.state = LSUX_B_MERGE;
    l->b.edges = MERGE_EDGES;
  }
}

// All lanes' operations on the sector that was read.
static void b_apply(lsux *l, const lsux_in *in) {
  lsux_entry *e = &l->table[l->b.entry];
  const uint32_t bank = (uint32_t)__builtin_ctz(l->b.sectors);
  uint32_t *sector = l->b.wdata[bank];
  memcpy(sector, in->rsp_data, sizeof l->b.wdata[bank]);
  l->b.wmask[bank] = 0;
  for (uint32_t left = l->b.mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left), word = e->place[lane] % BYTES / 4;
    const uint32_t old = sector[word];
    sector[word] = atomic(l->b.op, l->b.f32, l->b.is_signed, old, l->b.b[lane], l->b.c[lane]);
    l->b.wmask[bank] |= 15u << 4 * word;
    e->data[lane] = e->word = old;
  }
  l->b.edges = (uint32_t)__builtin_popcount(l->b.mask) *
               (l->b.f32 && l->b.op == ISA_ATOM_ADD ? F32_EDGES : INT_EDGES);
}

static void b_clock(lsux *l, const lsux_in *in) {
  l->out.req_valid &= !in->req_ready;
  const bool room = !l->out.req_valid;
  switch (l->b.state) {
    case LSUX_B_FREE:
      break;
    case LSUX_B_ISSUE:
      if (room)
        b_issue(l);
      break;
    case LSUX_B_MERGE:
      if (!--l->b.edges)
        l->b.state = LSUX_B_ISSUE;
      break;
    case LSUX_B_READ:
      if (room) {
        request(l, (uint32_t)__builtin_ctz(l->b.sectors), false, ATOMIC_ID);
        l->b.state = LSUX_B_WAIT;
      }
      break;
    case LSUX_B_WAIT:
      if (in->rsp_valid && in->rsp_id == ATOMIC_ID) {
        b_apply(l, in);
        l->b.state = l->b.edges ? LSUX_B_APPLY : LSUX_B_WRITE;
      }
      break;
    case LSUX_B_APPLY:
      if (!--l->b.edges)
        l->b.state = LSUX_B_WRITE;
      break;
    case LSUX_B_WRITE:
      if (room)
        b_issue(l);
      break;
  }
}

// ---- S

// Narrow fields of all lanes in a wide port.
static void pack_all(uint32_t *port, const uint32_t *lanes, uint32_t bits) {
  uint64_t word = 0;
  uint32_t have = 0;
  for (uint32_t lane = 0; lane < LSUX_LANES; lane++) {
    word |= (uint64_t)lanes[lane] << have;
    have += bits;
    if (have < 32)
      continue;
    *port++ = (uint32_t)word;
    word >>= 32, have -= 32;
  }
}

// Those of some lanes: the others stay.
static void pack(uint32_t *port, const uint32_t *lanes, uint32_t bits, uint32_t mask) {
  if (mask == ~0u) {
    pack_all(port, lanes, bits);
    return;
  }
  const uint32_t field = (1u << bits) - 1;
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(mask), at = lane * bits, shift = at % 32;
    uint32_t *word = &port[at / 32];
    *word = (*word & ~(field << shift)) | lanes[lane] << shift;
    if (shift + bits > 32)
      word[1] = (word[1] & ~(field >> (32 - shift))) | lanes[lane] >> (32 - shift);
  }
}

static void s_ask(lsux *l) {
  lsux_out *out = &l->out;
  lsux_entry *e = &l->table[l->s.entry];
  const uint32_t bytes = access_bytes(l->s.mtype), mask = l->s.mask;
  uint32_t field[LSUX_LANES];
  out->sm_valid = 1;
  out->sm_op = l->s.op;
  out->sm_sgn = l->s.mtype == TSV_MTYPE_S32;
  out->sm_f32 = l->s.mtype == TSV_MTYPE_F32;
  out->sm_mask = mask;
  l->asked[(l->asked_head + l->asked_n++) % LSUX_ASKED] = l->s.entry;
  for (uint32_t i = 0; i < LSUX_LANES; i++) {
    e->place[i] = l->s.addr[i] & 3;
    field[i] = skew_word((l->s.base + l->s.addr[i] + l->s.shift) / 4 & 0x3fff, l->s.skew);
  }
  pack(out->sm_addr, field, 14, mask);
  if (l->s.op == TSV_MOP_LD)
    return;
  memcpy(out->sm_b, l->s.b, sizeof out->sm_b);
  if (l->s.op == TSV_MOP_ST) {
    for (uint32_t i = 0; i < LSUX_LANES; i++)
      field[i] = ((1u << bytes) - 1) << (l->s.addr[i] & 3) & 15;
    pack(out->sm_be, field, 4, mask);
    for (uint32_t i = 0; bytes < 4 && i < LSUX_LANES; i++)
      out->sm_b[i] =
          bytes == 1 ? (l->s.b[i] & 0xff) * 0x01010101u : (l->s.b[i] & 0xffff) * 0x00010001u;
    return;
  }
  if (l->s.op == TSV_MOP_ATOM + ISA_ATOM_CAS)
    memcpy(out->sm_c, l->s.c, sizeof out->sm_c);
}

static void s_check(lsux *l) {
  const uint32_t size = tsv_mtype_bytes(l->s.mtype);
  uint32_t some = 0, most = 0;  // bits of the addresses; the highest one
  l->s.fault = 0;
  for (uint32_t i = 0; i < LSUX_LANES; i++)
    some |= l->s.addr[i], most = l->s.addr[i] > most ? l->s.addr[i] : most;
  if (!(some & (size - 1)) && (uint64_t)most + size <= (uint64_t)l->s.size)
    return;
  for (uint32_t i = 0; i < LSUX_LANES; i++) {
    const bool bad =
        l->s.addr[i] & (size - 1) || (uint64_t)l->s.addr[i] + size > (uint64_t)l->s.size;
    l->s.fault |= (uint32_t)bad << i;
  }
  l->s.fault &= l->s.mask;
}

static void s_answer(lsux *l, const lsux_in *in) {
  lsux_entry *e = &l->table[l->asked[l->asked_head]];
  l->asked_head = (l->asked_head + 1) % LSUX_ASKED;
  l->asked_n--;
  e->missing--;
  if (e->type != LSUX_REG)
    return;
  if (access_bytes(e->mtype) == 4)  // where they begin at a word
    memcpy(e->data, in->sm_rdata, sizeof e->data);
  else
    for (uint32_t i = 0; i < LSUX_LANES; i++)
      e->data[i] = extend(in->sm_rdata[i], e->place[i], e->mtype);
}

static void s_fault(lsux *l) {
  lsux_entry *e = &l->table[l->s.entry];
  const uint32_t lane = (uint32_t)__builtin_ctz(l->s.fault);
  e->missing--;
  e->type = LSUX_FAULT;
  e->lane = lane;
  e->word = l->s.addr[lane];
  e->align = (l->s.addr[lane] & (tsv_mtype_bytes(l->s.mtype) - 1)) != 0;
}

static void s_clock(lsux *l, const lsux_in *in) {
  const bool room = l->asked_n < LSUX_ASKED;
  l->out.sm_valid &= !in->sm_ready;
  if (in->sm_rvalid && l->asked_n)
    s_answer(l, in);
  switch (l->s.state) {
    case LSUX_S_IDLE:
      break;
    case LSUX_S_ADDR:
      s_check(l);
      l->s.state = LSUX_S_CHECK;
      break;
    case LSUX_S_CHECK:
      if (l->s.fault) {
        l->s.state = LSUX_S_FAULT;
      } else if (room && !l->out.sm_valid) {
        s_ask(l);
        l->s.state = LSUX_S_IDLE;
      }
      break;
    case LSUX_S_FAULT:
      if (!in->sm_rvalid) {
        s_fault(l);
        l->s.state = LSUX_S_IDLE;
      }
      break;
  }
}

// ---- A

typedef struct beat {
  uint32_t kind, mtype, mop, k;
  bool last;
} beat;

static lsux_entry *new_entry(lsux *l, lsux_type type, beat x, uint32_t reg, uint32_t mask,
                             uint32_t missing, uint32_t *number) {
  *number = (l->oldest + l->used++) & (l->entries - 1);
  lsux_entry *e = &l->table[*number];
  e->type = type;
  e->tag = (uint32_t)tsv_get(l->a.head, TSV_DN_ANY_TAG);
  e->last = x.last;
  e->reg = reg | x.k;
  e->mask = mask;
  e->missing = missing;
  e->mtype = x.mtype;
  e->lined_up = false;
  return e;
}

// `place`: row, and below it column.
static void b_place(lsux *l, uint32_t place, uint32_t sectors, bool we) {
  l->b.row = place >> l->column_bits;
  l->b.col = place & ((1u << l->column_bits) - 1);
  l->b.sectors = sectors;
  l->b.we = we;
  l->b.merged = false;
  l->b.state = LSUX_B_ISSUE;
}

// Bytes of the lanes of a store into what is written to their sectors.
static void b_merge(lsux *l, const uint8_t *place, uint32_t mask, uint32_t bytes) {
  memset(l->b.wdata, 0, sizeof l->b.wdata);
  memset(l->b.wmask, 0, sizeof l->b.wmask);
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(mask), sector = place[lane] / BYTES;
    place_bytes(l->b.wdata[sector], &l->b.wmask[sector], place[lane] % BYTES, l->opd_b[lane],
                bytes);
  }
  l->b.merged = true;
  l->b.state = LSUX_B_MERGE;
  l->b.edges = MERGE_EDGES;
}

static void b_atomic(lsux *l, beat x) {
  l->b.op = x.mop - TSV_MOP_ATOM;
  l->b.f32 = x.mtype == TSV_MTYPE_F32;
  l->b.is_signed = x.mtype == TSV_MTYPE_S32;
  l->b.state = LSUX_B_READ;
}

static void enter_line(lsux *l, beat x) {
  const uint64_t head = l->a.head;
  const uint32_t addr = (uint32_t)tsv_get(head, TSV_DN_LINE_ADDR), bytes = access_bytes(x.mtype);
  const uint32_t first = addr % (LSUX_BANKS * BYTES), end = first + LSUX_LANES * bytes - 1;
  const uint32_t last = end / BYTES < LSUX_BANKS ? end / BYTES : LSUX_BANKS - 1;
  const uint32_t sectors = (2u << last) - (1u << first / BYTES);
  const bool store = x.mop == TSV_MOP_ST;
  lsux_entry *e =
      new_entry(l, store ? LSUX_NONE : LSUX_REG, x, (uint32_t)tsv_get(head, TSV_DN_LINE_REG),
                (uint32_t)ALL, store ? 1 : (uint32_t)__builtin_popcount(sectors), &l->b.entry);
  b_place(l, addr >> 7, sectors, store);
  if (bytes == 4) {
    e->lined_up = true;
    if (store) {
      memcpy(l->b.wdata, l->opd_b, sizeof l->b.wdata);
      memset(l->b.wmask, 0xff, sizeof l->b.wmask);
    }
    return;
  }
  for (uint32_t i = 0; i < LSUX_LANES; i++)
    e->place[i] = (uint8_t)((first + i * bytes) % (LSUX_BANKS * BYTES));
  if (store)
    b_merge(l, e->place, e->mask, bytes);
}

static uint64_t flit(const lsux *l, uint32_t i) {
  return tsv_flit(&l->a.body[2 * i]);
}

static void sect_places(const lsux *l, beat x, uint32_t mask, uint32_t bank, uint8_t *place) {
  enum { PER_FLIT = 12 };
  const bool list = flit(l, 0) >> 41 & 1;
  const uint32_t first = (uint32_t)(flit(l, 0) >> 42) & 31, size = tsv_mtype_bytes(x.mtype);
  const uint32_t low = mask ? (uint32_t)__builtin_ctz(mask) : 0;
  uint32_t n = 0;
  for (uint32_t left = mask; left; left &= left - 1, n++) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const uint32_t byte = list ? (uint32_t)(flit(l, 1 + n / PER_FLIT) >> 5 * (n % PER_FLIT))
                               : first + (lane - low) * size;
    place[lane] = (uint8_t)(bank * BYTES + (byte + 4 * x.k) % BYTES);
  }
}

static void enter_sect(lsux *l, beat x) {
  const uint64_t head = l->a.head;
  const uint32_t sector = (uint32_t)tsv_get(head, TSV_DN_SECT_SECTOR), bank = sector % LSUX_BANKS;
  const uint32_t mask = l->a.body[0];
  const bool atom = x.mop >= TSV_MOP_ATOM;
  const bool reg = x.mop == TSV_MOP_LD || (atom && tsv_get(head, TSV_DN_SECT_RET));
  lsux_entry *e = new_entry(l, reg ? LSUX_REG : LSUX_NONE, x,
                            (uint32_t)tsv_get(head, TSV_DN_SECT_D), mask, 1, &l->b.entry);
  b_place(l, sector >> 2, 1u << bank, x.mop != TSV_MOP_LD);
  sect_places(l, x, mask, bank, e->place);
  if (atom) {
    l->b.mask = mask;
    copy_lanes(l->b.b, l->opd_b, mask);
    copy_lanes(l->b.c, l->opd_c, mask);
    b_atomic(l, x);
  } else if (x.mop == TSV_MOP_ST) {
    b_merge(l, e->place, mask, access_bytes(x.mtype));
  }
}

static void enter_rd(lsux *l, beat x) {
  const uint64_t head = l->a.head;
  const uint32_t sector = (uint32_t)tsv_get(head, TSV_DN_RD_SECTOR);
  const bool single = tsv_get(head, TSV_DN_RD_SINGLE);
  lsux_entry *e = new_entry(l, single ? LSUX_WORD : LSUX_DATA, x, 0, 0, 1, &l->b.entry);
  e->chunks = (uint32_t)tsv_get(head, TSV_DN_RD_CHUNKS);
  e->word = (uint32_t)tsv_get(head, TSV_DN_RD_WORD);
  b_place(l, sector >> 2, 1u << sector % LSUX_BANKS, false);
}

static void enter_wr(lsux *l, beat x) {
  const uint64_t head = l->a.head;
  const uint32_t sector = (uint32_t)tsv_get(head, TSV_DN_WR_SECTOR), bank = sector % LSUX_BANKS;
  uint32_t *wdata = l->b.wdata[bank], *wmask = &l->b.wmask[bank];
  new_entry(l, LSUX_NONE, x, 0, 0, 1, &l->b.entry);
  memset(wdata, 0, sizeof l->b.wdata[bank]);
  if (tsv_get(head, TSV_DN_WR_SINGLE)) {
    const uint32_t word = (uint32_t)tsv_get(head, TSV_DN_WR_WORD);
    wdata[word] = l->a.body[0];
    *wmask = (uint32_t)tsv_get(head, TSV_DN_WR_BE) << 4 * word;
  } else {
    const bool full = tsv_get(head, TSV_DN_WR_FULL);
    uint32_t next = full ? 0 : 2;  // word of the body
    *wmask = 0;
    for (uint32_t left = (uint32_t)tsv_get(head, TSV_DN_WR_CHUNKS); left; left &= left - 1) {
      const uint32_t chunk = (uint32_t)__builtin_ctz(left);
      memcpy(&wdata[2 * chunk], &l->a.body[next], 8);
      *wmask |= 0xffu << 8 * chunk;
      next += 2;
    }
    if (!full)
      *wmask &= l->a.body[0];
  }
  b_place(l, sector >> 2, 1u << bank, true);
}

static void enter_atm(lsux *l, beat x) {
  const uint64_t head = l->a.head;
  const uint32_t sector = (uint32_t)tsv_get(head, TSV_DN_ATM_SECTOR), bank = sector % LSUX_BANKS;
  lsux_entry *e =
      new_entry(l, tsv_get(head, TSV_DN_ATM_RET) ? LSUX_WORD : LSUX_NONE, x, 0, 0, 1, &l->b.entry);
  e->place[0] = (uint8_t)(bank * BYTES + 4 * (uint32_t)tsv_get(head, TSV_DN_ATM_WORD));
  b_place(l, sector >> 2, 1u << bank, true);
  l->b.mask = 1;
  l->b.b[0] = l->a.body[0];
  l->b.c[0] = l->a.body[1];
  b_atomic(l, x);
}

static void enter_shm(lsux *l, beat x) {
  const uint64_t head = l->a.head;
  const uint32_t *word = l->a.body;
  const uint32_t mask = tsv_get(head, TSV_DN_SHM_HAS_MASK) ? *word++ : ~0u;
  const uint32_t offset = tsv_get(head, TSV_DN_SHM_HAS_IMM) ? *word++ : 0;
  const uint32_t window = (uint32_t)tsv_get(head, TSV_DN_SHM_WIN);
  const bool reg = x.mop == TSV_MOP_LD || (x.mop >= TSV_MOP_ATOM && tsv_get(head, TSV_DN_SHM_RET));
  new_entry(l, reg ? LSUX_REG : LSUX_NONE, x, (uint32_t)tsv_get(head, TSV_DN_SHM_D), mask, 1,
            &l->s.entry);
  l->s.state = LSUX_S_ADDR;
  l->s.op = x.mop;
  l->s.mtype = x.mtype;
  l->s.mask = mask;
  l->s.shift = 4 * x.k;
  l->s.base = l->windows[window].base;
  l->s.size = l->windows[window].size;
  l->s.skew = l->windows[window].skew;
  if (tsv_get(head, TSV_DN_SHM_INLINE)) {
    uint32_t n = 0;
    for (uint32_t left = mask; left && n < 22; left &= left - 1, n++)
      l->s.addr[__builtin_ctz(left)] = l->a.body[1 + n / 2] >> 16 * (n % 2) & 0xffff;
  } else if (tsv_get(head, TSV_DN_SHM_ZERO) & 1) {
    for (uint32_t i = 0; i < LSUX_LANES; i++)
      l->s.addr[i] = offset;
  } else {
    for (uint32_t i = 0; i < LSUX_LANES; i++)
      l->s.addr[i] = l->opd_a[i] + offset;
  }
  if (x.mop == TSV_MOP_LD)
    return;
  memcpy(l->s.b, l->opd_b, sizeof l->s.b);
  if (x.mop == TSV_MOP_ATOM + ISA_ATOM_CAS)
    memcpy(l->s.c, l->opd_c, sizeof l->s.c);
}

static uint32_t head_kind(uint64_t head) {
  return (uint32_t)tsv_get(head, TSV_DN_ANY_KIND);
}

static beat a_beat(const lsux *l) {
  const uint64_t head = l->a.head;
  beat x = {.kind = head_kind(head), .k = l->a_beat, .last = l->a_beat + 1 == l->a_beats};
  x.mtype = (uint32_t)tsv_get(head, TSV_DN_SECT_MTYPE);
  x.mop = x.kind == TSV_DN_LINE ? (uint32_t)tsv_get(head, TSV_DN_LINE_STORE)
                                : (uint32_t)tsv_get(head, TSV_DN_SECT_MOP);
  return x;
}

static void leave(lsux *l, beat x) {
  switch (x.kind) {
    case TSV_DN_SHM:
      enter_shm(l, x);
      break;
    case TSV_DN_LINE:
      enter_line(l, x);
      break;
    case TSV_DN_SECT:
      enter_sect(l, x);
      break;
    case TSV_DN_RD:
      enter_rd(l, x);
      break;
    case TSV_DN_WR:
      enter_wr(l, x);
      break;
    default:
      enter_atm(l, x);
      break;
  }
  if (l->a_needs && (x.mop == TSV_MOP_ST || x.last))
    l->out.opd_ready = 1;
}

// `full`: the table was, before the edge; `s_idle` too. B may have become free at this very edge.
static void a_clock(lsux *l, bool full, bool s_idle) {
  if (!l->a_valid)
    return;
  const bool stays = full | (l->a_needs & l->out.opd_ready);
  if (stays & (head_kind(l->a.head) != TSV_DN_WIN))
    return;
  const beat x = a_beat(l);
  if (x.kind == TSV_DN_WIN) {
    const uint64_t head = l->a.head;
    const uint32_t w = (uint32_t)tsv_get(head, TSV_DN_WIN_WIN);
    l->windows[w].base = (uint32_t)tsv_get(head, TSV_DN_WIN_BASE);
    l->windows[w].size = (uint32_t)tsv_get(head, TSV_DN_WIN_SIZE);
    l->windows[w].skew = l->skews ? (uint32_t)tsv_get(head, TSV_DN_WIN_SKEW) : 0;
    l->a_valid = false;
    return;
  }
  if (x.kind == TSV_DN_SHM ? !s_idle : l->b.state != LSUX_B_FREE)
    return;
  leave(l, x);
  l->a_beat++;
  l->a_valid = !x.last;
}

static bool needs_operands(uint64_t head) {
  switch (head_kind(head)) {
    case TSV_DN_LINE:
      return tsv_get(head, TSV_DN_LINE_STORE);
    case TSV_DN_SECT:
      return tsv_get(head, TSV_DN_SECT_MOP) != TSV_MOP_LD;
    case TSV_DN_SHM:
      return tsv_get(head, TSV_DN_SHM_MOP) != TSV_MOP_LD ||
             !(tsv_get(head, TSV_DN_SHM_INLINE) || tsv_get(head, TSV_DN_SHM_ZERO) & 1);
    default:
      return false;
  }
}

static void a_take(lsux *l) {
  l->a = l->queue[l->queue_head];
  l->queue_head = (l->queue_head + 1) % LSUX_CMDS;
  l->queue_n--;
  const uint64_t head = l->a.head;
  const uint32_t kind = head_kind(head), mtype = (uint32_t)tsv_get(head, TSV_DN_SECT_MTYPE);
  l->a_valid = true;
  l->a_beat = 0;
  l->a_beats = 1;
  if (kind == TSV_DN_SECT || kind == TSV_DN_SHM)
    l->a_beats = mtype == TSV_MTYPE_B64 ? 2 : mtype == TSV_MTYPE_B128 ? 4 : 1;
  l->a_needs = needs_operands(head);
}

// ---- the block

RARE static void reset(lsux *l) {
  l->queue_n = l->used = l->queue_head = l->oldest = l->asked_n = 0;
  l->a_valid = l->waits = false;
  l->b.state = LSUX_B_FREE;
  l->s.state = LSUX_S_IDLE;
  for (uint32_t w = 0; w < LSUX_WINDOWS; w++)
    l->windows[w].size = 0;
  l->out.req_valid = l->out.sm_valid = l->out.w_valid = l->out.done_valid = l->out.up_valid = 0;
  l->out.cmd_ready = l->out.opd_ready = 1;
  l->out.busy = 0;
}

static void clock_edge(lsux *l, const lsux_in *in) {
  const bool full = l->used == l->entries, s_idle = l->s.state == LSUX_S_IDLE;
  const bool opd = in->opd_valid & l->out.opd_ready, cmd = in->cmd_valid & l->out.cmd_ready;
  retire(l, in);
  if (in->rsp_valid && in->rsp_id < l->entries * LSUX_BANKS)
    answer(l, in);
  b_clock(l, in);
  s_clock(l, in);
  a_clock(l, full, s_idle);
  if (!l->a_valid && l->queue_n)
    a_take(l);
  if (opd) {
    memcpy(l->opd_a, in->opd_a, sizeof l->opd_a);
    memcpy(l->opd_b, in->opd_b, sizeof l->opd_b);
    memcpy(l->opd_c, in->opd_c, sizeof l->opd_c);
    l->out.opd_ready = 0;
  }
  if (cmd) {
    lsux_cmd *c = &l->queue[(l->queue_head + l->queue_n++) % LSUX_CMDS];
    c->head = tsv_flit(in->cmd_head);
    memcpy(c->body, in->cmd_body, sizeof c->body);
  }
  l->out.cmd_ready = l->queue_n < LSUX_CMDS;
  l->out.busy = l->queue_n || l->a_valid || l->b.state != LSUX_B_FREE ||
                l->s.state != LSUX_S_IDLE || l->asked_n || l->used || l->out.req_valid ||
                l->out.w_valid || l->out.done_valid || l->out.up_valid || l->waits;
}

// Stage A keeps what it has; S too.
static bool a_waits(const lsux *l) {
  if (!l->a_valid)
    return !l->queue_n;
  const uint32_t kind = head_kind(l->a.head);
  const bool full = l->used == l->entries;
  const bool taken = kind == TSV_DN_SHM ? l->s.state != LSUX_S_IDLE : l->b.state != LSUX_B_FREE;
  return kind != TSV_DN_WIN && (full | (l->a_needs & l->out.opd_ready) | taken);
}

static bool s_waits(const lsux *l) {
  const bool room = l->asked_n < LSUX_ASKED && !l->out.sm_valid;
  return l->s.state == LSUX_S_IDLE || (l->s.state == LSUX_S_CHECK && !l->s.fault && !room);
}

bool lsux_waits(const lsux *l) {
  const lsux_out *o = &l->out;
  const uint32_t offers = o->req_valid | o->w_valid | o->done_valid | o->up_valid | l->waits;
  return !offers && (l->b.state == LSUX_B_FREE || l->b.state == LSUX_B_WAIT) && s_waits(l) &&
         !(l->used && !l->table[l->oldest].missing) && a_waits(l);
}

void lsux_edge(lsux *l, const lsux_in *in) {
  clock_edge(l, in);
  if (!in->rst_n)
    reset(l);
}

void lsux_step(lsux *l, const lsux_in *in, lsux_out *out) {
  lsux_clock(l, in);
  *out = l->out;
}

#define BLOCK lsux
#define BLOCK_INIT(block, sizes) lsux_init(block, sizes)
#include "csim/base/block_twin.h"
