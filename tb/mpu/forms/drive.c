// SPDX-License-Identifier: Apache-2.0
// Random traffic for forms, and a model of its page: arrays of what is kept, and a list of the
// packets that are to come out, made when their RUN comes.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "csim/mpu/tsv_packet.h"
#include "tb/cosim/cosim.h"
#define BLOCK forms
#include "csim/base/block_declare.h"

enum { ANY, FLOOD, STARVED, RUNS, KEEPS, FEW, SPARSE, MODES };
static const char *const names[MODES] = {
    [ANY] = "any",     [FLOOD] = "flood", [STARVED] = "starved", [RUNS] = "runs",
    [KEEPS] = "keeps", [FEW] = "few",     [SPARSE] = "sparse",
};
static const uint16_t kinds[MODES][3] = {
    // KEEP, SLOT, RUN
    [ANY] = {4, 2, 8},   [FLOOD] = {2, 1, 12}, [STARVED] = {4, 2, 8}, [RUNS] = {1, 1, 100},
    [KEEPS] = {8, 4, 4}, [FEW] = {4, 2, 8},    [SPARSE] = {4, 2, 8},
};
enum { FORMS = 64, SLOTS = 16, NO_TAG = 255, MOST = 4 };

typedef struct packet {
  uint64_t head, body;
} packet;

typedef struct driver {
  unsigned mode;
  uint32_t forms;      // 0: not known yet
  unsigned in, ready;  // chances in 256, for a while
  uint32_t left;
  bool waits;  // in_valid is held
  cosim_rng in_reset;
  // the page
  packet form[FORMS];
  uint32_t relative[FORMS], base[SLOTS], win[SLOTS];
  packet coming[MOST];  // the packets that wait
  uint32_t n;
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  d->mode = mode;
  d->left = 0, d->waits = false;
  d->in_reset.state = rng_next(rng);
  d->n = 0;
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  ((driver *)state)->forms = s->forms ? s->forms : FORMS;
}

// ---- the page -----------------------------------------------------------------------------------

// Rule 4.
static packet packet_of(const driver *d, uint64_t form, uint64_t slot, uint64_t tag) {
  const unsigned lowest = (d->form[form % d->forms].head & 15) == TSV_DN_EXEC ? 30 : 26;
  packet p = d->form[form % d->forms];
  for (unsigned k = 0; k < 4; k++)
    if (d->relative[form % d->forms] >> k & 1) {
      const unsigned at = lowest + 7 * k;
      const uint64_t reg = ((p.head >> at) + d->base[slot]) % 128;
      p.head = (p.head & ~(127ull << at)) | reg << at;
    }
  if (lowest == 26)
    p.head = (p.head & ~(15ull << 54)) | (uint64_t)d->win[slot] << 54;
  p.head |= tag << 4;
  return p;
}

static void arrive(driver *d, uint64_t head, uint64_t body) {
  switch (head & 15) {
    case TSV_DN_KEEP: {
      const uint64_t n = tsv_get(head, TSV_DN_KEEP_FORM) % d->forms;
      d->form[n] = (packet){body & ~0xff0ull, tsv_get(head, TSV_DN_KEEP_IMM)};
      d->relative[n] = (uint32_t)tsv_get(head, TSV_DN_KEEP_RELATIVE);
      break;
    }
    case TSV_DN_SLOT: {
      const uint64_t n = tsv_get(head, TSV_DN_SLOT_SLOT);
      d->base[n] = (uint32_t)tsv_get(head, TSV_DN_SLOT_BASE);
      d->win[n] = (uint32_t)tsv_get(head, TSV_DN_SLOT_WIN);
      break;
    }
    default: {
      const uint64_t tag1 = tsv_get(head, TSV_DN_RUN_TAG1), tag2 = tsv_get(head, TSV_DN_RUN_TAG2);
      d->coming[d->n++] = packet_of(d, tsv_get(head, TSV_DN_RUN_FORM0),
                                    tsv_get(head, TSV_DN_RUN_SLOT0), tsv_get(head, TSV_DN_ANY_TAG));
      if (tag1 == NO_TAG)
        break;
      d->coming[d->n++] =
          packet_of(d, tsv_get(head, TSV_DN_RUN_FORM1), tsv_get(head, TSV_DN_RUN_SLOT1), tag1);
      if (tag2 == NO_TAG)
        break;
      d->coming[d->n++] =
          packet_of(d, tsv_get(head, TSV_DN_RUN_FORM2), tsv_get(head, TSV_DN_RUN_SLOT2), tag2);
    }
  }
}

// Rule 5.
static bool is_ready(const driver *d) {
  return d->n <= 1;
}

static void model_edge(driver *d, const forms_in *in) {
  const bool takes = in->in_valid && is_ready(d);
  if (d->n && in->out_ready)
    memmove(d->coming, d->coming + 1, --d->n * sizeof *d->coming);
  if (takes)
    arrive(d, tsv_flit(in->in_head), tsv_flit(in->in_body));
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const forms_in *in = inputs;
  const forms_out *out = outputs;
  model_edge(d, in);
  const bool valid = d->n;
  const packet p = valid ? d->coming[0] : (packet){0, 0};
  if (out->out_valid != valid || out->busy != valid)
    return snprintf(why, n, "%" PRIu32 " entries wait, out_valid is %" PRIu32 ", busy %" PRIu32,
                    d->n, out->out_valid, out->busy),
           false;
  if (tsv_flit(out->out_head) != p.head || tsv_flit(out->out_body) != p.body)
    return snprintf(why, n, "the first entry is %016" PRIx64 " with %016" PRIx64, p.head, p.body),
           false;
  if (out->in_ready != is_ready(d))
    return snprintf(why, n, "in_ready is %" PRIu32, out->in_ready), false;
  return true;
}

// ---- traffic ------------------------------------------------------------------------------------

static void next_phase(driver *d, cosim_rng *rng) {
  static const uint16_t often[] = {16, 64, 128, 192, 240, 256, 256};
  d->left = 1 + rng_below(rng, 200);
  d->in = RNG_PICK(rng, often), d->ready = RNG_PICK(rng, often);
  if (d->mode == FLOOD)
    d->in = d->ready = 256;
  if (d->mode == STARVED)
    d->in = 256, d->ready = rng_range(rng, 8, 100);
  if (d->mode == SPARSE)
    d->in = rng_chance(rng, 128) ? 0 : 30, d->ready = 256;
}

// Few of them, now and then one that differs from those in a bit.
static uint64_t number(const driver *d, cosim_rng *rng, uint32_t of) {
  if (d->mode == FEW)
    return rng_chance(rng, 64) ? 1u << rng_below(rng, (uint32_t)__builtin_ctz(of))
                               : rng_below(rng, 2);
  return rng_below(rng, of);
}

static uint64_t entry_tag(cosim_rng *rng) {
  return rng_chance(rng, 90) ? NO_TAG : rng_chance(rng, 40) ? 254 : rng_bits(rng, 8);
}

static packet any_packet(const driver *d, cosim_rng *rng) {
  static const uint8_t kind_of[] = {TSV_DN_KEEP, TSV_DN_SLOT, TSV_DN_RUN};
  static const uint64_t kept[] = {TSV_DN_EXEC, TSV_DN_SHM};
  const uint64_t kind = kind_of[rng_weighted(rng, kinds[d->mode], 3)];
  packet p = {kind | tsv_put(TSV_DN_ANY_TAG, rng_bits(rng, 8)), rng_next(rng)};
  switch (kind) {
    case TSV_DN_KEEP:
      p.head |= tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_KEEP_FORM, number(d, rng, FORMS)) |
                tsv_put(TSV_DN_KEEP_RELATIVE, rng_bits(rng, 4)) |
                tsv_put(TSV_DN_KEEP_IMM, rng_int(rng));
      if (rng_bits(rng, 1))
        p.body = rng_int(rng) | (uint64_t)rng_int(rng) << 32;
      p.body = (p.body & ~15ull) | RNG_PICK(rng, kept);
      if (rng_bits(rng, 1))
        p.body &= ~tsv_put(TSV_DN_ANY_TAG, 255);
      break;
    case TSV_DN_SLOT:
      p.head |= tsv_put(TSV_DN_SLOT_SLOT, number(d, rng, SLOTS)) |
                tsv_put(TSV_DN_SLOT_BASE, rng_int(rng) & 127) |
                tsv_put(TSV_DN_SLOT_WIN, rng_bits(rng, 4));
      break;
    default:
      p.head |= tsv_put(TSV_DN_RUN_FORM0, number(d, rng, FORMS)) |
                tsv_put(TSV_DN_RUN_SLOT0, number(d, rng, SLOTS)) |
                tsv_put(TSV_DN_RUN_TAG1, entry_tag(rng)) |
                tsv_put(TSV_DN_RUN_FORM1, number(d, rng, FORMS)) |
                tsv_put(TSV_DN_RUN_SLOT1, number(d, rng, SLOTS)) |
                tsv_put(TSV_DN_RUN_TAG2, entry_tag(rng)) |
                tsv_put(TSV_DN_RUN_FORM2, number(d, rng, FORMS)) |
                tsv_put(TSV_DN_RUN_SLOT2, number(d, rng, SLOTS));
  }
  return p;
}

static void offer(const driver *d, cosim_rng *rng, forms_in *in) {
  const packet p = any_packet(d, rng);
  in->in_head[0] = (uint32_t)p.head, in->in_head[1] = (uint32_t)(p.head >> 32);
  in->in_body[0] = (uint32_t)p.body, in->in_body[1] = (uint32_t)(p.body >> 32);
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  forms_in *in = inputs;
  (void)outputs;
  if (!d->left--)
    next_phase(d, rng);
  in->out_ready = rng_chance(rng, d->ready);
  if (!d->waits) {
    in->in_valid = rng_chance(rng, d->in);
    if (in->in_valid || rng_chance(rng, 64))
      offer(d, rng, in);
  }
  d->waits = in->in_valid && !is_ready(d);
}

// An edge in reset, at which KEEP and SLOT are taken as at any other.
static void straps(void *state, void *inputs) {
  driver *d = state;
  forms_in *in = inputs;
  if (!d->forms)
    return;
  in->out_ready = rng_bits(&d->in_reset, 1);
  in->in_valid = rng_bits(&d->in_reset, 1);
  offer(d, &d->in_reset, in);
  model_edge(d, in);
  d->n = 0;
}

static bool quiet(const void *inputs) {
  return !((const forms_in *)inputs)->in_valid;
}

const cosim_driver forms_driver = {
    .block = "forms",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .straps = straps,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
    .cycles = 600000,
};
