// SPDX-License-Identifier: Apache-2.0
// How the addresses of a launch grow by block, thread and loop, as lines of a report.
#ifndef NEARBANK_CUDA_PLACER_SUMS_H
#define NEARBANK_CUDA_PLACER_SUMS_H

#include "harness/inspect/place/sums.h"

// The name of the array that an address is in, and where it begins; NULL: it is in none.
typedef const char *placer_name(const void *context, uint64_t address, uint64_t *begins);

// A text, malloc'ed; NULL: no memory, or there are no accesses. Of each array the sums of its
// accesses behind its beginning, in bytes, with the numbers of the launch; each once.
char *placer_sums(const sums_launch *l, placer_name *name, const void *context);

#endif
