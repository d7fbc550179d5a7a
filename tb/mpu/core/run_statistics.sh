#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The statistics of workloads: the page has the keys of the file and no others, what must add up does, and what
# the functional machine counts too is the same there.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
"$(dirname "$MPU")/stats_gen" >"$work/page"
diff -u docs/statistics.md "$work/page" || { echo "FAILED: docs/statistics.md is not what stats_gen prints"; failed=1; }

# The file as lines: path value
flat() {
  grep -oE '"[^"]*"|[][{}:,]|[-+.0-9a-z]+' "$1" | awk '
    function path(  n, p) { for (n = 1; n <= depth; n++) p = p (n > 1 ? "." : "") at[n]; return p }
    $0 == "{" || $0 == "[" { if (depth && array[depth]) at[depth]++; depth++; array[depth] = $0 == "["; at[depth] = array[depth] ? -1 : ""; value = 0; next }
    $0 == "}" || $0 == "]" { depth--; next }
    $0 == ":" { value = 1; next }
    $0 == "," { value = 0; next }
    { gsub(/"/, ""); if (value) { print path(), $0; value = 0 } else at[depth] = $0 }'
}

rules() { # of a run that ended well; prints what does not hold
  awk -v of="$1" -v far="${3:-}" '
    function wrong(what, a, b) { if (a != b) { print "FAILED: " of ": " what ": " a ", not " b; bad = 1 } }
    function sum(p, names,  n, k, list, s) { k = split(names, list, " "); for (n = 1; n <= k; n++) s += has(p list[n]); return s + 0 }
    function has(p) { if (!(p in v)) wrong("there is " p, 0, 1); return v[p] }
    { v[$1] = $2 }
    END {
      core = "core."
      router_cycles = 2
      hits = "row_hits_1 row_hits_2 row_hits_3 row_hits_4"
      cycles = (has(core "cycles") + has(core "cycles_drain")) * has("cores")
      wrong("cycles of the run", has("cycles"), v[core "cycles"])
      for (k = 0; k < 4; k++) {
        s = core "subcores." k "."
        wrong("cycles of subcore " k, sum(s, "cycles_issue cycles_scoreboard cycles_memory cycles_barrier cycles_fetch cycles_engine cycles_empty"), cycles)
        wrong("cycles of subcore " k " that wait for memory", sum(s, "cycles_memory_remote cycles_memory_local cycles_memory_shared"), has(s "cycles_memory"))
        accesses += has(s "accesses")
        if (!has(s "remote") && v[s "cycles_memory_remote"]) wrong("remote waits of subcore " k, v[s "cycles_memory_remote"], 0)
        wrong("near and far of subcore " k, sum(s, "near far"), has(s "issued"))
        wrong("issue cycles of subcore " k, has(s "cycles_issue"), v[s "issued"])
        if (sum(s, "lsu_address lsu_data lsu_held lsu_send") > has(s "lsu_queue")) wrong("lsu_queue of subcore " k, "less", "as much as its cycles")
        computed = 0
        for (p in v) if (index(p, s "lanes_near.") == 1 || index(p, s "lanes_far.") == 1) computed += v[p]
        if (computed > has(s "lanes") || (!computed && v[s "lanes"])) wrong("lanes that compute in subcore " k, computed, "1 to " v[s "lanes"])
        if (2 * has(s "fetches") < has(s "issued")) wrong("fetches of subcore " k, v[s "fetches"], "half of " v[s "issued"])
        if (has(s "rf_others") < has(s "moves_near")) wrong("far registers read for moves in subcore " k, v[s "rf_others"], "at least " v[s "moves_near"])
        if (has(s "rf_writes") < has(s "moves_far")) wrong("far registers written in subcore " k, v[s "rf_writes"], "at least " v[s "moves_far"])
        if (has(s "track_table") < has(s "collected")) wrong("registers looked up by subcore " k, v[s "track_table"], "at least " v[s "collected"])
        if (has(s "accesses") < has(s "lines")) wrong("accesses of subcore " k, v[s "accesses"], "at least " v[s "lines"])
        near += has(s "near"); others += has(s "far"); zero += has(s "moves_zero"); moved += has(s "moves_near")
        from += has(s "moves_far"); shared += has(s "shared"); lines += has(s "lines")
        n = core "nbus." k "."
        for (d = 0; d < 2; d++) {
          way = d ? "down" : "up"; all = 0; packets = 0
          for (p in v) if (index(p, n "flits_" way "_by_kind.") == 1) all += v[p]
          for (p in v) if (index(p, n "packets_" way ".") == 1) packets += v[p]
          wrong("flits " way " of NBU " k, all, has(n "flits_" way))
          if (packets > all) wrong("packets " way " of NBU " k, packets, "at most " all)
          bus[d] += all
        }
        if (has(n "rf_reads") < has(n "packets_down.REGRD")) wrong("registers read in NBU " k, v[n "rf_reads"], "at least " v[n "packets_down.REGRD"])
        if (has(n "rf_writes") < sum(n "packets_down.", "EXEC REGWR")) wrong("registers written in NBU " k, v[n "rf_writes"], "at least " sum(n "packets_down.", "EXEC REGWR"))
        if (has(n "lsux") < sum(n "packets_down.", "LINE SECT RD WR ATM SHM")) wrong("accesses of lsux in NBU " k, v[n "lsux"], "at least its packets")
        if (has(n "smem_words") < has(n "smem_requests")) wrong("words of shared memory for NBU " k, v[n "smem_words"], "at least " v[n "smem_requests"])
        exec += has(n "packets_down.EXEC"); shm += has(n "packets_down.SHM"); requests += has(n "smem_requests")
        regwr += has(n "packets_down.REGWR"); regrd += has(n "packets_down.REGRD"); regd += has(n "packets_up.REGD")
        line += has(n "packets_down.LINE")
        if (has(n "clocked") > cycles) wrong("clocked of NBU " k, v[n "clocked"], "at most " cycles)
        for (b = 0; b < 4; b++) {
          m = n "banks." b "."
          wrong("accesses of bank " m, sum(m, hits " row_misses row_conflicts"), sum(m, "rd wr"))
          opened = sum(m, "row_misses row_conflicts")
          if (opened > has(m "act")) wrong("rows opened in " m, opened, "at most " v[m "act"])
          wrong("rows closed in " m, sum(m, "pre pre_between"), v[m "act"])
          data += sum(m, "rd wr"); refreshes += has(m "ref"); conflicts += has(m "row_conflicts")
        }
      }
      for (p in v) if (p ~ /^core\.latencies\.[a-z]+\.[0-9]+\.count$/) {
        ended += v[p]
        if (p ~ /remote/ && v["cores"] == 1) wrong(p, v[p], "none")
      }
      wrong("latencies", ended + 0, accesses)
      for (p in v) if (p ~ /^network\.links\.[0-9]+\.flits$/) {
        link = p; sub(/flits$/, "", link); links++
        if ((link "processor") in v) on += v[p]; else if ((link "gateway") in v) off += v[p]; else wrong(link, "neither on a processor nor between some", 1)
        if (has(link "queued") < v[p]) wrong(link "queued", v[link "queued"], "at least " v[p])
        if (has(link "queued_most") > v[link "queued"]) wrong(link "queued_most", v[link "queued_most"], "at most " v[link "queued"])
        if (has(link "waited") > router_cycles * (cycles / v["cores"])) wrong(link "waited", v[link "waited"], "at most the cycles")
      }
      wrong("links", links + 0, has("cores") == 128 ? 8 * 48 + 20 : 0)
      wrong("flits of links on processors", on + 0, has("on_chip_flits"))
      wrong("flits of links between processors", off + 0, has("off_chip_flits"))
      wrong("flits of the bus, up", has(core "bus_up"), bus[0])
      wrong("flits of the bus, down", has(core "bus_down"), bus[1])
      wrong("near instructions", near, has("near_instructions"))
      wrong("far instructions", others, has("far_instructions"))
      wrong("requests of shared memory", requests, shared)
      wrong("packets to shared memory", shm, far ? 0 : shared)
      wrong("registers read", regd, regrd)
      if (regwr < moved + zero) wrong("registers written", regwr, "at least " moved + zero)
      if (regrd < from) wrong("registers read", regrd, "at least " from)
      if (line < lines || !lines) wrong("lines", line, "at least " lines " and more than 0")
      if (data * 32 < has("global_bytes") / 32) wrong("data of the banks", data * 32, "more than lanes can share")
      if (exec > near) wrong("EXEC packets", exec, "at most " near)
      exit bad
    }' "$2" || failed=1
}

more= config=small same='launches|(warp|near|far)_instructions|global_bytes|shared_accesses'
one() { # kernel arguments...
  "$MPU" run -q --near=c --config $config $more --stats "$work/c" "kernels/$1" -- "${@:2}" >/dev/null || { echo "FAILED: $1"; failed=1; }
  "$MPU" run -q --near=none --stats "$work/none" "kernels/$1" -- "${@:2}" >/dev/null
  flat "$work/c" >"$work/c.flat"
  flat "$work/none" >"$work/none.flat"
  cat "$work/c.flat" >>"$work/all.flat"
  rules "$1 ($config)" "$work/c.flat" "$([[ $config == far-shared ]] && echo 1)"
  diff <(grep -E "^($same) " "$work/none.flat") <(grep -E "^($same) " "$work/c.flat") ||
    { echo "FAILED: $1: the functional machine counts otherwise"; failed=1; }
}
mapfile -t workloads <tb/mpu/core/workloads.txt
for w in "${workloads[@]}"; do one $w; done

# shared memory on the base die: where instructions execute is another matter there
config=far-shared same='launches|warp_instructions|global_bytes|shared_accesses'
one kmeans --n 512
one ttrans --rows 64 --cols 96

# many cores: the counters of each add up to those of all
config=paper same='launches|warp_instructions|near_instructions|far_instructions|global_bytes|shared_accesses'
one kmeans --n 512
one axpy --n 20000
more=--arrays
one pr --n 8192
awk '$1 ~ /\.latencies\..*\.from$/ { from = $2; next }  # each range is a counter
     $1 ~ /\.latencies\./ { sub(/[0-9]+\.count$/, from, $1) }
     $1 ~ /^each\./ { k = $1; sub(/^each\.[0-9]+\./, "core.", k); sum[k] += $2; next }
     { v[$1] = $2 }
     END { for (k in sum) { all = k ~ /^core\.cycles(_drain)?$/ ? sum[k] / v["cores"] : sum[k]
             if (all != v[k]) { print "FAILED: " k ": " v[k] ", in the cores " all; bad = 1 } n++ }
           exit bad || n < 300 }' "$work/c.flat" || failed=1

# a load and a store of one warp with k words of a bank each: k - 1 cycles of conflicts each
cat >"$work/banks.cu" <<'CU'
__global__ void kernel(int *p, int k) {
  __shared__ int s[1024];
  int *at = s + threadIdx.x * k;
  *(volatile int *)at = p[threadIdx.x];
  p[threadIdx.x] = *(volatile int *)at;
}
int main(int argc, char **argv) {
  int *p;
  cudaMalloc(&p, 128);
  kernel<<<1, 32>>>(p, atoi(argv[1]));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
for k in 1 2 4 16 32; do
  for config in small far-shared; do
    "$MPU" run -q --near=c --config $config --stats "$work/k" "$work/banks.cu" -- $k
    flat "$work/k" | grep -x "core.nbus.0.smem_conflicts $((2 * (k - 1)))" >/dev/null ||
      { echo "FAILED: $config: conflicts of $k words of a bank:"; flat "$work/k" | grep smem_; failed=1; }
  done
done

# sectors: the kernel reads 32 words of memory and writes them
"$MPU" run -q --near=none --count-bytes --stats "$work/k" "$work/banks.cu" -- 1
flat "$work/k" >"$work/k.flat"
for way in read write; do
  grep -qx "compulsory_${way}_bytes 128" "$work/k.flat" || { echo "FAILED: bytes of 32 words:"; grep compulsory "$work/k.flat"; failed=1; }
done
grep '^compulsory' "$work/k.flat" >>"$work/all.flat"

# to look at a launch of one block takes what its addresses need: of 12 instructions neither the second parameter, nor what
# finds a place in shared memory (2), nor the accesses there (2)
"$MPU" run -q --near=c --place auto --stats "$work/k" "$work/banks.cu" -- 1
flat "$work/k" >"$work/k.flat"
[[ $(sed -n 's/^placement_cycles //p' "$work/k.flat") == 7 && $(sed -n 's/^warp_instructions //p' "$work/k.flat") == 12 ]] ||
  { echo "FAILED: cycles to look at one block:"; grep -E '^placement|^warp_inst' "$work/k.flat"; failed=1; }
grep '^placement' "$work/k.flat" >>"$work/all.flat"

# an array that is copied: all others read what core 0 has
echo 'array p: copy' >"$work/copy"
"$MPU" run -q --near=c --set machine.cores=2 --place "$work/copy" --stats "$work/k" "$work/banks.cu" -- 1
flat "$work/k" >"$work/k.flat"
grep -qx 'array_transfers.copies 1' "$work/k.flat" && grep -qx 'array_transfers.bytes 256' "$work/k.flat" || { echo "FAILED: copies of a line in two cores:"; grep '^array_tr' "$work/k.flat"; failed=1; }
grep '^array_transfers' "$work/k.flat" >>"$work/all.flat"

# (the keys of the configuration are those of docs/configuration.md)
sed -E 's/^(configuration|build|copies|array_transfers|stream_time)\.[^ ]*/\1/' "$work/all.flat" | cut -d' ' -f1 | tr . '\n' | grep -vE '^[0-9]+$' | sort -u >"$work/keys"
sed -n 's/^| `\([^`]*\)` |.*/\1/p' docs/statistics.md | sort -u | diff - "$work/keys" ||
  { echo "FAILED: the page (<) and the file (>) have other keys"; failed=1; }
exit $failed
