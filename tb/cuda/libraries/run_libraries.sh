#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cuBLAS and cuBLASLt beside OpenBLAS, cuFFT beside FFTW, cuRAND beside published numbers and statistics, on the functional
# machine; a little of each cycle by cycle, on machines that the library is compiled again for; through nvcc, CMake and a C
# compiler; what is missing.
set -u
. tb/cli/expect.sh
here=$PWD/tb/cuda/libraries
[[ $MPU == /* ]] || MPU=$PWD/$MPU
unset MPU_NEAR NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_CCBIN

# ---- results
# compares PROGRAM HEADER PACKAGE: with a library of the host, if it is there
compares() {
  if ! echo "#include <$2>" | g++ -E -x c++ - >/dev/null 2>&1; then
    echo "SKIPPED: $1, without $2 (Debian: $3)"
  elif ! "$MPU" run --near=none "$here/cu/$1.cu" >"$work/out" 2>&1 || ! grep -q '^[0-9]* results compared\|^SKIPPED' "$work/out"; then
    fail "$1"
    head -n 20 "$work/out"
  else
    grep ^SKIPPED "$work/out"
  fi
}
compares blas cblas.h libopenblas-dev
compares lt cblas.h libopenblas-dev
compares fft fftw3.h libfftw3-dev
"$MPU" run --near=none "$here/cu/random.cu" >"$work/out" 2>&1 || { fail random; grep FAILED "$work/out" | head -n 20; }
"$MPU" run --near=none "$here/cu/legacy.cu" >"$work/out" 2>&1 || { fail legacy; head -n 5 "$work/out"; }

# ---- other machines
"$MPU" cc "$here/cu/small.cu" -o "$work/small" >"$work/out" 2>&1 || { fail "mpu cc"; head -n 5 "$work/out"; }
for options in --config=small --config=paper "--config=nearbank --locate=cost"; do
  # shellcheck disable=SC2086
  "$MPU" run --near=c $options "$work/small" >"$work/out" 2>&1 && grep -q ^PASS "$work/out" || { fail "small, $options"; head -n 5 "$work/out"; }
done
# options of the compiler hold for libraries, also from a source
for program in "$here/cu/small.cu" "$work/small"; do
  "$MPU" run --near=c --config=nearbank --locate=cost "$program" | grep '^cycles' >>"$work/cycles"
done
[[ $(wc -l <"$work/cycles") == 2 && $(sort -u "$work/cycles" | wc -l) == 1 ]] || { fail "--locate=cost of a source"; cat "$work/cycles"; }

# ---- projects
"$MPU" sdk "$work/sdk" || fail "mpu sdk"
for file in lib64/lib{cublas,cublasLt,cufft,curand}{.so,_static.a} include/{cublas,cublas_v2,cublasLt,cufft,curand,curand_kernel,cuComplex}.h; do
  [[ -e $work/sdk/$file ]] || fail "no $file"
done
cd "$work" || exit 1
nvcc=$work/sdk/bin/nvcc
"$nvcc" -c "$here/cu/small.cu" -o small.o || fail "nvcc -c"
for how in "-lcublas -lcufft -lcurand" "-cudart shared -lcurand -lcufft -lcublas" "-lcublas_static -lcufft_static -lcurand_static"; do
  # shellcheck disable=SC2086
  { "$nvcc" small.o $how -o by_nvcc && ./by_nvcc; } >"$work/out" 2>&1 || { fail "nvcc $how"; head -n 5 "$work/out"; }
done
cat >lt.c <<'C'
#include <cublasLt.h>
int main(void) {
  cublasLtHandle_t h;
  return cublasLtCreate(&h) || cublasLtDestroy(h);
}
C
for how in -lcublasLt "-lcublas -lcublasLt" "-lcublasLt_static -lcublas_static"; do
  # shellcheck disable=SC2086
  { "$nvcc" lt.c $how -o lt && ./lt; } >"$work/out" 2>&1 || { fail "nvcc $how"; head -n 5 "$work/out"; }
done
cat >plain.c <<'C'
#include <stdio.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
int main(void) {
  float x[] = {3, 4}, *d = NULL, norm = 0;
  cublasHandle_t h;
  cufftHandle p;
  curandGenerator_t g;
  int bad = cublasCreate(&h) + cudaMalloc((void **)&d, sizeof x) + cublasSetVector(2, sizeof *x, x, 1, d, 1);
  bad += cublasSnrm2(h, 2, d, 1, &norm) + cufftPlan1d(&p, 8, CUFFT_C2C, 1) + curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_DEFAULT);
  return bad || norm != 5;
}
C
for runtime in cudart cudart_static; do
  { gcc -Wall -Wextra -Werror -Isdk/include plain.c -Lsdk/lib64 -lcublas -lcufft -lcurand -l$runtime -o plain && ./plain; } >"$work/out" 2>&1 ||
    { fail "C with -l$runtime"; head -n 5 "$work/out"; }
done
if command -v cmake >/dev/null; then
  mkdir project
  cat >project/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.20)
project(libraries LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(shared $here/cu/small.cu)
target_link_libraries(shared PRIVATE CUDA::cublas CUDA::cufft CUDA::curand)
CMAKE
  { cmake -S project -B built -DCMAKE_CUDA_COMPILER="$nvcc" && cmake --build built && built/shared; } >"$work/out" 2>&1 || { fail CMake; tail -n 5 "$work/out"; }
fi

# ---- what is missing says so by its name
missing() { # TEXT SOURCE OPTIONS...
  local text=$1
  printf '%b' "$2" >missing.cu
  shift 2
  ! "$nvcc" missing.cu "$@" -o missing >"$work/out" 2>&1 && grep -q -- "$text" "$work/out" || { fail "no '$text'"; head -n 5 "$work/out"; }
}
missing "use of undeclared identifier 'cublasStbmv_v2'\|use of undeclared identifier 'cublasStbmv'" '#include <cublas_v2.h>\nint main() { return cublasStbmv(); }\n' -lcublas
missing "undefined reference to .cublasStbmv_v2" 'extern "C" int cublasStbmv_v2(void);\nint main() { return cublasStbmv_v2(); }\n' -lcublas
missing "undefined reference to .cufftPlan1d" '#include <cufft.h>\nint main() { cufftHandle p; return cufftPlan1d(&p, 8, CUFFT_C2C, 1); }\n'
missing "'cusparse.h' file not found" '#include <cusparse.h>\n'
missing "'cusolverDn.h' file not found" '#include <cusolverDn.h>\n'
missing "needs C++14 or later" '#include <curand_kernel.h>\n' -std=c++11
exit $failed
