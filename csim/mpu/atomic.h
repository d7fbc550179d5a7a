// SPDX-License-Identifier: Apache-2.0
// Atomic operations on 32-bit words, as the twins of the LSU-Extension and of shared memory do
// them. The functional machine has its own (csim/isa/exec_mem.c): they are compared with it.
#ifndef NEARBANK_ATOMIC_H
#define NEARBANK_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>
#include "csim/isa/isa.h"

// `op`: ISA_ATOM_ADD and so on, for numbers and bits. Returns what the word is afterwards.
static inline uint32_t atomic_word(uint32_t op, bool is_signed, uint32_t old, uint32_t b,
                                   uint32_t c) {
  const uint32_t flip = is_signed ? 0x80000000 : 0;
  switch (op) {
    case ISA_ATOM_ADD:
      return old + b;
    case ISA_ATOM_MIN:
      return (old ^ flip) < (b ^ flip) ? old : b;
    case ISA_ATOM_MAX:
      return (old ^ flip) < (b ^ flip) ? b : old;
    case ISA_ATOM_INC:
      return old >= b ? 0 : old + 1;
    case ISA_ATOM_DEC:
      return old == 0 || old > b ? b : old - 1;
    case ISA_ATOM_AND:
      return old & b;
    case ISA_ATOM_OR:
      return old | b;
    case ISA_ATOM_XOR:
      return old ^ b;
    case ISA_ATOM_CAS:
      return old == b ? c : old;
    default:  // ISA_ATOM_EXCH
      return b;
  }
}

#endif
