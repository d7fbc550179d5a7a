#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same with several host threads, in lockstep; with MPU_LONG=1 in a build that watches them (ThreadSanitizer, gcc).
set -euo pipefail
programs=$(dirname "$MPU")/tb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPU_THREADS=3
if [[ ${MPU_LONG:-} ]]; then
  export MPU_RTL_LIBRARY=${MPU_RTL_LIBRARY:-$(dirname "$MPU")/libnearrtl.so}
  cmake -S "$MPU_ROOT" -B "$work" -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DNEARBANK_TESTS=ON \
    -DCMAKE_C_FLAGS=-fsanitize=thread >"$work/log"
  cmake --build "$work" -t test_schedule_thread_pool test_machine_turns test_machine_remote test_corpus_corpus >>"$work/log" ||
    { cat "$work/log"; exit 1; }
  programs=$work/tb
fi
run() { # TEST ARGUMENTS...
  "$programs/$1" "${@:2}" >"$work/out" 2>&1 && return
  echo "FAILED: $*"
  grep -m 1 -A 20 WARNING "$work/out" || tail -n 5 "$work/out"
  exit 1
}
run test_schedule_thread_pool
MPU_NEAR=c run test_machine_turns tickets
export MPU_NEAR=lockstep
run test_machine_turns dekker
run test_machine_turns rest
run test_machine_remote spaces
MPU_CORES=4 run test_corpus_corpus --count 6
