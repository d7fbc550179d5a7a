// SPDX-License-Identifier: Apache-2.0
// Mathematics on the device, under the names of <math.h>. What the machine has is one instruction;
// the rest comes from libclc's OpenCL functions (bitcode, linked by the front end), which keep the
// OpenCL bounds: docs/cuda.md.
#ifndef NEARBANK_DEVICE_MATH_H
#define NEARBANK_DEVICE_MATH_H

// ---- instructions
#define MPU_B1(name, builtin)                                           \
  MPU_D float name##f(float v) { return builtin##f(v); }                \
  MPU_D double name(double v) { return builtin(v); }                    \
  MPU_D float name(float v) { return builtin##f(v); }
MPU_B1(sqrt, __builtin_sqrt)
MPU_B1(fabs, __builtin_fabs)
MPU_B1(floor, __builtin_floor)
MPU_B1(ceil, __builtin_ceil)
MPU_B1(trunc, __builtin_trunc)
MPU_B1(rint, __builtin_rint)
MPU_B1(nearbyint, __builtin_nearbyint)
#undef MPU_B1
#define MPU_B2(name, builtin)                                                 \
  MPU_D float name##f(float a, float b) { return builtin##f(a, b); }          \
  MPU_D double name(double a, double b) { return builtin(a, b); }             \
  MPU_D float name(float a, float b) { return builtin##f(a, b); }
MPU_B2(fmin, __builtin_fmin)
MPU_B2(fmax, __builtin_fmax)
MPU_B2(copysign, __builtin_copysign)
#undef MPU_B2
MPU_D float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MPU_D double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
MPU_D float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MPU_D float rsqrtf(float v) {
  float r;
  __asm__("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
MPU_D double rsqrt(double v) { return 1.0 / __builtin_sqrt(v); }
MPU_D float rsqrt(float v) { return rsqrtf(v); }
MPU_D float fdividef(float a, float b) { return a / b; }
MPU_D float fdimf(float a, float b) { return a > b ? a - b : a != a || b != b ? a + b : 0.0f; }
MPU_D double fdim(double a, double b) { return a > b ? a - b : a != a || b != b ? a + b : 0.0; }
MPU_D float saturate(float v) { return __saturatef(v); }
MPU_D float roundf(float v) {
  float t = __builtin_truncf(v);
  return __builtin_fabsf(v - t) >= 0.5f ? t + __builtin_copysignf(1.0f, v) : __builtin_copysignf(t, v);
}
MPU_D double round(double v) {
  double t = __builtin_trunc(v);
  return __builtin_fabs(v - t) >= 0.5 ? t + __builtin_copysign(1.0, v) : __builtin_copysign(t, v);
}
MPU_D float round(float v) { return roundf(v); }
MPU_D int abs(int v) { return v < 0 ? -v : v; }
MPU_D long labs(long v) { return v < 0 ? -v : v; }
MPU_D long long llabs(long long v) { return v < 0 ? -v : v; }
MPU_D long abs(long v) { return v < 0 ? -v : v; }
MPU_D long long abs(long long v) { return v < 0 ? -v : v; }
MPU_D float abs(float v) { return __builtin_fabsf(v); }
MPU_D double abs(double v) { return __builtin_fabs(v); }
MPU_D long lrintf(float v) { return __float2ll_rn(v); }
MPU_D long lrint(double v) { return __double2ll_rn(v); }
MPU_D long lroundf(float v) { return (long)roundf(v); }
MPU_D long lround(double v) { return (long)round(v); }
#define MPU_TEST(type)                                                       \
  MPU_D int __isnan(type v) { return v != v; }                               \
  MPU_D int __isinf(type v) { return __builtin_isinf(v); }                   \
  MPU_D int __finite(type v) { return __builtin_isfinite(v); }               \
  MPU_D bool isnan(type v) { return v != v; }                                \
  MPU_D bool isinf(type v) { return __builtin_isinf(v); }                    \
  MPU_D bool isfinite(type v) { return __builtin_isfinite(v); }              \
  MPU_D bool signbit(type v) { return __builtin_signbit(v); }
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
MPU_TEST(float)
MPU_TEST(double)
#undef MPU_TEST

// ---- libclc: OpenCL's functions under their mangled names
#define MPU_F1(name, length)                                                   \
  extern "C" __device__ float _Z##length##name##f(float);                      \
  extern "C" __device__ double _Z##length##name##d(double);                    \
  MPU_D float name##f(float v) { return _Z##length##name##f(v); }              \
  MPU_D double name(double v) { return _Z##length##name##d(v); }               \
  MPU_D float name(float v) { return _Z##length##name##f(v); }
MPU_F1(exp, 3)
MPU_F1(exp2, 4)
MPU_F1(expm1, 5)
MPU_F1(log, 3)
MPU_F1(log2, 4)
MPU_F1(log10, 5)
MPU_F1(log1p, 5)
MPU_F1(sin, 3)
MPU_F1(cos, 3)
MPU_F1(tan, 3)
MPU_F1(asin, 4)
MPU_F1(acos, 4)
MPU_F1(atan, 4)
MPU_F1(sinh, 4)
MPU_F1(cosh, 4)
MPU_F1(tanh, 4)
MPU_F1(asinh, 5)
MPU_F1(acosh, 5)
MPU_F1(atanh, 5)
MPU_F1(cbrt, 4)
MPU_F1(erf, 3)
MPU_F1(erfc, 4)
MPU_F1(lgamma, 6)
MPU_F1(tgamma, 6)
MPU_F1(logb, 4)
MPU_F1(sinpi, 5)
MPU_F1(cospi, 5)
MPU_F1(exp10, 5)
#undef MPU_F1
#define MPU_F2(name, length)                                                         \
  extern "C" __device__ float _Z##length##name##ff(float, float);                    \
  extern "C" __device__ double _Z##length##name##dd(double, double);                 \
  MPU_D float name##f(float a, float b) { return _Z##length##name##ff(a, b); }       \
  MPU_D double name(double a, double b) { return _Z##length##name##dd(a, b); }       \
  MPU_D float name(float a, float b) { return _Z##length##name##ff(a, b); }
MPU_F2(pow, 3)
MPU_F2(atan2, 5)
MPU_F2(fmod, 4)
MPU_F2(hypot, 5)
MPU_F2(remainder, 9)
MPU_F2(nextafter, 9)
#undef MPU_F2
extern "C" __device__ float _Z5ldexpfi(float, int);
extern "C" __device__ double _Z5ldexpdi(double, int);
MPU_D float ldexpf(float v, int n) { return _Z5ldexpfi(v, n); }
MPU_D double ldexp(double v, int n) { return _Z5ldexpdi(v, n); }
MPU_D float ldexp(float v, int n) { return _Z5ldexpfi(v, n); }
MPU_D float scalbnf(float v, int n) { return _Z5ldexpfi(v, n); }
MPU_D double scalbn(double v, int n) { return _Z5ldexpdi(v, n); }
MPU_D float pow(float a, int b) { return powf(a, (float)b); }
MPU_D double pow(double a, int b) { return pow(a, (double)b); }
MPU_D double pow(float a, double b) { return pow((double)a, b); }
MPU_D double pow(double a, float b) { return pow(a, (double)b); }
MPU_D void sincosf(float v, float *s, float *c) {
  *s = sinf(v);
  *c = cosf(v);
}
MPU_D void sincos(double v, double *s, double *c) {
  *s = sin(v);
  *c = cos(v);
}
MPU_D float normcdff(float v) { return 0.5f * erfcf(v * -0.707106781f); }
MPU_D double normcdf(double v) { return 0.5 * erfc(v * -0.7071067811865476); }
MPU_D float modff(float v, float *whole) {
  *whole = __builtin_truncf(v);
  return __builtin_copysignf(__builtin_isinf(v) ? 0.0f : v - *whole, v);
}
MPU_D double modf(double v, double *whole) {
  *whole = __builtin_trunc(v);
  return __builtin_copysign(__builtin_isinf(v) ? 0.0 : v - *whole, v);
}

// ---- min and max of every type, on both sides
#define MPU_HD static __inline__ __attribute__((always_inline, unused)) __host__ __device__
#define MPU_MINMAX(type)                                          \
  MPU_HD type min(type a, type b) { return b < a ? b : a; }       \
  MPU_HD type max(type a, type b) { return a < b ? b : a; }
MPU_MINMAX(int)
MPU_MINMAX(unsigned)
MPU_MINMAX(long)
MPU_MINMAX(unsigned long)
MPU_MINMAX(long long)
MPU_MINMAX(unsigned long long)
#undef MPU_MINMAX
MPU_HD float min(float a, float b) { return __builtin_fminf(a, b); }
MPU_HD float max(float a, float b) { return __builtin_fmaxf(a, b); }
MPU_HD double min(double a, double b) { return __builtin_fmin(a, b); }
MPU_HD double max(double a, double b) { return __builtin_fmax(a, b); }
MPU_HD double min(float a, double b) { return __builtin_fmin(a, b); }
MPU_HD double max(float a, double b) { return __builtin_fmax(a, b); }
MPU_HD double min(double a, float b) { return __builtin_fmin(a, b); }
MPU_HD double max(double a, float b) { return __builtin_fmax(a, b); }
MPU_HD unsigned min(int a, unsigned b) { return (unsigned)a < b ? (unsigned)a : b; }
MPU_HD unsigned min(unsigned a, int b) { return a < (unsigned)b ? a : (unsigned)b; }
MPU_HD unsigned max(int a, unsigned b) { return (unsigned)a > b ? (unsigned)a : b; }
MPU_HD unsigned max(unsigned a, int b) { return a > (unsigned)b ? a : (unsigned)b; }
#endif
