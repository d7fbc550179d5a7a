#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# 64-bit atomics on shared memory that have company in the near-bank unit, with registers in different places: the program checks
# its result. In lockstep once.
set -uo pipefail
. tb/cli/expect.sh
"$MPU" cc tb/mpu/core/wide.cu -o "$work/wide" || fail "mpu cc"
for preset in small nearbank-small far-shared; do
  for regs in 8 16 24 40; do
    # nearbank-small has a policy of its own
    [[ $preset == nearbank-small ]] && policies=("") || policies=(--locate=paper --locate=near --locate=cost)
    for locate in "${policies[@]}"; do
      # shellcheck disable=SC2086
      "$MPU" run -q --near=c --config "$preset" --maxregs "$regs" $locate "$work/wide" >"$work/out" 2>&1 ||
        fail "$preset, $regs registers, $locate: $(tail -n 3 "$work/out")"
    done
  done
done
"$MPU" run -q --near=lockstep "$work/wide" >"$work/out" 2>&1 || fail "in lockstep: $(tail -n 3 "$work/out")"
exit $failed
