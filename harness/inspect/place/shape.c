// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

#include <stdlib.h>
#include <string.h>

// An element stands for one or more lines: the blocks that most of their accesses come from, less
// the steps of digits that were found.
enum { MOST = 3, VOTES = 24, TRIED = 1 << 16 };
static const float GOOD = 0.96f;  // of the accesses, at least

typedef struct element {
  int64_t block[MOST];
  float weight[MOST];
} element;

typedef struct votes {
  uint32_t n;
  int64_t block[VOTES];
  float weight[VOTES];
} votes;

static void vote(votes *v, int64_t block, float weight) {
  for (uint32_t k = 0; k < v->n; k++)
    if (v->block[k] == block) {
      v->weight[k] += weight;
      return;
    }
  if (v->n < VOTES)
    v->block[v->n] = block, v->weight[v->n++] = weight;
}

// The heaviest ones, in order.
static element elected(votes *v) {
  element e = {0};
  for (uint32_t place = 0; place < MOST; place++) {
    uint32_t best = VOTES;
    for (uint32_t k = 0; k < v->n; k++)
      if (v->weight[k] > 0 && (best == VOTES || v->weight[k] > v->weight[best] ||
                               (v->weight[k] == v->weight[best] && v->block[k] < v->block[best])))
        best = k;
    if (best == VOTES)
      break;
    e.block[place] = v->block[best], e.weight[place] = v->weight[best];
    v->weight[best] = 0;
  }
  return e;
}

static element merge(const element *of, size_t n, uint32_t step) {
  votes v = {.n = 0};
  for (size_t k = 0; k < n; k++)
    for (uint32_t b = 0; b < MOST; b++)
      if (of[k].weight[b] > 0)
        vote(&v, of[k].block[b] - (int64_t)(k * step), of[k].weight[b]);
  return elected(&v);
}

static bool has(const element *e, int64_t block) {
  for (uint32_t b = 0; b < MOST; b++)
    if (e->weight[b] > 0 && e->block[b] == block)
      return true;
  return false;
}

// How much of the accesses is left when so many elements become one.
static float quality(const element *of, size_t n, uint32_t radix, uint32_t step) {
  float before = 0, after = 0;
  const size_t enough = TRIED / radix * radix + radix;
  n = n < enough ? n : enough;
  for (size_t k = 0; k < n; k += radix) {
    const size_t some = n - k < radix ? n - k : radix;
    after += merge(of + k, some, step).weight[0];
    for (size_t j = 0; j < some; j++)
      before += of[k + j].weight[0];
  }
  return before > 0 ? after / before : 0;
}

// The largest radix with which a step fits; 1: none. Nobody knows whose the lines are that no block
// has accessed, or hardly any, as beyond the last row that was looked at; but no block has a number
// that is not below `blocks`.
static uint32_t radix_of(const element *of, size_t n, uint32_t step, uint32_t blocks) {
  size_t most = 1;
  const float hardly = (1 - GOOD) * of[0].weight[0];
  n = step && n > blocks / step ? blocks / step : n;
  while (most < n &&
         (has(&of[most], of[0].block[0] + (int64_t)(most * step)) || of[most].weight[0] <= hardly))
    most++;
  for (uint32_t less = 0; less < 4 && most - less > 1; less++)
    if (quality(of, n, (uint32_t)(most - less), step) >= GOOD)
      return (uint32_t)(most - less);
  for (uint32_t radix = 1u << 24; radix > 1; radix /= 2)
    if (radix < most && quality(of, n, radix, step) >= GOOD)
      return radix;
  return 1;
}

static shape_digit next_digit(const element *of, size_t n, uint32_t blocks) {
  shape_digit best = {radix_of(of, n, 0, blocks), 0};
  for (uint32_t b = 0; b < MOST && best.radix == 1; b++) {
    const int64_t step = of[1].block[b] - of[0].block[0];
    if (of[1].weight[b] > 0 && step > 0 && step < INT32_MAX)
      best = (shape_digit){radix_of(of, n, (uint32_t)step, blocks), (uint32_t)step};
  }
  return best;
}

static size_t merge_all(element *of, size_t n, shape_digit d) {
  size_t to = 0;
  for (size_t k = 0; k < n; k += d.radix)
    of[to++] = merge(of + k, n - k < d.radix ? n - k : d.radix, d.step);
  return to;
}

static element first_of(const seen *s) {
  votes v = {.n = 0};
  for (uint32_t k = 0; k < SEEN_BLOCKS; k++)
    if (s->block[k] != SEEN_NONE)
      vote(&v, s->block[k], s->count[k]);
  return elected(&v);
}

bool shape_find(const seen *lines, size_t n, uint32_t group, uint32_t blocks, shape *to) {
  element *of = malloc((n + 1) * sizeof *of);
  *to = (shape){0};
  if (!of)
    return false;
  for (size_t k = 0; k < n; k++)
    of[k] = first_of(&lines[k]);
  while (n > 1 && of[0].weight[0] > 0 && to->n < SHAPE_DIGITS) {
    const shape_digit d = group > 1 && !to->n ? (shape_digit){group, 0} : next_digit(of, n, blocks);
    if (d.radix == 1)
      break;
    to->digit[to->n++] = d;
    n = merge_all(of, n, d);
  }
  const bool whole = n == 1 && of[0].weight[0] > 0;
  free(of);
  return whole;
}
