// SPDX-License-Identifier: Apache-2.0
// The native API of MPU: memory, copies, kernels. Pointers are device addresses. One device.
//
//   float *in;
//   mpu_malloc((void **)&in, bytes);             // C; in C++ mpu_malloc(in, bytes) as in the paper
//   mpu_memcpy(in, host, bytes, Host2Device);
//   mpu_launch(kernel, grid, block, 0, args);    // or kernel<<<grid, block>>>(...) in CUDA
//   mpu_memcpy(host, in, bytes, Device2Host);
#ifndef NEARBANK_MPU_H
#define NEARBANK_MPU_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum mpu_status {
  MPU_SUCCESS = 0,
  MPU_ERROR_ARGUMENT,  // a null pointer, a size, a direction
  MPU_ERROR_MEMORY,    // out of device memory
  MPU_ERROR_POINTER,   // not inside one allocation
  MPU_ERROR_FILE,      // the object cannot be read or is damaged
  MPU_ERROR_KERNEL,    // no such kernel
  MPU_ERROR_LAUNCH,    // grid, block, shared memory or parameters do not fit
  MPU_ERROR_FAULT      // the kernel ended with a fault; mpu_message says where
} mpu_status;

typedef enum mpu_direction { Host2Device = 1, Device2Host = 2, Device2Device = 3 } mpu_direction;

typedef struct mpu_kernel mpu_kernel;
typedef struct mpu_dims {
  unsigned x, y, z;
} mpu_dims;

mpu_status mpu_malloc(void **p, size_t bytes);
mpu_status mpu_free(void *p);  // NULL is fine
mpu_status mpu_memcpy(void *to, const void *from, size_t bytes, mpu_direction direction);
mpu_status mpu_memset(void *to, int value, size_t bytes);

// Loads an MPU object (the ELF of mpucc) and finds its kernels and variables.
mpu_status mpu_load(const char *file);
mpu_status mpu_load_image(const void *image, size_t bytes);
mpu_status mpu_find_kernel(const char *name, mpu_kernel **kernel);
mpu_status mpu_find_symbol(const char *name, void **address, size_t *bytes);

// args[n] points to the n-th parameter. Returns when the launch has ended.
mpu_status mpu_launch(const mpu_kernel *kernel, mpu_dims grid, mpu_dims block, size_t shared,
                      void **args);

const char *mpu_error_string(mpu_status s);
const char *mpu_message(void);  // about the last error, one paragraph

// Where in its source the program allocates memory next, for mpu run --arrays: the name of the
// function that it calls, file, line and column; and that it has. C++ gets this by itself.
void mpu_allocates(const char *call, const char *file, int line, int column);

// What the program's own check found, for the report: pass != 0 or fail.
void mpu_report_result(int pass);

#ifdef __cplusplus
}
template <class T>
static inline mpu_status mpu_malloc(T *&p, size_t bytes) {
  return mpu_malloc((void **)&p, bytes);
}
#include "mpu_places.h"
#endif
#endif
