#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --bounds: reads outside of arrays, on the functional machine and in lockstep, the first of each kind (with MPU_LONG
# all) in all modes; the messages name array, distance and lines; writes are always errors.
set -uo pipefail
. tb/cli/expect.sh
export MPU_POSTMORTEM=none
bounds=tb/cuda/races/bounds.cu
all='none c rtl lockstep'
[[ ${MPU_LONG:-} ]] && modes=$all || modes='none lockstep'
line() { grep -n "$1" $bounds | head -n 1 | cut -d: -f1; }

# reads "VALUES" ARGUMENTS...: the program ends well and prints them
reads() {
  local mode
  for mode in $modes; do
    timeout 900 "$MPU" run -q --near=$mode --bounds=page $bounds -- "${@:2}" >"$work/said" 2>&1 </dev/null ||
      fail "--near=$mode ${*:2}: status $?"
    [[ $(cat "$work/said") == "$1" ]] || fail "--near=$mode ${*:2}: $(cat "$work/said"), not $1"
  done
}
# faults HOW ARGUMENTS TEXT...
faults() {
  local mode text how=$1 arguments=$2
  shift 2
  for mode in $modes; do
    # shellcheck disable=SC2086
    timeout 900 "$MPU" run -q --near=$mode ${how:+--bounds=$how} $bounds -- $arguments >"$work/said" 2>"$work/err" </dev/null &&
      fail "--near=$mode $how $arguments: no error"
    for text in "$@"; do
      grep -qF -- "$text" "$work/err" || { fail "--near=$mode $how $arguments: this is not said: $text"; cat "$work/err"; }
    done
  done
}

d_x=": d_x, allocated at bounds.cu:$(line '// d_x')"
for how in "" strict; do
  modes=$all faults "$how" "read 100" "thread (0,0,0) reads 4 bytes at global address 0x" "the nearest allocation has 400 bytes at 0x" "$d_x" \
    "this is 4 bytes beyond its end" "bounds.cu:$(line '// read')"
  faults "$how" "read 69" "thread (31,0,0) reads" "$d_x" "this is 4 bytes beyond its end"
done
modes=$all faults strict "wide 25" "reads 16 bytes" "this is 16 bytes beyond its end" "bounds.cu:$(line '// wide')"
faults strict "kept 8" ": variables of the device, the last one is kept; this is 4 bytes beyond its end"
reads "11111111 0" read 90
modes=$all reads "0 0" read 100
reads "0 0" wide 25
reads "22222222 22222222" wide 24
reads "0 0" kept 8
# a page before the first allocation, which is that of variables
faults strict "kept -32" ": variables of the device, the last one is kept; this is 128 bytes before it"
reads "0 0" kept -32
reads "0 0" kept -1024
faults page "kept -1025" "this is 4100 bytes before it"
for how in strict page; do faults $how "null 0" "reads 4 bytes at global address 0x0"; done
# on four cores, where other cores have the bytes
for at in 100 95 60; do
  [[ $("$MPU" run -q --near=lockstep --set machine.processors=2 --set machine.cores=2 --bounds=page $bounds -- read $at 2>&1) == \
    "$("$MPU" run -q --near=none --bounds=page $bounds -- read $at 2>&1)" ]] || fail "four cores: read $at"
done
# the page ends
faults page "read 5000" "reads 4 bytes" "$d_x"
# writes
modes=$all faults page "write 100" "writes 4 bytes" "$d_x" "this is 4 bytes beyond its end" "bounds.cu:$(line '// write')"
faults page "write 69" "thread (31,0,0) writes 4 bytes" "this is 4 bytes beyond its end"
modes=$all faults page "add 99" "thread (1,0,0) updates 4 bytes" "$d_x" "races/bounds.cu:$(line '// add'))"

expect "--bounds" "$MPU" run --bounds=loose $bounds
expect "--bounds=page is for arrays that lie as the machine places them" "$MPU" run --near=c --bounds=page --place=auto $bounds -- read 1
"$MPU" cc $bounds -o "$work/bounds" || fail "mpu cc"
MPU_BOUNDS=loose expect "MPU_BOUNDS takes strict or page" "$work/bounds" read 1
[[ $(MPU_BOUNDS=page "$work/bounds" read 100) == "0 0" ]] || fail "MPU_BOUNDS=page"
MPU_BOUNDS=page MPU_DEVICE=ivshmem:nowhere expect "MPU_BOUNDS are for a machine in this process" "$work/bounds" read 1
MPU_SCHEDULE=round-robin MPU_DEVICE=ivshmem:nowhere expect "MPU_SCHEDULE and MPU_BOUNDS" "$work/bounds" read 1
MPU_NEAR=c MPU_SCHEDULE=round-robin expect "MPU_SCHEDULE is for the functional machine" "$work/bounds" read 1
# a launch is taken from a checkpoint as it was; the debugger shows what a launch read
"$MPU" run -q --near=c --bounds=page --checkpoint "$work/c" $bounds -- read 100 >"$work/said" 2>&1 || fail "--checkpoint"
[[ $("$MPU" resume "$work/c" 2>&1) == *"0 0"* ]] || fail "mpu resume"
echo continue >"$work/commands"
"$MPU" debug -q --near=c --bounds=page -x "$work/commands" $bounds -- read 100 </dev/null 2>&1 | grep -q "^0 0$" || fail "mpu debug"
exit $failed
