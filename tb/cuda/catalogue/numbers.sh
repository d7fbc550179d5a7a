#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# numbers.sh FILE FILE [TOLERANCE [SCALE]]: do both have the same numbers, in their order, within TOLERANCE (relative; of values
# below SCALE (1) TOLERANCE * SCALE)? Other words are not compared. 0 numbers are an error.
LC_ALL=C awk -v tolerance="${3:-0}" -v scale="${4:-1}" '
  FNR == 1 { file = FILENAME == ARGV[1] ? 1 : 2 }
  { for (k = 1; k <= NF; k++) if ($k ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/) value[file, ++count[file]] = $k + 0
    else if (tolower($k) ~ /^[-+]?(nan|inf)/) bad = "not a number: " $k }
  END {
    if (bad) { print "error: " bad; exit 1 }
    if (!count[1] || count[1] != count[2]) { print "error: " count[1] + 0 " and " count[2] + 0 " numbers"; exit 1 }
    for (k = 1; k <= count[1]; k++) {
      a = value[1, k]; b = value[2, k]; d = a > b ? a - b : b - a
      size = a < 0 ? -a : a
      if (d > tolerance * (size > scale ? size : scale)) { if (!wrong++) first = "number " k ": " a " and " b }
    }
    if (wrong) { print "error: " wrong " of " count[1] " numbers differ; " first; exit 1 }
  }' "$1" "$2"
