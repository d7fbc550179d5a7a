// SPDX-License-Identifier: Apache-2.0
#include "base.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/isa/isa.h"
#include "csim/isa/lanes.h"
#include "tb/cosim/near_ops.h"
#include "csim/mpu/tsv_packet.h"
#include "keeper.h"

enum { LANES = 32, OUT_FLITS = 64, MAX_ROWS = 16, PART = 16384 };

// Units that complete packets, as in ret_valid; NOBODY: the packet's end is an answer, or it has
// none.
enum { VALU, LSUX, REGMOVE, NOBODY, NO_ANSWER = 255 };

// A packet that was sent and not answered.
typedef struct flight {
  bool used;
  uint8_t answer;         // TSV_UP_*, or NO_ANSWER
  uint64_t number, head;  // in the order of sending; as sent
  uint64_t expect[17];    // head (without KIND, TAG) and body of the answer
} flight;

// A packet that was sent, until the records have said that it is complete.
typedef struct sent {
  bool used, begun;
  uint8_t kind, win, by;  // win: of SHM
  uint64_t number;
} sent;

struct base {
  uint64_t rng, cycle, packets[2][16];
  base_mix mix;
  bool quiet;
  uint32_t open_rows, bus;  // bus: flits a cycle
  bool closed;
  // model
  uint32_t regs[BASE_REGS][LANES];
  uint8_t mem[MAX_ROWS * 32 * 4][32];  // sector: row * 128 + col * 4 + bank, row of the list below
  uint32_t rows[MAX_ROWS];
  uint32_t shared[16384];
  struct {
    uint32_t base, size, skew;
  } win[16];
  bool skews;  // windows can have one
  flight flights[BASE_TAGS];
  unsigned in_flight;
  uint64_t numbers;  // packets sent
  // What records have to say of packets, by their tags, of a unit that shows them (watched): there
  // packets that nobody waits for have tags of their own, too.
  bool watched;
  sent sent[BASE_TAGS];
  bool seen;     // has outputs of
  nbu_out last;  // before the last edge
  // way down
  uint64_t flits[OUT_FLITS];
  unsigned first, queued, credits, pause;
  keeper keeper;
  bool run_is_last;  // of those that were queued
  // way up
  uint64_t packet[17];
  unsigned have, need, up_room;
  // shared memory of the device
  uint32_t smem[16384];
  unsigned ready;    // registers that were written once
  unsigned cleared;  // packets of clear_part
  bool is_clear;
  nbu_out sm[4];  // requests that were taken and not answered, oldest first
  unsigned sm_n;
  unsigned sm_wait;  // of the oldest
  uint32_t sm_rdata[LANES];
  dram *dram;
  uint64_t refresh, turn;  // next tick, cycles to that of the next bank
  channel_straps straps;
  const isa_inst *ops;
  unsigned n_ops;
  char error[256];
};

static uint32_t rnd(base *b) {
  b->rng ^= b->rng << 13;
  b->rng ^= b->rng >> 7;
  b->rng ^= b->rng << 17;
  return (uint32_t)(b->rng >> 20);
}

static uint32_t below(base *b, uint32_t n) {
  return rnd(b) % n;
}
static bool chance(base *b, unsigned of256) {
  return (rnd(b) & 255) < of256;
}

static uint32_t value(base *b) {
  static const uint32_t special[] = {0,          0x80000000, 1,          0x7f800000,
                                     0xff800000, 0x7fc00000, 0x3f800000, 0x00800000,
                                     0x007fffff, 0x7f7fffff, 0xffffffff, 0x7fffffff};
  switch (below(b, 4)) {
    case 0:
      return special[below(b, sizeof special / sizeof *special)];
    case 1:
      return below(b, 256);
    default:
      return rnd(b) ^ rnd(b) << 13;
  }
}

static uint32_t some_lanes(base *b) {
  switch (below(b, 5)) {
    case 0:
      return 1u << below(b, 32);
    case 1:
      return rnd(b) | 1u << below(b, 32);
    case 2:
      return ~0u << below(b, 32);
    case 3:
      return rnd(b) & rnd(b) & rnd(b) ? rnd(b) | 1 : 1;
    default:
      return ~0u;
  }
}

static void wrong(base *b, const char *what, unsigned tag, uint64_t got, uint64_t expected) {
  if (!b->error[0])
    snprintf(b->error, sizeof b->error,
             "cycle %llu: %s: %016llx, expected %016llx (packet %016llx)",
             (unsigned long long)b->cycle, what, (unsigned long long)got,
             (unsigned long long)expected, (unsigned long long)b->flights[tag].head);
}

static void report(void *ctx, const dram_violation *v) {
  wrong(ctx, v->text, 0, 0, 0);
}

// Every near-capable instruction that computes registers.
base *base_create(uint64_t seed, const base_mix *mix, uint32_t open_rows, bool closed) {
  base *b = calloc(1, sizeof *b);
  if (!b)
    return NULL;
  b->rng = seed * 0x9e3779b97f4a7c15u | 1;
  b->mix = *mix;
  b->watched = !mix->part;
  b->open_rows = open_rows, b->closed = closed;
  b->credits = structure_default.rx_depth, b->bus = structure_default.flits;
  b->need = 0, b->up_room = 0;
  for (unsigned r = 0; r < MAX_ROWS; r++)
    b->rows[r] = (r & 1) * 32 + r * 37 + (r > 7 ? 8192 : 0);  // some share a subarray
  b->ops = near_ops(&b->n_ops);
  base_times(b, &dram_timing_default);
  return b;
}

bool base_times(base *b, const dram_timing *timing) {
  channel_config c = channel_config_default();
  c.timing = *timing;
  c.row_buffers = b->open_rows, c.closed = b->closed;
  c.refresh = CHANNEL_GIVEN;
  c.noise = true;
  char why[128];
  dram_destroy(b->dram);
  b->dram = channel_arrays(&c, report, b);
  b->turn = b->refresh = (uint64_t)(timing->tREFI / timing->tCK) / DRAM_BANKS;
  return b->dram && channel_straps_of(&c, &b->straps, why, sizeof why);
}

void base_destroy(base *b) {
  if (b)
    dram_destroy(b->dram);
  free(b);
}

// ---- the model ----------------------------------------------------------------------------------

static unsigned row_index(const base *b, uint32_t row) {
  for (unsigned r = 0; r < MAX_ROWS; r++)
    if (b->rows[r] == row)
      return r;
  assert(!"a row that the test uses");
  return 0;
}

uint8_t *base_sector(base *b, uint32_t sector) {
  return b->mem[row_index(b, sector >> 7) * 128 + (sector & 127)];
}

static uint32_t extend(uint32_t v, unsigned mtype) {
  switch (mtype) {
    case TSV_MTYPE_U8:
      return (uint8_t)v;
    case TSV_MTYPE_S8:
      return (uint32_t)(int8_t)v;
    case TSV_MTYPE_U16:
      return (uint16_t)v;
    case TSV_MTYPE_S16:
      return (uint32_t)(int16_t)v;
    default:
      return v;
  }
}

static uint32_t float_add(uint32_t x, uint32_t y) {
  float fx, fy, fz;
  uint32_t z;
  memcpy(&fx, &x, 4), memcpy(&fy, &y, 4);
  fz = fx + fy;
  memcpy(&z, &fz, 4);
  return fz != fz ? 0x7fffffffu : z;
}

static uint32_t atomic(unsigned mop, unsigned mtype, uint32_t old, uint32_t x, uint32_t y) {
  bool less = mtype == TSV_MTYPE_S32 ? (int32_t)old < (int32_t)x : old < x;
  switch (mop - TSV_MOP_ATOM) {
    case ISA_ATOM_ADD:
      return mtype == TSV_MTYPE_F32 ? float_add(old, x) : old + x;
    case ISA_ATOM_MIN:
      return less ? old : x;
    case ISA_ATOM_MAX:
      return less ? x : old;
    case ISA_ATOM_INC:
      return old >= x ? 0 : old + 1;
    case ISA_ATOM_DEC:
      return old == 0 || old > x ? x : old - 1;
    case ISA_ATOM_AND:
      return old & x;
    case ISA_ATOM_OR:
      return old | x;
    case ISA_ATOM_XOR:
      return old ^ x;
    case ISA_ATOM_CAS:
      return old == x ? y : old;
    default:
      return x;
  }
}

// One lane's access to `at`; `data` and `data2` are its words of b and c, `d` those of the result.
static void access(uint8_t *at, unsigned mop, unsigned mtype, const uint32_t *data, uint32_t data2,
                   uint32_t *d) {
  unsigned bytes = tsv_mtype_bytes(mtype);
  uint32_t v[4] = {0};
  memcpy(v, at, bytes);
  if (mop == TSV_MOP_ST)
    memcpy(at, data, bytes);
  else if (mop >= TSV_MOP_ATOM) {
    uint32_t next = atomic(mop, mtype, v[0], data[0], data2);
    memcpy(at, &next, 4);
  }
  if (mop != TSV_MOP_ST)
    for (unsigned w = 0; w < (bytes + 3) / 4; w++)
      d[w] = extend(v[w], mtype);
}

static bool can_send(const base *b, unsigned flits) {
  return b->queued + flits <= OUT_FLITS && b->in_flight < BASE_TAGS / 2;
}

// Who says that a packet is complete.
static uint8_t completed_by(unsigned kind, uint8_t answer) {
  if (kind == TSV_DN_EXEC)
    return VALU;
  if (kind == TSV_DN_REGWR)
    return REGMOVE;
  if (kind == TSV_DN_SYNC || (answer != NO_ANSWER && answer != TSV_UP_DONE))
    return NOBODY;
  return LSUX;
}

// Sends flits that are complete but for the tag. `f` says what is answered.
static void send(base *b, uint64_t head, const uint64_t *body, unsigned flits, const flight *f) {
  unsigned tag = rnd(b) & 255;
  const bool answered = f->answer != NO_ANSWER;
  for (unsigned n = 0;
       n < BASE_TAGS && ((answered && b->flights[tag].used) || (b->watched && b->sent[tag].used));
       n++)
    tag = (tag + 1) & 255;
  head |= tsv_put(TSV_DN_ANY_TAG, tag);
  const uint64_t number = ++b->numbers;
  if (answered) {
    b->flights[tag] = *f;
    b->flights[tag].used = true;
    b->flights[tag].number = number;
    b->flights[tag].head = head;
    b->in_flight++;
  }
  if (b->watched && (head & 15) != TSV_DN_WIN)  // of which there is no record
    b->sent[tag] = (sent){.used = true,
                          .kind = head & 15,
                          .win = (uint8_t)tsv_get(head, TSV_DN_SHM_WIN),
                          .by = completed_by(head & 15, f->answer),
                          .number = number};
  b->packets[0][head & 15]++;
  const bool run = b->keeper.forms && keeper_can(head) && (b->keeper.again || chance(b, 200));
  if (run) {
    uint64_t kept[KEEPER_FLITS];
    bool joins;
    const uint32_t n = keeper_flits(&b->keeper, head, flits ? (uint32_t)body[0] : 0, rnd(b),
                                    b->run_is_last && b->queued, kept, &joins);
    b->queued -= joins;
    for (uint32_t i = 0; i < n; i++)
      b->flits[(b->first + b->queued++) % OUT_FLITS] = kept[i];
  }
  b->run_is_last = run;
  if (run)
    return;
  b->flits[(b->first + b->queued++) % OUT_FLITS] = head;
  for (unsigned i = 0; i < flits; i++)
    b->flits[(b->first + b->queued++) % OUT_FLITS] = body[i];
}

static uint32_t operand_word(const base *b, unsigned reg, bool zero, unsigned lane, unsigned word) {
  return zero ? 0 : b->regs[reg + word][lane];
}

// The model's side of a packet: does what it does, and says what its answer is.
static void exec(base *b, uint64_t head, const uint64_t *body) {
  uint64_t h = head;
  isa_inst i =
      isa_inst_new((unsigned)tsv_get(h, TSV_DN_EXEC_OP), (unsigned)tsv_get(h, TSV_DN_EXEC_TYPE));
  i.fn = (uint8_t)tsv_get(h, TSV_DN_EXEC_FN);
  i.ftz = tsv_get(h, TSV_DN_EXEC_FTZ), i.sat = tsv_get(h, TSV_DN_EXEC_SAT);
  if (isa_ops[i.op].types2)
    i.type2 = (uint8_t)tsv_get(h, TSV_DN_EXEC_C);
  i.imm_at = (uint8_t)tsv_get(h, TSV_DN_EXEC_IMM_AT);
  unsigned zero = (unsigned)tsv_get(h, TSV_DN_EXEC_ZERO), n = 0,
           d = (unsigned)tsv_get(h, TSV_DN_EXEC_D);
  unsigned reg[4] = {d, (unsigned)tsv_get(h, TSV_DN_EXEC_A), (unsigned)tsv_get(h, TSV_DN_EXEC_B),
                     (unsigned)tsv_get(h, TSV_DN_EXEC_C)};
  uint32_t words[4] = {0}, mask = ~0u, pred = 0;
  for (unsigned w = 0; w < tsv_dn_len(h); w++)
    words[2 * w] = (uint32_t)body[w], words[2 * w + 1] = (uint32_t)(body[w] >> 32);
  if (tsv_get(h, TSV_DN_EXEC_HAS_MASK))
    mask = words[n++];
  if (i.imm_at || i.op == ISA_OP_LOP3)
    i.imm = words[n++];
  if (i.op == ISA_OP_SELP)
    pred = words[n++];
  static const uint32_t zeros[4 * LANES];
  uint32_t constant[4 * LANES], result[4 * LANES];
  const uint32_t *src[4] = {0};
  for (unsigned o = 1; o < 4; o++) {
    unsigned w = isa_words(&i, o);
    if (!w)
      src[o] = zeros;
    else if (i.imm_at == o) {
      for (unsigned l = 0; l < LANES; l++)
        constant[l] = i.imm, constant[l + LANES] = (uint32_t)((int32_t)i.imm >> 31);
      src[o] = constant;
    } else if (zero >> (o - 1) & 1)
      src[o] = zeros;
    else
      src[o] = b->regs[reg[o]];
  }
  unsigned words_d = isa_words(&i, 0);
  lanes_fn kernel = lanes_any.find(&i);
  if (i.op == ISA_OP_SELP)
    for (unsigned w = 0; w < words_d; w++)
      for (unsigned l = 0; l < LANES; l++)
        result[w * LANES + l] = (pred >> l & 1 ? src[1] : src[2])[w * LANES + l];
  else
    kernel(result, src[1], src[2], src[3], &i);
  for (unsigned w = 0; w < words_d; w++)
    for (unsigned l = 0; l < LANES; l++)
      if (mask >> l & 1)
        b->regs[d + w][l] = result[w * LANES + l];
}

// Each row of 32 words is turned, by as many words as its number times the window's skew.
static uint8_t *shared_byte(base *b, unsigned win, uint32_t addr) {
  const uint32_t at = b->win[win].base + addr, row = at / 128;
  return (uint8_t *)b->shared + row * 128 + (at + 4 * row * b->win[win].skew) % 128;
}

static void shared(base *b, uint64_t h, const uint64_t *body, flight *f) {
  unsigned mtype = (unsigned)tsv_get(h, TSV_DN_SHM_MTYPE),
           mop = (unsigned)tsv_get(h, TSV_DN_SHM_MOP);
  unsigned bytes = tsv_mtype_bytes(mtype), words = (bytes + 3) / 4, n = 0;
  unsigned zero = (unsigned)tsv_get(h, TSV_DN_SHM_ZERO), d = (unsigned)tsv_get(h, TSV_DN_SHM_D);
  unsigned ra = (unsigned)tsv_get(h, TSV_DN_SHM_A), rb = (unsigned)tsv_get(h, TSV_DN_SHM_B);
  unsigned rc = (unsigned)tsv_get(h, TSV_DN_SHM_C), win = (unsigned)tsv_get(h, TSV_DN_SHM_WIN);
  bool in_line = tsv_get(h, TSV_DN_SHM_INLINE),
       loads = mop == TSV_MOP_LD || tsv_get(h, TSV_DN_SHM_RET);
  uint32_t mask = ~0u, offset = 0, at = 0;
  if (tsv_get(h, TSV_DN_SHM_HAS_MASK))
    mask = (uint32_t)body[0], n = 1;
  if (tsv_get(h, TSV_DN_SHM_HAS_IMM))
    offset = (uint32_t)(body[n / 2] >> 32 * (n % 2));
  uint32_t addr[LANES];
  for (unsigned l = 0; l < LANES; l++) {
    addr[l] = (zero & 1 ? 0 : b->regs[ra][l]) + offset;
    if (in_line && mask >> l & 1) {
      addr[l] = (uint32_t)(body[(2 + at) / 4] >> 16 * ((2 + at) % 4)) & 0xffff;
      at++;
    }
  }
  for (unsigned l = 0; l < LANES; l++)
    if (mask >> l & 1 && (addr[l] % bytes || (uint64_t)addr[l] + bytes > b->win[win].size)) {
      f->answer = TSV_UP_FAULT;
      f->expect[0] = tsv_put(TSV_UP_FAULT_LANE, l) |
                     tsv_put(TSV_UP_FAULT_ALIGN, addr[l] % bytes != 0) |
                     tsv_put(TSV_UP_FAULT_ADDR, addr[l]);
      return;
    }
  // word by word, as the beats are
  for (unsigned w = 0; w < words; w++)
    for (unsigned l = 0; l < LANES; l++)
      if (mask >> l & 1) {
        uint32_t data = operand_word(b, rb, zero >> 1 & 1, l, mop == TSV_MOP_ST ? w : 0),
                 result = 0;
        access(shared_byte(b, win, addr[l] + 4 * w), mop, words > 1 ? TSV_MTYPE_U32 : mtype, &data,
               operand_word(b, rc, zero >> 2 & 1, l, 0), &result);
        if (loads)
          b->regs[d + w][l] = result;
      }
}

static void line(base *b, uint64_t h) {
  unsigned mtype = (unsigned)tsv_get(h, TSV_DN_LINE_MTYPE),
           reg = (unsigned)tsv_get(h, TSV_DN_LINE_REG);
  bool st = tsv_get(h, TSV_DN_LINE_STORE), zero = tsv_get(h, TSV_DN_LINE_ZERO);
  uint32_t addr = (uint32_t)tsv_get(h, TSV_DN_LINE_ADDR);
  for (unsigned l = 0; l < LANES; l++) {
    uint32_t a = addr + l * tsv_mtype_bytes(mtype), data = zero ? 0 : b->regs[reg][l], result = 0;
    access(base_sector(b, a >> 5) + (a & 31), st ? TSV_MOP_ST : TSV_MOP_LD, mtype, &data, 0,
           &result);
    if (!st)
      b->regs[reg][l] = result;
  }
}

static void sect(base *b, uint64_t h, const uint64_t *body) {
  unsigned mtype = (unsigned)tsv_get(h, TSV_DN_SECT_MTYPE),
           mop = (unsigned)tsv_get(h, TSV_DN_SECT_MOP);
  unsigned words = (tsv_mtype_bytes(mtype) + 3) / 4, d = (unsigned)tsv_get(h, TSV_DN_SECT_D);
  unsigned rb = (unsigned)tsv_get(h, TSV_DN_SECT_B), rc = body[0] >> 32 & 127, at = 0;
  bool zb = body[0] >> 39 & 1, zc = body[0] >> 40 & 1, list = body[0] >> 41 & 1;
  bool loads = mop == TSV_MOP_LD || tsv_get(h, TSV_DN_SECT_RET);
  uint32_t mask = (uint32_t)body[0];
  uint8_t *bytes = base_sector(b, (uint32_t)tsv_get(h, TSV_DN_SECT_SECTOR));
  unsigned off[LANES] = {0};
  for (unsigned l = 0; l < LANES; l++)
    if (mask >> l & 1) {
      off[l] = list ? (unsigned)(body[1 + at / 12] >> 5 * (at % 12) & 31)
                    : ((unsigned)(body[0] >> 42 & 31) +
                       (l - (unsigned)__builtin_ctz(mask)) * tsv_mtype_bytes(mtype)) %
                          32;
      at++;
    }
  for (unsigned w = 0; w < words; w++)
    for (unsigned l = 0; l < LANES; l++)
      if (mask >> l & 1) {
        uint32_t data = operand_word(b, rb, zb, l, mop == TSV_MOP_ST ? w : 0), result = 0;
        access(bytes + off[l] + 4 * w, mop, words > 1 ? TSV_MTYPE_U32 : mtype, &data,
               operand_word(b, rc, zc, l, 0), &result);
        if (loads)
          b->regs[d + w][l] = result;
      }
}

static void for_base(base *b, uint64_t h, const uint64_t *body, flight *f) {
  uint8_t *bytes = base_sector(b, (uint32_t)tsv_get(h, TSV_DN_RD_SECTOR));
  uint32_t word;
  switch (h & 15) {
    case TSV_DN_RD:
      if (tsv_get(h, TSV_DN_RD_SINGLE)) {
        memcpy(&word, bytes + 4 * tsv_get(h, TSV_DN_RD_WORD), 4);
        f->answer = TSV_UP_WORD;
        f->expect[0] = tsv_put(TSV_UP_WORD_DATA, word);
      } else {
        unsigned n = 0;
        for (unsigned c = 0; c < 4; c++)
          if (tsv_get(h, TSV_DN_RD_CHUNKS) >> c & 1)
            memcpy(&f->expect[1 + n++], bytes + 8 * c, 8);
        f->answer = TSV_UP_DATA;
        f->expect[0] =
            tsv_put(TSV_UP_ANY_LEN, n) | tsv_put(TSV_UP_DATA_CHUNKS, tsv_get(h, TSV_DN_RD_CHUNKS));
      }
      break;
    case TSV_DN_WR:
      f->answer = TSV_UP_DONE;
      if (tsv_get(h, TSV_DN_WR_SINGLE)) {
        for (unsigned k = 0; k < 4; k++)
          if (tsv_get(h, TSV_DN_WR_BE) >> k & 1)
            bytes[4 * tsv_get(h, TSV_DN_WR_WORD) + k] = (uint8_t)(body[0] >> 8 * k);
      } else {
        bool full = tsv_get(h, TSV_DN_WR_FULL);
        unsigned n = full ? 0 : 1;
        for (unsigned c = 0; c < 4; c++)
          if (tsv_get(h, TSV_DN_WR_CHUNKS) >> c & 1) {
            for (unsigned k = 0; k < 8; k++)
              if (full || body[0] >> (8 * c + k) & 1)
                bytes[8 * c + k] = (uint8_t)(body[n] >> 8 * k);
            n++;
          }
      }
      break;
    default: {  // ATM
      uint32_t data = (uint32_t)body[0], old;
      access(bytes + 4 * tsv_get(h, TSV_DN_ATM_WORD), (unsigned)tsv_get(h, TSV_DN_ATM_MOP),
             (unsigned)tsv_get(h, TSV_DN_ATM_MTYPE), &data, (uint32_t)(body[0] >> 32), &old);
      f->answer = tsv_get(h, TSV_DN_ATM_RET) ? TSV_UP_WORD : TSV_UP_DONE;
      f->expect[0] = tsv_put(TSV_UP_WORD_DATA, old);
    }
  }
}

static void moves(base *b, uint64_t h, const uint64_t *body, flight *f) {
  unsigned reg = (unsigned)tsv_get(h, TSV_DN_REGWR_REG), n = 0;
  uint32_t mask = (uint32_t)tsv_get(h, TSV_DN_REGWR_MASK);
  bool rd = (h & 15) == TSV_DN_REGRD, uniform = tsv_get(h, TSV_DN_REGWR_LINEAR);
  if (rd)
    f->answer = TSV_UP_REGD;
  if (!rd) {
    for (unsigned l = 0; l < LANES; l++)
      if (mask >> l & 1) {
        b->regs[reg][l] = (uint32_t)(body[n / 2] >> 32 * (n % 2));
        n += !uniform;
      }
    return;
  }
  uniform = true;
  for (unsigned l = 0; l < LANES; l++)
    if (mask >> l & 1)
      uniform = uniform && b->regs[reg][l] == b->regs[reg][__builtin_ctz(mask)];
  for (unsigned l = 0; l < LANES; l++)
    if (mask >> l & 1 && (!uniform || !n)) {
      f->expect[1 + n / 2] |= (uint64_t)b->regs[reg][l] << 32 * (n % 2);
      n++;
    }
  f->expect[0] = tsv_put(TSV_UP_ANY_LEN, (n + 1) / 2) | tsv_put(TSV_UP_REGD_LINEAR, uniform);
}

static void model(base *b, uint64_t h, const uint64_t *body, flight *f) {
  switch (h & 15) {
    case TSV_DN_EXEC:
      exec(b, h, body);
      break;
    case TSV_DN_SHM:
      shared(b, h, body, f);
      break;
    case TSV_DN_LINE:
      line(b, h);
      break;
    case TSV_DN_SECT:
      sect(b, h, body);
      break;
    case TSV_DN_RD:
    case TSV_DN_WR:
    case TSV_DN_ATM:
      for_base(b, h, body, f);
      break;
    case TSV_DN_WIN:
      b->win[tsv_get(h, TSV_DN_WIN_WIN)].base = (uint32_t)tsv_get(h, TSV_DN_WIN_BASE);
      b->win[tsv_get(h, TSV_DN_WIN_WIN)].size = (uint32_t)tsv_get(h, TSV_DN_WIN_SIZE);
      b->win[tsv_get(h, TSV_DN_WIN_WIN)].skew =
          b->skews ? (uint32_t)tsv_get(h, TSV_DN_WIN_SKEW) : 0;
      break;
    case TSV_DN_SYNC:
      f->answer = TSV_UP_DONE;
      break;
    default:
      moves(b, h, body, f);
  }
}

bool base_send(base *b, uint64_t head, const uint64_t *body) {
  flight f = {.answer = NO_ANSWER};
  unsigned flits = tsv_dn_len(head);
  if (!can_send(b, b->keeper.forms && flits < 2 ? KEEPER_FLITS : flits + 1))
    return false;
  model(b, head, body, &f);
  send(b, head, body, flits, &f);
  return true;
}

// ---- random packets -----------------------------------------------------------------------------

static unsigned reg(base *b, unsigned words) {
  return below(b, b->mix.regs / words) * words;
}

static uint32_t some_sector(base *b) {
  return b->rows[below(b, b->mix.rows)] << 7 | below(b, chance(b, 128) ? 8 : 128);
}

static unsigned atom_op(base *b, unsigned *mtype) {
  static const uint8_t types[] = {TSV_MTYPE_U32, TSV_MTYPE_S32, TSV_MTYPE_F32};
  *mtype = types[below(b, 3)];
  return TSV_MOP_ATOM + (*mtype == TSV_MTYPE_F32 ? (unsigned)ISA_ATOM_ADD : below(b, 10));
}

static uint64_t random_exec(base *b, uint64_t *body) {
  isa_inst i = b->ops[below(b, b->n_ops)];
  uint32_t words[4] = {0};
  unsigned n = 0, zero = 0;
  uint64_t h = tsv_put(TSV_DN_EXEC_OP, i.op) | tsv_put(TSV_DN_EXEC_TYPE, i.type) |
               tsv_put(TSV_DN_EXEC_FN, i.fn) | tsv_put(TSV_DN_EXEC_D, reg(b, isa_words(&i, 0)));
  isa_inst with = i;
  with.ftz = chance(b, 64);
  if (!isa_check(&with))
    i.ftz = with.ftz;
  with = i, with.sat = chance(b, 64);
  if (!isa_check(&with))
    i.sat = with.sat;
  unsigned imm_at = below(b, 8);
  with = i, with.imm_at = (uint8_t)(imm_at < 4 ? imm_at : 0), with.imm = value(b);
  *(with.imm_at == 1 ? &with.a : with.imm_at == 2 ? &with.b : &with.c) = ISA_RZ;
  if (with.imm_at && !isa_check(&with))
    i = with;
  static const enum tsv_field fields[] = {TSV_DN_EXEC_A, TSV_DN_EXEC_B, TSV_DN_EXEC_C};
  for (unsigned o = 1; o < 4; o++)
    if (isa_words(&i, o) && i.imm_at != o) {
      h |= tsv_put(fields[o - 1], reg(b, isa_words(&i, o)));
      if (chance(b, 12))
        zero |= 1u << (o - 1);
    }
  if (isa_ops[i.op].types2)
    h |= tsv_put(TSV_DN_EXEC_C, i.type2);
  if (chance(b, 100)) {
    h |= tsv_put(TSV_DN_EXEC_HAS_MASK, 1);
    words[n++] = some_lanes(b);
  }
  if (i.imm_at || i.op == ISA_OP_LOP3)
    words[n++] = i.imm_at ? i.imm : rnd(b) & 255;
  if (i.op == ISA_OP_SELP)
    words[n++] = some_lanes(b);
  for (unsigned w = 0; w < 2; w++)
    body[w] = words[2 * w] | (uint64_t)words[2 * w + 1] << 32;
  return h | tsv_put(TSV_DN_EXEC_FTZ, i.ftz) | tsv_put(TSV_DN_EXEC_SAT, i.sat) |
         tsv_put(TSV_DN_EXEC_IMM_AT, i.imm_at) | tsv_put(TSV_DN_EXEC_ZERO, zero);
}

// Windows that are in use, each in a quarter of shared memory, or of this base die's part of it:
// accesses through windows that overlap have no order.
static const uint8_t windows[] = {0, 5, 10, 15};
enum { WINDOWS = sizeof windows };

static uint32_t quarter(const base *b) {
  return (b->mix.part ? PART : (uint32_t)sizeof b->shared) / WINDOWS;
}

static uint32_t part(const base *b) {
  return b->mix.part ? (b->mix.part - 1u) * PART : 0;
}

static uint64_t random_window(base *b) {
  const uint32_t n = below(b, WINDOWS), half = quarter(b) / 2;
  const uint32_t at = part(b) + n * quarter(b) + 16 * below(b, half / 16);
  const bool whole = b->mix.part && !chance(b, 64);
  return TSV_DN_WIN | tsv_put(TSV_DN_WIN_WIN, windows[n]) | tsv_put(TSV_DN_WIN_BASE, at) |
         tsv_put(TSV_DN_WIN_SIZE, whole ? half : below(b, half + 1)) |
         tsv_put(TSV_DN_WIN_SKEW, below(b, 4));
}

// Addresses in registers are multiples of 16 below so many: of a part, those that are in a window
// of half of it.
static uint32_t places(const base *b) {
  return b->mix.part ? 60 : 256;
}

static uint64_t random_shm(base *b, uint64_t *body) {
  unsigned mtype = below(b, 9), mop = below(b, 2), n = 0, fields = 0;
  uint64_t h = TSV_DN_SHM;
  if (chance(b, 24))
    return random_window(b);
  if (chance(b, 80)) {
    mop = atom_op(b, &mtype);
    h |= tsv_put(TSV_DN_SHM_RET, rnd(b) & 1);
  }
  if (b->mix.part && chance(b, 128)) {  // many words are zero: there cas stores its new value
    fields = 2;
    if (chance(b, 128))
      mop = TSV_MOP_ATOM + ISA_ATOM_CAS, mtype = TSV_MTYPE_U32, h |= tsv_put(TSV_DN_SHM_RET, 1);
  }
  unsigned words = (tsv_mtype_bytes(mtype) + 3) / 4;
  uint32_t mask = some_lanes(b), w[24] = {0};
  bool in_line = chance(b, 60);
  while (in_line && __builtin_popcount(mask) > 22)
    mask &= rnd(b) | 1u << __builtin_ctz(mask);
  if (in_line || chance(b, 128)) {
    h |= tsv_put(TSV_DN_SHM_HAS_MASK, 1);
    w[n++] = mask;
  }
  unsigned align = tsv_mtype_bytes(mtype);
  if (in_line) {
    h |= tsv_put(TSV_DN_SHM_INLINE, 1);
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    for (unsigned l = 0; l < lanes; l++)
      w[1 + l / 2] |= below(b, chance(b, 3) ? 65536 : 256) / align * align << 16 * (l % 2);
    n += (lanes + 1) / 2;
  } else {
    if (chance(b, 64))
      fields |= 1;
    if (chance(b, 128)) {
      h |= tsv_put(TSV_DN_SHM_HAS_IMM, 1);
      w[n++] = below(b, 64) * (chance(b, 250) ? 16 : 1);
    }
  }
  if (chance(b, 20))
    fields |= 2;
  if (chance(b, 20))
    fields |= 4;
  for (unsigned f = 0; f < (n + 1) / 2; f++)
    body[f] = w[2 * f] | (uint64_t)w[2 * f + 1] << 32;
  // register 0 to 3 hold addresses: see random_reg
  return h | tsv_put(TSV_DN_ANY_LEN, (n + 1) / 2) | tsv_put(TSV_DN_SHM_MTYPE, mtype) |
         tsv_put(TSV_DN_SHM_MOP, mop) | tsv_put(TSV_DN_SHM_D, reg(b, words)) |
         tsv_put(TSV_DN_SHM_A, below(b, 4)) | tsv_put(TSV_DN_SHM_B, reg(b, words)) |
         tsv_put(TSV_DN_SHM_C, reg(b, 1)) | tsv_put(TSV_DN_SHM_WIN, windows[below(b, WINDOWS)]) |
         tsv_put(TSV_DN_SHM_ZERO, fields);
}

static uint64_t random_line(base *b) {
  unsigned mtype = chance(b, 160) ? TSV_MTYPE_U32 + below(b, 3) : below(b, 4);
  unsigned bytes = tsv_mtype_bytes(mtype), slack = 128 - 32 * bytes;
  uint32_t addr = (some_sector(b) << 5 & ~127u) + (slack ? below(b, slack / bytes + 1) * bytes : 0);
  return TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, mtype) | tsv_put(TSV_DN_LINE_STORE, rnd(b) & 1) |
         tsv_put(TSV_DN_LINE_ZERO, chance(b, 20)) | tsv_put(TSV_DN_LINE_REG, reg(b, 1)) |
         tsv_put(TSV_DN_LINE_ADDR, addr);
}

static uint64_t random_sect(base *b, uint64_t *body, bool atom) {
  unsigned mtype = below(b, 9), mop = below(b, 2), flits = 1;
  if (atom)
    mop = atom_op(b, &mtype);
  unsigned bytes = tsv_mtype_bytes(mtype), words = (bytes + 3) / 4;
  uint32_t mask = some_lanes(b);
  bool list = chance(b, 160);
  body[0] = mask | (uint64_t)reg(b, 1) << 32 | (uint64_t)chance(b, 20) << 39 |
            (uint64_t)chance(b, 20) << 40 | (uint64_t)list << 41 |
            (uint64_t)(below(b, 32 / bytes) * bytes) << 42;
  if (list) {
    unsigned n = (unsigned)__builtin_popcount(mask);
    flits = 1 + (n + 11) / 12;
    body[1] = body[2] = body[3] = 0;
    for (unsigned i = 0; i < n; i++)
      body[1 + i / 12] |= (uint64_t)(below(b, 32 / bytes) * bytes) << 5 * (i % 12);
  }
  return TSV_DN_SECT | tsv_put(TSV_DN_ANY_LEN, flits) | tsv_put(TSV_DN_SECT_MTYPE, mtype) |
         tsv_put(TSV_DN_SECT_MOP, mop) | tsv_put(TSV_DN_SECT_RET, atom && rnd(b) & 1) |
         tsv_put(TSV_DN_SECT_D, reg(b, words)) | tsv_put(TSV_DN_SECT_B, reg(b, words)) |
         tsv_put(TSV_DN_SECT_SECTOR, some_sector(b));
}

static uint64_t random_rd_wr(base *b, uint64_t *body, unsigned kind) {
  uint64_t h = kind | tsv_put(TSV_DN_RD_SECTOR, some_sector(b));
  bool single = rnd(b) & 1, full = rnd(b) & 1;
  unsigned chunks = 1 + below(b, 15), n = (unsigned)__builtin_popcount(chunks);
  for (unsigned f = 0; f < 5; f++)
    body[f] = value(b) | (uint64_t)value(b) << 32;
  if (kind == TSV_DN_RD)
    return h | (single ? tsv_put(TSV_DN_RD_SINGLE, 1) | tsv_put(TSV_DN_RD_WORD, below(b, 8))
                       : tsv_put(TSV_DN_RD_CHUNKS, chunks));
  if (kind == TSV_DN_ATM) {
    unsigned mtype, mop = atom_op(b, &mtype);
    return h | tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_ATM_MTYPE, mtype) |
           tsv_put(TSV_DN_ATM_MOP, mop) | tsv_put(TSV_DN_ATM_RET, rnd(b) & 1) |
           tsv_put(TSV_DN_ATM_WORD, below(b, 8));
  }
  if (single)
    return body[0] &= 0xffffffff, h | tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_WR_SINGLE, 1) |
                                      tsv_put(TSV_DN_WR_WORD, below(b, 8)) |
                                      tsv_put(TSV_DN_WR_BE, 1 + below(b, 15));
  if (!full)
    body[0] &= 0xffffffff;
  return h | tsv_put(TSV_DN_ANY_LEN, n + !full) | tsv_put(TSV_DN_WR_CHUNKS, chunks) |
         tsv_put(TSV_DN_WR_FULL, full);
}

static uint64_t random_reg(base *b, uint64_t *body) {
  uint32_t mask = some_lanes(b);
  unsigned n = (unsigned)__builtin_popcount(mask), r = reg(b, 1);
  uint64_t h = tsv_put(TSV_DN_REGWR_REG, r) | tsv_put(TSV_DN_REGWR_MASK, mask);
  if (rnd(b) & 1)
    return h | TSV_DN_REGRD;
  bool uniform = chance(b, 64);
  if (uniform)
    n = 1;
  for (unsigned i = 0; i < n; i++) {
    uint32_t v = r < 4 ? below(b, places(b)) * (chance(b, 250) ? 16 : 1) : value(b);
    body[i / 2] = i % 2 ? body[i / 2] | (uint64_t)v << 32 : v;
  }
  return h | TSV_DN_REGWR | tsv_put(TSV_DN_ANY_LEN, (n + 1) / 2) |
         tsv_put(TSV_DN_REGWR_LINEAR, uniform);
}

// A register before its first use: the file holds anything at power-up.
static void first_values(base *b) {
  uint64_t body[16];
  for (unsigned l = 0; l < LANES; l++) {
    uint32_t v = b->ready < 4 ? 16 * below(b, places(b)) : value(b);
    body[l / 2] = l % 2 ? body[l / 2] | (uint64_t)v << 32 : v;
  }
  if (base_send(b,
                TSV_DN_REGWR | tsv_put(TSV_DN_ANY_LEN, 16) | tsv_put(TSV_DN_REGWR_REG, b->ready) |
                    tsv_put(TSV_DN_REGWR_MASK, ~0u),
                body))
    b->ready++;
}

// Zeros in this base die's part of shared memory, a line of 32 words a packet.
static void clear_part(base *b) {
  const unsigned lines = PART / 128;
  uint64_t body[16] = {0};
  bool sent;
  if (b->cleared == 0)
    sent = base_send(b,
                     TSV_DN_WIN | tsv_put(TSV_DN_WIN_WIN, 0) | tsv_put(TSV_DN_WIN_BASE, part(b)) |
                         tsv_put(TSV_DN_WIN_SIZE, PART),
                     body);
  else if (b->cleared == 1) {
    for (unsigned l = 0; l < LANES; l += 2)
      body[l / 2] = 4 * l | (uint64_t)(4 * l + 4) << 32;
    sent = base_send(
        b, TSV_DN_REGWR | tsv_put(TSV_DN_ANY_LEN, 16) | tsv_put(TSV_DN_REGWR_MASK, ~0u), body);
  } else if (b->cleared == 2 + lines) {  // other windows wait for the end of this
    sent = base_send(b, TSV_DN_SYNC, body);
  } else if (b->cleared == 3 + lines) {
    b->is_clear = !b->in_flight;
    return;
  } else {
    body[0] = 128 * (b->cleared - 2);
    sent = base_send(b,
                     TSV_DN_SHM | tsv_put(TSV_DN_ANY_LEN, 1) |
                         tsv_put(TSV_DN_SHM_MTYPE, TSV_MTYPE_U32) |
                         tsv_put(TSV_DN_SHM_MOP, TSV_MOP_ST) | tsv_put(TSV_DN_SHM_HAS_IMM, 1) |
                         tsv_put(TSV_DN_SHM_ZERO, 2),
                     body);
  }
  b->cleared += sent;
}

static void random_packet(base *b) {
  if (b->mix.part && !b->is_clear) {
    clear_part(b);
    return;
  }
  if (b->ready < b->mix.regs) {
    first_values(b);
    return;
  }
  const base_mix *m = &b->mix;
  uint64_t body[17] = {0}, head;
  uint32_t imm;
  if (b->keeper.forms && m->exec + m->shm && chance(b, 80) && can_send(b, KEEPER_FLITS) &&
      keeper_again(&b->keeper, rnd(b), m->regs, &head, &imm)) {
    body[0] = imm;
    base_send(b, head, body);
    return;
  }
  if (chance(b, m->sync)) {
    head = TSV_DN_SYNC | tsv_put(TSV_DN_SYNC_SHARED, rnd(b) & 1) |
           tsv_put(TSV_DN_SYNC_WIN, windows[below(b, WINDOWS)]);
    base_send(b, head, body);
    return;
  }
  unsigned pick = below(b, (unsigned)(m->exec + m->line + m->sect + m->global_atom + m->shm +
                                      m->rd + m->wr + m->reg));
#define KIND(weight) (pick < (weight) ? true : (pick -= (weight), false))
  if (KIND(m->exec))
    head = random_exec(b, body);
  else if (KIND(m->line))
    head = random_line(b);
  else if (KIND(m->sect))
    head = random_sect(b, body, false);
  else if (KIND(m->global_atom))
    head = rnd(b) & 1 ? random_sect(b, body, true) : random_rd_wr(b, body, TSV_DN_ATM);
  else if (KIND(m->shm))
    head = random_shm(b, body);
  else if (KIND(m->rd))
    head = random_rd_wr(b, body, TSV_DN_RD);
  else if (KIND(m->wr))
    head = random_rd_wr(b, body, TSV_DN_WR);
  else
    head = random_reg(b, body);
#undef KIND
  base_send(b, head, body);
}

// ---- answers ------------------------------------------------------------------------------------

// A SYNC waits for the end of this packet. REGRD: its register has been read.
static bool asks_for(uint64_t sync, uint64_t kind, uint64_t win) {
  if (!tsv_get(sync, TSV_DN_SYNC_SHARED))
    return kind != TSV_DN_REGRD;
  return kind == TSV_DN_SHM && win == tsv_get(sync, TSV_DN_SYNC_WIN);
}

// With the answer to a SYNC all before it that it asks for are complete.
static void check_sync(base *b, unsigned tag) {
  const flight *sync = &b->flights[tag];
  for (unsigned t = 0; t < BASE_TAGS; t++) {
    const flight *f = &b->flights[t];
    if (f->used && f->number < sync->number &&
        asks_for(sync->head, f->head & 15, tsv_get(f->head, TSV_DN_SHM_WIN)))
      wrong(b, "a SYNC is answered before an older packet", t, f->head, 0);
    const sent *s = &b->sent[t];
    if (s->used && s->number < sync->number && asks_for(sync->head, s->kind, s->win))
      wrong(b, "a SYNC is answered before an older packet is complete", tag, t, 0);
  }
}

static void answered(base *b, unsigned tag, unsigned kind) {
  flight *f = &b->flights[tag];
  if (!f->used)
    wrong(b, "an answer nobody asked for", tag, kind, 0);
  else if (f->answer != kind)
    wrong(b, "an answer of the wrong kind", tag, kind, f->answer);
  if (!f->used)
    return;
  f->used = false;
  b->in_flight--;
  const bool is_sync = (f->head & 15) == TSV_DN_SYNC;
  if (is_sync)
    check_sync(b, tag);
  sent *s = &b->sent[tag];
  if (!b->watched || s->number != f->number)
    return;
  if (!is_sync && kind == TSV_UP_DONE && s->used)
    wrong(b, "DONE of a packet that is not complete", tag, tag, 0);
  if (!is_sync && kind != TSV_UP_DONE && !s->begun)
    wrong(b, "an answer to a packet that did not begin", tag, tag, 0);
  s->used = false;
}

static void up_flit(base *b, uint64_t flit) {
  if (!b->have) {
    unsigned kind = (unsigned)tsv_get(flit, TSV_UP_ANY_KIND);
    b->need = 1 + (kind == TSV_UP_DONE ? 0 : (unsigned)tsv_get(flit, TSV_UP_ANY_LEN));
    if (b->need > 17)
      wrong(b, "an answer that is too long", 0, b->need, 17), b->need = 1;
  }
  b->packet[b->have++] = flit;
  if (b->have < b->need)
    return;
  b->have = 0;
  unsigned kind = b->packet[0] & 15, tag = (unsigned)tsv_get(b->packet[0], TSV_UP_ANY_TAG);
  b->packets[1][kind]++;
  if (kind == TSV_UP_DONE) {
    unsigned n = (unsigned)tsv_get(b->packet[0], TSV_UP_DONE_COUNT);
    if (n < 1 || n > 7 || (n < 7 && b->packet[0] >> (8 + 8 * n)))
      wrong(b, "a malformed DONE", 0, b->packet[0], 0);
    for (unsigned i = 0; i < n; i++)
      answered(b, (unsigned)(b->packet[0] >> (8 + 8 * i)) & 255, TSV_UP_DONE);
    return;
  }
  flight f = b->flights[tag];
  answered(b, tag, kind);
  if (!f.used)
    return;
  if ((b->packet[0] & ~0xfffull) != f.expect[0])
    wrong(b, "an answer with the wrong head", tag, b->packet[0] & ~0xfffull, f.expect[0]);
  for (unsigned i = 1; i < b->need; i++)
    if (b->packet[i] != f.expect[i])
      wrong(b, "an answer with the wrong data", tag, b->packet[i], f.expect[i]);
}

// ---- records ------------------------------------------------------------------------------------

static void check_records(base *b, const nbu_out *out) {
  if (out->begin_valid) {
    sent *s = &b->sent[out->begin_tag & 255];
    if (!s->used || s->begun || s->kind == TSV_DN_SYNC)
      wrong(b, "begin_tag of no packet that can begin", 0, out->begin_tag, 0);
    s->begun = true;
  } else if (b->seen && out->begin_tag != b->last.begin_tag) {
    wrong(b, "begin_tag without begin_valid", 0, out->begin_tag, b->last.begin_tag);
  }
  for (unsigned by = VALU; by <= REGMOVE; by++) {
    const unsigned tag = out->ret_tag >> 8 * by & 255, was = b->last.ret_tag >> 8 * by & 255;
    if (out->ret_valid >> by & 1) {
      sent *s = &b->sent[tag];
      if (!s->used || !s->begun || s->by != by)
        wrong(b, "ret_tag of no packet under way in this block", 0, tag, by);
      s->used = false;
    } else if (b->seen && tag != was) {
      wrong(b, "ret_tag without its bit of ret_valid", 0, tag, was);
    }
  }
  b->last = *out, b->seen = true;
}

bool base_complete(const base *b) {
  for (unsigned t = 0; t < BASE_TAGS; t++)
    if (b->sent[t].used)
      return false;
  return true;
}

// ---- a cycle ------------------------------------------------------------------------------------

// What the oldest request does, and its answer.
static void serve_shared(base *b, const nbu_out *r, nbu_in *in) {
  memset(in->sm_rdata, 0, sizeof in->sm_rdata);
  for (unsigned l = 0; l < LANES; l++) {
    if (!(r->sm_mask >> l & 1))
      continue;
    uint32_t addr = 0;
    for (unsigned k = 0; k < 14; k++)
      addr |= (r->sm_addr[(14 * l + k) / 32] >> (14 * l + k) % 32 & 1) << k;
    uint32_t *at = &b->smem[addr], be = r->sm_be[l / 8] >> 4 * (l % 8) & 15;
    in->sm_rdata[l] = *at;
    if (r->sm_op == TSV_MOP_ST) {
      for (unsigned k = 0; k < 4; k++)
        if (be >> k & 1)
          ((uint8_t *)at)[k] = (uint8_t)(r->sm_b[l] >> 8 * k);
    } else if (r->sm_op >= TSV_MOP_ATOM)
      *at = atomic(r->sm_op,
                   r->sm_f32   ? TSV_MTYPE_F32
                   : r->sm_sgn ? TSV_MTYPE_S32
                               : TSV_MTYPE_U32,
                   *at, r->sm_b[l], r->sm_c[l]);
  }
}

// Now and then an answer takes so long that as many requests wait as there can be.
static void shared_memory(base *b, const nbu_out *out, nbu_in *in) {
  enum { MOST = sizeof b->sm / sizeof *b->sm };
  in->sm_rvalid = b->sm_n && b->sm_wait-- == 0;
  if (in->sm_rvalid) {
    serve_shared(b, &b->sm[0], in);
    memmove(&b->sm[0], &b->sm[1], --b->sm_n * sizeof b->sm[0]);
    b->sm_wait = below(b, 8);
  }
  in->sm_ready = b->sm_n < MOST && chance(b, 160);
  if (out->sm_valid && in->sm_ready) {
    if (!b->sm_n)
      b->sm_wait = chance(b, 16) ? 40 : below(b, 8);
    b->sm[b->sm_n++] = *out;
  }
}

void base_arrays(base *b, const nbu_out *out, nbu_in *in) {
  in->rst_n = 1;
  in->cfg_rows = b->straps.rows;
  in->cfg_closed = b->straps.closed;
  memcpy(in->cfg_times, b->straps.times, sizeof in->cfg_times);
  in->test_en = b->cycle >> 12 & 1;  // clocks that run need nothing to do
  // the pins of the cycle that follows the last edge
  dram_pins pins = {out->cmd, out->cmd_bank, out->cmd_row, out->cmd_col, out->wdata, out->wmask};
  dram_step(b->dram, b->cycle, &pins, in->rdata);
  in->ref_tick = 0;
  if (b->cycle >= b->refresh) {
    in->ref_tick = 1u << (b->refresh / b->turn) % DRAM_BANKS;
    b->refresh += b->turn;
    dram_due(b->dram, b->cycle + 1, in->ref_tick);
  }
  b->cycle++;
}

uint32_t base_take(base *b, uint32_t offered) {
  if (!b->quiet && (b->cycle >> 6 & 15) == 15)  // the bus is with others for a while: queues fill
    return 0;
  while (offered && chance(b, b->mix.up_stall))
    offered--;
  return offered;
}

void base_up(base *b, const uint32_t *flit) {
  up_flit(b, tsv_flit(flit));
  b->up_room++;
}

uint32_t base_up_credit(base *b) {
  if (chance(b, b->mix.up_stall))
    return 0;
  uint32_t n = b->up_room > 2 ? 2 : b->up_room;
  b->up_room -= n;
  return n;
}

uint32_t base_down(base *b, uint32_t credit, uint32_t max, uint32_t *flits) {
  b->credits += credit;
  if (!b->quiet) {
    if (!b->pause && chance(b, b->mix.silence))
      b->pause = below(b, 200);
    if (b->pause)
      b->pause--;
    else
      random_packet(b);
  }
  uint32_t n = 0;
  while (n < max && b->queued && b->credits && !chance(b, b->mix.dn_stall)) {
    uint64_t flit = b->flits[b->first];
    flits[2 * n] = (uint32_t)flit, flits[2 * n + 1] = (uint32_t)(flit >> 32);
    n++;
    b->first = (b->first + 1) % OUT_FLITS;
    b->queued--, b->credits--;
  }
  return n;
}

void base_sizes(base *b, const structure *s) {
  const uint32_t regs = 4 * s->rf_rows;
  b->credits = s->rx_depth, b->bus = s->flits, b->keeper.forms = s->forms;
  b->skews = s->skew;
  if (b->mix.regs > regs)
    b->mix.regs = (uint8_t)regs;
}

void base_drive(base *b, const nbu_out *out, nbu_in *in) {
  base_arrays(b, out, in);
  if (b->watched)
    check_records(b, out);
  shared_memory(b, out, in);
  in->up_take = base_take(b, out->up_count);
  for (unsigned i = 0; i < in->up_take; i++)
    base_up(b, out->up_data + 2 * i);
  in->up_credit = base_up_credit(b);
  memset(in->dn_data, 0, sizeof in->dn_data);
  in->dn_count = base_down(b, out->dn_credit, b->bus, in->dn_data);
}

void base_quiet(base *b) {
  b->quiet = true;
}
bool base_done(const base *b) {
  return !b->in_flight && !b->queued;
}
const char *base_error(const base *b) {
  return b->error[0] ? b->error : NULL;
}
uint32_t *base_reg(base *b, unsigned r) {
  return b->regs[r];
}
uint64_t base_cycle(const base *b) {
  return b->cycle;
}
uint64_t base_packets(const base *b, bool up, unsigned kind) {
  return b->packets[up][kind];
}
dram *base_dram(base *b) {
  return b->dram;
}
