#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With MPU_LONG: every workload on the machine of the paper at the paper's size, in C and in Verilog; everything that is counted is the same.
# Takes hours; MPU_PAPER names the workloads, all by default.
set -uo pipefail
. tb/mpu/machine/same.sh
[[ ${MPU_LONG:-} ]] || exit 0
while read -r w _; do
  [[ ! ${MPU_PAPER:-} || " $MPU_PAPER " == *" $w "* ]] || continue
  counted base "--near=c --threads 2" "kernels/$w" --paper || continue
  same "--near=rtl --threads 2" "kernels/$w" --paper
  echo "$w $(grep -o '"cycles": [0-9]*' "$work/base" | head -n 1)"
done <tb/mpu/machine/workloads.txt
exit $failed
