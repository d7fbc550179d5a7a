#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Other machines: fewer processors and cores, where blocks and bytes are, networks, cores in Verilog among others; what is wrong to say.
set -uo pipefail
. tb/mpu/machine/same.sh
machine() { # KEYS: lines of a configuration
  printf 'base: paper\n%b\n' "$1" >"$work/machine.yaml"
  config=$work/machine.yaml
}
right() { # KEYS OPTIONS: programs that many cores share have the right results
  machine "$1"
  counted base "--near=c $2" kernels/hist --n 2048
  [[ ! ${MPU_LONG:-} ]] || counted base "--near=c $2" kernels/gemv --rows 32 --cols 96
  counted base "--near=c $2" kernels/kmeans --n 150
  same "--near=lockstep --threads 2 $2" kernels/kmeans --n 150
}
sizes="1x2 2x1 4x16"
[[ ! ${MPU_LONG:-} ]] || sizes="1x2 1x4 1x8 1x16 2x1 2x2 2x8 4x2 4x16 8x1 8x4"
for size in $sizes; do right "machine: {processors: ${size%x*}, cores: ${size#*x}}" ""; done
four="machine: {processors: 2, cores: 4}"
right "machine: {processors: 2, cores: 4, blocks: continuous}" ""
echo 7 3 0 5 5 1 >"$work/blocks"
right "$four" "--blocks $work/blocks"
for map in "column_below: 1" "column_below: 5" "row_below: 8" "row_below: 13, column_below: 5" "first: processor" \
  "first: processor, column_below: 2, row_below: 1"; do
  right "$four\nmap: {$map}" ""
  counted base "--near=c" tb/mpu/machine/local.cu
done
for t in mesh diagonal_mesh concentrated concentrated_diagonal crossbar; do
  right "machine: {processors: 4, cores: 16}\nnetwork: {topology: $t, virtual_channels: 2}" ""
done
right "machine: {processors: 2, cores: 16}\nnetwork: {gateways: 4}" ""
right "machine: {processors: 8, cores: 4}\nnetwork: {gateways: 2, on_chip_buffer: 1, off_chip_buffer: 1}" ""
right "$four\nnetwork: {on_chip_buffer: 1, off_chip_buffer: 1, send_packets: 1, take_packets: 1, requests: 1, interface: 1, arbiter: round_robin}\ncore: {lsu_queue: 1}" ""
right "$four\nnetwork: {on_chip_bits: 32, off_chip_bits: 32, router_mhz: 8000, on_chip_mhz: 1000, off_chip_mhz: 2000, interface: 64}" ""

# parts in Verilog
machine "$four"
counted base "--near=c" kernels/hist --n 2048
for o in "--near=c --rtl-core 5" "--near=rtl --rtl-core 0,2-4" "--near=lockstep --rtl-core 1" "--near=lockstep --rtl-core 0,6-7 --threads 3"; do
  same "$o" kernels/hist --n 2048
done

# wrong TEXT OPTIONS...: status 2, and this is said
wrong() {
  "$MPU" run -q --near=c --config "$config" "${@:2}" kernels/axpy -- --n 100 >"$work/out" 2>&1
  local status=$?
  [[ $status == 2 ]] || fails "${*:2}: exit status $status, not 2"
  grep -qF -- "$1" "$work/out" || fails "${*:2}: this is not said: $1"
}
for list in 8 3-8 5-4 x 1, 1-, -1 "" 1,,2 99999999999999999999 "1 2"; do
  wrong "--rtl-core takes cores from 0 to 7, like 3,8-11; not '$list'" --rtl-core "$list"
done
for n in 0 65 -1 2x ""; do wrong "--threads takes a number from 1 to 64, not '$n'" --threads "$n"; done
file() { printf '%b' "$1" >"$work/wrong"; }
wrong "cannot read '$work/none'" --blocks "$work/none"
file "0 1 8 2" && wrong "block 2: '8' is not a valid core; allowed: 0 to 7" --blocks "$work/wrong"
file "0 1\nx" && wrong "block 2: 'x' is not a valid core; allowed: 0 to 7" --blocks "$work/wrong"
file "-1" && wrong "block 0: '-1' is not a valid core; allowed: 0 to 7" --blocks "$work/wrong"
file "\n \n" && wrong "the file has no core numbers" --blocks "$work/wrong"
machine "machine: {processors: 3}" && wrong "machine.yaml"
machine "machine: {cores: 12}" && wrong "machine.yaml"
machine "network: {requests: 0}" && wrong "machine.yaml"
exit $failed
