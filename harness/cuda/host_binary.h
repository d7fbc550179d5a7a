// SPDX-License-Identifier: Apache-2.0
// What the host binary of a CUDA program calls by itself: before main, and around <<<>>>.
#ifndef NEARBANK_HOST_BINARY_H
#define NEARBANK_HOST_BINARY_H

#include "include/cuda_runtime_api.h"

void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_stub, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *shadow, char *device_name, const char *name, int ext,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **shadow, char *device_name, const char *name,
                              int ext, size_t bytes, int constant, int global);
void __cudaRegisterTexture(void **handle, const void *shadow, const void **device_name,
                           const char *name, int type, int normalized, int ext);
void __cudaRegisterSurface(void **handle, const void *shadow, const void **device_name,
                           const char *name, int type, int ext);
void mpu_managed_variables(void *begin, void *end);  // of managed_variables.h

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

#endif
