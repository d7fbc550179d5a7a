// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of a thread, to shared memory: done at once.
#ifndef NEARBANK_CUDA_PIPELINE_PRIMITIVES_H
#define NEARBANK_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

// 4, 8 or 16 bytes, of which the last `zeros` are not copied but 0.
MPU_D void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to), have = (unsigned)(bytes - zeros);
  const size_t source = __cvta_generic_to_global(from);
  if (bytes == 16)
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(source),
                     "r"(have)
                     : "memory");
  else if (bytes == 8)
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(source),
                     "r"(have)
                     : "memory");
  else if (bytes == 4)
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source),
                     "r"(have)
                     : "memory");
  else
    __trap();
}
MPU_D void __pipeline_commit() {}
MPU_D void __pipeline_wait_prior(size_t) {}
#endif
