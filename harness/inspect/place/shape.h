// SPDX-License-Identifier: Apache-2.0
// How the blocks that access an array follow each other along its lines: as digits of the line's
// number, each of which either leaves the block as it is or adds a step to its number.
#ifndef NEARBANK_PLACE_SHAPE_H
#define NEARBANK_PLACE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include "seen.h"

enum { SHAPE_DIGITS = 12 };

typedef struct shape_digit {
  uint32_t radix;
  uint32_t step;  // blocks; 0: the same one
} shape_digit;

typedef struct shape {
  uint32_t n;
  shape_digit digit[SHAPE_DIGITS];  // the lowest first
} shape;

// Of a launch of so many blocks; `group`: so many lines from the first one are known to be of the
// same block, as many from there, and so on. False: they follow no such order, or the host has no
// memory.
bool shape_find(const seen *lines, size_t n, uint32_t group, uint32_t blocks, shape *to);

#endif
