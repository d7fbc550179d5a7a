// SPDX-License-Identifier: Apache-2.0
#include "near_ops.h"

#include <assert.h>

enum { MOST = 4096 };

const isa_inst *near_ops(unsigned *count) {
  static isa_inst ops[MOST];
  static unsigned n;
  if (n)
    return *count = n, ops;
  for (unsigned op = 0; op < 128; op++)
    for (unsigned type = 0; type < 32; type++)
      for (unsigned type2 = 0; type2 < 16; type2++)
        for (unsigned fn = 0; fn < 14; fn++) {
          if (!isa_ops[op].name || (op >= ISA_OP_LD && op <= ISA_OP_RED))
            continue;
          isa_inst i = isa_inst_new(op, type);
          i.type2 = (uint8_t)type2, i.fn = (uint8_t)fn;
          if (isa_words(&i, 0))
            i.d = 0;
          i.a = isa_words(&i, 1) ? 0 : ISA_RZ;
          i.b = isa_words(&i, 2) ? 0 : ISA_RZ;
          i.c = isa_words(&i, 3) ? 0 : ISA_RZ;
          if (!isa_check(&i) && isa_near_capable(&i) && isa_words(&i, 0)) {
            assert(n < MOST);
            ops[n++] = i;
          }
        }
  assert(n > 100);
  *count = n;
  return ops;
}

bool near_op_has_two(const isa_inst *i) {
  return isa_words(i, 0) == 2;
}
