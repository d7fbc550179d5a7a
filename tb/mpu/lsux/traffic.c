// SPDX-License-Identifier: Apache-2.0
#include "traffic.h"

#include "csim/isa/isa.h"
#include "csim/mpu/tsv_packet.h"

static void add(model_packet *p, enum tsv_field f, uint32_t value) {
  p->head |= tsv_put(f, value);
}

static uint32_t any_mop(const traffic *t, cosim_rng *rng) {
  const uint32_t x = rng_bits(rng, 8);
  return x < t->store               ? TSV_MOP_ST
         : x < t->store + t->atomic ? TSV_MOP_ATOM + rng_below(rng, ISA_ATOMS)
                                    : TSV_MOP_LD;
}

static uint32_t any_mtype(const traffic *t, cosim_rng *rng, uint32_t mop, bool line) {
  static const uint8_t words[] = {TSV_MTYPE_U32, TSV_MTYPE_S32, TSV_MTYPE_F32};
  static const uint8_t narrow[] = {TSV_MTYPE_U8, TSV_MTYPE_S8, TSV_MTYPE_U16, TSV_MTYPE_S16};
  static const uint8_t wide[] = {TSV_MTYPE_B64, TSV_MTYPE_B128};
  if (mop == TSV_MOP_ATOM + ISA_ATOM_ADD)
    return RNG_PICK(rng, words);
  if (mop >= TSV_MOP_ATOM)
    return words[rng_bits(rng, 1)];
  const uint32_t x = rng_bits(rng, 8);
  return x < t->narrow                      ? RNG_PICK(rng, narrow)
         : !line && x < t->narrow + t->wide ? RNG_PICK(rng, wide)
                                            : RNG_PICK(rng, words);
}

// Registers of wide values are aligned.
static uint32_t any_register(cosim_rng *rng, uint32_t bytes) {
  return rng_bits(rng, 7) & ~(bytes > 4 ? bytes / 4 - 1 : 0);
}

static uint32_t any_sector(const traffic *t, cosim_rng *rng, const model *m) {
  const bool meet = rng_chance(rng, t->meet);
  const uint32_t row = m->rows[meet ? 0 : rng_below(rng, MODEL_ROWS)];
  return row << 7 | (meet ? 3u : rng_bits(rng, 5)) << 2 | rng_bits(rng, meet ? 1 : 2);
}

static void operands(model_packet *p, cosim_rng *rng, bool zero_b, bool zero_c) {
  p->n_operands = model_needs(p->head);
  for (uint32_t i = 0; i < p->n_operands; i++) {
    model_operands *o = &p->operands[i];
    rng_words(rng, o->a, MODEL_LANES);
    rng_words(rng, o->b, MODEL_LANES);
    rng_words(rng, o->c, MODEL_LANES);
    if (rng_chance(rng, 30))  // so that cas finds what it looks for
      for (uint32_t l = 0; l < MODEL_LANES; l++)
        o->b[l] &= 1, o->c[l] &= 1;
    if (zero_b)
      memset(o->b, 0, sizeof o->b);
    if (zero_c)
      memset(o->c, 0, sizeof o->c);
  }
}

static void line(model_packet *p, const traffic *t, cosim_rng *rng, const model *m) {
  const bool store = rng_chance(rng, t->store);
  const bool zero = store && rng_chance(rng, 30);
  add(p, TSV_DN_LINE_MTYPE, any_mtype(t, rng, TSV_MOP_LD, true));
  add(p, TSV_DN_LINE_STORE, store);
  add(p, TSV_DN_LINE_ZERO, zero);
  add(p, TSV_DN_LINE_REG, any_register(rng, 4));
  const uint32_t bytes = model_bytes(p->head), room = 128 / bytes - MODEL_LANES;
  add(p, TSV_DN_LINE_ADDR, any_sector(t, rng, m) / 4 << 7 | bytes * rng_below(rng, room + 1));
  operands(p, rng, zero, false);
}

static void sect(model_packet *p, const traffic *t, cosim_rng *rng, const model *m) {
  const uint32_t mop = any_mop(t, rng);
  const bool zero_b = rng_chance(rng, 20), zero_c = rng_chance(rng, 20), list = rng_bits(rng, 1);
  add(p, TSV_DN_SECT_MTYPE, any_mtype(t, rng, mop, false));
  add(p, TSV_DN_SECT_MOP, mop);
  add(p, TSV_DN_SECT_RET, mop >= TSV_MOP_ATOM ? rng_bits(rng, 1) : 0);
  const uint32_t bytes = model_bytes(p->head), mask = rng_mask(rng);
  add(p, TSV_DN_SECT_D, any_register(rng, bytes));
  add(p, TSV_DN_SECT_B, any_register(rng, bytes));
  add(p, TSV_DN_SECT_SECTOR, any_sector(t, rng, m));
  p->body[0] = mask;
  p->body[1] = rng_bits(rng, 7) | (uint32_t)zero_b << 7 | (uint32_t)zero_c << 8 |
               (uint32_t)list << 9 | rng_below(rng, 32 / bytes) * bytes << 10;
  if (list) {
    uint64_t flits[3] = {0};
    const uint32_t n = (uint32_t)__builtin_popcount(mask), few = rng_chance(rng, t->meet);
    for (uint32_t i = 0; i < n; i++) {
      const uint64_t byte = rng_below(rng, (few ? 16 : 32) / bytes) * bytes;
      flits[i / 12] |= byte << i % 12 * 5;
    }
    memcpy(&p->body[2], flits, sizeof flits);
  }
  add(p, TSV_DN_ANY_LEN, list ? 1 + ((uint32_t)__builtin_popcount(mask) + 11) / 12 : 1);
  operands(p, rng, zero_b, zero_c);
}

static void rd(model_packet *p, const traffic *t, cosim_rng *rng, const model *m) {
  add(p, TSV_DN_RD_CHUNKS, rng_range(rng, 1, 15));
  add(p, TSV_DN_RD_SINGLE, rng_bits(rng, 1));
  add(p, TSV_DN_RD_WORD, rng_bits(rng, 3));
  add(p, TSV_DN_RD_SECTOR, any_sector(t, rng, m));
}

static void wr(model_packet *p, const traffic *t, cosim_rng *rng, const model *m) {
  const uint32_t chunks = rng_range(rng, 1, 15), single = rng_chance(rng, 80);
  const uint32_t full = rng_bits(rng, 1);
  add(p, TSV_DN_WR_CHUNKS, chunks);
  add(p, TSV_DN_WR_SINGLE, single);
  add(p, TSV_DN_WR_WORD, rng_bits(rng, 3));
  add(p, TSV_DN_WR_BE, rng_bits(rng, 4));
  add(p, TSV_DN_WR_FULL, full);
  add(p, TSV_DN_WR_SECTOR, any_sector(t, rng, m));
  const uint32_t len = single ? 1 : !full + (uint32_t)__builtin_popcount(chunks);
  add(p, TSV_DN_ANY_LEN, len);
  rng_words(rng, p->body, 2 * len);
  if (!single && !full)
    p->body[0] = rng_mask(rng), p->body[1] = 0;
}

static void atm(model_packet *p, const traffic *t, cosim_rng *rng, const model *m) {
  const uint32_t mop = TSV_MOP_ATOM + rng_below(rng, ISA_ATOMS);
  add(p, TSV_DN_ATM_MTYPE, any_mtype(t, rng, mop, false));
  add(p, TSV_DN_ATM_MOP, mop);
  add(p, TSV_DN_ATM_RET, rng_bits(rng, 1));
  add(p, TSV_DN_ATM_WORD, rng_bits(rng, 3));
  add(p, TSV_DN_ATM_SECTOR, any_sector(t, rng, m));
  add(p, TSV_DN_ANY_LEN, 1);
  p->body[0] = rng_value(rng);
  p->body[1] = rng_value(rng);
  if (rng_chance(rng, 60))
    p->body[0] &= 1;
}

// An address in a window, or one that is not.
static uint32_t any_address(const traffic *t, cosim_rng *rng, uint32_t size, uint32_t bytes,
                            uint32_t span) {
  if (rng_chance(rng, t->fault))
    switch (rng_below(rng, 4)) {
      case 0:  // the first behind the end, or one that only begins inside
        return (size - rng_below(rng, 2) * (bytes - 1)) & 0xffff;
      case 1:
        return rng_u32(rng);
      case 2:
        return ~0u - rng_bits(rng, 4);
      default:  // misaligned
        return rng_below(rng, size + 1) | 1;
    }
  const uint32_t slots = size / bytes;
  return slots ? rng_below(rng, slots < span ? slots : span) * bytes : 0;
}

static void shm(model_packet *p, const traffic *t, cosim_rng *rng, const model *m) {
  const uint32_t mop = any_mop(t, rng), win = rng_bits(rng, 4);
  const bool zero_b = rng_chance(rng, 20), zero_c = rng_chance(rng, 20);
  const bool packed = rng_chance(rng, 80), zero_a = !packed && rng_chance(rng, 20);
  const bool has_mask = packed || rng_bits(rng, 1), has_imm = !packed && rng_bits(rng, 1);
  uint32_t mask = rng_mask(rng);
  while (packed && __builtin_popcount(mask) > 22)
    mask &= rng_u32(rng);
  if (!has_mask)
    mask = ~0u;
  add(p, TSV_DN_SHM_MTYPE, any_mtype(t, rng, mop, false));
  add(p, TSV_DN_SHM_MOP, mop);
  add(p, TSV_DN_SHM_RET, mop >= TSV_MOP_ATOM ? rng_bits(rng, 1) : 0);
  const uint32_t bytes = model_bytes(p->head);
  add(p, TSV_DN_SHM_D, any_register(rng, bytes));
  add(p, TSV_DN_SHM_A, any_register(rng, 4));
  add(p, TSV_DN_SHM_B, any_register(rng, bytes));
  add(p, TSV_DN_SHM_C, any_register(rng, 4));
  add(p, TSV_DN_SHM_WIN, win);
  add(p, TSV_DN_SHM_ZERO, (uint32_t)zero_a | (uint32_t)zero_b << 1 | (uint32_t)zero_c << 2);
  add(p, TSV_DN_SHM_HAS_MASK, has_mask);
  add(p, TSV_DN_SHM_HAS_IMM, has_imm);
  add(p, TSV_DN_SHM_INLINE, packed);
  uint32_t at = 0, n = 0, offset = 0;
  if (has_mask)
    p->body[at++] = mask;
  if (has_imm)
    p->body[at++] = offset = rng_value(rng);
  operands(p, rng, zero_b, zero_c);
  const uint32_t span = rng_chance(rng, t->meet) ? 4 : 1u << 16, size = m->windows[win].size;
  const traffic fits = {.fault = rng_chance(rng, 128) ? t->fault : 0};
  if (zero_a) {  // the offset is the address
    if (has_imm)
      p->body[at - 1] = any_address(&fits, rng, size, bytes, span);
    for (uint32_t i = 0; i < p->n_operands; i++)
      memset(p->operands[i].a, 0, sizeof p->operands[i].a);
  } else {
    const uint32_t first = any_address(&fits, rng, size, bytes, span);
    const bool in_a_row = rng_bits(rng, 1);
    for (uint32_t l = 0; l < MODEL_LANES; l++) {
      uint32_t addr = any_address(&fits, rng, size, bytes, span);
      if (in_a_row)
        addr = size ? (first + l * bytes) % size : 0;
      if (packed && mask >> l & 1)
        p->body[at + n / 2] |= (addr & 0xffff) << n % 2 * 16, n++;
      for (uint32_t i = 0; !packed && i < p->n_operands; i++)
        p->operands[i].a[l] = addr - offset;
    }
  }
  add(p, TSV_DN_ANY_LEN, (at + (n + 1) / 2 + 1) / 2);
}

static void win(model_packet *p, cosim_rng *rng) {
  const uint32_t base = rng_bits(rng, 12) << 4, most = MODEL_SHARED - base;
  add(p, TSV_DN_WIN_WIN, rng_bits(rng, 4));
  add(p, TSV_DN_WIN_BASE, base);
  add(p, TSV_DN_WIN_SKEW, rng_bits(rng, 2));
  add(p, TSV_DN_WIN_SIZE,
      rng_chance(rng, 20)   ? most
      : rng_chance(rng, 40) ? rng_below(rng, most + 1)
                            : rng_below(rng, most / 16 + 1) * 16);
}

model_packet traffic_packet(const traffic *t, cosim_rng *rng, const model *m) {
  static const uint8_t kinds[TRAFFIC_KINDS] = {
      TSV_DN_LINE, TSV_DN_SECT, TSV_DN_RD, TSV_DN_WR, TSV_DN_ATM, TSV_DN_SHM, TSV_DN_WIN,
  };
  const traffic_kind kind = (traffic_kind)rng_weighted(rng, t->weights, TRAFFIC_KINDS);
  model_packet p = {.head = kinds[kind]};
  if (kind != TRAFFIC_WIN)
    add(&p, TSV_DN_ANY_TAG, rng_bits(rng, 8));
  switch (kind) {
    case TRAFFIC_LINE:
      line(&p, t, rng, m);
      break;
    case TRAFFIC_SECT:
      sect(&p, t, rng, m);
      break;
    case TRAFFIC_RD:
      rd(&p, t, rng, m);
      break;
    case TRAFFIC_WR:
      wr(&p, t, rng, m);
      break;
    case TRAFFIC_ATM:
      atm(&p, t, rng, m);
      break;
    case TRAFFIC_SHM:
      shm(&p, t, rng, m);
      break;
    default:
      win(&p, rng);
      break;
  }
  return p;
}
