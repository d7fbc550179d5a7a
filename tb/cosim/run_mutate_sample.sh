#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A tenth of the mutants of the blocks whose proofs take seconds; with --long those of all blocks.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${MPU_LONG:-} ]] && blocks=() || blocks=(fifo regfile rtt)
exec bash tb/cosim/mutate.sh --sample "${blocks[@]}"
