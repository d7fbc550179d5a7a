#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lines that the base die reads: through a register that no warp has, or, when all are taken, by sectors; with the same values.
set -uo pipefail
. tb/cli/expect.sh
cat >"$work/lines.cu" <<'CU'
#include <cstdio>
__global__ void lines(const float2 *a, float *b, int n) {
  int i = threadIdx.x;
  float2 p = a[i], q = a[i + 128];
  b[i] = sqrtf(p.x * q.y) + (i % 3 && i < n ? a[i / 2 + 7].x : p.y);
}
int main() {
  const int N = 128;
  float2 *a, h[2 * N];
  float *b, r[N], sum = 0;
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof r);
  for (int i = 0; i < 2 * N; i++)
    h[i] = make_float2(i % 37, i % 11 + 0.5f);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  lines<<<1, N>>>(a, b, N - 5);
  cudaMemcpy(r, b, sizeof r, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    sum += r[i] * (i % 7);
  printf("%.9g %.9g %.9g\n", r[5], r[N - 1], sum);
}
CU
"$MPU" run -q --near=none "$work/lines.cu" >"$work/want"
ran() { # NAME OPTIONS...
  "$MPU" run -q --near=lockstep --stats "$work/$1.json" "${@:2}" "$work/lines.cu" >"$work/out" 2>"$work/err" || fail "$1: it ends with $?"
  cmp "$work/want" "$work/out" || fail "$1: another result"
}
sent() { jq "[.core.nbus[].packets_down.$2] | add" "$work/$1.json"; } # NAME KIND
ran free --locate=cost
ran full --locate=near --set core.near_rf_bytes=1024
ran base --config base-die
# 128 pairs are eight lines, twice
[[ $(sent free LINE) -ge 16 && $(sent free REGRD) -ge 16 && $(sent free RD) -lt 32 ]] ||
  fail "free registers: LINE $(sent free LINE), REGRD $(sent free REGRD), RD $(sent free RD)"
[[ $(sent full RD) -ge 48 ]] || fail "all registers taken: RD $(sent full RD)"
[[ $(sent base LINE) == 0 && $(sent base RD) -ge 64 ]] || fail "all on the base die: LINE $(sent base LINE), RD $(sent base RD)"
exit $failed
