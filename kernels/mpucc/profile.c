// SPDX-License-Identifier: Apache-2.0
// Profiles of earlier runs: what they know a kernel by, and what they have of it.
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

const mir_profile_kernel *mir_profile_of(const mir_profile *p, const mir_kernel *k) {
  for (uint32_t n = 0; p && n < p->count; n++)
    if (strcmp(p->kernels[n].name, k->name) == 0)
      return &p->kernels[n];
  return NULL;
}

bool mir_profile_fits(const mir_profile *p, const mir_module *m, diag *d) {
  bool any = !m->kernel_count, fits = true;
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    const mir_kernel *k = &m->kernels[n];
    const mir_profile_kernel *x = mir_profile_of(p, k);
    any |= x != NULL;
    if (x && (x->shape != mir_shape(k) || x->blocks > k->block_count))
      fits = diag_error(d, 0, 0,
                        "'%s' is a profile of another version of kernel %s, or of other options "
                        "of the compiler; run it again with --profile-out",
                        p->file, k->name);
  }
  return any ? fits
             : diag_error(d, 0, 0,
                          "'%s' is a profile of another program: it has none of these "
                          "kernels",
                          p->file);
}
