#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Device code of several files: objects, archives, libraries, linked by nvcc, by the host's linker after -dlink, and by CMake;
# what is refused. The programs check what they compute.
set -u
. tb/cli/expect.sh
here=$PWD/tb/cuda/sdk/linked
[[ $MPU == /* ]] || MPU=$PWD/$MPU
unset MPU_NEAR NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_CCBIN
"$MPU" sdk "$work/sdk" >"$work/out" 2>&1 || fail "mpu sdk: $(<"$work/out")"
nvcc=$work/sdk/bin/nvcc libs=(-L"$work/sdk/lib64" -lcudart)
mkdir "$work/a b"
cp "$here"/* "$work/a b"
cd "$work/a b" || exit 1

ok() { "$nvcc" "$@" >"$work/out" 2>&1 || { fail "nvcc $*"; head -n 5 "$work/out"; return 1; }; }
runs() { # PROGRAM [ENV]: right
  local got
  got=$(env "${@:2}" "./$1" 2>&1) || fail "$1 ${*:2}: $got"
  [[ $got == *PASS ]] || fail "$1 ${*:2} says $got"
}
refuses() { # TEXT WORDS...: TEXT among lines of errors, a status that is not 0
  local text=$1
  shift
  ! "$nvcc" "$@" >"$work/out" 2>&1 || fail "nvcc $* is taken"
  grep -qF -- "$text" "$work/out" || { fail "nvcc $*: no \"$text\" in:"; head -n 5 "$work/out"; }
}

# ---- objects
ok -dc main.cu lib.cu && ok main.o lib.o -o prog && runs prog MPU_NEAR=none && runs prog MPU_NEAR=c
[[ $(./prog) == *main.cu*lib.cu* ]] || fail "printf of both files: $(./prog)"
ok -rdc=true main.cu lib.cu -o one_step && runs one_step
ok --relocatable-device-code true -c lib.cu -o l.o && ok main.o l.o -o prog_c && runs prog_c
ok -dryrun -rdc=true main.cu lib.cu -o never && [[ ! -e never ]] && grep -q '^#\$ .*/nvlink .*main\.o.* .*lib\.o' "$work/out" || fail "-dryrun"
ok -keep -keep-dir kept main.o lib.o -o prog_k && [[ -s kept/prog_k_dlink.ptx ]] || fail "-keep"

# ---- the program contains what it was made of
[[ $("$MPU" dis prog) == *".kernel _Z5firstPi"*".kernel _ZL6secondPi__intern__"*".kernel _ZL6secondPi__intern__"* ]] || fail "mpu dis"
"$MPU" run -q --near=c --config nearbank-small --locate=cost prog >"$work/out" 2>&1 && grep -q ^PASS "$work/out" || fail "--locate=cost: $(<"$work/out")"
"$MPU" profile prog -o "$work/profile" >"$work/out" 2>&1
for file in main.cu lib.cu; do grep -q "line  $file" "$work/out" || fail "no lines of $file in the profile"; done

# ---- -dlink, and the host's linker
ok -dlink main.o lib.o -o link.o && g++ main.o lib.o link.o "${libs[@]}" -o by_host && runs by_host
ok main.o lib.o link.o -o linked_before && runs linked_before
ok -dlink main.o lib.o && [[ -s a_dlink.o ]] || fail "the name of a device link"
ok -nodlink main.o lib.o a_dlink.o -o without && runs without
! g++ main.o lib.o "${libs[@]}" -o never >"$work/out" 2>&1 && grep -q "undefined reference to .__cudaRegisterLinkedBinary_" "$work/out" ||
  fail "a device link that is missing goes unnoticed"
ok -rdc=true -cubin lib.cu -o lib.cubin && ok -dlink -cubin main.o lib.cubin -o all.cubin && [[ $("$MPU" dis all.cubin) == *_Z5firstPi* ]] || fail "-dlink -cubin"
ok -dlink -ptx main.o lib.o -o all.ptx && ok -cubin all.ptx -o all2.cubin && [[ $("$MPU" dis all2.cubin) == *_Z5firstPi* ]] || fail "-dlink -ptx"
expect "the device code of 'lib.o' is not linked" "$MPU" dis lib.o
expect "the device code of 'lib.cubin' is not linked" "$MPU" dis lib.cubin

# ---- archives
ar rcs libar.a lib.o && ok main.o libar.a -o of_ar && runs of_ar
ok -L. main.o -lar -o of_l && runs of_l
ar rcsT libthin.a lib.o && ok main.o libthin.a -o of_thin && runs of_thin
ok -rdc=true -lib main.cu lib.cu -o liball.a && ok -x c++ empty.cpp -x none liball.a -o of_all && runs of_all
cp lib.o a_member_with_a_long_name.o && ar rcs liblong.a a_member_with_a_long_name.o && ok main.o liblong.a -o of_long && runs of_long
ok -lib main.o lib.o link.o -o libgpu.a && g++ empty.cpp -L. -lgpu "${libs[@]}" -o of_gpu && runs of_gpu
ok -shared -rdc=true -Xcompiler -fPIC main.cu lib.cu -cudart shared -o libso.so && g++ empty.cpp ./libso.so "${libs[@]}" -o of_so && runs of_so

# ---- files that are whole, and files of one name
mkdir one two && cp same.cu one && cp same.cu two
(cd one && ok -dc -DNUMBER=51 -DPART=one same.cu)
(cd two && ok -dc -DNUMBER=52 -DPART=two same.cu)
ok -dw whole.cu && ok -dc many.cu && ok many.o one/same.o two/same.o whole.o -o many && runs many

# ---- registers: the smallest bound
ok -dc -maxrregcount 40 main.cu -o m40.o && ok -dc -maxrregcount 24 lib.cu -o l24.o && ok -v m40.o l24.o -o prog24 && runs prog24
grep -q '/ptxas.* -maxrregcount 24 ' "$work/out" || fail "the bound of registers of a link"

# ---- what is refused
refuses "nvlink: error: undefined reference to '_Z5scalefi' in 'main.o'" main.o -o never
refuses "nvlink: error: multiple definition of 'counter' in 'lib.o', first defined in 'l.o'" -dlink main.o l.o lib.o -o never.o
refuses "first defined in 'libar.a(lib.o)'" -dlink main.o libar.a l.o -o never.o
echo 'extern __device__ double counter; __global__ void k(double *p) { *p = counter; }' >wrong.cu
ok -dc wrong.cu && refuses "size of 'counter' does not match: 4 bytes in 'lib.o', 8 bytes in 'wrong.o'" -dlink wrong.o lib.o -o never.o
refuses "the variable counter is not defined; when another file has it" -c wrong.cu -o never.o
refuses "-dlink links objects" -dlink -c main.cu
refuses "-rdc takes true or false, not 'some'" -rdc=some main.cu
refuses "link-time optimisation of device code is not supported" -dlto main.cu
[[ ! -e never && ! -e never.o ]] || fail "something is left of what was refused"
! "$work/sdk/bin/nvlink" whole.o -o never 2>"$work/err" && grep -q "no file has relocatable device code" "$work/err" || fail "nvlink without relocatable code"

# ---- CMake
if command -v cmake >/dev/null; then
  mkdir project && mv CMakeLists.txt {main,lib}.cu lib.h empty.cpp project
  cmake -S project -B made -DCMAKE_CUDA_COMPILER="$nvcc" >"$work/out" 2>&1 || { fail "CMake configures"; tail "$work/out"; }
  cmake --build made -j2 >"$work/out" 2>&1 || { fail "CMake builds"; tail "$work/out"; }
  for program in prog both of_static of_shared; do runs made/$program; done
fi
exit $failed
