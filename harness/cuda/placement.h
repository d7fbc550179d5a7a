// SPDX-License-Identifier: Apache-2.0
// A file that says where arrays and blocks of a program go (mpu run --place, docs/placement.md).
#ifndef NEARBANK_CUDA_PLACEMENT_H
#define NEARBANK_CUDA_PLACEMENT_H

#include <stdio.h>
#include "harness/machines/mpu/machine/sim.h"

typedef struct placement placement;

// For this machine. NULL: `why` names file and line.
placement *placement_read(const char *file, const sim *s, char *why, size_t why_bytes);
// One without lines; NULL: no memory.
placement *placement_new(const sim *s);
void placement_free(placement *p);
// Lines that the program gives, but for what there is a line already; what is wrong with one is
// said, and it is ignored.
void placement_hint(placement *p, const char *lines, FILE *to);

// Of an array, by the name of its variable, or of the blocks of a kernel. Neither a copy nor lines,
// or NULL: as the machine places them.
typedef struct placement_array {
  bool copy;  // each core has one
  const digits *lines;
} placement_array;
placement_array placement_of(placement *p, const char *array);
const digits *placement_blocks(placement *p, const char *kernel);

// A sentence a line of the file that nobody has asked for.
void placement_unused(const placement *p, FILE *to);

#endif
