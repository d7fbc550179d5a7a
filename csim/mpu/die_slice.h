// SPDX-License-Identifier: Apache-2.0
// The C twin of die_slice: four nbu twins and one of smem, each with its clock gate.
// docs/blocks/die_slice.md.
#pragma once

#include "structure.h"
#include "csim/base/block.h"
#define BLOCK die_slice
#include "csim/base/block_declare.h"

typedef struct die_slice die_slice;

// After reset; NULL when memory is short. `sizes` NULL: the default ones.
die_slice *die_slice_create(const structure *sizes);
void die_slice_destroy(die_slice *d);
void die_slice_step(die_slice *d, const die_slice_in *in, die_slice_out *out);
bool die_slice_idle(const die_slice *d);
