#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu diff on real runs: what adds up, what comes first, text, JSON and page, profiles of a source that
# changed, runs of a store; wrong use and files that are not what it takes.
set -uo pipefail
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "FAILED: $*"; failed=1; }
run() { "$MPU" run -q --near=c "$@" >"$work/out" 2>&1 || { wrong "mpu run $*"; cat "$work/out"; }; }
differ() { # STATUS FILES...: the text in $work/text, JSON in $work/json
  "$MPU" diff --json "$work/json" "${@:2}" >"$work/text" 2>"$work/err"
  local got=$?
  [[ $got == "$1" ]] || wrong "mpu diff ${*:2}: status $got, not $1: $(head -n 3 "$work/err")"
  LC_ALL=C.UTF-8 awk 'length($0) > 100 { print "FAILED: " length($0) " columns: " $0; bad = 1 } END { exit bad }' "$work/text" || failed=1
}
has() { grep -qE -- "$1" "$work/text" || { wrong "no '$1' in"; head -n 40 "$work/text"; }; }
holds() { jq -e "$1" "$work/json" >/dev/null || wrong "JSON: $1"; }
# what is shown adds up to its last row, to the last digit: of cycles by cause, and of each kernel
shown_adds_up() {
  awk '
    function check(  k) { for (k = 0; k < 3; k++) { n++; if (sum[k] - all[k] > 0.001 || all[k] - sum[k] > 0.001) { print "FAILED: shown: " sum[k] ", not " all[k]; bad = 1 } sum[k] = 0 } }
    /^cycles by cause, mean/ { on = 1 } /^counters/ { on = 0 } /^kernel / { lines = 1 }
    on && match($0, /[-0-9.]+ +[-0-9.]+ +[-+0-9.]+ +/) { split(substr($0, RSTART, RLENGTH), x, / +/); for (k = 0; k < 3; k++) all[k] = x[k + 1]
      if ($1 == "cycles") check(); else for (k = 0; k < 3; k++) sum[k] += x[k + 1] }
    lines && /^ *-?[0-9]/ { for (k = 0; k < 3; k++) all[k] = $(k + 1); if ($4 == "all:") check(); else for (k = 0; k < 3; k++) sum[k] += $(k + 1) }
    END { if (n < 3) { print "FAILED: nothing is shown that adds up"; bad = 1 } exit bad }' "$work/text" || failed=1
}
causes_add_up='.causes as $c | [.a.cycles, .b.cycles] as $n | ([$c.parts[].a] | add) == $c.all.a and ([$c.parts[].b] | add) == $c.all.b and
  ([$c.parts[].difference] | add) == $c.all.difference and $c.all.a == $n[0] * $c.per_cycle and $c.all.b == $n[1] * $c.per_cycle and
  ([$c.parts[].cause] | index("unexplained") == null)'

run --stats "$work/a" kernels/plain/axpy -- --n 4096
run --stats "$work/b" --set dram.row_buffers=1 kernels/plain/axpy -- --n 4096
run --stats "$work/four" --set machine.cores=4 kernels/plain/hist -- --n 3000
run --stats "$work/one" kernels/plain/hist -- --n 3000
run --stats "$work/three" --set machine.cores=2 --set shared.place=far --set core.location=near kernels/plain/hist -- --n 3000
"$MPU" run -q --near=none --stats "$work/none" kernels/plain/axpy -- --n 4096 >/dev/null || wrong "mpu run --near=none"
"$MPU" machine reduce --near=c --stats "$work/m" >/dev/null || wrong "mpu machine"
"$MPU" machine reduce --near=c --set reduce.accesses=32 --stats "$work/m2" >/dev/null || wrong "mpu machine"

# ---- the same
differ 0 "$work/a" "$work/a"
has '^the same cycles, [0-9]*; the same warp instructions, [0-9]*; the same counters, all [0-9]*$'
has '^configuration: the same machine, [0-9a-f]{16}$'
holds '.same and .counters == [] and .configuration == []'
holds "$causes_add_up"
sed 's/"host_seconds": [0-9.]*/"host_seconds": 9/; s/"host_memory": [0-9]*/"host_memory": 9/' "$work/a" >"$work/host"
differ 0 "$work/a" "$work/host"
sed 's/"memory_digest": "[^"]*"/"memory_digest": "0"/' "$work/a" >"$work/digest"
differ 1 "$work/a" "$work/digest"
has '^different contents of device memory at the end'
sed 's/"result": "pass"/"result": "fail"/' "$work/a" >"$work/result"
differ 1 "$work/a" "$work/result"
has '^different results: pass and fail$'
sed 's/"commit": "[^"]*"/"commit": "0123"/' "$work/a" >"$work/build"
differ 0 "$work/a" "$work/build"
has '^different builds: commit .* and 0123$'

# ---- one key: it comes first
differ 1 "$work/a" "$work/b"
has '^dram.row_buffers 4 -> 1: cycles [0-9]+ -> [0-9]+ \(x [0-9.]+, \+[0-9.]+ %\); the same warp instructions, [0-9]+;'
has '^configuration: 1 key differs$'
has '^  dram.row_buffers +4 -> 1 +rows of a bank'
has '^configuration +small +rows-1$'
shown_adds_up
holds "$causes_add_up"
holds '.configuration == [{key: "dram.row_buffers", a: "4", b: "1", unit: ""}]'
holds '.counters[0].counter == "core.nbus.banks.row_conflicts" and .counters[0].effect > 0 and .counters[0].unit == "accesses"'
# by hand: tRP + tRCD = 28 for each conflict of the bank with the most
most() { jq '[.core.nbus[].banks[].row_conflicts] | max' "$1"; }
holds ".counters[0].effect == 28 * ($(most "$work/b") - $(most "$work/a"))"
cp "$work/json" "$work/keyed"
# energy is that of mpu energy
for s in a b; do
  holds ".energy.joules.$s as \$x | $("$MPU" energy --json "$work/$s" | jq '.runs[0].joules') as \$y | (\$x - \$y) / \$y | fabs < 1e-8"
done
# groups add up to all, components to their group
near='def near($x; $y): ($x - $y | fabs) <= 1e-8 * $y; '
holds "$near"'.energy as $e | near([$e.components[] | select(.component == null).b] | add; $e.joules.b) and near([$e.components[] | select(.component).b] | add; $e.joules.b) and
  near([$e.components[] | select(.group == "DRAM" and .component).a] | add; $e.components[] | select(.group == "DRAM" and .component == null).a)'
# constants of each configuration
run --stats "$work/cheap" --set energy.tsv_bit=0 kernels/plain/axpy -- --n 4096
differ 0 "$work/a" "$work/cheap"
has '^energy.tsv_bit 4.53 -> 0: the same cycles'
holds '.energy.joules.b < .energy.joules.a and ([.energy.components[] | select(.component == "tsv").b] == [0])'

# ---- other numbers of cores
for pair in "one four" "four one" "four three" "one three"; do
  # shellcheck disable=SC2086
  set -- $pair
  differ 1 "$work/$1" "$work/$2"
  holds "$causes_add_up"
  shown_adds_up
done
has '^configuration: 3 keys differ$'

# ---- what is not in both
differ 0 "$work/a" "$work/none"
has '^B is of the functional machine \(--near=none\): without cycles'
has '^cycles only in A; the same warp instructions'
holds '.causes == null and .energy == null and .configuration == null and .b.cycles == null'
differ 1 "$work/a" "$work/one"
[[ $(head -n 1 "$work/text") == "different programs: axpy and hist" ]] || wrong "different programs do not come first"
holds "$causes_add_up"
differ 1 "$work/m" "$work/m2"
has '^reduce.accesses 64 -> 32: cycles'
has 'sums.engine.accesses'
has 'reads of the banks'
holds '.causes == null and .energy.joules.a > .energy.joules.b and .a.machine == "reduce"'
differ 1 "$work/m" "$work/a"
has "^a program on MPU and the machine 'reduce'$"
sed 's/"fetches": [0-9]*, //g' "$work/a" >"$work/old"
differ 1 "$work/old" "$work/b"
has '1 only in B'
has "^energy: not of both: .*has no core.subcores.fetches: an older mpu wrote it"
jq -c '.core.subcores[] |= . + {cycles_memory_remote: (.cycles_memory / 3 | floor), cycles_memory_local: 0, cycles_memory_shared: 1}' "$work/a" >"$work/split"
differ 0 "$work/split" "$work/split"
has '^  memory, remote '
holds "$causes_add_up"
holds '[.causes.parts[].cause] | index("memory") == null and index("memory, local") != null'
jq -c '.core.subcores[] |= del(.cycles_memory_remote, .cycles_memory_local, .cycles_memory_shared)' "$work/a" >"$work/joined"  # an older one
differ 0 "$work/split" "$work/joined"
holds '[.causes.parts[].cause] | index("memory") != null and index("memory, local") == null'
jq -c '.core.subcores[0].cycles_fetch += 5' "$work/a" >"$work/changed"
differ 1 "$work/changed" "$work/a"
has '^  unexplained '

# ---- how much of it
lines() { "$MPU" diff "$@" "$work/one" "$work/four" | awk '/^counters/ { on = 1 } /^energy/ { on = 0 } on && /^ *([-+][0-9.]+)? +[0-9]+ +[0-9]+ +([0-9.]+|-)  [a-z]/ { n++ } END { print n }'; }
[[ $(lines) == 20 && $(lines --top 3) == 3 && $(lines --all) -gt 40 ]] || wrong "--top and --all: $(lines) $(lines --top 3) $(lines --all)"
"$MPU" diff -q "$work/a" "$work/b" >"$work/out" 2>&1
[[ $? == 1 && ! -s $work/out ]] || wrong "-q: $(head -n 3 "$work/out")"
"$MPU" diff --json - "$work/a" "$work/b" | jq -e .same >/dev/null
[[ ${PIPESTATUS[0]} == 1 ]] || wrong "--json -"
"$MPU" diff --html - "$work/a" "$work/b" >"$work/page"
[[ $? == 1 && $(head -n 1 "$work/page") == '<!DOCTYPE html>' ]] || wrong "--html -"
grep -q '<svg' "$work/page" && grep -q 'dram.row_buffers' "$work/page" || wrong "the page has no figure or no key"
! grep -niE 'https?:|<script|<link|<img|@import|url\(|src=' "$work/page" || wrong "the page asks for something else"

# ---- arrays
differ 1 "$work/a" "$work/b"
! grep -q '^arrays' "$work/text" || wrong "arrays that nobody asked for"
holds '.arrays == null and (has("arrays_same") | not)'
arrays() { run --arrays --stats "$work/$1" "${@:2}" kernels/plain/kmeans -- --n 2000; }
arrays k1
arrays k2 --set dram.row_buffers=1
arrays k4 --set machine.cores=4
differ 0 "$work/k1" "$work/k1"
has '^arrays: 0 differ, 3 are the same$'
holds '.arrays == [] and .arrays_same == 3'
differ 1 "$work/k1" "$work/a"
has '^arrays: only in A; mpu run --arrays counts them$'
holds '.arrays == null'
# what is shown, and all of it in JSON, is what statistics have
as_run() { holds "[.arrays[] | .$1 | del(.place, .allocations, .bytes)] - $(jq -c '[.arrays.named[] | del(.name, .place, .variable, .allocations, .bytes)]' "$2") == []"; }
differ 1 "$work/k1" "$work/k2"
has '^arrays: 3 differ, 0 are the same$'
has '^ +\+[0-9.]+ +6000 +6000 +0 +0 +[0-9.]+ % +[0-9.]+ %  dev_points$'
has '^ +kmeans.cu:[0-9]+; banks$'
as_run a "$work/k1"
as_run b "$work/k2"
holds '.arrays | length == 3 and .[0].array == "dev_points" and .[0].kind == "memory" and .[0].a.bytes == 64000'
# by hand: 28 cycles for each conflict, 14 for each miss, of 16 banks
holds '.arrays[0] | (.effect - (28 * (.b.row_conflicts - .a.row_conflicts) + 14 * (.b.row_misses - .a.row_misses)) / 16 | fabs) < 0.01 and .resource == "banks"'
cp "$work/json" "$work/arrays"
differ 1 "$work/k1" "$work/k4"
has '^ +\+[0-9.]+ +6000 +1[0-9]+ +0 +4[0-9]+ .* dev_points$'
has '^ +kmeans.cu:[0-9]+; remote requests$'
as_run b "$work/k4"
holds '([.arrays[].effect | fabs] | . == (sort | reverse)) and .arrays[0].resource == "remote requests"'
"$MPU" diff --top 1 "$work/k1" "$work/k4" | sed -n '/^arrays/,/^energy/p' >"$work/text"
has '^  and 2 more \(--all\)$'
"$MPU" diff -q --html "$work/page" "$work/k1" "$work/k4"
grep -q 'Sectors by array' "$work/page" && grep -q 'dev_centres' "$work/page" || wrong "the page has no arrays"
# names: others, on one side only, more than once
jq -c '.arrays.named[0].name = "<x>\u001b" | .arrays.named[1].name = .arrays.named[2].name' "$work/k1" >"$work/renamed"
differ 0 "$work/k1" "$work/renamed"
has '^arrays: 0 differ, 1 is the same, 2 only in A, 2 only in B$'
has '^ +kmeans.cu:[0-9]+; only in B; banks$'
has '  <x>\?$'
"$MPU" diff -q --html "$work/page" "$work/k1" "$work/renamed"
grep -q '&lt;x&gt;' "$work/page" || wrong "the page has no array <x>"
# the functional machine
"$MPU" run -q --near=none --arrays --stats "$work/k0" kernels/plain/kmeans -- --n 2000 >/dev/null || wrong "mpu run --near=none --arrays"
differ 0 "$work/k1" "$work/k0"
has '^arrays: 0 differ, 3 are the same$'
jq -c '.arrays.named[0].read += 1' "$work/k0" >"$work/k5"
differ 1 "$work/k4" "$work/k5"
has '^  B does not know which sectors are remote: local has all of them$'
has '^ +1[0-9]+ +6001 +4[0-9]+ +- +[0-9.]+ % +-  dev_points$'
holds '.arrays | length == 1 and .[0].effect == null and .[0].b.remote_read == null'

# ---- profiles
cat >"$work/v.cu" <<CU
#include "$root/kernels/common/workload.h"
__global__ void twice(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 2 * x[i];
}
int main() {
  float *x;
  cudaMalloc(&x, 4 * 2048);
  twice<<<16, 128>>>(2048, x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
"$MPU" profile -q --json "$work/p1" --stats "$work/s1" "$work/v.cu" || wrong "mpu profile"
sed -i 's|^  int i = .*|  // it moved\n&|; s|x\[i\] = 2 \* x\[i\];|x[i] = x[i] / 3 + x[n - 1 - i];|' "$work/v.cu"
"$MPU" profile -q --json "$work/p2" --stats "$work/s2" "$work/v.cu" || wrong "mpu profile"
lines_add_up='.lines.kernels[0] as $k | ([$k.rows[].a] | add) == $k.a and ([$k.rows[].b] | add) == $k.b and ([$k.rows[].difference] | add) == $k.difference and
  $k.a == .a.cycles * .lines.per_cycle and $k.b == .b.cycles * .lines.per_cycle'
differ 1 "$work/s1" "$work/s2" "$work/p1" "$work/p2"
has '^kernel twice$'
has 'v.cu:3 -> 4  int i = blockIdx'
has 'v.cu:4 -> 5  if \(i < n\)'
has 'v.cu:5 -> 6 \(changed\)  x\[i\] = x\[i\] / 3'
shown_adds_up
holds "$lines_add_up"
holds "$causes_add_up"
holds '.lines.kernels[0].rows | map(select(.how == "only in A")) == []'
cp "$work/json" "$work/full" # with all that there is
# profiles alone have the same cycles, causes and lines
cp "$work/json" "$work/before"
differ 1 "$work/p1" "$work/p2"
has '^A is a profile: without configuration, energy'
# of memory, a profile has no parts
same='[.lines, ([.causes.parts[] | .cause |= sub(",.*"; "")] | group_by(.cause) | map([.[0].cause, (map(.a) | add), (map(.b) | add), (map(.difference) | add)]))]'
[[ $(jq -c "$same" "$work/json") == "$(jq -c "$same" "$work/before")" ]] || wrong "a profile has other causes or lines than statistics"
holds "$lines_add_up"
differ 0 "$work/p1" "$work/s1"
holds "$causes_add_up"
# what a profile sums is what statistics have
holds '.counters == [] and .counters_same > 20'
differ 1 "$work/s1" "$work/s2" "$work/p2" "$work/p1"
has '^the profile of A is of another run: its kernels take [0-9]* cycles$'
"$MPU" diff --html "$work/page" "$work/s1" "$work/s2" "$work/p1" "$work/p2" >/dev/null
grep -q 'v.cu:4 -&gt; 5' "$work/page" || wrong "the page has no lines"

# ---- runs of a store
cat >"$work/study.yaml" <<'YAML'
study: two
title: Two runs
defaults: {config: small, near: c}
sets:
  mine: [{program: kernels/plain/axpy, arguments: "--n 4096"}]
figures:
  rows:
    title: Rows
    sweep: {dram.row_buffers: [1, 4]}
    columns: {time: {value: cycles}}
YAML
"$MPU" study "$work/study.yaml" -q --store "$work/db" >"$work/out" 2>&1 || { wrong "mpu study"; cat "$work/out"; }
differ 1 1 2 --store "$work/db"
has '^file +run 1 +run 2$'
has '^program +kernels/plain/axpy +the same$'
has '^arguments +--n 4096 +the same$'
has '^dram.row_buffers (1 -> 4|4 -> 1): cycles'
holds "$causes_add_up"
differ 0 "$work/a" "$([[ $(jq -r .a.config "$work/json") == *=4 ]] && echo 1 || echo 2)" --store "$work/db"
! grep -q '^different programs' "$work/text" || wrong "a path and a name are different programs"

# ---- docs/diff.md has the keys of JSON, and what counters cost
jq -s -r '[.[] | paths | map(select(type == "string")) | .[-1]] | unique[] | select(. != null)' "$work/full" "$work/keyed" "$work/arrays" | grep -vE '^(issue|memory(, .*)?|scoreboard|barrier|fetch|engine|empty)$' | sort -u >"$work/keys"
sed -n '/^## The JSON/,$p' docs/diff.md | sed -n 's/^\(| `[^|]*\)|.*/\1/p' | grep -oE '`[a-z_]+`' | tr -d '`' | sort -u | diff - "$work/keys" || wrong "docs/diff.md (<) and the file (>) have other keys"
sed -nE 's/^DIFF_COST\("([^"]*)", ([A-Z]*), [A-Z]*, "[^"]*", "[^"]*", "([^"]*)"\)/\1 \3 \2/p' harness/study/diff/costs.def | tr 'A-Z' 'a-z' | sort >"$work/costs"
(($(wc -l <"$work/costs") > 15)) || wrong "costs.def"
sed -nE 's/^\| `([a-z_.*]*)` \| (.*) \| (core|subcore|unit|bank) \|.*/\1 \2 \3/p' docs/diff.md | tr 'A-Z' 'a-z' | sort | diff - "$work/costs" || wrong "docs/diff.md (<) and costs.def (>) have other costs"

# ---- wrong use, wrong files
says() { # MESSAGE ARGS...
  local got status
  got=$("$MPU" diff "${@:2}" 2>&1 >"$work/out")
  status=$?
  [[ $got == "mpu: "*"$1"* && $(wc -l <<<"$got") == 1 && $status == 2 && ! -s $work/out ]] || { wrong "mpu diff ${*:2}: status $status, says"; printf '  %s\n' "$got" "instead of" "$1"; }
}
cd "$work" || exit 1
head -c 900 a >cut
: >empty
echo 7 >scalar
printf '\x7fELF\x01' >binary
sed 's/"schema": 1/"schema": 2/' a >later
sed 's/"bus_down": [0-9]*/"bus_down": -3/' a >negative
says "which two runs? mpu diff takes two files" a
says "which two runs?"
says "a profile of each run, or of none" a b p1
says "two runs and their profiles at most; 'a' is a fifth file" a b p1 p2 a
says "cannot read 'nowhere': No such file or directory" a nowhere
says "cannot read '.': Is a directory" . a
says "it is not JSON, or is damaged; run again" a cut
says "empty: nothing in it" a empty
says "binary:1:1: " a binary
says "v.cu:12:" a v.cu
says "'scalar' is neither statistics (mpu run --stats FILE" a scalar
says "'later' is of schema 2, which a later mpu wrote; this one reads 1" a later
says "bus_down is '-3', which is not a count" negative a
says "'a' and 'b' are both statistics of one run" a p1 b p2
says "unknown option '--tops'; nearest: --top" --tops 3 a b
says "--top takes a number from 1, not '0'" --top 0 a b
says "--top takes a number from 1 to 1000000, not '1000001'" --top 1000001 a b
says "--json or --html to standard output, not both" --json - --html - a b
says "cannot write '/nowhere/x'" --json /nowhere/x a b
says "cannot write '/nowhere/x'" --html /nowhere/x a b
says "'x' is named for two outputs" --json x --html x a b
says "'db' has no run 9" 1 9 --store db
says "run 1: 'nodb' is missing: name the store with --store, or a file as ./1" 1 2 --store nodb
says "is not a store" 1 2 --store a
cp a 1 && cp b 2
"$MPU" diff -q ./1 ./2
[[ $? == 1 ]] || wrong "files with numbers for names"
# what a file says of itself reaches the terminal as text
jq -c '.program = "\u001b[31m\nred" + ("x" * 200)' a >escape
"$MPU" diff escape a >out
! grep -q $'\033' out || wrong "a program's name moves the cursor"
LC_ALL=C.UTF-8 awk 'length($0) > 100 { bad = 1 } END { exit bad }' out || wrong "a long name makes long lines"
if [[ -w /dev/full ]]; then
  got=$("$MPU" diff a b 2>&1 >/dev/full)
  [[ $? == 2 && $got == "mpu: cannot write to standard output: No space left on device" ]] || wrong "a full disk: $got"
  "$MPU" diff -q --json /dev/full a b 2>err
  [[ $? == 2 ]] || wrong "a full disk for JSON"
fi
exit $failed
