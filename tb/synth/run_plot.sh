#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu plot: a drawing has a line for each column, and tables that are none are refused.
set -uo pipefail
. tb/cli/expect.sh
printf 'lanes,Vector ALU,all\n8,1.25,5\n16,2.5,9\n32,5,17\n' >"$work/t.csv"
"$MPU" plot --title "Area <of> lanes" --y mm2 "$work/t.csv" "$work/t.svg" || fail "a good table is refused"
for text in "Area &lt;of&gt; lanes" "Vector ALU" ">all<" ">lanes<" "mm2" "</svg>"; do
  [[ $(<"$work/t.svg") == *"$text"* ]] || fail "the drawing has no '$text'"
done
# values go from 0 at 360 up to 20 at 40: all is at 280, 216, 88
for y in 280.0 216.0 88.0 340.0 320.0; do
  [[ $(<"$work/t.svg") == *"cy=\"$y\""* ]] || fail "no point at y $y"
done
[[ $(grep -c 'class="line"' "$work/t.svg") -ge 2 ]] || fail "fewer than two lines"
printf 'lanes,all\n8,5\n16\n' >"$work/short.csv"
expect "short.csv:3: 2 numbers are expected" "$MPU" plot "$work/short.csv" "$work/x.svg"
printf 'lanes,all\n8,five\n' >"$work/word.csv"
expect "word.csv:2: 'five' is not a number" "$MPU" plot "$work/word.csv" "$work/x.svg"
: >"$work/empty.csv"
expect "empty.csv: the first line must have" "$MPU" plot "$work/empty.csv" "$work/x.svg"
expect "cannot read" "$MPU" plot "$work/none.csv" "$work/x.svg"
expect "" "$MPU" plot "$work/t.csv" /nowhere/x.svg
expect "which table" "$MPU" plot "$work/t.csv"
expect "one table and one drawing" "$MPU" plot a b c
expect "unknown option" "$MPU" plot --width 3 a b
exit $failed
