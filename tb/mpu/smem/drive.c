// SPDX-License-Identifier: Apache-2.0
// Random traffic for smem: four NBUs with conflicts of every degree, and a model of the words that
// takes the requests in the order of their answers.
#include "csim/mpu/smem.h"

#include <stdio.h>

#include "tb/cosim/cosim.h"
#include "csim/isa/isa.h"
#include "csim/isa/scalar.h"

static const char *const names[] = {"any",  "loads and stores", "one word", "one bank", "atomics",
                                    "sums", "one NBU",          "pauses"};
enum { ANY, PLAIN, ONE_WORD, ONE_BANK, ATOMICS, SUMS, ONE_NBU, PAUSES, MODES };
enum { LD, ST, ATOM = 4, QUEUE = 4, WORDS = SMEM_BANKS * SMEM_ROWS };

typedef struct request {
  uint32_t op, sgn, f32, mask;
  uint32_t addr[SMEM_LANES], be[SMEM_LANES], b[SMEM_LANES], c[SMEM_LANES];
} request;

typedef struct driver {
  unsigned mode;
  uint32_t few;      // rows in use
  uint32_t there;    // words that there are
  request offer[4];  // on the inputs
  bool offered[4];
  request queue[4][QUEUE];  // taken, not answered
  unsigned queued[4];
  unsigned waits[4], others[4];  // for whom: answers of others since the oldest was taken
  uint32_t ready;
  uint32_t words[WORDS];
  bool unknown[WORDS];  // reset came while a request was inside
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  for (unsigned p = 0; p < 4; p++) {
    for (unsigned q = 0; q < d->queued[p]; q++)
      for (unsigned l = 0; l < SMEM_LANES; l++)
        d->unknown[d->queue[p][q].addr[l]] = true;
    d->queued[p] = d->others[p] = 0;
    d->offered[p] = false;
  }
  d->mode = mode;
  d->ready = 15;
  static const uint32_t rows[] = {1, 2, 16, 512};
  d->few = RNG_PICK(rng, rows);
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  driver *d = state;
  d->there = SMEM_BANKS * s->smem_rows;
}

static void addresses(driver *d, cosim_rng *rng, request *q) {
  const uint32_t row = rng_below(rng, d->few), at = row * SMEM_BANKS + rng_bits(rng, 5);
  unsigned kind = rng_below(rng, 6);
  if (d->mode == ONE_WORD)
    kind = 1;
  else if (d->mode == ONE_BANK)
    kind = 2;
  for (unsigned l = 0; l < SMEM_LANES; l++)
    switch (kind) {
      case 0:  // a row
        q->addr[l] = row * SMEM_BANKS + l;
        break;
      case 1:
        q->addr[l] = at;
        break;
      case 2:
        q->addr[l] = at % SMEM_BANKS + SMEM_BANKS * rng_below(rng, d->few);
        break;
      case 3:  // stride
        q->addr[l] = (at + l * (1 + at % 7)) % WORDS;
        break;
      case 4:  // two words a bank
        q->addr[l] = (at + l / 2 + SMEM_BANKS * (l & 1)) % WORDS;
        break;
      default:
        q->addr[l] = rng_below(rng, d->few * SMEM_BANKS);
    }
  if (rng_chance(rng, 6))
    q->addr[rng_bits(rng, 5)] = WORDS - 1;
  for (unsigned l = 0; l < SMEM_LANES; l++)
    q->addr[l] %= d->there;
}

static void new_request(driver *d, cosim_rng *rng, request *q) {
  memset(q, 0, sizeof *q);
  q->op = rng_chance(rng, 110) ? rng_bits(rng, 1) : rng_bits(rng, 4);
  if (d->mode == PLAIN)
    q->op = rng_bits(rng, 1);
  else if (d->mode == ATOMICS)
    q->op = ATOM + (rng_chance(rng, 80) ? (unsigned)ISA_ATOM_CAS : rng_below(rng, 12));
  else if (d->mode == SUMS)
    q->op = ATOM;
  q->sgn = rng_bits(rng, 1);
  q->f32 = d->mode == SUMS ? 1 : rng_chance(rng, 40);
  q->mask = rng_mask(rng);
  if (q->op == ATOM && q->f32 && !rng_chance(rng, 32))
    q->mask &= rng_u32(rng) & rng_u32(rng);
  addresses(d, rng, q);
  const unsigned bytes = rng_below(rng, 3);
  for (unsigned l = 0; l < SMEM_LANES; l++)
    q->be[l] = bytes ? 15 : rng_bits(rng, 4);
  rng_words(rng, q->b, SMEM_LANES);
  rng_words(rng, q->c, SMEM_LANES);
  // CAS that finds what it compares with: of a few values here, which small blocks keep in words
  // that `words` knows nothing of; of `words` below
  static const uint32_t some[] = {0, ~0u, 0x5a5aa5a5, 0xc33c3cc3};
  if (rng_chance(rng, 128))
    for (unsigned l = 0; l < SMEM_LANES; l++)
      q->b[l] = RNG_PICK(rng, some), q->c[l] = RNG_PICK(rng, some);
  if (q->op == ATOM + ISA_ATOM_CAS)
    for (unsigned l = 0; l < SMEM_LANES; l++)
      if (rng_chance(rng, 128))
        q->b[l] = d->words[q->addr[l]];
}

static void put(uint32_t *words, unsigned at, unsigned bits, uint32_t value) {
  for (unsigned k = 0; k < bits; k++)
    if (value >> k & 1)
      words[(at + k) / 32] |= 1u << (at + k) % 32;
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  smem_in *in = inputs;
  const smem_out *out = outputs;
  d->ready = out->q0_ready | out->q1_ready << 1 | out->q2_ready << 2 | out->q3_ready << 3;
#define OFFER(n)                                                                          \
  if (!d->offered[n]) {                                                                   \
    in->q##n##_valid = 0;                                                                 \
    if ((d->mode != ONE_NBU || n == 2) && rng_chance(rng, d->mode == PAUSES ? 2 : 200)) { \
      request *q = &d->offer[n];                                                          \
      new_request(d, rng, q);                                                             \
      d->offered[n] = true;                                                               \
      in->q##n##_valid = 1, in->q##n##_op = q->op, in->q##n##_sgn = q->sgn;               \
      in->q##n##_f32 = q->f32, in->q##n##_mask = q->mask;                                 \
      memset(in->q##n##_addr, 0, sizeof in->q##n##_addr);                                 \
      memset(in->q##n##_be, 0, sizeof in->q##n##_be);                                     \
      for (unsigned l = 0; l < SMEM_LANES; l++) {                                         \
        put(in->q##n##_addr, 14 * l, 14, q->addr[l]);                                     \
        put(in->q##n##_be, 4 * l, 4, q->be[l]);                                           \
      }                                                                                   \
      memcpy(in->q##n##_b, q->b, sizeof q->b);                                            \
      memcpy(in->q##n##_c, q->c, sizeof q->c);                                            \
    }                                                                                     \
  }
  OFFER(0)
  OFFER(1)
  OFFER(2)
  OFFER(3)
#undef OFFER
}

static uint32_t modified(const request *q, unsigned l, uint32_t old) {
  const uint32_t b = q->b[l];
  const bool below = q->sgn ? (int32_t)b < (int32_t)old : b < old;
  switch (q->op - ATOM) {
    case ISA_ATOM_ADD:
      if (q->f32) {
        isa_inst i = isa_inst_new(ISA_OP_ADD, ISA_TYPE_F32);
        i.fn = ISA_RND_RN;
        return scalar_f32(&i, old, b, 0);
      }
      return old + b;
    case ISA_ATOM_MIN:
      return below ? b : old;
    case ISA_ATOM_MAX:
      return below ? old : b;
    case ISA_ATOM_INC:
      return old < b ? old + 1 : 0;
    case ISA_ATOM_DEC:
      return old && old <= b ? old - 1 : b;
    case ISA_ATOM_AND:
      return old & b;
    case ISA_ATOM_OR:
      return old | b;
    case ISA_ATOM_XOR:
      return old ^ b;
    case ISA_ATOM_CAS:
      return old == b ? q->c[l] : old;
    default:
      return b;
  }
}

// The oldest request of a port takes effect, and what it read is compared.
static bool answer(driver *d, unsigned p, const uint32_t *rdata, char *why, size_t n) {
  if (!d->queued[p])
    return snprintf(why, n, "an answer to NBU %u that asked for nothing", p), false;
  const request *q = &d->queue[p][0];
  uint32_t before[SMEM_LANES];  // loads see the words before the request; atomics each its own
  for (unsigned l = 0; l < SMEM_LANES; l++) {
    if (!(q->mask >> l & 1)) {
      if (q->op != ST && rdata[l])
        return snprintf(why, n, "NBU %u, lane %u outside the mask", p, l), false;
      continue;
    }
    uint32_t *word = &d->words[q->addr[l]];
    bool *unknown = &d->unknown[q->addr[l]];
    before[l] = *word;
    if (q->op == ST) {
      for (unsigned k = 0; k < 4; k++)
        if (q->be[l] >> k & 1)
          *word = (*word & ~(0xffu << 8 * k)) | (q->b[l] & 0xffu << 8 * k);
      if (q->be[l] == 15)
        *unknown = false;
      continue;
    }
    if (*unknown)
      *word = before[l] = rdata[l], *unknown = false;
    if (rdata[l] != before[l])
      return snprintf(why, n, "NBU %u, lane %u, word %x: %08x instead of %08x", p, l, q->addr[l],
                      rdata[l], before[l]),
             false;
    if (q->op >= ATOM)
      *word = modified(q, l, *word);
  }
  memmove(d->queue[p], d->queue[p] + 1, sizeof d->queue[p] - sizeof d->queue[p][0]);
  d->queued[p]--;
  for (unsigned o = 0; o < 4; o++)
    if (o != p && d->queued[o] && ++d->others[o] > 4)  // one under way, then three
      return snprintf(why, n, "NBU %u waits for more than all others", o), false;
  d->others[p] = 0;
  return true;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const smem_in *in = inputs;
  const smem_out *out = outputs;
  if (out->q0_rvalid + out->q1_rvalid + out->q2_rvalid + out->q3_rvalid > 1)
    return snprintf(why, n, "two answers"), false;
  if (out->q0_rvalid && !answer(d, 0, out->q0_rdata, why, n))
    return false;
  if (out->q1_rvalid && !answer(d, 1, out->q1_rdata, why, n))
    return false;
  if (out->q2_rvalid && !answer(d, 2, out->q2_rdata, why, n))
    return false;
  if (out->q3_rvalid && !answer(d, 3, out->q3_rdata, why, n))
    return false;
  const uint32_t valid = in->q0_valid | in->q1_valid << 1 | in->q2_valid << 2 | in->q3_valid << 3;
  for (unsigned p = 0; p < 4; p++)
    if ((valid & d->ready) >> p & 1) {
      if (d->queued[p] == QUEUE)
        return snprintf(why, n, "NBU %u: too many requests inside", p), false;
      if (!d->queued[p])
        d->others[p] = 0;
      d->queue[p][d->queued[p]++] = d->offer[p];
      d->offered[p] = false;
    }
  return true;
}

static bool quiet(const void *inputs) {
  const smem_in *in = inputs;
  return !(in->q0_valid | in->q1_valid | in->q2_valid | in->q3_valid);
}

const cosim_driver smem_driver = {
    .block = "smem",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
