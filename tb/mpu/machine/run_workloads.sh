#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Workloads on the machine of the paper, with a block at least for each core: their own checks pass, and everything that is counted is
# the same with several host threads in C, in lockstep and in Verilog alone. Five of them, and the latter of some; with MPU_LONG all of
# all, with more threads. tb/mpu/core has all of them in lockstep on one core, tb/freeze in C on sixteen.
set -uo pipefail
. tb/mpu/machine/same.sh
all() { # kernel arguments...
  counted base "--near=c" "kernels/$1" "${@:2}" || return
  ! sed 's/.*"each": //' "$work/base" | grep -q '"blocks": 0,' || fails "$*: a core without a block"
  case ${MPU_LONG:+all}$1 in
  all*)
    same "--near=rtl" "kernels/$1" "${@:2}"
    same "--near=lockstep --threads 2" "kernels/$1" "${@:2}"
    for n in 2 3 5; do same "--near=c --threads $n" "kernels/$1" "${@:2}"; done
    ;;
  axpy)
    same "--near=rtl" "kernels/$1" "${@:2}"
    same "--near=lockstep --threads 2" "kernels/$1" "${@:2}"
    ;;
  kmeans | nw) same "--near=c --threads 2" "kernels/$1" "${@:2}" ;;
  esac
}
some=" axpy hist kmeans knn nw "
while read -r w; do
  [[ ! ${MPU_LONG:-} && $some != *" ${w%% *} "* ]] || all $w
done <tb/mpu/machine/workloads.txt
exit $failed
