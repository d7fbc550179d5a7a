// SPDX-License-Identifier: Apache-2.0
#include "bankctl_times.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *doc;
  int64_t min, max;
} fields[BANKCTL_N_TIMES] = {
#define BANKCTL_TIME(name, NAME, min, max, cycles, doc) {#name, doc, min, max},
#include "bankctl_times.def"
};

static int64_t longest(const int64_t *cycles) {
  int64_t most = cycles[BANKCTL_AT_READ] + 2;
  for (int n = 0; n < BANKCTL_N_TIMES; n++)
    if (n != BANKCTL_AT_RFC && cycles[n] > most)
      most = cycles[n];
  return most;
}

bool bankctl_times_of(const dram_timing *t, bankctl_times *times, char *why, size_t why_bytes) {
#define CK(time) ((t->time + t->tCK - 1) / t->tCK)
#define ACCESS (t->tCCD > t->burst ? t->tCCD : t->burst)
#define AT_LEAST_1(cycles) ((cycles) > 1 ? (cycles) : 1)
  int64_t cycles[BANKCTL_N_TIMES] = {
#define BANKCTL_TIME(name, NAME, min, max, from, doc) from,
#include "bankctl_times.def"
  };
#undef CK
#undef ACCESS
#undef AT_LEAST_1
  cycles[BANKCTL_AT_STAY] = longest(cycles);
  for (int n = 0; n < BANKCTL_N_TIMES; n++) {
    // a slot remembers the subarray that it closed last until the row after it closes
    const int64_t min = n == BANKCTL_AT_RAS ? cycles[BANKCTL_AT_RP] : fields[n].min;
    if (cycles[n] < min || cycles[n] > fields[n].max) {
      snprintf(why, why_bytes,
               "%s: %" PRId64 " cycles are out of range; allowed: %" PRId64 " to %" PRId64,
               fields[n].doc, cycles[n], min, fields[n].max);
      return false;
    }
  }
#define BANKCTL_TIME(name, NAME, min, max, from, doc) \
  times->name = (uint32_t)cycles[BANKCTL_AT_##NAME];
#include "bankctl_times.def"
  return true;
}

bankctl_times bankctl_times_default(void) {
  bankctl_times times = {0};
  char why[128];
  const bool good = bankctl_times_of(&dram_timing_default, &times, why, sizeof why);
  assert(good);
  (void)good;
  return times;
}

void bankctl_times_put(const bankctl_times *times, uint32_t words[BANKCTL_TIME_WORDS]) {
  const uint32_t values[BANKCTL_N_TIMES] = {
#define BANKCTL_TIME(name, NAME, min, max, from, doc) times->name,
#include "bankctl_times.def"
  };
  memset(words, 0, BANKCTL_TIME_WORDS * sizeof *words);
  for (uint32_t n = 0; n < BANKCTL_N_TIMES; n++) {
    const uint32_t at = n * BANKCTL_TIME_BITS, bit = at % 32;
    const uint64_t field = (uint64_t)values[n] << bit;
    words[at / 32] |= (uint32_t)field;
    if (bit + BANKCTL_TIME_BITS > 32)
      words[at / 32 + 1] |= (uint32_t)(field >> 32);
  }
}

static uint32_t field_of(const uint32_t *words, uint32_t n) {
  const uint32_t at = n * BANKCTL_TIME_BITS, bit = at % 32;
  uint64_t both = words[at / 32];
  if (bit + BANKCTL_TIME_BITS > 32)
    both |= (uint64_t)words[at / 32 + 1] << 32;
  return (uint32_t)(both >> bit) & ((1u << BANKCTL_TIME_BITS) - 1);
}

void bankctl_times_get(const uint32_t words[BANKCTL_TIME_WORDS], bankctl_times *times) {
#define BANKCTL_TIME(name, NAME, min, max, from, doc) \
  times->name = field_of(words, BANKCTL_AT_##NAME);
#include "bankctl_times.def"
}
