#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Several cores: the same with any number of threads, and again; errors of launches, models that differ.
set -uo pipefail
. tb/inspect/debug/session.sh

# ---- 128 cores; block n is core n's. Loads of another core's memory, and what waits for them.
cat >"$work/far.cu" <<'CU'
__global__ void kernel(const int *x, int *y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  y[i] = x[(i + 32 * 64) % (128 * 32)] + 1;
}
int main() {
  int n = 128 * 32, *x, *y, *h = (int *)malloc(4 * n), right = 1;
  for (int k = 0; k < n; k++)
    h[k] = k;
  cudaMalloc(&x, 4 * n);
  cudaMalloc(&y, 4 * n);
  cudaMemcpy(x, h, 4 * n, cudaMemcpyHostToDevice);
  kernel<<<128, 32>>>(x, y);
  cudaMemcpy(h, y, 4 * n, cudaMemcpyDeviceToHost);
  for (int k = 0; k < n; k++)
    right &= h[k] == (k + 32 * 64) % n + 1;
  puts(right ? "right" : "wrong");
  return !right;
}
CU
cat >"$work/far.txt" <<'X'
info cores
step 120
info cores
break 3 core 77
break event packet rd core 5
continue
info
next
continue
next 3
queues
where all
delete
select core 5
queues
break event bank rd core 0
continue
banks
delete
break event fault
block
warp 77 0
info
step 25
where
next
until 2000
X
for threads in 1 3 1; do
  session far --near=c --config paper --threads $threads <"$work/far.txt"
  ends 0
  [[ ! -e $work/first ]] || cmp -s "$work/first" "$work/out" || { fail "another session with $threads threads"; diff "$work/first" "$work/out" | head; }
  mv "$work/out" "$work/first"
done
mv "$work/first" "$work/out"
says "launch 1: _Z6kernelPKiPi, grid (128,1,1), blocks of (32,1,1) threads, from cycle 0 on" \
  "(mpu) info cores" "128 without warps are busy, 0 are idle" "(mpu) step 120" \
  "core 127: 1 warps, 0 blocks have ended" "0 without warps are busy, 0 are idle" \
  "breakpoint 1: far.cu:3 core 77" "(mpu) continue" "right"
contains ", cycle " "core 77, block 77 warp 0 issues pc " "core 5, NBU " "network interface: room for " "read of core " \
  "waits for " " of cores" "core 0, NBU "
grep -qE '^(breakpoint [0-9], )?cycle [0-9]+: core [0-9]+, block [0-9]+ has ended$' "$work/out" || { fail "the end of a block"; tail -n 30 "$work/out"; }

# ---- errors: the core at fault is selected; where breakpoints ask for single cycles, all of them stand in the same one
cat >"$work/fault.cu" <<'CU'
__global__ void kernel(int *p, int bad) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i == bad)
    p[1 << 20] = 1;
  p[i] = i;
}
int main() {
  int *p;
  cudaMalloc(&p, 4 * 64 * 4);
  kernel<<<4, 64>>>(p, -1);
  kernel<<<4, 64>>>(p, 64 * 2 + 40);
  printf("%d\n", cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  return 1;
}
CU
printf 'base: paper\nmachine:\n  processors: 1\n  cores: 4\n' >"$work/four.yaml"
for options in "--near=c" "--near=lockstep --config $work/four.yaml"; do
  session fault $options <<'X'
break event fault
continue
continue
where
info
info breaks
print r0 8
print memory @0 4 u32
continue
X
  ends 3
  core= && [[ $options != *four* ]] || core="core 2, "
  says "launch 2: _Z6kernelPii, grid (4,1,1), blocks of (64,1,1) threads, from cycle $(sed -nE 's/^launch 2: .*cycle ([0-9]+) on$/\1/p' "$work/out") on" \
    "(mpu) continue" "breakpoint 1: event fault" \
    "launch 2 has ended with an error: block (2,0,0) thread (40,0,0) writes 4 bytes at global address 0x401000; the nearest allocation has 1024 bytes at 0x1000: p, allocated at fault.cu:9; this is 4193284 bytes beyond its end" \
    "    has faulted" "1   event fault, hit 1 times" "0x1000: 0 1 2 3" "(mpu) continue" 1
  contains "* block 2 warp 1: pc 0x" "selected: ${core}block 2 warp 1: pc 0x"
  grep -q '^mpu: block (2,0,0) thread (40,0,0) writes' "$work/err" || fail "what the run says about the fault"
done
session fault --near=c <<'X'
run
step
X
ends 2
grep -q 'commands:2: the launch has ended; continue resumes the program$' "$work/err" || { fail "a step after a fault"; cat "$work/err"; }
session fault --near=c <<'X'
run
quit
X
ends 130

# What was hit in the cycle of a fault is not said of the next launch, which a reset makes possible.
cat >"$work/again.cu" <<'CU'
__global__ void kernel(int *p, int bad) {
  int sum = 0;
  for (int n = 0; n < (threadIdx.x / 32 == 1 ? 20 : 60); n++)  // the others are still at it
    sum = sum * 3 + threadIdx.x;
  if (threadIdx.x == bad)
    p[1 << 20] = 1;
  p[threadIdx.x] = sum;
}
int main() {
  int *p;
  cudaMalloc(&p, 4 * 512);
  kernel<<<1, 512>>>(p, 40);
  cudaDeviceReset();
  cudaMalloc(&p, 4 * 512);
  kernel<<<1, 512>>>(p, -1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
session again --near=c <<'X'
break event fault
continue
info
X
fault=$(sed -nE 's/^before cycle ([0-9]+), .*/\1/p' "$work/out")
session again --near=c < <(printf '%s\n' "until $((${fault:-1} - 1))" "break event retire" continue info continue "info breaks")
ends 3
says "(mpu) continue" "before cycle ${fault:-0}, cycle ${fault:-0} of launch 1" "(mpu) continue"
sed -n '/of launch 1$/,$p' "$work/out" | grep -q '^breakpoint' && fail "a hit of the launch before"
grep -q '^launch 2: ' "$work/out" || fail "a launch after a reset"

# --max-cycles, and what a barrier waits for
cat >"$work/barrier.cu" <<'CU'
__global__ void kernel(int *p) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
  p[threadIdx.x] = 1;
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  kernel<<<1, 64>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
session barrier --near=c <<'X'
continue
where
print stack
run
X
ends 3
says "(mpu) continue" "(mpu) where" "    waits for its barrier"
contains "launch 1 has ended with an error: deadlock in block (0,0,0)" "far, waits at the barrier"
session barrier --near=c --max-cycles 150 <<'X'
continue
info
until 200
X
ends 2
contains "launch 1 has ended with an error: the launch of _Z6kernelPi took more than 150 cycles" "before cycle 150, cycle 150 of launch 1"

# ---- models that differ, with a fault in the Verilog: where that is seen
if [[ -e $(dirname "$MPU")/libnearmutants.so ]]; then
  printf '%s\n' continue info "banks 3" where "wave on" >"$work/commands"
  MPU_MUTANT=valu "$MPU" debug -q --near=lockstep -x "$work/commands" kernels/axpy </dev/null >"$work/out" 2>"$work/err" -- --n 2000
  status=$?
  ends 2
  cycle=$(sed -nE 's/^launch 1 has ended with an error: core 0, NBU 3: [a-z]+, cycle ([0-9]+): twin and Verilog differ$/\1/p' "$work/out")
  says "before cycle ${cycle:-?}, cycle ${cycle:-?} of launch 1" "(mpu) banks 3" "NBU 3" "(mpu) where" "(mpu) wave on"
  grep -q 'commands:5: the launch has ended; continue resumes the program$' "$work/err" || { fail "waves behind the end"; cat "$work/err"; }
fi
exit $failed
