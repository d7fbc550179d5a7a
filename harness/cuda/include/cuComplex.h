// SPDX-License-Identifier: Apache-2.0
// Complex numbers of libraries and programs, in C: pairs of float and double.
#ifndef NEARBANK_CUCOMPLEX_H
#define NEARBANK_CUCOMPLEX_H
#define CU_COMPLEX_H_
#include <math.h>
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define MPU_CX static __inline__ __host__ __device__
// One kind: F as in cuCaddf, S as in make_cuFloatComplex.
#define MPU_COMPLEX(type, real, f, root, magnitude)                            \
  MPU_CX real cuCreal##f(type a) {                                             \
    return a.x;                                                                \
  }                                                                            \
  MPU_CX real cuCimag##f(type a) {                                             \
    return a.y;                                                                \
  }                                                                            \
  MPU_CX type make_##type(real x, real y) {                                    \
    type v;                                                                    \
    v.x = x;                                                                   \
    v.y = y;                                                                   \
    return v;                                                                  \
  }                                                                            \
  MPU_CX type cuConj##f(type a) {                                              \
    return make_##type(a.x, -a.y);                                             \
  }                                                                            \
  MPU_CX type cuCadd##f(type a, type b) {                                      \
    return make_##type(a.x + b.x, a.y + b.y);                                  \
  }                                                                            \
  MPU_CX type cuCsub##f(type a, type b) {                                      \
    return make_##type(a.x - b.x, a.y - b.y);                                  \
  }                                                                            \
  MPU_CX type cuCmul##f(type a, type b) {                                      \
    return make_##type(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);          \
  }                                                                            \
  MPU_CX type cuCdiv##f(type a, type b) { /* scaled: no overflow */            \
    const real s = magnitude(b.x) + magnitude(b.y);                            \
    const real ax = a.x / s, ay = a.y / s, bx = b.x / s, by = b.y / s;         \
    const real d = bx * bx + by * by;                                          \
    return make_##type((ax * bx + ay * by) / d, (ay * bx - ax * by) / d);      \
  }                                                                            \
  MPU_CX real cuCabs##f(type a) { /* scaled: no overflow */                    \
    const real x = magnitude(a.x), y = magnitude(a.y);                         \
    const real big = x > y ? x : y, q = (x > y ? y : x) / (big > 0 ? big : 1); \
    const int plain = big > 0 && big - big == 0;                               \
    return plain ? big * root(1 + q * q) : x + y;                              \
  }                                                                            \
  MPU_CX type cuCfma##f(type a, type b, type c) {                              \
    return cuCadd##f(cuCmul##f(a, b), c);                                      \
  }
MPU_COMPLEX(cuFloatComplex, float, f, sqrtf, fabsf)
MPU_COMPLEX(cuDoubleComplex, double, , sqrt, fabs)
#undef MPU_COMPLEX
#undef MPU_CX

#define make_cuComplex make_cuFloatComplex
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_cuDoubleComplex(a.x, a.y);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}
#endif
