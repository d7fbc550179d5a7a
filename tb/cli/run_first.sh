#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first program that a reader copies: by itself in another folder, also one with blanks in its name, in all ways to start it.
set -u
. tb/cli/expect.sh
mkdir "$work/my programs"
cp kernels/first/first.cu "$work/my programs/prog.cu"
cd "$work/my programs" || exit 2
for near in none c; do
  "$MPU" run --near=$near prog.cu >"$work/out" 2>"$work/err" || { fail "--near=$near: status $?"; cat "$work/err"; }
  grep -qx "10000 sums are right" "$work/out" || fail "--near=$near: no result"
  [[ ! -s $work/err ]] || fail "--near=$near: $(<"$work/err")"
done
grep -qx "result             exit status 0" "$work/out" || fail "the report: $(grep result "$work/out")"
"$MPU" cc prog.cu -o prog && ./prog | grep -qx "10000 sums are right" || fail "compiled, by itself"
"$MPU" dis prog >"$work/out" || fail "dis of a compiled program"
grep -q "kernel _Z3add" "$work/out" || fail "dis of a compiled program: no kernel"
# a wrong sum is seen
sed -i 's/x\[i\] + y\[i\]/x[i] - y[i]/' prog.cu
"$MPU" run -q --near=c prog.cu >"$work/out"
[[ $? == 1 ]] && grep -q "^sum\[1\] is -1, should be 3" "$work/out" || fail "a wrong sum"
exit $failed
