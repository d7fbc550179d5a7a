#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Streams and engines in a timeline: what the statistics of streams have, in the right places; without a window; packed.
set -uo pipefail
. tb/inspect/timeline/common.sh
source=tb/cuda/runtime/cu/streams.cu
# slices TRACK: begin, duration (ns) and name of each
slices() {
  jq -c --arg track "$1" '[.traceEvents[] | select(.ph == "M" and .name == "thread_name" and .args.name == $track) | .tid] as $tids |
    [.traceEvents[] | select(.ph == "X" and (.tid | IN($tids[]))) | [(.ts * 1000 | round), (.dur * 1000 | round), .name]] | sort' \
    "$work/now.json"
}
# busy TRACK KEY: the engine is busy as long as the statistics say
busy() {
  local drawn said
  drawn=$(slices "$1" | jq 'map(.[1]) | add // 0')
  said=$(jq ".stream_time.$2 / 1000" "$work/now.stats")
  [[ $drawn == "$said" ]] || fail "$1: $drawn ns, not $said"
}
all_busy() {
  busy "engine: copies to the device" ps_down
  busy "engine: machine" ps_machine
  busy "engine: copies to the host" ps_up
}

draw now --near=c --config small $source -- pipeline || fail "it ends with $?"
good "$work/now.json" "$work/now.stats"
all_busy
# kernel, copy in one stream, kernel in another: the copy goes with the second kernel
kernel=$(jq '.cycles / 2' "$work/now.stats")
want="[[0,$kernel,\"_Z4workPii\"],[$kernel,11000,\"copy to the device\"]]"
[[ $(slices "stream 2") == "$want" ]] || fail "stream 2: $(slices "stream 2"), not $want"
want="[[$kernel,$kernel,\"_Z4workPii\"]]"
[[ $(slices "stream 3") == "$want" ]] || fail "stream 3: $(slices "stream 3"), not $want"
want="[[$kernel,10000,\"copy to the device\"]]"
[[ $(slices "engine: copies to the device") == "$want" ]] || fail "the engine: $(slices "engine: copies to the device"), not $want"

# a window of cycles has all of them, also those behind it; tracks can be chosen
cp "$work/now.json" "$work/whole.json"
for o in "--timeline-window :500" "--timeline-tracks streams,engines"; do
  draw now --near=c --config small $o $source -- pipeline || fail "$o ends with $?"
  good "$work/now.json"
  all_busy
done
[[ $(jq '[.traceEvents[] | select(.ph == "X" and .args.ns == null)] | length' "$work/now.json") == 0 ]] || fail "other tracks"
draw now --near=c --config small --timeline-tracks blocks $source -- pipeline
[[ $(jq '[.traceEvents[] | select(.args.ns != null)] | length' "$work/now.json") == 0 ]] || fail "streams that are hidden"

# fills, copies to the host and within the device, a graph, a stream that is destroyed
cat >"$work/parts.cu" <<'CU'
__global__ void kernel(int *p) { p[threadIdx.x] += 1; }
int main() {
  static int h[4000];
  int *p, *q;
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaMalloc(&p, sizeof h), cudaMalloc(&q, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(q, 1, sizeof h);
  cudaMemcpy(q, p, sizeof h, cudaMemcpyDeviceToDevice);
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(p);
  kernel<<<1, 32, 0, s>>>(q);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&x, g, 0);
  cudaGraphLaunch(x, s);
  cudaStreamSynchronize(s);
  cudaStreamDestroy(s);
  return cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
}
CU
draw now --near=c --config small --timeline-tracks streams,engines "$work/parts.cu" || fail "parts ends with $?"
good "$work/now.json"
all_busy
for name in "copy to the device" fill "copy within the device" "copy to the host"; do
  slices "default stream" | grep -qF "\"$name\"" || fail "no $name: $(slices "default stream")"
done
[[ $(slices "stream 1" | jq -c 'map(.[2])') == '["_Z6kernelPi","_Z6kernelPi"]' ]] || fail "the graph: $(slices "stream 1")"

# packed
"$MPU" run -q --near=c --config small --timeline "$work/now.pftrace" --timeline-tracks streams,engines $source -- pipeline \
  >"$work/out" 2>&1 || fail "packed"
draw now --near=c --config small --timeline-tracks streams,engines $source -- pipeline
"$(dirname "$MPU")/tb/check_packed" "$work/now.json" "$work/now.pftrace" >"$work/checked" || fail "packed: $(head -5 "$work/checked")"
exit $failed
