// SPDX-License-Identifier: Apache-2.0
// What nbu itself makes for its blocks, as they get it at an edge.
#pragma once

#include "csim/base/block.h"

typedef struct nbu_glue {
#define GLUE(block, name, bits) uint32_t block##_##name;
#define GLUE_W(block, name, bits) uint32_t block##_##name[BLOCK_WORDS(bits)];
#include "nbu_glue.def"
#undef GLUE
#undef GLUE_W
} nbu_glue;
