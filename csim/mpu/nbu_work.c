// SPDX-License-Identifier: Apache-2.0
#include "nbu_work.h"

#include <stdbool.h>

#include "csim/isa/isa.h"
#include "tsv_packet.h"

enum { LANES = 32 };

static bool wide(unsigned type) {
  return isa_types[type].bits == 64;
}

// docs/blocks/nbu.md, rules 2 and 3: each beat reads its operands, and writes a register.
static nbu_work exec_work(uint64_t head) {
  isa_inst i = isa_inst_new((unsigned)tsv_get(head, TSV_DN_EXEC_OP),
                            (unsigned)tsv_get(head, TSV_DN_EXEC_TYPE));
  if (isa_ops[i.op].types2)
    i.type2 = (uint8_t)(tsv_get(head, TSV_DN_EXEC_C) & 31);
  const uint64_t zero = tsv_get(head, TSV_DN_EXEC_ZERO), imm = tsv_get(head, TSV_DN_EXEC_IMM_AT);
  uint32_t used[4] = {0};
  for (unsigned k = 1; k < 4; k++)
    used[k] = isa_words(&i, k) > 0 && imm != k && !(zero >> (k - 1) & 1);
  const bool shift = i.op == ISA_OP_ABS || i.op == ISA_OP_SHL || i.op == ISA_OP_SHR;
  if (i.op == ISA_OP_I2I ? wide(i.type2) : shift && wide(i.type))
    used[3] = used[1];  // the other word of a
  const uint32_t beats = 1u + (i.op == ISA_OP_MULW || i.op == ISA_OP_MADW || wide(i.type));
  return (nbu_work){.reads = beats * (used[1] + used[2] + used[3]), .writes = beats};
}

// SHM and SECT: loads and stores have a beat a word, stores with operands of their own (rule 4).
static nbu_work lanes_work(uint64_t head, uint64_t body, bool shared) {
  const unsigned mop = (unsigned)tsv_get(head, TSV_DN_SHM_MOP);
  const bool store = mop == TSV_MOP_ST, atomic = mop >= TSV_MOP_ATOM;
  const uint64_t zero = shared ? tsv_get(head, TSV_DN_SHM_ZERO) : body >> 39 << 1;
  const uint32_t a = shared && !tsv_get(head, TSV_DN_SHM_INLINE) && !(zero & 1);
  const uint32_t b = mop != TSV_MOP_LD && !(zero >> 1 & 1);
  const uint32_t c = mop == TSV_MOP_ATOM + ISA_ATOM_CAS && !(zero >> 2 & 1);
  const unsigned bytes = tsv_mtype_bytes((unsigned)tsv_get(head, TSV_DN_SHM_MTYPE));
  const uint32_t beats = (bytes + 3) / 4;
  nbu_work w = {.reads = (store ? beats : 1) * (a + b + c), .accesses = beats};
  if (mop == TSV_MOP_LD || (atomic && tsv_get(head, TSV_DN_SHM_RET)))
    w.writes = beats;
  if (shared) {
    const uint32_t mask = tsv_get(head, TSV_DN_SHM_HAS_MASK) ? (uint32_t)body : ~0u;
    const uint32_t lanes = mask == ~0u ? LANES : (uint32_t)__builtin_popcount(mask);
    w.words = lanes * beats * (atomic ? 2 : 1);
  }
  return w;
}

nbu_work nbu_work_of(uint64_t head, uint64_t body) {
  switch (tsv_get(head, TSV_DN_ANY_KIND)) {
    case TSV_DN_EXEC:
      return exec_work(head);
    case TSV_DN_LINE: {
      const bool store = tsv_get(head, TSV_DN_LINE_STORE), zero = tsv_get(head, TSV_DN_LINE_ZERO);
      return (nbu_work){.reads = store && !zero, .writes = !store, .accesses = 1};
    }
    case TSV_DN_SHM:
      return lanes_work(head, body, true);
    case TSV_DN_SECT:
      return lanes_work(head, body, false);
    case TSV_DN_REGWR:
      return (nbu_work){.writes = 1};
    case TSV_DN_REGRD:
      return (nbu_work){.reads = 1};
    case TSV_DN_WIN:
    case TSV_DN_SYNC:
    case TSV_DN_KEEP:
    case TSV_DN_RUN:  // its packets have
    case TSV_DN_SLOT:
      return (nbu_work){0};
    default:  // RD, WR, ATM
      return (nbu_work){.accesses = 1};
  }
}
