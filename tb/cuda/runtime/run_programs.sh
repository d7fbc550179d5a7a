#!/usr/bin/env bash
# Device mathematics, intrinsics and the CUDA API in whole programs, from clang at two levels. Unless MPU_LONG is set, at one
# level each, and without those that run_modes.sh and tb/cuda/sdk compile and run too.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
n=0
for source in tb/cuda/runtime/cu/*.cu; do
  name=$(basename "$source" .cu)
  [[ ${MPU_LONG:-} || " compile driver intrinsics managed pinned threads " != *" $name "* ]] || continue
  # at one level each, in turns; with MPU_LONG at both
  [[ ${MPU_LONG:-} ]] && levels='-O0 -O2' || levels=-O$((n++ % 2 * 2))
  [[ $name != truth ]] || levels='-O1 -O2 -O3' # what clang takes wrongly is optimised code
  for level in $levels; do
    if ! "$MPU" cc $level "$source" -o "$work/$name" >"$work/out" 2>&1 ||
      ! MPU_QUIET=1 "$work/$name" >"$work/out" 2>&1; then
      printf 'FAILED: %s %s\n' "$source" $level
      tail -n 20 "$work/out"
      failed=1
    fi
  done
done
# X and N are the program's own names
printf '#if X != 7 || N != 8\n#error not as the command line says\n#endif\nint main() {}\n' >"$work/names.cu"
if ! "$MPU" cc -DX=7 -DN=8 "$work/names.cu" -o "$work/names" >"$work/out" 2>&1 || [[ -s $work/out ]]; then
  printf 'FAILED: macros of the command line\n'
  tail -n 20 "$work/out"
  failed=1
fi
exit $failed
