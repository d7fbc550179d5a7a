// SPDX-License-Identifier: Apache-2.0
// The C twin of reduce. docs/blocks/reduce.md.
#pragma once

#define BLOCK reduce
#include "csim/base/block_declare.h"

enum { REDUCE_WORDS = 8, REDUCE_COLS = 32, REDUCE_BANKS = 4 };

typedef struct reduce {
  uint32_t run, at, ask, due, sum;
} reduce;
