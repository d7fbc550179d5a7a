// SPDX-License-Identifier: Apache-2.0
// The C twin of xcam. docs/blocks/xcam.md.
#pragma once

#define BLOCK xcam
#include "csim/base/block_declare.h"

enum { XCAM_WORDS = 8 };  // of a line

// What xcam_twin.create takes.
typedef struct xcam_sizes {
  uint32_t sets, ways;
} xcam_sizes;
extern const xcam_sizes xcam_sizes_default;

typedef struct xcam xcam;
xcam *xcam_create(const xcam_sizes *sizes);  // NULL: the default ones
void xcam_destroy(xcam *c);
void xcam_step(xcam *c, const xcam_in *in, xcam_out *out);
bool xcam_idle(const xcam *c);
