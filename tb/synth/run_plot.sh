#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu plot: a drawing has a line for each column, and tables that are none are refused.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "FAILED: $*"; failed=1; }
fails() { # TEXT ARGUMENTS...
  local text=$1
  shift
  "$MPU" plot "$@" >"$work/out" 2>"$work/err"
  [[ $? == 2 && $(<"$work/err") == *"$text"* ]] || wrong "plot $*: $(<"$work/err")"
}
printf 'lanes,Vector ALU,all\n8,1.25,5\n16,2.5,9\n32,5,17\n' >"$work/t.csv"
"$MPU" plot --title "Area <of> lanes" --y mm2 "$work/t.csv" "$work/t.svg" || wrong "a good table is refused"
for text in "Area &lt;of&gt; lanes" "Vector ALU" ">all<" ">lanes<" "mm2" "</svg>"; do
  [[ $(<"$work/t.svg") == *"$text"* ]] || wrong "the drawing has no '$text'"
done
# values go from 0 at 360 up to 20 at 40: all is at 280, 216, 88
for y in 280.0 216.0 88.0 340.0 320.0; do
  [[ $(<"$work/t.svg") == *"cy=\"$y\""* ]] || wrong "no point at y $y"
done
[[ $(grep -c 'class="line"' "$work/t.svg") -ge 2 ]] || wrong "fewer than two lines"
printf 'lanes,all\n8,5\n16\n' >"$work/short.csv"
fails "short.csv:3: 2 numbers are expected" "$work/short.csv" "$work/x.svg"
printf 'lanes,all\n8,five\n' >"$work/word.csv"
fails "word.csv:2: 'five' is not a number" "$work/word.csv" "$work/x.svg"
: >"$work/empty.csv"
fails "empty.csv: the first line must have" "$work/empty.csv" "$work/x.svg"
fails "cannot read" "$work/none.csv" "$work/x.svg"
fails "" "$work/t.csv" /nowhere/x.svg
fails "which table" "$work/t.csv"
fails "one table and one drawing" a b c
fails "unknown option" --width 3 a b
exit $failed
