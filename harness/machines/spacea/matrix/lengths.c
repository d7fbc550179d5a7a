// SPDX-License-Identifier: Apache-2.0
// Lengths b * exp(g * z), rounded and within limits, where z are the quantiles of a distribution:
// for each g a b gives the mean, and the deviation grows with g.
#include <math.h>
#include <stdlib.h>
#include "generate_priv.h"

typedef struct solver {
  const double *z;
  uint32_t n;
  const lengths_wanted *want;
  double mean, deviation;  // of the last try
} solver;

static uint32_t length_of(const solver *s, double b, double g, double z) {
  const double x = rint(b * exp(g * z));
  return x <= s->want->shortest  ? s->want->shortest
         : x >= s->want->longest ? s->want->longest
                                 : (uint32_t)x;
}

static void try(solver *s, double b, double g) {
  double sum = 0, squares = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    const double x = length_of(s, b, g, s->z[k]);
    sum += x, squares += x * x;
  }
  s->mean = sum / s->n;
  s->deviation = sqrt(fmax(squares / s->n - s->mean * s->mean, 0));
}

// The b for this g.
static double mean_for(solver *s, double g) {
  double low = 0, high = 0, b = s->want->mean;
  for (int k = 0; k < 60; k++) {
    try(s, b, g);
    if (fabs(s->mean - s->want->mean) < 1e-4 * s->want->mean)
      break;
    if (s->mean < s->want->mean)
      low = b;
    else
      high = b;
    b = high > 0 ? low + (high - low) / 2 : b * 2;
  }
  return b;
}

// Quantiles of the normal distribution, or of the exponential one, whose exp() has a tail like a
// power.
static double quantile(double u, bool power) {
  if (power)
    return -log(1 - u);
  double low = -9, high = 9;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    if (erfc(-middle * 0.70710678118654752) / 2 < u)
      low = middle;
    else
      high = middle;
  }
  return low;
}

bool lengths_make(uint32_t *length, uint32_t n, const lengths_wanted *w, dice *d) {
  double *z = malloc(n * sizeof *z);
  uint32_t *order = malloc(n * sizeof *order);
  if (z && order) {
    for (uint32_t k = 0; k < n; k++)
      z[k] = quantile((k + 0.5) / n, w->power);
    solver s = {z, n, w, 0, 0};
    double low = 0, high = 20, b = 0, g = 1;
    for (int k = 0; k < 40; k++) {
      b = mean_for(&s, g);
      if (fabs(s.deviation - w->deviation) < 1e-3 * w->deviation)
        break;
      if (s.deviation < w->deviation)
        low = g;
      else
        high = g;
      g = low + (high - low) / 2;
    }
    dice_order(d, order, n);
    for (uint32_t k = 0; k < n; k++)
      length[k] = length_of(&s, b, g, z[order[k]]);
  }
  const bool room = z && order;
  free(z), free(order);
  return room;
}
