// SPDX-License-Identifier: Apache-2.0
// Finite elements: the rows of a node have the unknowns of the nodes nearest to it.
#include <stdlib.h>
#include <string.h>
#include "generate_priv.h"

typedef struct step {
  int at[3];
  int distance;  // squared
} step;

typedef struct place {
  uint64_t key;
  uint32_t node;
} place;

static int by_distance(const void *a, const void *b) {
  const step *x = a, *y = b;
  if (x->distance != y->distance)
    return x->distance - y->distance;
  for (int k = 2; k >= 0; k--)
    if (x->at[k] != y->at[k])
      return x->at[k] - y->at[k];
  return 0;
}
static int by_key(const void *a, const void *b) {
  const place *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key;
}

// Steps to nodes nearby, the nearest first: so many that a corner has `most` of them.
static step *steps_make(const mesh *w, uint32_t most, size_t *n) {
  for (int r = 1;; r *= 2) {
    int reach[3];
    uint64_t corner = 1, all = 1;
    for (int k = 0; k < 3; k++) {
      const int last = (int)w->size[k] - 1;
      reach[k] = r < last ? r : last;
      corner *= (uint64_t)reach[k] + 1, all *= 2 * (uint64_t)reach[k] + 1;
    }
    // a ball has half of its box
    const bool whole = corner == (uint64_t)w->size[0] * w->size[1] * w->size[2];
    if (corner < 2 * (uint64_t)most + 8 && !whole)
      continue;
    step *s = malloc(all * sizeof *s), *to = s;
    for (int z = -reach[2]; s && z <= reach[2]; z++)
      for (int y = -reach[1]; y <= reach[1]; y++)
        for (int x = -reach[0]; x <= reach[0]; x++)
          *to++ = (step){{x, y, z}, x * x + y * y + z * z};
    if (s)
      qsort(s, all, sizeof *s, by_distance);
    *n = all;
    return s;
  }
}

static uint64_t key_of(const mesh *w, const uint32_t at[3], dice *d) {
  uint64_t key = 0;
  if (w->order == SHUFFLED)
    return dice_bits(d);
  if (w->order == NATURAL)
    return ((uint64_t)at[2] * w->size[1] + at[1]) * w->size[0] + at[0];
  for (int bit = 0; bit < 20; bit++)  // folded: a curve that stays in one corner as long as it can
    for (int k = 0; k < 3; k++)
      key |= (uint64_t)(at[k] >> bit & 1) << (3 * bit + k);
  return key;
}

// number[node]: of the node in the order of the rows; place[number]: the other way round.
static bool order_make(const mesh *w, uint32_t nodes, uint32_t *number, place *at, dice *d) {
  for (uint32_t p = 0; p < nodes; p++) {
    const uint32_t x[3] = {p % w->size[0], p / w->size[0] % w->size[1],
                           p / w->size[0] / w->size[1]};
    at[p] = (place){key_of(w, x, d), p};
  }
  qsort(at, nodes, sizeof *at, by_key);
  for (uint32_t k = 0; k < nodes; k++)
    number[at[k].node] = k;
  return true;
}

// The columns of the rows of a node: at most `length` of them. Returns how many there are.
static uint32_t columns(const csr *m, const mesh *w, const step *s, size_t steps,
                        const uint32_t *number, uint32_t node, uint32_t length, uint32_t *col) {
  const int x[3] = {(int)(node % w->size[0]), (int)(node / w->size[0] % w->size[1]),
                    (int)(node / w->size[0] / w->size[1])};
  uint32_t n = 0;
  for (size_t k = 0; k < steps && n < length; k++) {
    int to[3];
    bool inside = true;
    for (int a = 0; a < 3; a++) {
      to[a] = x[a] + s[k].at[a];
      inside = inside && to[a] >= 0 && to[a] < (int)w->size[a];
    }
    if (!inside)
      continue;
    const uint32_t other =
        ((uint32_t)to[2] * w->size[1] + (uint32_t)to[1]) * w->size[0] + (uint32_t)to[0];
    const uint64_t first = (uint64_t)number[other] * w->unknowns;
    for (uint32_t u = 0; u < w->unknowns && n < length && first + u < m->cols; u++)
      col[n++] = (uint32_t)(first + u);
  }
  return n;
}

bool mesh_make(csr *m, const mesh *w, const lengths_wanted *lengths, dice *d) {
  const uint32_t nodes = w->size[0] * w->size[1] * w->size[2];
  const uint32_t used = (m->rows + w->unknowns - 1) / w->unknowns;
  uint32_t *number = malloc(nodes * sizeof *number), *length = malloc(used * sizeof *length),
           *col = malloc(lengths->longest * sizeof *col);
  place *at = malloc(nodes * sizeof *at);
  size_t steps = 0;
  step *s = steps_make(w, lengths->longest / w->unknowns + 1, &steps);
  csr_rows r;
  bool good = number && length && col && at && s && lengths_make(length, used, lengths, d) &&
              order_make(w, nodes, number, at, d) &&
              csr_rows_begin(&r, m, (uint64_t)(lengths->mean * m->rows * 1.02));
  for (uint32_t row = 0; good && row < m->rows; row++) {
    const uint32_t k = row / w->unknowns;
    good = csr_rows_add(&r, col, columns(m, w, s, steps, number, at[k].node, length[k], col));
  }
  free(number), free(length), free(col), free(at), free(s);
  return good;
}
