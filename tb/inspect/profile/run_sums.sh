#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All that is counted by instruction adds up to the counters of the same run: of each subcore, of the bus, of the banks;
# on one core and many, with any threads, near sides, dies and pages; also of runs that end early.
set -uo pipefail
. tb/cli/expect.sh
. tb/inspect/profile/flat.sh
out=$work/profile

sums() { # prints what does not add up, and how many figures were compared
  awk -v early="${1:-}" '
    function same(what, a, b) { n++; if (a != b) print "  " what ": " a + 0 " of instructions, " b + 0 " counted" }
    # ranges of latencies of accesses, as the statistics and the instructions have them
    $1 ~ /\.latencies\..*from$/ { from = $2 }
    FNR == NR { if ($1 ~ /^core\.latencies\..*count$/) of_class[from] += $2; v[$1] = $2; next }
    $1 ~ /\.text$/ { is_access = $0 ~ /[ .](ld|st|atom|red)\./ && $0 !~ /ld\.(const|param)/ }
    $1 ~ /\.instructions\..*\.latencies\..*count$/ && is_access { of_accesses[from] += $2 }
    {
      count = split($1, p, "."); key = p[count]
      if (p[1] != "kernels") next
      if (p[3] == "run_cycles" || p[3] == "drain_cycles") { sum[p[3]] += $2; next }
      if (p[3] != "instructions" && p[3] != "others") next
      if (p[5] == "cycles") sum[p[6] p[7]] += $2
      else if (p[5] == "latencies") { if (key == "count") sum["latencies"] += $2 }
      else sum[key] += $2
      if (p[4] == "unknown" && $2 ~ /^[0-9]+$/ && $2 > 0) print "  unknown: " $0
      if (p[4] == "no_warp" && p[5] == "cycles" && p[6] != "empty" && $2 > 0) print "  a cycle of no instruction: " $0
      if (p[3] == "instructions" && p[5] == "cycles" && p[6] == "empty" && $2 > 0) print "  an empty cycle of an instruction: " $0
    }
    END {
      causes = split("issue memory scoreboard barrier fetch engine empty", cause, " ")
      for (s = 0; s < 4; s++) for (k = 1; k <= causes; k++) {
        same(cause[k] " of subcore " s, sum[cause[k] s], v["core.subcores." s ".cycles_" cause[k]])
        all[cause[k]] += sum[cause[k] s]
      }
      of_sub = split("issued lanes near far moves_near moves_far moves_zero", name, " ")
      for (k = 1; k <= of_sub; k++) {
        total = 0
        for (s = 0; s < 4; s++) total += v["core.subcores." s "." name[k]]
        same(name[k], sum[name[k]], total)
      }
      of_bank = split("act pre sasel rd wr ref row_hits_1 row_hits_2 row_hits_3 row_hits_4 row_misses row_conflicts", name, " ")
      for (k = 1; k <= of_bank; k++) {
        total = 0
        for (u = 0; u < 4; u++) for (b = 0; b < 4; b++) total += v["core.nbus." u ".banks." b "." name[k]]
        same(name[k], sum[name[k]], total)
      }
      kinds = split("EXEC SHM LINE SECT RD WR ATM REGWR REGRD WIN SYNC KEEP RUN SLOT", name, " ")
      for (k = 1; k <= kinds; k++) {
        total = 0
        for (u = 0; u < 4; u++) total += v["core.nbus." u ".packets_down." name[k]]
        same("packets " name[k], sum[name[k]], total)
      }
      same("flits down", sum["flits_down"], v["core.bus_down"])
      same("flits up", sum["flits_up"], v["core.bus_up"])
      same("cycles", sum["run_cycles"], v["cycles"])
      same("cycles_drain", sum["drain_cycles"], v["core.cycles_drain"])
      same("cycles held for memory", sum["held_memory"], all["memory"])
      same("cycles held for results", sum["held_scoreboard"], all["scoreboard"])
      same("latencies", sum["latencies"], sum["ended"])
      for (from in of_class) same("accesses of " from " cycles on", of_accesses[from], of_class[from])
      for (from in of_accesses) if (!(from in of_class)) same("accesses of " from " cycles on", of_accesses[from], 0)
      if (!early) same("ended", sum["ended"], v["warp_instructions"])
      print n
    }' "$work/stats.flat" "$work/profile.flat"
}

# one STATUS OPTIONS... [-- ARGUMENTS]
one() {
  local status=$1 got said
  shift
  rm -f "$out" "$work/stats"
  "$MPU" profile -q --json "$out" --stats "$work/stats" "$@" >"$work/said" 2>&1
  got=$?
  [[ $got == "$status" ]] || { fail "$*: exit status $got, not $status"; tail -n 3 "$work/said"; return; }
  flat "$out" >"$work/profile.flat"
  flat "$work/stats" >"$work/stats.flat"
  said=$(sums "$([[ $status == 0 ]] || echo early)")
  [[ $said =~ ^[0-9]+$ && $said -ge 64 ]] || { fail "$*:"; echo "$said" | head -n 20; }
}

# what the functional machine has no part in: the same with any threads and near side
same() {
  local first
  sed -E 's/"near": "[a-z]*", //' "$out" >"$work/first"
  one "$@"
  sed -E 's/"near": "[a-z]*", //' "$out" | cmp -s - "$work/first" || fail "${*:2}: another profile"
}

cat >"$work/fault.cu" <<'CU'
__global__ void kernel(int *p) {
  p[threadIdx.x] = 1;
}
int main() {
  int *p;
  cudaMalloc(&p, 4 * 40);
  kernel<<<1, 64>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU

one 0 kernels/hist -- --n 3000
same 0 --near=rtl kernels/hist -- --n 3000
same 0 --near=lockstep kernels/hist -- --n 3000
one 0 kernels/nw -- --n 2 --length 32
one 0 --config closed-page kernels/ttrans -- --rows 64 --cols 64
one 0 --config rows-1 --maxregs=8 kernels/blur -- --width 64 --height 32
one 0 --config base-die kernels/hist -- --n 2000
one 0 --config far-shared kernels/pr -- --n 4000
one 0 --set dram.row_bytes=256 --set dram.rows=4096 --set dram.subarrays=4 kernels/hist -- --n 3000
one 0 --config location-near tb/mpu/machine/local.cu -- 2
one 0 --config paper tb/mpu/machine/local.cu -- 2
one 0 --config paper kernels/kmeans -- --n 300
same 0 --config paper --threads 2 kernels/kmeans -- --n 300
one 0 --config paper kernels/axpy -- --n 20000
same 0 --config paper --threads 2 kernels/axpy -- --n 20000
printf 'base: paper\nmachine: {processors: 2, cores: 2}\n' >"$work/four.yaml"
one 0 --config "$work/four.yaml" kernels/hist -- --n 2048
same 0 --config "$work/four.yaml" --near=rtl --threads 2 kernels/hist -- --n 2048
# early ends
one 3 "$work/fault.cu"
one 3 --config paper "$work/fault.cu"
one 3 --max-cycles 300 kernels/axpy -- --n 20000
one 3 --max-cycles 900 --config paper kernels/hist -- --n 20000
if [[ ${MPU_LONG:-} ]]; then
  while read -r w arguments; do
    one 0 "kernels/$w" -- $arguments
    one 0 --config paper "kernels/$w" -- $arguments
  done <tb/mpu/core/workloads.txt
fi
exit $failed
