#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wrong use of --timeline: status 2, one line that says what is wrong; no run.
set -uo pipefail
. tb/cli/expect.sh
run() { expect "$1" "$MPU" run -q --near=c "${@:2}" kernels/axpy -- --n 100; }
t="--timeline $work/t.json"
for window in "" 5 : a:b 1:x x:1 1:1 2:1 -1:5 1:-5 " 1:5" 1:5: 1:5x +1:5 1.5:7 0x1:5 99999999999999999999:; do
  if [[ $window ]]; then
    run "--timeline-window takes cycles A:B, from A on and before B (or A: or :B), not '$window'" $t --timeline-window "$window"
  else
    run "--timeline-window needs a value" $t --timeline-window=
  fi
done
run "--timeline-window, --timeline-cores and --timeline-tracks need --timeline FILE" --timeline-window 1:5
run "--timeline-window, --timeline-cores and --timeline-tracks need --timeline FILE" --timeline-cores 0
run "--timeline-window, --timeline-cores and --timeline-tracks need --timeline FILE" --timeline-tracks blocks
run "--timeline needs a file" --timeline=
run "cannot write '$work/none/t.json': No such file or directory" --timeline "$work/none/t.json"
run "cannot write '$work': Is a directory" --timeline "$work"
for o in "$t" "--timeline-window 1:2" "--timeline-cores 0" "--timeline-tracks rows"; do
  expect "${o%% *} is not for the functional machine" "$MPU" run -q --near=none $o kernels/axpy -- --n 100
done
for list in 1 0-1 x 1, -1 0,,0 "0 "; do
  run "--timeline-cores takes cores from 0 to 0, like 3,8-11; not '$list'" $t --timeline-cores "$list"
done
run "--timeline-cores takes cores from 0 to 127, like 3,8-11; not '128'" --config paper $t --timeline-cores 128
for list in all , blocks, ,blocks blocks,,bus Blocks block "bus " "blocks;bus"; do
  run "--timeline-tracks takes some of launches, blocks, " $t --timeline-tracks "$list"
done
run "--timeline-tracks needs a value" $t --timeline-tracks=
"$MPU" run --help | grep -- '--timeline FILE' >/dev/null || fail "mpu run --help does not say it"
# the settings of the program by themselves
"$MPU" cc kernels/plain/axpy/axpy.cu -o "$work/axpy" || fail "mpu cc"
export MPU_NEAR=c MPU_TIMELINE=$work/t.json
MPU_TIMELINE_WINDOW=7 expect "--timeline-window takes cycles A:B, from A on and before B (or A: or :B), not '7'" "$work/axpy" --n 100
MPU_TIMELINE=$work/none/t.json expect "cannot write '$work/none/t.json': No such file or directory" "$work/axpy" --n 100
MPU_TIMELINE_WINDOW=5: "$work/axpy" --n 100 >/dev/null || fail "the program by itself"
"$(dirname "$MPU")/tb/check_timeline" "$work/t.json" >/dev/null || fail "its timeline"
MPU_NEAR=none MPU_TIMELINE=$work/functional.json "$work/axpy" --n 100 >/dev/null || fail "the functional machine"
[[ ! -e $work/functional.json ]] || fail "the functional machine has a timeline"
exit $failed
