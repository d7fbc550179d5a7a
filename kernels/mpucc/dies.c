// SPDX-License-Identifier: Apache-2.0
// For a machine with shared memory on both dies: which one each kernel uses. docs/locate-cost.md.
#include "locate.h"

enum { WORTH = 92 };  // per cent of the cost with near shared memory that far must come below

static bool has_shared(const mir_kernel *k) {
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const isa_inst *i = &k->blocks[b].insts[j].i;
      if (mir_is_memory(i) && i->space == ISA_SPACE_SHARED)
        return true;
    }
  return false;
}

static int64_t cost_with(const mir_kernel *k, isa_dies dies, const mir_profile *profile,
                         bool masks) {
  mir_kernel trial = mir_kernel_copy(k);
  trial.dies = dies;
  if (masks)
    mir_near_predicates_kernel(&trial, MIR_LOCATE_COST, profile);
  const int64_t cost = mir_locate_kernel(&trial, MIR_LOCATE_COST, profile);
  mir_kernel_free_copy(&trial);
  return cost;
}

void mir_choose_dies(mir_module *m, mir_policy policy, const mir_profile *profile, bool masks) {
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    mir_kernel *k = &m->kernels[n];
    if (k->dies != ISA_DIES_BOTH_SHARED)
      continue;
    k->dies = ISA_DIES_HYBRID;
    if (policy == MIR_LOCATE_COST && has_shared(k) &&
        cost_with(k, ISA_DIES_FAR_SHARED, profile, masks) * 100 <
            cost_with(k, ISA_DIES_HYBRID, profile, masks) * WORTH)
      k->dies = ISA_DIES_FAR_SHARED;
  }
}
