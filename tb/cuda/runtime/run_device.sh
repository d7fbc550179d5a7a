#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a CUDA program is told about its device is the machine that it runs on: size, limits, occupancy.
set -u
. tb/cli/expect.sh
source=tb/cuda/runtime/device/device.cu
# is NAME OPTIONS... : what the program prints with these options is standard input
is() {
  local name=$1
  shift
  cat >"$work/expected"
  "$MPU" run -q "$@" "$source" >"$work/printed" 2>"$work/err" || { fail "$name: mpu run $*"; tail -n 3 "$work/err"; }
  diff "$work/expected" "$work/printed" || fail "$name: what the program was told"
}
is "the functional machine" --near=none <<'TEXT'
cores 128
memory 32768 MB
shared 65536
registers 32768
threads 1024 of 2048, 1024 1024 64
blocks 16
bus 524288
clock 1000000
dynamic 65536
room 16 16 12 2, 16 16 0
grid of cores 1
TEXT
is "one core" --near=c <<'TEXT'
cores 1
memory 256 MB
shared 65536
registers 32768
threads 1024 of 2048, 1024 1024 64
blocks 16
bus 4096
clock 1000000
dynamic 65536
room 16 16 12 2, 16 16 0
grid of cores 1
TEXT
# four slots in each of four subcores, nine blocks; 160 threads are five warps
printf 'base: small\nmachine: {cores: 4}\ncore: {warp_slots: 4, block_slots: 9, far_rf_bytes: 8192}\nshared: {bytes: 4096}\n' >"$work/m.yaml"
is "another machine" --near=c --config "$work/m.yaml" <<'TEXT'
cores 4
memory 1024 MB
shared 4096
registers 8192
threads 512 of 512, 512 512 64
blocks 9
bus 16384
clock 1000000
dynamic 4096
room 9 5 3 0, 9 3 0
grid of cores 1
TEXT
exit $failed
