#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The folder that mpu sdk writes: nvcc by hand, from a Makefile and from CMake. Programs check what they compute, cycle by cycle and
# one of them on the functional machine; all on both, and CMake for other architectures, with MPU_LONG.
set -u
. tb/cli/expect.sh
here=$PWD/tb/cuda/sdk
[[ $MPU == /* ]] || MPU=$PWD/$MPU
unset MPU_NEAR NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_CCBIN
sdk="$work/tool kit"

# ---- the folder
expect "which folder?" "$MPU" sdk
expect "one folder at a time; 'b' is a second" "$MPU" sdk a b
expect "cannot make the folder" "$MPU" sdk "$work/none/sdk"
mkdir "$work/foreign" && echo mine >"$work/foreign/file"
expect "is not an empty folder and not one that mpu sdk made" "$MPU" sdk "$work/foreign"
[[ $(ls -A "$work/foreign") == file ]] || fail "a foreign folder was written to"
mkdir "$sdk"
"$MPU" sdk "$sdk" || fail "mpu sdk into an empty folder"
"$MPU" sdk "$sdk" || fail "mpu sdk again"
for file in bin/{nvcc,ptxas,fatbinary,nvlink,cuobjdump} include/cuda_runtime.h lib64/lib{cudart_static.a,cudart.so,cudart.so.11.0,cuda.so,cudadevrt.a,culibos.a} \
  lib/stubs/libcuda.so version.{json,txt} targets/x86_64-linux/{include/cuda.h,lib/libcudart.so}; do
  [[ -e $sdk/$file ]] || fail "no $file"
done
[[ $(readelf -d "$sdk/lib64/libcudart.so.11.0") == *"Library soname: [$sdk/lib64/libcudart.so.11.0]"* ]] || fail "the name of libcudart.so"

# ---- nvcc by hand
mkdir "$work/a b"
cp "$here"/samples/* "$work/a b"
cd "$work/a b" || exit 1
nvcc=$sdk/bin/nvcc
ok() { "$nvcc" "$@" >"$work/out" 2>&1 || { fail "nvcc $*"; head -n 5 "$work/out"; return 1; }; }
runs() { # PROGRAM: right
  local got near
  for near in c ${MPU_LONG:+none}; do
    got=$(MPU_NEAR=$near "$@" 2>&1) || { fail "$* with MPU_NEAR=$near: $got"; return; }
    [[ $got == PASS* ]] || fail "$* with MPU_NEAR=$near says $got"
  done
}
refuses() { # TEXT WORDS...: one line with TEXT, a status that is not 0
  local text=$1
  shift
  ! "$nvcc" "$@" >"$work/out" 2>&1 || fail "nvcc $* is taken"
  [[ $(wc -l <"$work/out") == 1 ]] && grep -qF -- "$text" "$work/out" || { fail "nvcc $*: no \"$text\" alone in:"; head -n 5 "$work/out"; }
}
ok main.cu part.cu host.cpp plain.c -o prog -lm && runs ./prog && [[ $(MPU_NEAR=none ./prog) == PASS ]] || fail "a program on the functional machine"
ok -c main.cu part.cu && ok -O3 -c host.cpp -o h.o && ok -c plain.c && ok main.o part.o h.o plain.o -o prog1 && runs ./prog1
ok -lib part.cu host.cpp plain.c -o libpart.a && ok main.o -L. -lpart -o prog2 && runs ./prog2
ok main.o part.o h.o plain.o -cudart shared -o prog3 && runs ./prog3
[[ $(readelf -d prog3) == *"[$sdk/lib64/libcudart.so.11.0]"* ]] || fail "-cudart shared does not link the shared runtime"
ok -shared -Xcompiler -fPIC part.cu host.cpp plain.c --cudart=shared -o libshared.so && ok main.o libshared.so -cudart=shared -Xlinker -rpath,. -o prog4 && runs ./prog4
ok main.o part.o h.o plain.o --cudart none -L"$sdk/lib64" -lcudart -o prog5 && runs ./prog5
refuses_link() { ! "$nvcc" "$@" >"$work/out" 2>&1 && grep -q "undefined reference to .cudaMalloc" "$work/out" || fail "nvcc $*"; }
refuses_link main.o part.o h.o plain.o -cudart none -o prog6
for lib in cudart_static cudart; do
  { gcc main.o part.o h.o plain.o -L"$sdk/lib64" -l$lib -o prog7 && runs ./prog7; } || fail "gcc with -l$lib"
done
ok -arch=sm_35 -gencode arch=compute_70,code=\"sm_70,compute_70\" "--generate-code=arch=compute_60,code=[compute_60,sm_60]" --gpu-code sm_52 -std=c++14 -O2 -g -G -lineinfo -use_fast_math -maxrregcount=32 -m64 \
  --ptxas-options=-v -Xptxas -dlcm=ca -Wno-deprecated-gpu-targets --expt-relaxed-constexpr -extended-lambda -t 4 -res-usage --default-stream legacy -DUNUSED=1,2 \
  --diag-suppress 20012 main.cu part.cu host.cpp plain.c -o prog8 && runs ./prog8
ok -run main.o part.o h.o plain.o -o prog9 && grep -q ^PASS "$work/out" || fail "-run"
ok -Xcompiler -fopenmp omp.cu -o omp && ./omp || fail "OpenMP"
printf -- '-DFROM_FILE="a b"\n-c plain.c\n' >options
ok --options-file options -o o1.o; ok @options -o o2.o; cmp -s o1.o o2.o || fail "--options-file and @ differ"
NVCC_APPEND_FLAGS="-o o3.o" NVCC_PREPEND_FLAGS=-c "$nvcc" plain.c && [[ -e o3.o ]] || fail "NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS"

ok -cuda main.cu -o main.ii && g++ -c -x c++ main.ii -o m.o && ok m.o part.o h.o plain.o -o prog10 && runs ./prog10
[[ ! ${MPU_LONG:-} ]] || { ok -cuda part.cu && [[ -s part.cu.cpp.ii ]]; } || fail "-cuda without -o"
refuses "-cuda takes CUDA files, not 'host.cpp'" -cuda host.cpp
# what g++ takes with a warning, and signed integers that wrap around
cat >loose.cu <<'EOF'
#include <cinttypes>
#include <cstdio>
__global__ void k(unsigned short v, unsigned char *p) { unsigned char a[] = {v, v}; p[0] = a[1]; }
int count() { register int n = 0; for (int i = 65530; i < 65545; i++) n += i * i == (int)((unsigned)i * i); return n; }
int main() {
  unsigned char *p, h = 0;
  cudaMalloc(&p, 1), k<<<1, 1>>>(259, p), cudaMemcpy(&h, p, 1, cudaMemcpyDeviceToHost);
  printf(h == 3 && count() == 15 ? "PASS\n" : "%"PRIu32"\n", (unsigned)h);
}
EOF
ok loose.cu -o loose && runs ./loose
mkdir angle && echo '__global__  __device__ void k(int *p) { *p = 1; }' >angle/inner.cu
printf '#include <inner.cu>\n#include <cuda_gl_interop.h>\nint main() {}\n' >outer.cu
ok -Iangle -Xopencc -O3 --host-compilation C++ outer.cu -o outer || fail "old syntax in <inner.cu>"
printf '#include <cuda.h>\n#include <memory>\nint main() { CUctxCreateParams p = {}; CUcontext c; return cuInit(0) || cuCtxCreate(&c, &p, 0, 0); }\n' >later.cpp
ok later.cpp -o later && ./later || fail "libstdc++ behind cuda.h, or cuCtxCreate of later versions"

# ---- what goes to whom
echo 'int v = MACRO; int w = OTHER;' >macro.cu
ok -E -D MACRO=11 -Xcompiler -DOTHER=12,-Wall macro.cu && grep -q 'int v = 11; int w = 12;' "$work/out" || fail "macros"
ok -dryrun -Xcompiler -Wall,-Wextra --compiler-options '-O2,-fno-exceptions' -Xlinker --no-undefined main.cu host.cpp -o never
[[ ! -e never ]] || fail "-dryrun makes something"
grep -q '^#\$ g++ -x c++.* -Wall -Wextra -O2 -fno-exceptions' "$work/out" || fail "-Xcompiler for a C++ file"
grep -q '^#\$ clang-19 .*--cuda-host-only.* -Wall -Wextra -O2 -fno-exceptions' "$work/out" || fail "-Xcompiler for a CUDA file"
! grep 'cuda-device-only' "$work/out" | grep -q Wextra || fail "-Xcompiler for the device side"
grep -q '^#\$ g++ -m64 -o "never" .*-Xlinker --no-undefined' "$work/out" || fail "-Xlinker"
# what is linked, as scripts of build systems find it
ok -dryrun none.cu && [[ $(tail -n 1 "$work/out" | sed 's/^.*-o "a.out"//; s#"[a-zA-Z0-9./_-]*\.o"##g') == " -Wl,--start-group "*"-lcudart_static -lrt -lpthread -ldl -Wl,--end-group" ]] ||
  fail "-dryrun of a file that is not there"
ok -dryrun -ftz=true -prec-div=false -prec-sqrt=false -fmad=false --maxrregcount 24 main.cu
grep -q '/ptxas.* -maxrregcount 24 ' "$work/out" || fail "-maxrregcount"
for word in -fgpu-flush-denormals-to-zero --nvptx-prec-divf32=1 --nvptx-prec-sqrtf32=0 -ffp-contract=off; do
  grep -q -- "--cuda-device-only.* $word" "$work/out" || fail "$word"
done
ok -keep -keep-dir kept -c main.cu && [[ -s kept/main.ptx && -s kept/main.cubin ]] || fail "-keep"
ok -ptx main.cu && grep -q '^.target sm_70' main.ptx || fail "-ptx"
ok -cubin main.ptx -o one.cubin && ok -fatbin main.cu -o two.cubin && [[ $("$MPU" dis one.cubin) == *scale* && $("$MPU" dis two.cubin) == *scale* ]] || fail "-cubin"
"$sdk/bin/fatbinary" --create=all.fatbin -64 --image=profile=sm_70,file=one.cubin && cmp one.cubin all.fatbin || fail fatbinary
! "$sdk/bin/cuobjdump" -sass prog 2>"$work/err" && grep -q -- "'-sass'" "$work/err" || fail "cuobjdump -sass"
for tool in nvcc ptxas fatbinary nvlink cuobjdump; do
  "$sdk/bin/$tool" --version | grep -q 'release 11.8, V11.8.89' || fail "$tool --version"
done
"$nvcc" --help | grep -q -- '-maxrregcount' || fail "--help"

# ---- what a file includes
ok -M main.cu -MT x.o && grep -q '^x.o: main.cu' "$work/out" && grep -q 'part\.h' "$work/out" || fail "-M"
ok -MM main.cu -o deps && grep -q '^main.o: main.cu' deps && ! grep -q /usr/ deps || fail "-MM"
ok -MD -MP -MF m.d -MT m.o -c main.cu -o m.o && grep -q '^m.o: ' m.d && grep -q '^part.h:' m.d || fail "-MD -MF"
ok -MMD -c old.cu -o old.o && grep -q 'old\.cu' old.d && grep -q 'old\.cuh' old.d && ! grep -q rewritten old.d || fail "-MMD of a file that is rewritten"

# ---- old syntax
ok old.cu -o old && runs ./old
MPU_CACHE=$work/cache "$MPU" cc old.cu -o old2 && runs ./old2
printf '#include "old.cuh"\nvoid f() {\n  old<< <1, 1>> >(0); undeclared();\n}\n' >wrong.cu
! "$nvcc" -c wrong.cu 2>"$work/err" && grep -q '^wrong.cu:3:23: error: .*undeclared' "$work/err" || { fail "the place of an error"; head -n 3 "$work/err"; }
sed 's/int s;/int s = undeclared;/' old.cuh >worse.cuh
printf '#include "worse.cuh"\n' >worse.cu
! "$nvcc" -c worse.cu 2>"$work/err" && grep -q '^\./worse.cuh:[0-9]*:.*undeclared' "$work/err" || { fail "the place of an error in a header"; head -n 3 "$work/err"; }

# ---- what is refused
refuses "unknown option '-frob'" -frob main.cu
refuses "-ewp: use -rdc=true" -ewp main.cu
refuses "-arch takes sm_N or compute_N, not 'volta'" -arch=volta main.cu
refuses "-std takes" -std=c++99 main.cu
refuses "-m takes 64, not '32'" -m 32 main.cu
refuses "-cudart takes static, shared or none" -cudart=some main.cu
refuses "cannot read 'missing.cu'" missing.cu
refuses "no input files" -c
refuses "-o needs a value" main.cu -o
refuses "-o with several files" -c main.cu part.cu -o both.o
refuses "one of -c, -dc, -E, -M" -c -ptx main.cu

# ---- a Makefile
make -s CUDA_DIR="$(realpath --relative-to=. "$sdk" | sed 's/ /\\ /g')" -f Makefile made >"$work/out" 2>&1 && runs ./made || { fail "the Makefile"; head "$work/out"; }

# ---- CMake
# CMake 3.25 itself takes no folder with a blank as one of libraries.
if command -v cmake >/dev/null; then
  "$MPU" sdk "$work/toolkit" || fail "a second folder"
  nvcc=$work/toolkit/bin/nvcc
  mkdir project && mv CMakeLists.txt main.cu part.cu part.h host.cpp plain.c project
  for arch in ${MPU_LONG:+'-DCMAKE_CUDA_ARCHITECTURES=60;70-virtual'} ''; do
    rm -rf made_by_cmake
    cmake -S project -B made_by_cmake -DCMAKE_CUDA_COMPILER="$nvcc" ${arch:+"$arch"} >"$work/out" 2>&1 || { fail "CMake configures"; tail "$work/out"; }
    grep -q 'CUDA compiler identification is NVIDIA 11.8.89' "$work/out" || fail "the compiler's identification"
    cmake --build made_by_cmake -j2 >"$work/out" 2>&1 || { fail "CMake builds"; tail "$work/out"; }
  done
  for program in prog prog_shared prog_host; do runs "made_by_cmake/$program"; done
  sleep 1
  touch project/part.h
  cmake --build made_by_cmake --target prog >"$work/out" 2>&1
  [[ $(grep -c 'Building CUDA object.*main.cu' "$work/out") -ge 1 ]] || fail "a header that changed"
  ! grep -q 'host.cpp\|plain.c' "$work/out" || fail "files that did not change are compiled again"
  cmake --build made_by_cmake --target prog >"$work/out" 2>&1
  ! grep -q Building "$work/out" || fail "a build when nothing changed"
fi
exit $failed
