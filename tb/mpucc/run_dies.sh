#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A machine with shared memory on both dies: for each kernel the compiler chooses one, and both work in one program.
set -uo pipefail
. tb/cli/expect.sh
# `rows` reads lines of its own unit, `turn` lines of which nobody knows whose they are; both turn a tile of 32 x 32.
cat >"$work/both.cu" <<'CU'
#include <cstdio>
__global__ void rows(const float *in, float *out) {
  __shared__ float tile[32][33];
  for (int g = 0; g < 8; g++)
    tile[g * 4 + threadIdx.y][threadIdx.x] = in[g * 128 + threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  for (int g = 0; g < 8; g++)
    out[g * 128 + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][g * 4 + threadIdx.y];
}
__global__ void turn(const float *in, float *out, int width) {
  __shared__ float tile[32][33];
  for (int r = threadIdx.y; r < 32; r += blockDim.y)
    tile[r][threadIdx.x] = in[r * width + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += blockDim.y)
    out[r * width + threadIdx.x] = tile[threadIdx.x][r] + 1;
}
int main() {
  const int N = 1024;
  float *a, *b, h[N], sum = 0;
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof h);
  for (int i = 0; i < N; i++)
    h[i] = i % 61;
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  for (int k = 0; k < 2; k++) {
    rows<<<1, dim3(32, 4)>>>(a, b);
    turn<<<1, dim3(32, 4)>>>(b, a, 32);
  }
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    sum += h[i] * (i % 7);
  printf("%g %g %g\n", h[1], h[33], sum);
}
CU
# dies LINE OPTIONS...: those of the kernels of the program, in the order of their names
dies() {
  local want=$1
  shift
  "$MPU" cc "$@" "$work/both.cu" -S "$work/lst" -o "$work/both" || fail "mpu cc $*"
  local got
  got=$(sed -n 's|^// kernel [^,]*$|hybrid|p; s|^// kernel .*, dies ||p' "$work/lst" | xargs)
  [[ $got == "$want" ]] || fail "$*: $got, not $want"
}
dies "hybrid far-shared" --dies=both-shared --locate=cost
dies "hybrid far-shared" --dies=both-shared --locate=cost --forms --near-predicates --reorder --skew
dies "hybrid hybrid" --dies=both-shared
dies "hybrid hybrid" --dies=hybrid --locate=cost
dies "far-shared far-shared" --dies=far-shared --locate=cost

"$MPU" run -q --near=none "$work/both.cu" >"$work/want"
# near NAME OPTIONS...: requests of shared memory that the near-bank units got
near() {
  "$MPU" run -q --near=lockstep --config nearbank-small --stats "$work/$1.json" "${@:2}" "$work/both.cu" >"$work/out" 2>"$work/err" ||
    { fail "$1: it ends with $?"; cat "$work/err"; }
  cmp "$work/want" "$work/out" || fail "$1: another result"
  jq '[.core.nbus[].packets_down.SHM] | add' "$work/$1.json"
}
[[ $(near both) == 128 && $(near near --set shared.place=near) == 256 && $(near far --set shared.place=far) == 0 ]] ||
  fail "SHM: $(near both) both, $(near near --set shared.place=near) near, $(near far --set shared.place=far) far"
[[ $(near asked --dies=far-shared) == 0 ]] || fail "--dies=far-shared on a machine with both"
# requests are counted wherever shared memory is
for n in both near far; do jq '[.core.nbus[].smem_requests] | add' "$work/$n.json"; done | sort -u >"$work/requests"
[[ $(wc -l <"$work/requests") == 1 && $(<"$work/requests") -gt 0 ]] || { fail "requests of shared memory"; cat "$work/requests"; }
refuses() { # SAYS OPTIONS...
  "$MPU" run -q --near=c "${@:2}" "$work/both.cu" >"$work/out" 2>&1 && fail "${*:2}: it runs"
  grep -qF -- "$1" "$work/out" || { fail "${*:2}: not said: $1"; cat "$work/out"; }
}
refuses "--dies=base-die does not fit nearbank-small, which is --dies=both-shared" --config nearbank-small --dies=base-die
refuses "--dies=both-shared does not fit small, which is --dies=hybrid" --config small --dies=both-shared
refuses "shared.place: with core.compute base_die" --config nearbank-small --set core.compute=base_die --set core.location=far
exit $failed
