#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu energy: kernels whose events are known, what must add up, constants that are set, several files.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

cat >"$work/square.cu" <<'CU'
__global__ void square(float *p) { p[threadIdx.x] *= p[threadIdx.x]; }
int main() {
  float *p;
  cudaMalloc(&p, 128);
  square<<<1, 32>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
cat >"$work/shared.cu" <<'CU'
__global__ void shared(int *p) {
  __shared__ int s[64];
  int *at = s + threadIdx.x % 8;
  s[threadIdx.x] = p[threadIdx.x];
  if (threadIdx.x < 24) atomicAdd(at, 1);
  p[threadIdx.x] = s[threadIdx.x + 1];
}
int main() {
  int *p;
  cudaMalloc(&p, 128);
  shared<<<1, 32>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
run() { "$MPU" run -q --near=c "$@" >"$work/out" 2>&1 || { wrong "mpu run $*"; cat "$work/out"; }; }
csv() { # FILE: lines of component events pJ joules group
  "$MPU" energy --csv "${@:2}" "$1" | sed 's/"[^"]*"/text/g' | awk -F, 'NR > 1 { print $6, $9, $10, $11, $5 }'
}

# A warp loads a line, multiplies each word with itself, stores the line. Near: two registers written (load, product),
# three read (twice the factor, once the product), so six times in and out of collectors; two entries of the LSU-Extension;
# no shared memory. Banks: a line is in all four of a unit. Far: address (a 64-bit addition of a product, a
# special register, a parameter). Bus: EXEC, twice LINE and the answers, with at most three of these.
run --stats "$work/square.json" "$work/square.cu"
csv "$work/square.json" >"$work/square"
while read -r name want; do
  got=$(awk -v of="$name" '$1 == of { print $2 }' "$work/square")
  [[ $got == "$want" ]] || wrong "square: $name: $got events, not $want"
done <<'KNOWN'
near_fmul 32
near_int 0
near_registers 5
near_collectors 6
far_int 32
far_int64 32
far_imul 32
far_fp64 0
dram_read 4
dram_write 4
dram_act 4
dram_pre 4
dram_ref 0
on_chip_links 0
routers 0
shared_memory 0
lsu_extension 4
lsu 4
lsu_remote 0
front_end 8
icache_fills 2
KNOWN
awk '$1 == "tsv" { bad = $2 % 64 || $2 < 4 * 64 || $2 > 6 * 64 } END { exit bad }' "$work/square" || wrong "square: bits of the bus"
# by hand: 32 x 11.84 + 5 x 40 + 6 x 41.49 + 8 x 150 + 8 x 270 + 4 x 39.67 pJ near the banks; the rows are open at the end, and close
awk '$1 ~ /^(near_|dram_|lsu_extension)/ { all += $4 } END { exit !(all > 4.34649e-9 && all < 4.34651e-9) }' "$work/square" ||
  wrong "square: $(awk '$1 ~ /^(near_|dram_|lsu_extension)/ { all += $4 } END { print all }' "$work/square") J near, not 4.3465e-09"

# Launches that are shorter than tREFI: banks are refreshed as their time asks for, rows close.
sed 's/  square<<<1, 32>>>(p);/  for (int k = 0; k < 200; k++) square<<<1, 32>>>(p);/' "$work/square.cu" >"$work/often.cu"
run --stats "$work/often.json" "$work/often.cu"
csv "$work/often.json" >"$work/often"
"$MPU" energy --csv "$work/often.json" | awk -F, -v ref="$(awk '$1 == "dram_ref" { print $2 }' "$work/often")" \
  'NR == 2 { good = $3 > 5 * 3900 && ref == 16 * int($3 / 3900) } END { exit !good }' || wrong "refreshes of short launches: $(grep dram_ref "$work/often")"
[[ $(awk '$1 == "dram_act" || $1 == "dram_pre" { print $2 }' "$work/often" | xargs) == "800 800" ]] || wrong "rows of short launches"

# 32 words are stored, 24 lanes add to one, which reads and writes it, 32 are loaded
run --stats "$work/shared.json" "$work/shared.cu"
[[ $(csv "$work/shared.json" | awk '$1 == "shared_memory" { print $2, $3 }') == "112 0.69375" ]] || wrong "words of shared memory"
run --config far-shared --stats "$work/far.json" "$work/shared.cu"
[[ $(csv "$work/far.json" | awk '$1 == "shared_memory" { print $2 }') == 112 ]] || wrong "words of shared memory on the base die"

# ---- what adds up

adds_up() { # FILE
  csv "$1" >"$work/parts"
  "$MPU" energy --json "$1" >"$work/json" || wrong "$1: --json"
  grep -oE '"lanes_(near|far)": \{[^}]*\}' "$1" | head -8 | grep -oE ': [0-9]+' | awk '{ all += $2 } END { print all }' >"$work/lanes"
  awk -v file="$1" -v lanes="$(<"$work/lanes")" '
    function differ(what, a, b) { if (a - b > 1e-8 * (a + b) || b - a > 1e-8 * (a + b)) { print "FAILED: " file ": " what ": " a ", not " b; bad = 1 } }
    FILENAME ~ /parts$/ { if ($5 == "idle") next
      differ($1, $4, $2 * $3 * 1e-12); all += $4; group[$5] += $4; if ($5 == "ALU") counted += $2; next }
    /"joules": / && /"seconds"/ { match($0, /"seconds": [^,]*, "joules": [^,]*/); split(substr($0, RSTART, RLENGTH), x, /[:,] /); total = x[4]; time = x[2] }
    /"groups": / { n = split($0, x, /[{}]/); for (k = 2; k < n; k += 2) { name = x[k]; if (match(name, /"[A-Za-z+]+": $/)) { at = substr(name, RSTART + 1, RLENGTH - 4)
      split(x[k + 1], y, /[:,] /); differ("group " at, y[2], group[at]); differ("percent of " at, y[4], 100 * group[at] / all); seen++; paper += y[6] } } }
    /"watts": / { match($0, /"watts": [^,]*/); differ("power", substr($0, RSTART + 9, RLENGTH - 9), all / time) }
    END { differ("total", total, all); differ("lanes", counted, lanes); differ("groups", seen, 6); differ("paper", paper, 100); exit bad }' "$work/parts" "$work/json" || failed=1
}
for k in "axpy --n 20000" "blur --width 64 --height 48" "knn --n 8192" "nw --n 2 --length 64" "hist --n 8192"; do
  read -r name args <<<"$k"
  # shellcheck disable=SC2086
  run --stats "$work/$name.json" "kernels/$name" -- $args
  adds_up "$work/$name.json"
done
run --config paper --stats "$work/paper.json" kernels/kmeans -- --n 512
adds_up "$work/paper.json"
csv "$work/paper.json" | awk '$1 == "on_chip_links" || $1 == "off_chip_links" { bits += $2 } $1 == "routers" { through = $2 } $1 == "lsu_remote" { remote = $2 }
  END { exit !(bits > 0 && bits == through && remote > 0) }' || wrong "no traffic between cores"
# banks of all cores are refreshed, of those that rest too: once every tREFI, and when they wake
run --config paper --stats "$work/rest.json" kernels/nw
"$MPU" energy --csv "$work/rest.json" | awk -F, '$6 == "dram_ref" { r = $9 / (2048 * $3 / 3900) } END { exit !(r > 0.8 && r < 1.25) }' || wrong "refreshes of 128 cores"
# power of one processor: all of it by eight
"$MPU" energy --json "$work/paper.json" | awk '/"watts"/ { split($0, x, /[:,] */); r = 8 * x[8] / (x[2] + x[6]) } END { exit !(r > 0.999999 && r < 1.000001) }' || wrong "power of a processor"

# ---- constants

"$MPU" energy --list | awk '/^  / { print $1 }' >"$work/names"
[[ $(wc -l <"$work/names") -gt 30 ]] || wrong "mpu energy --list"
zero=()
while read -r name; do zero+=(--set "energy.$name=0"); done <"$work/names"
csv "$work/knn.json" "${zero[@]}" | awk '{ all += $3 + $4 } END { exit all != 0 }' || wrong "there is energy that no constant has"
# each constant that a part has does something
while read -r name; do
  [[ $name =~ ^(footprint|cooling) ]] && continue
  "$MPU" energy --csv --set "energy.$name=12.5" "$work/paper.json" | grep -E ",$name,(.*,12.5,|,,,)|,shared_memory,.*,0.390625," >/dev/null || wrong "--set $name"
done <"$work/names"
printf 'base: small\nenergy:\n  tsv_bit: 1\n  dram_access: 2\ncore:\n  warp_slots: 4\n' >"$work/my.yaml"
[[ $(csv "$work/knn.json" --config "$work/my.yaml" --set energy.dram_access=3 | awk '$1 == "tsv" || $1 == "dram_read" { print $3 }' | sort | xargs) == "1 3" ]] || wrong "--config and --set"
[[ $(csv "$work/knn.json" --set energy.dram_access=3 --config "$work/my.yaml" | awk '$1 == "dram_read" { print $3 }') == 3 ]] || wrong "--set before --config"
for set in synthesis circuit; do
  [[ $(csv "$work/knn.json" --config harness/study/energy/$set.yaml | awk '$1 == "far_int" { print $3 }') != 36.08375 ]] || wrong "$set.yaml"
  "$MPU" energy --list --config harness/study/energy/$set.yaml | awk '/^  alu_/ { print $2 }' >"$work/set"
  "$MPU" energy --list | awk '/^  alu_/ { print $2 }' | paste - "$work/set" | awk '$1 == $2 { exit 1 }' || wrong "$set.yaml has not all of them"
done
"$MPU" config | awk '/^energy:/ { on = 1; next } /^[a-z]/ { on = 0 } on && /^  / { sub(":", "", $1); print $1 }' | diff - "$work/names" >/dev/null || wrong "the configuration has other constants"

# ---- several

"$MPU" energy "$work"/{axpy,knn}.json >"$work/rows"
[[ $(wc -l <"$work/rows") == 7 ]] || wrong "lines of two files"
awk 'NR == 2 || NR == 3 { for (k = 2; k <= 7; k++) sum[k] += $k / 2 } $1 == "mean" { for (k = 2; k <= 7; k++) if (sum[k] - $k > 0.011 || $k - sum[k] > 0.011) exit 1; seen = 1 }
  END { exit !seen }' "$work/rows" || wrong "the mean of two"
[[ $("$MPU" energy --csv "$work"/{axpy,knn}.json | wc -l) == $((2 * ($("$MPU" energy --csv "$work/knn.json" | wc -l) - 1) + 1)) ]] || wrong "--csv of two"
exit $failed
