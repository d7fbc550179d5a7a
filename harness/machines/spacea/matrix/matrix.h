// SPDX-License-Identifier: Apache-2.0
// Matrices as commands are given them, and what they print of them.
#ifndef NEARBANK_SPACEA_MATRIX_H
#define NEARBANK_SPACEA_MATRIX_H

#include <stdio.h>
#include "generate.h"

// A Matrix Market file, or else a name of generate.h (`seed`, `values`). False after a message.
bool matrix_open(csr *m, const char *given, uint64_t seed, matrix_values values);
// Names with what was wanted of them.
void matrix_list(FILE *to);
void matrix_info(FILE *to, const char *name, const csr *m);
// A drawing of where the entries are, as SVG. False after a message.
bool matrix_spy(const csr *m, const char *name, const char *file);

#endif
