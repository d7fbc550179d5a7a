// SPDX-License-Identifier: Apache-2.0
// The stack of functions that call themselves, of a thread: cudaLimitStackSize.
#include "csim/isa/model.h"
#include "rt.h"
#include "target.h"

uint32_t rt_stack_limit(const rt_context *c) {
  return c->stack_limit ? c->stack_limit : MODULE_STACK;
}

// A card has made modules of its own from the same objects.
void rt_stack_apply(rt_context *c) {
  const module *mod;
  for (rt_program *p = c->programs; p; p = p->next)
    module_set_stack(p->mod, rt_stack_limit(c));
  for (unsigned n = 0; target_is_card() && (mod = machine_module(c->m, n)); n++)
    module_set_stack((module *)(uintptr_t)mod, rt_stack_limit(c));
}

cudaError_t rt_stack_set_limit(rt_context *c, size_t bytes) {
  if (bytes > MODULE_STACK_MOST)
    return cudaErrorInvalidValue;
  if (target_is_elsewhere() && bytes > MODULE_STACK)  // its modules are out of reach
    return cudaErrorUnsupportedLimit;
  rt_wait(c);
  c->stack_limit = bytes < 16 ? 16 : ((uint32_t)bytes + 15) / 16 * 16;
  if (!target_is_elsewhere())
    rt_stack_apply(c);
  return cudaSuccess;
}
