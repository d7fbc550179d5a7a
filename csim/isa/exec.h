// SPDX-License-Identifier: Apache-2.0
// Operands of an instruction, and its parts: for exec.c and exec_mem.c, and for cycle models.
#ifndef NEARBANK_EXEC_H
#define NEARBANK_EXEC_H

#include "model.h"

static inline const uint32_t *exec_src(const warp *w, const decoded *d, int o) {
  return d->fixed[o] ? d->fixed[o] : w->regs + d->reg[o] * ISA_LANES;
}

// Only where the instruction has a destination register.
static inline uint32_t *exec_dst(warp *w, const decoded *d) {
  return w->regs + d->reg[0] * ISA_LANES;
}

static inline void exec_blend(uint32_t *to, const uint32_t *from, unsigned words, uint32_t lanes) {
  for (unsigned p = 0; p < words; p++)
    for (unsigned k = 0; k < ISA_LANES; k++) {
      uint32_t m = 0u - (lanes >> k & 1);
      to[p * ISA_LANES + k] = (from[p * ISA_LANES + k] & m) | (to[p * ISA_LANES + k] & ~m);
    }
}

static inline void exec_write(warp *w, const decoded *d, const uint32_t *from, uint32_t lanes) {
  if (d->reg[0] >= 0)
    exec_blend(exec_dst(w, d), from, d->words[0], lanes);
}

// The space of a generic address.
static inline unsigned exec_space(uint64_t address) {
  if (address < ISA_WINDOW_SHARED)
    return ISA_SPACE_GLOBAL;
  uint64_t window = address / ISA_WINDOW_SHARED;
  return window == 1   ? ISA_SPACE_SHARED
         : window == 2 ? ISA_SPACE_LOCAL
         : window == 3 ? ISA_SPACE_CONST
         : window == 4 ? ISA_SPACE_PARAM
                       : ISA_SPACE_GLOBAL;
}

// False after a fault.
bool exec_memory(launch *l, block *b, warp *w, const decoded *d, uint32_t pc, uint32_t lanes);

// ---- for cycle models, which do the parts of an instruction at times of their own

// Registers and predicates from registers and predicates: no memory, no control. `lanes` is not 0.
void exec_registers(launch *l, block *b, warp *w, const decoded *d, uint32_t lanes);
void exec_exit(launch *l, block *b, warp *w, uint32_t lanes);
// Space of each lane's access, and where: the address in global memory, the offset in the block's
// shared or the thread's local memory, the host's address of constants and parameters. False after
// a fault.
// *dense: all lanes, in global memory, one behind the other from at[0] on, the only one that is
// filled.
bool exec_places(launch *l, block *b, warp *w, const decoded *d, uint32_t pc, uint32_t lanes,
                 uint8_t space[ISA_LANES], uint64_t at[ISA_LANES], bool *dense);
// What an atomic makes of the old value.
uint64_t exec_atomic(const isa_inst *i, uint64_t old, uint64_t b, uint64_t c);
// A lane accessed shared memory at `address`, which it may not.
void exec_shared_fault(launch *l, block *b, warp *w, const decoded *d, uint32_t pc, unsigned lane,
                       uint64_t address, bool align);

#endif
