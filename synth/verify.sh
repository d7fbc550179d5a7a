# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# mpu area --verify, sourced by area.sh: Yosys reads the netlists of die_slice and of all that is in it as one
# design and counts its cells and their area; area.awk's sums must be the same.
top=die_slice # by itself, or with parameters
for u in "${units[@]}"; do [[ ${call[$u]} != die_slice\ * ]] || top=$u; done
# the library with the areas that library.awk found elsewhere
awk 'FNR == NR { if ($1 == "cell") area[$2] = $3; next }
  /^ *cell *\(/ { cell = $0; gsub(/.*\(|\).*|[" ]/, "", cell) }
  /^ *area *: *0(\.0*)?;/ && cell in area { sub(/: *0[.0]*;/, ": " area[cell] ";") }
  { print }' "$work/library" "$liberty" >"$work/areas.lib"
{
  echo "read_liberty -lib $liberty"
  echo "read_verilog -sv -lib -DSYNTHESIS -Irtl/common rtl/common/ram_1r1w.sv"
  for u in "${units[@]}"; do
    [[ ${call[$u]} == fpu || ${call[$u]} == rtt ]] || echo "read_verilog ${place[$u]}/netlist.v"
  done
  echo "hierarchy -check -top $top"
  echo "tee -o $work/stat stat -top $top -liberty $work/areas.lib"
} >"$work/verify.ys"
yosys -q "$work/verify.ys" >"$work/said" 2>&1 || die "the netlists do not fit together: $(grep -m1 ERROR "$work/said")"
report -v json="$work/json" >/dev/null
awk '
  FNR == NR && /design hierarchy/ { on = 1 }
  FNR == NR && on && NF == 2 && $2 ~ /^[0-9]+$/ && $1 ~ /^[A-Z][A-Z0-9_a-z]*$/ && $1 !~ /ram_1r1w/ { cells += $2 }
  FNR == NR && on && $1 == "ram_1r1w" { rams = $2 }
  FNR == NR && /Chip area for top module/ { area = $NF }
  FNR != NR && /"nand2_area"/ { nand = $0; sub(/.*"nand2_area": /, "", nand); nand += 0 }
  FNR != NR && /"module": "die_slice"/ {
    ours_cells = $0; sub(/.*"cells": /, "", ours_cells); ours_cells += 0
    ours = $0; sub(/.*"gate_equivalents": /, "", ours); ours = (ours + 0) * nand
  }
  END {
    printf "die_slice, all netlists read together: %d cells, area %.0f, %d memories\n", cells, area, rams
    printf "sums of the parts:                     %d cells, area %.0f\n", ours_cells, ours
    d = area - ours
    same = cells == ours_cells && d < 0.01 * nand && -d < 0.01 * nand
    print same ? "the same" : "NOT THE SAME"
    exit !same
  }' "$work/stat" "$work/json"
