#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `array NAME: copy` of mpu run --place: a program computes the same whatever it does with an array that cores have copies of, in
# every mode, on any number of cores, by any number of threads and from a checkpoint; what is read is each core's own; when
# copies are made again; no room, and wrong lines. In lockstep on two cores, with MPU_LONG on others too.
set -uo pipefail
. tb/cli/expect.sh
cu=tb/mpu/machine/copies.cu
two=(--set machine.processors=2 --set machine.cores=1)
four=(--set machine.processors=2 --set machine.cores=2)
eight=(--set machine.processors=2 --set machine.cores=4)

# ---- anything that a program does with the arrays
printf 'array %s: copy\n' x wide out >"$work/all"
# copied NAME OPTIONS...: with $work/all; its statistics in $work/NAME. The program has so many `blocks`.
copied() {
  "$MPU" run -q --place "$work/all" --stats "$work/stats" "${@:2}" "$cu" -- $blocks >"$work/out" 2>"$work/err" || { fail "$*"; head -n 3 "$work/err"; }
  cmp "$work/want" "$work/out" || fail "another result: $*"
  [[ $1 != c || ! -s $work/err ]] || { fail "$* says something"; cat "$work/err"; }
  jq -S 'del(.near, .agree, .host_seconds, .cpu_seconds, .host_memory, .core_cycles_per_second)' "$work/stats" >"$work/$1"
}
agree() { # NAME NAME
  diff "$work/$1" "$work/$2" >"$work/diff" || { fail "other statistics: $2"; head -n 4 "$work/diff"; }
}
wanted() { "$MPU" run -q --near=none "$cu" -- $blocks >"$work/want" || fail "the program on the functional machine"; }
blocks=2
wanted
copied two --near=c "${two[@]}"
copied lockstep --near=lockstep "${two[@]}"
agree two lockstep
blocks=8
wanted
copied c --near=c "${four[@]}"
copied threads --near=c --threads 3 "${four[@]}"
agree c threads
if [[ ${MPU_LONG:-} ]]; then
  copied one --near=lockstep
  copied lockstep --near=lockstep "${four[@]}"
  agree c lockstep
  copied eight --near=lockstep --config nearbank-small "${eight[@]}"
else
  copied eight --near=c --config nearbank-small "${eight[@]}"
fi

# ---- each core reads its own, as lines of the subcore's NBU; and when they are made
cat >"$work/read.cu" <<'CU'
#include <cstdio>
#include <cstdlib>
#define CHECK(call) if (call) { fprintf(stderr, "line %d\n", __LINE__); exit(1); }
__global__ void read(const int *in, int *out) {
  int sum = 0;
  for (int k = threadIdx.x; k < 1024; k += blockDim.x)
    sum += in[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void write(int *in) { in[0] = 5; }
int main(int argc, char **argv) {
  int *in, *out;
  CHECK(cudaMalloc(&in, 4096));
  CHECK(cudaMalloc(&out, 8 * 512));
  CHECK(cudaMemset(in, 1, 4096));
  for (const char *what = argv[1]; *what; what++) {
    if (*what == 'r')
      read<<<8, 128>>>(in, out);
    if (*what == 'w')
      write<<<1, 1>>>(in);
    if (*what == 'h')
      CHECK(cudaMemset(in + 3, 2, 4));
    if (*what == 'o')
      CHECK(cudaMemset(out, 2, 4));
    if (*what == 'f') {
      CHECK(cudaFree(in));
      CHECK(cudaMalloc(&in, 4096));
    }
    if (*what == 'd') {
      CHECK(cudaDeviceReset());
      CHECK(cudaMalloc(&in, 4096));
      CHECK(cudaMalloc(&out, 8 * 512));
    }
  }
  CHECK(cudaDeviceSynchronize());
}
CU
echo 'array in: copy' >"$work/in"
run_read() { # STEPS OPTIONS...
  "$MPU" run -q --near=c --arrays "${four[@]}" --place "$work/in" --stats "$work/stats" "${@:2}" "$work/read.cu" -- "$1" >"$work/out" 2>"$work/err" || { fail "read $1"; head -n 3 "$work/err"; }
}
run_read r
(($(jq .array_transfers.copies "$work/stats") == 1 && $(jq .array_transfers.cycles "$work/stats") > 0 && $(jq .array_transfers.bytes "$work/stats") == 4 * 4096)) ||
  fail "what copies cost"
[[ $(jq '[.arrays.named[] | .remote_read + .remote_written] | add' "$work/stats") == 0 ]] || fail "sectors of other cores are read"
[[ $(jq '[.arrays.named[] | select(.name == "in") | .read] | add' "$work/stats") == 1024 ]] || fail "sectors that are read of the copies"
[[ $(jq '[.each[].nbus[].packets_down.LINE] | add' "$work/stats") == $((8 * 32 + 8 * 4)) ]] || fail "not all accesses are lines"
# STEPS HOW OFTEN COPIES ARE MADE
while read -r steps made; do
  run_read "$steps"
  [[ $(jq .array_transfers.copies "$work/stats") == "$made" ]] || fail "steps $steps make copies $(jq .array_transfers.copies "$work/stats") times, not $made"
done <<'END'
rr 1
rhr 2
rhhr 2
ror 1
rwr 2
wr 2
rwwr 3
h 0
frr 1
rfr 2
rdr 2
END
"$MPU" run --near=c "${four[@]}" --place "$work/in" "$work/read.cu" -- rhr >"$work/out" || fail "a report"
grep -q 'cycles of copies' "$work/out" || { fail "the report does not say what copies cost"; cat "$work/out"; }
"$MPU" run --near=c "${four[@]}" "$work/read.cu" -- rhr >"$work/out" || fail "a report without copies"
! grep -q 'cycles of copies' "$work/out" || fail "the report says what copies cost, of which there are none"

# ---- a checkpoint goes on as if nothing had been
rm -f "$work/point"
"$MPU" run -q --near=c "${four[@]}" --place "$work/all" --checkpoint "$work/point" --stats "$work/stats" "$cu" >"$work/out" || fail "--checkpoint"
mv "$work/stats" "$work/before"
"$MPU" resume "$work/point" >"$work/out" 2>"$work/err" || { fail "resume"; cat "$work/err"; }
cmp -n "$(stat -c %s "$work/want")" "$work/want" "$work/out" || fail "another result after resume"
for what in .cycles .array_transfers; do
  [[ $(jq -c $what "$work/stats") == $(jq -c $what "$work/before") ]] || fail "$what after resume"
done

# ---- no room: the array is where it is
cat >"$work/large.cu" <<'CU'
#include <cstdio>
__global__ void first(const int *large, int *out) { *out = large[7]; }
int main() {
  int *large, *out, last;
  if (cudaMalloc(&large, 2 << 20) || cudaMalloc(&out, 4) || cudaMemset(large, 3, 100))
    return 1;
  first<<<1, 1>>>(large, out);
  cudaMemcpy(&last, out, 4, cudaMemcpyDeviceToHost);
  printf("%x\n", last);
}
CU
echo 'array large: copy' >"$work/file"
"$MPU" run -q --near=c "${four[@]}" --set dram.rows=64 --place "$work/file" "$work/large.cu" >"$work/out" 2>"$work/err" || { fail "no room"; cat "$work/err"; }
[[ $(<"$work/out") == 3030303 ]] || fail "without room it computes $(<"$work/out")"
[[ $(grep -c "mpu: no device memory for copies of an array" "$work/err") == 1 ]] || { fail "the run does not say once that memory for copies is missing"; cat "$work/err"; }

# ---- wrong files
wrong() { # TEXT OF THE FILE, TEXT SAID
  printf "$1" >"$work/file"
  expect "$2" "$MPU" run -q --near=c "${four[@]}" --place "$work/file" "$cu"
}
wrong 'array x copy\n' "$work/file:1: a line is 'array NAME: DIGITS', 'array NAME: copy' or 'blocks KERNEL: DIGITS'"
wrong 'array x: copy 4\n' "$work/file:1: 'copy' is not core, nbu or line"
wrong 'array x: copy, nbu 4\n' "$work/file:1:"
wrong 'array x: copies\n' "$work/file:1: 'copies' is not core, nbu or line"
wrong 'blocks sum: copy\n' "$work/file:1: 'copy' is not core, nbu or block"
wrong 'array x: copy\narray x: nbu 4, core 4\n' "$work/file:2: array x has a line already, 1"
printf 'array x: copy\n' >"$work/file"
expect "cores have larger pieces than that" "$MPU" run -q --near=c "${four[@]}" --set map.column_below=5 --set map.row_below=8 --place "$work/file" "$cu"
exit $failed
