// SPDX-License-Identifier: Apache-2.0
// What both kinds of bank group of SpaceA have: two banks, whose refreshes are due at the same
// time.
#ifndef NEARBANK_SPACEA_BANKS_H
#define NEARBANK_SPACEA_BANKS_H

#include "csim/dram/bankctl_times.h"
#include "csim/dram/dram.h"
#include "harness/base/config/config.h"
#include "counters.h"

enum { BANKS = 2, BANK_ROWS = 65536, BANK_COLS = 8 };

typedef struct banks {
  dram *arrays;
  bool busy;                           // data are under way
  uint32_t times[BANKCTL_TIME_WORDS];  // straps
  uint64_t tick_at, interval;          // interval 0: no refresh
  vault_counters *counters;
  uint64_t *counted;  // of it, accesses, rows and refreshes of such banks
  char error[256];
} banks;

// `like`: other banks of the same configuration, or NULL. `vectors`: those of X and Y.
bool banks_init(banks *b, const config *c, const banks *like, bool vectors,
                vault_counters *counters, char *why, size_t why_bytes);
void banks_free(banks *b);
// The bits of ref_tick in this cycle.
uint32_t banks_tick(banks *b, uint64_t cycle);
// The pins in a cycle.
void banks_clock(banks *b, uint64_t cycle, const dram_pins *pins, uint32_t *rdata);
// Writes a row, of 256 bytes.
void banks_write(banks *b, uint32_t bank, uint32_t row, const void *bytes);
double *banks_element(banks *b, uint32_t bank, uint32_t row, uint32_t element);

#endif
