#!/usr/bin/env bash
# The programs of kernels/tiled: their slices, and sizes that fit no block. The programs check
# their results.
source tb/kernels/matrix.sh
one() {
  if ! "$MPU" run -q "$1" "kernels/tiled/$2" -- "${@:3}" >"$work/out" 2>&1; then
    printf 'FAILED: mpu run %s kernels/tiled/%s -- %s\n' "$1" "$2" "${*:3}"
    tail -n 5 "$work/out"
    failed=1
  fi
}
for k in axpy knn pr hist kmeans maxp upsamp ttrans gemv; do
  one --near=c $k --slice
done
for k in axpy knn pr hist kmeans; do
  one --near=none $k --n 1 --blocks 3
  one --near=lockstep $k --n 777
done
for k in blur conv nw; do
  one --near=none $k --slice
done
one --near=none nw --n 1 --blocks 3
one --near=lockstep nw --n 3
one --near=lockstep blur --width 64 --height 32
one --near=lockstep conv --width 32 --height 64
one --near=lockstep ttrans --rows 64 --cols 96
one --near=lockstep upsamp --width 128 --height 3
one --near=lockstep gemv --rows 5 --cols 256
one --near=none maxp --width 1 --height 1 --blocks 3
one --near=lockstep maxp --width 37 --height 21
# Each program's papers' number of blocks, at a size with an idle warp and a rest.
for k in axpy knn pr hist kmeans; do
  one --near=none $k --paper --n 100001
done
one --near=none maxp --paper --width 333 --height 101
exit $failed
