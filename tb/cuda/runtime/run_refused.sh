#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What this machine does not have is refused with file, line, and what to do instead.
set -u
. tb/cli/expect.sh
refused() { # NAME TEXT : the program is standard input
  cat >"$work/$1.cu"
  "$MPU" cc "$work/$1.cu" -o "$work/out" >"$work/err" 2>&1 && fail "$1 compiles"
  grep -qE -- "$2" "$work/err" || fail "$1 should say '$2': $(<"$work/err")"
}
refused child 'mpu: .*/child.cu:3:3: kernels cannot launch kernels \(dynamic parallelism\): launch from the host' <<'CU'
__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) {
  child<<<1, 1>>>(p);
}
int main() {}
CU
refused wait 'mpu: .*/wait.cu:1:30: kernels cannot wait for kernels' <<'CU'
__global__ void parent() {   cudaDeviceSynchronize(); }
int main() {}
CU
refused matrix 'mpu: .*/matrix.cu:2: there are no tensor cores .*multiply with fma' <<'CU'

#include <mma.h>
int main() {}
CU
refused create 'mpu: .*/create.cu:3:3: device code cannot call a function of the host: .*belong on the host' <<'CU'
__global__ void parent() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, 0);
}
int main() {}
CU
refused host 'mpu: .*/host.cu:2:34: device code cannot call a function of the host: make it __host__ __device__' <<'CU'
int twice(int x) { return 2 * x; }
__global__ void k(int *p) { *p = twice(*p); }
int main() {}
CU
refused clusters 'mpu: .*/clusters.cu:2:17: there are no clusters of blocks: use the block' <<'CU'

__global__ void __cluster_dims__(2, 1, 1) k(int *p) {}
int main() {}
CU
refused cluster 'mpu: .*/cluster.cu:2:43: there are no clusters of blocks: use the block' <<'CU'
#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::cluster_group c; }
int main() {}
CU
refused devices 'mpu: .*/devices.cu:2:43: a grid is on one device: use .*this_grid' <<'CU'
#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::this_multi_grid(); }
int main() {}
CU
refused alloca 'mpu: .*/alloca.cu:1:56: the stack has a fixed size: use an array' <<'CU'
__global__ void k(int *p, int n) { *(int **)p = (int *)__builtin_alloca(n); }
int main() {}
CU
refused throw 'mpu: .*/throw.cu:1:29: kernels have no exceptions: return' <<'CU'
__global__ void k(int *p) { throw 1; }
int main() {}
CU
refused variadic 'mpu: .*/variadic.cu:1:16: device code has no variadic functions: use a variadic template' <<'CU'
__device__ int sum(int n, ...) { return n; }
int main() {}
CU
refused eight 'mpu: .*/eight.cu:1:10: there are no numbers of 8 bits: use cuda_fp16.h' <<'CU'
#include <cuda_fp8.h>
int main() {}
CU
refused sparse 'mpu: .*/sparse.cu:1:10: this library of the vendor is not there: docs/libraries.md' <<'CU'
#include <cusparse.h>
int main() {}
CU
refused static 'static variable with a computed first value is not supported: give .*; from .*/static.cu:2$' <<'CU'
template <class T> __device__ T scaled(T n) {
  static T by = n * 2;
  return by * n;
}
__global__ void k(int *p) { *p = scaled(*p); }
int main() {}
CU
refused cast '`__dynamic_cast` is not supported: .*use a virtual function or a tag.*; from .*/cast.cu:3$' <<'CU'
struct A { virtual __device__ int f() { return 1; } };
struct B : A { __device__ int f() { return 2; } };
__global__ void k(A *a, int *p) { *p = dynamic_cast<B *>(a) != nullptr; }
int main() {}
CU
refused parameters 'parameters of kernel .* need more than 32764 bytes: pass .*; from .*/parameters.cu:2$' <<'CU'
struct big { int x[8190]; };
__global__ void k(big b, int *p) { *p = b.x[*p]; }
int main() {}
CU
refused shared 'shared variables of kernel .* need more than .* bytes: keep a part in global memory; from .*/shared.cu:1$' <<'CU'
__global__ void k(int *p, int n) {
  __shared__ int a[300000];
  a[n] = *p;
  __syncthreads();
  *p = a[*p];
}
int main() {}
CU
refused undefined 'undefined function _Z1fi: define it here, or link .*-rdc=true\); from .*/undefined.cu:2$' <<'CU'
__device__ int f(int);
__global__ void k(int *p) { *p = f(*p); }
int main() {}
CU
refused opcode 'the opcode `frobnicate.u32` is not supported: docs/ptx.md lists what is; from .*/opcode.cu:1$' <<'CU'
__global__ void k(unsigned *p) { asm volatile("frobnicate.u32 %0, %0;" : "+r"(*p)); }
int main() {}
CU
refused inline 'mma.sync.aligned.m8n8k4.* there are no tensor cores: .*; from .*/inline.cu:2$' <<'CU'
__global__ void k(double *c) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%0}, {%1}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]));
}
int main() {}
CU
refused texture 'tex.1d.v4.f32.s32.* textures and surfaces are read by functions of the headers' <<'CU'
__global__ void k(float4 *c, unsigned long long t) {
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(c->x), "=f"(c->y), "=f"(c->z), "=f"(c->w) : "l"(t), "r"(3));
}
int main() {}
CU
# other errors of clang get no such line
printf 'int main() { nothing(); }\n' >"$work/other.cu"
"$MPU" cc "$work/other.cu" -o "$work/out" 2>"$work/err" && fail "other compiles"
grep -q '^mpu: ' "$work/err" && fail "advice where there is none: $(<"$work/err")"
exit $failed
