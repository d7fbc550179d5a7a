#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The micro-benchmarks with the near side in Verilog and in lockstep; docs/micro.md is what they print.
set -euo pipefail
micro=$(dirname "$MPU")/tb/test_micro_micro
for mode in rtl lockstep; do
  echo "--near=$mode"
  MPU_NEAR=$mode "$micro"
done
diff "$MPU_ROOT/docs/micro.md" <(MPU_NEAR=c "$micro" --md) || {
  echo "docs/micro.md is out of date; make it with: $micro --md >docs/micro.md"
  exit 1
}
