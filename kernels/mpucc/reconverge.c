// SPDX-License-Identifier: Apache-2.0
// Branch analysis: where the lanes that a branch parts meet again.
#include "cfg.h"
#include "mem.h"

static void reconverge_kernel(mir_kernel *k) {
  cfg c;
  mir_gather(k);
  cfg_build(&c, k);
  uint32_t *meet = mem_new(k->block_count + 1, sizeof *meet);
  cfg_post_dominators(&c, meet);
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    if (!block->count)
      continue;
    isa_inst *last = &block->insts[block->count - 1].i;
    if (last->op == ISA_OP_BRA)
      last->reconv = meet[b] < k->block_count ? meet[b] : MIR_NO_BLOCK;
  }
  free(meet);
  cfg_free(&c);
}

void mir_reconverge(mir_module *m) {
  for (uint32_t n = 0; n < m->kernel_count; n++)
    reconverge_kernel(&m->kernels[n]);
  m->stage = MIR_RECONVERGED;
}
