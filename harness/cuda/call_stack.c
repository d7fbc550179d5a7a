// SPDX-License-Identifier: Apache-2.0
// The stack of functions that call themselves, of a thread: cudaLimitStackSize.
#include "rt.h"
#include "target.h"

uint32_t rt_stack_limit(const rt_context *c) {
  return c->stack_limit ? c->stack_limit : MODULE_STACK;
}

cudaError_t rt_stack_set_limit(rt_context *c, size_t bytes) {
  if (bytes > MODULE_STACK_MOST)
    return cudaErrorInvalidValue;
  if (c->target && bytes > MODULE_STACK)  // a card loads its programs by itself
    return cudaErrorUnsupportedLimit;
  rt_wait(c);
  c->stack_limit = bytes < 16 ? 16 : ((uint32_t)bytes + 15) / 16 * 16;
  for (rt_program *p = c->programs; p && !c->target; p = p->next)
    module_set_stack(p->mod, c->stack_limit);
  return cudaSuccess;
}
