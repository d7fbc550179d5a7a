// SPDX-License-Identifier: Apache-2.0
// Device code whose PTX is kept here as sample_*.ptx, as compilers wrote it:
//   clang-19 -x cuda --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc -nocudalib
//     -Xclang -target-sdk-version=11.8 --cuda-feature=+ptx63 --cuda-device-only -S
//     -gline-tables-only -O0 (or -O2) sample.cu
//   nvcc -arch=sm_75 -ptx -lineinfo sample.cu
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define BOUNDS(n, m) __attribute__((launch_bounds(n, m)))
#define OWN __device__ __attribute__((noinline))
#include <__clang_cuda_builtin_vars.h>
#else
#define BOUNDS(n, m) __launch_bounds__(n, m)
#define OWN __device__ __noinline__
#endif

struct point {
  int n;
  float k;
  double d;
  char c[5];
};

struct entry {
  int tag;
  int *p;
};

__device__ int counter = -7;
__device__ float weights[5] = {1.5f, -2.25f};
__device__ int cube[2][2][2] = {{{1, 2}, {3}}, {{5}}};
__device__ entry entries[2] = {{1, &cube[0][1][0]}, {2, &counter}};
__device__ int *pointers[3] = {&counter, &cube[1][1][1], 0};
__constant__ float coefficients[9];
extern __shared__ float dynamic[];

OWN int choose(int i, int j) {
  switch (i) {
    case 0: return j * 3;
    case 1: return j - 7;
    case 2: return j / 3;
    case 3: return j ^ 55;
    case 4: return j << 2;
    case 5: return j % 5;
  }
  return j;
}

OWN float weigh(float a, point p, int *q) {
  if (a > p.k)
    return a;
  q[1] = p.c[p.n % 5];
  return p.k * p.n + choose(p.n, q[0]);
}

OWN point make(int n) {
  point p;
  p.n = n;
  p.k = n * .5f;
  p.d = n;
  for (int i = 0; i < 5; i++)
    p.c[i] = (char)(n + i);
  return p;
}

OWN void keep(int *x) {
  __shared__ int kept[4];
  kept[x[0] & 3] = x[1];
  x[2] = kept[1];
}

template <int N>
OWN long long fork(long long x) {
  return fork<N - 1>(x) * N + fork<N - 1>(x + 1);
}
template <>
OWN long long fork<0>(long long x) {
  return x + 1;
}

extern "C" __global__ void BOUNDS(256, 2)
    mixed(float *x, point p, int n, int *q, unsigned char b, short h, double d) {
  __shared__ float tile[8][17];
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int local[8];
  for (int k = 0; k < 8; k++)
    local[k] = q[k] + h;
  tile[i & 7][3] = x[i] * coefficients[i % 9] + dynamic[i & 15];
  if (i < n) {
    point r = make(local[i & 7]);
    x[i] = weigh(x[i], r, q) + tile[(i + 1) & 7][3] + p.c[i & 3] + (float)(p.d + d) + b;
    x[i + 1] = weigh(x[i + 1], p, q + 2) + weights[i & 3];
    q[i] = choose(i, q[i]) + *entries[i & 1].p + *pointers[i & 1] + cube[i & 1][0][1];
    keep(q);
    q[3] = (int)fork<3>(i);
  }
  counter = local[n & 7];
  asm volatile(
      "{\n .reg .pred p;\n .reg .b32 t;\n setp.ne.s32 p, %0, 0;\n @p add.s32 t, %0, 1;\n"
      " @!p mov.u32 t, %%laneid;\n st.global.u32 [%1+-4], t; }" ::"r"(n), "l"(q) : "memory");
}

extern "C" __global__ void second(int *q) {
  q[0] = choose(q[1], q[2]);
  keep(q);
}
