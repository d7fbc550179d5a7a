#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --locate=cost: a listing with its reasons; places by a profile, and profiles that do not fit; and workloads, which must not be
# slower than with any other policy by more than 2 %. MPU_LONG: all workloads of both sets, as they are, with instructions in
# order, and on nearbank-small.
set -uo pipefail
. tb/cli/expect.sh

# listings; the object is the same by way of a dump
for ptx in data lines places; do
  "$MPU" mpucc --locate=cost tb/mpucc/ptx/$ptx.ptx -S "$work/lst" -o "$work/object" || fail "mpu mpucc --locate=cost"
  diff tb/mpucc/ptx/$ptx.lst "$work/lst" || fail "another listing than tb/mpucc/ptx/$ptx.lst"
  for pass in reconverge locate allocate; do
    "$MPU" mpucc --locate=cost tb/mpucc/ptx/$ptx.ptx --dump-after=$pass -o "$work/mir"
    "$MPU" mpucc --locate=cost "$work/mir" -o "$work/again"
    cmp "$work/object" "$work/again" || fail "another object of $ptx by way of the dump after $pass"
  done
done
options=(--locate=cost --forms --near-predicates --reorder --skew)
"$MPU" mpucc "${options[@]}" tb/mpucc/ptx/sample_nvcc.ptx -o "$work/object"
for pass in reconverge predicates locate reorder allocate; do
  "$MPU" mpucc "${options[@]}" tb/mpucc/ptx/sample_nvcc.ptx --dump-after=$pass -o "$work/$pass.mir"
  "$MPU" mpucc "${options[@]}" "$work/$pass.mir" -o "$work/again"
  cmp "$work/object" "$work/again" || fail "another object by way of the dump after $pass, with near predicates and order"
done
grep -q ' mask ' "$work/predicates.mir" || fail "no mask in the dump after predicates"
cmp -s "$work/locate.mir" "$work/reorder.mir" && fail "the dump after reorder has the order of the one after locate"
"$MPU" mpucc --locate=cost --dies=base-die tb/mpucc/ptx/places.ptx -S "$work/lst" -o "$work/object"
grep -q '\[N\]' "$work/lst" && fail "near instructions with --dies=base-die"

# a profile: its loop is executed, or not
cat >"$work/never.cu" <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void never(int *p, int n) {
  __shared__ int s[64];
  int at = threadIdx.x;
  s[at] = at;
  for (int k = 0; k < n; k++)
    s[(at * 3 + k) & 63] += k;
  __syncthreads();
  p[threadIdx.x] = s[at];
}
int main(int argc, char **argv) {
  int *p, q[32];
  cudaMalloc(&p, sizeof q);
  never<<<1, 32>>>(p, argc > 1 ? atoi(argv[1]) : 0);
  cudaMemcpy(q, p, sizeof q, cudaMemcpyDeviceToHost);
  printf("%d\n", q[5]);
}
CU
for n in 0 40; do
  "$MPU" run -q --near=c --profile-out "$work/$n.profile" "$work/never.cu" -- $n >"$work/out" || fail "--profile-out with $n"
done
"$MPU" run -q --near=none "$work/never.cu" -- 40 >"$work/want"
for n in 0 40; do
  "$MPU" run -q --near=c --locate=cost --profile-in "$work/$n.profile" "$work/never.cu" -- 40 >"$work/out"
  cmp "$work/want" "$work/out" || fail "another result with the profile of $n"
done
# a profile is of blocks: the places of the run that made it do not matter
"$MPU" run -q --near=c --locate=near --profile-out "$work/near.profile" "$work/never.cu" -- 40 >"$work/out"
for p in 40 near; do
  "$MPU" cc --locate=cost --profile-in "$work/$p.profile" "$work/never.cu" -S "$work/$p.lst" -o "$work/program" || fail "mpu cc with $p.profile"
done
cmp "$work/40.lst" "$work/near.lst" || fail "a profile of other places gives other places"

# local memory whose data are near is accessed by lines; far, by lines in registers that no warp has
cat >"$work/local.cu" <<'CU'
#include <cstdio>
__global__ void local(const float *a, float *b, int n) {
  float t[8], s = 0;
  for (int j = 0; j < 8; j++)
    t[(j * 3 + n) & 7] = a[j * 128 + threadIdx.x] * 2;
  for (int j = 0; j < 8; j++)
    s += t[(j * 5 + n) & 7];
  b[threadIdx.x] = s;
}
int main() {
  float *a, *b, h[1024];
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof h);
  for (int i = 0; i < 1024; i++)
    h[i] = i % 37;
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  local<<<1, 128>>>(a, b, 3);
  cudaMemcpy(h, b, 512, cudaMemcpyDeviceToHost);
  printf("%g %g\n", h[5], h[127]);
}
CU
"$MPU" run -q --near=none "$work/local.cu" >"$work/want"
for places in near far cost paper none; do
  "$MPU" run -q --near=c --locate=$places --stats "$work/$places.json" "$work/local.cu" >"$work/out"
  cmp "$work/want" "$work/out" || fail "another result of local memory with --locate=$places"
done
sent() { jq "[.core.nbus[].packets_down.$2] | add" "$work/$1.json"; } # PLACES KIND
[[ $(sent near LINE) -gt 64 && $(sent near WR) == 0 && $(sent cost WR) == 0 && $(sent far WR) == 0 && $(sent far REGWR) -gt $(sent near REGWR) ]] ||
  fail "local memory: LINE $(sent near LINE), WR $(sent near WR), $(sent cost WR); far $(sent far WR); REGWR $(sent near REGWR), far $(sent far REGWR)"

# wrong use
expect "--profile-in is for --locate=cost" "$MPU" run --near=c --profile-in "$work/40.profile" "$work/never.cu"
expect "cannot read '$work/none': No such file" "$MPU" cc --locate=cost --profile-in "$work/none" "$work/never.cu" -o "$work/x"
expect "'README.md' is not a profile" "$MPU" cc --locate=cost --profile-in README.md "$work/never.cu" -o "$work/x"
expect "--profile-out is not for the functional machine" "$MPU" run --near=none --profile-out "$work/x" "$work/never.cu"
expect "cannot write '/nowhere/p'" "$MPU" run --near=c --profile-out /nowhere/p "$work/never.cu"
for places in near paper; do
  expect "--locate does not fit the core.location of location-cost" "$MPU" run --near=c --config location-cost --locate=$places "$work/never.cu"
done
"$MPU" cc --locate=paper "$work/never.cu" -o "$work/as-paper"
expect "--locate does not fit the core.location of the machine" "$MPU" run --near=c --config location-cost "$work/as-paper"
misfit() { # TEXT SOURCE
  "$MPU" cc --locate=cost --profile-in "$work/40.profile" "$2" -o "$work/x" 2>"$work/err"
  [[ $? == 1 ]] && grep -qF "'$work/40.profile' is a profile of another $1" "$work/err" || { fail "not said: another $1"; cat "$work/err"; }
}
misfit "program: it has none of these kernels" kernels/axpy
sed 's/__syncthreads();/if (n > 7) __syncthreads();/' "$work/never.cu" >"$work/version.cu"
misfit "version of kernel _Z5neverPii" "$work/version.cu"

# cycles CONFIG PROGRAM POLICY OPTIONS...; the policy is one of the machine, as nearbank-small has its own
cycles() {
  local -A location=([paper]=compiler [none]=hardware)
  "$MPU" run --near=c --config "$1" --set "core.location=${location[$3]:-$3}" "${@:4}" "kernels/$2" 2>"$work/err" | awk '$1 == "cycles" {print $2}'
}
# blur has a loop around its tiles that is executed once
"$MPU" run -q --near=c --profile-out "$work/blur.profile" kernels/plain/blur >"$work/out"
without=$(cycles small plain/blur cost) with=$(cycles small plain/blur cost --profile-in "$work/blur.profile")
((with && with < without)) || fail "plain/blur: $with cycles with a profile, $without without"

machines=(small) programs=(tiled/maxp plain/pr)
if [[ ${MPU_LONG:-} ]]; then
  machines=(small "small --reorder" nearbank-small)
  programs=({tiled,plain}/{axpy,blur,conv,gemv,hist,kmeans,knn,maxp,nw,pr,ttrans,upsamp})
fi
for machine in "${machines[@]}"; do
  read -r config options <<<"$machine"
  for program in "${programs[@]}"; do
    # shellcheck disable=SC2086 # options are words
    cost=$(cycles "$config" "$program" cost $options) best=
    for policy in paper none near far; do
      # shellcheck disable=SC2086
      c=$(cycles "$config" "$program" $policy $options)
      [[ $c ]] || { fail "$program on $machine with $policy: $(head -n 1 "$work/err")"; continue; }
      ((${best:=$c} > c)) && best=$c
    done
    most=102
    [[ $machine:$program != small:tiled/conv ]] || most=103 # docs/locate-cost.md, "What it brings"
    printf '%-16s %-14s %9s cycles, %9s with the best other policy\n' "$machine" "$program" "$cost" "$best"
    ((cost && best && cost * 100 <= best * most)) || fail "$program on $machine: --locate=cost is slower"
  done
done
exit $failed
