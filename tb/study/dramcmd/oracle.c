// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <string.h>

enum { SUBARRAYS = 32, QUEUE = 16, SLOTS = 4, NONE = -1 };
enum { RCD = 14, RP = 14, RAS = 33, RRD = 4, FAW = 16, CCD = 2, RD_WR = 4, WR_RD = 12, RD_PRE = 4 };
enum { WR_PRE = 19, WR_SIBLING = 12 };

typedef struct slot {
  bool open;
  uint32_t row;
  uint64_t col, pre, used;
} slot;

typedef struct oracle {
  uint64_t now, rd, wr, sibling, rp, rrd, faw[4], sub[SUBARRAYS];
  uint32_t acts;
  slot slots[SLOTS];
  int selected;
  uint32_t rows;
  size_t queue[QUEUE];
  uint32_t n;
  const stream_access *all;
} oracle;

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static const stream_access *request(const oracle *o, uint32_t i) {
  return &o->all[o->queue[i]];
}

static int slot_of(const oracle *o, const stream_access *a) {
  for (int s = 0; s < SLOTS; s++)
    if (o->slots[s].open && o->slots[s].row == a->row)
      return s;
  return NONE;
}

static bool hit(const oracle *o, int s) {
  for (uint32_t i = 0; i < o->n; i++)
    if (slot_of(o, request(o, i)) == s)
      return true;
  return false;
}

static bool data_path(const oracle *o, const stream_access *a, uint64_t at) {
  return (a->we ? o->wr : o->rd) <= at;
}

static bool column(oracle *o) {
  for (uint32_t i = 0; i < o->n; i++) {
    const stream_access *a = request(o, i);
    const int k = slot_of(o, a);
    if (k == NONE || k != o->selected || o->slots[k].col > o->now || !data_path(o, a, o->now))
      continue;
    slot *s = &o->slots[k];
    s->used = o->now;
    s->pre = later(s->pre, o->now + (a->we ? WR_PRE : RD_PRE));
    o->rd = o->now + (a->we ? WR_RD : CCD);
    o->wr = o->now + (a->we ? CCD : RD_WR);
    if (a->we)
      o->sibling = o->now + WR_SIBLING;
    memmove(&o->queue[i], &o->queue[i + 1], (--o->n - i) * sizeof *o->queue);
    return true;
  }
  return false;
}

static bool select_row(oracle *o) {
  if (o->sibling > o->now ||
      (o->selected != NONE && o->slots[o->selected].col <= o->now + 1 && hit(o, o->selected)))
    return false;
  for (uint32_t i = 0; i < o->n; i++) {
    const stream_access *a = request(o, i);
    const int k = slot_of(o, a);
    if (k == NONE || k == o->selected || o->slots[k].col > o->now + 1 ||
        !data_path(o, a, o->now + 1))
      continue;
    o->selected = k;
    o->slots[k].used = o->now;
    o->slots[k].col = later(o->slots[k].col, o->now + 1);
    return true;
  }
  return false;
}

// The slot that has the subarray of an access, the number of those that are open.
static int clash(const oracle *o, const stream_access *a, uint32_t *n_open) {
  int found = NONE;
  *n_open = 0;
  for (int s = 0; s < SLOTS; s++)
    if (o->slots[s].open) {
      ++*n_open;
      if (o->slots[s].row % SUBARRAYS == a->row % SUBARRAYS)
        found = s;
    }
  return found;
}

static bool activate(oracle *o) {
  if (later(o->rrd, o->faw[o->acts % 4]) > o->now || o->sibling > o->now ||
      (o->rows == 1 && o->rp > o->now))
    return false;
  for (uint32_t i = 0; i < o->n; i++) {
    const stream_access *a = request(o, i);
    uint32_t n_open;
    if (clash(o, a, &n_open) != NONE || n_open == o->rows || o->sub[a->row % SUBARRAYS] > o->now)
      continue;
    int k = 0;
    while (o->slots[k].open)
      k++;
    o->slots[k] = (slot){true, a->row, o->now + RCD, o->now + RAS, o->now};
    o->selected = k;
    o->rrd = o->now + RRD;
    o->faw[o->acts++ % 4] = o->now + FAW;
    return true;
  }
  return false;
}

static bool precharge(oracle *o) {
  for (uint32_t i = 0; i < o->n; i++) {
    const stream_access *a = request(o, i);
    uint32_t n_open;
    int k = clash(o, a, &n_open);
    if (slot_of(o, a) != NONE)
      continue;
    if (k == NONE && n_open == o->rows)
      for (int s = 0; s < SLOTS; s++)
        if (o->slots[s].open && !hit(o, s) && (k == NONE || o->slots[s].used < o->slots[k].used))
          k = s;
    if (k == NONE || hit(o, k) || o->slots[k].pre > o->now)
      continue;
    o->slots[k].open = false;
    if (o->selected == k)
      o->selected = NONE;
    o->sub[o->slots[k].row % SUBARRAYS] = o->rp = o->now + RP;
    return true;
  }
  return false;
}

double oracle_rate(const stream_access *all, size_t n, uint32_t rows, uint32_t queue) {
  oracle o = {.selected = NONE, .rows = rows, .all = all};
  for (size_t next = 0; next < n || o.n; o.now++) {
    if (next < n && o.n < queue)
      o.queue[o.n++] = next++;
    if (!column(&o) && !select_row(&o) && !activate(&o))
      precharge(&o);
  }
  return (double)n / (double)o.now;
}
