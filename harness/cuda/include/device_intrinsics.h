// SPDX-License-Identifier: Apache-2.0
// CUDA's device functions that are one or few instructions: barriers, atomics, votes, shuffles,
// bit operations, conversions, rounding.
#ifndef NEARBANK_DEVICE_INTRINSICS_H
#define NEARBANK_DEVICE_INTRINSICS_H
#define MPU_D static __inline__ __attribute__((always_inline, unused)) __device__

// ---- barriers and fences. __syncthreads is a builtin of clang.
MPU_D int __syncthreads_count(int p) {
  return __nvvm_bar0_popc(p);
}
MPU_D int __syncthreads_and(int p) {
  return __nvvm_bar0_and(p);
}
MPU_D int __syncthreads_or(int p) {
  return __nvvm_bar0_or(p);
}
MPU_D void __syncwarp(unsigned mask = 0xffffffff) {
  __nvvm_bar_warp_sync(mask);
}
MPU_D void __threadfence_block() {
  __nvvm_membar_cta();
}
MPU_D void __threadfence() {
  __nvvm_membar_gl();
}
MPU_D void __threadfence_system() {
  __nvvm_membar_sys();
}
MPU_D void __trap() {
  __asm__ volatile("trap;");
}
MPU_D void __brkpt() {}
MPU_D void __prof_trigger(int) {}
// assert() in a kernel ends the launch as __trap() does; the fault names the line. The function
// (device_assert.h) leaves what failed for the runtime.
MPU_D void __assert_fail(const char *text, const char *file, unsigned line, const char *function);

MPU_D void __nanosleep(unsigned) {}
MPU_D clock_t clock() {
  return __nvvm_read_ptx_sreg_clock();
}
MPU_D long long clock64() {
  return __nvvm_read_ptx_sreg_clock64();
}

// ---- votes and shuffles
template <class T>
MPU_D unsigned long long mpu_bits64(T v) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &v, sizeof v);
  return bits;
}
MPU_D unsigned __activemask() {
  unsigned m;
  __asm__ volatile("activemask.b32 %0;" : "=r"(m));
  return m;
}
MPU_D int __all_sync(unsigned mask, int p) {
  return __nvvm_vote_all_sync(mask, p);
}
MPU_D int __any_sync(unsigned mask, int p) {
  return __nvvm_vote_any_sync(mask, p);
}
MPU_D int __uni_sync(unsigned mask, int p) {
  return __nvvm_vote_uni_sync(mask, p);
}
MPU_D unsigned __ballot_sync(unsigned mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
MPU_D int __all(int p) {
  return __nvvm_vote_all_sync(__activemask(), p);
}
MPU_D int __any(int p) {
  return __nvvm_vote_any_sync(__activemask(), p);
}
MPU_D unsigned __ballot(int p) {
  return __nvvm_vote_ballot_sync(__activemask(), p);
}
// *all: whether all lanes of the mask have the value; then the mask, else 0.
template <class T>
MPU_D unsigned __match_all_sync(unsigned mask, T v, int *all) {
  unsigned same;
  unsigned long long bits = mpu_bits64(v);
  int p;
  if (sizeof(T) == 8)
    __asm__ volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(same), "=r"(p)
                     : "l"(bits), "r"(mask));
  else
    __asm__ volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(same), "=r"(p)
                     : "r"((unsigned)bits), "r"(mask));
  *all = p;
  return same;
}
#define MPU_REDUCE(name, type, what)                                                   \
  MPU_D type __reduce_##name##_sync(unsigned mask, type v) {                           \
    type r;                                                                            \
    __asm__ volatile("redux.sync." what " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask)); \
    return r;                                                                          \
  }
MPU_REDUCE(add, unsigned, "add.u32")
MPU_REDUCE(min, unsigned, "min.u32")
MPU_REDUCE(max, unsigned, "max.u32")
MPU_REDUCE(add, int, "add.s32")
MPU_REDUCE(min, int, "min.s32")
MPU_REDUCE(max, int, "max.s32")
MPU_REDUCE(and, unsigned, "and.b32")
MPU_REDUCE(or, unsigned, "or.b32")
MPU_REDUCE(xor, unsigned, "xor.b32")
#undef MPU_REDUCE
template <class T>
MPU_D unsigned __match_any_sync(unsigned mask, T v) {
  if (sizeof(T) == 8)
    return (unsigned)__nvvm_match_any_sync_i64(mask, mpu_bits64(v));
  return __nvvm_match_any_sync_i32(mask, (unsigned)mpu_bits64(v));
}

#define MPU_SHFL(name, op, clamp)                                                               \
  MPU_D int __shfl##name(unsigned mask, int v, int b, int width = 32) {                         \
    return __nvvm_shfl_sync_##op##_i32(mask, v, b, ((32 - width) << 8) | clamp);                \
  }                                                                                             \
  MPU_D unsigned __shfl##name(unsigned mask, unsigned v, int b, int width = 32) {               \
    return (unsigned)__shfl##name(mask, (int)v, b, width);                                      \
  }                                                                                             \
  MPU_D float __shfl##name(unsigned mask, float v, int b, int width = 32) {                     \
    return __builtin_bit_cast(float, __shfl##name(mask, __builtin_bit_cast(int, v), b, width)); \
  }                                                                                             \
  MPU_D long long __shfl##name(unsigned mask, long long v, int b, int width = 32) {             \
    unsigned lo = (unsigned)__shfl##name(mask, (int)v, b, width);                               \
    unsigned hi = (unsigned)__shfl##name(mask, (int)(v >> 32), b, width);                       \
    return (long long)((unsigned long long)hi << 32 | lo);                                      \
  }                                                                                             \
  MPU_D unsigned long long __shfl##name(unsigned mask, unsigned long long v, int b,             \
                                        int width = 32) {                                       \
    return (unsigned long long)__shfl##name(mask, (long long)v, b, width);                      \
  }                                                                                             \
  MPU_D long __shfl##name(unsigned mask, long v, int b, int width = 32) {                       \
    return (long)__shfl##name(mask, (long long)v, b, width);                                    \
  }                                                                                             \
  MPU_D unsigned long __shfl##name(unsigned mask, unsigned long v, int b, int width = 32) {     \
    return (unsigned long)__shfl##name(mask, (long long)v, b, width);                           \
  }                                                                                             \
  MPU_D double __shfl##name(unsigned mask, double v, int b, int width = 32) {                   \
    return __builtin_bit_cast(double,                                                           \
                              __shfl##name(mask, __builtin_bit_cast(long long, v), b, width));  \
  }
MPU_SHFL(_sync, idx, 31)
MPU_SHFL(_down_sync, down, 31)
MPU_SHFL(_xor_sync, bfly, 31)
MPU_SHFL(_up_sync, up, 0)
#undef MPU_SHFL
template <class T>
MPU_D T __shfl(T v, int b, int w = 32) {
  return __shfl_sync(__activemask(), v, b, w);
}
template <class T>
MPU_D T __shfl_down(T v, int b, int w = 32) {
  return __shfl_down_sync(__activemask(), v, b, w);
}
template <class T>
MPU_D T __shfl_up(T v, int b, int w = 32) {
  return __shfl_up_sync(__activemask(), v, b, w);
}
template <class T>
MPU_D T __shfl_xor(T v, int b, int w = 32) {
  return __shfl_xor_sync(__activemask(), v, b, w);
}

// ---- atomics
#define MPU_ATOMIC(name, type, builtin)       \
  MPU_D type name(type *p, type v) {          \
    return builtin(p, v, __ATOMIC_RELAXED);   \
  }                                           \
  MPU_D type name##_block(type *p, type v) {  \
    return name(p, v);                        \
  }                                           \
  MPU_D type name##_system(type *p, type v) { \
    return name(p, v);                        \
  }
#define MPU_ATOMIC_I(name, builtin)   \
  MPU_ATOMIC(name, int, builtin)      \
  MPU_ATOMIC(name, unsigned, builtin) \
  MPU_ATOMIC(name, unsigned long long, builtin)
MPU_ATOMIC_I(atomicAdd, __atomic_fetch_add)
MPU_ATOMIC(atomicSub, int, __atomic_fetch_sub)
MPU_ATOMIC(atomicSub, unsigned, __atomic_fetch_sub)
MPU_ATOMIC_I(atomicAnd, __atomic_fetch_and)
MPU_ATOMIC_I(atomicOr, __atomic_fetch_or)
MPU_ATOMIC_I(atomicXor, __atomic_fetch_xor)
MPU_ATOMIC_I(atomicMin, __atomic_fetch_min)
MPU_ATOMIC_I(atomicMax, __atomic_fetch_max)
MPU_ATOMIC(atomicMin, long long, __atomic_fetch_min)
MPU_ATOMIC(atomicMax, long long, __atomic_fetch_max)
MPU_ATOMIC_I(atomicExch, __atomic_exchange_n)
#undef MPU_ATOMIC
#undef MPU_ATOMIC_I
#define MPU_VIA(name, type, expression)       \
  MPU_D type name(type *p, type v) {          \
    return expression;                        \
  }                                           \
  MPU_D type name##_block(type *p, type v) {  \
    return name(p, v);                        \
  }                                           \
  MPU_D type name##_system(type *p, type v) { \
    return name(p, v);                        \
  }
MPU_VIA(atomicAdd, float, __nvvm_atom_add_gen_f(p, v))
MPU_VIA(atomicAdd, double, __nvvm_atom_add_gen_d(p, v))
MPU_VIA(atomicInc, unsigned, __nvvm_atom_inc_gen_ui(p, v))
MPU_VIA(atomicDec, unsigned, __nvvm_atom_dec_gen_ui(p, v))
MPU_VIA(atomicExch, float,
        __builtin_bit_cast(float, atomicExch((int *)p, __builtin_bit_cast(int, v))))
#undef MPU_VIA
#define MPU_CAS(type)                                                                     \
  MPU_D type atomicCAS(type *p, type old, type now) {                                     \
    __atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return old;                                                                           \
  }                                                                                       \
  MPU_D type atomicCAS_block(type *p, type old, type now) {                               \
    return atomicCAS(p, old, now);                                                        \
  }                                                                                       \
  MPU_D type atomicCAS_system(type *p, type old, type now) {                              \
    return atomicCAS(p, old, now);                                                        \
  }
MPU_CAS(int)
MPU_CAS(unsigned)
MPU_CAS(unsigned long long)
#undef MPU_CAS
MPU_D unsigned short atomicCAS(unsigned short *p, unsigned short old, unsigned short now) {
  unsigned short seen;
  __asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;"
                   : "=h"(seen)
                   : "l"(p), "h"(old), "h"(now)
                   : "memory");
  return seen;
}
MPU_D unsigned short atomicCAS_block(unsigned short *p, unsigned short old, unsigned short now) {
  return atomicCAS(p, old, now);
}
MPU_D unsigned short atomicCAS_system(unsigned short *p, unsigned short old, unsigned short now) {
  return atomicCAS(p, old, now);
}

// ---- memory
MPU_D void *memcpy(void *to, const void *from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
MPU_D void *memset(void *to, int byte, size_t bytes) {
  return __builtin_memset(to, byte, bytes);
}
MPU_D void *memmove(void *to, const void *from, size_t bytes) {
  return __builtin_memmove(to, from, bytes);
}

// ---- bits and integers
MPU_D int __popc(unsigned v) {
  return __builtin_popcount(v);
}
MPU_D int __popcll(unsigned long long v) {
  return __builtin_popcountll(v);
}
MPU_D int __clz(int v) {
  return v ? __builtin_clz((unsigned)v) : 32;
}
MPU_D int __clzll(long long v) {
  return v ? __builtin_clzll((unsigned long long)v) : 64;
}
MPU_D int __ffs(int v) {
  return __builtin_ffs(v);
}
MPU_D int __ffsll(long long v) {
  return __builtin_ffsll(v);
}
MPU_D unsigned __brev(unsigned v) {
  return __builtin_bitreverse32(v);
}
MPU_D unsigned long long __brevll(unsigned long long v) {
  return __builtin_bitreverse64(v);
}
MPU_D unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  return (unsigned)__nvvm_prmt(a, b, s & 0x7777);
}
MPU_D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
MPU_D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
MPU_D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
MPU_D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}
MPU_D int mpu_low24(int v) {
  return (int)((unsigned)v << 8) >> 8;
}
MPU_D int __mul24(int a, int b) {
  return (int)((unsigned)mpu_low24(a) * (unsigned)mpu_low24(b));
}
MPU_D unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffff) * (b & 0xffffff);
}
MPU_D int mul24(int a, int b) {
  return __mul24(a, b);
}
MPU_D unsigned umul24(unsigned a, unsigned b) {
  return __umul24(a, b);
}
MPU_D int __mulhi(int a, int b) {
  return (int)((long long)a * b >> 32);
}
MPU_D unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
MPU_D long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
MPU_D unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
MPU_D unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
MPU_D unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
MPU_D int __hadd(int a, int b) {
  return (a & b) + ((a ^ b) >> 1);
}
MPU_D int __rhadd(int a, int b) {
  return (a | b) - ((a ^ b) >> 1);
}
MPU_D unsigned __uhadd(unsigned a, unsigned b) {
  return (a & b) + ((a ^ b) >> 1);
}
MPU_D unsigned __urhadd(unsigned a, unsigned b) {
  return (a | b) - ((a ^ b) >> 1);
}
MPU_D int __dp4a(int a, int b, int c) {
  unsigned sum = (unsigned)c;
  for (int n = 0; n < 32; n += 8)
    sum += (unsigned)((signed char)(a >> n) * (signed char)(b >> n));
  return (int)sum;
}
MPU_D unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int n = 0; n < 32; n += 8)
    c += (a >> n & 255) * (b >> n & 255);
  return c;
}

// ---- loads and stores with cache hints, which this machine has no use for
#define MPU_LOAD(name)       \
  template <class T>         \
  MPU_D T name(const T *p) { \
    return *p;               \
  }
MPU_LOAD(__ldg)
MPU_LOAD(__ldca)
MPU_LOAD(__ldcg)
MPU_LOAD(__ldcs)
MPU_LOAD(__ldlu)
template <class T>
MPU_D T __ldcv(const T *p) {
  return *(const volatile T *)p;
}
#undef MPU_LOAD
#define MPU_STORE(name)        \
  template <class T>           \
  MPU_D void name(T *p, T v) { \
    *p = v;                    \
  }
MPU_STORE(__stwb)
MPU_STORE(__stcg)
MPU_STORE(__stcs)
MPU_STORE(__stwt)
#undef MPU_STORE
MPU_D unsigned mpu_is(const void *p, unsigned kind) {
  unsigned is = 0;
  if (kind == 0)
    __asm__("{ .reg .pred q; isspacep.global q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(is) : "l"(p));
  else if (kind == 1)
    __asm__("{ .reg .pred q; isspacep.shared q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(is) : "l"(p));
  else
    __asm__("{ .reg .pred q; isspacep.local q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(is) : "l"(p));
  return is;
}
MPU_D unsigned __isGlobal(const void *p) {
  return mpu_is(p, 0);
}
MPU_D unsigned __isShared(const void *p) {
  return mpu_is(p, 1);
}
MPU_D unsigned __isLocal(const void *p) {
  return mpu_is(p, 2);
}

// ---- bits of floats and conversions
MPU_D int __float_as_int(float v) {
  return __builtin_bit_cast(int, v);
}
MPU_D unsigned __float_as_uint(float v) {
  return __builtin_bit_cast(unsigned, v);
}
MPU_D float __int_as_float(int v) {
  return __builtin_bit_cast(float, v);
}
MPU_D float __uint_as_float(unsigned v) {
  return __builtin_bit_cast(float, v);
}
MPU_D long long __double_as_longlong(double v) {
  return __builtin_bit_cast(long long, v);
}
MPU_D double __longlong_as_double(long long v) {
  return __builtin_bit_cast(double, v);
}
MPU_D int __double2hiint(double v) {
  return (int)(__double_as_longlong(v) >> 32);
}
MPU_D int __double2loint(double v) {
  return (int)__double_as_longlong(v);
}
MPU_D double __hiloint2double(int hi, int lo) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}
#define MPU_ASM1(name, to, from, code, out, in) \
  MPU_D to name(from v) {                       \
    to r;                                       \
    __asm__(code " %0, %1;" : out(r) : in(v));  \
    return r;                                   \
  }
#define MPU_ROUND4(name, to, from, pre, post, out, in) \
  MPU_ASM1(name##_rn, to, from, pre "n" post, out, in) \
  MPU_ASM1(name##_rz, to, from, pre "z" post, out, in) \
  MPU_ASM1(name##_rd, to, from, pre "m" post, out, in) \
  MPU_ASM1(name##_ru, to, from, pre "p" post, out, in)
MPU_ROUND4(__float2int, int, float, "cvt.r", "i.s32.f32", "=r", "f")
MPU_ROUND4(__float2uint, unsigned, float, "cvt.r", "i.u32.f32", "=r", "f")
MPU_ROUND4(__float2ll, long long, float, "cvt.r", "i.s64.f32", "=l", "f")
MPU_ROUND4(__float2ull, unsigned long long, float, "cvt.r", "i.u64.f32", "=l", "f")
MPU_ROUND4(__double2int, int, double, "cvt.r", "i.s32.f64", "=r", "d")
MPU_ROUND4(__double2uint, unsigned, double, "cvt.r", "i.u32.f64", "=r", "d")
MPU_ROUND4(__double2ll, long long, double, "cvt.r", "i.s64.f64", "=l", "d")
MPU_ROUND4(__double2ull, unsigned long long, double, "cvt.r", "i.u64.f64", "=l", "d")
MPU_ROUND4(__int2float, float, int, "cvt.r", ".f32.s32", "=f", "r")
MPU_ROUND4(__uint2float, float, unsigned, "cvt.r", ".f32.u32", "=f", "r")
MPU_ROUND4(__ll2float, float, long long, "cvt.r", ".f32.s64", "=f", "l")
MPU_ROUND4(__ull2float, float, unsigned long long, "cvt.r", ".f32.u64", "=f", "l")
MPU_ROUND4(__double2float, float, double, "cvt.r", ".f32.f64", "=f", "d")
MPU_ROUND4(__frcp, float, float, "rcp.r", ".f32", "=f", "f")
MPU_ROUND4(__fsqrt, float, float, "sqrt.r", ".f32", "=f", "f")
MPU_ROUND4(__drcp, double, double, "rcp.r", ".f64", "=d", "d")
MPU_ROUND4(__dsqrt, double, double, "sqrt.r", ".f64", "=d", "d")
MPU_ROUND4(__ll2double, double, long long, "cvt.r", ".f64.s64", "=d", "l")
MPU_ROUND4(__ull2double, double, unsigned long long, "cvt.r", ".f64.u64", "=d", "l")
MPU_D float __frsqrt_rn(float v) {
  return (float)__drcp_rn(__dsqrt_rn(v));
}
MPU_D double __int2double_rn(int v) {
  return v;
}
MPU_D double __uint2double_rn(unsigned v) {
  return v;
}
MPU_ASM1(__sinf, float, float, "sin.approx.f32", "=f", "f")
MPU_ASM1(__cosf, float, float, "cos.approx.f32", "=f", "f")
MPU_ASM1(mpu_ex2, float, float, "ex2.approx.f32", "=f", "f")
MPU_ASM1(mpu_lg2, float, float, "lg2.approx.f32", "=f", "f")
#undef MPU_ROUND4
#undef MPU_ASM1
#define MPU_ASM2(name, type, code, c)                     \
  MPU_D type name(type a, type b) {                       \
    type r;                                               \
    __asm__(code " %0, %1, %2;" : "=" c(r) : c(a), c(b)); \
    return r;                                             \
  }
#define MPU_ROUND4(name, type, op, post, c)   \
  MPU_ASM2(name##_rn, type, op ".rn" post, c) \
  MPU_ASM2(name##_rz, type, op ".rz" post, c) \
  MPU_ASM2(name##_rd, type, op ".rm" post, c) \
  MPU_ASM2(name##_ru, type, op ".rp" post, c)
MPU_ROUND4(__fadd, float, "add", ".f32", "f")
MPU_ROUND4(__fsub, float, "sub", ".f32", "f")
MPU_ROUND4(__fmul, float, "mul", ".f32", "f")
MPU_ROUND4(__fdiv, float, "div", ".f32", "f")
MPU_ROUND4(__dadd, double, "add", ".f64", "d")
MPU_ROUND4(__dsub, double, "sub", ".f64", "d")
MPU_ROUND4(__dmul, double, "mul", ".f64", "d")
MPU_ROUND4(__ddiv, double, "div", ".f64", "d")
MPU_ASM2(__fdividef, float, "div.approx.f32", "f")
#undef MPU_ROUND4
#undef MPU_ASM2
#define MPU_FMA(name, type, code, c)                                \
  MPU_D type name(type a, type b, type d) {                         \
    type r;                                                         \
    __asm__(code " %0, %1, %2, %3;" : "=" c(r) : c(a), c(b), c(d)); \
    return r;                                                       \
  }
MPU_FMA(__fmaf_rn, float, "fma.rn.f32", "f")
MPU_FMA(__fmaf_rz, float, "fma.rz.f32", "f")
MPU_FMA(__fmaf_rd, float, "fma.rm.f32", "f")
MPU_FMA(__fmaf_ru, float, "fma.rp.f32", "f")
MPU_FMA(__fma_rn, double, "fma.rn.f64", "d")
MPU_FMA(__fma_rz, double, "fma.rz.f64", "d")
MPU_FMA(__fma_rd, double, "fma.rm.f64", "d")
MPU_FMA(__fma_ru, double, "fma.rp.f64", "d")
#undef MPU_FMA
MPU_D float __saturatef(float v) {
  return __nvvm_saturate_f(v);
}
MPU_D float __expf(float v) {
  return mpu_ex2(v * 1.4426950408889634f);
}
MPU_D float __exp10f(float v) {
  return mpu_ex2(v * 3.3219280948873623f);
}
MPU_D float __logf(float v) {
  return mpu_lg2(v) * 0.6931471805599453f;
}
MPU_D float __log2f(float v) {
  return mpu_lg2(v);
}
MPU_D float __log10f(float v) {
  return mpu_lg2(v) * 0.3010299956639812f;
}
MPU_D float __powf(float a, float b) {
  return mpu_ex2(b * mpu_lg2(a));
}
MPU_D float __tanf(float v) {
  return __fdividef(__sinf(v), __cosf(v));
}
MPU_D void __sincosf(float v, float *s, float *c) {
  *s = __sinf(v);
  *c = __cosf(v);
}
#endif
