// SPDX-License-Identifier: Apache-2.0
// What random programs are written in, on the CPU and on the device: types, and operations that
// have one result for any operands, where C++ leaves some undefined or open.
#ifndef NEARBANK_TB_RANDOM_EXACT_H
#define NEARBANK_TB_RANDOM_EXACT_H
#pragma clang fp contract(off)

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define EXACT __device__ static inline __attribute__((always_inline))
#ifndef EMULATED
#define DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
EXACT u32 lane_of_thread() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
}
#endif

// The unsigned type that T computes in, and the bits of T.
template <class T>
struct wide {
  typedef u32 u;
};
template <>
struct wide<i64> {
  typedef u64 u;
};
template <>
struct wide<u64> {
  typedef u64 u;
};

// ---- integers: they wrap
template <class T>
EXACT T add(T a, T b) {
  return (T)((typename wide<T>::u)a + (typename wide<T>::u)b);
}
template <class T>
EXACT T sub(T a, T b) {
  return (T)((typename wide<T>::u)a - (typename wide<T>::u)b);
}
template <class T>
EXACT T mul(T a, T b) {
  return (T)((typename wide<T>::u)a * (typename wide<T>::u)b);
}
template <class T>
EXACT T negate(T a) {
  return (T)(0 - (typename wide<T>::u)a);
}
// Without result: by zero, and the smallest by -1.
template <class T>
EXACT bool divides(T a, T b) {
  const T least = (T)((typename wide<T>::u)1 << (8 * sizeof(T) - 1));
  return b != 0 && !((T)-1 < 0 && b == (T)-1 && a == least);
}
template <class T>
EXACT T quotient(T a, T b) {
  return divides(a, b) ? (T)(a / b) : a;
}
template <class T>
EXACT T remain(T a, T b) {
  return divides(a, b) ? (T)(a % b) : b;
}
template <class T>
EXACT T left(T a, u32 n) {
  return (T)((typename wide<T>::u)a << (n & (8 * sizeof(T) - 1)));
}
template <class T>
EXACT T right(T a, u32 n) {
  return (T)(a >> (n & (8 * sizeof(T) - 1)));
}
template <class T>
EXACT T rotate(T a, u32 n) {
  const u32 bits = 8 * sizeof(T), k = n & (bits - 1);
  const typename wide<T>::u v = (typename wide<T>::u)a, mask = (typename wide<T>::u) - 1;
  const typename wide<T>::u own = v & (mask >> (8 * sizeof v - bits));
  return (T)(own << k | own >> ((bits - k) & (bits - 1)));
}
template <class T>
EXACT T lesser(T a, T b) {
  return a < b ? a : b;
}
template <class T>
EXACT T greater(T a, T b) {
  return a > b ? a : b;
}
template <class T>
EXACT T absolute(T a) {
  return a < 0 ? negate<T>(a) : a;
}
template <class T>
EXACT T distance(T a, T b) {
  return a < b ? sub<T>(b, a) : sub<T>(a, b);
}
template <class T>
EXACT T middle(T low, T v, T high) {
  return v < low ? low : v > high ? high : v;
}
// Sums that stop at the ends of a type.
template <class T>
EXACT T saturated(T a, T b) {
  const T sum = add<T>(a, b);
  if ((T)-1 > 0)
    return sum < a ? (T)-1 : sum;
  const T least = (T)((typename wide<T>::u)1 << (8 * sizeof(T) - 1));
  return b >= 0 ? (sum < a ? (T)~least : sum) : (sum > a ? least : sum);
}
// The field of `count` bits from bit `from` on.
template <class T>
EXACT T field(T a, u32 from, u32 count) {
  const u32 bits = 8 * sizeof(T), n = count % bits;
  return (T)(((typename wide<T>::u)a >> (from & (bits - 1))) & (((typename wide<T>::u)1 << n) - 1));
}

// ---- floats: a NaN has one form where its bits are seen
EXACT f32 num(f32 v) {
  u32 bits;
  __builtin_memcpy(&bits, &v, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    bits = 0x7fc00000;
  __builtin_memcpy(&v, &bits, 4);
  return v;
}
EXACT f64 num(f64 v) {
  u64 bits;
  __builtin_memcpy(&bits, &v, 8);
  if ((bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull)
    bits = 0x7ff8000000000000ull;
  __builtin_memcpy(&v, &bits, 8);
  return v;
}
template <class T>
EXACT T num(T v) {
  return v;
}
// Of zeros of both signs fmin and fmax may return either.
template <class T>
EXACT T smaller(T a, T b) {
  return fmin(a, b) + (T)0;
}
template <class T>
EXACT T larger(T a, T b) {
  return fmax(a, b) + (T)0;
}
template <class T>
EXACT T root(T v) {
  return sqrt(fabs(v));
}
// To an integer, by a plain cast: only what each type has.
template <class T, class F>
EXACT T cast(F v) {
  return v < (F)100 && v > ((T)-1 < 0 ? (F)-100 : (F)-1) ? (T)v : (T)7;
}

// ---- memory
template <class T>
EXACT T load(const unsigned char *p, u32 n, u32 bytes) {
  return num(((const T *)p)[n & (bytes / sizeof(T) - 1)]);
}
template <class T>
EXACT T load_cached(const unsigned char *p, u32 n, u32 bytes) {
  return num(__ldg((const T *)p + (n & (bytes / sizeof(T) - 1))));
}
template <class T>
EXACT void put(unsigned char *p, T v) {
  u64 bits = 0;
  v = num(v);
  __builtin_memcpy(&bits, &v, sizeof v);
  *(u64 *)p = bits;
}
template <class T>
EXACT void mix(u64 &seen, T v) {
  u64 bits = 0;
  v = num(v);
  __builtin_memcpy(&bits, &v, sizeof v);
  seen = (seen ^ bits) * 0x100000001b3ull;
}

// The same, though the compiler cannot know, and must branch where it stands behind `&&`.
EXACT bool unknown(bool b) {
  int same = b;
  asm volatile("" : "+r"(same));
  return same != 0;
}

// ---- warps. `mask` is the lanes that execute this; a lane that is not among them is not asked.
template <class T>
EXACT T pick(u32 mask, T v, u32 lane) {
  const T got = __shfl_sync(mask, v, (int)(lane & 31));
  return mask >> (lane & 31) & 1 ? got : v;
}
template <class T>
EXACT T pick_within(u32 mask, T v, u32 lane, int width) {
  const u32 own = lane_of_thread(), from = (own & ~(u32)(width - 1)) | (lane & (u32)(width - 1));
  const T got = __shfl_sync(mask, v, (int)(lane & 31), width);
  return mask >> from & 1 ? got : v;
}
template <class T>
EXACT T pick_up(u32 mask, T v, u32 n, int width) {
  const u32 own = lane_of_thread(), by = n & 31,
            from = (own & (u32)(width - 1)) < by ? own : own - by;
  const T got = __shfl_up_sync(mask, v, by, width);
  return mask >> from & 1 ? got : v;
}
template <class T>
EXACT T pick_down(u32 mask, T v, u32 n, int width) {
  const u32 own = lane_of_thread(), by = n & 31;
  const u32 from = (own & (u32)(width - 1)) + by >= (u32)width ? own : own + by;
  const T got = __shfl_down_sync(mask, v, by, width);
  return mask >> from & 1 ? got : v;
}
template <class T>
EXACT T pick_xor(u32 mask, T v, u32 n) {
  const u32 from = lane_of_thread() ^ (n & 31);
  const T got = __shfl_xor_sync(mask, v, (int)(n & 31));
  return mask >> from & 1 ? got : v;
}
// The same number for a set of values, whatever mask of lanes is returned for each.
template <class T>
EXACT u32 alike(u32 mask, T v) {
  return __match_any_sync(mask, v);
}
template <class T>
EXACT u32 all_alike(u32 mask, T v) {
  int all;
  const u32 same = __match_all_sync(mask, v, &all);
  return all ? same : 0;
}
#endif
