#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A small study from its file to its tables: what is computed, what is run again and why, runs that fail, limits, two
# processes on one store, and a study that is killed five times.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/expect.sh"
db() { sqlite3 "$work/s.db" "$1"; }
same() { [[ $1 == "$2" ]] || fail "$3: expected '$2', got '$1'"; } # GOT WANTED WHAT

cat >"$work/work.cu" <<'CU'
#include <cstdio>
#include <cstdlib>
#include "size.h"
__global__ void add(float *x, int n) {
  for (int k = 0; k < n; k++)
    x[threadIdx.x] += 1;
}
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  float *x, y;
  if (*what == 's') for (;;) ;
  if (*what == 'm') { volatile char *p = (volatile char *)malloc(1 << 30); for (int k = 0; k < 1 << 30; k += 4096) p[k] = 1; for (;;) ; }
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  add<<<1, 32>>>(x, *what ? atoi(what) : SIZE);
  cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
  if (*what == 'f') { fprintf(stderr, "FAIL work: as it was told\n"); return 1; }
  printf("%s work: %g\n", y > 0 ? "PASS" : "FAIL", y);
  return y > 0 ? 0 : 1;
}
CU
echo "#define SIZE 10" >"$work/size.h"
cat >"$work/s.yaml" <<'YAML'
study: small
title: A small study
sets:
  own: [work.cu, {program: work.cu, name: longer, arguments: "40", known: {before: 123456}}]
values:
  flits: core.nbus.flits_down + core.nbus.flits_up
figures:
  refresh:
    title: Time to open a row
    sweep: {dram.tRCD: [10, 20]}
    baseline: tRCD=10
    columns:
      time: {value: "cycles / cycles[base]", mean: geometric, digits: 4}
      flits: flits
      cycles: cycles
      known: {value: before / cycles, digits: 6}
    expect:
      time: {column: time, value: 2, reason: a program is more than opening rows}
YAML
cd "$work" || exit 1

# ---- what is computed: from the statistics of the same runs, made by hand
"$MPU" study s.yaml --store s.db -q --csv s.csv --json s.json || fail "the study failed"
for size in 10 40; do for t in 10 20; do
  "$MPU" run -q --near=c --set dram.tRCD=$t --stats h.json work.cu -- $size >/dev/null
  eval "c_${size}_$t=$(jq .cycles h.json)"
  eval "f_${size}_$t=$(jq '[.core.nbus[] | .flits_down + .flits_up] | add' h.json)"
done; done
cell() { awk -F, -v p="$1" -v c="$2" -v v="$3" '$4 == p && $5 == c && $6 == v { print $8 }' s.csv; }
same "$(cell work cycles tRCD=10)" "$c_10_10" "cycles of work"
same "$(cell longer cycles tRCD=20)" "$c_40_20" "cycles of longer"
same "$(printf %.6f "$(cell longer known tRCD=10)")" "$(jq -n "123456 / $c_40_10" | xargs printf %.6f)" "what is known of longer"
same "$(cell work known tRCD=10)" "" "what is not known of work"
same "$(cell longer flits tRCD=10)" "$f_40_10" "flits of longer"
same "$(jq -r '.figures[0].tables[0].columns[0].mean * 1e6 | round' s.json)" \
  "$(jq -n "(($c_10_20 / $c_10_10) * ($c_40_20 / $c_40_10) | sqrt) * 1e6 | round")" "the geometric mean"
same "$(jq -r '.figures[0].expectations[0] | "\(.within) \(.reason)"' s.json)" "false a program is more than opening rows" "the expectation"
"$MPU" study s.yaml --store s.db >out 2>/dev/null
grep -q "own, time tRCD=20: expected 2.0000, here 1.*, because:" out || fail "the table has no expectation: $(tail -n 3 out)"
same "$(db 'select count(*), min(outcome), max(outcome) from runs')" "4|none|none" "runs of the store"
same "$(db "select value from counters where name = 'cycles' and run = (select id from runs where machine like '%tRCD=20' and arguments = '40')")" "$c_40_20.0" "the counter"

# ---- what is there is not run again; a change of the program or of what it includes is seen, a study of other figures shares runs
stamp() { db "select group_concat(id || started) from runs"; }
before=$(stamp)
"$MPU" study s.yaml --store s.db -q || fail "the study failed the second time"
same "$(stamp)" "$before" "runs after a second time"
"$MPU" study s.yaml --store s.db --dry-run | grep -qx "4 runs, 4 in the store, 0 to run" || fail "--dry-run does not say that all is there"
"$MPU" study s.yaml --store s.db --threads 2 --dry-run | grep -qx "4 runs, 4 in the store, 0 to run" || fail "with two threads they are not the same runs"
names=$(printf 'refresh,%.0s' {1..10})own
"$MPU" study s.yaml --store s.db -q --only "$names" --markdown s.md || fail "--markdown"
same "$(tr '\n' ' ' <s.md | head -c 200 | grep -c "Written by \`mpu study small --only $names --markdown\`\.")" 1 "the command in the Markdown"
same "$(grep -v '^|' s.md | awk 'length > 120' | wc -l)" 0 "lines of the Markdown that are too long"
"$MPU" study s.yaml --store s.db --why refresh/longer/tRCD=20 | grep -q -- "--set dram.tRCD=20 .*work.cu -- 40" || fail "--why has no command"
same "$("$MPU" study s.yaml --store s.db --why refresh/own/longer | grep -c '^refresh/own/longer/tRCD=[12]0: run [0-9]')" 2 "runs of --why"
"$MPU" study s.yaml --store s.db --why refresh/longer | grep -q "^time tRCD=20 = cycles / cycles\[base\] = 1.0" || fail "--why has no expression"
"$MPU" study --store s.db --why 1 | grep -q "^run 1$" || fail "--why of a number"
expect "figure 'refresh' has no run 'refresh/other'" "$MPU" study s.yaml --store s.db --why refresh/other
expect "study 'small' has no figure 'other'" "$MPU" study s.yaml --store s.db --why other/work
echo "#define SIZE 11" >size.h
"$MPU" study s.yaml --store s.db --why refresh/work/tRCD=10 | grep -q "the program has changed" || fail "--why does not see that the program has changed"
"$MPU" study s.yaml --store s.db --dry-run | grep -q "^4 runs, 0 in the store, 4 to run: about" || fail "a changed include is not seen"
echo "#define SIZE 10" >size.h
same "$("$MPU" study s.yaml --store s.db --dry-run | tail -n 1)" "4 runs, 4 in the store, 0 to run" "after the change was taken back"

# ---- runs that fail stop nothing, and are not made again unless asked for
cat >f.yaml <<'YAML'
study: failing
seconds: 120
megabytes: 400
sets:
  own: [{program: work.cu, name: good}, {program: work.cu, name: fails, arguments: f},
        {program: work.cu, name: large, arguments: m},
        {program: wrong.cu, name: wrong}]
figures:
  f: {columns: {cycles: {value: cycles, mean: sum}}}
YAML
echo "this is not CUDA" >wrong.cu
"$MPU" run -q --near=c work.cu >/dev/null  # so that no limit has the time to compile it
cat >slow.yaml <<'YAML'
study: slow
seconds: 3
sets: {own: [{program: work.cu, name: slow, arguments: s}]}
figures: {f: {columns: {cycles: cycles}}}
YAML
"$MPU" study slow.yaml --store s.db -q
same $? 1 "exit status with a slow run"
"$MPU" study f.yaml --store s.db >out 2>err
same $? 1 "exit status with failed runs"
same "$(db "select group_concat(outcome) from (select outcome from runs where arguments in ('f', 's', 'm') or program like '%wrong.cu' order by outcome)")" "error,fail,memory,time" "outcomes"
same "$(db "select message from runs where outcome = 'time'")" "took more than 3 seconds, its limit" "the message"
same "$(db "select message from runs where outcome = 'fail'")" "FAIL work: as it was told" "what the program said"
grep -q "^mpu: run failed: mpu run .*work.cu -- f$" err || fail "no line about the run that failed"
grep -q "good *[0-9]" out && grep -q "fails *-" out || fail "the table has no good and missing cells"
before=$(stamp)
"$MPU" study f.yaml --store s.db -q
same "$(stamp)" "$before" "failed runs the second time"
sed -i '/name: large/d' f.yaml
sleep 1.1  # the store has whole seconds
"$MPU" study f.yaml --store s.db -q --again
[[ $(stamp) != "$before" ]] || fail "--again did not run the failed ones"

# ---- killed five times: nothing is lost, what has ended is not run again, the store is whole; and two at a time
cat >k.yaml <<'YAML'
study: killed
sets: {own: [work.cu, {program: work.cu, name: longer, arguments: "300"}]}
figures:
  f:
    sweep: {dram.tRP: [20, 21, 22, 23, 24, 25, 26, 27], dram.tRTP: [4, 5]}
    columns: {cycles: cycles}
YAML
ended() { db "select count(*) from runs where outcome <> '' and machine like '%tRTP%'"; }
list() { db "select key || started || host || seconds from runs where outcome <> '' and machine like '%tRTP%' order by key"; }
: >k.list
for kill in 1 2 3 4 5; do
  # killed with all that it started, after some more runs
  at=$(($(ended) + 4))
  "$MPU" study k.yaml --store s.db -q >/dev/null 2>&1 &
  for ((n = 0; n < 600; n++)); do
    (($(ended) < at)) || break
    sleep 0.02
  done
  kill -9 $! && wait $! 2>/dev/null
  list >k.now
  [[ -z $(comm -23 k.list k.now) ]] || fail "runs were lost or made again after kill $kill: $(comm -23 k.list k.now | head -n 2)"
  mv k.now k.list
done
(($(ended) < 32)) || fail "the study had ended before it was killed: the test says nothing"
"$MPU" study k.yaml --store s.db -q --csv k1.csv >/dev/null 2>one.err &
"$MPU" study k.yaml --store s.db -q --csv k2.csv >/dev/null 2>two.err &
wait
list >k.now
[[ -z $(comm -23 k.list k.now) ]] || fail "runs were made again by the last two"
same "$(ended)" 32 "runs at the end"
same "$(db 'pragma integrity_check')" ok "the store"
cmp -s k1.csv k2.csv || fail "two studies on one store have other tables"
same "$(wc -l <k1.csv)" 33 "lines of the table"
[[ ! -e s.db.jobs ]] || fail "folders of jobs were left: $(ls s.db.jobs | head -n 3)"
pgrep -f "$work" >/dev/null && fail "processes were left: $(pgrep -af "$work" | head -n 3)"

# ---- interrupted: what it has claimed is free, and it says how to go on
"$MPU" study k.yaml --store i.db >/dev/null 2>err &
for ((n = 0; n < 300; n++)); do [[ $(sqlite3 i.db "select count(*) from runs where outcome <> ''" 2>/dev/null) -lt 2 ]] || break; sleep 0.02; done
kill -INT $!
wait $!
same $? 130 "exit status after SIGINT"
grep -q "interrupted; the same command goes on where it was" err || fail "no line about the interruption"
[[ ! -e i.db.jobs ]] || fail "an interrupted study left folders"

# ---- a full disk: the message names the file, and no table is left in parts
if [[ $(id -u) == 0 ]] && mkdir full && mount -t tmpfs -o size=200k none full 2>/dev/null; then
  "$MPU" study k.yaml --store full/s.db -q >/dev/null 2>err
  same $? 2 "exit status on a full disk"
  grep -q "full" err || fail "no message about the full disk: $(head -n 2 err)"
  umount full
fi
exit $failed
