// SPDX-License-Identifier: Apache-2.0
#include "lanes.h"

const lanes_table *lanes_host(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &lanes_avx2;
#endif
  return &lanes_any;
}
