#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs that are compiled already: by themselves, and with mpu run, debug and profile in place of their sources. They take
# the cycles of their sources on every machine, as their device code is made again where it does not fit.
set -u
. tb/cli/expect.sh
program="$work/a program" source=kernels/plain/hist/hist.cu
"$MPU" cc -Ikernels/plain/hist "$source" -o "$program" || fail "mpu cc"
"$program" --n 3000 >"$work/out" 2>&1 && grep -q '^PASS' "$work/out" || fail "by itself: $(<"$work/out")"

# figures that depend on the device code and the machine
figures() { jq -c '[.cycles, .warp_instructions, .near_instructions, .far_instructions, .memory_digest]' "$work/stats.json"; }
same() { # OPTIONS...
  local of_source
  "$MPU" run -q --stats "$work/stats.json" "$@" "$source" -- --n 3000 >"$work/out" 2>&1 || fail "$* $source: $(<"$work/out")"
  of_source=$(figures)
  "$MPU" run -q --stats "$work/stats.json" "$@" "$program" -- --n 3000 >"$work/out" 2>&1 || fail "$* $program: $(<"$work/out")"
  [[ $(figures) == "$of_source" ]] || fail "$*: $(figures), from the source $of_source"
  figures
}
same --near=none >"$work/none"
same --near=c >"$work/small"
for config in nearbank-small far-shared location-hardware; do same --near=c --config $config >"$work/$config"; done
same --near=c --locate=far >"$work/far"
same --near=none --maxregs=12 >"$work/few"
same --near=lockstep --config nearbank-small --reorder >"$work/lockstep"
for other in nearbank-small location-hardware far; do # or nothing was compiled again
  ! cmp -s "$work/small" "$work/$other" || fail "$other is as small: $(<"$work/small")"
done
MPU_NEAR=c MPU_STATS=$work/stats.json "$program" --n 3000 >"$work/out" 2>&1 || fail "MPU_NEAR=c: $(<"$work/out")"
[[ $(figures) == "$(<"$work/small")" ]] || fail "MPU_NEAR=c: $(figures), mpu run $(<"$work/small")"

# options of the compiler that it was made with stay
"$MPU" cc -Ikernels/plain/hist --locate=far "$source" -o "$work/far-program" || fail "mpu cc --locate=far"
"$MPU" run -q --near=c --stats "$work/stats.json" "$work/far-program" -- --n 3000 >"$work/out" 2>&1 || fail "made with --locate=far: $(<"$work/out")"
[[ $(figures) == "$(<"$work/far")" ]] || fail "made with --locate=far: $(figures), not $(<"$work/far")"
expect 'does not fit the core.location' "$MPU" run -q --near=c --config location-near "$work/far-program" -- --n 3000

# a script, the debugger, a profile with PTX, a checkpoint
printf '#!/bin/sh\necho started\nexec "%s" --n 3000\n' "$program" >"$work/script" && chmod +x "$work/script"
"$MPU" run -q --near=c --stats "$work/stats.json" "$work/script" >"$work/out" 2>&1 || fail "a script: $(<"$work/out")"
grep -q started "$work/out" && [[ $(figures) == "$(<"$work/small")" ]] || fail "a script: $(figures)"
printf 'break hist.cu:21\ncontinue\nquit\n' | "$MPU" debug --near=c "$program" -- --n 3000 >"$work/out" 2>&1
grep -q 'hist.cu:21' "$work/out" || fail "mpu debug: $(tail -n 5 "$work/out")"
"$MPU" profile --near=c --by=ptx "$program" -o "$work/profile.html" --json "$work/profile.json" -- --n 3000 >"$work/out" 2>&1 || fail "mpu profile: $(<"$work/out")"
grep -qE 'ptx:[0-9]+ .*atom' "$work/out" || fail "mpu profile has no PTX: $(head -n 20 "$work/out")"
"$MPU" run -q --near=c --checkpoint "$work/point" --config nearbank-small --max-cycles 1000 "$program" -- --n 3000 >"$work/out" 2>&1
[[ $? == 3 && -s $work/point ]] || fail "a checkpoint: $(<"$work/out")"

# its device code
"$MPU" dis "$program" | grep -q '^\.kernel' || fail "mpu dis"
expect 'without device code' "$MPU" dis /bin/true
# wrong use
expect 'is for CUDA sources' "$MPU" run -q --near=c -O3 "$program"
expect 'is for CUDA sources' "$MPU" run -q --near=c -DX "$program"
expect 'is for CUDA sources' "$MPU" profile -q -S "$work/listing" "$program"
cp "$program" "$work/plain" && chmod -x "$work/plain"
expect 'and cannot be executed' "$MPU" run -q --near=c "$work/plain"
MPU_COMPILE=--fast expect 'other words than options of the compiler' "$program"
exit $failed
