#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --schedule: programs that wait for other warps and blocks end in every order; the same seed gives the same run; other
# options go with it or are refused.
set -uo pipefail
. tb/cli/expect.sh
waits=tb/cuda/races/waits.cu racy=tb/cuda/races/racy.cu
run() { timeout 300 "$MPU" run -q --near=none "$@" </dev/null >"$work/said" 2>"$work/err"; }

for order in "" --schedule=round-robin --schedule=random:0 --schedule=random:1 --schedule=random:18446744073709551615; do
  for kind in lock later earlier pipe grid; do
    run $order $waits -- $kind || fail "$kind $order: status $?: $(cat "$work/said" "$work/err")"
  done
done

# trace ORDER: its sum
trace() { run --schedule="$1" --trace "$work/trace" $racy -- histogram; sha256sum <"$work/trace"; }
declare -A of
for order in round-robin random:1 random:2 random:3; do
  of[$order]=$(trace $order)
  [[ ${of[$order]} == "$(trace $order)" ]] || fail "$order is another order the second time"
done
[[ ${of[random:1]} != "${of[random:2]}" && ${of[random:2]} != "${of[random:3]}" ]] || fail "two seeds give the same order"
[[ ${of[round-robin]} != "${of[random:1]}" ]] || fail "round-robin is random"
run --trace "$work/own" $racy -- reduce
run --schedule=round-robin --trace "$work/trace" $racy -- reduce
cmp -s "$work/own" "$work/trace" && fail "round-robin is the default order"
for order in round-robin random:1; do  # the same instructions, whatever their order
  run --schedule=$order --trace "$work/trace" $racy -- histogram-atomic
  run --trace "$work/own" $racy -- histogram-atomic
  [[ $(sort "$work/trace" | cut -d' ' -f1-5 | sha256sum) == "$(sort "$work/own" | cut -d' ' -f1-5 | sha256sum)" ]] ||
    fail "$order: other instructions"
done

# all warps of a turn: no warp is ever more than a turn ahead of another of the same kernel that only computes
run --schedule=round-robin --trace "$work/trace" $racy -- reduce
awk '{ if (key != $1 " " $2) { if (n > 64) bad++; n = 0; key = $1 " " $2 } n++ } END { exit bad > 0 }' "$work/trace" ||
  fail "a turn is longer than 64 instructions"

# what looks on
run --schedule=random:3 --retire "$work/a.retire" $waits -- lock || fail "--retire: $(cat "$work/err")"
[[ $("$MPU" retire --count "$work/a.retire") == *[1-9]* ]] || fail "--retire recorded nothing"
run --schedule=random:3 --stats "$work/stats" --arrays $racy -- reduce || fail "--arrays: $(cat "$work/err")"
grep -q '"d_out"' "$work/stats" || fail "--arrays counted nothing"

cat >"$work/stuck.cu" <<'CU'
__global__ void spin(volatile int *p) {
  while (!*p) {
  }
}
__global__ void uneven(int *p) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
  *p = 1;
}
int main(int argc, char **argv) {
  int *p;
  cudaMalloc(&p, 4);
  if (argc > 1)
    uneven<<<2, 64>>>(p);
  else
    spin<<<4, 64>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
for order in round-robin random:5; do
  run --schedule=$order --max-instructions 10000 "$work/stuck.cu"
  [[ $? == 1 ]] && grep -q "took more than 10000 warp instructions" "$work/err" || fail "$order: no limit: $(cat "$work/err")"
  run --schedule=$order "$work/stuck.cu" -- barrier
  [[ $? == 1 ]] && grep -q "deadlock in block" "$work/err" || fail "$order: no deadlock: $(cat "$work/err")"
done

"$MPU" cc $racy -o "$work/racy" || fail "mpu cc"
for order in fair random random: random:x random:-1 random:1x random:18446744073709551616 "random: 1"; do
  expect "--schedule takes round-robin or random:SEED" "$MPU" run --near=none --schedule="$order" $racy -- reduce
  MPU_SCHEDULE=$order expect "MPU_SCHEDULE takes round-robin or random:SEED" "$work/racy" reduce
done
for mode in c rtl lockstep; do
  expect "--schedule is for the functional machine" "$MPU" run --near=$mode --schedule=round-robin $racy
  expect "--schedule is for the functional machine" "$MPU" debug --near=$mode --schedule=round-robin $racy
done
expect "--checkpoint are not for the functional machine" "$MPU" run --near=none --schedule=random:1 --checkpoint "$work/c" $racy
exit $failed
