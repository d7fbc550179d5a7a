#!/usr/bin/env bash
# Device mathematics, intrinsics and the CUDA API in whole programs, from clang at two levels.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for source in tb/cuda/runtime/cu/*.cu; do
  name=$(basename "$source" .cu)
  for level in -O0 -O2; do
    if ! "$MPU" cc $level "$source" -o "$work/$name" >"$work/out" 2>&1 ||
      ! MPU_QUIET=1 "$work/$name" >"$work/out" 2>&1; then
      printf 'FAILED: %s %s\n' "$source" $level
      tail -n 20 "$work/out"
      failed=1
    fi
  done
done
exit $failed
