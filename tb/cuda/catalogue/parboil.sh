#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# parboil.sh BENCHMARK/VERSION [WORD...]: builds a program of Parboil as its driver does (which is in an old Python), with WORDs
# for make; $TOP is the suite, $SDK the folder of mpu sdk.
set -eu
benchmark=$TOP/benchmarks/${1%/*} version=${1#*/}
mkdir -p "$benchmark/build/$version"
exec {lock}>"$benchmark/build/$version/lock"
flock "$lock"  # two programs may be compared with the same one at a time
make default -C "$benchmark" -f "$TOP/common/mk/Makefile" PARBOIL_ROOT="$TOP" PLATFORM=default BUILD="$version" \
  SRCDIR="$benchmark/src/$version" BUILDDIR="$benchmark/build/$version" BIN="$benchmark/build/$version/program" \
  CUDA_PATH="$SDK" CUDAHOME="$SDK" CUDA_LIB_PATH="$SDK/lib64" "${@:2}"
