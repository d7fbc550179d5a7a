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

// Requests of the queue, a bit each.
typedef uint16_t bankctl_set;

typedef struct bankctl_entry {
  uint32_t place;  // bank, row and column
  uint16_t row;
  uint8_t bank, col, we, id;
  uint8_t data;   // where its write data are
  uint8_t older;  // requests before it that must go first
  uint32_t wmask;
} bankctl_entry;

// Times are cycles from which on a command may be on the pins.
typedef struct bankctl_slot {
  uint32_t row, closed_row;
  uint64_t col, pre, act;  // act: of the subarray that it closed last
  uint64_t used;
} bankctl_slot;

typedef struct bankctl_bank {
  bankctl_slot slots[BANKCTL_SLOTS];
  int32_t selected;             // slot, or -1
  uint32_t open, n_open, owed;  // open: slots, a bit each
  uint8_t slot_of[32];          // of an open subarray, and one
  uint64_t rd, wr, sibling, rp, rfc, head_since;
} bankctl_bank;

// What may be chosen of a bank.
typedef enum bankctl_look {
  BANKCTL_REFRESH,
  BANKCTL_COLUMN,
  BANKCTL_SELECT,
  BANKCTL_ROW,
  BANKCTL_CLOSE,
  BANKCTL_LOOKS
} bankctl_look;

typedef struct bankctl_choice {
  uint32_t cmd, bank;
  int32_t entry, slot;
} bankctl_choice;

typedef struct bankctl {
  uint64_t now, quiet, last_use;
  uint64_t patience;  // no bank becomes impatient before
  // Banks that are worth a look, a bit each; the others are from `until` on, none before `next`.
  uint32_t awake;  // four bits a look
  uint64_t until[BANKCTL_LOOKS][BANKCTL_BANKS], next;
  bankctl_bank banks[BANKCTL_BANKS];
  bankctl_entry queue[BANKCTL_DEPTH];  // oldest first
  uint32_t n, free_data;               // free_data: a bit for each wdata that is free
  uint32_t wdata[BANKCTL_DEPTH + 2][8];
  struct {
    bankctl_set of[BANKCTL_BANKS];
    // Of a slot: those whose row it has open; those whose subarray.
    bankctl_set hits[BANKCTL_BANKS][BANKCTL_SLOTS], near[BANKCTL_BANKS][BANKCTL_SLOTS];
    bankctl_set writes, held;  // held: behind an older one
    bankctl_set fill[2];       // makes it whole vectors
  } sets;
  // banks, a bit each: with requests; that owe a refresh; that put it off no longer
  uint32_t asked, owing, overdue, refreshing, impatient;
  uint64_t rrd, acts[4];
  uint32_t next_act;
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
