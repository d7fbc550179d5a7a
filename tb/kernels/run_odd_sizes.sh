#!/usr/bin/env bash
# Sizes that fit no block: partial warps and tiles at every edge.
source tb/kernels/matrix.sh
one() {
  if ! "$MPU" run -q "kernels/$1" -- "${@:2}" >"$work/out" 2>&1; then
    printf 'FAILED: mpu run kernels/%s -- %s\n' "$1" "${*:2}"
    tail -n 5 "$work/out"
    failed=1
  fi
}
for k in blur conv maxp upsamp; do
  one $k --width 37 --height 61
  one $k --width 1 --height 1
done
for k in hist knn axpy pr; do
  one $k --n 1 $([[ $k == knn ]] && echo --k 1)
  one $k --n 12345
done
one ttrans --rows 37 --cols 61
one ttrans --rows 1 --cols 1
one gemv --rows 33 --cols 65
one kmeans --n 777
one nw --n 3 --length 33
exit $failed
