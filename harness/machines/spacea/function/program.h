// SPDX-License-Identifier: Apache-2.0
// What a host does with a machine that multiplies: programs of many multiplications, after each of
// which Y becomes X.
#ifndef NEARBANK_SPACEA_PROGRAM_H
#define NEARBANK_SPACEA_PROGRAM_H

#include "product.h"

typedef enum spacea_program_kind {
  PROGRAM_NONE,      // Y = A X, as often as asked for
  PROGRAM_PAGERANK,  // of a matrix whose entry (r, c) says that c links to r
  PROGRAM_SSSP       // distances from a vertex; entry (r, c) is the length of the way from c to r
} spacea_program_kind;

typedef struct spacea_program {
  spacea_program_kind kind;
  semiring semiring;     // of PROGRAM_NONE
  uint32_t most;         // multiplications
  uint32_t from;         // PROGRAM_SSSP: the vertex
  double damping, less;  // PROGRAM_PAGERANK; the ranks are found when they change by less in all
} spacea_program;

typedef struct spacea_result {
  uint32_t times;       // multiplications
  bool settled;         // nothing changes any more
  bool failed;          // a multiplication
  product_check worst;  // of all multiplications
} spacea_result;

// What multiplies: y = y + A x. False: it failed, and knows why.
typedef struct spacea_multiplier {
  bool (*multiply)(void *ctx, const product *f, const double *x, double *y);
  void *ctx;
} spacea_multiplier;

// The semiring in which a program multiplies.
semiring spacea_semiring(const spacea_program *g);
// The program's matrix: ones in the place of the values for PageRank. False: why is in `why`.
bool spacea_takes(const spacea_program *g, csr *m, char *why, size_t why_bytes);
// x goes in, y comes out; x is used up. `by` NULL: the functional machine. False: out of memory, or
// `by` has failed (to->failed).
bool spacea_run(const spacea_program *g, const csr *m, const mapping *p,
                const spacea_multiplier *by, double *x, double *y, spacea_result *to);

#endif
