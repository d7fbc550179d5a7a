#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verilog with a fault in any block (tb/mpu/near/plant.sh), in a run of a whole program: lockstep ends it with a report that
# names cycle, block and port, and exit status 3.
# That cycle, block and port are the right ones is a test of test_faulty.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/odd.cu" <<'CU'
// 3 lanes in the second warp; b goes to the base die while the next instruction asks where it is
__global__ void kernel(float *p) {
  int t = threadIdx.x;
  float x = p[t + 128], a, b, q, d;
  x = x + x;
  asm volatile("ld.global.f32 %0, [%5];\n\tld.global.f32 %1, [%5+256];\n\tdiv.rn.f32 %2, %0, %1;\n\tfma.rn.f32 %3, %4, %0, %1;"
               : "=&f"(a), "=&f"(b), "=&f"(q), "=&f"(d) : "f"(x), "l"(p + t));
  p[t] = q;
  p[t + 64] = d;
}
int main() {
  float *p, h[256];
  for (int n = 0; n < 256; n++)
    h[n] = n + 1;
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  kernel<<<1, 35>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
while read -r mutant block port program arguments; do
  [[ $program != odd ]] || program=$work/odd.cu
  [[ $program == /* ]] || program=kernels/$program
  read -ra arguments <<<"$arguments"
  say() {
    echo "FAILED: mutant of $mutant, $program: $1"
    head -n 3 "$work/err"
    failed=1
  }
  MPU_MUTANT=$mutant "$MPU" run -q --near=lockstep --stats "$work/stats" "$program" -- "${arguments[@]}" >"$work/out" 2>"$work/err"
  status=$?
  [[ $status == 3 ]] || say "exit status $status, not 3"
  grep -qE "^mpu: core 0, $block, cycle [0-9]+: twin and Verilog differ\$" "$work/err" || say "block and cycle"
  grep -qE "^  port $port " "$work/err" || say "port"
  grep -q '"end": "differ".*"agree": false' "$work/stats" || say "the report"
done <<'TABLE'
tsv      NBU.[0-3]:.tsv      up_data      blur    --width 64 --height 48
opc      NBU.[0-3]:.opc      x_[abc]      axpy    --n 2000
regfile  NBU.[0-3]:.regfile  r[0-3]_data  axpy    --n 2000
valu     NBU.[0-3]:.valu     mask         axpy    --n 2000
fpu      NBU.[0-3]:.fpu      d            axpy    --n 2000
lsux     NBU.[0-3]:.lsux     req_wmask    axpy    --n 2000
regmove  NBU.[0-3]:.regmove  up_body      odd
bankctl  NBU.[0-3]:.bankctl  cmd          axpy    --n 2000
smem     smem                q[0-3]_rdata hist    --n 2048
rtt      rtt.of.subcore.[0-3] lk_far      odd
nbu      NBU.[0-3]:.nbu      tx_head.of.tsv axpy  --n 2000
TABLE
for program in "axpy --n 2000" "hist --n 2048"; do
  read -ra arguments <<<"$program"
  "$MPU" run -q --near=lockstep "kernels/${arguments[0]}" -- "${arguments[@]:1}" >/dev/null || { echo "FAILED: $program as it is"; failed=1; }
done
"$MPU" run -q --near=lockstep "$work/odd.cu" || { echo "FAILED: odd as it is"; failed=1; }
exit $failed
