// SPDX-License-Identifier: Apache-2.0
// Random traffic for a block: what tb/<block>/drive.c gives, and cosim.c (and all that plays
// recorded traffic) takes. A cycle is: drive() fills the inputs, seeing the outputs that the last
// edge left; twin and Verilog are clocked with them; all outputs are compared; check() looks on.
//
// The inputs persist: drive() finds those of the last cycle and changes what it wants to. So a
// valid that it leaves alone stays high, and wide data that is left alone costs nothing. rst_n is
// not the driver's: in a cycle with reset it is not called, and start() is called before the cycle
// after it. Bits above the width of a port are cut off afterwards.
//
// A driver keeps to the rules of the block's page (data hold until taken, credits are not exceeded)
// but does everything that they allow: pauses, back-pressure, bursts, all corners of the data.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "csim/base/block.h"
#include "csim/base/splitmix.h"
#include "csim/mpu/structure.h"

typedef struct cosim_rng {
  uint64_t state;  // any value is a seed
} cosim_rng;

typedef struct cosim_driver {
  const char *block;
  size_t state_bytes;  // of the driver's own state; zeroed before the first start() only
  // Ways to behave: calm, flooded, starved... start() gets one, 0 to modes-1.
  unsigned modes;
  const char *const *mode_names;
  void (*start)(void *state, cosim_rng *rng, unsigned mode);
  void (*drive)(void *state, cosim_rng *rng, const void *out, void *in);
  // Optional: the straps of a cycle with reset; the other inputs, and without it all, are zero
  // then. Before the first start() the state is zero.
  void (*straps)(void *state, void *in);
  // Optional, called after each start(): the sizes of the block, when they are not the default
  // ones, as its table has them: a structure, or of another machine the fields of `table`. A driver
  // without it has traffic that is legal for any.
  void (*sizes)(void *state, const void *sizes);
  const size_table *table;  // NULL: structure_table
  // Optional: what create() of the block takes, when that is not a structure.
  const void *(*of_sizes)(const structure *sizes);
  // Optional: a scoreboard. `in` as they were before the edge, `out` after it. False, and a
  // sentence in `why`, when the block did something wrong. Not called in cycles with reset.
  bool (*check)(void *state, const void *in, const void *out, char *why, size_t n);
  // Optional: nothing in `in` would wake an idle block. Then cycles in which the twin's idle() is
  // true are left out now and then, on either side, which must not change anything. A driver
  // without it never sees a stopped clock.
  bool (*quiet)(const void *in);
  uint64_t cycles;  // of the test that runs by default; 0: a million
  uint32_t lives;   // cycles from a reset to the next one, on average; 0: 50,000
} cosim_driver;

// ---- random numbers
static inline uint64_t rng_next(cosim_rng *r) {
  return splitmix(&r->state);
}

static inline uint32_t rng_u32(cosim_rng *r) {
  return (uint32_t)(rng_next(r) >> 32);
}

// 0 to n-1; n is at least 1.
static inline uint32_t rng_below(cosim_rng *r, uint32_t n) {
  return (uint32_t)((uint64_t)rng_u32(r) * n >> 32);
}

// lo to hi, both included.
static inline uint32_t rng_range(cosim_rng *r, uint32_t lo, uint32_t hi) {
  return lo + rng_below(r, hi - lo + 1);
}

// True n times in 256.
static inline bool rng_chance(cosim_rng *r, unsigned n) {
  return rng_u32(r) >> 24 < n;
}

// The low `bits` bits, 0 to 32.
static inline uint32_t rng_bits(cosim_rng *r, unsigned bits) {
  return bits ? rng_u32(r) >> (32 - bits) : 0;
}

#define RNG_PICK(r, array) ((array)[rng_below((r), sizeof(array) / sizeof *(array))])

// Index into weights[n], each as often as its weight says; at least one is not zero.
unsigned rng_weighted(cosim_rng *r, const uint16_t *weights, unsigned n);
// Few bits set, many bits set, runs, powers of two and their neighbours, small, negative, and any.
uint32_t rng_int(cosim_rng *r);
// binary32: zeros, subnormals, ends of ranges, halfway cases, infinities, NaNs, integers, and any.
uint32_t rng_float(cosim_rng *r);
// rng_int or rng_float.
uint32_t rng_value(cosim_rng *r);
// A mask of lanes: all, none, one, a prefix, every other, or any.
uint32_t rng_mask(cosim_rng *r);
// Fills words: all random, all the same, rng_value each, or one word that is not zero.
void rng_words(cosim_rng *r, uint32_t *words, size_t n);
