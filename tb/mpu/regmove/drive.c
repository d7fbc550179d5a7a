// SPDX-License-Identifier: Apache-2.0
// Random traffic for the near end of register moves. The scoreboard knows what a packet means, not
// how it is made: lanes that are written are those of the packet, what goes up says what was read.
#include <inttypes.h>
#include <stdio.h>

#include "tb/cosim/cosim.h"
#include "csim/mpu/tsv_packet.h"
#define BLOCK regmove
#include "csim/base/block_declare.h"

enum { ANY, FLOOD, STARVED, UNIFORM, STEPS, MASKS, FEW_LANES, SPARSE, MODES, LANES = 32 };

static const char *const names[MODES] = {
    [ANY] = "any",     [FLOOD] = "flood", [STARVED] = "starved",     [UNIFORM] = "uniform",
    [STEPS] = "steps", [MASKS] = "masks", [FEW_LANES] = "few lanes", [SPARSE] = "sparse",
};

typedef struct driver {
  unsigned mode;
  bool patterns;
  // chances in 256, for a while
  unsigned wr, rd, done, written, up;
  uint32_t left;
  bool wr_waits, rd_waits;
  // scoreboard
  regmove_out before;  // the edge
  bool writing, written_once;
  uint64_t head;
  uint32_t data[LANES];
  bool reading;
  uint32_t tag, mask, value[LANES];
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  *(driver *)state = (driver){.mode = mode};
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  ((driver *)state)->patterns = s->patterns;
}

static unsigned any_chance(cosim_rng *rng) {
  static const uint16_t often[] = {16, 64, 128, 192, 240, 256, 256};
  return RNG_PICK(rng, often);
}

static void next_phase(driver *d, cosim_rng *rng) {
  d->left = 1 + rng_below(rng, 300);
  d->wr = any_chance(rng);
  d->rd = any_chance(rng);
  d->done = any_chance(rng);
  d->written = any_chance(rng);
  d->up = any_chance(rng);
  if (d->mode == FLOOD)
    d->wr = d->rd = d->done = d->written = d->up = 256;
  if (d->mode == STARVED) {
    d->wr = d->rd = 256;
    d->done = rng_range(rng, 8, 64);
    d->written = rng_range(rng, 8, 64);
    d->up = rng_range(rng, 8, 64);
  }
  if (d->mode == SPARSE)
    d->wr = d->rd = 4;
}

static uint32_t any_mask(const driver *d, cosim_rng *rng) {
  if (d->mode == FEW_LANES)
    return rng_chance(rng, 40) ? ~0u : rng_range(rng, 1, 15);
  if (d->mode == STEPS && rng_chance(rng, 160))
    return ~0u;
  uint32_t mask = rng_mask(rng);
  if (rng_chance(rng, 64)) {  // every population alike
    mask = 0;
    for (uint32_t n = rng_range(rng, 1, LANES); n; n--) {
      const uint32_t free = ~mask, at = rng_below(rng, LANES);
      const uint32_t above = free & ~0u << at;
      mask |= 1u << __builtin_ctz(above ? above : free);
    }
  }
  return mask ? mask : 1u << rng_below(rng, LANES);
}

static uint32_t any_step(cosim_rng *rng) {
  static const uint32_t usual[] = {0, 1, 2, 4, 8, 12, 128, ~0u, -4u, 1u << 31};
  return rng_chance(rng, 128) ? RNG_PICK(rng, usual) : rng_value(rng);
}

// Registers that are uniform, grow by a step, or are masks; nearly so, or so but for lanes that
// nobody asks for.
static void any_register(const driver *d, cosim_rng *rng, uint32_t mask, uint32_t *words) {
  static const uint16_t any[] = {8, 3, 3, 3}, uniform[] = {1, 15, 0, 0}, steps[] = {1, 0, 15, 0},
                        masks[] = {1, 0, 0, 15};
  const unsigned kind = rng_weighted(rng,
                                     d->mode == UNIFORM ? uniform
                                     : d->mode == STEPS ? steps
                                     : d->mode == MASKS ? masks
                                                        : any,
                                     4);
  rng_words(rng, words, LANES);
  if (!kind)
    return;
  const uint32_t word = rng_value(rng), step = kind == 2 ? any_step(rng) : 0;
  const uint32_t set = rng_chance(rng, 128) ? rng_mask(rng) : rng_u32(rng);
  const bool others = rng_chance(rng, 128);
  for (uint32_t l = 0; l < LANES; l++)
    if (mask >> l & 1 || others)
      words[l] = kind == 3 ? -(set >> l & 1) : word + l * step;
  if (rng_chance(rng, 100))
    words[rng_below(rng, LANES)] ^= 1u << rng_below(rng, 32);
  if (rng_chance(rng, 30))  // but for the last lane that is looked at
    words[31 - (uint32_t)__builtin_clz(mask)] ^= 1u << rng_below(rng, 32);
}

static void drive_writes(driver *d, cosim_rng *rng, regmove_in *in) {
  if (!d->wr_waits) {
    in->wr_valid = rng_chance(rng, d->wr);
    if (in->wr_valid) {
      uint64_t head = rng_next(rng) & ~(15ull | 1ull << 17 | 1ull << 25) & 0xffffffff;
      head |= TSV_DN_REGWR | (uint64_t)any_mask(d, rng) << 32;
      if (rng_chance(rng, d->mode == UNIFORM || d->mode == STEPS ? 128 : 40))
        head |= 1ull << 17;
      else if (rng_chance(rng, d->mode == MASKS ? 160 : 40))
        head |= 1ull << 25;
      in->wr_head[0] = (uint32_t)head;
      in->wr_head[1] = (uint32_t)(head >> 32);
      rng_words(rng, in->wr_body, LANES);
      if (rng_chance(rng, 192))
        in->wr_body[1] = any_step(rng);
    }
  }
  d->wr_waits = in->wr_valid && !d->before.wr_ready;
  in->w_done = d->before.w_valid && rng_chance(rng, d->written);
  in->done_ready = rng_chance(rng, d->done);
}

static void drive_reads(driver *d, cosim_rng *rng, regmove_in *in) {
  if (!d->rd_waits) {
    in->rd_valid = rng_chance(rng, d->rd);
    if (in->rd_valid) {
      in->rd_tag = rng_bits(rng, 8);
      in->rd_mask = any_mask(d, rng);
      any_register(d, rng, in->rd_mask, in->rd_data);
    }
  }
  d->rd_waits = in->rd_valid && !d->before.rd_ready;
  in->up_ready = rng_chance(rng, d->up);
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  d->before = *(const regmove_out *)outputs;
  if (!d->left--)
    next_phase(d, rng);
  drive_writes(d, rng, inputs);
  drive_reads(d, rng, inputs);
}

// ---- scoreboard

// What the packet that is under way says of a lane; `at` words of it were for lanes below.
static uint32_t written(const driver *d, uint32_t l, uint32_t at) {
  if (d->head >> 17 & 1)
    return d->data[0] + (d->patterns ? l * d->data[1] : 0);
  if (d->patterns && d->head >> 25 & 1)
    return d->data[0] >> l & 1 ? ~0u : 0;
  return d->data[at];
}

// In how many flits n words cross.
static uint32_t flits(uint32_t n) {
  return n / 2 + n % 2;
}

static bool check_write(driver *d, const regmove_in *in, const regmove_out *out, char *why,
                        size_t n) {
  if (in->w_done)
    d->written_once = true;
  if (d->before.done_valid && in->done_ready)
    d->writing = false;
  if (in->wr_valid && d->before.wr_ready) {
    d->head = tsv_flit(in->wr_head);
    d->writing = true;
    d->written_once = false;
    memcpy(d->data, in->wr_body, sizeof d->data);
  }
  const uint32_t mask = (uint32_t)(d->head >> 32);
  if (out->wr_ready == d->writing)
    return snprintf(why, n, "wr_ready is %" PRIu32, out->wr_ready), false;
  if (out->w_valid && (!d->writing || d->written_once))
    return snprintf(why, n, "a write too many"), false;
  if (out->done_valid && (!d->writing || !d->written_once))
    return snprintf(why, n, "done before it was written"), false;
  if (d->before.w_valid && !in->w_done && !out->w_valid)
    return snprintf(why, n, "a write that was not done is gone"), false;
  if (out->done_valid && out->done_tag != (d->head >> 4 & 255))
    return snprintf(why, n, "tag %02" PRIx32, out->done_tag), false;
  if (!out->w_valid)
    return true;
  if (out->w_reg != (d->head >> 18 & 127) || out->w_mask != mask)
    return snprintf(why, n, "register %" PRIu32 ", mask %08" PRIx32, out->w_reg, out->w_mask),
           false;
  for (uint32_t l = 0, at = 0; l < LANES; l++) {
    if (!(mask >> l & 1))
      continue;
    const uint32_t want = written(d, l, at++);
    if (out->w_data[l] != want)
      return snprintf(why, n, "lane %" PRIu32 " is %08" PRIx32 ", not %08" PRIx32, l,
                      out->w_data[l], want),
             false;
  }
  return true;
}

static bool grows(const uint32_t *words) {
  for (uint32_t l = 1; l < LANES; l++)
    if (words[l] - words[l - 1] != words[1] - words[0])
      return false;
  return true;
}

static bool check_read(driver *d, const regmove_in *in, const regmove_out *out, char *why,
                       size_t n) {
  if (d->before.up_valid && in->up_ready)
    d->reading = false;
  if (in->rd_valid && d->before.rd_ready) {
    d->reading = true;
    d->tag = in->rd_tag;
    d->mask = in->rd_mask;
    memcpy(d->value, in->rd_data, sizeof d->value);
  }
  if (out->rd_ready == d->reading)
    return snprintf(why, n, "rd_ready is %" PRIu32, out->rd_ready), false;
  if (d->before.up_valid && !in->up_ready && !out->up_valid)
    return snprintf(why, n, "a packet that was not taken is gone"), false;
  if (!out->up_valid)
    return true;
  if (!d->reading)
    return snprintf(why, n, "a packet that nobody asked for"), false;
  uint32_t words[LANES + 1] = {0}, lanes = 0, set = 0;
  bool same = true, bits = d->patterns;
  for (uint32_t l = 0; l < LANES; l++)
    if (d->mask >> l & 1) {
      words[lanes++] = d->value[l];
      same = same && d->value[l] == words[0];
      bits = bits && d->value[l] + 1 <= 1;
      set |= (d->value[l] & 1) << l;
    }
  const bool linear = same || (d->patterns && d->mask == ~0u && grows(d->value));
  bits = bits && !linear;
  const uint32_t count = linear || bits ? 1 : lanes;
  if (linear)
    words[1] = same ? 0 : d->value[1] - d->value[0];
  if (bits)
    words[0] = set, words[1] = 0;
  const uint64_t head = TSV_UP_REGD | (uint64_t)d->tag << 4 | (uint64_t)flits(count) << 12 |
                        (uint64_t)linear << 17 | (uint64_t)bits << 18;
  if (tsv_flit(out->up_head) != head || out->up_len != flits(count))
    return snprintf(why, n, "head %016" PRIx64 ", not %016" PRIx64 "; %" PRIu32 " flits",
                    tsv_flit(out->up_head), head, out->up_len),
           false;
  if (memcmp(out->up_body, words, 8 * flits(count)))
    return snprintf(why, n, "body of a register with mask %08" PRIx32, d->mask), false;
  return true;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const regmove_out *out = outputs;
  if (!check_write(d, inputs, out, why, n) || !check_read(d, inputs, out, why, n))
    return false;
  if (out->busy != (d->reading || d->writing))
    return snprintf(why, n, "busy is %" PRIu32, out->busy), false;
  return true;
}

static bool quiet(const void *inputs) {
  const regmove_in *in = inputs;
  return !in->wr_valid && !in->rd_valid;
}

const cosim_driver regmove_driver = {
    .block = "regmove",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
