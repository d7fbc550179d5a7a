// SPDX-License-Identifier: Apache-2.0
// What a program knows about where its data should be. Copy this file beside the program: where
// MPU's runtime is not linked, it does nothing.
//
//   mpuPlace("array dev_x: copy");                       // before cudaMalloc(&dev_x, ...)
//   mpuPlace("blocks blur: core 32, block 4, core 4");   // before blur<<<...>>>
//
// The lines are those of a placement (mpu run --place FILE), one or more. What does not fit the
// machine is ignored, with a message; results are the same in any case.
#ifndef MPU_PLACE_H
#define MPU_PLACE_H
#ifdef __cplusplus
extern "C"
#endif
    void
    mpu_place(const char *lines) __attribute__((weak));

static inline void mpuPlace(const char *lines) {
  if (mpu_place)
    mpu_place(lines);
}
#endif
