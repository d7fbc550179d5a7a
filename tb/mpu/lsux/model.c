// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <string.h>

#include "csim/isa/isa.h"
#include "csim/mpu/tsv_packet.h"

uint8_t *model_sector(model *m, uint32_t row, uint32_t col, uint32_t bank) {
  for (uint32_t r = 0; r < MODEL_ROWS; r++)
    if (m->rows[r] == row)
      return m->banks[r][col][bank];
  return NULL;
}

static uint32_t field(uint64_t head, enum tsv_field f) {
  return (uint32_t)tsv_get(head, f);
}

static uint32_t kind_of(uint64_t head) {
  return field(head, TSV_DN_ANY_KIND);
}

uint32_t model_bytes(uint64_t head) {
  static const uint8_t bytes[16] = {1, 1, 2, 2, 4, 4, 4, 8, 16};
  return bytes[field(head, TSV_DN_SECT_MTYPE)];
}

static uint32_t words_of(uint64_t head) {
  const uint32_t bytes = model_bytes(head);
  return bytes < 4 ? 1 : bytes / 4;
}

uint32_t model_needs(uint64_t head) {
  switch (kind_of(head)) {
    case TSV_DN_LINE:
      return field(head, TSV_DN_LINE_STORE);
    case TSV_DN_SECT:
      return field(head, TSV_DN_SECT_MOP) == TSV_MOP_LD   ? 0
             : field(head, TSV_DN_SECT_MOP) == TSV_MOP_ST ? words_of(head)
                                                          : 1;
    case TSV_DN_SHM:
      if (field(head, TSV_DN_SHM_MOP) == TSV_MOP_LD)
        return !field(head, TSV_DN_SHM_INLINE) && !(field(head, TSV_DN_SHM_ZERO) & 1);
      return field(head, TSV_DN_SHM_MOP) == TSV_MOP_ST ? words_of(head) : 1;
    default:
      return 0;
  }
}

// ---- bytes

static uint32_t get(const uint8_t *bytes, uint32_t n) {
  uint32_t x = 0;
  for (uint32_t i = 0; i < n; i++)
    x |= (uint32_t)bytes[i] << 8 * i;
  return x;
}

static void put(uint8_t *bytes, uint32_t n, uint32_t x) {
  for (uint32_t i = 0; i < n; i++)
    bytes[i] = (uint8_t)(x >> 8 * i);
}

static uint32_t load(const uint8_t *bytes, uint32_t mtype) {
  switch (mtype) {
    case TSV_MTYPE_U8:
      return bytes[0];
    case TSV_MTYPE_S8:
      return bytes[0] | (bytes[0] & 0x80 ? 0xffffff00 : 0);
    case TSV_MTYPE_U16:
      return get(bytes, 2);
    case TSV_MTYPE_S16:
      return get(bytes, 2) | (bytes[1] & 0x80 ? 0xffff0000 : 0);
    default:
      return get(bytes, 4);
  }
}

static uint32_t add_f32(uint32_t x, uint32_t y) {
  float f[2];
  const uint32_t in[2] = {x, y};
  memcpy(f, in, sizeof f);
  const float sum = f[0] + f[1];
  uint32_t out;
  memcpy(&out, &sum, sizeof out);
  const bool nan = (out & 0x7fffffff) > 0x7f800000;
  return nan ? 0x7fffffff : out;
}

static uint32_t change(uint32_t op, uint32_t mtype, uint32_t old, uint32_t b, uint32_t c) {
  const bool less = mtype == TSV_MTYPE_S32 ? (int64_t)(int32_t)old < (int64_t)(int32_t)b : old < b;
  switch (op) {
    case ISA_ATOM_ADD:
      return mtype == TSV_MTYPE_F32 ? add_f32(old, b) : old + b;
    case ISA_ATOM_MIN:
      return less ? old : b;
    case ISA_ATOM_MAX:
      return less ? b : old;
    case ISA_ATOM_INC:
      return old >= b ? 0 : old + 1;
    case ISA_ATOM_DEC:
      return old == 0 || old > b ? b : old - 1;
    case ISA_ATOM_AND:
      return old & b;
    case ISA_ATOM_OR:
      return old | b;
    case ISA_ATOM_XOR:
      return old ^ b;
    case ISA_ATOM_EXCH:
      return b;
    default:
      return old == b ? c : old;
  }
}

// ---- packets

typedef struct access {
  uint32_t mop, mtype, mask, reg, words;
  bool ret;
  uint8_t *at[MODEL_LANES];  // the lane's byte
  // Of shared memory, its first byte, and by how many words each row of 32 is turned beyond the one
  // before it.
  uint8_t *shared;
  uint32_t skew;
} access;

// Where word k of a lane is.
static uint8_t *byte_of(const access *x, uint32_t lane, uint32_t k) {
  if (!x->shared)
    return x->at[lane] + 4 * k;
  const uint32_t at = (uint32_t)(x->at[lane] - x->shared) + 4 * k, row = at / 128;
  return x->shared + row * 128 + (at % 128 + 4 * x->skew * row) % 128;
}

// Accesses of lanes to bytes that are there. Stores and atomics take lanes from the lowest on.
static void run_lanes(const access *x, const model_packet *p, model_result *r) {
  for (uint32_t k = 0; k < x->words; k++) {
    const model_operands *o = &p->operands[x->mop == TSV_MOP_ST ? k : 0];
    model_write *w = &r->writes[r->n_writes];
    const uint32_t bytes = model_bytes(p->head) < 4 ? model_bytes(p->head) : 4;
    w->reg = x->reg + k;
    w->mask = x->mask;
    for (uint32_t l = 0; l < MODEL_LANES; l++) {
      if (!(x->mask >> l & 1))
        continue;
      uint8_t *at = byte_of(x, l, k);
      w->data[l] = load(at, x->mtype);
      if (x->mop == TSV_MOP_ST)
        put(at, bytes, o->b[l]);
      else if (x->mop >= TSV_MOP_ATOM)
        put(at, 4, change(x->mop - TSV_MOP_ATOM, x->mtype, w->data[l], o->b[l], o->c[l]));
    }
    if (x->mop == TSV_MOP_LD || (x->mop >= TSV_MOP_ATOM && x->ret))
      r->n_writes++;
  }
  r->done = true;
}

static void run_line(model *m, const model_packet *p, model_result *r) {
  const uint32_t addr = field(p->head, TSV_DN_LINE_ADDR);
  access x = {.mop = field(p->head, TSV_DN_LINE_STORE) ? TSV_MOP_ST : TSV_MOP_LD,
              .mtype = field(p->head, TSV_DN_LINE_MTYPE),
              .mask = ~0u,
              .reg = field(p->head, TSV_DN_LINE_REG),
              .words = 1};
  for (uint32_t l = 0; l < MODEL_LANES; l++) {
    const uint32_t a = addr + l * model_bytes(p->head);
    x.at[l] = model_sector(m, a >> 12, a >> 7 & 31, a >> 5 & 3) + a % 32;
  }
  run_lanes(&x, p, r);
}

static uint8_t *sector_of(model *m, uint64_t head) {
  const uint32_t s = field(head, TSV_DN_SECT_SECTOR);
  return model_sector(m, s >> 7, s >> 2 & 31, s & 3);
}

static void run_sect(model *m, const model_packet *p, model_result *r) {
  access x = {.mop = field(p->head, TSV_DN_SECT_MOP),
              .mtype = field(p->head, TSV_DN_SECT_MTYPE),
              .mask = p->body[0],
              .ret = field(p->head, TSV_DN_SECT_RET),
              .reg = field(p->head, TSV_DN_SECT_D),
              .words = words_of(p->head)};
  const bool list = p->body[1] >> 9 & 1;
  uint32_t n = 0, low = 32;
  for (uint32_t l = 0; l < MODEL_LANES; l++) {
    if (!(x.mask >> l & 1))
      continue;
    low = low == 32 ? l : low;
    uint32_t byte = ((p->body[1] >> 10 & 31) + (l - low) * model_bytes(p->head)) % 32;
    if (list)
      byte = (uint32_t)(tsv_flit(&p->body[2 + 2 * (n / 12)]) >> n % 12 * 5) & 31;
    x.at[l] = sector_of(m, p->head) + byte;
    n++;
  }
  run_lanes(&x, p, r);
}

static void send_up(const model_packet *p, model_result *r, uint64_t head, uint32_t len) {
  r->up = true;
  r->packet.len = len;
  r->packet.head =
      head | tsv_put(TSV_UP_ANY_TAG, field(p->head, TSV_DN_ANY_TAG)) | tsv_put(TSV_UP_ANY_LEN, len);
}

static void send_word(const model_packet *p, model_result *r, uint32_t word) {
  send_up(p, r, TSV_UP_WORD | tsv_put(TSV_UP_WORD_DATA, word), 0);
}

static void run_rd(model *m, const model_packet *p, model_result *r) {
  const uint8_t *sector = sector_of(m, p->head);
  if (field(p->head, TSV_DN_RD_SINGLE)) {
    send_word(p, r, get(sector + 4 * field(p->head, TSV_DN_RD_WORD), 4));
    return;
  }
  const uint32_t chunks = field(p->head, TSV_DN_RD_CHUNKS);
  uint32_t n = 0;
  for (uint32_t k = 0; k < 4; k++)
    if (chunks >> k & 1)
      memcpy(&r->packet.body[2 * n++], sector + 8 * k, 8);
  send_up(p, r, TSV_UP_DATA | tsv_put(TSV_UP_DATA_CHUNKS, chunks), n);
}

static void run_wr(model *m, const model_packet *p, model_result *r) {
  uint8_t *sector = sector_of(m, p->head);
  r->done = true;
  if (field(p->head, TSV_DN_WR_SINGLE)) {
    for (uint32_t i = 0; i < 4; i++)
      if (field(p->head, TSV_DN_WR_BE) >> i & 1)
        sector[4 * field(p->head, TSV_DN_WR_WORD) + i] = (uint8_t)(p->body[0] >> 8 * i);
    return;
  }
  const bool full = field(p->head, TSV_DN_WR_FULL);
  const uint32_t mask = full ? ~0u : p->body[0];
  const uint8_t *from = (const uint8_t *)(p->body + (full ? 0 : 2));
  for (uint32_t i = 0; i < MODEL_SECTOR; i++)
    if (field(p->head, TSV_DN_WR_CHUNKS) >> i / 8 & 1) {
      if (mask >> i & 1)
        sector[i] = *from;
      from++;
    }
}

static void run_atm(model *m, const model_packet *p, model_result *r) {
  uint8_t *at = sector_of(m, p->head) + 4 * field(p->head, TSV_DN_ATM_WORD);
  const uint32_t old = get(at, 4);
  put(at, 4,
      change(field(p->head, TSV_DN_ATM_MOP) - TSV_MOP_ATOM, field(p->head, TSV_DN_ATM_MTYPE), old,
             p->body[0], p->body[1]));
  if (field(p->head, TSV_DN_ATM_RET))
    send_word(p, r, old);
  else
    r->done = true;
}

// The requests that shared memory must get: words, and bytes of them at their places.
static void ask_shared(const access *x, const model_packet *p, model_result *r) {
  const uint32_t bytes = model_bytes(p->head) < 4 ? model_bytes(p->head) : 4;
  for (uint32_t k = 0; k < x->words; k++) {
    const model_operands *o = &p->operands[x->mop == TSV_MOP_ST ? k : 0];
    model_shared *s = &r->shared[r->n_shared++];
    *s = (model_shared){.op = x->mop, .mtype = x->mtype, .mask = x->mask};
    for (uint32_t l = 0; l < MODEL_LANES; l++) {
      if (x->mask >> l & 1) {
        const uint32_t at = (uint32_t)(byte_of(x, l, k) - x->shared);
        s->addr[l] = at / 4;
        s->be[l] = ((1u << bytes) - 1) << at % 4;
        s->old[l] = get(x->shared + at / 4 * 4, 4);
      }
      s->c[l] = o->c[l];
      for (uint32_t i = 0; i < 4 && x->mop != TSV_MOP_LD; i++)
        s->b[l] |= (o->b[l] >> 8 * (i % bytes) & 0xff) << 8 * i;
    }
  }
}

static void run_shm(model *m, const model_packet *p, model_result *r) {
  const uint64_t head = p->head;
  const uint32_t *word = p->body, size = model_bytes(head), win = field(head, TSV_DN_SHM_WIN);
  access x = {.mop = field(head, TSV_DN_SHM_MOP),
              .mtype = field(head, TSV_DN_SHM_MTYPE),
              .ret = field(head, TSV_DN_SHM_RET),
              .reg = field(head, TSV_DN_SHM_D),
              .words = words_of(head),
              .shared = m->shared,
              .skew = m->windows[win].skew};
  x.mask = field(head, TSV_DN_SHM_HAS_MASK) ? *word++ : ~0u;
  const uint32_t offset = field(head, TSV_DN_SHM_HAS_IMM) ? *word++ : 0;
  uint32_t n = 0;
  for (uint32_t l = 0; l < MODEL_LANES; l++) {
    if (!(x.mask >> l & 1))
      continue;
    uint32_t addr = field(head, TSV_DN_SHM_ZERO) & 1 ? 0 : p->operands[0].a[l];
    if (field(head, TSV_DN_SHM_INLINE))
      addr = n % 2 ? word[n / 2] >> 16 : word[n / 2] & 0xffff;
    n++;
    addr += offset;
    if (addr % size || addr > m->windows[win].size || m->windows[win].size - addr < size) {
      send_up(p, r,
              TSV_UP_FAULT | tsv_put(TSV_UP_FAULT_LANE, l) |
                  tsv_put(TSV_UP_FAULT_ALIGN, addr % size != 0) | tsv_put(TSV_UP_FAULT_ADDR, addr),
              0);
      return;
    }
    x.at[l] = m->shared + (m->windows[win].base + addr) % MODEL_SHARED;
  }
  ask_shared(&x, p, r);
  run_lanes(&x, p, r);
  // what an atomic's lane gets is known only now, when lanes meet in a word
  for (uint32_t l = 0; l < MODEL_LANES && x.mop >= TSV_MOP_ATOM; l++)
    r->shared[0].old[l] = r->writes[0].data[l];
}

void model_run(model *m, const model_packet *p, model_result *r) {
  memset(r, 0, sizeof *r);
  switch (kind_of(p->head)) {
    case TSV_DN_SHM:
      run_shm(m, p, r);
      break;
    case TSV_DN_LINE:
      run_line(m, p, r);
      break;
    case TSV_DN_SECT:
      run_sect(m, p, r);
      break;
    case TSV_DN_RD:
      run_rd(m, p, r);
      break;
    case TSV_DN_WR:
      run_wr(m, p, r);
      break;
    case TSV_DN_ATM:
      run_atm(m, p, r);
      break;
    default:
      m->windows[field(p->head, TSV_DN_WIN_WIN)].base = field(p->head, TSV_DN_WIN_BASE);
      m->windows[field(p->head, TSV_DN_WIN_WIN)].size = field(p->head, TSV_DN_WIN_SIZE);
      m->windows[field(p->head, TSV_DN_WIN_WIN)].skew =
          m->skews ? field(p->head, TSV_DN_WIN_SKEW) : 0;
      break;
  }
}
