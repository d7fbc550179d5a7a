// SPDX-License-Identifier: Apache-2.0
// Addresses of global accesses as sums of indices, arguments, sizes and counts of loops
// (csim/isa/affine.h). Requires an allocated module and changes nothing of it.
#ifndef NEARBANK_ADDRESSES_H
#define NEARBANK_ADDRESSES_H

#include <stdio.h>
#include "csim/isa/affine.h"
#include "mir.h"

// One for each kernel.
affine_kernel *addresses_find(const mir_module *m);
void addresses_free(affine_kernel *kernels, uint32_t count);

// A line for each access, with its place in the program.
void addresses_list(const mir_module *m, const affine_kernel *kernels, FILE *f);

#endif
