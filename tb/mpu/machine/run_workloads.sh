#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every workload on the machine of the paper, with a block at least for each core: its own check passes, and everything that is counted is
# the same with several host threads in C, or in lockstep; of some also in Verilog alone, and with MPU_LONG of all, with more threads.
# tb/mpu/core has all of them in lockstep on one core.
set -uo pipefail
. tb/mpu/machine/same.sh
all() { # kernel arguments...
  counted base "--near=c" "kernels/$1" "${@:2}" || return
  ! sed 's/.*"each": //' "$work/base" | grep -q '"blocks": 0,' || fails "$*: a core without a block"
  # lockstep has the same Verilog, compared in each cycle: alone it need not run everything
  [[ ! ${MPU_LONG:-} && $1 != hist ]] || same "--near=rtl" "kernels/$1" "${@:2}"
  if [[ ${MPU_LONG:-} || " axpy kmeans " == *" $1 "* ]]; then
    same "--near=lockstep --threads 2" "kernels/$1" "${@:2}"
    [[ ${MPU_LONG:-} ]] || return  # with two threads too
  fi
  for n in 2 ${MPU_LONG:+3 5}; do
    same "--near=c --threads $n" "kernels/$1" "${@:2}"
  done
}
while read -r w; do all $w; done <tb/mpu/machine/workloads.txt
exit $failed
