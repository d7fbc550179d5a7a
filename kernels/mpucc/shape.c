// SPDX-License-Identifier: Apache-2.0
// What a profile knows a kernel by.
#include <string.h>
#include "locate.h"

static void add(uint64_t *h, const void *bytes, size_t count) {
  for (size_t n = 0; n < count; n++)
    *h = (*h ^ ((const unsigned char *)bytes)[n]) * 1099511628211ull;
}

uint64_t mir_shape(const mir_kernel *k) {
  uint64_t h = 14695981039346656037ull;
  for (uint32_t b = 0; b < k->block_count; b++) {
    uint32_t to[2];
    const unsigned count = mir_succs(k, b, to);
    add(&h, k->blocks[b].label, strlen(k->blocks[b].label) + 1);
    add(&h, to, count * sizeof *to);
  }
  return h;
}

const uint64_t *mir_profile_counts(const mir_profile *p, const mir_kernel *k) {
  for (uint32_t n = 0; p && n < p->count; n++)
    if (strcmp(p->kernels[n].name, k->name) == 0)
      return p->kernels[n].counts;
  return NULL;
}
