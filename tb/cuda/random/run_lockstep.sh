#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random CUDA programs with near sides in Verilog, in lockstep with their twins; with MPU_LONG more of them.
set -euo pipefail
count=20
[[ ! ${MPU_LONG:-} ]] || count=500
"$(dirname "$MPU")/tb/test_random_programs" --seed 7 --count $count --near lockstep
