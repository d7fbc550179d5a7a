#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Behaviour is what frozen.txt has: with the near side in C; with MPU_LONG also in lockstep, with two threads and on the
# functional machine.
set -uo pipefail
[[ ! ${MPU_LONG:-} ]] || exec bash tb/freeze/freeze.sh -j 2
exec bash tb/freeze/freeze.sh --quick -j 2
