// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits with 5 bits of exponent (docs/cuda.md, "Half precision").
#ifndef NEARBANK_CUDA_FP16_H
#define NEARBANK_CUDA_FP16_H

#include "small_float.h"

#define MPU_SMALL __half
#define MPU_PAIR __half2
#define MPU_NAME half
#define MPU_PAIR_NAME half2
#define MPU_EXPONENT 5
#define MPU_MANTISSA 10
#include "small_float_ops.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif
