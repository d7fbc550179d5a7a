#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, and the cases of what is easily got wrong, also in time, on one core: near side in C, and in Verilog, in
# lockstep with the functional machine; in `./mpu test --long` in Verilog alone too, and all random programs of tb/corpus in
# lockstep.
set -euo pipefail
programs=$(dirname "$MPU")/tb
count() { # mode
  if [[ $1 == c ]]; then echo 100; elif [[ ! ${MPU_LONG:-} ]]; then echo 10; elif [[ $1 == lockstep ]]; then echo 360; else echo 20; fi
}
for mode in c ${MPU_LONG:+rtl} lockstep; do
  echo "--near=$mode"
  MPU_NEAR=$mode "$programs/test_wrong_wrong" | tail -n 1
  MPU_NEAR=$mode "$programs/test_wrong_timed_1_to_4" | tail -n 1
  MPU_NEAR=$mode "$programs/test_wrong_timed_5_to_8" | tail -n 1
  MPU_NEAR=$mode "$programs/test_corpus_corpus" --count $(count $mode) | tail -n 1
done
for dies in far-shared base-die; do
  echo "--dies=$dies"
  [[ ! ${MPU_LONG:-} ]] || MPU_DIES=$dies MPU_NEAR=lockstep "$programs/test_wrong_wrong" | tail -n 1
  MPU_DIES=$dies MPU_NEAR=c "$programs/test_corpus_corpus" --count 60 | tail -n 1
  MPU_DIES=$dies MPU_NEAR=lockstep "$programs/test_corpus_corpus" --count $([[ ${MPU_LONG:-} ]] && echo 20 || echo 5) | tail -n 1
done
