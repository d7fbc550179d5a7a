#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Windows: what is in them is what the whole run has there; what their edges cut says so; what is not in the file is said.
set -uo pipefail
. tb/inspect/timeline/common.sh
# uncut FILE FROM TO: slices between these cycles that nothing cuts
uncut() {
  awk -v from="$2" -v to="$3" '/"ph":"X"/ && /"args"/ && !/"cut"/ {
    match($0, /"ts":[0-9.]*/); begin = substr($0, RSTART + 5, RLENGTH - 5) * 1000
    match($0, /"dur":[0-9.]*/); end = begin + substr($0, RSTART + 6, RLENGTH - 6) * 1000
    sub(/,$/, ""); if (begin > from - .5 && end < to - .5) print }' "$1" | sort
}
program=(kernels/kmeans -- --n 150)
draw whole --near=c "${program[@]}"
[[ ! -s $work/err ]] || fail "the whole run: something is said"
# behind the last launch of the machine; streams have a time of their own
last=$(grep '"name":"_Z13kmeans[^"]*","args":{"cycle"' "$work/whole.json" | tail -n 1 | sed -E 's/.*"ts":([0-9.]*),"dur":([0-9.]*),.*/\1 \2/' |
  awk '{ printf "%.0f", ($1 + $2) * 1000 }')
for w in 0:1 0:500 100:101 1234:2345 5000:5064 8200:8210 3000: :4000 $((last - 100)):999999; do
  draw part --near=c --timeline-window $w "${program[@]}" || fail "$w: it ends with $?"
  [[ ! -s $work/err ]] || fail "$w: something is said"
  good "$work/part.json" || fail "$w"
  from=${w%:*} to=${w#*:}
  diff <(uncut "$work/whole.json" ${from:-0} ${to:-999999}) <(uncut "$work/part.json" ${from:-0} ${to:-999999}) >"$work/diff" ||
    { fail "$w: other slices than those of the whole run"; head -n 3 "$work/diff"; }
done
draw part --near=c --timeline-window :$((last - 1)) "${program[@]}"
good "$work/part.json"
tail -n 200 "$work/part.json" | grep '"name":"_Z13kmeans[^"]*","args":{"cycle":[0-9]*,"cut":"end"' >/dev/null || fail "the last launch is not cut"
grep -q '"cut":"launch"' "$work/whole.json" || fail "rows that are open at the end of a launch are not said to be cut"
# a block from its first to its last cycle, and one less at each end
begin=$(grep -m 1 '"name":"block (0,0,0)"' "$work/whole.json" | grep -o '"cycle":[0-9]*' | cut -d: -f2)
dur=$(grep -m 1 '"name":"block (0,0,0)"' "$work/whole.json" | sed -E 's/.*"dur":([0-9]*)\.([0-9]*).*/\1\2/')
end=$((begin + 10#$dur))
for w in "$begin:$end" "$((begin + 1)):$end start" "$begin:$((end - 1)) end" "$((begin + 1)):$((end - 1)) start, end"; do
  draw part --near=c --timeline-window ${w%% *} "${program[@]}"
  good "$work/part.json"
  cut=$(grep -m 1 '"name":"block (0,0,0)"' "$work/part.json" | sed -nE 's/.*"cut":"([^"]*)".*/\1/p')
  [[ $w == *" "* ]] && want=${w#* } || want=
  [[ $cut == "$want" ]] || fail "block (0,0,0) in ${w%% *}: cut '$cut', not '$want'"
done
# the default, and what is said about it
cat >"$work/long.cu" <<'CU'
__global__ void kernel(volatile int *p) {
  for (int k = 0; k < 16000; k++)
    p[0];
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  kernel<<<1, 1>>>(p);
  return cudaDeviceSynchronize();
}
CU
draw long --near=c "$work/long.cu" || fail "the long run"
said "mpu: '$work/long.json' has cycles 0 to 99999 of "
[[ $(wc -l <"$work/err") == 1 ]] || fail "the long run: not one line is said"
good "$work/long.json"
draw part --near=c --timeline-window :100000 "$work/long.cu"
[[ ! -s $work/err ]] || fail "what was asked for is said to be cut"
cmp "$work/long.json" "$work/part.json" || fail ":100000 is not the default"
draw part --near=c --timeline-window 9000000: kernels/axpy -- --n 1000
said "cycles: none of them is in --timeline-window 9000000:"
good "$work/part.json"
[[ $(grep '"ph":"X"' "$work/part.json" | grep -vc '"ns":') == 0 ]] || fail "something behind the run"
exit $failed
