#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every function of the runtime library with a name of the API is one that holds its lock (harness/cuda/entry.h).
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
library=$(dirname "$MPU")/libmpurt.a
names=$(nm "$library" 2>/dev/null | awk '/^[^ ]*:$/ { object = $0 }
  $2 ~ /^[TW]$/ && $3 ~ /^(__cuda[A-Z]|cuda[A-Z]|cu[A-Z]|nvrtc[A-Z]|mpu_[a-z])/ { print object, $3 }')
without=$(grep -v '^entries\.c\.o: ' <<<"$names")
if [[ -n $without ]]; then
  printf 'FAILED: without the lock; declare them in a header of CALLS in CMakeLists.txt:\n%s\n' "$without"
  exit 1
fi
if (($(wc -l <<<"$names") < 290)); then
  printf 'FAILED: only these functions in %s:\n%s\n' "$library" "$names"
  exit 1
fi
