// SPDX-License-Identifier: Apache-2.0
// The C twin of ldq. docs/blocks/ldq.md.
#pragma once

#include "structure.h"
#define BLOCK ldq
#include "csim/base/block_declare.h"

typedef enum ldq_state { LDQ_THERE, LDQ_ENTERED, LDQ_FULL } ldq_state;

typedef struct ldq ldq;
ldq *ldq_create(const spacea_structure *sizes);  // NULL: the default ones
void ldq_destroy(ldq *q);
void ldq_step(ldq *q, const ldq_in *in, ldq_out *out);
bool ldq_idle(const ldq *q);
// What a look for a key will touch, for the caches of the host.
void ldq_fetch(const ldq *q, uint32_t key);

// Lines under way, for whoever looks on: the next one of the table from place *at on, which goes
// behind it. False: there is none.
typedef struct ldq_line {
  uint32_t key, who, layers;
} ldq_line;
bool ldq_next(const ldq *q, uint32_t *at, ldq_line *to);
