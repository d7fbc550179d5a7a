// SPDX-License-Identifier: Apache-2.0
// Lane kernels of the functional machine: one function an operation, over all 32 lanes. Compiled
// twice, for any host and for AVX2 with FMA; both give the same bits.
#ifndef NEARBANK_LANES_H
#define NEARBANK_LANES_H

#include <stdint.h>
#include "isa.h"

// Operands: plane w of an operand is `x + 32 * w`, a 32-bit word a lane. Constants are laid out
// as lanes as well. `d` may be the same registers as a source.
typedef void (*lanes_fn)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                         const isa_inst *i);

// Bits of the lanes where the comparison holds (setp).
typedef uint32_t (*lanes_cmp_fn)(const uint32_t *a, const uint32_t *b, const isa_inst *i);

typedef struct lanes_table {
  // The kernel of an instruction that computes registers from registers; NULL when it is none.
  lanes_fn (*find)(const isa_inst *i);
  lanes_cmp_fn (*find_cmp)(const isa_inst *i);
} lanes_table;
extern const lanes_table lanes_any, lanes_avx2;
// The faster one of those that this host can run.
const lanes_table *lanes_host(void);

#endif
