#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs of this folder with near sides in Verilog, and in lockstep with the functional machine; some of them, with MPU_LONG all.
set -euo pipefail
programs=$(dirname "$MPU")/tb
run() { "$programs/$1" "${@:2}" | tail -n 1; }
if [[ ${MPU_LONG:-} ]]; then
  for mode in rtl lockstep; do
    for test in remote turns launches; do MPU_NEAR=$mode run test_machine_$test; done
  done
  exit 0
fi
export MPU_NEAR=lockstep
run test_machine_remote values_2
run test_machine_turns tickets
MPU_NEAR=rtl run test_machine_turns dekker
