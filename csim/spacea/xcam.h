// SPDX-License-Identifier: Apache-2.0
// The C twin of xcam. docs/blocks/xcam.md.
#pragma once

#include "structure.h"
#define BLOCK xcam
#include "csim/base/block_declare.h"

enum { XCAM_WORDS = 8 };  // of a line

typedef struct xcam xcam;
xcam *xcam_create(const spacea_structure *sizes);  // NULL: the default ones
void xcam_destroy(xcam *c);
void xcam_step(xcam *c, const xcam_in *in, xcam_out *out);
bool xcam_idle(const xcam *c);
// What a look for a key will touch, for the caches of the host.
void xcam_fetch(const xcam *c, uint32_t key);

// Lines, for whoever looks on: the next valid one from way *at on of all sets together, which goes
// behind it. False: there is none.
typedef struct xcam_line {
  uint32_t set, way, key;
  const uint32_t *data;
} xcam_line;
bool xcam_next(const xcam *c, uint32_t *at, xcam_line *to);
