// SPDX-License-Identifier: Apache-2.0
// Algorithm 3 of the thesis: sets of columns are given to bins, one after the other, each to the
// bin with the highest score, of equals the first one. A bin within its budget has the share of the
// set's columns that it has already, or 1 / its weight, whichever is more; beyond it, less than
// nothing, by what is beyond.
//
// Rows to PEs (phase I): the weight of a bin is the number of its elements. Sets to groups
// (phase II): it is the number of its different columns, and a group has so many places. Lines may
// stand for columns.
#ifndef NEARBANK_SPACEA_ASSIGN_H
#define NEARBANK_SPACEA_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct column_sets {
  uint32_t n, cols;
  const uint64_t *begin;  // n + 1
  const uint32_t *col;    // of set s from begin[s] on; each once
  const uint64_t *count;  // elements of set s: count[s + 1] - count[s]; NULL: one a column
} column_sets;

static inline uint64_t column_sets_elements(const column_sets *c, uint32_t set) {
  const uint64_t *of = c->count ? c->count : c->begin;
  return of[set + 1] - of[set];
}

typedef struct assign_rule {
  uint32_t bins;
  double budget;    // of a bin
  bool different;   // the weight is the number of different columns
  uint32_t places;  // sets of a bin at most; 0: any number
} assign_rule;

// bin[s]: of set order[s], or of s when `order` is NULL; UINT32_MAX of an empty set. False: out of
// memory.
bool assign(const column_sets *sets, const uint32_t *order, const assign_rule *rule, uint32_t *bin);
// The same by looking at every bin for every set, as the thesis has it; for tests.
bool assign_literal(const column_sets *sets, const uint32_t *order, const assign_rule *rule,
                    uint32_t *bin);

// What a set adds to the weight of a bin.
static inline uint64_t assign_adds(const assign_rule *r, const column_sets *c, uint32_t set,
                                   uint64_t overlap) {
  return r->different ? c->begin[set + 1] - c->begin[set] - overlap : column_sets_elements(c, set);
}

// What both compute of a bin: what its weight would be, and its score.
static inline double assign_score(const assign_rule *r, const column_sets *c, uint32_t set,
                                  uint64_t weight, uint64_t overlap) {
  const uint64_t n = c->begin[set + 1] - c->begin[set];
  const double would = (double)(weight + assign_adds(r, c, set, overlap));
  if (would > r->budget)
    return -(would - r->budget) * 1e6;
  const double share = (double)overlap / (double)n, light = 1 / would;
  return share > light ? share : light;
}

#endif
