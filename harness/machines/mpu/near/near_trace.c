// SPDX-License-Identifier: Apache-2.0
// Signals of the blocks, for waves. Inputs are shown in all cycles, also of a block whose clock
// stands.
#include "near_priv.h"

// Of block `block`: the verilated one, and what it is.
static void *verilated(const near *n, uint32_t block, const model **m) {
  *m = block < NEAR_SMEM ? &n->models.nbu : block == NEAR_SMEM ? &n->models.smem : &n->models.rtt;
  return block < NEAR_SMEM    ? n->rtl_nbu[block]
         : block == NEAR_SMEM ? n->rtl_smem
                              : n->rtl_rtt[block - NEAR_RTT];
}

static const void *inputs(const near *n, uint32_t block) {
  return block < NEAR_SMEM    ? (const void *)&n->in[block]
         : block == NEAR_SMEM ? (const void *)&n->smem_in
                              : (const void *)&n->rtt_in[block - NEAR_RTT];
}

bool near_trace(near *n, uint32_t block, void (*write)(void *ctx, const char *text, size_t bytes),
                void *ctx) {
  const rtl_trace to = {write, ctx, &n->cycle};
  const model *m;
  bool ok;
  if (n->traced >> block & 1)
    near_trace_off(n, block);
  if (n->idle)
    near_rest(n);
  if (n->mode != NEAR_C) {
    void *v = verilated(n, block, &m);
    ok = m->trace && m->trace_inputs && m->trace(v, &to, inputs(n, block));
  } else {
    static const block_ops *const twins[] = {&nbu_twin, &smem_twin, &rtt_twin};
    static const char *const names[] = {"nbu", "smem", "rtt"};
    const unsigned kind = block < NEAR_SMEM ? 0 : block == NEAR_SMEM ? 1 : 2;
    const void *out = kind == 0   ? (const void *)&n->out[block]
                      : kind == 1 ? (const void *)&n->smem.out
                                  : (const void *)&n->rtt_out[block - NEAR_RTT];
    n->trace[block] = port_trace_new(names[kind], twins[kind], &to, inputs(n, block), out);
    ok = n->trace[block];
  }
  n->traced |= (uint32_t)ok << block;
  return ok;
}

void near_trace_off(near *n, uint32_t block) {
  const model *m;
  void *v = verilated(n, block, &m);
  if (n->mode != NEAR_C)
    m->trace_off(v);
  port_trace_free(n->trace[block]);
  n->trace[block] = NULL;
  n->traced &= ~(1u << block);
}

void near_trace_still(near *n, uint32_t edges) {
  for (uint32_t left = n->traced & ~edges; left; left &= left - 1) {
    const uint32_t block = (uint32_t)__builtin_ctz(left);
    const model *m;
    void *v = verilated(n, block, &m);
    if (n->mode == NEAR_C)
      port_trace_inputs(n->trace[block], inputs(n, block));
    else
      m->trace_inputs(v, inputs(n, block));
  }
}
