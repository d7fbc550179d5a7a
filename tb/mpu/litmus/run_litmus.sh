#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Litmus tests of docs/memory-model.md on four cores: no forbidden outcome with any cache, the same outcomes for any number
# of threads, and the functional machine agrees. Without a fence the reader's cache shows what it has kept.
set -uo pipefail
. tb/cli/expect.sh
litmus() { # NAME ROUNDS PLACES OPTIONS...
  "$MPU" run -q --set machine.processors=1 --set machine.cores=4 "${@:4}" tb/mpu/litmus/litmus.cu -- "$2" "$3" >"$work/$1" 2>"$work/err" ||
    { fail "$1: it ends with $?"; cat "$work/$1" "$work/err"; }
  grep -q FORBIDDEN "$work/$1" && { fail "$1: an outcome that the memory model forbids"; cat "$work/$1"; }
  [[ $(wc -l <"$work/$1") == 22 ]] || fail "$1: not all tests ran"
}
rounds=24 places=8
[[ ! ${MPU_LONG:-} ]] || rounds=64 places=64
on=(--near=c --config nearbank)
litmus whole $rounds $places "${on[@]}" --stats "$work/whole.json"
litmus threads $rounds $places "${on[@]}" --threads 2
litmus tiny $rounds $places "${on[@]}" --set remote.cache_bytes=256 --set remote.cache_ways=1
litmus sector $rounds $places "${on[@]}" --set remote.fetch=sector
litmus line $rounds $places "${on[@]}" --set remote.fetch=line
litmus merged $rounds $places "${on[@]}" --set remote.cache_bytes=0
litmus slow $rounds $places "${on[@]}" --set network.on_chip_bits=32 --set network.interface=64
litmus full $rounds $places "${on[@]}" --set network.requests=1 --set network.send_packets=1 --set network.take_packets=1
litmus off $rounds $places --near=c --config paper
litmus lockstep 3 2 --near=lockstep --config paper --set remote.lines=on --set remote.cache_bytes=4096
cmp "$work/whole" "$work/threads" || fail "other outcomes with two threads"

# Allowed, and seen: the flag is new, but x is what was loaded before it. Without a cache it is not kept.
grep -E '^mp .* 1000: ' "$work/whole" >/dev/null || fail "mp without fences never sees what the cache has kept: $(grep '^mp ' "$work/whole")"
grep -E '^mp\+fence.gl\+fence.cta .* 1000: ' "$work/whole" >/dev/null || fail "a fence of the block empties the cache"
grep -E '^mp .* 1000: ' "$work/off" >/dev/null && fail "no cache, but a load before the flag's store is seen: $(grep '^mp ' "$work/off")"
jq -e '.core | .cache_hits > 1000 and .cache_emptied > 1000 and .line_requests > 1000' "$work/whole.json" >/dev/null ||
  fail "counters: $(jq -c '.core | [.cache_hits, .cache_emptied, .line_requests, .line_merged]' "$work/whole.json")"

# Loads of a line that is on its way wait for it: four warps read the same lines of other cores.
cat >"$work/same.cu" <<'CU'
#include <cstdio>
__global__ void sum(const unsigned *a, unsigned *b) {
  unsigned s = 0;
  for (int i = threadIdx.x % 32; i < 1024; i += 32)
    s += a[i];
  b[blockIdx.x * 128 + threadIdx.x] = s;
}
int main() {
  unsigned *a, *b, h[1024], r[512], wrong = 0, want[32] = {};
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof r);
  for (int i = 0; i < 1024; i++)
    h[i] = i * i, want[i % 32] += i * i;
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  sum<<<4, 128>>>(a, b);
  cudaMemcpy(r, b, sizeof r, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 512; i++)
    wrong += r[i] != want[i % 32];
  printf("%u wrong\n", wrong);
  return wrong != 0;
}
CU
same() { # NAME OPTIONS...
  "$MPU" run -q --near=c --config nearbank --set machine.processors=1 --set machine.cores=4 --stats "$work/$1.json" "${@:2}" "$work/same.cu" >"$work/out" ||
    { fail "$1: it ends with $?"; cat "$work/out"; }
}
same kept
same joined --set remote.cache_bytes=0
same sectors --set remote.lines=off
of() { jq ".core.$2" "$work/$1.json"; }
# 24 of the 32 lines are of others, for each of four cores
[[ $(of kept line_requests) == 96 && $(of kept line_sectors) == 384 && $(of kept served_sectors) == 384 ]] || fail "requests: $(of kept line_requests) of $(of kept line_sectors) sectors"
[[ $(($(of kept cache_hits) + $(of kept cache_misses))) == 1536 ]] || fail "$(of kept cache_hits) hits and $(of kept cache_misses) misses"
[[ $(of joined line_merged) -gt 0 && $(of joined cache_hits) == 0 ]] || fail "merged: $(of joined line_merged)"
[[ $(of sectors line_requests) == 0 && $(of sectors served) == 1536 ]] || fail "by the sector: $(of sectors served)"
[[ $(jq .cycles "$work/kept.json") -lt $(jq .cycles "$work/sectors.json") ]] || fail "the cache makes it slower"
exit $failed
