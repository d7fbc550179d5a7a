// SPDX-License-Identifier: Apache-2.0
// Random traffic for fpu: an operation in most cycles, with operands from the corners of binary32.
#include "csim/mpu/fpu.h"

#include "tb/cosim/cosim.h"
#include "operands.h"

static const char *const names[] = {"any",      "sums",  "products", "near each other",
                                    "integers", "pauses"};
enum { MODES = sizeof names / sizeof *names };

typedef struct driver {
  unsigned mode;
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  ((driver *)state)->mode = mode;
}

// A number whose exponent is close to that of `to`, so that sums cancel.
static uint32_t close_to(cosim_rng *rng, uint32_t to) {
  const uint32_t exponent = (to >> 23 & 255) + rng_below(rng, 5) - 2;
  uint32_t fraction = rng_chance(rng, 128) ? to & 0x7fffff : rng_int(rng) & 0x7fffff;
  return rng_bits(rng, 1) << 31 | (exponent & 255) << 23 | fraction;
}

static void drive(void *state, cosim_rng *rng, const void *out, void *inputs) {
  (void)out;
  const driver *d = state;
  fpu_in *in = inputs;
  in->valid = rng_chance(rng, d->mode == 5 ? 20 : 240);
  if (!in->valid)
    return;
  static const uint8_t sums[] = {FPU_ADD, FPU_SUB, FPU_FMA, FPU_F2F, FPU_MIN, FPU_SETB},
                       products[] = {FPU_MUL, FPU_FMA},
                       integers[] = {FPU_I2F_U, FPU_I2F_S, FPU_F2I_U, FPU_F2I_S, FPU_F2F};
  in->op = d->mode == 1 || d->mode == 3 ? RNG_PICK(rng, sums)
           : d->mode == 2               ? RNG_PICK(rng, products)
           : d->mode == 4               ? RNG_PICK(rng, integers)
                                        : rng_below(rng, FPU_OPS);
  in->fn = rng_chance(rng, 16) ? rng_bits(rng, 5) : rng_below(rng, 14);
  in->ftz = rng_chance(rng, 64), in->sat = rng_chance(rng, 48);
  in->a = in->op == FPU_I2F_U || in->op == FPU_I2F_S ? rng_int(rng) : rng_float(rng);
  in->b = rng_chance(rng, 12) ? in->a : rng_float(rng), in->c = rng_float(rng);
  if (d->mode == 3) {
    if (in->op == FPU_FMA) {
      in->b = 0x3f800000 ^ rng_bits(rng, 4);
      in->c = close_to(rng, in->a);
    } else
      in->b = close_to(rng, in->a);
  } else if (d->mode == 4 && rng_chance(rng, 160))
    in->a = rng_bits(rng, 1) << 31 | (rng_range(rng, 120, 162) << 23) | rng_bits(rng, 23);
  else if (rng_chance(rng, 96)) {
    uint32_t x[] = {in->a, in->b, in->c};
    fpu_aim(rng, in->op, x);
    in->a = x[0], in->b = x[1], in->c = x[2];
  }
}

static bool quiet(const void *inputs) {
  return !((const fpu_in *)inputs)->valid;
}

const cosim_driver fpu_driver = {
    .block = "fpu",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .quiet = quiet,
    .cycles = 2000000,
};
