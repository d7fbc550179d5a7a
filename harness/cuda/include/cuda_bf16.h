// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits with 8 bits of exponent, the upper half of a float (docs/cuda.md, "Half
// precision").
#ifndef NEARBANK_CUDA_BF16_H
#define NEARBANK_CUDA_BF16_H

#include "small_float.h"

#define MPU_SMALL __nv_bfloat16
#define MPU_PAIR __nv_bfloat162
#define MPU_NAME bfloat16
#define MPU_PAIR_NAME bfloat162
#define MPU_EXPONENT 8
#define MPU_MANTISSA 7
#include "small_float_ops.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
