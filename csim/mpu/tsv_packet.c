// SPDX-License-Identifier: Apache-2.0
#include "tsv_packet.h"

#include "csim/isa/isa.h"

unsigned tsv_mtype_bytes(unsigned mtype) {
  static const uint8_t bytes[16] = {
#define TSV_MTYPE(num, name, bytes, doc) [num] = bytes,
#include "tsv.def"
  };
  return bytes[mtype & 15];
}

unsigned tsv_dn_len(uint64_t head) {
  if (tsv_get(head, TSV_DN_ANY_KIND) != TSV_DN_EXEC)
    return (unsigned)tsv_get(head, TSV_DN_ANY_LEN);
  uint64_t op = tsv_get(head, TSV_DN_EXEC_OP);
  unsigned words = (unsigned)tsv_get(head, TSV_DN_EXEC_HAS_MASK) +
                   (tsv_get(head, TSV_DN_EXEC_IMM_AT) || op == ISA_OP_LOP3) + (op == ISA_OP_SELP);
  return (words + 1) / 2;
}
