// SPDX-License-Identifier: Apache-2.0
// The functions of cuda_fp16.h and cuda_bf16.h, which include this with the names of their types:
// MPU_SMALL and MPU_PAIR, MPU_NAME and MPU_PAIR_NAME as they stand in the names of functions,
// MPU_EXPONENT and MPU_MANTISSA as in small_float.h. Arithmetic is that of float, rounded once
// more, which gives what one rounding would (24 bits are more than twice those of the result);
// fused multiplication and addition goes by way of double.

#define MPU_JOIN_(a, b, c, d) a##b##c##d
#define MPU_JOIN(a, b, c, d) MPU_JOIN_(a, b, c, d)
#define MPU_RAW MPU_JOIN(MPU_SMALL, _raw, , )
#define MPU_ROUNDED MPU_JOIN(mpu_, MPU_NAME, , )

struct MPU_SMALL;
MPU_HD float mpu_float(MPU_SMALL a);

struct __align__(2) MPU_RAW {
  unsigned short x;
};

struct __align__(2) MPU_SMALL {
  unsigned short x;
  MPU_SMALL() = default;
  __host__ __device__ MPU_SMALL(MPU_RAW r) : x(r.x) {}
  __host__ __device__ MPU_SMALL(float v) : x(mpu_small_of<MPU_EXPONENT, MPU_MANTISSA>(v)) {}
  __host__ __device__ MPU_SMALL(double v) : x(mpu_small_of<MPU_EXPONENT, MPU_MANTISSA>(v)) {}
  __host__ __device__ MPU_SMALL(short v) : x(mpu_small_of<MPU_EXPONENT, MPU_MANTISSA>((float)v)) {}
  __host__ __device__ MPU_SMALL(unsigned short v)
      : x(mpu_small_of<MPU_EXPONENT, MPU_MANTISSA>((float)v)) {}
  __host__ __device__ MPU_SMALL(int v) : x(mpu_small_of<MPU_EXPONENT, MPU_MANTISSA>((double)v)) {}
  __host__ __device__ MPU_SMALL(unsigned v)
      : x(mpu_small_of<MPU_EXPONENT, MPU_MANTISSA>((double)v)) {}
  __host__ __device__ MPU_SMALL(long v) : MPU_SMALL((long long)v) {}
  __host__ __device__ MPU_SMALL(unsigned long v) : MPU_SMALL((unsigned long long)v) {}
  __host__ __device__ MPU_SMALL(long long v)
      : x(mpu_small_of_int<MPU_EXPONENT, MPU_MANTISSA>(
            v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v, v < 0, MPU_RN)) {}
  __host__ __device__ MPU_SMALL(unsigned long long v)
      : x(mpu_small_of_int<MPU_EXPONENT, MPU_MANTISSA>(v, false, MPU_RN)) {}
  __host__ __device__ operator float() const {
    return mpu_small_float<MPU_EXPONENT, MPU_MANTISSA>(x);
  }
  __host__ __device__ operator MPU_RAW() const {
    return {x};
  }
  explicit __host__ __device__ operator bool() const {
    return x & 0x7fff;
  }
#define MPU_INTEGER(type)                              \
  explicit __host__ __device__ operator type() const { \
    return (type)(float)*this;                         \
  }
  MPU_INTEGER(signed char)
  MPU_INTEGER(unsigned char)
  MPU_INTEGER(short)
  MPU_INTEGER(unsigned short)
  MPU_INTEGER(int)
  MPU_INTEGER(unsigned)
  MPU_INTEGER(long)
  MPU_INTEGER(unsigned long)
  MPU_INTEGER(long long)
  MPU_INTEGER(unsigned long long)
#undef MPU_INTEGER
};

struct __align__(4) MPU_PAIR {
  MPU_SMALL x, y;
  MPU_PAIR() = default;
  __host__ __device__ MPU_PAIR(MPU_SMALL a, MPU_SMALL b) : x(a), y(b) {}
};

MPU_HD float mpu_float(MPU_SMALL a) {
  return mpu_small_float<MPU_EXPONENT, MPU_MANTISSA>(a.x);
}
// In the rounding of a mode.
template <class T>
MPU_HD MPU_SMALL MPU_ROUNDED(T v, mpu_rounding mode = MPU_RN) {
  MPU_SMALL h;
  h.x = mpu_small_of<MPU_EXPONENT, MPU_MANTISSA>(v, mode);
  return h;
}

// ---- conversions

#define MPU_FLOATS(suffix, mode)                                     \
  MPU_HD MPU_SMALL MPU_JOIN(__float2, MPU_NAME, suffix, )(float v) { \
    return MPU_ROUNDED(v, mode);                                     \
  }
MPU_FLOATS(, MPU_RN)
MPU_FLOATS(_rn, MPU_RN)
MPU_FLOATS(_rz, MPU_RZ)
MPU_FLOATS(_rd, MPU_RD)
MPU_FLOATS(_ru, MPU_RU)
#undef MPU_FLOATS
MPU_HD MPU_SMALL MPU_JOIN(__double2, MPU_NAME, , )(double v) {
  return MPU_ROUNDED(v);
}
MPU_HD float MPU_JOIN(__, MPU_NAME, 2float, )(MPU_SMALL a) {
  return mpu_float(a);
}

// From and to integers, in each mode. Numbers that are too large give the nearest integer, and what
// is none 0.
#define MPU_INTEGERS(name, type, suffix, mode)                                         \
  MPU_HD MPU_SMALL MPU_JOIN(__##name##2, MPU_NAME, suffix, )(type v) {                 \
    MPU_SMALL h;                                                                       \
    const bool negative = v < 0;                                                       \
    h.x = mpu_small_of_int<MPU_EXPONENT, MPU_MANTISSA>(                                \
        negative ? 0 - (unsigned long long)v : (unsigned long long)v, negative, mode); \
    return h;                                                                          \
  }                                                                                    \
  MPU_HD type MPU_JOIN(__, MPU_NAME, 2##name, suffix)(MPU_SMALL a) {                   \
    return mpu_integer<type>(mpu_float(a), mode);                                      \
  }
#define MPU_MODES(name, type)           \
  MPU_INTEGERS(name, type, _rn, MPU_RN) \
  MPU_INTEGERS(name, type, _rz, MPU_RZ) \
  MPU_INTEGERS(name, type, _rd, MPU_RD) \
  MPU_INTEGERS(name, type, _ru, MPU_RU)
MPU_MODES(int, int)
MPU_MODES(uint, unsigned)
MPU_MODES(short, short)
MPU_MODES(ushort, unsigned short)
MPU_MODES(ll, long long)
MPU_MODES(ull, unsigned long long)
#undef MPU_MODES
#undef MPU_INTEGERS

MPU_HD short MPU_JOIN(__, MPU_NAME, _as_short, )(MPU_SMALL a) {
  return (short)a.x;
}
MPU_HD unsigned short MPU_JOIN(__, MPU_NAME, _as_ushort, )(MPU_SMALL a) {
  return a.x;
}
MPU_HD MPU_SMALL MPU_JOIN(__short_as_, MPU_NAME, , )(short v) {
  MPU_SMALL h;
  h.x = (unsigned short)v;
  return h;
}
MPU_HD MPU_SMALL MPU_JOIN(__ushort_as_, MPU_NAME, , )(unsigned short v) {
  MPU_SMALL h;
  h.x = v;
  return h;
}

// ---- pairs

MPU_HD MPU_PAIR MPU_JOIN(make_, MPU_PAIR_NAME, , )(MPU_SMALL a, MPU_SMALL b) {
  return MPU_PAIR(a, b);
}
MPU_HD MPU_PAIR MPU_JOIN(__halves2, MPU_PAIR_NAME, , )(MPU_SMALL a, MPU_SMALL b) {
  return MPU_PAIR(a, b);
}
MPU_HD MPU_PAIR MPU_JOIN(__, MPU_NAME, 2, MPU_PAIR_NAME)(MPU_SMALL a) {
  return MPU_PAIR(a, a);
}
MPU_HD MPU_PAIR MPU_JOIN(__float2, MPU_PAIR_NAME, _rn, )(float v) {
  return MPU_PAIR(v, v);
}
MPU_HD MPU_PAIR MPU_JOIN(__floats2, MPU_PAIR_NAME, _rn, )(float a, float b) {
  return MPU_PAIR(a, b);
}
MPU_HD MPU_PAIR MPU_JOIN(__float22, MPU_PAIR_NAME, _rn, )(float2 v) {
  return MPU_PAIR(v.x, v.y);
}
MPU_HD float2 MPU_JOIN(__, MPU_PAIR_NAME, 2float2, )(MPU_PAIR a) {
  return make_float2(mpu_float(a.x), mpu_float(a.y));
}
MPU_HD MPU_SMALL MPU_JOIN(__low2, MPU_NAME, , )(MPU_PAIR a) {
  return a.x;
}
MPU_HD MPU_SMALL MPU_JOIN(__high2, MPU_NAME, , )(MPU_PAIR a) {
  return a.y;
}
MPU_HD float __low2float(MPU_PAIR a) {
  return mpu_float(a.x);
}
MPU_HD float __high2float(MPU_PAIR a) {
  return mpu_float(a.y);
}
MPU_HD MPU_PAIR MPU_JOIN(__low2, MPU_PAIR_NAME, , )(MPU_PAIR a) {
  return MPU_PAIR(a.x, a.x);
}
MPU_HD MPU_PAIR MPU_JOIN(__high2, MPU_PAIR_NAME, , )(MPU_PAIR a) {
  return MPU_PAIR(a.y, a.y);
}
MPU_HD MPU_PAIR MPU_JOIN(__lows2, MPU_PAIR_NAME, , )(MPU_PAIR a, MPU_PAIR b) {
  return MPU_PAIR(a.x, b.x);
}
MPU_HD MPU_PAIR MPU_JOIN(__highs2, MPU_PAIR_NAME, , )(MPU_PAIR a, MPU_PAIR b) {
  return MPU_PAIR(a.y, b.y);
}
MPU_HD MPU_PAIR __lowhigh2highlow(MPU_PAIR a) {
  return MPU_PAIR(a.y, a.x);
}

// ---- arithmetic

MPU_HD MPU_SMALL __hneg(MPU_SMALL a) {
  a.x ^= 0x8000;
  return a;
}
MPU_HD MPU_SMALL __habs(MPU_SMALL a) {
  a.x &= 0x7fff;
  return a;
}
MPU_HD bool __hisnan(MPU_SMALL a) {
  return (a.x & 0x7fff) > (((1 << MPU_EXPONENT) - 1) << MPU_MANTISSA);
}
MPU_HD int __hisinf(MPU_SMALL a) {
  return (a.x & 0x7fff) == (((1 << MPU_EXPONENT) - 1) << MPU_MANTISSA) ? (a.x & 0x8000 ? -1 : 1)
                                                                       : 0;
}
#define MPU_ARITHMETIC(name, op)                                       \
  MPU_HD MPU_SMALL name(MPU_SMALL a, MPU_SMALL b) {                    \
    return MPU_SMALL(mpu_float(a) op mpu_float(b));                    \
  }                                                                    \
  MPU_HD MPU_SMALL MPU_JOIN(name, _rn, , )(MPU_SMALL a, MPU_SMALL b) { \
    return name(a, b);                                                 \
  }
MPU_ARITHMETIC(__hadd, +)
MPU_ARITHMETIC(__hsub, -)
MPU_ARITHMETIC(__hmul, *)
MPU_ARITHMETIC(__hdiv, /)
#undef MPU_ARITHMETIC
MPU_HD MPU_SMALL __hfma(MPU_SMALL a, MPU_SMALL b, MPU_SMALL c) {
  return MPU_SMALL(mpu_sum_odd((double)mpu_float(a) * (double)mpu_float(b), (double)mpu_float(c)));
}
// Into 0 to 1; what is no number becomes 0.
MPU_HD MPU_SMALL mpu_saturated(MPU_SMALL a) {
  const float v = mpu_float(a);
  return v > 0 ? (v < 1 ? a : MPU_SMALL(1.0f)) : MPU_SMALL(0.0f);
}
MPU_HD MPU_SMALL __hadd_sat(MPU_SMALL a, MPU_SMALL b) {
  return mpu_saturated(__hadd(a, b));
}
MPU_HD MPU_SMALL __hsub_sat(MPU_SMALL a, MPU_SMALL b) {
  return mpu_saturated(__hsub(a, b));
}
MPU_HD MPU_SMALL __hmul_sat(MPU_SMALL a, MPU_SMALL b) {
  return mpu_saturated(__hmul(a, b));
}
MPU_HD MPU_SMALL __hfma_sat(MPU_SMALL a, MPU_SMALL b, MPU_SMALL c) {
  return mpu_saturated(__hfma(a, b, c));
}
MPU_HD MPU_SMALL __hfma_relu(MPU_SMALL a, MPU_SMALL b, MPU_SMALL c) {
  const MPU_SMALL r = __hfma(a, b, c);
  return __hisnan(r) || mpu_float(r) > 0 ? r : MPU_SMALL(0.0f);
}

// Of -0 and 0 the one with the sign that is asked for; of a number and what is none the number, but
// with _nan none.
MPU_HD MPU_SMALL __hmax(MPU_SMALL a, MPU_SMALL b) {
  if (__hisnan(a) || __hisnan(b))
    return __hisnan(a) ? (__hisnan(b) ? MPU_JOIN(__ushort_as_, MPU_NAME, , )(0x7fff) : b) : a;
  const float p = mpu_float(a), q = mpu_float(b);
  return p > q || (p == q && !(a.x & 0x8000)) ? a : b;
}
MPU_HD MPU_SMALL __hmin(MPU_SMALL a, MPU_SMALL b) {
  if (__hisnan(a) || __hisnan(b))
    return __hisnan(a) ? (__hisnan(b) ? MPU_JOIN(__ushort_as_, MPU_NAME, , )(0x7fff) : b) : a;
  const float p = mpu_float(a), q = mpu_float(b);
  return p < q || (p == q && (a.x & 0x8000)) ? a : b;
}
MPU_HD MPU_SMALL __hmax_nan(MPU_SMALL a, MPU_SMALL b) {
  return __hisnan(a) || __hisnan(b) ? MPU_JOIN(__ushort_as_, MPU_NAME, , )(0x7fff) : __hmax(a, b);
}
MPU_HD MPU_SMALL __hmin_nan(MPU_SMALL a, MPU_SMALL b) {
  return __hisnan(a) || __hisnan(b) ? MPU_JOIN(__ushort_as_, MPU_NAME, , )(0x7fff) : __hmin(a, b);
}

#define MPU_PAIR1(name)                    \
  MPU_HD MPU_PAIR name##2(MPU_PAIR a) {    \
    return MPU_PAIR(name(a.x), name(a.y)); \
  }
#define MPU_PAIR2(name, pair)                        \
  MPU_HD MPU_PAIR pair(MPU_PAIR a, MPU_PAIR b) {     \
    return MPU_PAIR(name(a.x, b.x), name(a.y, b.y)); \
  }
#define MPU_PAIR3(name, pair)                                  \
  MPU_HD MPU_PAIR pair(MPU_PAIR a, MPU_PAIR b, MPU_PAIR c) {   \
    return MPU_PAIR(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); \
  }
MPU_PAIR1(__hneg)
MPU_PAIR1(__habs)
MPU_PAIR2(__hadd, __hadd2)
MPU_PAIR2(__hsub, __hsub2)
MPU_PAIR2(__hmul, __hmul2)
MPU_PAIR2(__hdiv, __h2div)
MPU_PAIR2(__hadd_rn, __hadd2_rn)
MPU_PAIR2(__hsub_rn, __hsub2_rn)
MPU_PAIR2(__hmul_rn, __hmul2_rn)
MPU_PAIR2(__hadd_sat, __hadd2_sat)
MPU_PAIR2(__hsub_sat, __hsub2_sat)
MPU_PAIR2(__hmul_sat, __hmul2_sat)
MPU_PAIR2(__hmax, __hmax2)
MPU_PAIR2(__hmin, __hmin2)
MPU_PAIR2(__hmax_nan, __hmax2_nan)
MPU_PAIR2(__hmin_nan, __hmin2_nan)
MPU_PAIR3(__hfma, __hfma2)
MPU_PAIR3(__hfma_sat, __hfma2_sat)
MPU_PAIR3(__hfma_relu, __hfma2_relu)

// ---- comparisons: without u false, with u true, when one is no number

#define MPU_COMPARE(name, op)                                                      \
  MPU_HD bool __h##name(MPU_SMALL a, MPU_SMALL b) {                                \
    return mpu_float(a) op mpu_float(b) && !__hisnan(a) && !__hisnan(b);           \
  }                                                                                \
  MPU_HD bool __h##name##u(MPU_SMALL a, MPU_SMALL b) {                             \
    return mpu_float(a) op mpu_float(b) || __hisnan(a) || __hisnan(b);             \
  }                                                                                \
  MPU_HD MPU_PAIR __h##name##2(MPU_PAIR a, MPU_PAIR b) {                           \
    return MPU_PAIR((float)__h##name(a.x, b.x), (float)__h##name(a.y, b.y));       \
  }                                                                                \
  MPU_HD MPU_PAIR __h##name##u2(MPU_PAIR a, MPU_PAIR b) {                          \
    return MPU_PAIR((float)__h##name##u(a.x, b.x), (float)__h##name##u(a.y, b.y)); \
  }                                                                                \
  MPU_HD bool __hb##name##2(MPU_PAIR a, MPU_PAIR b) {                              \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                             \
  }                                                                                \
  MPU_HD bool __hb##name##u2(MPU_PAIR a, MPU_PAIR b) {                             \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                       \
  }
MPU_COMPARE(eq, ==)
MPU_COMPARE(ne, !=)
MPU_COMPARE(lt, <)
MPU_COMPARE(le, <=)
MPU_COMPARE(gt, >)
MPU_COMPARE(ge, >=)
#undef MPU_COMPARE

// ---- operators

#define MPU_OPERATOR(op, name, pair)                            \
  MPU_HD MPU_SMALL operator op(MPU_SMALL a, MPU_SMALL b) {      \
    return name(a, b);                                          \
  }                                                             \
  MPU_HD MPU_SMALL &operator op##=(MPU_SMALL &a, MPU_SMALL b) { \
    return a = name(a, b);                                      \
  }                                                             \
  MPU_HD MPU_PAIR operator op(MPU_PAIR a, MPU_PAIR b) {         \
    return pair(a, b);                                          \
  }                                                             \
  MPU_HD MPU_PAIR &operator op##=(MPU_PAIR &a, MPU_PAIR b) {    \
    return a = pair(a, b);                                      \
  }
MPU_OPERATOR(+, __hadd, __hadd2)
MPU_OPERATOR(-, __hsub, __hsub2)
MPU_OPERATOR(*, __hmul, __hmul2)
MPU_OPERATOR(/, __hdiv, __h2div)
#undef MPU_OPERATOR
MPU_HD MPU_SMALL operator+(MPU_SMALL a) {
  return a;
}
MPU_HD MPU_SMALL operator-(MPU_SMALL a) {
  return __hneg(a);
}
MPU_HD MPU_PAIR operator-(MPU_PAIR a) {
  return __hneg2(a);
}
MPU_HD MPU_SMALL &operator++(MPU_SMALL &a) {
  return a = __hadd(a, MPU_SMALL(1.0f));
}
MPU_HD MPU_SMALL &operator--(MPU_SMALL &a) {
  return a = __hsub(a, MPU_SMALL(1.0f));
}
MPU_HD MPU_SMALL operator++(MPU_SMALL &a, int) {
  const MPU_SMALL was = a;
  ++a;
  return was;
}
MPU_HD MPU_SMALL operator--(MPU_SMALL &a, int) {
  const MPU_SMALL was = a;
  --a;
  return was;
}
#define MPU_COMPARE(op, name)                         \
  MPU_HD bool operator op(MPU_SMALL a, MPU_SMALL b) { \
    return name(a, b);                                \
  }                                                   \
  MPU_HD bool operator op(MPU_PAIR a, MPU_PAIR b) {   \
    return name(a.x, b.x) && name(a.y, b.y);          \
  }
MPU_COMPARE(==, __heq)
MPU_COMPARE(!=, __hneu)
MPU_COMPARE(<, __hlt)
MPU_COMPARE(<=, __hle)
MPU_COMPARE(>, __hgt)
MPU_COMPARE(>=, __hge)
#undef MPU_COMPARE

// ---- functions, by those of float

#define MPU_FUNCTION(name, expression)           \
  MPU_D MPU_SMALL h##name(MPU_SMALL a) {         \
    const float v = mpu_float(a);                \
    return MPU_SMALL(expression);                \
  }                                              \
  MPU_D MPU_PAIR h2##name(MPU_PAIR a) {          \
    return MPU_PAIR(h##name(a.x), h##name(a.y)); \
  }
MPU_FUNCTION(sqrt, sqrtf(v))
MPU_FUNCTION(rsqrt, rsqrtf(v))
MPU_FUNCTION(rcp, 1.0f / v)
MPU_FUNCTION(exp, expf(v))
MPU_FUNCTION(exp2, exp2f(v))
MPU_FUNCTION(exp10, exp10f(v))
MPU_FUNCTION(log, logf(v))
MPU_FUNCTION(log2, log2f(v))
MPU_FUNCTION(log10, log10f(v))
MPU_FUNCTION(sin, sinf(v))
MPU_FUNCTION(cos, cosf(v))
MPU_FUNCTION(ceil, ceilf(v))
MPU_FUNCTION(floor, floorf(v))
MPU_FUNCTION(trunc, truncf(v))
MPU_FUNCTION(rint, rintf(v))
#undef MPU_FUNCTION

// ---- memory and warps

MPU_D MPU_SMALL __ldg(const MPU_SMALL *p) {
  return *p;
}
MPU_D MPU_PAIR __ldg(const MPU_PAIR *p) {
  return *p;
}
#define MPU_SHUFFLE(name, type)                                                            \
  MPU_D MPU_SMALL name(unsigned mask, MPU_SMALL v, type b, int width = 32) {               \
    v.x = (unsigned short)name(mask, (unsigned)v.x, (int)b, width);                        \
    return v;                                                                              \
  }                                                                                        \
  MPU_D MPU_PAIR name(unsigned mask, MPU_PAIR v, type b, int width = 32) {                 \
    return __builtin_bit_cast(MPU_PAIR,                                                    \
                              name(mask, __builtin_bit_cast(unsigned, v), (int)b, width)); \
  }
MPU_SHUFFLE(__shfl_sync, int)
MPU_SHUFFLE(__shfl_up_sync, unsigned)
MPU_SHUFFLE(__shfl_down_sync, unsigned)
MPU_SHUFFLE(__shfl_xor_sync, int)
#undef MPU_SHUFFLE
MPU_D MPU_SMALL atomicAdd(MPU_SMALL *p, MPU_SMALL v) {
  MPU_SMALL old;
  for (old.x = *(volatile unsigned short *)&p->x;;) {
    const unsigned short seen = atomicCAS(&p->x, old.x, __hadd(old, v).x);
    if (seen == old.x)
      return old;
    old.x = seen;
  }
}
// Each of the two by itself.
MPU_D MPU_PAIR atomicAdd(MPU_PAIR *p, MPU_PAIR v) {
  const MPU_SMALL a = atomicAdd(&p->x, v.x);
  return MPU_PAIR(a, atomicAdd(&p->y, v.y));
}

#undef MPU_PAIR1
#undef MPU_PAIR2
#undef MPU_PAIR3
#undef MPU_RAW
#undef MPU_ROUNDED
#undef MPU_JOIN
#undef MPU_JOIN_
#undef MPU_SMALL
#undef MPU_PAIR
#undef MPU_NAME
#undef MPU_PAIR_NAME
#undef MPU_EXPONENT
#undef MPU_MANTISSA
