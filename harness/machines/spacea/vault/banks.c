// SPDX-License-Identifier: Apache-2.0
#include "banks.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "harness/machines/common/config_timing.h"

static_assert(offsetof(vault_counters, refreshes) == offsetof(vault_counters, accesses) + 16 &&
                  offsetof(vault_counters, vector_refreshes) ==
                      offsetof(vault_counters, vector_accesses) + 16,
              "accesses, rows and refreshes stand one behind the other");

static void report(void *ctx, const dram_violation *v) {
  banks *b = ctx;
  if (!*b->error)
    snprintf(b->error, sizeof b->error, "%s", v->text);
}

bool banks_init(banks *b, const config *c, const banks *like, bool vectors,
                vault_counters *counters, char *why, size_t why_bytes) {
  const dram_timing t = config_timing(c);
  bankctl_times times;
  b->counters = counters;
  b->counted = vectors ? &counters->vector_accesses : &counters->accesses;
  if (!bankctl_times_of(&t, &times, why, why_bytes))
    return false;
  bankctl_times_put(&times, b->times);
  dram_config d = dram_config_default();
  d.geometry = (dram_geometry){BANKS, BANK_ROWS, BANK_COLS, 2};
  d.timing = t, d.rows = 1, d.refresh = c->dram.refresh ? DRAM_REF_DUE : DRAM_REF_OFF;
  d.report = report, d.ctx = b, d.like = like ? like->arrays : NULL;
  b->interval = c->dram.refresh ? (uint64_t)(t.tREFI / t.tCK) : 0;
  b->tick_at = b->interval;
  snprintf(why, why_bytes, "out of memory");
  return (b->arrays = dram_create(&d));
}

void banks_free(banks *b) {
  if (b->arrays)
    dram_destroy(b->arrays);
}

uint32_t banks_tick(banks *b, uint64_t cycle) {
  if (!b->interval || cycle < b->tick_at)
    return 0;
  b->tick_at += (cycle - b->tick_at) / b->interval * b->interval + b->interval;
  dram_due(b->arrays, cycle, 3);
  return 3;
}

void banks_clock(banks *b, uint64_t cycle, const dram_pins *pins, uint32_t *rdata) {
  const uint32_t cmd = pins->cmd;
  if (cmd || b->busy) {
    dram_step(b->arrays, cycle, pins, rdata);
    b->busy = dram_busy(b->arrays);
  }
  b->counted[0] += cmd == DRAM_RD || cmd == DRAM_WR;
  b->counted[1] += cmd == DRAM_ACT || cmd == DRAM_PRE;
  b->counted[2] += cmd == DRAM_REF;
}

void banks_write(banks *b, uint32_t bank, uint32_t row, const void *bytes) {
  for (uint32_t c = 0; c < BANK_COLS; c++)
    memcpy(dram_access(b->arrays, bank, row, c), (const char *)bytes + c * DRAM_BYTES, DRAM_BYTES);
}

double *banks_element(banks *b, uint32_t bank, uint32_t row, uint32_t element) {
  return (double *)dram_access(b->arrays, bank, row, element / 4) + element % 4;
}
