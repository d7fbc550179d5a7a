#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A checkout in a path with blanks: a verilated model is built there, also one with faults; what Yosys makes goes elsewhere, or it says so.
set -u
. tb/cli/expect.sh
tree="$work/a tree"
mkdir "$tree"
cp -r --parents CMakeLists.txt CMakePresets.json VERSION csim harness kernels/mpucc rtl synth tb "$tree"
cd "$tree" || exit 2
{ cmake --preset release -S . && cmake --build build/release --target rtl_fifo -j2; } >"$work/log" 2>&1 || { fail "the Verilog does not build"; tail -n 5 "$work/log"; }
[[ -s build/release/rtl/librtl_fifo.a ]] || fail "there is no model"
expect "area: Yosys takes no blanks in names of files: '$tree/build/area/cache', where mapped netlists are kept; MPU_AREA_CACHE=FOLDER" \
  bash synth/area.sh --blocks clkgate
MPU_AREA_CACHE=$work/cache bash synth/area.sh --blocks clkgate --csv "$work/a table" >"$work/out" 2>"$work/err" || { fail "area"; cat "$work/err"; }
grep -q '^block,"clkgate"' "$work/a table" || fail "the table of area"
expect "this works in no path with blanks" bash tb/cosim/mutate.sh fifo
expect "this works in no path with blanks" bash tb/cosim/coverage.sh fifo
exit $failed
