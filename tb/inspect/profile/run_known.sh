#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kernels of which it is known where their cycles go, and what for; and which of their lines the accesses, row
# conflicts and flits are of.
set -uo pipefail
. tb/cli/expect.sh
. tb/inspect/profile/flat.sh
cat >"$work/known.cu" <<'CU'
#include <stdlib.h>
#include <string.h>
__global__ void chase(volatile int *p, int n) {
  int at = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; k++)
    at = p[at];  // CHASE
  p[at] = at;
}
__global__ void conflict(volatile int *p, int n) {
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    sum += p[4096 * (k & 1) + 32];  // ROWS
    sum *= 3;
  }
  p[8224 + threadIdx.x] = sum;  // STORE
}
__global__ void meet(int *p, int n) {
  unsigned x = threadIdx.x;
  if (threadIdx.x < 32)
#pragma unroll 1
    for (int k = 0; k < n; k++)
      x = x * x / (k + 3);
  __syncthreads();  // BARRIER
  p[threadIdx.x] = x;
}
__global__ void chain(unsigned *p, int n) {
  unsigned x = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; k++)
    x = 1000000007u / (x | 3);  // CHAIN
  p[threadIdx.x] = x;
}
__global__ void two(volatile int *p, int n) {
  int sum = 0;
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (int k = 0; k < n; k++)
      sum += p[4096 * (k & 1)] * 3;  // OLDER
  } else if (threadIdx.x >= 128) {
#pragma unroll 1
    for (int k = 0; k < n; k++)
      sum += p[4096 * (k & 1)] * 5;  // YOUNGER
  }
  p[8192 + threadIdx.x] = sum;
}
__global__ void both(volatile int *p) {
  int first = p[4128];   // FIRST
  int second = p[8224];  // SECOND
  p[threadIdx.x] = first + second;
}
__global__ void spread(const int *p, int *q) {
  int near = p[threadIdx.x];               // LINE
  int own = p[1024 + 1024 * threadIdx.x];  // SPREAD
  q[threadIdx.x] = near + own;             // RESULT
}
int main(int argc, char **argv) {
  int *p, n = atoi(argv[2]), h[64], status;
  for (int k = 0; k < 64; k++)
    h[k] = k;
  cudaMalloc(&p, 1 << 20);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  if (!strcmp(argv[1], "chase"))
    chase<<<1, 32>>>(p, n);
  if (!strcmp(argv[1], "conflict"))
    conflict<<<1, 32>>>(p, n);
  if (!strcmp(argv[1], "meet"))
    meet<<<1, 128>>>(p, n);
  if (!strcmp(argv[1], "chain"))
    chain<<<1, 32>>>((unsigned *)p, n);
  if (!strcmp(argv[1], "two"))
    two<<<1, 160>>>(p, n);
  if (!strcmp(argv[1], "both"))
    both<<<1, 32>>>(p);
  if (!strcmp(argv[1], "spread"))
    spread<<<1, 32>>>(p, p + 65536);
  status = cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  return status;
}
CU
printf 'base: rows-1\ndram: {refresh: off}\n' >"$work/still.yaml"
line_of() { grep -n "// $1$" "$work/known.cu" | cut -d: -f1; }

# profile KERNEL N: the counters of its lines as "LINE KEY VALUE"; those elsewhere have "elsewhere_KEY" too
config=$work/still.yaml
profile() {
  "$MPU" profile -q --json "$work/json" --config "$config" "$work/known.cu" -- "$1" "$2" >"$work/said" 2>&1 ||
    { fail "$1: the run"; tail -n 3 "$work/said"; }
  flat "$work/json" | awk '
    { split($1, p, ".") }
    p[1] != "kernels" || p[3] != "instructions" { next }
    p[5] == "cuda_line" { line[p[4]] = $2; next }
    { k = p[5] == "cycles" ? p[6] : p[5] ~ /^traffic/ ? (p[6] == "packets" ? p[7] : p[6]) : p[5]
      if (p[5] == "cycles") of[p[4], "cycles"] += $2
      if (p[5] == "traffic_elsewhere") { of[p[4], "elsewhere_" k] += $2; keys["elsewhere_" k] }
      of[p[4], k] += $2; keys[k]; keys["cycles"]; if (p[4] > last) last = p[4] }
    END { for (i = 0; i <= last; i++) for (k in keys) sum[line[i], k] += of[i, k]
          for (x in sum) { split(x, y, SUBSEP); print y[1], y[2], sum[x] } }' >"$work/lines"
}
value() { awk -v l="$1" -v k="$2" '$1 == l && $2 == k { print $3 }' "$work/lines"; }
top() { awk -v k="$1" '$2 == k && $3 > most { most = $3; at = $1 } END { print at }' "$work/lines"; }
share() { awk -v l="$1" -v k="$2" -v of="$3" '$2 == of { all += $3 } $1 == l && $2 == k { n = $3 } END { print int(100 * n / all) }' "$work/lines"; }
is() { [[ $2 == "$3" ]] || fail "$1: $2, not $3"; }
least() { ((${2:-0} >= $3)) || fail "$1: $2, not $3 at least"; }

profile chase 200
at=$(line_of CHASE)
is "chase: the line of most cycles" "$(top cycles)" "$at"
least "chase: share of its cycles" "$(share "$at" cycles cycles)" 60
is "chase: lines read" "$(value "$at" LINE)" 200
is "chase: reads" "$(value "$at" rd)" 800
is "chase: what comes up to be addresses" "$(value "$at" moves_far)" 199
least "chase: flits of them" "$(value "$at" flits_up)" $((199 * 17))

profile conflict 100
at=$(line_of ROWS)
is "conflict: the line of most cycles" "$(top cycles)" "$at"
is "conflict: reads" "$(value "$at" rd)" 100
is "conflict: rows opened in a free buffer" "$(value "$at" row_misses)" 1
is "conflict: and in the place of another" "$(value "$at" row_conflicts)" 99
is "conflict: rows closed for it" "$(value "$at" pre)" 99
is "conflict: of the store" "$(value "$(line_of STORE)" row_conflicts)" 1
is "conflict: rows of the store" "$(value "$(line_of STORE)" act)" 4
least "conflict: cycles that its result is waited for" "$(value "$at" held_memory)" 3300

profile meet 100
at=$(line_of BARRIER)
is "meet: the line of most cycles" "$(top cycles)" "$at"
is "meet: at the barrier" "$(top barrier)" "$at"
least "meet: share at the barrier" "$(share "$at" barrier cycles)" 65
is "meet: barriers" "$(value "$at" issued)" 4
is "meet: nobody else waits there" "$(awk '$2 == "barrier" && $3 > 60 { n++ } END { print n }' "$work/lines")" 1

profile chain 100
at=$(line_of CHAIN)
is "chain: the line of most cycles" "$(top cycles)" "$at"
least "chain: share that waits for results" "$(share "$at" scoreboard cycles)" 50
is "chain: accesses" "$(value "$at" rd)" 0
is "chain: what waits there waits for that line" "$(top held_scoreboard)" "$at"

# warps 0 and 4 of a subcore, both of which wait nearly all the time: for the older one, that is
profile two 200
older=$(line_of OLDER)
young=$(line_of YOUNGER)
least "two: cycles of the older warp to those of the younger one" $(($(value "$older" cycles) / $(value "$young" cycles))) 3
is "two: each reads" "$(value "$older" rd) $(value "$young" rd)" "200 200"

# an instruction waits for two: for the older one until that ends; then for the other, which needs its row buffer
profile both 0
least "both: held by the first" "$(value "$(line_of FIRST)" held_memory)" 35
is "both: then by the second, for the time from row to row" "$(value "$(line_of SECOND)" held_memory)" 47

# a warp's 32 words in one line are 4 sectors, and 32 words of 32 rows are 32
profile spread 0
is "spread: a line" "$(value "$(line_of LINE)" LINE)" 1
is "spread: its reads" "$(value "$(line_of LINE)" rd)" 4
is "spread: sectors" "$(value "$(line_of SPREAD)" SECT)" 32
is "spread: their reads" "$(value "$(line_of SPREAD)" rd)" 32
is "spread: flits of 32 requests with two each" "$(value "$(line_of SPREAD)" flits_down)" 64
is "spread: writes of the result" "$(value "$(line_of RESULT)" wr)" 4
is "spread: reads of the result" "$(value "$(line_of RESULT)" rd)" 0

# of 32 words, 4096 bytes apart, all but those of the own core are read in other cores, for this line
config=paper
profile spread 0
is "spread, 128 cores: reads" "$(value "$(line_of SPREAD)" rd)" 32
least "spread, 128 cores: in others" "$(value "$(line_of SPREAD)" elsewhere_rd)" 30
is "spread, 128 cores: their packets" "$(value "$(line_of SPREAD)" elsewhere_RD)" "$(value "$(line_of SPREAD)" elsewhere_rd)"
is "spread, 128 cores: of the line" "$(value "$(line_of LINE)" rd) $(value "$(line_of LINE)" elsewhere_rd)" "4 0"
exit $failed
