// SPDX-License-Identifier: Apache-2.0
// The result is there when an operation enters; a ring keeps it until its edge.
#include "fma64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Rule 7.
static double least(double a, double b) {
  if (isnan(a) || isnan(b))
    return isnan(a) ? b : a;
  if (a == b)
    return signbit(a) ? a : b;
  return a < b ? a : b;
}

static double any(fma64_op op, double a, double b, double c) {
  switch (op) {
    case FMA64_FMA:
      return fma(a, b, c);
    case FMA64_ADD:
      return a + b;
    case FMA64_MUL:
      return a * b;
    default:
      return least(a, b);
  }
}

double fma64_value(fma64_op op, double a, double b, double c) {
  const double d = any(op, a, b, c);
  return isnan(d) ? number(0x7ff8000000000000) : d;
}

uint64_t fma64_result(fma64_op op, uint64_t a, uint64_t b, uint64_t c) {
  const double d = fma64_value(op, number(a), number(b), number(c));
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}

static uint64_t words(const uint32_t *w) {
  return (uint64_t)w[1] << 32 | w[0];
}

void fma64_step(fma64 *f, const fma64_in *in, fma64_out *out) {
  f->out.valid = in->rst_n && f->valid[f->at];
  if (f->valid[f->at])
    f->out.d[0] = (uint32_t)f->d[f->at], f->out.d[1] = (uint32_t)(f->d[f->at] >> 32);
  f->inside -= f->valid[f->at];
  f->valid[f->at] = in->rst_n && in->valid;
  if (f->valid[f->at])
    f->d[f->at] = fma64_result(in->op, words(in->a), words(in->b), words(in->c)), f->inside++;
  f->at = (f->at + 1) % FMA64_EDGES;
  if (!in->rst_n)
    memset(f->valid, 0, sizeof f->valid), f->inside = 0;
  *out = f->out;
}

#define BLOCK fma64
#include "csim/base/block_table.h"
#define BLOCK fma64
#include "csim/base/block_twin.h"
