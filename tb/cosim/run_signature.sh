#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Four forms of a block, one signature: fifo, and few cycles of rtt, which has a memory, and of fpu, which computes; with --long
# all blocks.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
for driver in tb/*/*/drive.c; do
  block=$(basename "$(dirname "$driver")")
  compgen -G "rtl/*/$block/$block.sv" >/dev/null || continue # Verilog is still to come
  [[ $(block_names "$block") ]] || die "$block has traffic, but is not in tb/cosim/blocks.txt"
done
for block in $(block_names); do
  ! block_lacks "$block" || die "$block is in tb/cosim/blocks.txt"
done
[[ ! ${MPU_LONG:-} ]] || exec bash tb/cosim/signature.sh
bash tb/cosim/signature.sh fifo
bash tb/cosim/signature.sh --cycles 800 rtt fpu
