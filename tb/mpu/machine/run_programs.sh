#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, and the cases of what is easily got wrong, on 4 and 128 cores, in lockstep with the functional machine. With
# MPU_LONG more of them, other dies, and the instructions that access memory.
set -euo pipefail
programs=$(dirname "$MPU")/tb
corpus() { MPU_CORES=$1 MPU_NEAR=lockstep "$programs/test_corpus_corpus" --first $2 --count $3 | tail -n 1; }
MPU_CORES=4 MPU_NEAR=lockstep "$programs/test_wrong_wrong" | tail -n 1
MPU_CORES=128 MPU_NEAR=c "$programs/test_wrong_wrong" | tail -n 1
corpus 4 0 $([[ ${MPU_LONG:-} ]] && echo 2025 || echo 10)
corpus 128 100 $([[ ${MPU_LONG:-} ]] && echo 105 || echo 3)
[[ ${MPU_LONG:-} ]] || exit 0
for dies in far-shared base-die; do MPU_DIES=$dies corpus 4 200 100; done
for part in memory atomics; do MPU_CORES=4 MPU_NEAR=lockstep "$programs/test_isa_ops" --only $part; done
