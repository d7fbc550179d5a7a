// SPDX-License-Identifier: Apache-2.0
#include "xcam.h"

#include <stdlib.h>
#include <string.h>

#include "csim/base/prefetch.h"
#include "csim/base/rare.h"

#define BLOCK xcam
#include "csim/base/block_table.h"

struct xcam {
  uint32_t sets, ways;
  uint32_t *keys;    // of each way of each set; all ones, which no key is: not valid
  uint64_t *orders;  // of each set, 4 bits a way, that which was used last highest
  uint32_t (*lines)[XCAM_WORDS];
  bool empty;
  xcam_out out;
};

static void clear(xcam *c) {
  if (c->empty)
    return;
  memset(c->keys, 0xff, c->sets * c->ways * sizeof *c->keys);
  c->empty = true;
}

xcam *xcam_create(const spacea_structure *sizes) {
  const spacea_structure *z = spacea_structure_or_default(sizes);
  xcam *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->sets = z->sets, c->ways = z->ways;
  c->keys = calloc(c->sets * c->ways, sizeof *c->keys);
  c->orders = calloc(c->sets, sizeof *c->orders);
  c->lines = calloc(c->sets * c->ways, sizeof *c->lines);
  if (c->keys && c->orders && c->lines) {
    clear(c);
    for (uint32_t s = 0; s < c->sets; s++)
      c->orders[s] = 0xfedcba9876543210;
    return c;
  }
  xcam_destroy(c);
  return NULL;
}

void xcam_destroy(xcam *c) {
  if (c)
    free(c->keys), free(c->orders), free(c->lines);
  free(c);
}

// The way of a set that has a key, or `ways`.
static uint32_t find(const xcam *c, uint32_t set, uint32_t key) {
  const uint32_t *keys = &c->keys[set * c->ways];
  uint32_t way = 0;
  while (way < c->ways && keys[way] != key)
    way++;
  return way;
}

static void use(xcam *c, uint32_t set, uint32_t way) {
  const uint64_t order = c->orders[set];
  const uint32_t top = 4 * (c->ways - 1);
  uint32_t at = 0;
  while ((order >> at & 15) != way)
    at += 4;
  const uint64_t below = (1ull << at) - 1, rest = (1ull << top) - 1;
  const uint64_t others = (order & below) | (order >> 4 & ~below);
  c->orders[set] = (others & rest) | (uint64_t)way << top;
}

static void look(xcam *c, uint32_t key, uint32_t who) {
  const uint32_t set = key & (c->sets - 1), way = find(c, set, key);
  c->out.ans_hit = way < c->ways;
  c->out.ans_who = who;
  if (!c->out.ans_hit)
    return;
  memcpy(c->out.ans_data, c->lines[set * c->ways + way], sizeof c->out.ans_data);
  use(c, set, way);
}

static void fill(xcam *c, uint32_t key, const uint32_t *data) {
  const uint32_t set = key & (c->sets - 1);
  uint32_t way = find(c, set, key);
  if (way == c->ways)
    way = (uint32_t)c->orders[set] & 15;
  c->keys[set * c->ways + way] = key;
  memcpy(c->lines[set * c->ways + way], data, sizeof c->lines[0]);
  use(c, set, way);
  c->empty = false;
}

RARE static void reset(xcam *c) {
  clear(c);
  c->out.ans_valid = 0;
}

void xcam_step(xcam *c, const xcam_in *in, xcam_out *out) {
  if (!in->rst_n) {
    reset(c);
  } else {
    c->out.ans_valid = in->look_valid;
    if (in->look_valid)
      look(c, in->look_key, in->look_who);
    if (in->clear)
      clear(c);
    else if (in->fill_valid)
      fill(c, in->fill_key, in->fill_data);
  }
  *out = c->out;
}

void xcam_fetch(const xcam *c, uint32_t key) {
  const uint32_t set = key & (c->sets - 1);
  prefetch_now(&c->keys[set * c->ways], c->ways * sizeof *c->keys);
  prefetch_now(&c->orders[set], 1);
  prefetch_now(c->lines[set * c->ways], c->ways * sizeof *c->lines);
}

bool xcam_idle(const xcam *c) {
  return !c->out.ans_valid;
}

bool xcam_next(const xcam *c, uint32_t *at, xcam_line *to) {
  while (*at < c->sets * c->ways) {
    const uint32_t k = (*at)++;
    *to = (xcam_line){k / c->ways, k % c->ways, c->keys[k], c->lines[k]};
    if (c->keys[k] != UINT32_MAX)
      return true;
  }
  return false;
}

#define BLOCK xcam
#define BLOCK_CREATED
#include "csim/base/block_twin.h"
