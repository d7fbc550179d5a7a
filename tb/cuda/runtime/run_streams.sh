#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulated time of streams (docs/cuda.md): order and overlap, statistics and report, the same each time, other links.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; tail -n 20 "$work/out"; failed=1; }
source=tb/cuda/runtime/cu/streams.cu
"$MPU" cc $source -o "$work/streams" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }

stats() { # NAME ARGUMENT OPTION...
  local name=$1 argument=$2
  shift 2
  "$MPU" run --config small --near=c "$@" --stats "$work/$name.json" "$work/streams" -- "$argument" >"$work/out" 2>&1 ||
    fail "$source $argument $*"
}
stats all timed
stats again timed
cmp <(jq .stream_time "$work/all.json") <(jq .stream_time "$work/again.json") || fail "the times of two runs differ"

# kernel, copy in one stream, kernel in another: the copy begins when the first kernel has ended, with the second one
stats pipeline pipeline
jq -e '(.cycles * 1000) as $kernels | .stream_time == {ps: ($kernels / 2 + 11000000), ps_kernels: $kernels, ps_machine: $kernels,
  ps_down: 10000000, ps_up: 0, ps_overlapped: ($kernels / 2)}' "$work/pipeline.json" >/dev/null ||
  fail "$(jq -c '[.cycles, .stream_time]' "$work/pipeline.json")"
grep -q '^streams  *19\.038 us in all: kernels 16\.076 us, copies down 10\.000 us, up 0\.000 us; 8\.038 us overlapped$' "$work/out" ||
  fail "the report of streams"
stats faster pipeline --set link.down=32000 --set link.latency=0
jq -e '.stream_time.ps == .stream_time.ps_kernels and .stream_time.ps_down == 5000000' "$work/faster.json" >/dev/null ||
  fail "another link: $(jq -c .stream_time "$work/faster.json")"

# stream 0 of a thread
"$MPU" cc -DCUDA_API_PER_THREAD_DEFAULT_STREAM $source -o "$work/streams" >"$work/out" 2>&1 || fail "$source per thread"
stats own own
exit $failed
