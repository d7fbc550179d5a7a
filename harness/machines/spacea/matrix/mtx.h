// SPDX-License-Identifier: Apache-2.0
// Matrix Market files (math.nist.gov/MatrixMarket/formats.html), also packed with gzip: coordinate
// and array, real, integer and pattern, general, symmetric and skew-symmetric.
#ifndef NEARBANK_SPACEA_MTX_H
#define NEARBANK_SPACEA_MTX_H

#include "csr.h"

// Entries of the same place are added up. "-": standard input. False after a message with file and
// line.
bool mtx_read(csr *m, const char *file);
// As coordinate real general, or pattern when every value is 1; packed when the name ends in .gz;
// "-": standard output. False after a message.
bool mtx_write(const csr *m, const char *file);

#endif
