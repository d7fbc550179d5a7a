// SPDX-License-Identifier: Apache-2.0
// Chains of sums, differences and products with a carry, of 32 and 64 bits, as on the host.
#include <cstdio>
#include "check.h"

typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;

struct results {
  u64 sum[2], difference[2], product[2];
  u32 sum32[4], difference32[4], borrow;
  long long wide[2];
};

__device__ void sums(const u64 *a, const u64 *b, results *r) {
  asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;"
      : "=&l"(r->sum[0]), "=l"(r->sum[1])
      : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(b[1]));
  asm("sub.cc.s64 %0, %2, %4;\n\tsubc.s64 %1, %3, %5;"
      : "=&l"(r->difference[0]), "=l"(r->difference[1])
      : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(b[1]));
}

// Four words, and the borrow behind them.
__device__ void words(const u32 *a, const u32 *b, results *r) {
  asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.s32 %2, %6, %10;\n\t"
      "addc.u32 %3, %7, %11;"
      : "=&r"(r->sum32[0]), "=&r"(r->sum32[1]), "=&r"(r->sum32[2]), "=r"(r->sum32[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
  asm("sub.cc.u32 %0, %5, %9;\n\tsubc.cc.u32 %1, %6, %10;\n\tsubc.cc.u32 %2, %7, %11;\n\t"
      "subc.cc.u32 %3, %8, %12;\n\tsubc.u32 %4, 0, 0;"
      : "=&r"(r->difference32[0]), "=&r"(r->difference32[1]), "=&r"(r->difference32[2]),
        "=&r"(r->difference32[3]), "=r"(r->borrow)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}

// a[0] b[0] + a[1], of 64 by 64 bits; the sign is that of the device's front end.
__device__ void products(const u64 *a, const u64 *b, results *r) {
  asm("mad.lo.cc.u64 %0, %2, %3, %4;\n\tmadc.hi.u64 %1, %2, %3, 0;"
      : "=&l"(r->product[0]), "=l"(r->product[1])
      : "l"(a[0]), "l"(b[0]), "l"(a[1]));
  const __int128 w = (__int128)(long long)a[0] - (long long)b[1] - ((__int128)b[0] << 3);
  r->wide[0] = (long long)w;
  r->wide[1] = (long long)(w >> 64);
}

__global__ void device(const u64 *a, const u64 *b, results *r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const u64 x[2] = {a[2 * i], a[2 * i + 1]}, y[2] = {b[2 * i], b[2 * i + 1]};
  const u32 p[4] = {(u32)x[0], (u32)(x[0] >> 32), (u32)x[1], (u32)(x[1] >> 32)};
  const u32 q[4] = {(u32)y[0], (u32)(y[0] >> 32), (u32)y[1], (u32)(y[1] >> 32)};
  results mine;
  sums(x, y, &mine);
  words(p, q, &mine);
  products(x, y, &mine);
  r[i] = mine;
}

static u64 draw() {
  static u64 x = 88172645463325252ull;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  // often all ones or zeros, so that carries go far
  return x % 5 == 0 ? ~0ull : x % 5 == 1 ? 0 : x % 5 == 2 ? x | 0xffffffffull << (x & 32) : x;
}

static u128 both(u64 low, u64 high) {
  return (u128)high << 64 | low;
}
static u128 of_words(const u32 *w) {
  return both((u64)w[1] << 32 | w[0], (u64)w[3] << 32 | w[2]);
}

int main() {
  const int n = 1000;
  static u64 a[2 * n], b[2 * n];
  static results r[n];
  u64 *da, *db;
  results *dr;
  for (int i = 0; i < 2 * n; i++) {
    a[i] = draw();
    b[i] = i % 14 == 0 ? a[i] : draw();
  }
  OK(cudaMalloc(&da, sizeof a));
  OK(cudaMalloc(&db, sizeof b));
  OK(cudaMalloc(&dr, sizeof r));
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  device<<<(n + 63) / 64, 64>>>(da, db, dr, n);
  OK(cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    const u64 *x = a + 2 * i, *y = b + 2 * i;
    const u128 p = both(x[0], x[1]), q = both(y[0], y[1]);
    const __int128 w = (__int128)(long long)x[0] - (long long)y[1] - ((__int128)y[0] << 3);
    CHECK(both(r[i].sum[0], r[i].sum[1]) == p + q);
    CHECK(both(r[i].difference[0], r[i].difference[1]) == p - q);
    CHECK(of_words(r[i].sum32) == p + q);
    CHECK(of_words(r[i].difference32) == p - q);
    CHECK(r[i].borrow == (p < q ? ~0u : 0));
    CHECK(both(r[i].product[0], r[i].product[1]) == (u128)x[0] * y[0] + x[1]);
    CHECK(r[i].wide[0] == (long long)w && r[i].wide[1] == (long long)(w >> 64));
  }
  END;
}
