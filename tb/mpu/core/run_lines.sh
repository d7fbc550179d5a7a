#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lines that the base die reads and writes: through a register that no warp has, or, when all are taken, by sectors; with the same values.
set -uo pipefail
. tb/cli/expect.sh
cat >"$work/lines.cu" <<'CU'
#include <cstdio>
__global__ void lines(const float2 *a, float *b, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  float2 p = a[i], q = a[i + 128];
  b[i] = sqrtf(p.x * q.y) + p.y;
}
int main() {
  const int N = 128;
  float2 *a, h[2 * N];
  float *b, r[N] = {}, sum = 0;
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof r);
  for (int i = 0; i < 2 * N; i++)
    h[i] = make_float2(i % 37, i % 11 + 0.5f);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(b, 0, sizeof r);
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
ran full --near=c --locate=near --set core.near_rf_bytes=1536 # in C: nothing else needs Verilog of this size
ran base --config base-die
# 123 pairs are seven lines and three sectors of an eighth, twice; 123 results are three lines and four sectors
[[ $(sent free LINE) == 17 && $(sent free REGRD) == 14 && $(sent free RD) == 6 && $(sent free REGWR) == 3 && $(sent free WR) == 4 ]] ||
  fail "free registers: LINE $(sent free LINE), REGRD $(sent free REGRD), RD $(sent free RD), REGWR $(sent free REGWR), WR $(sent free WR)"
[[ $(sent full LINE) -lt 17 && $(sent full RD) -ge 48 ]] || fail "all registers taken: LINE $(sent full LINE), RD $(sent full RD)"
[[ $(sent base LINE) == 0 && $(sent base RD) == 62 && $(sent base WR) == 16 ]] || fail "all on the base die: LINE $(sent base LINE), RD $(sent base RD), WR $(sent base WR)"

# A warp that ends does not ask other units for its lines; a fence does, each once: the first of four warps stores lines of
# units 1 and 2. Its near instruction waits for the square root, and may be sent when it has asked them.
cat >"$work/fence.cu" <<'CU'
#include <cstdio>
__global__ void stores(float *b, int *flag) {
  int i = threadIdx.x;
  if (i < 32) {
    float root = sqrtf(i), last = b[i + 128] * root;
    b[i + 32] = root;
    b[i + 64] = root + 1;
#if FENCE
    __threadfence();
#endif
    b[i] = last;
    flag[0] = 1;
  }
}
int main() {
  float *b, r[160] = {}, sum = 0;
  int *flag;
  for (int i = 0; i < 160; i++)
    r[i] = i % 13;
  cudaMalloc(&b, sizeof r);
  cudaMalloc(&flag, 16);
  cudaMemcpy(b, r, sizeof r, cudaMemcpyHostToDevice);
  stores<<<1, 128>>>(b, flag);
  cudaMemcpy(r, b, sizeof r, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 128; i++)
    sum += r[i] * (i % 7);
  printf("%.9g %.9g\n", r[5], sum);
}
CU
"$MPU" run -q --near=none "$work/fence.cu" >"$work/want"
asked() { jq -c '[.core.nbus[].packets_down.SYNC]' "$work/$1.json"; }
for fence in 0 1; do
  "$MPU" run -q --near=lockstep --stats "$work/fence$fence.json" "$work/fence.cu" -DFENCE=$fence >"$work/out" 2>"$work/err" ||
    { fail "fence $fence: it ends with $?"; cat "$work/err"; }
  cmp "$work/want" "$work/out" || fail "fence $fence: another result"
done
[[ $(asked fence0) == '[1,0,0,0]' ]] || fail "no fence: SYNC $(asked fence0)"
[[ $(asked fence1) =~ ^\[[12],1,1,0\]$ ]] || fail "fence: SYNC $(asked fence1)"
exit $failed
