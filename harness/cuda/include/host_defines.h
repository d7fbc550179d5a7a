// SPDX-License-Identifier: Apache-2.0
// CUDA's declaration specifiers, for clang.
#ifndef NEARBANK_HOST_DEFINES_H
#define NEARBANK_HOST_DEFINES_H
#define __HOST_DEFINES_H__
#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// The runtime knows managed variables by the section of their host side.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("mpu_managed")))
#endif
#define __grid_constant__
#define __cluster_dims__(...) _Pragma("GCC error \"there are no clusters of blocks\"")
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __constant__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
// __noinline__ is clang's keyword in CUDA files; elsewhere the headers of libstdc++ use the name.
#define __align__(n) __attribute__((aligned(n)))
// What alignas behind __shared__ or __device__ becomes (docs/sdk.md, "Old syntax").
#define mpu_aln _Alignas
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB
#endif
