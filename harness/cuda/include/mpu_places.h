// SPDX-License-Identifier: Apache-2.0
// Calls that allocate device memory tell the runtime where they are, which finds the name of the
// variable there (mpu run --arrays). With clang they are overloads that it prefers to those of the
// same parameters, because of enable_if; whoever takes the address of a function gets the plain
// one.
#ifndef NEARBANK_MPU_PLACES_H
#define NEARBANK_MPU_PLACES_H
#if defined(__cplusplus) && defined(__clang__)
#if __has_attribute(enable_if) && __has_builtin(__builtin_COLUMN)
#define MPU_PLACES 1
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
#define MPU_AT \
  const char *file = __builtin_FILE(), int line = __builtin_LINE(), int column = __builtin_COLUMN()
#define MPU_PREFERRED __attribute__((enable_if(true, "")))

struct mpu_place {
  mpu_place(const char *call, const char *file, int line, int column) {
    mpu_allocates(call, file, line, column);
  }
  ~mpu_place() { mpu_allocates(0, 0, 0, 0); }
};

static inline mpu_status mpu_malloc(void **p, size_t bytes, MPU_AT) MPU_PREFERRED {
  mpu_place here("mpu_malloc", file, line, column);
  return static_cast<mpu_status (*)(void **, size_t)>(mpu_malloc)(p, bytes);
}
template <class T>
static inline mpu_status mpu_malloc(T *&p, size_t bytes, MPU_AT) MPU_PREFERRED {
  return mpu_malloc((void **)&p, bytes, file, line, column);
}
#pragma clang diagnostic pop
#endif
#endif
#endif
