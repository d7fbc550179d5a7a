// SPDX-License-Identifier: Apache-2.0
// The DRAM arrays behind one memory controller: by default 4 banks of 32 subarrays, 16384 rows of
// 32 columns of 32 bytes. They hold the bytes, and check each command by themselves against a table
// of rules in picoseconds (csim/dram/dram_rules.def); they know nothing of how a controller
// decides.
//
// Pins. A command is on the pins for one cycle t, the cycle after the edge at which the controller
// registered it. Data of a WR are on wdata and wmask in cycle t + CWL, all 256 bits in that one
// cycle. Data of a RD are on rdata in cycle t + CL + burst - 1, and the controller samples them at
// the edge that ends it. A subarray of a bank is closed, opened (its row is latched) or selected
// (its row buffer drives the bank's bitlines; at most one a bank): ACT opens and selects, SASEL
// selects one that is opened, and both demote the one selected before. PREA closes all of a bank,
// as a controller must that does not know what is open.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "csim/base/prefetch.h"

enum {
  // at most, and by default
  DRAM_BANKS = 4,
  DRAM_ROWS = 16384,  // by default; DRAM_MOST_ROWS at most
  DRAM_MOST_ROWS = 65536,
  DRAM_COLS = 32,
  DRAM_SUBARRAYS = 32,
  DRAM_BYTES = 32,  // of an access
  DRAM_WORDS = DRAM_BYTES / 4,
  DRAM_PAGE = 4096,    // bytes of a mark of what was written
  DRAM_POSTPONED = 8,  // refreshes of a bank that may be outstanding
};

typedef enum dram_cmd {
  DRAM_NONE,
  DRAM_ACT,
  DRAM_PRE,
  DRAM_SASEL,
  DRAM_RD,
  DRAM_WR,
  DRAM_REF,
  DRAM_PREA,  // PRE of all open subarrays of a bank; without any it does nothing
  DRAM_CMDS
} dram_cmd;

// How many of each there are, powers of two.
typedef struct dram_geometry {
  uint32_t banks, rows, cols;  // rows of a bank, columns of a row
  uint32_t subarrays;          // of a bank; the low bits of a row choose one
} dram_geometry;
extern const dram_geometry dram_geometry_default;

// Times of the arrays are in picoseconds, those of the interface in clock cycles.
// clang-format off
#define DRAM_TIMING(PS, CK)                                                        \
  PS(tCK, 1000) PS(tRCD, 14000) PS(tRTP, 4000) PS(tRP, 14000) PS(tRAS, 33000)      \
  PS(tRC, 47000) PS(tRFC, 350000) PS(tREFI, 3900000) PS(tWR, 15000)                \
  PS(tWTR, 8000) PS(tRRD, 4000) PS(tFAW, 16000) PS(tSCD, 1000) PS(tRA, 1000)       \
  PS(tWA, 12000) CK(tCCD, 2) CK(CL, 2) CK(CWL, 2) CK(burst, 2)                     \
  CK(pins, 1)  /* cycles for which an access holds the data pins that the banks share */
// clang-format on
typedef struct dram_timing {
#define DRAM_FIELD(name, value) int64_t name;
  DRAM_TIMING(DRAM_FIELD, DRAM_FIELD)
#undef DRAM_FIELD
} dram_timing;

extern const dram_timing dram_timing_default;

typedef enum dram_rule {
#define DRAM_DELAY(id, name, from, to, scope, ps) DRAM_RULE_##id,
#define DRAM_STATE(id, name) DRAM_RULE_##id,
#include "dram_rules.def"
#undef DRAM_DELAY
#undef DRAM_STATE
  DRAM_RULES
} dram_rule;

typedef struct dram_violation {
  dram_rule rule;
  const char *name;  // of the rule
  dram_cmd cmd;
  uint32_t bank, subarray;
  uint64_t cycle;
  int64_t by_ps;  // too early, or too late for a refresh; 0 where it is not a matter of time
  const char *text;
} dram_violation;

// Who tells when a refresh of a bank becomes due: the arrays' own clock, every tREFI from cycle 0
// on; or dram_due().
typedef enum dram_refresh { DRAM_REF_CLOCK, DRAM_REF_DUE, DRAM_REF_OFF } dram_refresh;

// From index 0 to index i: (i mod 2^bits) * low + (i >> bits) * high bytes.
typedef struct dram_stride {
  uint32_t bits;
  uint64_t low, high;
} dram_stride;
static inline dram_stride dram_even(uint64_t stride) {
  return (dram_stride){31, stride, 0};
}

typedef struct dram dram;
typedef struct dram_rules dram_rules;

typedef struct dram_config {
  dram_geometry geometry;
  dram_timing timing;
  const char *name;  // in messages
  uint32_t rows;     // row buffers a bank may have open
  dram_refresh refresh;
  bool noise;  // rdata are noise when no data are due, else they keep what they were
  // Where the bytes are: access (bank, row, col) is the 32 bytes at base + bank * bank_stride +
  // what row and col make of their indices. With base NULL the arrays reserve their own memory,
  // which is zero and takes space where it is written.
  uint8_t *base;
  uint64_t bank_stride;
  dram_stride row, col;
  // Writes mark their page: written[n] = 1 for the 4096 bytes at origin + n * 4096. NULL: they do
  // not. Arrays on several threads may share the marks.
  uint8_t *written;
  const uint8_t *origin;
  // Where bytes lie that these strides put `at` bytes behind origin; NULL: there.
  uint64_t (*moved)(const void *places, uint64_t at);
  const void *places;
  // Called for each violation, before the command takes effect; NULL: the text goes to stderr.
  void (*report)(void *ctx, const dram_violation *violation);
  void *ctx;
  const dram *like;  // with the same timing and rows: tables are shared with it; or NULL
} dram_config;

// Default geometry and timing, 4 rows, own memory, own clock.
dram_config dram_config_default(void);

// NULL when memory is short. The configuration is copied, the memory at `base` stays the caller's.
dram *dram_create(const dram_config *config);
void dram_destroy(dram *d);

// All rows closed, no refresh due, nothing that a command would have to wait for. Bytes and
// counters stay.
void dram_power_up(dram *d);

// The pins in cycle `cycle`: takes the controller's outputs and sets rdata. Cycles ascend; those in
// which cmd is DRAM_NONE and dram_busy() is false may be left out.
typedef struct dram_pins {
  uint32_t cmd, bank, row, col;  // row: of PRE, SASEL, RD and WR only the low 5 bits, the subarray
  const uint32_t *wdata;         // DRAM_WORDS
  uint32_t wmask;
} dram_pins;
bool dram_step(dram *d, uint64_t cycle, const dram_pins *pins, uint32_t *rdata);

const dram_geometry *dram_geometry_of(const dram *d);

// Data of a command are still to come.
bool dram_busy(const dram *d);

// One refresh of each bank in the mask is due from `cycle` on. Only with DRAM_REF_DUE.
void dram_due(dram *d, uint64_t cycle, uint32_t banks);

// Looks for refreshes that are late by `cycle`, as dram_step() does with each command.
void dram_check(dram *d, uint64_t cycle);

// What the next commands will look at; then, when that is there, of the open rows.
void dram_fetch(prefetch *a, const dram *d);
void dram_fetch_open(prefetch *a, const dram *d);

// The bytes of an access, for whoever loads or inspects memory.
uint8_t *dram_access(dram *d, uint32_t bank, uint32_t row, uint32_t col);

// The open rows of a bank, in the order of their subarrays: how many. *selected: which of them,
// from 1 on, is selected; 0: none.
uint32_t dram_open_rows(const dram *d, uint32_t bank, uint32_t rows[4], uint32_t *selected);

// Commands seen and violations found so far.
uint64_t dram_commands(const dram *d, dram_cmd cmd);
uint64_t dram_bank_commands(const dram *d, uint32_t bank, dram_cmd cmd);
uint64_t dram_violations(const dram *d);

// What RD and WR of a bank met. A row that was opened for them: missed, or, when a PRE since the
// last REF made room for its ACT, conflicts. Else hits[n], where n rows of the bank were accessed
// since the last access to this one (and are still open): with n row buffers or fewer it were none.
typedef struct dram_rows {
  uint64_t hits[4], misses, conflicts;
} dram_rows;
const dram_rows *dram_bank_rows(const dram *d, uint32_t bank);

// Who is told of each RD and WR of an open row, in its cycle: the bytes, and what it met, as above;
// hits[n] is n. NULL: nobody.
enum { DRAM_MISSED = 4, DRAM_CONFLICT };
typedef void dram_accessed(void *ctx, const uint8_t *bytes, bool write, uint32_t met);
void dram_watch(dram *d, dram_accessed *tell, void *ctx);

const char *dram_rule_name(dram_rule rule);
extern const char *const dram_cmd_names[DRAM_CMDS];

// The last command of a bank and its cycle; DRAM_NONE: none since power up.
dram_cmd dram_last(const dram *d, uint32_t bank, uint64_t *cycle);
// The first cycle from which on no rule of time forbids a command. What is open is not looked at.
uint64_t dram_earliest(const dram *d, uint32_t bank, uint32_t subarray, dram_cmd cmd);
