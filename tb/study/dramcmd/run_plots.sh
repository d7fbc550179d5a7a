#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The plots of docs/calibration.md are what its commands draw: the quick ones; with MPU_LONG all.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0
while read -r _ line; do
  plot=$(sed -n 's/.*--plot \([^ ]*\).*/\1/p' <<<"$line")
  [[ $plot ]] || continue
  [[ ${MPU_LONG:-} || $line != *rate=* ]] || continue
  read -ra words <<<"${line/"$plot"/"$work/plot.svg"}"
  "$MPU" "${words[@]}" >"$work/out" && cmp "$work/plot.svg" "$plot" && count=$((count + 1)) ||
    { echo "FAILED: docs/calibration.md: mpu $line"; failed=1; }
done < <(grep '^    \./mpu dram ' docs/calibration.md)
((failed)) && exit 1
((count > 2)) || { echo "FAILED: $count plots"; exit 1; }
echo "$count plots are up to date"
