#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests of values on several cores, in lockstep with the functional machine: random programs, the cases of what is easily got wrong,
# instructions that access memory, and the programs of this folder. MPU_LONG=1: all of them.
set -euo pipefail
programs=$(dirname "$MPU")/tb
corpus() { MPU_CORES=$1 MPU_NEAR=$2 "$programs/test_corpus_corpus" --first $3 --count $4 | tail -n 1; }
MPU_CORES=4 MPU_NEAR=lockstep "$programs/test_wrong_wrong" | tail -n 1
MPU_CORES=128 MPU_NEAR=c "$programs/test_wrong_wrong" | tail -n 1
corpus 4 lockstep 0 ${MPU_LONG:+20}25
corpus 128 lockstep 100 ${MPU_LONG:+10}5
for dies in far-shared base-die; do MPU_DIES=$dies corpus 4 lockstep 200 ${MPU_LONG:+10}5; done
for test in values_4 spaces refresh; do MPU_NEAR=lockstep "$programs/test_machine_remote" $test | tail -n 1; done
for test in tickets dekker rest; do MPU_NEAR=lockstep "$programs/test_machine_turns" $test | tail -n 1; done
MPU_NEAR=rtl "$programs/test_machine_remote" values_2 | tail -n 1
[[ ${MPU_LONG:-} ]] || exit 0
for mode in rtl lockstep; do
  for test in remote turns; do MPU_NEAR=$mode "$programs/test_machine_$test" | tail -n 1; done
done
for part in memory atomics; do MPU_CORES=4 MPU_NEAR=lockstep "$programs/test_isa_ops" --only $part; done
