// SPDX-License-Identifier: Apache-2.0
// Random traffic for the operand collectors, with a register file behind them. The scoreboard knows
// nothing of collectors: each beat of each instruction leaves once, in order, with the operands
// that were asked for; memory instructions leave in the order in which they came; every read was
// needed.
#include <inttypes.h>
#include <stdio.h>

#include "tb/cosim/cosim.h"
#define BLOCK opc
#include "csim/base/block_declare.h"

enum { ANY, FLOOD, ONE_BANK, STARVED, MEMORY, BEATS, CONSTANTS, SPARSE, MODES };
enum {
  LANES = 32,
  BANKS = 4,
  REGS = 128,
  COLLECTORS = STRUCTURE_MAX_COLLECTORS,
  UNITS = 3,
  LSUX = 1
};

static const char *const names[MODES] = {
    [ANY] = "any",       [FLOOD] = "flood", [ONE_BANK] = "one bank",   [STARVED] = "starved",
    [MEMORY] = "memory", [BEATS] = "beats", [CONSTANTS] = "constants", [SPARSE] = "sparse",
};

typedef struct insn {
  opc_in in;  // without the data of the banks, which are not looked at
  uint32_t beat;
} insn;

typedef struct driver {
  unsigned mode;
  // chances in 256, for a while
  unsigned valid, ready[UNITS], noise;
  uint32_t left, bank;
  bool waits;
  uint32_t regs[REGS][LANES];
  struct {
    bool en;
    uint32_t row;
  } read[BANKS];
  // scoreboard
  opc_out before;  // the edge
  uint32_t collectors;
  insn insns[COLLECTORS];
  uint32_t n;       // oldest first
  uint32_t locked;  // 1 + place of the instruction between two of its beats
  uint32_t reads, needed;
  uint32_t a[LANES], b[LANES], c[LANES];  // of the last dispatch
  bool fresh;
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  *d = (driver){.mode = mode};
  for (uint32_t r = 0; r < REGS; r++)
    rng_words(rng, d->regs[r], LANES);
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  driver *d = state;
  d->collectors = s->collectors;
}

static unsigned any_chance(cosim_rng *rng) {
  static const uint16_t often[] = {8, 64, 128, 192, 240, 256, 256};
  return RNG_PICK(rng, often);
}

static void next_phase(driver *d, cosim_rng *rng) {
  d->left = 1 + rng_below(rng, 200);
  d->valid = any_chance(rng);
  d->bank = rng_below(rng, BANKS);
  d->noise = rng_chance(rng, 128) ? 0 : 32;
  for (uint32_t u = 0; u < UNITS; u++) {
    d->ready[u] = any_chance(rng);
    if (d->mode == FLOOD || d->mode == SPARSE)
      d->ready[u] = 256;
    if (d->mode == STARVED)
      d->ready[u] = rng_range(rng, 4, 64);
  }
  if (d->mode == FLOOD || d->mode == STARVED || d->mode == ONE_BANK)
    d->valid = 256;
  if (d->mode == SPARSE)
    d->valid = 4;
}

// A register; with ONE_BANK nearly always in the same bank.
static uint32_t any_register(const driver *d, cosim_rng *rng) {
  const uint32_t r = rng_bits(rng, 7);
  return d->mode == ONE_BANK && rng_chance(rng, 240) ? (r & ~3u) | d->bank : r;
}

static void any_insn(const driver *d, cosim_rng *rng, opc_in *in) {
  static const uint16_t units[MODES][UNITS] = {
      [ANY] = {4, 4, 2},    [FLOOD] = {6, 2, 1}, [ONE_BANK] = {2, 2, 1},  [STARVED] = {3, 3, 3},
      [MEMORY] = {1, 9, 1}, [BEATS] = {4, 4, 1}, [CONSTANTS] = {4, 4, 1}, [SPARSE] = {4, 4, 2},
  };
  static const uint8_t beats[] = {0, 1, 3};
  static const uint16_t n_beats[MODES][3] = {
      [ANY] = {4, 3, 2},    [FLOOD] = {8, 2, 1}, [ONE_BANK] = {4, 1, 1},  [STARVED] = {4, 2, 1},
      [MEMORY] = {4, 2, 2}, [BEATS] = {1, 4, 4}, [CONSTANTS] = {2, 1, 1}, [SPARSE] = {4, 2, 2},
  };
  in->unit = rng_weighted(rng, units[d->mode], UNITS);
  in->op = rng_bits(rng, 7);
  in->typ = rng_bits(rng, 5);
  in->typ2 = rng_bits(rng, 5);
  in->fn = rng_bits(rng, 5);
  in->ftz = rng_bits(rng, 1);
  in->sat = rng_bits(rng, 1);
  in->beats = beats[rng_weighted(rng, n_beats[d->mode], 3)];
  in->hi_first = in->beats == 1 && rng_bits(rng, 1);
  in->d = rng_bits(rng, 7);
  in->a = any_register(d, rng);
  in->b = any_register(d, rng);
  in->c = any_register(d, rng);
  if (rng_chance(rng, 40))
    in->b = in->a;
  if (rng_chance(rng, 60))
    in->c = in->a;
  in->use = rng_bits(rng, 3);
  if (d->mode == CONSTANTS && rng_chance(rng, 160))
    in->use = 0;
  if (d->mode == ONE_BANK && rng_chance(rng, 160))
    in->use = 7;
  in->imm_at = rng_bits(rng, 2);
  in->imm = rng_value(rng);
  in->a_mode = rng_below(rng, 3);
  in->b_mode = rng_below(rng, 3);
  in->c_mode = rng_below(rng, 3);
  const bool by_word[] = {false, in->a_mode || in->c_mode == 2, in->b_mode, in->c_mode};
  if (in->beats == 3 && by_word[in->imm_at])
    in->imm_at = 0;
  in->mask = rng_mask(rng);
  in->pred = rng_mask(rng);
  do  // tells instructions apart
    in->tag = rng_bits(rng, 8);
  while (
      (d->n > 0 && d->insns[0].in.tag == in->tag) || (d->n > 1 && d->insns[1].in.tag == in->tag) ||
      (d->n > 2 && d->insns[2].in.tag == in->tag) || (d->n > 3 && d->insns[3].in.tag == in->tag));
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  opc_in *in = inputs;
  const opc_out *out = outputs;
  d->before = *out;
  if (!d->left--)
    next_phase(d, rng);
  if (!d->waits) {
    in->valid = rng_chance(rng, d->valid);
    if (in->valid)
      any_insn(d, rng, in);
  }
  d->waits = in->valid && !out->ready;
  in->x_ready = 0;
  for (uint32_t u = 0; u < UNITS; u++)
    in->x_ready |= (uint32_t)rng_chance(rng, d->ready[u]) << u;
  // The register file reads at the edge that comes what is asked for now. Data that nobody waits
  // for are anything.
  const uint32_t en[BANKS] = {out->r0_en, out->r1_en, out->r2_en, out->r3_en};
  const uint32_t row[BANKS] = {out->r0_row, out->r1_row, out->r2_row, out->r3_row};
  uint32_t *data[BANKS] = {in->r0_data, in->r1_data, in->r2_data, in->r3_data};
  for (uint32_t b = 0; b < BANKS; b++) {
    if (d->read[b].en)
      memcpy(data[b], d->regs[d->read[b].row * BANKS + b], sizeof d->regs[0]);
    else if (rng_chance(rng, d->noise))
      rng_words(rng, data[b], LANES);
    d->read[b].en = en[b];
    d->read[b].row = row[b];
  }
}

// ---- scoreboard

static const uint32_t *words_of(const opc_in *in, uint32_t x) {
  return x == 0 ? &in->a : x == 1 ? &in->b : &in->c;
}

// Operand x (0 to 2) of a beat, in all lanes.
static void expect(const driver *d, const opc_in *in, uint32_t beat, uint32_t x, uint32_t *lanes) {
  const uint32_t modes[] = {in->a_mode, in->b_mode, in->c_mode}, mode = modes[x];
  const uint32_t w = in->hi_first ? 1 - beat : beat;
  if (in->use >> x & 1) {
    const uint32_t word[] = {0, w, w ^ 1};
    memcpy(lanes, d->regs[*words_of(in, x) | word[mode]], sizeof d->regs[0]);
    return;
  }
  uint32_t value = 0;
  if (in->imm_at == x + 1 || (x == 2 && mode == 2 && in->imm_at == 1)) {
    const uint32_t sign = in->imm & 0x80000000 ? ~0u : 0;
    const uint32_t of_word[3] = {in->imm, w == 0 ? in->imm : sign, w == 1 ? in->imm : sign};
    value = of_word[mode];
  }
  for (uint32_t l = 0; l < LANES; l++)
    lanes[l] = value;
}

static bool check_fields(const opc_out *out, const insn *i, char *why, size_t n) {
  const opc_in *in = &i->in;
  const struct {
    const char *name;
    uint32_t is, want;
  } fields[] = {
      {"x_valid", out->x_valid, 1u << in->unit},
      {"x_op", out->x_op, in->op},
      {"x_typ", out->x_typ, in->typ},
      {"x_typ2", out->x_typ2, in->typ2},
      {"x_fn", out->x_fn, in->fn},
      {"x_ftz", out->x_ftz, in->ftz},
      {"x_sat", out->x_sat, in->sat},
      {"x_lut", out->x_lut, in->imm & 255},
      {"x_beat", out->x_beat, i->beat},
      {"x_last", out->x_last, i->beat == in->beats},
      {"x_dst", out->x_dst, in->beats ? in->d | (in->hi_first ? 1 - i->beat : i->beat) : in->d},
      {"x_mask", out->x_mask, in->mask},
      {"x_pred", out->x_pred, in->pred},
  };
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    if (fields[k].is != fields[k].want)
      return snprintf(why, n, "%s is %" PRIx32 ", not %" PRIx32, fields[k].name, fields[k].is,
                      fields[k].want),
             false;
  return true;
}

static bool check_dispatch(driver *d, const opc_out *out, char *why, size_t n) {
  uint32_t k = 0;
  while (k < d->n && d->insns[k].in.tag != out->x_tag)
    k++;
  if (k == d->n)
    return snprintf(why, n, "tag %02" PRIx32 " was not inside", out->x_tag), false;
  insn *i = &d->insns[k];
  if (d->locked && d->locked - 1 != k)
    return snprintf(why, n, "a beat between the beats of another instruction"), false;
  for (uint32_t older = 0; older < k && i->in.unit == LSUX; older++)
    if (d->insns[older].in.unit == LSUX)
      return snprintf(why, n, "a memory instruction before an older one"), false;
  if (!check_fields(out, i, why, n))
    return false;
  expect(d, &i->in, i->beat, 0, d->a);
  expect(d, &i->in, i->beat, 1, d->b);
  expect(d, &i->in, i->beat, 2, d->c);
  d->locked = 1 + k;
  if (i->beat++ == i->in.beats) {
    memmove(i, i + 1, (--d->n - k) * sizeof *i);
    d->locked = 0;
  } else {
    d->needed += (uint32_t)__builtin_popcount(i->in.use);
  }
  return true;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const opc_in *in = inputs;
  const opc_out *out = outputs;
  if (!d->fresh) {  // reset leaves the operands as they are
    memcpy(d->a, d->before.x_a, sizeof d->a);
    memcpy(d->b, d->before.x_b, sizeof d->b);
    memcpy(d->c, d->before.x_c, sizeof d->c);
    d->fresh = true;
  }
  const bool held = d->before.x_valid && !(d->before.x_valid & in->x_ready);
  if (held && (out->x_valid != d->before.x_valid || out->x_tag != d->before.x_tag ||
               out->x_beat != d->before.x_beat))
    return snprintf(why, n, "a beat that was not taken is gone"), false;
  if (!held && out->x_valid && !check_dispatch(d, out, why, n))
    return false;
  if (memcmp(out->x_a, d->a, sizeof d->a))
    return snprintf(why, n, "operand a"), false;
  if (memcmp(out->x_b, d->b, sizeof d->b))
    return snprintf(why, n, "operand b"), false;
  if (memcmp(out->x_c, d->c, sizeof d->c))
    return snprintf(why, n, "operand c"), false;
  d->reads += out->r0_en + out->r1_en + out->r2_en + out->r3_en;
  if (in->valid && d->before.ready) {
    insn *i = &d->insns[d->n++];
    i->in = *in;
    i->beat = 0;
    d->needed += (uint32_t)__builtin_popcount(in->use);
  }
  if (out->ready != (d->n < d->collectors))
    return snprintf(why, n, "ready with %" PRIu32 " instructions inside", d->n), false;
  if (out->busy != (d->n || out->x_valid))
    return snprintf(why, n, "busy with %" PRIu32 " instructions inside", d->n), false;
  if (d->reads > d->needed || (!d->n && d->reads != d->needed))
    return snprintf(why, n, "%" PRIu32 " reads for %" PRIu32 " operands", d->reads, d->needed),
           false;
  return true;
}

static bool quiet(const void *inputs) {
  return !((const opc_in *)inputs)->valid;
}

const cosim_driver opc_driver = {
    .block = "opc",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
