#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is printed of warps, registers, memory, queues and banks: for a program whose values are known, at points in time that
# run_steps.sh and run_breaks.sh have found; the same from the twins alone and in lockstep.
set -uo pipefail
. tb/inspect/debug/session.sh

cat >"$work/turn.txt" <<'X'
break *0xc0 warp 0 1
step 50
where
info launch
info memory
until 142
where
queues
print scoreboard
registers
until 147
queues
until 150
queues
print r0
until 154
queues
banks 1
until 172
banks 1
continue
where
print r0 0,31
print r2
print r2 0-2,5 u32
print r2 0-1 f32
print r3 7 s32
print r4 0
print r1
registers
step 48
print r2 0-1,31 s32
print p0
print predicates
print stack
print shared 0 4 u32
print shared 248 2 s32
print shared 0 9 u8
print shared 0x10 2 u64 block 0
print memory @1 4 s32
print memory @1+248 u32
print memory 0x1200 2 u64
print memory factor f32
print memory table+4 2
print memory @0+250 u8
list
list 2
disassemble
disassemble 0x140 9
block
where
registers
X
"$MPU" run -q --near=none "$work/turn.cu" >/dev/null # compiled once
session turn --near=lockstep <"$work/turn.txt"
ends 2
grep -q 'commands:52: core 0 has no warps$' "$work/err" || { fail "registers without warps"; cat "$work/err"; }
says "(mpu) where" \
  "  block 0 warp 0: pc 0x0: ld.param.b64.F rd4, [rz], PTX line 27, turn.cu:3" \
  "    waits for a line of the I-cache, which comes in cycle 101" \
  "(mpu) info launch" "launch 1: _Z4turnPKiPi, grid (1,1,1), blocks of (64,1,1) threads, from cycle 0 on" \
  "blocks: 0 have ended, 1 are on cores, 0 have not started; 2 warps each" \
  "registers: 2 on both sides, 2 near, 6 far; 1 predicates; 256 bytes of shared memory a block, 0 of local memory a thread" \
  "parameter 0, 8 bytes: 0x1200, @1+0" "parameter 1, 8 bytes: 0x1400, @2+0" \
  "(mpu) info memory" "@0  0x1000, 256 bytes" "@1  0x1200, 256 bytes" "@2  0x1400, 256 bytes" "table  0x1000, 256 bytes" \
  "factor  0x30001000000, 4 bytes, constant"
# the load issued in 138: decided in 140, its address collected until 143
says "(mpu) until 142" "before cycle 142" "(mpu) where" \
  "  block 0 warp 1: pc 0x60: add.u32.N r2, r2, 1, PTX line 40, turn.cu:6" "    waits for registers being written: r2" \
  "    under way: pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6: far, collects its operands" \
  "(mpu) queues" "subcore 0: 1 warps, 1 instructions under way" "  1 of 4 collectors are taken, 0 instructions execute" \
  "(mpu) print scoreboard" "1 instructions under way, 1 of them accesses; the units have nothing" \
  "being written: r2" "to be read: r4 r5" \
  "(mpu) registers" "r0   far     --- 00000000 00000001 00000002 00000003 ..." "r1   nowhere ---" "r2   near    w-- 00000000 in all lanes" \
  "r4   far     -r- 00001200 00001204 00001208 0000120c ..." "r8   far     --- 00000000 00000004 00000008 0000000c ..."
# LINE was put into the queue in 144, so add issues; it was decided in 146, and its EXEC of two flits is in the queue. The requests
# are made from 152 on, the first is chosen in 154
says "(mpu) until 147" "(mpu) queues" "  asks the track table: block 0 warp 0, pc 0x70: shl.b32.N r3, r0, 2, PTX line 42, turn.cu:6" \
  "NBU 0: 2 of 32 flits wait for the bus, credits for 15; 2 packets under way" \
  "  tag 1, EXEC, in the queue since cycle 146: block 0 warp 0, pc 0x60: add.u32.N r2, r2, 1, PTX line 40, turn.cu:6" \
  "  tag 0, LINE, in the queue since cycle 144: block 0 warp 0, pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6" \
  "(mpu) until 154" "(mpu) banks 1" "NBU 1: no command in this launch" "  controller: 1 of 16 lines" \
  "    read bank 0 row 0 column 9, tag 0: block 0 warp 1, pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6" \
  "(mpu) until 172"
# ACT 156, 160, 164, 168; RD 170; a row that was opened in cycle t is closed from t + 33 on, but 4 cycles after RD, and
# read again after 2; a bank that has been read is written after 4
says "(mpu) banks 1" "NBU 1" "  bank 0: last command RD in cycle 170" "    row 0 open, selected; from cycle: RD now WR 174 PRE 189" \
  "  bank 1: last command ACT in cycle 160" "    row 0 open, selected; from cycle: RD 174 WR 174 PRE 193" \
  "  bank 3: last command ACT in cycle 168" "    row 0 open, selected; from cycle: RD 182 WR 182 PRE 201" \
  "  controller: 1 of 16 lines" \
  "    read bank 1 2 3 row 0 column 9, tag 0: block 0 warp 1, pc 0x50: ld.global.b32.N r2, [rd4], PTX line 38, turn.cu:6"
# shl needs the index near: REGWR of 17 flits is in the queue in the cycle after its decision, its EXEC of two flits in the next one
says "(mpu) until 150" "(mpu) queues" \
  "NBU 0: 18 of 32 flits wait for the bus, credits for 14; 4 packets under way" \
  "  tag 3, EXEC, in the queue since cycle 149: block 0 warp 0, pc 0x70: shl.b32.N r3, r0, 2, PTX line 42, turn.cu:6" \
  "  tag 2, REGWR, in the queue since cycle 148: moves r0 to the near side, for block 0 warp 0, pc 0x70: shl.b32.N r3, r0, 2, PTX line 42, turn.cu:6" \
  "  tag 1, EXEC, in the queue since cycle 146: block 0 warp 0, pc 0x60: add.u32.N r2, r2, 1, PTX line 40, turn.cu:6" \
  "(mpu) print r0" "r0: valid far and near" \
  "  far  valid    0: 00000000 00000001 00000002 00000003 00000004 00000005 00000006 00000007" "  near coming all of them 00000000"
# the load of shared memory is in the queue of its NBU: r2 is still what was stored, x[i] + 1
says "(mpu) continue" "  block 0 warp 0: pc 0xe0: st.global.b32.F [rd4], r2, PTX line 57, turn.cu:8" \
  "    under way: pc 0xc0: mul.u32.N r2, r2, 3, PTX line 53, turn.cu:8: is in the offload engine" \
  "    under way: pc 0xd0: add.u64.F rd4, rd6, rd8, PTX line 55, turn.cu:8: is in the offload engine" \
  "* block 0 warp 1: pc 0xd0: add.u64.F rd4, rd6, rd8, PTX line 55, turn.cu:8" "    can issue it" \
  "    under way: pc 0xc0: mul.u32.N r2, r2, 3, PTX line 53, turn.cu:8: is in the offload engine" \
  "(mpu) print r0 0,31" "r0: valid far and near" "  far  valid    0: 00000020 0000003f" "  near valid    0: 00000020 0000003f" \
  "(mpu) print r2" "r2: valid near, being written, to be read" \
  "  near coming   0: 00000085 00000086 00000087 00000088 00000089 0000008a 0000008b 0000008c" \
  "              24: 0000009d 0000009e 0000009f 000000a0 000000a1 000000a2 000000a3 000000a4" \
  "(mpu) print r2 0-2,5 u32" "  near coming   0: 133 134 135 138" \
  "(mpu) print r2 0-1 f32" "  near coming   0: 1.86372696e-43 1.87773994e-43" \
  "(mpu) print r3 7 s32" "r3: valid near" "  near valid  156" \
  "(mpu) print r4 0" "r4: valid far" "  far  valid  00001280" \
  "(mpu) print r1" "r1: valid nowhere: zero" "  near stale  all of them 00000000" \
  "(mpu) registers" "r0   both    --- 00000020 00000021 00000022 00000023 ..." "r2   near    wr- 00000085 00000086 00000087 00000088 ..." \
  "r3   near    --- 00000080 00000084 00000088 0000008c ..." "r6   far     --- 00001400 in all lanes" \
  "(mpu) print r2 0-1,31 s32" "r2: valid near" "  near valid    0: 396 393 303" \
  "(mpu) print p0" "p0  ffffffff" "(mpu) print predicates" "p0  ffffffff" \
  "(mpu) print stack" "lanes that have not ended: ffffffff" \
  " 1  lanes ffffffff  pc 0x100: @p0 exit.F, PTX line 61, turn.cu:9" \
  "(mpu) print shared 0 4 u32" "0x0: 101 102 103 104" "(mpu) print shared 248 2 s32" "0xf8: 163 164" \
  "(mpu) print shared 0 9 u8" "0x0: 101 0 0 0 102 0 0 0 103" \
  "(mpu) print shared 0x10 2 u64 block 0" "0x10: $((105 + (106 << 32))) $((107 + (108 << 32)))" \
  "(mpu) print memory @1 4 s32" "0x1200: 100 101 102 103" "(mpu) print memory @1+248 u32" "0x12f8: 162 163" \
  "(mpu) print memory 0x1200 2 u64" "0x1200: $((100 + (101 << 32))) $((102 + (103 << 32)))" \
  "(mpu) print memory factor f32" "0x30001000000: 2.5" "(mpu) print memory table+4 2" "0x1004: 00000000 00000000" \
  "(mpu) print memory @0+250 u8" "0x10fa: 0 0 0 0 0 0" \
  "(mpu) list" turn.cu "    8    y[i] = s[63 - i] * 3;" ">   9    if (i < 8)" \
  "(mpu) list 2" turn.cu "    1  __device__ int table[64];" "    6    s[i] = x[i] + 1;" \
  "(mpu) disassemble" " b pc 0xc0: mul.u32.N r2, r2, 3, PTX line 53, turn.cu:8" \
  ">  pc 0x100: @p0 exit.F, PTX line 61, turn.cu:9" \
  "(mpu) disassemble 0x140 9" "   pc 0x150: exit.F, PTX line 70, turn.cu:11" "(mpu) block" "before cycle 396" "(mpu) where" "there are no warps"
cp "$work/out" "$work/lockstep"
session turn --near=c <"$work/turn.txt"
ends 2
diff "$work/lockstep" "$work/out" || fail "with twins alone it is something else"

# Windows of shared memory have no tag: they are not taken for packets that have one.
for ((n = 0; n < 250; n++)); do printf 'step 40\nqueues\n'; done >"$work/commands"
"$MPU" debug -q -x "$work/commands" --near=c kernels/hist >"$work/out" </dev/null || fail "queues of hist"
for packet in EXEC SHM LINE REGWR; do contains ", $packet, in the queue since cycle "; done
! grep -q ', WIN, ' "$work/out" || fail "a packet for a window"

# A store, at 0x1400: column 10. Its WR is on the pins in the next cycle, the others wait.
session turn --near=c <<'X'
break event bank act nbu 0 bank 0 row 0
break event bank wr nbu 0 bank 0
until 200
continue
banks 0
X
ends 0
says "(mpu) continue" "NBU 0: WR of bank 1 is on the pins in the next cycle" "    write bank 2 3 row 0 column 10"

# In Verilog near values, the track table and the controller's queue are not to be seen, the pins and the arrays are.
session turn --near=rtl <<'X'
break event bank rd nbu 1
continue
print r2
print r0 0-1
registers
banks 1
print shared 0
X
ends 2
grep -q 'commands:7: shared memory is in the Verilog: --near=lockstep shows it$' "$work/err" || { fail "shared memory"; cat "$work/err"; }
says "breakpoint 1, cycle 170: NBU 1 bank 0: RD of row 0" "r2: validity is not visible" \
  "  near values and validity are in the Verilog: --near=lockstep shows them" \
  "r0: validity is not visible" "  far           0: 00000000 00000001" "r2           ---" \
  "r6           --- 00001400 in all lanes" "near values and validity are in the Verilog: --near=lockstep shows them" \
  "  bank 1: last command ACT in cycle 160" "  the queue of the controller is in the Verilog: --near=lockstep shows it"

# What other dies have where: shared memory and all of the registers.
session turn --near=c --config base-die <<'X'
break 8
continue
print shared 0 4 u32
print r0 0-3
X
ends 0
says "0x0: 101 102 103 104"
grep -qE '^r0: valid (far|nowhere)' "$work/out" || { fail "a register of the base die"; cat "$work/out"; }
! grep -q '^  near' "$work/out" || fail "near registers on the base die"

# The SIMT stack where lanes have gone different ways, by the masks of the program; local memory; grids of two dimensions.
cat >"$work/ways.cu" <<'CU'
__global__ void kernel(int *p, int k) {
  int a[8], i = threadIdx.x;
  for (int n = 0; n < 8; n++)
    a[n] = n * i;
  if (i < 8) {
    if (i & 1)
      a[k] = p[i];
    else
      p[i] = a[k];
  }
  p[i + 32] = a[(k + i) % 8] + blockIdx.y;
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  kernel<<<dim3(2, 3), 32>>>(p, 3);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
session ways --near=lockstep <<'X'
step 6
where
warp 1,2,0 0
break 7 warp 1,2,0 0
break 9 warp 5 0
step 40
where
continue
print stack
continue
print stack
print p0
info launch
X
ends 0
says "(mpu) where" "    waits for its local memory: 8 lines are still to be cleared" "(mpu) where" \
  "    waits for a line of the I-cache; a line for another warp comes in cycle 108" \
  "* block 5 (1,2,0) warp 0: pc 0x0: ld.param.b32.F r4, [rz+8], PTX line 28, ways.cu:1" \
  "lanes that have not ended: ffffffff" \
  " 3  lanes 000000aa  pc 0x260: mulw.u32.F rd10, r0, 4, PTX line 101, ways.cu:7; until pc 0x2b0" \
  " 2  lanes 00000055  pc 0x1c0: shl.b32.F r5, r4, 2, PTX line 83, ways.cu:9; until pc 0x2b0" \
  " 1  lanes ffffffff  pc 0x2b0: add.u32.F r4, r0, r4, PTX line 111, ways.cu:11" \
  " 2  lanes 00000055  pc 0x1d0: ld.local.b32.N r2, [r5], PTX line 85, ways.cu:9; until pc 0x2b0" "p0  00000055" \
  "blocks: 0 have ended, 6 are on cores, 0 have not started; 1 warps each" "parameter 1, 4 bytes: 0x3"
contains "block 5 (1,2,0) warp 0 issues pc 0x1c0" "0 bytes of shared memory a block, 32 of local memory a thread"
exit $failed
