// SPDX-License-Identifier: Apache-2.0
// Mathematics on the device, under the names of <math.h>. What the machine has is one instruction;
// the rest comes from libclc's OpenCL functions (bitcode, linked by the front end) or is built of
// those. docs/cuda.md has the measured errors. Needs the declarations that clang wants to see
// before <cmath>, so cuda_runtime.h includes it.
#ifndef NEARBANK_DEVICE_MATH_H
#define NEARBANK_DEVICE_MATH_H
#define MPU_HD static __inline__ __attribute__((always_inline, unused)) __host__ __device__
#define MPU_H static __inline__ __attribute__((always_inline, unused)) __host__

// ---- instructions
#define MPU_B1(name, builtin)    \
  MPU_D float name##f(float v) { \
    return builtin##f(v);        \
  }                              \
  MPU_D double name(double v) {  \
    return builtin(v);           \
  }                              \
  MPU_D float name(float v) {    \
    return builtin##f(v);        \
  }
MPU_B1(sqrt, __builtin_sqrt)
MPU_B1(fabs, __builtin_fabs)
MPU_B1(floor, __builtin_floor)
MPU_B1(ceil, __builtin_ceil)
MPU_B1(trunc, __builtin_trunc)
MPU_B1(rint, __builtin_rint)
MPU_B1(nearbyint, __builtin_nearbyint)
#undef MPU_B1
#define MPU_B2(name, builtin)             \
  MPU_D float name##f(float a, float b) { \
    return builtin##f(a, b);              \
  }                                       \
  MPU_D double name(double a, double b) { \
    return builtin(a, b);                 \
  }                                       \
  MPU_D float name(float a, float b) {    \
    return builtin##f(a, b);              \
  }
MPU_B2(fmin, __builtin_fmin)
MPU_B2(fmax, __builtin_fmax)
MPU_B2(copysign, __builtin_copysign)
#undef MPU_B2
MPU_D float fmaf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
MPU_D double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
MPU_D float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
MPU_D float rsqrtf(float v) {
  float r;
  __asm__("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
MPU_D double rsqrt(double v) {
  return 1.0 / __builtin_sqrt(v);
}
MPU_D float rsqrt(float v) {
  return rsqrtf(v);
}
MPU_D float fdividef(float a, float b) {
  return a / b;
}
MPU_D float fdimf(float a, float b) {
  return a != a || b != b ? a + b : a > b ? a - b : 0.0f;
}
MPU_D double fdim(double a, double b) {
  return a != a || b != b ? a + b : a > b ? a - b : 0.0;
}
MPU_D float fdim(float a, float b) {
  return fdimf(a, b);
}
MPU_D float saturate(float v) {
  return __saturatef(v);
}
MPU_D float roundf(float v) {
  float t = __builtin_truncf(v);
  float away = __builtin_fabsf(v - t) >= 0.5f ? t + __builtin_copysignf(1.0f, v) : t;
  return __builtin_copysignf(away, v);
}
MPU_D double round(double v) {
  double t = __builtin_trunc(v);
  double away = __builtin_fabs(v - t) >= 0.5 ? t + __builtin_copysign(1.0, v) : t;
  return __builtin_copysign(away, v);
}
MPU_D float round(float v) {
  return roundf(v);
}
MPU_D int abs(int v) {
  return v < 0 ? -v : v;
}
MPU_D long labs(long v) {
  return v < 0 ? -v : v;
}
MPU_D long long llabs(long long v) {
  return v < 0 ? -v : v;
}
MPU_D long abs(long v) {
  return v < 0 ? -v : v;
}
MPU_D long long abs(long long v) {
  return v < 0 ? -v : v;
}
MPU_D float abs(float v) {
  return __builtin_fabsf(v);
}
MPU_D double abs(double v) {
  return __builtin_fabs(v);
}
#define MPU_TO_INTEGER(type, suffix)   \
  MPU_D type suffix##rintf(float v) {  \
    return (type)__float2ll_rn(v);     \
  }                                    \
  MPU_D type suffix##rint(double v) {  \
    return (type)__double2ll_rn(v);    \
  }                                    \
  MPU_D type suffix##rint(float v) {   \
    return (type)__float2ll_rn(v);     \
  }                                    \
  MPU_D type suffix##roundf(float v) { \
    return (type)roundf(v);            \
  }                                    \
  MPU_D type suffix##round(double v) { \
    return (type)round(v);             \
  }                                    \
  MPU_D type suffix##round(float v) {  \
    return (type)roundf(v);            \
  }
MPU_TO_INTEGER(long, l)
MPU_TO_INTEGER(long long, ll)
#undef MPU_TO_INTEGER

// ---- classes of numbers
#undef fpclassify
#undef isfinite
#undef isgreater
#undef isgreaterequal
#undef isinf
#undef isless
#undef islessequal
#undef islessgreater
#undef isnan
#undef isnormal
#undef isunordered
#undef signbit
#define MPU_CLASS(type)                                                                    \
  MPU_D int __isnan(type v) {                                                              \
    return v != v;                                                                         \
  }                                                                                        \
  MPU_D int __isinf(type v) {                                                              \
    return __builtin_isinf(v);                                                             \
  }                                                                                        \
  MPU_D int __finite(type v) {                                                             \
    return __builtin_isfinite(v);                                                          \
  }                                                                                        \
  MPU_D int __signbit(type v) {                                                            \
    return __builtin_signbit(v);                                                           \
  }                                                                                        \
  MPU_D bool isnan(type v) {                                                               \
    return v != v;                                                                         \
  }                                                                                        \
  MPU_D bool isinf(type v) {                                                               \
    return __builtin_isinf(v);                                                             \
  }                                                                                        \
  MPU_D bool isfinite(type v) {                                                            \
    return __builtin_isfinite(v);                                                          \
  }                                                                                        \
  MPU_D bool isnormal(type v) {                                                            \
    return __builtin_isnormal(v);                                                          \
  }                                                                                        \
  MPU_D bool signbit(type v) {                                                             \
    return __builtin_signbit(v);                                                           \
  }                                                                                        \
  MPU_D bool isgreater(type a, type b) {                                                   \
    return __builtin_isgreater(a, b);                                                      \
  }                                                                                        \
  MPU_D bool isgreaterequal(type a, type b) {                                              \
    return __builtin_isgreaterequal(a, b);                                                 \
  }                                                                                        \
  MPU_D bool isless(type a, type b) {                                                      \
    return __builtin_isless(a, b);                                                         \
  }                                                                                        \
  MPU_D bool islessequal(type a, type b) {                                                 \
    return __builtin_islessequal(a, b);                                                    \
  }                                                                                        \
  MPU_D bool islessgreater(type a, type b) {                                               \
    return __builtin_islessgreater(a, b);                                                  \
  }                                                                                        \
  MPU_D bool isunordered(type a, type b) {                                                 \
    return __builtin_isunordered(a, b);                                                    \
  }                                                                                        \
  MPU_D int fpclassify(type v) {                                                           \
    return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, v); \
  }
MPU_CLASS(float)
MPU_CLASS(double)
#undef MPU_CLASS
MPU_D float nanf(const char *) {
  return __builtin_nanf("");
}
MPU_D double nan(const char *) {
  return __builtin_nan("");
}

// ---- libclc: OpenCL's functions under their mangled names
#define MPU_F1(name, length)                                \
  extern "C" __device__ float _Z##length##name##f(float);   \
  extern "C" __device__ double _Z##length##name##d(double); \
  MPU_D float name##f(float v) {                            \
    return _Z##length##name##f(v);                          \
  }                                                         \
  MPU_D double name(double v) {                             \
    return _Z##length##name##d(v);                          \
  }                                                         \
  MPU_D float name(float v) {                               \
    return _Z##length##name##f(v);                          \
  }
MPU_F1(exp, 3)
MPU_F1(exp2, 4)
MPU_F1(expm1, 5)
MPU_F1(log, 3)
MPU_F1(log2, 4)
MPU_F1(log10, 5)
MPU_F1(log1p, 5)
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
MPU_F1(logb, 4)
MPU_F1(sinpi, 5)
MPU_F1(cospi, 5)
MPU_F1(exp10, 5)
#undef MPU_F1
#include "device_reduce.h"
#define MPU_FLOAT(name)                            \
  extern "C" __device__ float _Z3##name##f(float); \
  MPU_D float name##f(float v) {                   \
    return _Z3##name##f(v);                        \
  }                                                \
  MPU_D float name(float v) {                      \
    return _Z3##name##f(v);                        \
  }
MPU_FLOAT(sin)
MPU_FLOAT(cos)
MPU_FLOAT(tan)
#undef MPU_FLOAT
#define MPU_F2(name, length)                                         \
  extern "C" __device__ float _Z##length##name##ff(float, float);    \
  extern "C" __device__ double _Z##length##name##dd(double, double); \
  MPU_D float name##f(float a, float b) {                            \
    return _Z##length##name##ff(a, b);                               \
  }                                                                  \
  MPU_D double name(double a, double b) {                            \
    return _Z##length##name##dd(a, b);                               \
  }                                                                  \
  MPU_D float name(float a, float b) {                               \
    return _Z##length##name##ff(a, b);                               \
  }
MPU_F2(pow, 3)
MPU_F2(atan2, 5)
MPU_F2(hypot, 5)
MPU_F2(nextafter, 9)
#undef MPU_F2
#include "device_remainder.h"
extern "C" __device__ double _Z5ldexpdi(double, int);
extern "C" __device__ int _Z5ilogbf(float);
extern "C" __device__ int _Z5ilogbd(double);
extern "C" __device__ float _Z5frexpfPi(float, int *);
extern "C" __device__ double _Z5frexpdPi(double, int *);
// A double holds the product of any float and these powers, and is rounded once.
MPU_D float mpu_scale(float v, long n) {
  const long long power = n > 300 ? 300 : n < -300 ? -300 : n;
  return (float)(v * __builtin_bit_cast(double, (power + 1023) << 52));
}
MPU_D double mpu_scale(double v, long n) {
  return v != v ? v : _Z5ldexpdi(v, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n);
}
#define MPU_SCALE(name, count)            \
  MPU_D float name##f(float v, count n) { \
    return mpu_scale(v, n);               \
  }                                       \
  MPU_D double name(double v, count n) {  \
    return mpu_scale(v, n);               \
  }                                       \
  MPU_D float name(float v, count n) {    \
    return mpu_scale(v, n);               \
  }
MPU_SCALE(ldexp, int)
MPU_SCALE(scalbn, int)
MPU_SCALE(scalbln, long)
#undef MPU_SCALE
// Of a NaN the smallest integer.
MPU_D int ilogbf(float v) {
  return v != v ? -2147483647 - 1 : _Z5ilogbf(v);
}
MPU_D int ilogb(double v) {
  return v != v ? -2147483647 - 1 : _Z5ilogbd(v);
}
MPU_D int ilogb(float v) {
  return ilogbf(v);
}
MPU_D float frexpf(float v, int *n) {
  return _Z5frexpfPi(v, n);
}
MPU_D double frexp(double v, int *n) {
  return _Z5frexpdPi(v, n);
}
MPU_D float frexp(float v, int *n) {
  return _Z5frexpfPi(v, n);
}
MPU_D float powif(float a, int b) {
  return powf(a, (float)b);
}
MPU_D double powi(double a, int b) {
  return pow(a, (double)b);
}
MPU_D float pow(float a, int b) {
  return powf(a, (float)b);
}
MPU_D double pow(double a, int b) {
  return pow(a, (double)b);
}
MPU_D float modff(float v, float *whole) {
  *whole = __builtin_truncf(v);
  return __builtin_copysignf(__builtin_isinf(v) ? 0.0f : v - *whole, v);
}
MPU_D double modf(double v, double *whole) {
  *whole = __builtin_trunc(v);
  return __builtin_copysign(__builtin_isinf(v) ? 0.0 : v - *whole, v);
}
MPU_D float modf(float v, float *whole) {
  return modff(v, whole);
}

// libclc's float erfc loses digits of small results; its gammas miss some special values.
extern "C" __device__ double _Z4erfcd(double);
extern "C" __device__ double _Z6lgammad(double);
extern "C" __device__ double _Z6tgammad(double);
MPU_D double erfc(double v) {
  return _Z4erfcd(v);
}
MPU_D float erfcf(float v) {
  return (float)_Z4erfcd((double)v);
}
MPU_D float erfc(float v) {
  return erfcf(v);
}
MPU_D float lgammaf(float v) {
  return __builtin_isinf(v) ? __builtin_inff() : (float)_Z6lgammad((double)v);
}
MPU_D double lgamma(double v) {
  return __builtin_isinf(v) ? __builtin_inf() : _Z6lgammad(v);
}
MPU_D float lgamma(float v) {
  return lgammaf(v);
}
MPU_D double tgamma(double v) {
  if (v == 0.0)
    return __builtin_copysign(__builtin_inf(), v);
  return v < 0.0 && v == __builtin_trunc(v) ? __builtin_nan("") : _Z6tgammad(v);
}
MPU_D float tgammaf(float v) {
  return (float)tgamma((double)v);
}
MPU_D float tgamma(float v) {
  return tgammaf(v);
}

// ---- built of the above
MPU_D void sincosf(float v, float *s, float *c) {
  *s = sinf(v);
  *c = cosf(v);
}
MPU_D void sincos(double v, double *s, double *c) {
  *s = sin(v);
  *c = cos(v);
}
MPU_D void sincospif(float v, float *s, float *c) {
  *s = sinpif(v);
  *c = cospif(v);
}
MPU_D void sincospi(double v, double *s, double *c) {
  *s = sinpi(v);
  *c = cospi(v);
}
MPU_D float rcbrtf(float v) {
  return (float)(1.0 / cbrt((double)v));
}
MPU_D double rcbrt(double v) {
  return 1.0 / cbrt(v);
}
MPU_D float rhypotf(float a, float b) {
  return 1.0f / hypotf(a, b);
}
MPU_D double rhypot(double a, double b) {
  return 1.0 / hypot(a, b);
}
MPU_D double norm3d(double a, double b, double c) {
  return hypot(hypot(a, b), c);
}
MPU_D double norm4d(double a, double b, double c, double d) {
  return hypot(hypot(a, b), hypot(c, d));
}
MPU_D float norm3df(float a, float b, float c) {
  return hypotf(hypotf(a, b), c);
}
MPU_D float norm4df(float a, float b, float c, float d) {
  return hypotf(hypotf(a, b), hypotf(c, d));
}
MPU_D float rnorm3df(float a, float b, float c) {
  return 1.0f / norm3df(a, b, c);
}
MPU_D double rnorm3d(double a, double b, double c) {
  return 1.0 / norm3d(a, b, c);
}
MPU_D float normcdff(float v) {
  return 0.5f * erfcf(v * -0.707106781f);
}
MPU_D double normcdf(double v) {
  return 0.5 * erfc(v * -0.7071067811865476);
}
// Inverse of erfc: a guess good to 2 digits, then Halley's method on erfc itself.
MPU_D double erfcinv(double y) {
  if (!(y > 0.0 && y < 2.0))
    return y == 0.0 ? __builtin_inf() : y == 2.0 ? -__builtin_inf() : __builtin_nan("");
  double p = y < 1.0 ? y : 2.0 - y;
  double l = log(p * (2.0 - p)), t = 4.330746750799873 + 0.5 * l;  // 2 / (pi 0.147)
  double x = __builtin_sqrt(__builtin_sqrt(t * t - l * 6.802721088435374) - t);
  for (int n = 0; n < 3; n++) {
    double error = (erfc(x) - p) / (1.1283791670955126 * exp(-x * x));
    x += error / (1.0 + x * error);
  }
  return y < 1.0 ? x : -x;
}
MPU_D double erfinv(double y) {
  if (__builtin_fabs(y) > 0.5)
    return erfcinv(1.0 - y);
  double l = log1p(-y * y), t = 4.330746750799873 + 0.5 * l;
  double x = __builtin_copysign(
      __builtin_sqrt(__builtin_fmax(__builtin_sqrt(t * t - l * 6.802721088435374) - t, 0.0)), y);
  for (int n = 0; n < 3; n++) {
    double error = (erf(x) - y) / (1.1283791670955126 * exp(-x * x));
    x -= error / (1.0 + x * error);
  }
  return x;
}
MPU_D double normcdfinv(double y) {
  return -1.4142135623730951 * erfcinv(2.0 * y);
}
MPU_D float erfinvf(float y) {
  return (float)erfinv((double)y);
}
MPU_D float erfcinvf(float y) {
  return (float)erfcinv((double)y);
}
MPU_D float normcdfinvf(float y) {
  return (float)normcdfinv((double)y);
}

// ---- integers as arguments, and floats mixed with doubles: computed as doubles, as in C++
template <bool yes, class T>
struct mpu_if {};
template <class T>
struct mpu_if<true, T> {
  typedef T type;
};
#define MPU_I1(name)                                                \
  template <class T>                                                \
  MPU_D typename mpu_if<__is_integral(T), double>::type name(T v) { \
    return name((double)v);                                         \
  }
#define MPU_I2(name)                                                      \
  template <class T, class U>                                             \
  MPU_D typename mpu_if<__is_arithmetic(T) && __is_arithmetic(U) &&       \
                            !(__is_same(T, U) && __is_floating_point(T)), \
                        double>::type                                     \
  name(T a, U b) {                                                        \
    return name((double)a, (double)b);                                    \
  }
// clang-format off
#define MPU_EACH1(X)                                                                             \
  X(acos)                                                                                        \
  X(acosh)                                                                                       \
  X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) \
      X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint)  \
          X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
// clang-format on
// clang-format off
#define MPU_EACH2(X) \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
// clang-format on
MPU_EACH1(MPU_I1)
MPU_EACH2(MPU_I2)
MPU_I1(rsqrt)
#define MPU_STD(name) using ::name;
namespace std {
MPU_EACH1(MPU_STD)
MPU_EACH2(MPU_STD)
}  // namespace std
#undef MPU_STD
#undef MPU_EACH2
#undef MPU_EACH1
#undef MPU_I2
#undef MPU_I1

// ---- on the host: what CUDA has and the C library has not
MPU_H float rsqrtf(float v) {
  return 1.0f / __builtin_sqrtf(v);
}
MPU_H double rsqrt(double v) {
  return 1.0 / __builtin_sqrt(v);
}
MPU_H float rcbrtf(float v) {
  return (float)(1.0 / ::cbrt((double)v));
}
MPU_H double rcbrt(double v) {
  return 1.0 / ::cbrt(v);
}
MPU_H float normcdff(float v) {
  return (float)(0.5 * ::erfc((double)v * -0.7071067811865476));
}
MPU_H double normcdf(double v) {
  return 0.5 * ::erfc(v * -0.7071067811865476);
}

// ---- min and max of every type, on both sides
#define MPU_MINMAX(type)            \
  MPU_HD type min(type a, type b) { \
    return b < a ? b : a;           \
  }                                 \
  MPU_HD type max(type a, type b) { \
    return a < b ? b : a;           \
  }
MPU_MINMAX(int)
MPU_MINMAX(unsigned)
MPU_MINMAX(long)
MPU_MINMAX(unsigned long)
MPU_MINMAX(long long)
MPU_MINMAX(unsigned long long)
#undef MPU_MINMAX
#define MPU_MIXED(small, large)        \
  MPU_HD large min(small a, large b) { \
    return min((large)a, b);           \
  }                                    \
  MPU_HD large min(large a, small b) { \
    return min(a, (large)b);           \
  }                                    \
  MPU_HD large max(small a, large b) { \
    return max((large)a, b);           \
  }                                    \
  MPU_HD large max(large a, small b) { \
    return max(a, (large)b);           \
  }
MPU_MIXED(int, unsigned)
MPU_MIXED(long, unsigned long)
MPU_MIXED(long long, unsigned long long)
#undef MPU_MIXED
MPU_HD float min(float a, float b) {
  return __builtin_fminf(a, b);
}
MPU_HD float max(float a, float b) {
  return __builtin_fmaxf(a, b);
}
MPU_HD double min(double a, double b) {
  return __builtin_fmin(a, b);
}
MPU_HD double max(double a, double b) {
  return __builtin_fmax(a, b);
}
MPU_HD double min(float a, double b) {
  return __builtin_fmin(a, b);
}
MPU_HD double max(float a, double b) {
  return __builtin_fmax(a, b);
}
MPU_HD double min(double a, float b) {
  return __builtin_fmin(a, b);
}
MPU_HD double max(double a, float b) {
  return __builtin_fmax(a, b);
}
MPU_HD unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
MPU_HD unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
MPU_HD long long llmin(long long a, long long b) {
  return min(a, b);
}
MPU_HD long long llmax(long long a, long long b) {
  return max(a, b);
}
MPU_HD unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
MPU_HD unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
#endif
