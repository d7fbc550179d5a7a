// SPDX-License-Identifier: Apache-2.0
// Twin of the bank controller (docs/blocks/bankctl.md has the rules).
#pragma once

#define BLOCK bankctl
#include "block_declare.h"

enum {
  BANKCTL_BANKS = 4,
  BANKCTL_SLOTS = 4,   // rows of a bank that may be open
  BANKCTL_DEPTH = 16,  // of the queue
};

typedef struct bankctl_entry {
  uint32_t bank, row, col, we, id, wmask;
  uint32_t data;   // where its write data are
  int32_t slot;    // that has its row open, or -1
  uint32_t older;  // requests before it that must go first
} bankctl_entry;

// Times are cycles from which on a command may be on the pins.
typedef struct bankctl_slot {
  bool open;
  uint32_t row, closed_row;
  uint64_t col, pre, act;  // act: of the subarray that it closed last
  uint64_t used;
} bankctl_slot;

typedef struct bankctl_bank {
  bankctl_slot slots[BANKCTL_SLOTS];
  int32_t selected;                                          // slot, or -1
  uint32_t n_open, n_entries, owed, pending[BANKCTL_SLOTS];  // pending: requests that hit it
  bool refreshing;
  uint64_t rd, wr, sibling, rp, rfc, head_since;
} bankctl_bank;

typedef struct bankctl_choice {
  uint32_t cmd, bank;
  int32_t entry, slot;
} bankctl_choice;

typedef struct bankctl {
  uint64_t now, wake, quiet, last_use;
  bankctl_bank banks[BANKCTL_BANKS];
  bankctl_entry queue[BANKCTL_DEPTH];  // oldest first
  uint32_t n, free_data;               // a bit for each wdata that is free
  uint32_t wdata[BANKCTL_DEPTH + 2][8];
  uint64_t rrd, acts[4];
  uint32_t next_act, owed;
  bankctl_choice next;  // what is carried out in this cycle
  int32_t urgent;       // bank, or -1
  uint32_t last_urgent;
  bool turn;  // of the urgent one alone
  // data on their way: of the command that was on the pins 1, 2, ... cycles ago
  uint32_t reads, writes;
  uint32_t read_id[4], write_data[2], write_mask[2];
  bankctl_out out;
} bankctl;

void bankctl_init(bankctl *b);
// An edge; the outputs are in b->out.
void bankctl_clock(bankctl *b, const bankctl_in *in);
void bankctl_step(bankctl *b, const bankctl_in *in, bankctl_out *out);
bool bankctl_idle(const bankctl *b);
