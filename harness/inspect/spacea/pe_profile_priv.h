// SPDX-License-Identifier: Apache-2.0
#ifndef NEARBANK_PE_PROFILE_PRIV_H
#define NEARBANK_PE_PROFILE_PRIV_H

#include "pe_profile.h"

typedef struct pe_seen {
  uint64_t waits[SPE_WAITS];
  // elements that were multiplied: in all, those whose line was put for them, or was there at the
  // first look, or at a later one
  uint64_t elements, put, hits, hits_again;
  uint64_t asks, merges, full;  // answers to those who asked
  uint64_t opened, reads;       // rows and columns of its bank
  uint64_t ended;               // the last cycle in which it worked, and one
  bool no_room;                 // its last ask has found none
} pe_seen;

typedef struct bank_seen {
  uint64_t opened, accesses, busy;
} bank_seen;

typedef struct vault_seen {
  const vault *vault;
  uint64_t next;  // cycle that comes next
  pe_seen pes[VAULT_GROUPS][BGROUP_PES];
  bank_seen vectors[BANKS];
} vault_seen;

struct pe_profile {
  uint64_t cycles;
  uint32_t vaults, groups;
  machine_run *run;
  vault_seen seen[];
};

enum { PE_LEVELS = 4 };
typedef struct pe_level {
  const char *name, *doc;
  uint64_t looks, hits;
} pe_level;
void pe_profile_levels(const pe_profile *p, pe_level to[PE_LEVELS]);

#endif
