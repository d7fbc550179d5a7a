#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `mpu bench core` measures models with: a run through it is the same run, and its models do the same again.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$(dirname "$MPU")
models=${MPU_RTL_LIBRARY:-$build/libnearrtl.so}
one() { "$MPU" run -q --near=rtl --stats "$work/$1" kernels/axpy -- --n 5000 >/dev/null; }
one plain || { echo "FAILED: a plain run"; exit 1; }
MPU_RTL_LIBRARY=$build/libnearrecord.so MPU_RECORD_OF=$models MPU_RECORD=$work/record one recorded ||
  { echo "FAILED: a recorded run"; exit 1; }
same() { sed -E 's/"(host_seconds|host_memory|cpu_seconds|core_cycles_per_second)": [^,]*, //g' "$work/$1"; }
diff <(same plain) <(same recorded) || { echo "FAILED: the recorded run counts otherwise"; exit 1; }
cycles=$(grep -o '"core_cycles": [0-9]*' "$work/plain" | grep -o '[0-9]*$')
edges=$(sed -nE 's/^\{"seconds": 0\.[0-9]*[1-9][0-9]*, "edges": ([0-9]+)\}$/\1/p' "$work/record")
# four units, four tables and shared memory at most
((${edges:-0} > cycles && ${edges:-0} < 9 * cycles + 50)) || { echo "FAILED: $(cat "$work/record")"; exit 1; }
