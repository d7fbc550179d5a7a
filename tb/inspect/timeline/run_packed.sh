#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packed timelines (.pftrace): a decoder finds in them what the JSON of the same run has; the same bytes with any number of
# threads and near side; ends, full disks, memory.
set -uo pipefail
. tb/inspect/timeline/common.sh
packed=$(dirname "$MPU")/tb/check_packed
# pack NAME OPTIONS...: a run with its packed timeline; its exit status
pack() {
  rm -f "$work/$1.pftrace"
  "$MPU" run -q --stats "$work/$1.stats" --timeline "$work/$1.pftrace" "${@:2}" >"$work/out" 2>"$work/err" </dev/null
}
both() { # STATUS OPTIONS...
  draw now "${@:2}"
  [[ $? == "$1" ]] || fail "${*:2}: JSON: another exit status"
  pack now "${@:2}"
  [[ $? == "$1" ]] || fail "${*:2}: packed: another exit status"
  "$packed" "$work/now.json" "$work/now.pftrace" >"$work/checked" && return
  fail "${*:2}: packed is not what the JSON says"
  head -n 5 "$work/checked"
}
counted() { grep -oP "(\d+)(?= $1)" "$work/checked"; }

both 0 --near=c --timeline-window 0: kernels/hist -- --n 1500
for what in tracks slices "steps of arrows" counts; do (($(counted "$what") > 100)) || fail "few $what were compared: $(<"$work/checked")"; done
((3 * $(stat -c %s "$work/now.pftrace") < 2 * $(stat -c %s "$work/now.json"))) || fail "it is not packed"
both 0 --near=c --config "$four" "$work/spaces.cu"
both 0 --near=c --config "$four" --timeline-window 300:900 "$work/spaces.cu"
both 0 --near=c --config "$four" --timeline-window 0:1 "$work/spaces.cu"
both 0 --near=c --timeline-window 99999999: "$work/spaces.cu"
both 0 --near=c --config paper --timeline-window 300:330 kernels/hist -- --n 8192
# more strings than are kept
cat >"$work/blocks.cu" <<'CU'
__global__ void kernel() {}
__global__ void bad(int *p) { p[threadIdx.x == 37 ? 1000000000 : 0] = 1; }
int main(int argc, char **argv) {
  kernel<<<2100, 32>>>();
  if (argc > 1)
    bad<<<2, 64>>>(0);
  cudaDeviceSynchronize();
  return 0;
}
CU
both 0 --near=c "$work/blocks.cu"
[[ $(<"$work/checked") == *"forgotten "[1-9]* ]] || fail "no strings were forgotten: $(<"$work/checked")"
both 3 --near=c --config "$four" --timeline-window 0: "$work/blocks.cu" -- fault

# ---- the same bytes
pack base --near=c --config "$four" "$work/spaces.cu" || fail "four cores"
for o in "--near=c --threads 3" --near=lockstep "--near=rtl --threads 2"; do
  pack now $o --config "$four" "$work/spaces.cu" || fail "$o"
  cmp "$work/base.pftrace" "$work/now.pftrace" || fail "$o: another timeline"
done
"$MPU" run -q --near=c --config "$four" --timeline "$work/t.perfetto-trace" "$work/spaces.cu" >"$work/out" 2>&1
cmp "$work/base.pftrace" "$work/t.perfetto-trace" || fail ".perfetto-trace"
"$MPU" run -q --near=c --config "$four" --timeline "$work/.pftrace" "$work/spaces.cu" >"$work/out" 2>&1
cmp "$work/base.pftrace" "$work/.pftrace" || fail "a name that is only the ending"
reduce=(machine reduce --near c --set machine.processors=1 --set machine.cores=4 --set reduce.accesses=20 --set reduce.requests=3)
"$MPU" "${reduce[@]}" --timeline "$work/nodes.json" >"$work/out" 2>&1 && "$MPU" "${reduce[@]}" --timeline "$work/nodes.pftrace" >"$work/out" 2>&1 ||
  fail "a machine of nodes"
"$packed" "$work/nodes.json" "$work/nodes.pftrace" >"$work/checked" || fail "a machine of nodes: $(head -n 3 "$work/checked")"

# ---- ends: what there is are whole packets, and no slice is open
size=$(stat -c %s "$work/base.pftrace")
for blocks in 1 2 10 $((size / 1024)) $((size / 1024 + 1)); do
  (
    trap '' XFSZ
    ulimit -f $blocks
    pack now --near=c --config "$four" "$work/spaces.cu"
  )
  status=$?
  ((status == (blocks * 1024 >= size ? 0 : 2))) || fail "room for $blocks KB: it ends with $status"
  ((blocks * 1024 < size)) || continue
  [[ ! -e $work/now.pftrace ]] || fail "room for $blocks KB: what is not whole has the name"
  kept=$(stat -c %s "$work/now.pftrace.part")
  ((kept <= blocks * 1024 && kept > blocks * 1024 - 300)) || fail "room for $blocks KB: $kept bytes"
  cmp -s <(head -c "$kept" "$work/base.pftrace") "$work/now.pftrace.part" || fail "room for $blocks KB: other bytes"
  "$packed" "$work/now.pftrace.part" | grep -v 'does not end' >"$work/checked"
  ! grep -q FAILED "$work/checked" || fail "room for $blocks KB: $(head -n 3 "$work/checked")"
done
cat >"$work/spin.cu" <<'CU'
__global__ void kernel(volatile int *p) {
  while (p[threadIdx.x] != 7)
    ;
}
int main() {
  int *p;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  kernel<<<2, 32>>>(p);
  return cudaDeviceSynchronize();
}
CU
for signal in INT KILL; do
  rm -f "$work"/now.*
  "$MPU" run -q --near=c --timeline "$work/now.pftrace" --timeline-window 0: "$work/spin.cu" >"$work/out" 2>"$work/err" &
  pid=$!
  wait_for longer_than 300000 "$work/now.pftrace.part" || fail "SIG$signal: no timeline"
  kill -s $signal $pid
  wait $pid 2>/dev/null
  [[ $signal == INT ]] || mv "$work/now.pftrace.part" "$work/now.pftrace"
  "$packed" "$work/now.pftrace" >"$work/checked"
  # a kill may come in the middle of a piece
  [[ $signal == INT ]] && ! grep -q FAILED "$work/checked" || (($(counted slices) > 1000)) || fail "SIG$signal: $(head -n 3 "$work/checked")"
done

# ---- memory does not grow with the length of the file
memory() { # CYCLES
  "$MPU" run -q --near=c --stats "$work/now.stats" --timeline "$work/now.pftrace" --timeline-window 0: --max-cycles "$1" "$work/spin.cu" >"$work/out" 2>&1
  grep -oP '"host_memory": \K\d+' "$work/now.stats"
}
short=$(memory 5000) long=$(memory 150000)
(($(stat -c %s "$work/now.pftrace") > 10000000)) || fail "the long file has only $(stat -c %s "$work/now.pftrace") bytes"
((long < short + 4000000)) || fail "memory: $short bytes, then $long"

# ---- the decoder notices a byte that is another one
pack base --near=c --timeline-window 400:460 kernels/hist -- --n 1500
draw base --near=c --timeline-window 400:460 kernels/hist -- --n 1500
"$packed" "$work/base.json" "$work/base.pftrace" >"$work/checked" || fail "a short window"
size=$(stat -c %s "$work/base.pftrace")
seed=${SEED:-3}
for k in {1..40}; do
  at=$(((seed * 7919 + k * 104729) % size))
  byte=$(od -An -t u1 -j $at -N 1 "$work/base.pftrace")
  cp "$work/base.pftrace" "$work/bad.pftrace"
  printf "\\x$(printf %x $((byte ^ (1 << k % 7))))" | dd of="$work/bad.pftrace" bs=1 seek=$at conv=notrunc status=none
  ! "$packed" "$work/base.json" "$work/bad.pftrace" >"$work/checked" || fail "the decoder takes a file with another byte at $at"
done
! "$packed" "$work/base.json" <(head -c $((size - 1)) "$work/base.pftrace") >"$work/checked" || fail "it takes a file that is cut"
exit $failed
