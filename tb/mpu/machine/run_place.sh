#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --place: a program computes the same wherever its arrays and blocks are, in every mode, with any number of threads and
# from a checkpoint; lines and blocks are where the file says; files that are wrong. With MPU_LONG the placements of all
# workloads, and more in lockstep.
set -uo pipefail
. tb/cli/expect.sh
. tb/inspect/profile/flat.sh
cu=tb/mpu/machine/place.cu
four=(--set machine.processors=2 --set machine.cores=2)

# ---- anything that a program does with addresses
cat >"$work/all" <<'END'
# each array in another way
array a: nbu 4, core 2, line 3, core 2   # two cores, then the others
array b: core 4, nbu 4
array c: line 5, nbu 2, core 4, nbu 2
array d: core 2, line 1, nbu 4, core 2

array bins: nbu 4, core 4
blocks gather: block 2, core 4
blocks across: core 2
END
"$MPU" run -q --near=none "$cu" >"$work/want" || fail "the program on the functional machine"
# placed NAME OPTIONS...: with $work/all; its statistics in $work/NAME
placed() {
  "$MPU" run -q "${four[@]}" --place "$work/all" --stats "$work/stats" "${@:2}" "$cu" >"$work/out" 2>"$work/err" || { fail "$*"; head -n 3 "$work/err"; }
  cmp "$work/want" "$work/out" || fail "another result: $*"
  [[ $1 != c || ! -s $work/err ]] || { fail "$* says something"; cat "$work/err"; }
  jq -S 'del(.near, .agree, .host_seconds, .cpu_seconds, .host_memory, .core_cycles_per_second)' "$work/stats" >"$work/$1"
}
near=c
[[ ! ${MPU_LONG:-} ]] || near=lockstep
placed lockstep --near=lockstep
placed c --near=c
placed threads --near=c --threads 3
placed nearbank --near=$near --config nearbank-small
for other in c threads; do
  diff "$work/lockstep" "$work/$other" >"$work/diff" || { fail "other statistics: $other"; head -n 4 "$work/diff"; }
done
"$MPU" run -q --near=c "${four[@]}" --stats "$work/flat" "$cu" >"$work/out"
[[ $(jq .cycles "$work/flat") != $(jq .cycles "$work/c") ]] || fail "placed and not placed take the same cycles"

# ---- lines and blocks are where the file says: each block reads and writes what its core has
cat >"$work/own.cu" <<'CU'
#include <cstdio>
__global__ void own(const float *in, float *out, int pitch) {  // a block: 8 rows of 32 words
  const int at = (blockIdx.x / 8 * 8 + threadIdx.y) * pitch + blockIdx.x % 8 * 32 + threadIdx.x;
  out[at] = in[at] + 1;
}
int main() {
  float *in, *out, last;
  const int n = 256 * 64;
  cudaMalloc(&in, n * sizeof *in);
  cudaMalloc(&out, n * sizeof *out);
  cudaMemset(in, 0, n * sizeof *in);
  own<<<64, dim3(32, 8)>>>(in, out, 256);
  cudaMemcpy(&last, out + n - 1, sizeof last, cudaMemcpyDeviceToHost);
  printf("%g\n", last);
}
CU
# warp k of a block is a row: NBU k mod 4
printf 'array %s: core 4, line 2, nbu 4\n' in out >"$work/own"
"$MPU" run -q --near=c --arrays "${four[@]}" --place "$work/own" --stats "$work/stats" "$work/own.cu" >"$work/out" || fail "own"
[[ $(<"$work/out") == 1 ]] || fail "own computes $(<"$work/out")"
remote() { jq '[.arrays.named[] | .remote_read + .remote_written] | add' "$work/stats"; }
[[ $(remote) == 0 ]] || fail "own: $(remote) sectors of other cores"
[[ $(jq '[.each[].nbus[].packets_down.LINE] | add' "$work/stats") == 1024 ]] || fail "own: not all accesses are lines"
echo 'blocks own: block 2, core 4' >>"$work/own" # not as the lines
"$MPU" run -q --near=c --arrays "${four[@]}" --place "$work/own" --stats "$work/stats" "$work/own.cu" >"$work/out" || fail "own, with other blocks"
# of blocks 0 to 7 (cores 0 0 1 1 2 2 3 3, lines of cores 0 1 2 3 0 1 2 3) 0 and 7 are at home
[[ $(remote) == $((3 * 4096 / 4)) ]] || fail "own, with other blocks: $(remote) sectors of other cores"

# ---- the placements of workloads, on the cores that they are for
files=(kernels/{plain,iterate}/*/*.place)
[[ ${MPU_LONG:-} ]] || files=(kernels/{plain/ttrans/ttrans,iterate/kmeans/kmeans}.place)
for file in "${files[@]}"; do
  "$MPU" run --near=c --config nearbank --threads 2 --place "$file" "${file%/*}" >"$work/out" 2>"$work/err" || { fail "$file"; tail -n 2 "$work/err"; }
  ! grep 'there was no' "$work/err" || fail "$file"
done

# ---- found by what a program does: nothing of other cores is left
size=(--width 1024 --height 256)
sectors_of_others() { # OPTIONS...
  "$MPU" run -q --near=c --config nearbank --threads 2 --arrays --stats "$work/stats" "$@" kernels/plain/maxp -- "${size[@]}" >"$work/out" || fail "maxp $*"
  jq '[.arrays.named[] | .remote_read + .remote_written] | add' "$work/stats"
}
"$MPU" run -q --near=none --place-out "$work/found" kernels/plain/maxp -- "${size[@]}" >"$work/out" || fail "--place-out"
[[ ! ${MPU_LONG:-} ]] || (($(sectors_of_others) > 25000)) || fail "maxp by the map of the machine has $(sectors_of_others) sectors of other cores"
[[ $(sectors_of_others --place "$work/found") == 0 ]] || { fail "maxp placed has $(sectors_of_others --place "$work/found") sectors of other cores"; cat "$work/found"; }
expect "--count-bytes and --place-out are for the functional machine" "$MPU" run --near=c --place-out "$work/x" "$cu"
expect "--place-out does not go with --arrays" "$MPU" run --near=none --arrays --place-out "$work/x" "$cu"
expect "cannot write '/nowhere/x'" "$MPU" run --near=none --place-out /nowhere/x "$cu"

# ---- chosen when a kernel is launched
for mode in c ${MPU_LONG:+lockstep}; do
  "$MPU" run -q --near=$mode "${four[@]}" --place auto "$cu" >"$work/out" 2>"$work/err" || { fail "--place auto, $mode"; head -n 3 "$work/err"; }
  cmp "$work/want" "$work/out" || fail "another result: --place auto, $mode"
done
[[ $(sectors_of_others --place auto --place-report "$work/report") == 0 ]] || { fail "maxp places itself and has $(sectors_of_others --place auto) sectors of other cores"; cat "$work/report"; }
cycles() { jq "$1" "$work/stats"; }
chosen=$(cycles .cycles)
(($(cycles .placement_cycles) > 0 && $(cycles .placement_cycles) < 40000)) || fail "to look at launches took $(cycles .placement_cycles) cycles"
[[ $(sectors_of_others --place "$work/report") == 0 && $(cycles .placement_cycles) == null ]] || fail "what --place-report wrote is another placement"
[[ ! ${MPU_LONG:-} ]] || [[ $(sectors_of_others --place auto --threads 1) == 0 && $(cycles .cycles) == "$chosen" ]] || fail "with one thread --place auto takes other cycles"
(($(sectors_of_others --place paper) > 25000)) || fail "--place paper places arrays"
# two kernels that want an array in two ways: it stays as the first one has it
cat >"$work/two.cu" <<'CU'
#include <cstdio>
__global__ void rows(float *x) { x[blockIdx.x * 1024 + threadIdx.x] = blockIdx.x; }
__global__ void columns(float *x, float *y) {
  for (int r = 0; r < 64; r++)
    y[r * 1024 + blockIdx.x * 128 + threadIdx.x] = x[r * 1024 + blockIdx.x * 128 + threadIdx.x] + r;
}
int main() {
  float *x, *y, last = 0;
  cudaMalloc(&x, 64 * 1024 * sizeof *x);
  cudaMalloc(&y, 64 * 1024 * sizeof *y);
  for (int k = 0; k < 3; k++) {
    rows<<<64, 1024>>>(x);
    columns<<<8, 128>>>(x, y);
  }
  cudaMemcpy(&last, y + 63 * 1024, sizeof last, cudaMemcpyDeviceToHost);
  printf("%g\n", last);
  cudaFree(x), cudaFree(y);
}
CU
"$MPU" run -q --near=$near --config small "${four[@]}" --place auto --place-report "$work/report" "$work/two.cu" >"$work/out" || fail "two kernels"
[[ $(<"$work/out") == 126 ]] || fail "two kernels compute $(<"$work/out")"
[[ $(grep -c 'blocks looked at' "$work/report") == 2 && $(grep -c '^array [xy]:' "$work/report") -le 2 ]] || { fail "two kernels: not looked at once each"; cat "$work/report"; }
# where blocks are at home already a few instructions say so; where two of them only seem to be, their launch does
cat >"$work/home.cu" <<'CU'
#include <cstdio>
// The first so many rows are of a block's own core, 512 bytes of 128 x 4; behind them come those of the next block.
__global__ void sum(const float *x, float *y, int own, int rows) {
  float all = 0;
  for (int r = 0; r < rows; r++)
    all += x[(r * gridDim.x + (blockIdx.x + (r < own ? 0 : 1)) % gridDim.x) * 128 + threadIdx.x];
  y[blockIdx.x * 128 + threadIdx.x] = all;
}
int main(int n, char **own) {
  float *x, *y;
  cudaMalloc(&x, 64 * 16 * 512), cudaMalloc(&y, 16 * 512);
  cudaMemset(x, 0, 64 * 16 * 512);
  for (int k = 0; k < 2; k++)
    sum<<<16, 128>>>(x, y, n > 1 ? 16 : 64, 64);
  return cudaDeviceSynchronize();
}
CU
at_home() { # ARGUMENTS OF THE PROGRAM: what the report says of its launches
  "$MPU" run -q --near=c --config nearbank "${four[@]}" --place auto --place-report "$work/report" --stats "$work/stats" "$work/home.cu" -- "$@" >"$work/out" || fail "blocks at home: $*"
  grep -o 'two blocks access memory of their own cores\|blocks looked at' "$work/report"
}
[[ $(at_home) == "two blocks access memory of their own cores" ]] || { fail "blocks at home are looked at"; cat "$work/report"; }
(($(cycles .placement_cycles) < 1000)) || fail "to see that blocks are at home took $(cycles .placement_cycles) cycles"
[[ $(at_home away) == "blocks looked at" ]] || { fail "blocks that seemed to be at home are not looked at again"; cat "$work/report"; }
# where all addresses are sums nothing is executed to see that; the report has them with the launch's numbers
cat >"$work/sums.cu" <<'CU'
__global__ void add(const float *x, float *y, int pitch, int by, int off) {
  for (int k = blockIdx.x * by + threadIdx.x; k < 1 << 14; k += pitch) y[k] = x[(k + off) & 16383] + x[k + off];
}
__global__ void plain(const float *x, float *y, int by, int off, int n) {
  const int k = blockIdx.x * by + threadIdx.x;
  if (k < n) y[k] = x[k + off];
}
int main(int n, char **) {
  float *x, *y;
  cudaMalloc(&x, 1 << 17), cudaMalloc(&y, 1 << 17);
  cudaMemset(x, 0, 1 << 17);
  if (n > 2)
    add<<<16, 128>>>(x, y, 16 * 128, 128, 0);
  else
    plain<<<16, 128>>>(x, y, 128, n > 1 ? 128 * 5 : 0, 1 << 14);
  return cudaDeviceSynchronize();
}
CU
by_sums() { # ARGUMENTS OF THE PROGRAM
  "$MPU" run -q --near=c --config nearbank "${four[@]}" --place auto --place-report "$work/report" --stats "$work/stats" "$work/sums.cu" -- "$@" >"$work/out" || fail "blocks by sums: $*"
  grep -c 'instructions say: the sums of their addresses$' "$work/report"
}
[[ $(by_sums) == 1 ]] || { fail "blocks whose addresses are sums are executed"; cat "$work/report"; }
(($(cycles .placement_cycles) < 30)) || fail "adding up sums took $(cycles .placement_cycles) cycles"
for line in '# x + 4*tid.x + 512*ctaid.x' '# y + 4*tid.x + 512*ctaid.x'; do
  grep -qxF -- "$line" "$work/report" || { fail "the report has no '$line'"; cat "$work/report"; }
done
[[ $(by_sums away) == 0 ]] || { fail "blocks that access other cores' memory are at home by sums"; cat "$work/report"; }
grep -qxF -- '# x + 2560 + 4*tid.x + 512*ctaid.x' "$work/report" || { fail "an offset is not in the report"; cat "$work/report"; }
[[ $(by_sums a b) == 0 ]] || { fail "an access that is not affine is a sum"; cat "$work/report"; }
grep -q '^# 1 of 3 accesses do not follow' "$work/report" || { fail "the report does not say what is not affine"; cat "$work/report"; }
# an array where a freed one was is placed anew
cat >"$work/again.cu" <<'CU'
#include <cstdio>
__global__ void own(float *x) { x[blockIdx.x * 1024 + threadIdx.x] = blockIdx.x; }
int main() {
  for (int k = 0; k < 3; k++) {
    float *x;
    cudaMalloc(&x, 256 * 1024 * sizeof *x);
    own<<<256, 1024>>>(x);
    printf("%p\n", x);
    cudaFree(x);
  }
}
CU
"$MPU" run -q --near=c --config nearbank --threads 2 --arrays --place auto --stats "$work/stats" "$work/again.cu" >"$work/out" || fail "an array three times"
[[ $(sort -u "$work/out" | wc -l) == 1 ]] || fail "an array three times is not where it was"
[[ $(remote) == 0 ]] || fail "an array three times: $(remote) sectors of other cores"
# what all blocks read is copied, and that is counted
"$MPU" run -q --near=c "${four[@]}" --config nearbank --place auto --place-report "$work/report" --stats "$work/stats" kernels/plain/gemv >"$work/out" || fail "gemv places itself"
grep -q '^# came out: 0.[0-9] %, in 1 launch$' "$work/report" || { fail "gemv: what came out"; cat "$work/report"; }
grep -q '^array dev_x: copy$' "$work/report" || { fail "gemv does not copy its vector"; cat "$work/report"; }
[[ $(cycles .array_transfers.copies) == 1 && $(cycles '.cycles_whole - .cycles - .placement_cycles - .array_transfers.cycles') == 0 ]] || fail "gemv: $(cycles .array_transfers)"
# blocks at the border of an image do not hide the order of the others
"$MPU" run -q --near=c "${four[@]}" --config nearbank --place auto --place-report "$work/report" kernels/plain/conv -- --width 512 --height 128 >"$work/out" || fail "conv places itself"
[[ $(grep -c '^array dev_\(in\|out\): ' "$work/report") == 2 ]] || { fail "conv is not placed"; cat "$work/report"; }
# an array that a later kernel wants elsewhere moves when it has lost more than that costs, once;
# blocks without work do not matter
cat >"$work/move.cu" <<'CU'
#include <cstdio>
__global__ void count(const int *in, int *parts) {
  __shared__ int sum[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    sum[b] = 0;
  __syncthreads();
  atomicAdd(&sum[in[blockIdx.x * 128 + threadIdx.x] & 255], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    parts[blockIdx.x * 256 + b] = sum[b];
}
__global__ void add(const int *parts, int *bins, int n) {
  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < 256; b += gridDim.x * blockDim.x) {
    int sum = bins[b];
    for (int p = 0; p < n; p++)
      sum += parts[p * 256 + b];
    bins[b] = sum;
  }
}
int main() {
  int *in, *parts, *bins, host[256] = {0}, sum = 0;
  cudaMalloc(&in, 128 * 128 * sizeof *in);
  cudaMalloc(&parts, 128 * 256 * sizeof *parts);
  cudaMalloc(&bins, 256 * sizeof *bins);
  int *data = new int[128 * 128];
  for (int k = 0; k < 128 * 128; k++)
    data[k] = k * 7919 >> 3;
  cudaMemcpy(in, data, 128 * 128 * sizeof *in, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 256 * sizeof *bins);
  for (int k = 0; k < 8; k++) {
    count<<<128, 128>>>(in, parts);
    add<<<128, 128>>>(parts, bins, 128);
  }
  cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost);
  for (int b = 0; b < 256; b++)
    sum += (b + 1) * host[b];
  printf("%d\n", sum);
  delete[] data;
}
CU
"$MPU" run -q --near=none "$work/move.cu" >"$work/want.move" || fail "a program whose array moves"
moved() {
  "$MPU" run -q "${four[@]}" --place auto --stats "$work/stats" "$@" "$work/move.cu" >"$work/out" || fail "an array that moves: $*"
  cmp "$work/want.move" "$work/out" || fail "an array that moves: another result: $*"
  jq -c '[.cycles, .cycles_whole, .array_transfers]' "$work/stats"
}
once=$(moved --near=c --place-report "$work/report")
[[ $(cycles .array_transfers.moves) == 1 ]] || { fail "an array does not move once: $once"; cat "$work/report"; }
[[ $(moved --near=c --threads 3) == "$once" && (! ${MPU_LONG:-} || $(moved --near=lockstep) == "$once") ]] || fail "an array that moves: other cycles"
rm -f "$work/moving"
"$MPU" run --near=c "${four[@]}" --place auto --checkpoint "$work/moving" "$work/move.cu" >"$work/first" || fail "a checkpoint behind a move"
"$MPU" resume "$work/moving" >"$work/out" 2>"$work/err" || { fail "resume behind a move"; cat "$work/err"; }
diff <(grep -v '^host' "$work/first") <(grep -v '^host' "$work/out") >"$work/diff" || { fail "another report after resume behind a move"; head -n 4 "$work/diff"; }
# what the program says comes before what a launch finds, and behind a file; paper ignores it
cat >"$work/hint.cu" <<'CU'
#include <cstdio>
#include <mpu_place.h>
__global__ void own(float *x) { x[blockIdx.x * 1024 + threadIdx.x] = blockIdx.x; }
int main(int argc, char **argv) {
  float *x, last;
  mpuPlace(argc > 1 ? argv[1] : "# of 4 cores\narray x: nbu 4, line 8, core 4");
  cudaMalloc(&x, 256 * 1024 * sizeof *x);
  own<<<256, 1024>>>(x);
  cudaMemcpy(&last, x + 255 * 1024, sizeof last, cudaMemcpyDeviceToHost);
  printf("%g\n", last);
  cudaFree(x);
}
CU
hinted() {
  "$MPU" run -q --arrays --stats "$work/stats" "$@" >"$work/out" 2>"$work/err" || { fail "a hint: $*"; cat "$work/err"; }
  [[ $(<"$work/out") == 255 ]] || fail "a hint, $*: $(<"$work/out")"
  remote
}
[[ $(hinted --near=c "${four[@]}" "$work/hint.cu") == 0 && ! -s $work/err ]] || fail "mpuPlace does not place"
[[ $(hinted --near=$near "${four[@]}" --place auto "$work/hint.cu") == 0 ]] || fail "mpuPlace and --place auto"
(($(hinted --near=c "${four[@]}" --place paper "$work/hint.cu") > 0)) || fail "--place paper places as the program says"
echo 'array x: nbu 4, core 4' >"$work/flat"
(($(hinted --near=c "${four[@]}" --place "$work/flat" "$work/hint.cu") > 0)) || fail "the program says more than a file"
"$MPU" run -q --near=none "$work/hint.cu" >"$work/out" 2>&1 && [[ $(<"$work/out") == 255 ]] || fail "mpuPlace on the functional machine"
(($(hinted --near=c "$work/hint.cu" -- 'array x: nbu 4, core 3') >= 0)) || fail "a hint for three cores"
grep -q 'mpuPlace("array x: nbu 4, core 3") is ignored: its digits are for 3 cores' "$work/err" || { fail "what is wrong with a hint"; cat "$work/err"; }
c++ -x c++ -fsyntax-only -Wall -Wextra -Werror harness/cuda/include/mpu_place.h || fail "mpu_place.h for other compilers"
printf '#include "mpu_place.h"\nint main(void) { mpuPlace("x"); }\n' >"$work/elsewhere.c"
cc -Iharness/cuda/include -o "$work/elsewhere" "$work/elsewhere.c" && "$work/elsewhere" || fail "mpu_place.h without MPU"
expect "--place-report is for --place auto" "$MPU" run --near=c --place-report "$work/x" "$cu"
expect "cannot write '/nowhere/x'" "$MPU" run --near=c --place auto --place-report /nowhere/x "$cu"

# ---- in a study, where another file is another run
cat >"$work/study.yaml" <<'END'
study: place
sets: {own: [{program: own.cu}]}
figures:
  f: {set: {machine.processors: 2, machine.cores: 2}, near: c, variants: {flat: , paper: {place: paper}, placed: {place: own}, itself: {place: auto}}, columns: {cycles: cycles}}
END
studied() { "$MPU" study -q "$work/study.yaml" --store "$work/db" --csv "$work/csv" >"$work/out" 2>"$work/err" || { fail "mpu study"; cat "$work/err"; }; sqlite3 "$work/db" "select count(*) from runs where outcome is not null"; }
[[ $(studied) == 3 && $(sqlite3 "$work/db" "select count(distinct value) from counters where name = 'cycles_whole'") == 3 ]] || fail "a study: flat, placed and auto are not three runs"
[[ $(studied) == 3 ]] || fail "a study runs again"
sed -i s/'block 2, core 4'/'core 4'/ "$work/own"
[[ $(studied) == 4 ]] || fail "a study with another placement does not run again"

# ---- a checkpoint goes on, and not with another file
rm -f "$work/point"
"$MPU" run -q --near=c "${four[@]}" --place "$work/all" --checkpoint "$work/point" "$cu" >"$work/out" || fail "--checkpoint"
"$MPU" resume "$work/point" >"$work/out" 2>"$work/err" || fail "resume"
cmp -n "$(stat -c %s "$work/want")" "$work/want" "$work/out" || fail "another result after resume"
for how in auto ${MPU_LONG:+paper}; do
  rm -f "$work/other"
  "$MPU" run --near=c "${four[@]}" --place $how --checkpoint "$work/other" "$cu" >"$work/first" || fail "--place $how --checkpoint"
  "$MPU" resume "$work/other" >"$work/out" 2>"$work/err" || fail "resume with --place $how"
  diff <(grep -v '^host' "$work/first") <(grep -v '^host' "$work/out") >"$work/diff" || { fail "another report after resume with --place $how"; head -n 4 "$work/diff"; }
done
sed -i s/'core 4, nbu 4'/'nbu 4, core 4'/ "$work/all"
expect "'$work/point' was begun with another placement in '$work/all'" "$MPU" resume "$work/point"

# ---- what is not there, and tables that are full
printf 'array a: nbu 4, core 4\narray nobody: nbu 4, core 4\nblocks no::ne: core 4\n' >"$work/file"
"$MPU" run --near=c "${four[@]}" --place "$work/file" "$cu" >"$work/out" 2>"$work/err" || fail "a file with names that there are not"
for said in "$work/file:2: there was no array nobody" "$work/file:3: there was no kernel no::ne"; do
  grep -qxF "mpu: $said" "$work/err" || fail "not said: $said"
done
cat >"$work/many.cu" <<'CU'
#include <cstdio>
int main() {
  for (int k = 0; k < 40; k++) {
    int *x;
    cudaMalloc(&x, 100);
    if (k % 20 > 17)
      cudaFree(x);
  }
}
CU
echo 'array x: nbu 4, core 4' >"$work/file"
"$MPU" run -q --near=c "${four[@]}" --place "$work/file" "$work/many.cu" >"$work/out" 2>"$work/err" || fail "40 regions"
[[ $(grep -c "table of regions is full" "$work/err") == 24 ]] || { fail "of 40 regions other than 24 found no place"; head -n 3 "$work/err"; }

# ---- wrong files
wrong() { # TEXT OF THE FILE, TEXT SAID
  printf "$1" >"$work/file"
  expect "$2" "$MPU" run -q --near=c "${four[@]}" --place "$work/file" "$cu"
}
wrong 'array a nbu 4' "$work/file:1: a line is 'array NAME: DIGITS', 'array NAME: copy' or 'blocks KERNEL: DIGITS'"
wrong 'array a : nbu 4, core 4\n' "$work/file:1: a line is"
wrong 'array : nbu 4, core 4\n' "$work/file:1: a line is"
wrong 'array a::b\n' "$work/file:1: a line is"
wrong '# here\n\nlines a: nbu 4\n' "$work/file:3: a line is"
wrong 'array a: nbu 4, cor 4\n' "$work/file:1: 'cor' is not core, nbu or line"
wrong 'blocks gather: line 4\n' "$work/file:1: 'line' is not core, nbu or block"
wrong 'array a: nbu 4, core 4\narray a: core 4, nbu 4\n' "$work/file:2: array a has a line already, 1"
wrong "array a: nbu 4, core 4$(printf ' %.0s' {1..1000})\n" "$work/file:1: the line is longer than"
wrong 'array a: nbu 4, core 2\n' "$work/file:1: its digits are for 2 cores, the machine has 4"
wrong 'blocks gather: core 8\n' "$work/file:1: its digits are for 8 cores, the machine has 4"
wrong 'blocks gather: core 2, nbu 2\n' "$work/file:1: a block has no NBU of its own"
expect "cannot read '$work/none': No such file" "$MPU" run -q --near=c --place "$work/none" "$cu"
expect "not for the functional machine" "$MPU" run -q --near=none --place "$work/all" "$cu"
expect "--place is for the cycle-by-cycle machine of this process" "$MPU" run -q --near=c --device card --place "$work/all" "$cu"
exit $failed
