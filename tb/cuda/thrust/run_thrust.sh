#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs with Thrust and CUB: from nvcc and from mpu cc, on the functional machine and cycle by cycle; with MPU_LONG all
# algorithms of Thrust that take clang long.
set -u
. tb/cli/expect.sh
for header in thrust/version.h cub/version.cuh; do
  [[ -e /usr/include/$header ]] || { echo "skipped: no <$header> (Debian: libthrust-dev and libcub-dev)"; exit 0; }
done
"$MPU" sdk "$work/sdk" >"$work/out" 2>&1 || fail "mpu sdk: $(<"$work/out")"

# runs NAME: on each machine
runs() {
  local near
  for near in none c; do
    MPU_NEAR=$near "$work/$1" >"$work/out" 2>&1 || fail "$1, MPU_NEAR=$near: $(<"$work/out")"
  done
}

for name in cub_block cub_device in_kernels vectors; do
  compile=("$MPU" cc)
  [[ $name != cub_block ]] || compile=("$work/sdk/bin/nvcc")
  [[ ! ${MPU_LONG:-} ]] || compile+=(-DALL)
  if ! "${compile[@]}" "tb/cuda/thrust/cu/$name.cu" -o "$work/$name" >"$work/out" 2>&1 || [[ -s $work/out ]]; then
    fail "compiling $name: $(head -n 20 "$work/out")"
  else
    runs "$name"
  fi
done

# A vector that is a global variable is freed when main has returned.
cat >"$work/global.cu" <<'CU'
#include <thrust/device_vector.h>
thrust::device_vector<int> kept;
int main() { kept.resize(5); return (int)kept.size() != 5; }
CU
"$MPU" cc "$work/global.cu" -o "$work/global" >"$work/out" 2>&1 && runs global || fail "a global vector: $(<"$work/out")"
exit $failed
