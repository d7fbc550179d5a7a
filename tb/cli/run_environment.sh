#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The environment is read by those who start programs (the tool, the compile driver, nvcc, benchmarks), and by the one file that reads a
# run's settings.
set -u
allowed='^(harness/(tool|cuda/driver|cuda/sdk/nvcc|study/bench)/[a-z_]*\.c|harness/cuda/settings\.c)$'
found=$(grep -rlE '\b(secure_)?getenv *\(|\benviron\b' csim harness --include='*.c' --include='*.cpp' --include='*.h' | grep -vE "$allowed")
[[ ! $found ]] || { echo "FAILED: these read the environment: $found"; exit 1; }
grep -q getenv harness/cuda/settings.c || { echo "FAILED: nothing reads the settings: has it moved?"; exit 1; }
