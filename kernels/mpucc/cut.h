// SPDX-License-Identifier: Apache-2.0
// The cheapest division of a graph's nodes into two sides, by maximum flow (Dinic).
#ifndef NEARBANK_CUT_H
#define NEARBANK_CUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cut cut;

// Two nodes exist from the start, one fixed to each side.
enum { CUT_NEAR, CUT_FAR };
#define CUT_NEVER (INT64_MAX / 4)  // a cost that no division pays

cut *cut_new(void);
void cut_free(cut *c);
uint32_t cut_node(cut *c);
// `cost` (0 or more) is due when `from` is near and `to` far. What the sum of all costs but
// CUT_NEVER is must be below that.
void cut_edge(cut *c, uint32_t from, uint32_t to, int64_t cost);
// Once, when all is there. Of several cheapest divisions the one with the fewest near nodes.
// Returns its cost.
int64_t cut_solve(cut *c);
bool cut_is_near(const cut *c, uint32_t node);

#endif
