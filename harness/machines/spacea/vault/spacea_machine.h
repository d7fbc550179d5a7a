// SPDX-License-Identifier: Apache-2.0
// SpaceA with time: a matrix in its banks, and multiplications by it.
#ifndef NEARBANK_SPACEA_MACHINE_H
#define NEARBANK_SPACEA_MACHINE_H

#include "harness/base/schedule/machine.h"
#include "harness/machines/spacea/function/product.h"

typedef struct spacea_machine spacea_machine;

// With a matrix that fits (product_fits); `near` of each vault, NULL: all in C. NULL: `why`.
spacea_machine *spacea_machine_new(const config *c, const product *f, const lockstep_mode *near,
                                   uint32_t threads, char *why, size_t why_bytes);
void spacea_machine_free(spacea_machine *s);
// In place of that of `f`, from the next multiplication on.
void spacea_machine_semiring(spacea_machine *s, semiring r);
// y = y + A x. Vectors come and go without time. False: `why` says what went wrong, and where.
bool spacea_machine_multiply(spacea_machine *s, const double *x, double *y, char *why,
                             size_t why_bytes);
// Cycles, and what they went to: a few lines for people.
void spacea_machine_report(const spacea_machine *s, FILE *to);
machine_run *spacea_machine_run(const spacea_machine *s);

#endif
