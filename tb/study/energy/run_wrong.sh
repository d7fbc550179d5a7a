#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu energy, used wrongly or on files that are not what it takes: one line, exit status 2. And runs that
# ended early, and output that finds no room.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

cat >"$work/trap.cu" <<'CU'
__global__ void kernel(int *p) {
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (p[0] == 0) __trap();
}
int main() {
  int *p;
  cudaMalloc(&p, 128);
  kernel<<<1, 32>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
"$MPU" run -q --near=c --stats "$work/good" kernels/axpy -- --n 1000 >/dev/null || wrong "mpu run"
"$MPU" run -q --near=none --stats "$work/none" kernels/axpy -- --n 1000 >/dev/null || wrong "mpu run --near=none"
"$MPU" run -q --near=c --stats "$work/fault" "$work/trap.cu" >/dev/null 2>&1
cd "$work" || exit 1
at=$(($(grep -bo '"subcores"' good | head -n 1 | cut -d: -f1) + 4))  # in a word
head -c $at good >cut
sed 's/"schema": 1/"schema": 0/' good >schema
sed 's/"schema": 1, //' good >others
sed 's/"fetches": [0-9]*, //' good >old
sed 's/"processors": [0-9]*, //' good >older
sed 's/"bus_down": [0-9]*/"bus_down": -3/' good >negative
sed 's/"bus_up": [0-9]*/"bus_up": "3"/' good >text
sed 's/"bus_up": [0-9]*/"bus_up": 99999999999999999999/' good >large
sed 's/"cores": 1/"cores": 0/' good >zero
: >empty
head -c 3000 "$MPU" >binary
printf '{"core": [[[[[[[[[[[[1]]]]]]]]]]]]}' >deep
printf 'energy:\n  tsv_bit: 1\n  none: 2\n' >bad.yaml
printf 'energy:\n  tsv_bit: -1\n' >negative.yaml

says() { # MESSAGE ARGS...
  local got status
  got=$("$MPU" energy "${@:2}" 2>&1 >out)
  status=$?
  [[ $got == "mpu: $1" && $status == 2 && ! -s out ]] || { wrong "mpu energy ${*:2}: status $status, says"; printf '  %s\n' "$got" "instead of" "mpu: $1"; }
}
says "which runs? mpu energy takes what mpu run --stats FILE wrote; see --help"
says "unknown option '--bits'; see mpu energy --help" --bits good
says "cannot read 'nowhere': No such file or directory" nowhere
says "cannot read 'nowhere': No such file or directory" good nowhere
says "'.' cannot be read: Is a directory" .
says "'cut' is not JSON, or is truncated: line 1, column $((at + 1)): found unexpected end of stream" cut
says "'empty' is not what mpu run --stats writes" empty
says "'trap.cu' is not what mpu run --stats writes" trap.cu
says "'binary' is not JSON, or is truncated: line 1, column 1: control characters are not allowed" binary
says "'deep' is not what mpu run --stats writes" deep
says "'others' is not what mpu run --stats writes" others
says "'none' comes from the functional machine, which has no cycles; use mpu run --near=c" none
says "'schema' is of schema 0; this mpu reads 1" schema
says "'old' has no core.subcores.fetches: an older mpu wrote it, or it is damaged; run again" old
says "'older' has no processors, cores or network: an older mpu wrote it; run again" older
says "'negative' is damaged: core.bus_down is '-3', which is not a count" negative
says "'text' is damaged: core.bus_up is '3', which is not a count" text
says "'large' is damaged: core.bus_up is '99999999999999999999', which is not a count" large
says "'zero' is damaged: it has no cores" zero
says "--set energy.tsv=1: unknown key 'energy.tsv'; nearest: energy.lsu" --set energy.tsv=1 good
says "--set energy.warp_slots=1: unknown key 'energy.warp_slots'; nearest: core.warp_slots" --set energy.warp_slots=1 good
says "--set takes section.key=value, as dram.page=closed; not 'tsv_bit'" --set tsv_bit good
says "--set takes section.key=value, as dram.page=closed; not '=3'" --set =3 good
says "--set needs a value" good --set
says "--set energy.tsv_bit=-1: energy.tsv_bit: -1 is out of range; allowed: 0 to 1000000" --set energy.tsv_bit=-1 good
says "--set energy.tsv_bit=: energy.tsv_bit: '' is not a number with at most six decimals; allowed: 0 to 1000000" --set energy.tsv_bit= good
says "--set energy.tsv_bit=much: energy.tsv_bit: 'much' is not a number with at most six decimals; allowed: 0 to 1000000" --set=energy.tsv_bit=much good
says "--config needs a value" good --config
says "cannot read './none.yaml': No such file or directory" --config ./none.yaml good
says "negative.yaml:2: energy.tsv_bit: -1 is out of range; allowed: 0 to 1000000" --config negative.yaml good
says "--list goes with --config and --set only" --list good
says "--csv or --json, not both" --csv --json good
"$MPU" energy --config bad.yaml good >out 2>&1
grep -q "^mpu: bad.yaml:3: unknown key 'energy.none'" out || wrong "an unknown key in a file"

"$MPU" energy fault >out
grep -qx "the run ended early (fault): energy up to that point" out || wrong "a run that ended early"
"$MPU" energy fault good >out
grep -q "ended early$" out || wrong "a run that ended early, among others"
if [[ -w /dev/full ]]; then
  got=$("$MPU" energy good 2>&1 >/dev/full)
  [[ $? == 2 && $got == "mpu: cannot write to standard output: No space left on device" ]] || wrong "a full disk: $got"
fi
[[ $("$MPU" energy --help) == "usage: mpu energy"* ]] || wrong "--help"
exit $failed
