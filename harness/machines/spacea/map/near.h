// SPDX-License-Identifier: Apache-2.0
// What a mapping does that knows where X is, and that it comes in lines of four elements.
#ifndef NEARBANK_SPACEA_NEAR_H
#define NEARBANK_SPACEA_NEAR_H

#include "assign.h"
#include "harness/machines/spacea/matrix/csr.h"

enum { NEAR_LINE = 4 };

typedef struct near_lines {
  column_sets sets;  // the lines of each row, each once
  uint64_t *begin;
  uint32_t *line;
} near_lines;
bool near_lines_make(near_lines *l, const csr *m);
void near_lines_free(near_lines *l);

// where[v]: the vault of the machine that takes what vault v has. That pair of vaults comes first
// of which the one needs most lines of the other. False: out of memory.
bool near_homes(const column_sets *vaults, uint32_t share, uint32_t *where);

#endif
