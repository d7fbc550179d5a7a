// SPDX-License-Identifier: Apache-2.0
// A hash table stands for the comparators: linear probing, at most half full. A key that leaves
// makes those behind it move up, so that no look passes a hole.
#include "ldq.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/prefetch.h"
#include "csim/base/rare.h"

#define BLOCK ldq
#include "csim/base/block_table.h"

typedef struct entry {
  uint32_t key;
  uint16_t who;
  uint8_t layers;  // 0: none is here
} entry;

struct ldq {
  uint32_t entries, n;
  uint32_t mask;  // of places in the table
  entry *table;
  ldq_out out;
};

ldq *ldq_create(const spacea_structure *sizes) {
  ldq *q = calloc(1, sizeof *q);
  if (!q)
    return NULL;
  q->entries = spacea_structure_or_default(sizes)->entries;
  q->mask = 2 * q->entries - 1;
  q->table = calloc(q->mask + 1, sizeof *q->table);
  if (q->table)
    return q;
  free(q);
  return NULL;
}

void ldq_destroy(ldq *q) {
  if (q)
    free(q->table);
  free(q);
}

static uint32_t home(const ldq *q, uint32_t key) {
  return key * 0x9e3779b1u >> 7 & q->mask;
}

// Where a key is, or else the place for it.
static entry *find(const ldq *q, uint32_t key) {
  uint32_t at = home(q, key);
  while (q->table[at].layers && q->table[at].key != key)
    at = (at + 1) & q->mask;
  return &q->table[at];
}

static void drop(ldq *q, entry *e) {
  uint32_t hole = (uint32_t)(e - q->table);
  for (uint32_t at = (hole + 1) & q->mask; q->table[at].layers; at = (at + 1) & q->mask) {
    const uint32_t from_home = (at - home(q, q->table[at].key)) & q->mask;
    if (from_home < ((at - hole) & q->mask))
      continue;
    q->table[hole] = q->table[at];
    hole = at;
  }
  q->table[hole].layers = 0;
  q->n--;
}

static void leave(ldq *q, uint32_t key) {
  entry *e = find(q, key);
  q->out.left_there = e->layers != 0;
  if (!e->layers)
    return;
  q->out.left_who = e->who;
  q->out.left_layers = e->layers;
  drop(q, e);
}

static ldq_state ask(ldq *q, const ldq_in *in) {
  const uint8_t layer = (uint8_t)(1u << in->ask_layer);
  entry *e = find(q, in->ask_key);
  if (e->layers) {
    e->layers |= layer;
    return LDQ_THERE;
  }
  if (!in->ask_enter || q->n == q->entries)
    return LDQ_FULL;
  *e = (entry){in->ask_key, (uint16_t)in->ask_who, layer};
  q->n++;
  return LDQ_ENTERED;
}

RARE static void reset(ldq *q) {
  memset(q->table, 0, (q->mask + 1) * sizeof *q->table);
  q->n = 0;
  q->out.ans_valid = q->out.left_valid = 0;
}

void ldq_step(ldq *q, const ldq_in *in, ldq_out *out) {
  if (!in->rst_n) {
    reset(q);
  } else {
    q->out.left_valid = in->leave_valid;
    if (in->leave_valid)
      leave(q, in->leave_key);
    q->out.ans_valid = in->ask_valid;
    if (in->ask_valid)
      q->out.ans_state = ask(q, in), q->out.ans_who = in->ask_who;
  }
  q->out.busy = q->n != 0;
  *out = q->out;
}

void ldq_fetch(const ldq *q, uint32_t key) {
  prefetch_now(&q->table[home(q, key)], 1);
}

bool ldq_idle(const ldq *q) {
  return !q->out.ans_valid && !q->out.left_valid;
}

bool ldq_next(const ldq *q, uint32_t *at, ldq_line *to) {
  while (*at <= q->mask) {
    const entry *e = &q->table[(*at)++];
    *to = (ldq_line){e->key, e->who, e->layers};
    if (e->layers)
      return true;
  }
  return false;
}

#define BLOCK ldq
#define BLOCK_CREATED
#include "csim/base/block_twin.h"
