#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# verilated.sh, in a tree and with a cmake of the test's own: built once, in a path with an apostrophe; how far a build is on
# a terminal; which libraries stay; a build that fails.
set -u
. tb/cli/expect.sh
tree="$work/it's a tree" bin=$work/bin
script=$tree/harness/base/verilated.sh models=$tree/build/models
mkdir -p "$tree"/{csim,rtl,harness/base} "$bin"
cp harness/base/verilated.sh harness/base/steps.sh "$tree/harness/base"
: >"$tree/CMakeLists.txt" >"$tree/CMakePresets.json"
for tool in verilator make ninja; do
  printf '#!/bin/sh\nexit 0\n' >"$bin/$tool"
done
cat >"$bin/cmake" <<SH
#!$(type -P bash)
echo "cmake \$*" >>"$work/log"
if [[ \$1 == --build ]]; then
  echo "[1/2] Verilating nbu"
  [[ ! \${BROKEN:-} ]] || { echo "%Error: nbu.sv:3: no"; exit 1; }
  echo "[2/2] Linking libnearrtl.so"
  : >"\$2/libnearrtl.so"
else
  mkdir -p "\$4"
fi
SH
chmod +x "$bin"/*
start() { PATH=$bin:$PATH bash "$script" "$tree/build" nearrtl "$1" >"$work/out" 2>"$work/err" </dev/null; }
says() { grep -qF -- "$1" "$work/err" || { fail "this is not said: $1"; cat "$work/err"; }; }
builds() { # NUMBER WHAT: of builds since the last time
  local n
  n=$(grep -c 'cmake --build' "$work/log" 2>/dev/null)
  [[ ${n:-0} == "$1" ]] || fail "$2: ${n:-0} builds, not $1"
  rm -f "$work/log"
}

# once, and the name of the library is all that goes to standard output
start QUEUE=8 || fail "status $?: $(<"$work/err")"
first=$(<"$work/out")
[[ $first == "$models"/*/libnearrtl.so && -e $first ]] || fail "there is no library '$first'"
says "mpu: building the Verilog for QUEUE=8"
grep -q '\[1/2\]' "$work/err" && fail "steps where there is no terminal"
grep -q '^\[2/2\] Linking' "${first%/*}/log" || fail "the log"
grep -qF -- "-DNEARBANK_SIZES=QUEUE=8" "$work/log" || fail "the sizes: $(<"$work/log")"
builds 1 "the first start"
start QUEUE=8 && [[ $(<"$work/out") == "$first" && ! -s $work/err ]] || fail "the second start"
builds 0 "the second start"

# a source changes: another library
: >"$tree/rtl/a.sv"
start QUEUE=8 && [[ $(<"$work/out") == "$first" ]] || fail "an empty source is another one"
echo 'module a; endmodule' >"$tree/rtl/a.sv"
start QUEUE=8 && [[ $(<"$work/out") != "$first" ]] || fail "a source that changed"
rm "$tree/rtl/a.sv" "$work/log"

# a terminal is told how far it is
if has_terminals; then
  PATH=$bin:$PATH script -qec "bash $(printf %q "$script") $(printf %q "$tree/build") nearrtl QUEUE=4" "$work/typescript" >/dev/null </dev/null ||
    fail "on a terminal"
  grep -q '\[1/2\] Verilating nbu' "$work/typescript" && grep -q '\[2/2\] Linking' "$work/typescript" ||
    { fail "on a terminal there are no steps"; cat "$work/typescript"; }
  builds 1 "on a terminal"
fi

# a build that fails
BROKEN=1 start QUEUE=2
[[ $? == 2 ]] || fail "a broken build: status"
[[ ! -s $work/out ]] || fail "a broken build names a library"
says "%Error: nbu.sv:3: no"
says "mpu: building the Verilog for QUEUE=2 failed; the whole log is in $models/"
start QUEUE=2 || fail "after a broken build"

# 16 stay: those that were used last; one that somebody builds in stays too
touch -d '1 hour ago' "$models"/*/
touch -d '2 hours ago' "${first%/*}"
touch -d '3 hours ago' "$models"
mkdir "$models/held"
touch -d '4 hours ago' "$models/held"
exec 7>"$models/held.lock"
flock 7
for n in {1..15}; do
  start "COLLECTORS=$n" || fail "COLLECTORS=$n: status $?"
  start QUEUE=8
  [[ $(<"$work/out") == "$first" && ! -s $work/err ]] || fail "what is used was removed, after $n others"
done
kept=$(find "$models" -mindepth 2 -name libnearrtl.so | wc -l)
((kept == 16)) || fail "$kept libraries are kept, not 16"
[[ -d $models/held ]] || fail "a folder in which somebody builds was removed"
exit $failed
