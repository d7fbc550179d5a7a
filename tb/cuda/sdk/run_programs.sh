#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs of the tree through nvcc take the cycles of mpu run, on two machines; with MPU_LONG all of both sets. A program of the
# driver API links with -lcuda.
set -u
. tb/cli/expect.sh
"$MPU" sdk "$work/sdk" >"$work/out" 2>&1 || fail "mpu sdk: $(<"$work/out")"
nvcc=$work/sdk/bin/nvcc
programs=(plain/axpy tiled/nw)
[[ ! ${MPU_LONG:-} ]] || programs=($(cd kernels && ls -d plain/*/ tiled/*/ | sed 's|/$||'))
for program in "${programs[@]}"; do
  source=kernels/$program/${program#*/}.cu
  "$nvcc" -O2 "$source" -o "$work/prog" >"$work/out" 2>&1 || { fail "nvcc $source: $(<"$work/out")"; continue; }
  for machine in small nearbank-small; do
    for of in "$source" "$work/prog"; do
      "$MPU" run -q --near=c --config $machine --stats "$work/stats.json" "$of" >"$work/out" 2>&1 || fail "$of on $machine: $(<"$work/out")"
      jq -c '[.cycles, .warp_instructions, .near_instructions]' "$work/stats.json"
    done >"$work/figures"
    [[ $(sort -u "$work/figures" | wc -l) == 1 && -s $work/figures ]] || fail "$program on $machine: $(tr '\n' ' ' <"$work/figures")"
  done
done
for link in -lcuda "-cudart shared -lcuda"; do
  "$nvcc" $link tb/cuda/runtime/cu/driver.cu -o "$work/driver" >"$work/out" 2>&1 || fail "nvcc $link: $(<"$work/out")"
  "$work/driver" >"$work/out" 2>&1 || fail "the driver API, $link: $(<"$work/out")"
done
"$nvcc" tb/cuda/runtime/cu/compile.cu -lnvrtc -lcuda -o "$work/compile" >"$work/out" 2>&1 && "$work/compile" >"$work/out" 2>&1 ||
  fail "compiling at run time: $(<"$work/out")"
# an object of the host that knows nothing of CUDA
cat >"$work/plain.c" <<'C'
#include <cuda.h>
#include <stdio.h>
int main(void) {
  int n = 0, e = cuInit(0);
  if (!e)
    e = cuDeviceGetCount(&n);
  printf("%d devices\n", n);
  return e || n != 1;
}
C
gcc -I"$work/sdk/include" "$work/plain.c" -L"$work/sdk/lib64" -lcuda -o "$work/plain" >"$work/out" 2>&1 && "$work/plain" >"$work/out" 2>&1 ||
  fail "C with the driver API: $(<"$work/out")"
exit $failed
