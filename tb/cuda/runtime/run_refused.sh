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
refused matrix 'there are no tensor cores .*multiply with fma' <<'CU'
#include <mma.h>
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
