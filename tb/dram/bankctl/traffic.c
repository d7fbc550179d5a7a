// SPDX-License-Identifier: Apache-2.0
#include "traffic.h"

static uint32_t draw(uint64_t *random, uint32_t below) {
  uint64_t x = *random | 1;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  *random = x;
  return (uint32_t)((x * 0x2545f4914f6cdd1du >> 32) * below >> 32);
}

static uint32_t some_bank(traffic *t, uint32_t i) {
  uint32_t n = i % (uint32_t)__builtin_popcount(t->banks);
  for (uint32_t bank = 0;; bank++)
    if ((t->banks >> bank & 1) && !n--)
      return bank;
}

static uint32_t some_row(traffic *t) {
  const uint32_t row = draw(&t->random, DRAM_ROWS) & t->row_mask;
  return (t->one_subarray ? row & ~31u : row) ^ t->row_base;
}

bool traffic_next(void *ctx, uint64_t cycle, rig_request *q) {
  traffic *t = ctx;
  if (t->limit && t->n == t->limit)
    return false;
  if (t->off && cycle % (t->on + t->off) >= t->on)
    return false;
  if (t->rate < 65536 && draw(&t->random, 65536) >= t->rate)
    return false;
  const uint32_t i = (uint32_t)(t->n / t->turn) % t->streams;
  q->bank = some_bank(t, i);
  switch (t->kind) {
    case TRAFFIC_RANDOM:
      q->bank = some_bank(t, draw(&t->random, DRAM_BANKS * 3));
      q->row = some_row(t);
      q->col = draw(&t->random, DRAM_COLS);
      break;
    case TRAFFIC_STREAMS:
    case TRAFFIC_ROWS:
      if (!t->row[i])
        t->row[i] = (some_row(t) & ~31u) | (t->one_subarray ? t->row_base & 31 : i);
      if (t->col[i] == DRAM_COLS) {
        t->col[i] = 0;
        if (t->kind == TRAFFIC_STREAMS)
          t->row[i] = (t->row[i] + (t->one_subarray ? 32 : t->streams)) % DRAM_ROWS;
      }
      q->row = t->row[i];
      q->col = t->col[i]++;
      break;
    default:
      q->row = t->row_base + 32 * draw(&t->random, 2);
      q->col = draw(&t->random, 3);
      break;
  }
  q->we = draw(&t->random, 100) < t->write_percent;
  q->mask = UINT32_MAX;
  if (draw(&t->random, 100) < t->partial_percent)
    q->mask = draw(&t->random, UINT32_MAX);
  t->n++;
  return true;
}

traffic traffic_random(uint64_t *random) {
  static const uint32_t writes[] = {0, 0, 10, 30, 50, 90, 100};
  static const uint32_t rates[] = {65536, 65536, 65536, 32768, 8192, 2048, 512};
  static const uint32_t row_masks[] = {0x3fff, 0xff, 0x3f, 0x7, 0x60};
  static const uint32_t turns[] = {1, 1, 2, 4, 16};
  traffic t = {
      .kind = (traffic_kind)draw(random, TRAFFIC_KINDS),
      .banks = draw(random, 3) ? 15 : 1 + draw(random, 15),
      .streams = 1 + draw(random, 8),
      .turn = turns[draw(random, 5)],
      .row_mask = row_masks[draw(random, 5)],
      .row_base = draw(random, DRAM_ROWS / 2),
      .one_subarray = draw(random, 4) == 0,
      .write_percent = writes[draw(random, 7)],
      .partial_percent = draw(random, 2) * 30,
      .rate = rates[draw(random, 7)],
      .random = (uint64_t)draw(random, UINT32_MAX) << 20 | 1,
  };
  if (draw(random, 3) == 0) {
    t.on = 1 + draw(random, 60);
    t.off = 1 + draw(random, 400);
  }
  return t;
}
