#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu profile: what it shows and writes, wrong use, runs that end early, files that cannot be written.
set -uo pipefail
. tb/cli/expect.sh
. tb/inspect/profile/flat.sh

expect "which program? see mpu profile --help" "$MPU" profile
expect "unknown option '--frob'; see mpu profile --help" "$MPU" profile --frob kernels/axpy
expect "one program at a time; 'kernels/pr' is a second" "$MPU" profile kernels/axpy kernels/pr
expect "--by takes line, ptx or instruction, not 'warp'" "$MPU" profile --by warp kernels/axpy
for n in -1 x 1001 "" 5x; do expect "--top takes a number from 0 to 1000, not '$n'" "$MPU" profile --top "$n" kernels/axpy; done
expect "--near takes c, rtl or lockstep, not 'none'" "$MPU" profile --near=none kernels/axpy
expect "--max-cycles takes a number from 1, not '0'" "$MPU" profile --max-cycles 0 kernels/axpy
expect "--threads takes a number from 1 to 64, not '0'" "$MPU" profile --threads 0 kernels/axpy
expect "--html needs a file" "$MPU" profile kernels/axpy --html
expect "--json needs a file" "$MPU" profile --json= kernels/axpy
expect "-o needs a file" "$MPU" profile kernels/axpy -o
expect "cannot write '/nowhere/p.html'" "$MPU" profile --html /nowhere/p.html kernels/axpy
expect "cannot write '/nowhere/p.json'" "$MPU" profile --json /nowhere/p.json kernels/axpy
expect "cannot write '/nowhere/p.html'" "$MPU" profile -o /nowhere/p kernels/axpy
expect "cannot write '/nowhere/s'" "$MPU" profile --stats /nowhere/s kernels/axpy
expect "cannot read 'kernels/none'" "$MPU" profile kernels/none
expect "unknown preset" "$MPU" profile --config none kernels/axpy
expect "--n" "$MPU" profile kernels/axpy -- --n many
"$MPU" cc kernels/axpy -o "$work/axpy" || fail "mpu cc"
expect "cannot write '/nowhere/p'" env MPU_NEAR=c MPU_PROFILE=/nowhere/p "$work/axpy" --n 100
# what looks on at a program is said on the command line
MPU_TIMELINE=$work/t.json MPU_WAVE=$work/w.fst MPU_RETIRE=$work/r "$MPU" profile --near=c kernels/axpy -- --n 2048 >"$work/out" || fail "with observers in the environment"
[[ ! -e $work/t.json && ! -e $work/w.fst && ! -e $work/r ]] || fail "the environment's observers looked on"

# run STATUS OPTIONS...: what it says
run() {
  local status=$1 got
  shift
  "$MPU" profile "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  [[ $got == "$status" ]] || { fail "$*: exit status $got, not $status"; tail -n 3 "$work/err"; }
}
said() { grep -qE -- "$1" "$work/out" || fail "this is not said: $1"; }

# two kernels, one of them twice; the text of lines is escaped
cat >"$work/two.cu" <<'CU'
namespace some {
__global__ void first(int *p, int n) {
  p[threadIdx.x] = n < 3 && p[threadIdx.x] > 1 ? 'a' : '"';  // <b> & "c"
}
}
template <class T> __global__ void second(T *p, int n) {
  p[threadIdx.x] *= n;
}
int main() {
  int *p;
  cudaMalloc(&p, 1024);
  some::first<<<1, 32>>>(p, 1);
  second<<<1, 32>>>(p, 1);
  second<<<1, 32>>>((float *)p, 1);
  some::first<<<1, 32>>>(p, 4);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
mkdir "$work/here"
run 0 -o "$work/here" "$work/two.cu"
said "^kernel some::first$"
said "^  launches            2, "
said "^kernel _Z6secondIiEvPT_i$"  # both are called second
said "^kernel _Z6secondIfEvPT_i$"
said "^ +[0-9.]+ .* 3    p\[threadIdx.x\] = n < 3"
said "^  most row conflicts$|^  most TSV flits$"
[[ $(grep -c '^kernel ' "$work/out") == 3 ]] || fail "launches of a kernel are not together"
grep -qF '// &lt;b&gt; &amp; &quot;c&quot;' "$work/here/two.html" || fail "the source is not escaped"
run 0 -o "$work/there/" --top 0 --by ptx "$work/two.cu"
said "^ +[0-9.]+ .* [0-9]+  	ld.param.u64"
! grep -q '^  most' "$work/out" || fail "--top 0 shows lists"
[[ -s $work/there/two.html && -s $work/there/two.json ]] || fail "-o DIRECTORY/ has no files"
run 0 -q -o "$work/named" --by instruction --html "$work/other.html" "$work/two.cu"
[[ ! -s $work/out && -s $work/named.json && -s $work/other.html && ! -e $work/named.html ]] || fail "-o with --html"
run 0 --by instruction --top 1 "$work/two.cu"
said "^ +[0-9.]+ .*  0x10  [a-z]"
said "^ +[0-9.]+ %  +[0-9]+  0x[0-9a-f]+ +[a-z@]"
run 0 --device-ptx tb/vendor/axpy.ptx --by ptx kernels/axpy -- --n 1000
said "axpy.ptx$"

# the page: well-formed, nothing from elsewhere, nothing to be run
page() {
  sed '/^<style>$/,/<\/style>/d' "$1" | awk -v name="$1" '
    { text = text $0 "\n" }
    END {
      while (match(text, /<[^>]*>/)) {
        tag = substr(text, RSTART + 1, RLENGTH - 2)
        between = between substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (tag ~ /^!DOCTYPE/ || tag ~ /\/$/) continue
        word = tag; sub(/[ \n].*/, "", word)
        if (word ~ /^\//) { if (stack[depth--] != substr(word, 2)) { print "<" word "> ends " stack[depth + 1]; exit 1 } continue }
        rest = tag; gsub(/"[^"]*"/, "", rest)
        if (rest ~ /["<]/) { print "attributes of <" tag ">"; exit 1 }
        stack[++depth] = word
      }
      gsub(/&(amp|lt|gt|quot|#160);/, "", between)
      if (between text ~ /[&<>]/) { print "not escaped"; exit 1 }
      if (depth) { print stack[depth] " does not end"; exit 1 }
    }' || fail "$1 is not well-formed"
  ! grep -niE 'https?:|<script|<link|<img|@import|url\(|src=' "$1" || fail "$1 asks for something else"
  for part in '@media print' '@media (max-width' '<svg' '</details>' 'class="histogram"' 'class="legend"'; do
    grep -qF -- "$part" "$1" || fail "$1 has no $part"
  done
}
page "$work/here/two.html"
run 0 -q -o "$work/hist" kernels/hist -- --n 5000
page "$work/hist.html"
[[ $(grep -o 'id="k[^"]*"' "$work/hist.html" | sort | uniq -d | wc -l) == 0 ]] || fail "two lines of the page have one name"
for anchor in $(grep -o 'href="#[^"]*"' "$work/hist.html" | sort -u | cut -d'"' -f2); do
  grep -qF "id=\"${anchor#\#}\"" "$work/hist.html" || fail "nothing is at $anchor"
done

# keys of JSON and of the page
flat "$work/hist.json" | cut -d' ' -f1 | tr . '\n' | grep -vE '^[0-9]+$' | sort -u >"$work/keys"
sed -n 's/^| `\([^`]*\)` |.*/\1/p' docs/profile.md | sort -u | diff - "$work/keys" || fail "docs/profile.md (<) and the file (>) have other keys"

# the same on a terminal with any near side
run 0 kernels/axpy -- --n 3000
cp "$work/out" "$work/c"
run 0 --near=rtl kernels/axpy -- --n 3000
cmp -s "$work/out" "$work/c" || fail "--near=rtl shows something else"

# runs that end early show what they did; programs without kernels have nothing
cat >"$work/ends.cu" <<'CU'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__global__ void kernel(int *p, int n) {
  for (int k = 0; k < n; k++)
    p[threadIdx.x + k] += k;
}
int main(int argc, char **argv) {
  int *p;
  if (!strcmp(argv[1], "none"))
    return 0;
  cudaMalloc(&p, 1024);
  if (!strcmp(argv[1], "idle"))
    return 0;
  kernel<<<1, 32>>>(p, 10);
  if (!strcmp(argv[1], "killed"))
    kill(getpid(), SIGKILL);
  if (!strcmp(argv[1], "stopped")) {
    kill(getppid(), SIGINT);  // as a terminal does
    kill(getpid(), SIGINT);
  }
  if (!strcmp(argv[1], "fault"))
    kernel<<<1, 32>>>(p, 1000);
  mpu_report_result(strcmp(argv[1], "fail"));
  return cudaDeviceSynchronize() != cudaSuccess || !strcmp(argv[1], "fail");
}
CU
for how in "none 0 launched no kernel" "idle 0 launched no kernel" "killed 137 did not write its profile"; do
  read -r name status text <<<"$how"
  run "$status" "$work/ends.cu" -- "$name"
  grep -qF "mpu: ends $text" "$work/err" || fail "$name: it is not said that it $text"
done
for how in "fail 1" "fault 3" "stopped 130"; do
  read -r name status <<<"$how"
  run "$status" --html "$work/end.html" "$work/ends.cu" -- "$name"
  said "^kernel kernel$"
  page "$work/end.html"
done
run 3 --max-cycles 400 kernels/axpy -- --n 20000
said "^ +[0-9.]+ .* 10      y\[i\] = a"

# a bus of one flit a cycle has half the slots
run 0 -q --set tsv.flits_per_cycle=1 --html "$work/narrow.html" --stats "$work/narrow" kernels/axpy -- --n 4096
share=$(grep -oE '"(bus_down|bus_up|cycles|cycles_drain)": [0-9]+' "$work/narrow" | awk '/bus/ { f += $2; next } !($1 in c) { c[$1] = $2 }
  END { printf "%.1f", 100 * f / (c["\"cycles\":"] + c["\"cycles_drain\":"]) }')
grep -qF "flits, $share&#160;% of its slots" "$work/narrow.html" || fail "one flit a cycle: not $share % of the slots"

# a disk that is full: the run and its report stand
MPU_NEAR=c MPU_PROFILE=/dev/full MPU_STATS=$work/stats "$work/axpy" --n 1000 >"$work/out" 2>"$work/err"
[[ $? == 2 ]] || fail "exit status with a full disk"
grep -qF "cannot write '/dev/full': No space left on device; the profile is incomplete" "$work/err" || { fail "a full disk:"; cat "$work/err"; }
grep -q '"result": "pass"' "$work/stats" || fail "the report with a full disk"
"$MPU" profile -q --html /dev/full kernels/axpy -- --n 1000 >"$work/out" 2>"$work/err"
[[ $? == 2 ]] && grep -qF "cannot write '/dev/full': No space left on device" "$work/err" || fail "a page on a full disk"
exit $failed
