// SPDX-License-Identifier: Apache-2.0
// The runtime API of device code. Kernels cannot start kernels here; libraries whose templates name
// these functions compile, and a kernel that really calls one is an error of the device compiler.
#ifndef NEARBANK_CUDA_DEVICE_RUNTIME_API_H
#define NEARBANK_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
#ifdef __CUDA__
extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t bytes);
__device__ cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block,
                                        unsigned int shared, cudaStream_t s);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}
#endif
#endif
