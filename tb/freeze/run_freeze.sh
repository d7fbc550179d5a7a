#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Behaviour is what frozen.txt has, with the near side in C: of each program, preset and network at least a case.
# With MPU_LONG all cases, also in lockstep, with two threads and on the functional machine.
set -uo pipefail
[[ ! ${MPU_LONG:-} ]] || exec bash tb/freeze/freeze.sh -j 2
some="small/|nearbank/(hist|nw)|rows-1/nw|rows-2/hist|closed-page/kmeans|no-refresh/axpy|far-shared/hist|location-hardware/kmeans"
some+="|location-near/hist|location-far/hist|base-die/hist|lrr/kmeans|tight/hist|sixteen/(nw|pr)|sixteen-(far|rows-1)/kmeans"
some+="|two/(gemv|hist)|(rows|columns)-across/kmeans|processor-first/hist|continuous/kmeans|diagonal/hist|concentrated/kmeans"
some+="|crossbar/hist|slow-links/kmeans|full-queues/hist|paper/axpy|dram/|"
some+="noc/(uniform|vaults|answers|depth|channels|unordered|packets|machine|chips|gateways)$"
if ! diff <(bash tb/freeze/freeze.sh --list | sort) <(sed -nE 's,^([a-z][^ ]*/[^ ]+) .*,\1,p' tb/freeze/frozen.txt | sort -u); then
  echo "FAILED: cases (<) and those that are recorded (>)"
  exit 1
fi
# programs as other tests have them compiled, of the same build
export MPU_CACHE=${MPU_CACHE:-$PWD/build/cache}
exec bash tb/freeze/freeze.sh --quick -j 2 --only "^($some)"
