// SPDX-License-Identifier: Apache-2.0
// The digest of device memory in the statistics: what each allocation held when it was freed, in
// the order of these calls, then what the program leaves behind, device after device. Addresses are
// not part of it, because the functional machine places allocations differently.
#include "csim/base/sum.h"
#include "rt.h"
#include "target.h"

void rt_digest_add(rt_context *c, uint64_t address, uint64_t bytes) {
  if (!process.digests)
    return;
  const uint64_t words[] = {bytes, target_sum(c, address, bytes)};
  process.digest = sum_bytes(process.digest, words, sizeof words);
}

// Variables of the device. The buffer of kernels that print is left out: its order is that of the
// threads.
void rt_digest_variables(rt_context *c, const rt_program *p) {
  for (uint32_t n = 0; n < p->mod->symbol_count; n++) {
    const module_symbol *s = &p->mod->symbols[n];
    if (!s->is_const && s != p->output)
      rt_digest_add(c, target_symbol(c, p, s), s->bytes);
  }
}

void rt_digest_rest(rt_context *c) {
  uint64_t base, bytes;
  if (!process.digests)
    return;
  for (size_t n = 0; n < c->allocation_count; n++)
    if (target_find(c, c->allocations[n], &base, &bytes))
      rt_digest_add(c, base, bytes);
  for (const rt_mirror *r = c->mirrors; r; r = r->next)
    if (!r->variable && !r->shared)
      rt_digest_add(c, r->device, r->bytes);
  for (const rt_program *p = c->programs; p; p = p->next)
    rt_digest_variables(c, p);
}
