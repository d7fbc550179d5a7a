#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Going on by cycles, instructions, blocks and launches: where it stops, and that it changes nothing.
set -uo pipefail
. tb/inspect/debug/session.sh

# The first instruction issues in cycle 103: a row of the track table is cleared in cycle 0, the line of the I-cache
# is asked for in cycle 1, is there 100 cycles later, and what is fetched then issues after 2 (docs/micro.md: icache_miss,
# fetched). s2r issues in 105: mulw in 113 (s2r: 8), add.u64 in 125 (MUL: 12), the load in 138 (ALU2: 12, and a bank of the
# far file that both operands are in), add in 144: LINE is in the queue then.
session turn --near=c <<'X'
info
where
step
step 9
until 104
warp 0 1
next
next 2
next 2
s 3
n
info
block
continue
info
X
ends 0
says "launch 1: _Z4turnPKiPi, grid (1,1,1), blocks of (64,1,1) threads, from cycle 0 on" \
  "(mpu) info" "before cycle 0, cycle 0 of launch 1" "selected: core 0, no warp" \
  "(mpu) where" "there are no warps" \
  "(mpu) step" "before cycle 1" "(mpu) step 9" "before cycle 10" "(mpu) until 104" "before cycle 104" "(mpu) warp 0 1" \
  "(mpu) next" "cycle 104: block 0 warp 1 issues pc 0x10: ld.param.b64.F rd6, [rz+8], PTX line 28, turn.cu:3" \
  "before cycle 105: block 0 warp 1: pc 0x20: s2r.b32 r0, tid.x, PTX line 33, __clang_cuda_builtin_vars.h:53" \
  "(mpu) next 2" "cycle 113: block 0 warp 1 issues pc 0x30: mulw.u32.F rd8, r0, 4, PTX line 36, turn.cu:6" \
  "(mpu) next 2" "cycle 138: block 0 warp 1 issues pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6" \
  "(mpu) s 3" "before cycle 142: block 0 warp 1: pc 0x60: add.u32.N r2, r2, 1, PTX line 40, turn.cu:6" \
  "(mpu) n" "cycle 144: block 0 warp 1 issues pc 0x60: add.u32.N r2, r2, 1, PTX line 40, turn.cu:6" \
  "(mpu) info" "before cycle 145, cycle 145 of launch 1" \
  "selected: block 0 warp 1: pc 0x70: shl.b32.N r3, r0, 2, PTX line 42, turn.cu:6" \
  "(mpu) block"
# the end of the block is that of the launch; the next one begins where the first one came to rest
ended=$(sed -nE 's/^cycle ([0-9]+): block 0 has ended$/\1/p' "$work/out")
says "launch 1 has ended after $((${ended:-0} + 1)) cycles"
from=$(sed -nE 's/^launch 2: _Z3addPKiPi, grid \(2,1,1\), blocks of \(32,1,1\) threads, from cycle ([0-9]+) on$/\1/p' "$work/out")
says "before cycle ${from:-?}, cycle 0 of launch 2" "the commands have ended: the program runs to its end" right

# What is behind the end of a launch is not waited for: it comes to rest in the cycle in which the next one begins.
for until in $((from - 1)) $from $((from + 1)); do
  session turn --near=c < <(printf '%s\n' step "until $until" info)
  ends 0
  stands="before cycle $until, cycle $until of launch 1"
  ((until < from)) || stands="before cycle $from, cycle 0 of launch 2"
  says "(mpu) until $until" "(mpu) info" "$stands"
done

# A selected warp that ends (it has 17 instructions), then any; a launch that ends while more cycles were asked for.
session turn --near=c <<'X'
step
warp 0 1
next 21
next
step 100000
step
X
ends 0
says "(mpu) next 21" "block 0 warp 1 has ended" "(mpu) next" "(mpu) step 100000" "(mpu) step" "before cycle $((${from:-0} + 1))"
contains "cycle 353: block 0 warp 0 issues pc 0x130: add.u64.F rd4, rd4, rd8, PTX line 65, turn.cu:9"

# Each warp issues what it does on the functional machine, in that order.
cat >"$work/paths.cu" <<'CU'
__global__ void kernel(int *p) {
  int i = threadIdx.x, sum = 0;
  for (int n = 0; n < i % 5; n++)
    sum += n & 1 ? p[n] : n * i;
  if (i % 3 == 0)
    sum *= 7;
  else if (i % 3 == 1)
    for (int n = i; n > 0; n /= 2)
      sum ^= n;
  p[i] = sum;
}
int main() {
  int *p;
  cudaMalloc(&p, 4 * 40);
  cudaMemset(p, 1, 4 * 40);
  kernel<<<1, 40>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
"$MPU" run -q --near=none --trace "$work/trace" "$work/paths.cu" || fail "the functional machine"
for warp in 0 1; do
  awk -v w=$warp '$1 == 0 && $2 == w { print "0x" $3 }' "$work/trace" >"$work/want"
  count=$(wc -l <"$work/want")
  session paths --near=c < <(printf '%s\n' step "warp 0 $warp"; yes next | head -n "$count")
  ends 0
  sed -nE "s/^cycle [0-9]+: block 0 warp $warp issues pc (0x[0-9a-f]+): .*/\1/p" "$work/out" >"$work/got"
  ((count > 50)) && cmp -s "$work/want" "$work/got" || { fail "the path of warp $warp"; diff "$work/want" "$work/got" | head; }
done

# finish: up to the end of the warp that is selected, which the other one outlives; watch: the cycle in which a value changes
session turn --near=c < <(printf '%s\n' 'until 150' 'watch memory table+28' 'watch r0 0' 'info breaks' 'watch off 2' finish finish continue 'info breaks' run)
ends 0
says "watch 1: memory table+28" "watch 2: r0 0" "(mpu) info breaks" "there are no breakpoints" "watch 1: memory table+28" "watch 2: r0 0" "(mpu) finish" \
  "watch 1: memory table+28" "(mpu) finish" "block 0 warp 0 has ended" "(mpu) continue" "(mpu) info breaks" "watch 1: memory table+28" "right"
grep -qE '^was 0x[0-9a-f]+: 00000000' "$work/out" && grep -qE '^is  0x[0-9a-f]+: 00000007' "$work/out" || { fail "watch memory"; cat "$work/out"; }
# it is the cycle before which memory is what it was: the arrays got the write in it
at=$(sed -nE 's/^before cycle ([0-9]+).*/\1/p' "$work/out" | sed -n 2p)
session turn --near=c < <(printf '%s\n' "until $((at - 1))" 'print memory table+28 1' step 'print memory table+28 1')
grep -A 1 'print memory' "$work/out" | grep -oE ': [0-9a-f]{8}$' | tr -d '\n' | grep -qx ': 00000000: 00000007' || { fail "watch memory stops in another cycle"; cat "$work/out"; }
# of a warp: it stops once more when the warp has ended, and is over then; the next launch knows nothing of it
session turn --near=c < <(printf '%s\n' 'until 150' 'warp 0 1' 'watch p0' continue continue continue continue 'info breaks' run)
says "watch 1: p0: its warp has ended" "(mpu) info breaks" "there are no breakpoints" "(mpu) run" "right"

# Cycles and counters are those of a run without: with stops of all kinds, in windows of one cycle to the end.
printf 'base: paper\nmachine:\n  processors: 1\n  cores: 4\n' >"$work/four.yaml"
for options in "--near=c" "--near=lockstep" "--near=c --config $work/four.yaml" "--near=c --config $work/four.yaml --threads 2"; do
  for program in "$work/turn.cu" kernels/hist; do
    arguments=() && [[ $program != kernels/hist ]] || arguments=(-- --n 20000)
    "$MPU" run -q $options --stats "$work/plain" $program "${arguments[@]}" >"$work/said" || fail "$options $program"
    printf '%s\n' step "step 20" "until 110" next "next 3" "break event bank act row 2" "break cycle 400" "break event block core 0" \
      continue continue where "break event bank ref nbu 3" delete "watch memory @0" "step 3" "watch off" "break event bank pre row 16000" run >"$work/commands"
    "$MPU" debug -q $options --stats "$work/debugged" -x "$work/commands" $program "${arguments[@]}" >"$work/out" </dev/null ||
      fail "$options $program, debugged"
    diff <(counters "$work/plain") <(counters "$work/debugged") >/dev/null || fail "$options $program: other counters with the debugger"
    diff "$work/said" <(tail -n "$(wc -l <"$work/said")" "$work/out") >/dev/null || fail "$options $program: prints something else"
  done
done
exit $failed
