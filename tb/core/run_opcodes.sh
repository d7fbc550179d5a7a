#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The test of every opcode, near and far, whole and partial warps, on one core (near side in C).
MPU_NEAR=c exec "$(dirname "$MPU")/tb/test_isa_ops"
