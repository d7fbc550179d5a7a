#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernels/axpy means kernels/plain/axpy, for a folder and a file, from any folder, in every command that takes a program. What
# is there is taken as it is, and what is missing has a message with the name as it was given.
set -u
. tb/cli/expect.sh
root=$PWD
export MPU_NEAR=none
# passes NAME: a run of it, in the folder at hand
passes() {
  "$MPU" run -q "$1" -- --n 100 >"$work/out" 2>&1 && grep -q '^PASS axpy: n 100,' "$work/out" || fail "mpu run $1 in $PWD: $(head -n 3 "$work/out")"
}
for name in kernels/axpy ./kernels//axpy/ kernels/axpy/axpy.cu "$root/kernels/axpy" kernels/plain/axpy; do passes "$name"; done
cd tb/kernels || exit 2
passes ../../kernels/axpy
passes ../../kernels/axpy/axpy.cu
cd ../../kernels || exit 2
passes axpy
cd "$root" || exit 2
"$MPU" cc kernels/axpy -o "$work/axpy" && "$work/axpy" --n 100 | grep -q '^PASS axpy: n 100,' || fail "mpu cc"
printf 'run\nquit\n' >"$work/commands"
"$MPU" debug -q --near=c -x "$work/commands" kernels/axpy -- --n 100 >"$work/out" 2>&1 </dev/null && grep -q '^ *PASS axpy: n 100,' "$work/out" || fail "mpu debug: $(tail -n 3 "$work/out")"
"$MPU" profile kernels/axpy/axpy.cu -- --n 100 >"$work/out" 2>&1 && grep -q ' axpy\.cu$' "$work/out" || fail "mpu profile: $(tail -n 3 "$work/out")"

# another folder's plain/; what is there comes first, also when it is not a program
mkdir -p "$work/set/plain/one" "$work/set/plain/two" "$work/set/two"
echo 'int main() { puts("plain one"); }' >"$work/set/plain/one/one.cu"
touch "$work/set/plain/two/two.cu"
[[ $("$MPU" run -q "$work/set/one") == "plain one" ]] || fail "plain/ of another folder"
expect "the directory '$work/set/two' has no two.cu" "$MPU" run "$work/set/two"
mkdir "$work/set/plain/three" # the message names the folder that was found
expect "the directory '$work/set/plain/three' has no three.cu" "$MPU" run "$work/set/three"
mkdir "$work/set/plain/loop" && ln -s loop "$work/set/loop"
expect "cannot read '$work/set/loop': Too many levels of symbolic links" "$MPU" run "$work/set/loop"

# missing, in both places; of a name that is a file, a name that is too long, no name
for name in kernels/axpi ./kernels/axpi/ kernels/axpi/axpi.cu kernels/axpy/axpi.cu kernels/plain/axpi kernals/axpy "$root/kernels/axpi" axpy; do
  expect "cannot read '$name': No such file or directory" "$MPU" run "$name"
done
cd kernels || exit 2
expect "mpu: cannot read '': No such file or directory" "$MPU" run ''
cd "$root" || exit 2
expect "mpu: cannot read 'README.md/axpy': Not a directory" "$MPU" run README.md/axpy
long=$(printf 'kernels/%4080s' '' | tr ' ' /)axpy
expect "cannot read 'kernels/////" "$MPU" run "$long"
expect "cannot read 'kernels/axpi': No such file or directory" "$MPU" profile kernels/axpi
expect "cannot read 'kernels/axpi': No such file or directory" "$MPU" debug --near=c kernels/axpi
expect "cannot read 'kernels/axpi': No such file or directory" "$MPU" cc kernels/axpi -o "$work/x"
exit $failed
