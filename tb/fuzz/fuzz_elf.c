// SPDX-License-Identifier: Apache-2.0
// Any bytes through the object loader. What loads must hold what module.h promises.
#include <assert.h>
#include "csim/isa/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char why[200];
  module *m = module_load(data, size, why, sizeof why);
  if (!m) {
    assert(why[0]);
    return 0;
  }
  module_bind(m, 0x123456789abc00ull);
  for (uint32_t k = 0; k < m->kernel_count; k++) {
    const module_kernel *q = &m->kernels[k];
    for (uint32_t n = 0; n < q->inst_count; n++) {
      assert(isa_check(&q->insts[n]) == NULL);
      (void)module_line_at(q, n * ISA_BYTES);
    }
    assert(module_find_kernel(m, q->name));
  }
  for (uint32_t n = 0; n < m->symbol_count; n++)
    assert(module_find_symbol(m, m->symbols[n].name));
  module_free(m);
  return 0;
}
