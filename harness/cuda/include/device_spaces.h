// SPDX-License-Identifier: Apache-2.0
// Device functions that ask for the state space of an address, or turn a generic address into one
// of a space and back.
#ifndef NEARBANK_DEVICE_SPACES_H
#define NEARBANK_DEVICE_SPACES_H

#define MPU_CVTA(name, space)                                     \
  MPU_D size_t __cvta_generic_to_##name(const void *p) {          \
    size_t at;                                                    \
    __asm__("cvta.to." space ".u64 %0, %1;" : "=l"(at) : "l"(p)); \
    return at;                                                    \
  }                                                               \
  MPU_D void *__cvta_##name##_to_generic(size_t at) {             \
    void *p;                                                      \
    __asm__("cvta." space ".u64 %0, %1;" : "=l"(p) : "l"(at));    \
    return p;                                                     \
  }
MPU_CVTA(global, "global")
MPU_CVTA(shared, "shared")
MPU_CVTA(local, "local")
MPU_CVTA(constant, "const")
MPU_CVTA(grid_constant, "param")
#undef MPU_CVTA

#define MPU_IS(name, space)                                                     \
  MPU_D unsigned name(const void *p) {                                          \
    unsigned is;                                                                \
    __asm__("{ .reg .pred q; isspacep." space " q, %1; selp.u32 %0, 1, 0, q; }" \
            : "=r"(is)                                                          \
            : "l"(p));                                                          \
    return is;                                                                  \
  }
MPU_IS(__isConstant, "const")
MPU_IS(__isGridConstant, "param")
#undef MPU_IS
#endif
