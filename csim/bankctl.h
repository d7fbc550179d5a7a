// SPDX-License-Identifier: Apache-2.0
// Twin of the bank controller (docs/blocks/bankctl.md has the rules).
#pragma once

#define BLOCK bankctl
#include "block_declare.h"

enum {
  BANKCTL_BANKS = 4,
  BANKCTL_SLOTS = 4,   // rows of a bank that may be open
  BANKCTL_DEPTH = 16,  // of the queue
  BANKCTL_SETS = 16,   // of requests, and room for one more
};

// All is kept in sets, so that a choice is a few operations on words, and hardly a branch.
typedef uint64_t bankctl_set;    // of requests: 16 bits a bank, the oldest lowest
typedef uint32_t bankctl_slots;  // bit 4 * slot + bank

typedef struct bankctl_entry {
  uint32_t wmask;
  uint16_t row;
  uint8_t bank, col, we, id;
  uint8_t data;   // where its write data are
  uint8_t older;  // requests before it that must go first
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
  uint8_t slot_of[32];    // of an open subarray, and one
  uint8_t closed_in[32];  // slot that closed it last, if that has closed none since
  uint64_t rfc, head_since;
} bankctl_bank;

typedef struct bankctl_choice {
  uint32_t cmd, bank;
  int32_t entry, slot;
} bankctl_choice;

typedef struct bankctl {
  uint64_t now, quiet;
  uint64_t patience;  // no bank becomes impatient before
  // Times that have come, a bit each; those that come in a cycle; each of them.
  uint64_t passed, coming[64], at[BANKCTL_TIMES];
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
  bankctl_entry queue[BANKCTL_DEPTH];
  uint32_t place[BANKCTL_DEPTH];  // bank, row and column
  uint32_t wdata[BANKCTL_DEPTH + 2][8];
  bankctl_choice chosen;  // what is carried out in this cycle
  int32_t urgent;         // bank, or -1
  uint32_t last_urgent;
  bool turn;  // of the urgent one alone
  // data on their way: of the command that was on the pins 1, 2, ... cycles ago
  uint32_t reads, writes;
  uint32_t read_id[4], write_data[2], write_mask[2];
  bankctl_out out;
} bankctl;

void bankctl_init(bankctl *b);
// An edge; the outputs are in b->out.
void bankctl_edge(bankctl *b, const bankctl_in *in);
// The same; costs nothing when there is nothing to do.
static inline void bankctl_clock(bankctl *b, const bankctl_in *in) {
  if (b->out.busy | in->req_valid | in->ref_tick || !in->rst_n)
    bankctl_edge(b, in);
}
void bankctl_step(bankctl *b, const bankctl_in *in, bankctl_out *out);
bool bankctl_idle(const bankctl *b);
