// SPDX-License-Identifier: Apache-2.0
// Random traffic for valu: every opcode, types and fn that it may get, 64-bit ones in two beats
// with pauses between them.
#include "csim/mpu/valu.h"

#include "tb/cosim/cosim.h"
#include "tb/cosim/near_ops.h"

static const char *const names[] = {"any",       "integers",  "floats",
                                    "two beats", "few lanes", "pauses"};
enum { ANY, INTEGERS, FLOATS, WIDE, FEW, PAUSES, MODES };

typedef struct driver {
  unsigned mode;
  bool second;  // beat 1 comes next
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  *(driver *)state = (driver){.mode = mode};
}

static bool fits(const isa_inst *i, unsigned mode) {
  const bool is_float = i->type == ISA_TYPE_F32 || i->type2 == ISA_TYPE_F32;
  return mode == INTEGERS ? !is_float
         : mode == FLOATS ? is_float
         : mode == WIDE   ? near_op_has_two(i)
                          : true;
}

// What is equal to x, or nearly.
static uint32_t close_to(cosim_rng *rng, uint32_t x) {
  switch (rng_below(rng, 4)) {
    case 0:
      return x ^ 1u << rng_below(rng, 32);
    case 1:
      return x + 1 - rng_below(rng, 2) * 2;
    default:
      return x;
  }
}

static void operands(cosim_rng *rng, valu_in *in) {
  rng_words(rng, in->a, VALU_LANES);
  rng_words(rng, in->b, VALU_LANES);
  rng_words(rng, in->c, VALU_LANES);
  const bool shift = in->op == ISA_OP_SHL || in->op == ISA_OP_SHR;
  if (rng_chance(rng, 64))
    for (unsigned l = 0; l < VALU_LANES; l++)
      in->a[l] = rng_int(rng), in->b[l] = rng_int(rng), in->c[l] = rng_int(rng);
  if (shift && !rng_chance(rng, 16))
    for (unsigned l = 0; l < VALU_LANES; l++)
      in->b[l] = rng_below(rng, 70);
  if (rng_chance(rng, 48))
    for (unsigned l = 0; l < VALU_LANES; l += 1 + rng_below(rng, 4))
      in->b[l] = close_to(rng, in->a[l]);
}

static void drive(void *state, cosim_rng *rng, const void *out, void *inputs) {
  (void)out;
  driver *d = state;
  valu_in *in = inputs;
  in->valid = rng_chance(rng, d->mode == PAUSES ? 20 : 230);
  if (!in->valid)
    return;
  in->beat = d->second;
  in->dst = rng_bits(rng, 7), in->tag = rng_bits(rng, 8);
  if (!d->second) {
    unsigned count;
    const isa_inst *ops = near_ops(&count), *i;
    do
      i = &ops[rng_below(rng, count)];
    while (!fits(i, d->mode));
    in->op = i->op, in->typ = i->type, in->typ2 = i->type2, in->fn = i->fn;
    isa_inst with = *i;
    with.ftz = 1;
    in->ftz = rng_chance(rng, 64) && !isa_check(&with);
    with = *i;
    with.sat = 1;
    in->sat = rng_chance(rng, 96) && !isa_check(&with);
    in->lut = rng_bits(rng, 8);
    in->mask = d->mode == FEW ? 1u << rng_below(rng, 32) : rng_mask(rng);
    in->pred = rng_mask(rng);
    in->last = !near_op_has_two(i);
    d->second = near_op_has_two(i);
  } else {
    in->last = 1;
    d->second = false;
  }
  operands(rng, in);
}

static bool quiet(const void *inputs) {
  return !((const valu_in *)inputs)->valid;
}

const cosim_driver valu_driver = {
    .block = "valu",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .quiet = quiet,
};
