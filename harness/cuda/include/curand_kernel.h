// SPDX-License-Identifier: Apache-2.0
// cuRAND in kernels (docs/libraries.md): generators that a thread keeps, and their distributions.
// All work on the host, too.
#ifndef NEARBANK_CURAND_KERNEL_H
#define NEARBANK_CURAND_KERNEL_H
#define CURAND_KERNEL_H_
#if !defined(__cplusplus) || __cplusplus < 201402L
#error "curand_kernel.h needs C++14 or later: compile with -std=c++14"
#endif
#include <math.h>
#include "cuda_runtime.h"
#include "curand_globals.h"

#define MPU_RANDOM static __inline__ __attribute__((always_inline, unused)) __host__ __device__
// A table that the compiler computes: a copy for each side, where it is used.
#ifdef __CUDA_ARCH__
#define MPU_RANDOM_TABLE(type, name, value)            \
  static __constant__ const type name##_there = value; \
  MPU_RANDOM const type &name() {                      \
    return name##_there;                               \
  }
#else
#define MPU_RANDOM_TABLE(type, name, value) \
  MPU_RANDOM const type &name() {           \
    static constexpr type here = value;     \
    return here;                            \
  }
#endif

#include "curand_xorwow.h"
#include "curand_philox4x32_x.h"
#include "curand_mrg32k3a.h"
#include "curand_sobol.h"
#include "curand_distributions.h"
#endif
