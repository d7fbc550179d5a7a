#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The environment is read by the tool, by the one file that reads a run's settings, and by the stand-in for models that mpu bench measures.
set -u
allowed='^(harness/tool/[a-z_]*\.c|harness/cuda/settings\.c|harness/study/bench/record\.c)$'
found=$(grep -rlE '\b(secure_)?getenv *\(|\benviron\b' csim harness --include='*.c' --include='*.cpp' --include='*.h' | grep -vE "$allowed")
[[ ! $found ]] || { echo "FAILED: these read the environment: $found"; exit 1; }
grep -q getenv harness/cuda/settings.c || { echo "FAILED: nothing reads the settings: has it moved?"; exit 1; }
