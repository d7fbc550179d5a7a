// SPDX-License-Identifier: Apache-2.0
// Memory for malloc in kernels (include/device_heap.h): a program that has it gets it with its
// first launch.
#include "rt.h"
#include "target.h"

enum { HEAP_BYTES = 8 << 20 };

static uint64_t limit_of(const rt_context *c) {
  return c->heap_limit ? c->heap_limit : HEAP_BYTES;
}

static bool in_use(const rt_context *c) {
  for (const rt_program *p = c->programs; p; p = p->next)
    if (p->has_heap)
      return true;
  return false;
}

// Without memory there is none, and malloc returns NULL.
void rt_heap_give(rt_context *c, rt_program *p) {
  uint64_t words[2] = {0, limit_of(c)};
  if (!p->heap || p->has_heap)
    return;
  p->has_heap = true;
  if (!rt_malloc(c, words[1], &words[0]))
    target_write(c, target_symbol(c, p, p->heap), words, sizeof words);
}

cudaError_t rt_heap_set_limit(rt_context *c, size_t bytes) {
  if (in_use(c))
    return cudaErrorInvalidValue;
  c->heap_limit = bytes < 4096 ? 4096 : bytes;
  return cudaSuccess;
}
size_t rt_heap_limit(const rt_context *c) {
  return limit_of(c);
}
