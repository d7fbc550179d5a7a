#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every kind of breakpoint, in the cycle that follows from the pages (terms of docs/micro.md; the first instructions of
# `turn` are timed in run_steps.sh).
set -uo pipefail
. tb/inspect/debug/session.sh

# The load of line 6 issues in cycle 138. Its address is read in 143 (offload 2, collect 3), LINE leaves in 144 (start).
# It is on the bus in 145, order takes it in 147, it goes in 148 and lsux takes it in 149. The request for the first bank is made
# in 152, so it is chosen in 154 and on the pins in 156; the other banks follow every 4 cycles (tRRD). The rows are read 14 cycles
# later (tRCD). What follows does not wait for the load: add issues in the cycle of LINE.
session turn --near=c <<'X'
break event start
continue
info breaks
step
delete 1
break event packet line nbu 0
b event bank act nbu 1
break event bank RD bank 3 nbu 0 row 0
break event retire warp 0 1
break cycle 160
break turn.cu:6 warp 0 1
break *0x50 warp 0,0,0 0
info breaks
continue
continue
continue
continue
delete 4
continue
continue
continue
continue
continue
continue
continue
continue
info breaks
disassemble 0x30 3
X
ends 0
says "breakpoint 1: event start" "breakpoint 1, cycle 0: block 0 starts" "before cycle 1" "1   event start, hit 1 times" \
  "before cycle 2" "breakpoint 1: event packet line nbu 0" "breakpoint 2: event bank act nbu 1" \
  "breakpoint 3: event bank RD bank 3 nbu 0 row 0" "breakpoint 4: event retire warp 0 1" "breakpoint 5: cycle 160" \
  "breakpoint 6: turn.cu:6 warp 0 1" "breakpoint 7: *0x50 of _Z4turnPKiPi warp 0,0,0 0" \
  "7   *0x50 of _Z4turnPKiPi warp 0,0,0 0, hit 0 times" \
  "breakpoint 4, cycle 113: block 0 warp 1 has ended pc 0x20: s2r.b32 r0, tid.x, PTX line 33, __clang_cuda_builtin_vars.h:53" \
  "breakpoint 6, cycle 113: block 0 warp 1 issues pc 0x30: mulw.u32.F rd8, r0, 4, PTX line 36, turn.cu:6" \
  "before cycle 114: block 0 warp 1: pc 0x40: add.u64.F rd4, rd4, rd8, PTX line 37, turn.cu:6" \
  "breakpoint 4, cycle 115: block 0 warp 1 has ended pc 0x0: ld.param.b64.F rd4, [rz], PTX line 27, turn.cu:3" \
  "breakpoint 4, cycle 116: block 0 warp 1 has ended pc 0x10: ld.param.b64.F rd6, [rz+8], PTX line 28, turn.cu:3" \
  "breakpoint 4, cycle 125: block 0 warp 1 has ended pc 0x30: mulw.u32.F rd8, r0, 4, PTX line 36, turn.cu:6" \
  "(mpu) delete 4" \
  "breakpoint 7, cycle 138: block 0 warp 0 issues pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6" \
  "breakpoint 1, cycle 144: NBU 0: LINE of 1 flits, tag 0, of block 0 warp 0 pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6" \
  "before cycle 145: block 0 warp 0: pc 0x70: shl.b32.N r3, r0, 2, PTX line 42, turn.cu:6" \
  "breakpoint 2, cycle 156: NBU 1 bank 0: ACT of row 0" \
  "breakpoint 5: cycle 160" "before cycle 160: block 0 warp 0: pc 0x90: bar.sync.b32 rz, rz, rz, PTX line 48, turn.cu:7" \
  "breakpoint 2, cycle 160: NBU 1 bank 1: ACT of row 0" "breakpoint 2, cycle 164: NBU 1 bank 2: ACT of row 0" \
  "breakpoint 2, cycle 168: NBU 1 bank 3: ACT of row 0" "breakpoint 3, cycle 182: NBU 0 bank 3: RD of row 0" \
  "2   event bank act nbu 1, hit 4 times" "3   event bank RD bank 3 nbu 0 row 0, hit 1 times" "5   cycle 160, hit 1 times" \
  " b pc 0x30: mulw.u32.F rd8, r0, 4, PTX line 36, turn.cu:6" \
  "   pc 0x40: add.u64.F rd4, rd4, rd8, PTX line 37, turn.cu:6" " b pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6" right

# A barrier is far, and reads nothing: it arrives 3 cycles after its issue (offload, collect_none). The other warp is there
# a cycle later, so the barrier does not wait: the next instruction issues after 9 cycles, as behind a barrier of one warp.
# Packets of both directions; the end of the block.
session turn --near=lockstep <<'X'
break *0x90 warp 0 0
continue
break event barrier
continue
continue
break *0xa0
continue
delete
break event packet shm nbu 1
break event packet DONE nbu 1
continue
continue
delete
break event packet regd
break event block
break event fault
break event bank ref
continue
continue
X
ends 0
issue=$(sed -nE 's/^breakpoint 1, cycle ([0-9]+): block 0 warp 0 issues pc 0x90.*/\1/p' "$work/out")
says "breakpoint 2, cycle $((${issue:-0} + 3)): block 0 warp 0 arrives at pc 0x90: bar.sync.b32 rz, rz, rz, PTX line 48, turn.cu:7"
says "breakpoint 2, cycle $((${issue:-0} + 4)): block 0 warp 1 arrives at pc 0x90: bar.sync.b32 rz, rz, rz, PTX line 48, turn.cu:7" \
  "breakpoint 3, cycle $((${issue:-0} + 9)): block 0 warp 0 issues pc 0xa0: sub.u32.N r2, rz, r3, PTX line 50, turn.cu:8"
grep -qE "^breakpoint 1, cycle [0-9]+: NBU 1: SHM of 2 flits, tag [0-9]+, of block 0 warp 1 pc 0xb0: ld.shared.b32.N r2, \[r2\+252\], PTX line 51, turn.cu:8$" "$work/out" ||
  { fail "the packet for shared memory"; cat "$work/out"; }
# what is not answered is no answer when it is complete: the next one is that to the SYNC of the warp that ends
grep -qE "^breakpoint 2, cycle 3[0-9][0-9]: NBU 1: DONE of 1 flits, tag [0-9]+$" "$work/out" || { fail "the answer"; cat "$work/out"; }
says "breakpoint 2, cycle 395: block 0 has ended" "before cycle 396" "launch 1 has ended after 396 cycles" \
  "launch 2: _Z3addPKiPi, grid (2,1,1), blocks of (32,1,1) threads, from cycle 425 on" "the commands have ended: the program runs to its end"

# The answer to a write of less than a line in another unit; most others are those to SYNC.
{ echo break event packet done nbu 1; for n in {1..60}; do echo continue; done; } >"$work/writes"
"$MPU" debug -q --near=c -x "$work/writes" kernels/plain/gemv >"$work/out" 2>&1
grep -qE "^breakpoint 1, cycle [0-9]+: NBU 1: DONE of 1 flits, tag [0-9]+, of block [0-9]+ warp [0-9] pc 0x[0-9a-f]+: st.global.b32.F" "$work/out" ||
  { fail "the answer to a write"; cat "$work/out"; }

# A breakpoint of a kernel is of that one only; of a line, of all; the hits of one cycle.
session turn --near=c <<'X'
break *0x20
break 14
run
run
run
info breaks
run
X
ends 0
says "1   *0x20 of _Z4turnPKiPi, hit 2 times" "2   turn.cu:14, hit 2 times"
says "breakpoint 2: turn.cu:14" "breakpoint 1, cycle 105: block 0 warp 0 issues pc 0x20: s2r.b32 r0, tid.x, PTX line 33, __clang_cuda_builtin_vars.h:53"
grep -qE "^breakpoint 2, cycle 5[0-9][0-9]: block [01] warp 0 issues pc 0x[0-9a-f]+: .*turn.cu:14$" "$work/out" || { fail "a line of the second launch"; cat "$work/out"; }
! grep -q '^launch [12] has ended\|^launch 2' "$work/out" || fail "run stops at launches"

# Refreshes come every 3900 cycles, REF of the first bank follows when its row is closed.
cat >"$work/long.cu" <<'CU'
__global__ void kernel(volatile int *p) {
  for (int n = 0; n < 500; n++)
    p[threadIdx.x] = n;
}
int main() {
  int *p;
  cudaMalloc(&p, 128);
  kernel<<<1, 32>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
session long --near=c <<'X'
break event bank ref nbu 2 bank 1
break event bank ref nbu 2 bank 0 row 5
continue
continue
banks 2
X
ends 0
# the unit has no requests: owed, refreshing, chosen and carried out (the four cycles of `tick`), a bank a cycle
says "breakpoint 1, cycle 3905: NBU 2 bank 1: REF" "breakpoint 1, cycle 7805: NBU 2 bank 1: REF"
# rows of the configuration
session long --near=c --set dram.rows=8192 <<'X'
break event bank act nbu 2 bank 0 row 9000
X
grep -qF "a row is a number from 0 to 8191, not '9000'" "$work/err" || fail "row 9000 of 8192"
# and its queue
session turn --near=c --set dram.queue=8 <<'X'
until 160
banks 1
X
contains "controller: 1 of 8 lines"

# a packet that joins a RUN goes into the queue like others
{ echo break event packet EXEC nbu 0; for n in {1..60}; do echo continue; done; } >"$work/runs"
"$MPU" debug -q --near=c --config nearbank-small -x "$work/runs" kernels/tiled/axpy -- --n 16384 >"$work/out" 2>&1
grep -qE "^breakpoint 1, cycle [0-9]+: NBU 0: EXEC in a RUN, tag [0-9]+, of block [0-9]+ warp 0 pc 0x[0-9a-f]+: add.rn.f32.N " "$work/out" ||
  { fail "a packet that joins a RUN"; cat "$work/out"; }
exit $failed
