#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --skew: which one a kernel gets, what that does to conflicts of banks, and that programs compute the same with it: words
# of each width, atomics, blocks side by side, shared memory in the debugger.
set -uo pipefail
. tb/cli/expect.sh

# lanes STRIDE...: the skew of a kernel whose lanes access words so far apart, once for each stride; 0: it has none
lanes() {
  local s text=
  for s in "$@"; do text+="  m[2048 + $s * t + k] = m[2100 + $s * t + k] + 1;"; done
  cat >"$work/lanes.cu" <<CU
__global__ void lanes(int *out, int n) {
  __shared__ int m[8192];
  const int t = threadIdx.x;
  for (int k = 0; k < n; k++) {
  $text
  }
  out[t] = m[t];
}
int main() {}
CU
  "$MPU" cc --skew "$work/lanes.cu" -o "$work/lanes" && "$MPU" dis "$work/lanes" >"$work/dis"
  sed -n 's/^\.skew //p; $s/.*/0/p' "$work/dis" | head -n 1
}
is() { # SKEW STRIDE...
  local got
  got=$(lanes "${@:2}")
  [[ $got == "$1" ]] || fail "strides ${*:2}: skew $got, not $1"
}
is 0 1
is 0 33
is 0 31
is 1 32
is 1 -32
is 1 64
is 1 32 33 33
is 3 -32 -32 -31

# along a diagonal of a matrix with 33 words a row, 32 lanes are in one bank
cat >"$work/diagonal.cu" <<'CU'
#include <cstdio>
#define N 32
struct pair { float a, b; };
__global__ void diagonal(float *out, pair *pairs, unsigned *sums) {
  __shared__ float m[N + 1][N + 1];
  __shared__ pair p[N][N];
  __shared__ unsigned count[N * N];
  __shared__ unsigned char bytes[4 * N * N];
  const int t = threadIdx.x;
  for (int k = 0; k <= N; k++)
    m[k][t] = m[t][k] = (k * t + blockIdx.x) % 7;
  for (int k = 0; k < N; k++) {
    p[t][k] = pair{(float)k, (float)t};
    count[t * N + k] = t;
    bytes[t * 4 * N + k] = (unsigned char)(t + k);
  }
  __syncthreads();
  for (int last = 0; last < N; last++) {
    if (t <= last)
      m[last - t + 1][t + 1] = m[last - t][t] + m[last - t][t + 1] + m[last - t + 1][t];
    atomicAdd(&count[t * N + last], (unsigned)bytes[((t + 5) % N) * 4 * N + last]);
    __syncthreads();
  }
  for (int k = 0; k < N; k++) {
    out[(blockIdx.x * N + k) * N + t] = m[k + 1][t + 1];
    pairs[(blockIdx.x * N + k) * N + t] = p[k][t];
    sums[(blockIdx.x * N + k) * N + t] = count[k * N + t];
  }
}
// What shared memory holds when a block starts, in lockstep, is what it held.
__global__ void left(unsigned *out) {
  __shared__ unsigned m[N * N];
  out[threadIdx.x] = m[threadIdx.x * N + 5];
}
int main() {
  enum { BLOCKS = 5, ALL = BLOCKS * N * N };
  static float h[ALL];
  static pair q[ALL];
  static unsigned c[ALL];
  float *out;
  pair *pairs;
  unsigned *sums;
  cudaMalloc(&out, sizeof h), cudaMalloc(&pairs, sizeof q), cudaMalloc(&sums, sizeof c);
  diagonal<<<BLOCKS, N>>>(out, pairs, sums);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(q, pairs, sizeof q, cudaMemcpyDeviceToHost);
  cudaMemcpy(c, sums, sizeof c, cudaMemcpyDeviceToHost);
  left<<<5, N>>>(sums);
  double x = 0;
  unsigned y = 0;
  for (int i = 0; i < ALL; i++)
    x += (i % 13) * (double)h[i] + (i % 5) * q[i].a + (i % 3) * q[i].b, y = y * 31 + c[i];
  printf("%.17g %u\n", x, y);
}
CU
"$MPU" run -q --near=none "$work/diagonal.cu" >"$work/want" || fail "the program without cycles"
# runs NAME OPTIONS...
runs() {
  "$MPU" run -q --config nearbank-small --set shared.place=near --stats "$work/$1.json" "${@:2}" "$work/diagonal.cu" >"$work/out" 2>"$work/err" ||
    { fail "${*:2}: it ends with $?"; tail -n 5 "$work/err"; }
  cmp "$work/want" "$work/out" || fail "${*:2}: another result"
}
runs off --near=c --set shared.skew=off
runs on --near=c
runs lockstep --near=lockstep
cycles() { jq .cycles "$work/$1.json"; }
(($(cycles on) * 3 < $(cycles off) * 2)) || fail "$(cycles on) cycles with skew, $(cycles off) without"
[[ $(cycles on) == $(cycles lockstep) ]] || fail "$(cycles on) cycles with twins, $(cycles lockstep) in lockstep"

# code with a skew runs on a machine without, and shared memory is shown as the program has it
"$MPU" cc --skew "$work/diagonal.cu" -o "$work/diagonal"
"$MPU" dis "$work/diagonal" >"$work/dis"
grep -q '^\.skew [123]$' "$work/dis" || fail "no skew"
"$MPU" run -q --near=c --config small "$work/diagonal" >"$work/out" && cmp "$work/want" "$work/out" || fail "on a machine without skew"
for skew in on off; do
  printf '%s\n' 'break event barrier' continue 'print shared 0 40 f32 block 0' 'print shared 4352 40 u32 block 0' >"$work/commands"
  "$MPU" debug --near=c --config nearbank-small --set shared.skew=$skew -x "$work/commands" "$work/diagonal.cu" >"$work/$skew.shown" 2>&1
  grep -q '^ *0x0:' "$work/$skew.shown" || { fail "the debugger shows nothing"; cat "$work/$skew.shown"; }
done
diff <(grep 0x "$work/on.shown") <(grep 0x "$work/off.shown") || fail "the debugger shows other shared memory with skew"

# what is written is read again
"$MPU" asm "$work/dis" -o "$work/again" && "$MPU" dis "$work/again" >"$work/dis2"
diff <(grep '^\.' "$work/dis") <(grep '^\.' "$work/dis2") || fail "mpu asm reads another kernel than mpu dis prints"
sed -i 's/^\.skew .*/.skew 4/' "$work/dis"
"$MPU" asm "$work/dis" -o "$work/again" >"$work/out" 2>&1
grep -q 'expected a number from 0 to 3' "$work/out" || { fail "a skew of 4"; cat "$work/out"; }
exit $failed
