// SPDX-License-Identifier: Apache-2.0
// What CUDA gives a kernel, for a C++ compiler and the grid of grid.h. Written from CUDA's
// documentation and PTX's, not from the device's headers, which are what is tested.
#ifndef NEARBANK_TB_RANDOM_EMULATE_H
#define NEARBANK_TB_RANDOM_EMULATE_H
#include <fenv.h>
#include <math.h>
#include "grid.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static
#define __constant__ static const
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define EMULATED 1
#define DYNAMIC_SHARED(name) alignas(16) static unsigned char name[16384]

// ---- who a thread is
extern "C" {
grid_place place;
const grid_calls *calls;
}
struct emulated_index {
  unsigned x, y, z;
};
#define INDEX(which) (emulated_index{place.which[0], place.which[1], place.which[2]})
#define threadIdx INDEX(thread)
#define blockIdx INDEX(block)
#define blockDim INDEX(threads)
#define gridDim INDEX(blocks)
#define warpSize 32
#define D static inline
D unsigned lane_of_thread() {
  return place.linear % GRID_WARP;
}

// ---- vectors
#define VECTORS(type, name)                                          \
  struct alignas(sizeof(type)) name##1 {                             \
    type x;                                                          \
  };                                                                 \
  struct alignas(2 * sizeof(type)) name##2 {                         \
    type x, y;                                                       \
  };                                                                 \
  struct name##3 {                                                   \
    type x, y, z;                                                    \
  };                                                                 \
  struct alignas(sizeof(type) > 4 ? 16 : 4 * sizeof(type)) name##4 { \
    type x, y, z, w;                                                 \
  };                                                                 \
  D name##2 make_##name##2(type x, type y) {                         \
    return {x, y};                                                   \
  }                                                                  \
  D name##3 make_##name##3(type x, type y, type z) {                 \
    return {x, y, z};                                                \
  }                                                                  \
  D name##4 make_##name##4(type x, type y, type z, type w) {         \
    return {x, y, z, w};                                             \
  }
VECTORS(signed char, char)
VECTORS(unsigned char, uchar)
VECTORS(short, short)
VECTORS(unsigned short, ushort)
VECTORS(int, int)
VECTORS(unsigned, uint)
VECTORS(long long, longlong)
VECTORS(unsigned long long, ulonglong)
VECTORS(float, float)
VECTORS(double, double)

// ---- barriers
D void __syncthreads() {
  unsigned alive;
  calls->barrier(0, &alive);
}
D int __syncthreads_count(int p) {
  unsigned alive;
  return (int)calls->barrier(p, &alive);
}
D int __syncthreads_and(int p) {
  unsigned alive;
  return calls->barrier(p, &alive) == alive;
}
D int __syncthreads_or(int p) {
  unsigned alive;
  return calls->barrier(p, &alive) != 0;
}
D void __threadfence() {}
D void __threadfence_block() {}

// ---- warps
template <class T>
D unsigned long long bits_of(T v) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T>
D T of_bits(unsigned long long bits) {
  T v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
// Who takes part, and what each of them has.
struct exchanged {
  uint64_t values[GRID_WARP];
  unsigned lanes, own;
  template <class T>
  exchanged(unsigned mask, T v) {
    own = lane_of_thread();
    lanes = calls->exchange(mask, bits_of(v), values);
  }
};
D void __syncwarp(unsigned mask = ~0u) {
  exchanged all(mask, 0);
}
D unsigned __ballot_sync(unsigned mask, int p) {
  exchanged all(mask, p);
  unsigned votes = 0;
  for (unsigned n = 0; n < GRID_WARP; n++)
    votes |= (all.lanes >> n & 1 && (int)all.values[n] ? 1u : 0u) << n;
  return votes;
}
D int __any_sync(unsigned mask, int p) {
  return __ballot_sync(mask, p) != 0;
}
D int __all_sync(unsigned mask, int p) {
  return __ballot_sync(mask, !p) == 0;
}
template <class T>
D T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
  exchanged all(mask, v);
  const unsigned w = (unsigned)width;
  return of_bits<T>(all.values[(all.own & ~(w - 1)) | ((unsigned)lane & (w - 1))]);
}
template <class T>
D T __shfl_up_sync(unsigned mask, T v, unsigned n, int width = 32) {
  exchanged all(mask, v);
  return (all.own & ((unsigned)width - 1)) < n ? v : of_bits<T>(all.values[all.own - n]);
}
template <class T>
D T __shfl_down_sync(unsigned mask, T v, unsigned n, int width = 32) {
  exchanged all(mask, v);
  const unsigned w = (unsigned)width;
  return (all.own & (w - 1)) + n >= w ? v : of_bits<T>(all.values[all.own + n]);
}
template <class T>
D T __shfl_xor_sync(unsigned mask, T v, int n) {
  exchanged all(mask, v);
  return of_bits<T>(all.values[all.own ^ (unsigned)n]);
}
template <class T>
D unsigned __match_any_sync(unsigned mask, T v) {
  exchanged all(mask, v);
  unsigned same = 0;
  for (unsigned n = 0; n < GRID_WARP; n++)
    same |= (all.lanes >> n & 1 && all.values[n] == bits_of(v) ? 1u : 0u) << n;
  return same;
}
template <class T>
D unsigned __match_all_sync(unsigned mask, T v, int *is) {
  exchanged all(mask, v);
  *is = 1;
  for (unsigned n = 0; n < GRID_WARP; n++)
    if (all.lanes >> n & 1 && all.values[n] != all.values[__builtin_ctz(all.lanes)])
      *is = 0;
  return *is ? all.lanes : 0;
}
#define REDUCE(name, type, expression)                   \
  D type __reduce_##name##_sync(unsigned mask, type v) { \
    exchanged all(mask, v);                              \
    bool first = true;                                   \
    type a = 0;                                          \
    for (unsigned n = 0; n < GRID_WARP; n++)             \
      if (all.lanes >> n & 1) {                          \
        const type b = (type)all.values[n];              \
        a = first ? b : (type)(expression);              \
        first = false;                                   \
      }                                                  \
    return a;                                            \
  }
REDUCE(add, unsigned, a + b)
REDUCE(add, int, (unsigned)a + (unsigned)b)
REDUCE(min, unsigned, a < b ? a : b)
REDUCE(min, int, a < b ? a : b)
REDUCE(max, unsigned, a > b ? a : b)
REDUCE(max, int, a > b ? a : b)
REDUCE(and, unsigned, a &b)
REDUCE(or, unsigned, a | b)
REDUCE(xor, unsigned, a ^ b)

// ---- atomics: one thread runs at a time
#define ATOMIC(name, expression) \
  template <class T>             \
  D T name(T *p, T v) {          \
    const T old = *p;            \
    *p = (T)(expression);        \
    return old;                  \
  }
ATOMIC(atomicMin, v < old ? v : old)
ATOMIC(atomicMax, v > old ? v : old)
ATOMIC(atomicAnd, old &v)
ATOMIC(atomicOr, old | v)
ATOMIC(atomicXor, old ^ v)
ATOMIC(atomicExch, v)
ATOMIC(atomicInc, old >= v ? 0 : old + 1)
ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
#define ATOMIC_ADD(type, unsigned_type)                 \
  D type atomicAdd(type *p, type v) {                   \
    const type old = *p;                                \
    *p = (type)((unsigned_type)old + (unsigned_type)v); \
    return old;                                         \
  }
ATOMIC_ADD(int, unsigned)
ATOMIC_ADD(unsigned, unsigned)
ATOMIC_ADD(unsigned long long, unsigned long long)
ATOMIC_ADD(float, float)
ATOMIC_ADD(double, double)
template <class T>
D T atomicSub(T *p, T v) {
  return atomicAdd(p, (T)(0u - (unsigned)v));
}
template <class T>
D T atomicCAS(T *p, T want, T now) {
  const T old = *p;
  if (old == want)
    *p = now;
  return old;
}

// ---- bits, one at a time
D int __popcll(unsigned long long v) {
  int n = 0;
  for (; v; v >>= 1)
    n += (int)(v & 1);
  return n;
}
D int __popc(unsigned v) {
  return __popcll(v);
}
D int __clzll(long long v) {
  int n = 0;
  while (n < 64 && !((unsigned long long)v >> (63 - n) & 1))
    n++;
  return n;
}
D int __clz(int v) {
  return __clzll((long long)(unsigned)v) - 32;
}
D int __ffsll(long long v) {
  for (int n = 0; n < 64; n++)
    if ((unsigned long long)v >> n & 1)
      return n + 1;
  return 0;
}
D int __ffs(int v) {
  return __ffsll((long long)(unsigned)v);
}
D unsigned long long __brevll(unsigned long long v) {
  unsigned long long r = 0;
  for (int n = 0; n < 64; n++)
    r |= (v >> n & 1) << (63 - n);
  return r;
}
D unsigned __brev(unsigned v) {
  return (unsigned)(__brevll(v) >> 32);
}
D unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int n = 0; n < 4; n++)
    r |= (unsigned)(both >> 8 * (s >> 4 * n & 7) & 255) << 8 * n;
  return r;
}
D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (n & 31) ? hi << (n & 31) | lo >> (32 - (n & 31)) : hi;
}
D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return (n & 31) ? lo >> (n & 31) | hi << (32 - (n & 31)) : lo;
}
D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return n < 32 ? __funnelshift_l(lo, hi, n) : lo;
}
D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return n < 32 ? __funnelshift_r(lo, hi, n) : hi;
}
D long long signed24(int v) {
  const long long low = v & 0xffffff;
  return low >= 0x800000 ? low - 0x1000000 : low;
}
D int __mul24(int a, int b) {
  return (int)(signed24(a) * signed24(b));
}
D unsigned __umul24(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)(a & 0xffffff) * (b & 0xffffff));
}
D unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
D int __mulhi(int a, int b) {
  return (int)((long long)a * b >> 32);
}
D unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
D long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
D unsigned __sad(int a, int b, unsigned c) {
  const long long d = (long long)a - b;
  return (unsigned)(d < 0 ? -d : d) + c;
}
D unsigned __usad(unsigned a, unsigned b, unsigned c) {
  const long long d = (long long)a - b;
  return (unsigned)(d < 0 ? -d : d) + c;
}
D int __hadd(int a, int b) {
  return (int)(((long long)a + b) >> 1);
}
D int __rhadd(int a, int b) {
  return (int)(((long long)a + b + 1) >> 1);
}
D unsigned __uhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b) >> 1);
}
D unsigned __urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
D int __dp4a(int a, int b, int c) {
  long long sum = c;
  for (int n = 0; n < 32; n += 8)
    sum += (long long)(signed char)(a >> n) * (signed char)(b >> n);
  return (int)sum;
}
D unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int n = 0; n < 32; n += 8)
    c += (a >> n & 255) * (b >> n & 255);
  return c;
}
template <class T>
D T __ldg(const T *p) {
  return *p;
}

// ---- bits of floats
D int __float_as_int(float v) {
  return of_bits<int>(bits_of(v));
}
D unsigned __float_as_uint(float v) {
  return of_bits<unsigned>(bits_of(v));
}
D float __int_as_float(int v) {
  return of_bits<float>(bits_of(v));
}
D float __uint_as_float(unsigned v) {
  return of_bits<float>(bits_of(v));
}
D long long __double_as_longlong(double v) {
  return of_bits<long long>(bits_of(v));
}
D double __longlong_as_double(long long v) {
  return of_bits<double>(bits_of(v));
}
D int __double2hiint(double v) {
  return (int)(bits_of(v) >> 32);
}
D int __double2loint(double v) {
  return (int)bits_of(v);
}
D double __hiloint2double(int hi, int lo) {
  return of_bits<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

// ---- rounding: the operation in the host's mode, on operands that the compiler cannot see
#define MODES(X, ...)               \
  X(rn, FE_TONEAREST, __VA_ARGS__)  \
  X(rz, FE_TOWARDZERO, __VA_ARGS__) \
  X(rd, FE_DOWNWARD, __VA_ARGS__)   \
  X(ru, FE_UPWARD, __VA_ARGS__)
#define ROUNDED(mode, host, to, from, name, expression) \
  D to name##_##mode(from x, from y = 0, from z = 0) {  \
    volatile from va = x, vb = y, vc = z;               \
    fesetround(host);                                   \
    const from a = va, b = vb, c = vc;                  \
    volatile to r = (to)(expression);                   \
    (void)a, (void)b, (void)c;                          \
    fesetround(FE_TONEAREST);                           \
    return r;                                           \
  }
MODES(ROUNDED, float, float, __fadd, a + b)
MODES(ROUNDED, float, float, __fsub, a - b)
MODES(ROUNDED, float, float, __fmul, a *b)
MODES(ROUNDED, float, float, __fdiv, a / b)
MODES(ROUNDED, float, float, __fmaf, fmaf(a, b, c))
MODES(ROUNDED, float, float, __fsqrt, sqrtf(a))
MODES(ROUNDED, float, float, __frcp, 1.0f / a)
MODES(ROUNDED, double, double, __dadd, a + b)
MODES(ROUNDED, double, double, __dsub, a - b)
MODES(ROUNDED, double, double, __dmul, a *b)
MODES(ROUNDED, double, double, __ddiv, a / b)
MODES(ROUNDED, double, double, __fma, fma(a, b, c))
MODES(ROUNDED, double, double, __dsqrt, sqrt(a))
MODES(ROUNDED, double, double, __drcp, 1.0 / a)
MODES(ROUNDED, float, double, __double2float, a)
MODES(ROUNDED, float, int, __int2float, a)
MODES(ROUNDED, float, unsigned, __uint2float, a)
MODES(ROUNDED, float, long long, __ll2float, a)
MODES(ROUNDED, float, unsigned long long, __ull2float, a)
MODES(ROUNDED, double, long long, __ll2double, a)
// Zero would be the difference of two equal numbers, which is -0 downward.
MODES(ROUNDED, double, unsigned long long, __ull2double, a ? (double)a : 0.0)
#define INTEGRAL_rn(v) rint(v)
#define INTEGRAL_rz(v) trunc(v)
#define INTEGRAL_rd(v) floor(v)
#define INTEGRAL_ru(v) ceil(v)
// As cvt does it: out of range is the nearest; a NaN is 0 from float to 32 bits, else the top bit.
#define TO_INTEGER(mode, host, to, from, name, nan, low, high)                             \
  D to name##_##mode(from v) {                                                             \
    if (v != v)                                                                            \
      return nan;                                                                          \
    const double r = INTEGRAL_##mode((double)v);                                           \
    const to least = (to)-1 > 0 ? 0 : (to)((unsigned long long)1 << (8 * sizeof(to) - 1)); \
    return r < low ? least : r >= high ? (to)~least : (to)r;                               \
  }
#define LEAST64 (-9223372036854775807ll - 1)
MODES(TO_INTEGER, int, float, __float2int, 0, -0x1p31, 0x1p31)
MODES(TO_INTEGER, unsigned, float, __float2uint, 0, 0, 0x1p32)
MODES(TO_INTEGER, long long, float, __float2ll, LEAST64, -0x1p63, 0x1p63)
MODES(TO_INTEGER, unsigned long long, float, __float2ull, 1ull << 63, 0, 0x1p64)
MODES(TO_INTEGER, int, double, __double2int, -2147483647 - 1, -0x1p31, 0x1p31)
MODES(TO_INTEGER, unsigned, double, __double2uint, 1u << 31, 0, 0x1p32)
MODES(TO_INTEGER, long long, double, __double2ll, LEAST64, -0x1p63, 0x1p63)
MODES(TO_INTEGER, unsigned long long, double, __double2ull, 1ull << 63, 0, 0x1p64)
#undef D
#endif
