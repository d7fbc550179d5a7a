#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The test of every opcode, near and far, whole and partial warps, on one core: near side in C; in `./mpu test --long`
# also in Verilog, in lockstep, and with shared memory or all lanes on the base die.
set -euo pipefail
ops=$(dirname "$MPU")/tb/test_isa_ops
MPU_NEAR=c "$ops"
[[ ${MPU_LONG:-} ]] || exit 0
for mode in rtl lockstep; do MPU_NEAR=$mode "$ops"; done
for dies in far-shared base-die; do MPU_DIES=$dies MPU_NEAR=c "$ops"; done
