// SPDX-License-Identifier: Apache-2.0
// Which Product-PE has which rows of a matrix. PEs are numbered bank group by bank group, and these
// vault by vault.
#ifndef NEARBANK_SPACEA_MAPPING_H
#define NEARBANK_SPACEA_MAPPING_H

#include <stdio.h>
#include "harness/base/config/config.h"
#include "harness/machines/spacea/matrix/csr.h"

// Elements of a DRAM row: 4 bytes for the index of their row, and 12 for each.
enum { MAPPING_DRAM_ROW = 21 };
static inline uint64_t mapping_dram_rows(uint64_t elements) {
  return (elements + MAPPING_DRAM_ROW - 1) / MAPPING_DRAM_ROW;
}

typedef enum mapping_kind {
  MAPPING_NAIVE,   // rows at random, as many to each
  MAPPING_SPACEA,  // Algorithm 3, then the placement of formula 3.1
  MAPPING_NEAR     // the same with lines for columns; vaults go where their lines are
} mapping_kind;
mapping_kind mapping_kind_of(const char *name);

// Elements of X, and of Y, of a vault: whole rows of both banks of its vectors.
enum { MAPPING_VECTOR_ROW = 32 };
uint32_t mapping_share(uint32_t elements, uint32_t vaults);

typedef struct mapping_machine {
  uint32_t vaults, groups, pes;  // in all; groups of a vault; Product-PEs of a group
} mapping_machine;
mapping_machine mapping_machine_of(const config *c);

typedef struct mapping {
  mapping_machine machine;
  uint32_t n;       // PEs
  uint32_t *begin;  // n + 1
  uint32_t *row;    // of PE p from begin[p] on, in the order in which they are multiplied, which
                    // ascends unless they are at random; empty rows are nowhere
} mapping;

// False: out of memory. `seed` is of the naive one.
bool mapping_make(mapping *to, const csr *m, const mapping_machine *machine, mapping_kind kind,
                  uint64_t seed);
void mapping_free(mapping *p);

typedef struct mapping_level {
  double mean;
  uint64_t most;
} mapping_level;
typedef struct mapping_facts {
  mapping_level load;              // elements of a PE
  mapping_level pe, group, vault;  // different columns
  uint64_t dram_rows;              // of the matrix; filled to so much:
  double filled;
} mapping_facts;
mapping_facts mapping_look(const mapping *p, const csr *m);
void mapping_print(FILE *to, const mapping *p, const csr *m);
void mapping_json(FILE *to, const mapping *p, const csr *m);  // the same as a JSON object

#endif
