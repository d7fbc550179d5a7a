// SPDX-License-Identifier: Apache-2.0
#include "packets.h"

#include "csim/isa/isa.h"
#include "tb/cosim/near_ops.h"

// ---- what a packet uses -------------------------------------------------------------------------

// A value of so many words: the lower bits of its number do not count.
static void add(uint64_t set[2], uint64_t reg, unsigned words) {
  if (!words)
    return;
  const unsigned first = (unsigned)reg & 127 & ~(words - 1);
  for (unsigned r = first; r < first + words; r++)
    set[r / 64] |= 1ull << r % 64;
}

static void exec_use(uint64_t h, packet_use *u) {
  isa_inst i =
      isa_inst_new((unsigned)tsv_get(h, TSV_DN_EXEC_OP), (unsigned)tsv_get(h, TSV_DN_EXEC_TYPE));
  if (isa_ops[i.op].types2)
    i.type2 = (uint8_t)(tsv_get(h, TSV_DN_EXEC_C) & 31);
  const uint64_t reg[] = {tsv_get(h, TSV_DN_EXEC_A), tsv_get(h, TSV_DN_EXEC_B),
                          tsv_get(h, TSV_DN_EXEC_C)};
  for (unsigned o = 1; o <= 3; o++)
    if (tsv_get(h, TSV_DN_EXEC_IMM_AT) != o && !(tsv_get(h, TSV_DN_EXEC_ZERO) >> (o - 1) & 1))
      add(u->reads, reg[o - 1], isa_words(&i, o));
  add(u->writes, tsv_get(h, TSV_DN_EXEC_D), isa_words(&i, 0));
}

// A line is a row and a column of all banks.
static uint32_t line_of_sector(uint64_t sector) {
  return 1 + (uint32_t)(sector >> 2);
}

static uint32_t window(uint64_t n) {
  return 0x80000000u + (uint32_t)n;
}

static void access_use(unsigned mop, unsigned mtype, bool ret, const uint64_t reg[3],
                       const bool zero[3], packet_use *u) {
  const unsigned words = (tsv_mtype_bytes(mtype) + 3) / 4;
  if (mop != TSV_MOP_LD && !zero[1])
    add(u->reads, reg[1], words);
  if (mop == TSV_MOP_ATOM + ISA_ATOM_CAS && !zero[2])
    add(u->reads, reg[2], words);
  if (mop == TSV_MOP_LD || (mop >= TSV_MOP_ATOM && ret))
    add(u->writes, reg[0], words);
}

packet_use packet_use_of(const packet *p) {
  packet_use u = {0};
  const uint64_t h = p->head, b = p->body;
  u.is_long = tsv_dn_len(h) > 1;
  switch (h & 15) {
    case TSV_DN_EXEC:
      exec_use(h, &u);
      u.opc = u.collects = true;
      break;
    case TSV_DN_SHM: {
      const uint64_t reg[] = {tsv_get(h, TSV_DN_SHM_D), tsv_get(h, TSV_DN_SHM_B),
                              tsv_get(h, TSV_DN_SHM_C)};
      const uint64_t z = tsv_get(h, TSV_DN_SHM_ZERO);
      const bool zero[] = {false, z >> 1 & 1, z >> 2 & 1};
      const unsigned mop = (unsigned)tsv_get(h, TSV_DN_SHM_MOP);
      const bool addressed = !tsv_get(h, TSV_DN_SHM_INLINE) && !(z & 1);
      access_use(mop, (unsigned)tsv_get(h, TSV_DN_SHM_MTYPE), tsv_get(h, TSV_DN_SHM_RET), reg, zero,
                 &u);
      if (addressed)
        add(u.reads, tsv_get(h, TSV_DN_SHM_A), 1);
      u.memory = window(tsv_get(h, TSV_DN_SHM_WIN));
      u.opc = u.lsux = true;
      u.collects = mop != TSV_MOP_LD || addressed;
      break;
    }
    case TSV_DN_LINE: {
      const bool store = tsv_get(h, TSV_DN_LINE_STORE);
      if (!store)
        add(u.writes, tsv_get(h, TSV_DN_LINE_REG), 1);
      else if (!tsv_get(h, TSV_DN_LINE_ZERO))
        add(u.reads, tsv_get(h, TSV_DN_LINE_REG), 1);
      u.memory = line_of_sector(tsv_get(h, TSV_DN_LINE_ADDR) >> 5);
      u.opc = u.lsux = true;
      u.collects = store;
      break;
    }
    case TSV_DN_SECT: {
      const uint64_t reg[] = {tsv_get(h, TSV_DN_SECT_D), tsv_get(h, TSV_DN_SECT_B), b >> 32 & 127};
      const bool zero[] = {false, b >> 39 & 1, b >> 40 & 1};
      const unsigned mop = (unsigned)tsv_get(h, TSV_DN_SECT_MOP);
      access_use(mop, (unsigned)tsv_get(h, TSV_DN_SECT_MTYPE), tsv_get(h, TSV_DN_SECT_RET), reg,
                 zero, &u);
      u.memory = line_of_sector(tsv_get(h, TSV_DN_SECT_SECTOR));
      u.opc = u.lsux = true;
      u.collects = mop != TSV_MOP_LD;
      break;
    }
    case TSV_DN_RD:
    case TSV_DN_WR:
    case TSV_DN_ATM: {
      const bool wr = (h & 15) == TSV_DN_WR, rd = (h & 15) == TSV_DN_RD;
      u.memory = line_of_sector(tsv_get(h, TSV_DN_RD_SECTOR));
      u.lsux = true;
      u.answers = wr || (!rd && !tsv_get(h, TSV_DN_ATM_RET));
      u.has_up = !u.answers;
      break;
    }
    case TSV_DN_REGWR:
      add(u.writes, tsv_get(h, TSV_DN_REGWR_REG), 1);
      u.regm = true;
      break;
    case TSV_DN_REGRD:
      add(u.reads, tsv_get(h, TSV_DN_REGRD_REG), 1);
      u.opc = u.collects = u.has_up = true;
      break;
    case TSV_DN_WIN:
      u.memory = window(tsv_get(h, TSV_DN_WIN_WIN));
      u.lsux = true;
      break;
    case TSV_DN_SYNC:
      if (tsv_get(h, TSV_DN_SYNC_SHARED))
        u.asks = window(tsv_get(h, TSV_DN_SYNC_WIN));
      break;
    default:
      break;
  }
  return u;
}

// ---- random packets -----------------------------------------------------------------------------

static uint64_t reg(cosim_rng *rng, const packet_mix *m) {
  return rng_below(rng, m->regs);
}

// Neighbours that differ in any one bit of row or column, or only in what does not count.
static uint64_t sector(cosim_rng *rng, const packet_mix *m) {
  const uint32_t line = rng_below(rng, m->lines);
  return (line ? 1ull << (line - 1) % 19 : 0) << 2 | rng_bits(rng, 2);
}

static uint64_t window_number(cosim_rng *rng, const packet_mix *m) {
  return rng_below(rng, m->lines < 16 ? m->lines : 16);
}

static void memory_type(cosim_rng *rng, uint64_t *mtype, uint64_t *mop) {
  static const uint8_t words[] = {TSV_MTYPE_U32, TSV_MTYPE_S32, TSV_MTYPE_F32};
  *mtype = rng_below(rng, 9), *mop = rng_bits(rng, 1);
  if (rng_chance(rng, 80)) {
    *mtype = RNG_PICK(rng, words);
    *mop = TSV_MOP_ATOM +
           (*mtype == TSV_MTYPE_F32 ? (uint32_t)ISA_ATOM_ADD : rng_below(rng, ISA_ATOM_CAS + 1));
  }
}

static packet any_exec(cosim_rng *rng, const packet_mix *m) {
  unsigned count;
  const isa_inst *ops = near_ops(&count);
  isa_inst i = ops[rng_below(rng, count)], with = i;
  with.imm_at = (uint8_t)rng_below(rng, 4);
  if (isa_check(&with))  // its operand is there, but not as an immediate
    with = i;
  isa_reg *const named[] = {&with.d, &with.a, &with.b, &with.c};
  if (with.imm_at)
    *named[with.imm_at] = ISA_RZ;
  if (!isa_check(&with))
    i = with;
  const uint64_t c = isa_ops[i.op].types2 ? i.type2 : reg(rng, m);
  const uint64_t zero = rng_chance(rng, 40) ? rng_bits(rng, 3) : 0;
  return (packet){TSV_DN_EXEC | tsv_put(TSV_DN_EXEC_OP, i.op) | tsv_put(TSV_DN_EXEC_TYPE, i.type) |
                      tsv_put(TSV_DN_EXEC_FN, i.fn) | tsv_put(TSV_DN_EXEC_D, reg(rng, m)) |
                      tsv_put(TSV_DN_EXEC_A, reg(rng, m)) | tsv_put(TSV_DN_EXEC_B, reg(rng, m)) |
                      tsv_put(TSV_DN_EXEC_C, c) | tsv_put(TSV_DN_EXEC_IMM_AT, i.imm_at) |
                      tsv_put(TSV_DN_EXEC_ZERO, zero) |
                      tsv_put(TSV_DN_EXEC_HAS_MASK, rng_bits(rng, 1)),
                  rng_next(rng)};
}

static packet any_shm(cosim_rng *rng, const packet_mix *m) {
  uint64_t mtype, mop;
  memory_type(rng, &mtype, &mop);
  return (packet){TSV_DN_SHM | tsv_put(TSV_DN_ANY_LEN, rng_below(rng, 4)) |
                      tsv_put(TSV_DN_SHM_MTYPE, mtype) | tsv_put(TSV_DN_SHM_MOP, mop) |
                      tsv_put(TSV_DN_SHM_RET, mop >= TSV_MOP_ATOM && rng_bits(rng, 1)) |
                      tsv_put(TSV_DN_SHM_D, reg(rng, m)) | tsv_put(TSV_DN_SHM_A, reg(rng, m)) |
                      tsv_put(TSV_DN_SHM_B, reg(rng, m)) | tsv_put(TSV_DN_SHM_C, reg(rng, m)) |
                      tsv_put(TSV_DN_SHM_WIN, window_number(rng, m)) |
                      tsv_put(TSV_DN_SHM_ZERO, rng_chance(rng, 60) ? rng_bits(rng, 3) : 0) |
                      tsv_put(TSV_DN_SHM_INLINE, rng_chance(rng, 40)),
                  rng_next(rng)};
}

static packet any_line(cosim_rng *rng, const packet_mix *m) {
  return (packet){TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, rng_below(rng, 7)) |
                      tsv_put(TSV_DN_LINE_STORE, rng_bits(rng, 1)) |
                      tsv_put(TSV_DN_LINE_ZERO, rng_chance(rng, 40)) |
                      tsv_put(TSV_DN_LINE_REG, reg(rng, m)) |
                      tsv_put(TSV_DN_LINE_ADDR, sector(rng, m) << 5 | rng_bits(rng, 5)),
                  rng_next(rng)};
}

static packet any_sect(cosim_rng *rng, const packet_mix *m) {
  uint64_t mtype, mop;
  memory_type(rng, &mtype, &mop);
  return (packet){TSV_DN_SECT | tsv_put(TSV_DN_ANY_LEN, rng_range(rng, 1, 4)) |
                      tsv_put(TSV_DN_SECT_MTYPE, mtype) | tsv_put(TSV_DN_SECT_MOP, mop) |
                      tsv_put(TSV_DN_SECT_RET, mop >= TSV_MOP_ATOM && rng_bits(rng, 1)) |
                      tsv_put(TSV_DN_SECT_D, reg(rng, m)) | tsv_put(TSV_DN_SECT_B, reg(rng, m)) |
                      tsv_put(TSV_DN_SECT_SECTOR, sector(rng, m)),
                  (rng_next(rng) & ~(127ull << 32 | 3ull << 39)) | reg(rng, m) << 32 |
                      (uint64_t)rng_chance(rng, 40) << 39 | (uint64_t)rng_chance(rng, 40) << 40};
}

static packet any_base(cosim_rng *rng, const packet_mix *m) {
  const uint64_t kind = TSV_DN_RD + rng_below(rng, 3);
  uint64_t h = kind | tsv_put(TSV_DN_RD_SECTOR, sector(rng, m));
  if (kind == TSV_DN_RD)
    h |= tsv_put(TSV_DN_RD_CHUNKS, rng_bits(rng, 4)) | tsv_put(TSV_DN_RD_SINGLE, rng_bits(rng, 1));
  else if (kind == TSV_DN_WR)
    h |= tsv_put(TSV_DN_ANY_LEN, rng_range(rng, 1, 5)) |
         tsv_put(TSV_DN_WR_CHUNKS, rng_bits(rng, 4)) | tsv_put(TSV_DN_WR_FULL, rng_bits(rng, 1));
  else
    h |= tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_ATM_MTYPE, TSV_MTYPE_U32) |
         tsv_put(TSV_DN_ATM_MOP, TSV_MOP_ATOM + rng_below(rng, 10)) |
         tsv_put(TSV_DN_ATM_RET, rng_bits(rng, 1)) | tsv_put(TSV_DN_ATM_WORD, rng_bits(rng, 3));
  return (packet){h, rng_next(rng)};
}

packet packet_any(cosim_rng *rng, const packet_mix *m) {
  const uint16_t weights[] = {m->exec,  m->shm,   m->line, m->sect, m->base,
                              m->regwr, m->regrd, m->win,  m->sync};
  packet p;
  switch (rng_weighted(rng, weights, sizeof weights / sizeof *weights)) {
    case 0:
      p = any_exec(rng, m);
      break;
    case 1:
      p = any_shm(rng, m);
      break;
    case 2:
      p = any_line(rng, m);
      break;
    case 3:
      p = any_sect(rng, m);
      break;
    case 4:
      p = any_base(rng, m);
      break;
    case 5:
      p = (packet){TSV_DN_REGWR | tsv_put(TSV_DN_ANY_LEN, rng_range(rng, 1, 16)) |
                       tsv_put(TSV_DN_REGWR_LINEAR, rng_bits(rng, 1)) |
                       tsv_put(TSV_DN_REGWR_REG, reg(rng, m)) |
                       tsv_put(TSV_DN_REGWR_MASK, rng_mask(rng)),
                   rng_next(rng)};
      break;
    case 6:
      p = (packet){TSV_DN_REGRD | tsv_put(TSV_DN_REGRD_REG, reg(rng, m)) |
                       tsv_put(TSV_DN_REGRD_MASK, rng_mask(rng)),
                   rng_next(rng)};
      break;
    case 7:
      p = (packet){TSV_DN_WIN | tsv_put(TSV_DN_WIN_WIN, window_number(rng, m)) |
                       tsv_put(TSV_DN_WIN_BASE, rng_bits(rng, 16)) |
                       tsv_put(TSV_DN_WIN_SIZE, rng_bits(rng, 17)),
                   rng_next(rng)};
      break;
    default:
      p = (packet){TSV_DN_SYNC | tsv_put(TSV_DN_SYNC_SHARED, rng_bits(rng, 1)) |
                       tsv_put(TSV_DN_SYNC_WIN, window_number(rng, m)),
                   rng_next(rng)};
  }
  p.head |= tsv_put(TSV_DN_ANY_TAG, rng_bits(rng, 8));
  return p;
}
