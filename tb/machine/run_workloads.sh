#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every workload on the machine of the paper: its own check passes, and everything that is counted is the same in C, in Verilog, in
# lockstep, and with any number of host threads. With MPU_LONG, of all workloads sizes with which each core has a block, else of three.
set -uo pipefail
. tb/machine/same.sh
small() { # kernel arguments...
  counted base "--near=c" "kernels/$1" "${@:2}" || return
  same "--near=lockstep" "kernels/$1" "${@:2}"
}
all() {
  counted base "--near=c" "kernels/$1" "${@:2}" || return
  ! sed 's/.*"each": //' "$work/base" | grep -q '"blocks": 0,' || fails "$*: a core without a block"
  same "--near=rtl" "kernels/$1" "${@:2}"
  same "--near=c --threads 2" "kernels/$1" "${@:2}"
  same "--near=c --threads 3" "kernels/$1" "${@:2}"
  same "--near=c --threads 5" "kernels/$1" "${@:2}"
  same "--near=lockstep --threads 2" "kernels/$1" "${@:2}"
}
while read -r w; do small $w; done <tb/core/workloads.txt
while read -r w; do
  [[ ! ${MPU_LONG:-} && ! $w =~ ^(axpy|pr|upsamp) ]] || all $w
done <tb/machine/workloads.txt
exit $failed
