// SPDX-License-Identifier: Apache-2.0
// Twin of the bank controller (docs/blocks/bankctl.md has the rules).
#pragma once

#include "bankctl_times.h"
#define BLOCK bankctl
#include "csim/base/block_declare.h"

enum {
  BANKCTL_BANKS = 4,
  BANKCTL_SLOTS = 4,       // rows of a bank that may be open
  BANKCTL_DEPTH = 16,      // of the queue, at most
  BANKCTL_SUBARRAYS = 32,  // of a bank, at most
  BANKCTL_SETS = 16,       // of requests, and room for one more
  BANKCTL_COMING = 512,    // cycles ahead: more than the longest time but tRFC
};

// All is kept in sets, so that a choice is a few operations on words, and hardly a branch.
typedef uint64_t bankctl_set;    // of sectors: 16 bits a bank, the oldest line lowest
typedef uint32_t bankctl_slots;  // bit 4 * slot + bank

// A line: a row and column of several banks.
typedef struct bankctl_entry {
  uint32_t wmask[BANKCTL_BANKS];
  uint16_t row;
  uint8_t banks;  // that it has had
  uint8_t col, we;
  uint8_t line, id;              // line: more banks may join it, and have their number in id
  uint8_t data[BANKCTL_BANKS];   // where its write data are
  uint8_t older[BANKCTL_BANKS];  // requests before it that must go first
} bankctl_entry;

// Times are cycles from which on a command may be on the pins. Of slots, and of banks.
typedef enum bankctl_time {
  BANKCTL_COL = 0,
  BANKCTL_PRE = 16,
  BANKCTL_ACT = 32,  // of the subarray that it closed last
  BANKCTL_RD = 48,
  BANKCTL_WR = 52,
  BANKCTL_SIBLING = 56,
  BANKCTL_RP = 60,
  BANKCTL_TIMES = 64
} bankctl_time;

typedef struct bankctl_bank {
  uint32_t n_open, owed;
  uint8_t slot_of[BANKCTL_SUBARRAYS];    // of an open subarray, and one
  uint8_t closed_in[BANKCTL_SUBARRAYS];  // slot that closed it last, if that has closed none since
  uint64_t rfc, head_since;
} bankctl_bank;

// After a warm reset.
typedef enum bankctl_start {
  BANKCTL_DONE,
  BANKCTL_WAITS,
  BANKCTL_CLOSES,
  BANKCTL_SETTLES
} bankctl_start;

typedef struct bankctl_choice {
  uint32_t cmd, bank;
  int32_t entry, slot;
} bankctl_choice;

typedef struct bankctl {
  uint32_t depth;      // of the queue
  uint32_t subarrays;  // bits of a row, as a mask
  uint64_t now, quiet;
  uint64_t patience;  // no bank becomes impatient before
  // Times that have come, a bit each; each of them.
  uint64_t passed, at[BANKCTL_TIMES];
  uint64_t rrd, acts[4], rfc;  // rfc: the first of the banks
  uint32_t next_act;
  union {
    struct {
      bankctl_set of, writes, held;  // held: behind an older one
      // Of a slot: those whose row it has open; whose subarray; whose subarray it closed last.
      bankctl_set hits[BANKCTL_SLOTS], near[BANKCTL_SLOTS], closed[BANKCTL_SLOTS];
    } sets;
    bankctl_set all[BANKCTL_SETS];
  };
  bankctl_slots open, selected, hit;            // hit: some request has its row
  bankctl_slots leaving;                        // given up: closed as soon as they can be
  uint64_t before;                              // 16 bits a slot: those used before it
  uint16_t row[BANKCTL_SLOTS * BANKCTL_BANKS];  // by bit
  uint8_t closed[BANKCTL_SLOTS * BANKCTL_BANKS];
  bankctl_bank banks[BANKCTL_BANKS];
  // banks, a bit each: with so many rows open; with requests; that owe a refresh; that put it off
  // no longer
  uint32_t rows[BANKCTL_SLOTS + 1];
  uint32_t asked, owing, overdue, refreshing, impatient, after_refresh;
  uint64_t order;                       // 4 bits a request, oldest first: its place in the queue
  uint32_t n, free_entries, free_data;  // a bit for each that is free
  bool joins;                           // the newest line may get more sectors
  uint32_t writing;                     // writes that wait
  bankctl_entry queue[BANKCTL_DEPTH];
  uint32_t place[BANKCTL_DEPTH];  // row and column
  uint32_t wdata[BANKCTL_DEPTH + 2][8];
  bankctl_choice chosen;  // what is carried out in this cycle
  int32_t urgent;         // bank, or -1
  uint32_t last_urgent;
  bool turn;  // of the urgent one alone
  bankctl_start start;
  uint32_t prea;  // bank that PREA closes next
  // data on their way: bit k: a read's come, a write's go in k cycles; and by cycle of RD and WR
  uint64_t reads, writes;
  uint32_t sending;  // places of data that writes still take
  uint8_t write_data[32], read_id[64];
  uint32_t write_mask[32];
  bankctl_out out;
  uint32_t cfg_times[BANKCTL_TIME_WORDS];
  bankctl_times t;  // the same
  bool turns_fit;
  // Times that come in a cycle: by the cycle's bits that are in `horizon`, the lowest.
  uint32_t horizon;
  uint64_t coming[BANKCTL_COMING];
} bankctl;

// What bankctl_twin.create takes.
typedef struct bankctl_sizes {
  uint32_t depth, subarrays;
} bankctl_sizes;
// Of default sizes, or of others: powers of two, up to the default ones.
void bankctl_init(bankctl *b);
void bankctl_init_sizes(bankctl *b, uint32_t depth, uint32_t subarrays);
// An edge; the outputs are in b->out.
void bankctl_edge(bankctl *b, const bankctl_in *in);
// Does an edge with these inputs change anything? Only req_valid, ref_tick and rst_n are read.
static inline bool bankctl_works(const bankctl *b, const bankctl_in *in) {
  return b->out.busy | in->req_valid | in->ref_tick || !in->rst_n;
}
static inline void bankctl_clock(bankctl *b, const bankctl_in *in) {
  if (bankctl_works(b, in))
    bankctl_edge(b, in);
}
// What the arrays see of the outputs.
static inline dram_pins bankctl_pins(const bankctl_out *o) {
  return (dram_pins){o->cmd, o->cmd_bank, o->cmd_row, o->cmd_col, o->wdata, o->wmask};
}
void bankctl_step(bankctl *b, const bankctl_in *in, bankctl_out *out);
bool bankctl_idle(const bankctl *b);
