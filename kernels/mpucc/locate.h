// SPDX-License-Identifier: Apache-2.0
// Inside of the locate pass.
#ifndef NEARBANK_LOCATE_H
#define NEARBANK_LOCATE_H

#include "mir.h"

// Where an operand must be when its instruction executes near and when it executes far, as
// isa_sides says.
typedef enum loc_side { LOC_ALWAYS_NEAR, LOC_ALWAYS_FAR, LOC_FOLLOWS } loc_side;
loc_side locate_operand(const mir_kernel *k, const isa_inst *i, unsigned operand);
// Whether the compiler has a choice of where it executes.
bool locate_free(const mir_kernel *k, const isa_inst *i);
// Whether it has one of where its data are: global memory, as the base die accesses it.
bool locate_free_data(const mir_kernel *k, const isa_inst *i);

// locate_cost.c: mi->loc, N or F, and mi->why of each instruction; the hint of far data. Requires
// the locations of paper, which stay where another place is not worth it. `ran`: of an earlier run,
// NULL: unknown.
int64_t locate_cost(mir_kernel *k, const mir_profile_kernel *ran);
// profile.c: of a kernel, NULL: it has none.
const mir_profile_kernel *mir_profile_of(const mir_profile *p, const mir_kernel *k);

#endif
