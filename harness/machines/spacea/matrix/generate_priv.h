// SPDX-License-Identifier: Apache-2.0
// What the generators share.
#ifndef NEARBANK_SPACEA_GENERATE_PRIV_H
#define NEARBANK_SPACEA_GENERATE_PRIV_H

#include "csr.h"
#include "random.h"

// Lengths of rows: mean and deviation as wanted, within shortest and longest, in a random order;
// the tail is that of a lognormal distribution or of a power.
typedef struct lengths_wanted {
  double mean, deviation;
  uint32_t shortest, longest;
  bool power;
} lengths_wanted;
bool lengths_make(uint32_t *length, uint32_t n, const lengths_wanted *w, dice *d);

// A node of a mesh has so many unknowns, and a row for each.
typedef enum mesh_order { NATURAL, SHUFFLED, FOLDED } mesh_order;
typedef struct mesh {
  uint32_t unknowns, size[3];
  mesh_order order;
} mesh;
bool mesh_make(csr *m, const mesh *w, const lengths_wanted *lengths, dice *d);

typedef struct links {
  uint32_t block;
  double local, skew;
} links;
bool links_make(csr *m, const links *w, const lengths_wanted *lengths, dice *d);

bool powers_make(csr *m, uint64_t entries, dice *d);

// A matrix that grows row by row: rows and columns are known, columns of a row come in any order,
// each once.
typedef struct csr_rows {
  csr *m;
  uint32_t row;
  uint64_t room;
} csr_rows;
bool csr_rows_begin(csr_rows *r, csr *m, uint64_t expected);
bool csr_rows_add(csr_rows *r, const uint32_t *col, uint32_t n);  // the next row

#endif
