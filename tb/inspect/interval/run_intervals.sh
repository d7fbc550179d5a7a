#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --interval: each row has what the timeline shows in its cycles; sums are those of --stats; the same for any near
# side, threads, card, interval; runs that end early, go on from a checkpoint, or find no room; the page; wrong use.
set -uo pipefail
. tb/cli/expect.sh
. tb/inspect/profile/flat.sh
head=launch,kernel,cycle,cycles,issued,near,far,cycles_issue,cycles_scoreboard,cycles_memory,cycles_barrier,cycles_fetch
head+=,cycles_engine,cycles_empty,cycles_rest,bus_down,bus_up,moves_near,moves_zero,moves_far,rd,wr,act,ref,row_hits
head+=,row_misses,row_conflicts,smem_requests,smem_conflicts,remote,network_packets,on_chip_flits,off_chip_flits
four=$work/four.yaml
printf 'base: paper\nmachine: {processors: 2, cores: 2}\n' >"$four"

# count NAME STATUS OPTIONS...: a run with $work/NAME.csv and NAME.stats
count() {
  rm -f "$work/$1.csv"
  "$MPU" run -q --stats "$work/$1.stats" --interval "$work/$1.csv" "${@:3}" >"$work/out" 2>"$work/err" </dev/null
  local status=$?
  [[ $status == "$2" ]] || fail "${*:3}: status $status, not $2: $(head -n 3 "$work/err")"
}

# good NAME N [part]: rows follow one another, end at multiples of N and with their launch, and add up to the statistics; in
# each all cycles of all subcores are in a class, and all accesses are hits, misses or conflicts. `part`: of a launch that has
# failed or was interrupted, whose cores have not all come to one cycle.
good() {
  [[ $(head -n 1 "$work/$1.csv") == "$head" ]] || fail "$1: another head"
  flat "$work/$1.stats" >"$work/flat"
  awk -F, -v n="$2" -v part="${3:-}" -v of="$1" '
    function wrong(what, a, b) { if (a != b) { print "FAILED: " of ": " what ": " a ", not " b; bad = 1 } }
    function all(path,  p, s) { for (p in v) if (match(p, "^core\\." path "$")) s += v[p]; return s + 0 }
    FILENAME ~ /flat$/ { split($0, x, " "); v[x[1]] = x[2]; next }
    FNR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; columns = NF; next }
    { wrong("columns of row " FNR, NF, columns)
      for (k = 5; k <= NF; k++) { sum[k] += $k; if ($k !~ /^[0-9]+$/) wrong("column " k " of row " FNR, $k, "a number") }
      if ($1 != launch) { launch = $1; launches++; if (FNR > 2) wrong("the first cycle of launch " $1, $3, until) }
      else { wrong("where row " FNR " begins", $3, until); wrong("the end of the row before row " FNR, until % n, 0) }
      if ($4 < 1 || $4 > n) wrong("cycles of row " FNR, $4, "1 to " n)
      until = $3 + $4; cycles += $4
      classes = 0
      for (k = at["cycles_issue"]; k <= at["cycles_empty"]; k++) classes += $k
      if (!part) wrong("classes of row " FNR, classes, 4 * v["cores"] * $4)
      wrong("issue cycles of row " FNR, $at["cycles_issue"], $at["issued"])
      wrong("accesses of row " FNR, $at["row_hits"] + $at["row_misses"] + $at["row_conflicts"], $at["rd"] + $at["wr"])
      if ($at["cycles_rest"] > v["cores"] * $4) wrong("cycles at rest of row " FNR, $at["cycles_rest"], "less") }
    END {
      wrong("cycles", cycles, v["core.cycles"] + v["core.cycles_drain"])
      wrong("launches", launches, v["launches"])
      for (c in at) if (at[c] > 4) {
        if (c ~ /^(network_packets|on_chip_flits|off_chip_flits)$/) want = v[c] + 0
        else if (c ~ /^(bus_|cycles_rest)/) want = v["core." c]
        else if (c == "row_hits") want = all("nbus\\.[0-3]\\.banks\\.[0-3]\\.row_hits_[1-4]")
        else if (c ~ /^(rd|wr|act|ref|row_.*)$/) want = all("nbus\\.[0-3]\\.banks\\.[0-3]\\." c)
        else if (c ~ /^smem_/) want = all("nbus\\.[0-3]\\." c)
        else want = all("subcores\\.[0-3]\\." c)
        wrong("the sum of " c, sum[at[c]], want)
      }
      exit bad
    }' "$work/flat" "$work/$1.csv" || failed=1
}
steady() { sed -E 's/"(host_seconds|cpu_seconds|host_memory|core_cycles_per_second)": [^,]*, //g' "$work/$1.stats"; }
same() { cmp "$work/$2.csv" "$work/$3.csv" || fail "$1: other rows"; } # WHAT NAME NAME

# ---- each row against the timeline of the run, which has its events by cycle
counted() { # NAME COLUMN: of each row
  awk -F, -v c="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == c) at = k; next } { print $at }' "$work/$1.csv"
}
seen() { # NAME REGEX: events in the cycles of each row
  awk -F, 'FILENAME ~ /csv$/ { if (FNR > 1) until[++rows] = $3 + $4; next }
    { while ($1 >= until[at + 1]) at++; n[at + 1]++ }
    END { for (k = 1; k <= rows; k++) print n[k] + 0 }' "$work/$1.csv" <(grep -E -- "$2" "$work/$1.json" | grep -oP '"cycle":\K[0-9]+' | sort -n)
}
for machine in small "$four"; do
  count t 0 --near=c --config "$machine" --interval-cycles 64 --timeline "$work/t.json" --timeline-window 0: kernels/hist -- --n 3000
  good t 64
  while read -r column regex; do
    diff <(counted t "$column") <(seen t "$regex") >"$work/diff" ||
      fail "$column on $machine is not what the timeline has: $(head -n 3 "$work/diff")"
    [[ $(counted t "$column" | paste -sd+ | bc) != 0 ]] || fail "$column on $machine: nothing was compared"
  done <<'COLUMNS'
issued "lanes":
bus_down "dn":
bus_up "up":
rd "cmd":"RD"
wr "cmd":"WR"
act "cmd":"ACT"
COLUMNS
done

# ---- launches, cores of many that wait for each other; the interval changes nothing, and long rows are short ones together
program=tb/inspect/interval/interval.cu
count a 0 --near=c --config "$four" --interval-cycles 64 $program
good a 64
for column in near moves_near smem_requests smem_conflicts remote network_packets on_chip_flits off_chip_flits cycles_rest cycles_barrier; do
  [[ $(counted a $column | paste -sd+ | bc) != 0 ]] || fail "$column: all rows have 0"
done
[[ $(cut -d, -f1,2 "$work/a.csv" | uniq | tr '\n' ' ') == "launch,kernel 1,_Z5firstPjj 2,_Z6secondPj 3,_Z5firstPjj " ]] || fail "other launches"
MPU_CACHE=$work/cache "$MPU" run -q --near=c --config "$four" --stats "$work/without.stats" $program >"$work/out" 2>&1
diff <(steady without) <(steady a) >"$work/diff" || fail "with --interval the run is another one"
count b 0 --near=c --config "$four" --interval-cycles 320 $program
good b 320
awk -F, -v OFS=, 'NR == 1 { print; next }
  { key = $1 "," $2 "," int($3 / 320); if (key != last) { if (NR > 2) print line(); last = key; split("", s); first = $0; split($0, f); for (k = 4; k <= NF; k++) s[k] = 0 }
    for (k = 4; k <= NF; k++) s[k] += $k; n = NF }
  function line(  t, k) { t = f[1] OFS f[2] OFS f[3]; for (k = 4; k <= n; k++) t = t OFS s[k]; return t }
  END { print line() }' "$work/a.csv" >"$work/sum.csv"
same "intervals of 64 together" sum b
count c 0 --near=c --config "$four" --interval-cycles 99999999 $program
good c 99999999
[[ $(wc -l <"$work/c.csv") == 4 ]] || fail "an interval longer than the run: not a row a launch"
count d 0 --near=c --config "$four" $program
good d 1000

# ---- the same with any number of threads, near side, with the card, with other observers
for o in "--threads 2" "--threads 5" --near=lockstep "--near=rtl --threads 3" "--rtl-core 1,3" "--device card" \
  "--wave $work/w.fst --wave-scope core1.nbu0 --wave-window 100:1000" "--retire $work/r"; do
  count now 0 --near=c --config "$four" --interval-cycles 64 $o $program
  same "$o" a now
done
count p 0 --near=c --config paper --interval-cycles 200 kernels/hist -- --n 16384
good p 200
count now 0 --near=c --config paper --interval-cycles 200 --threads 3 kernels/hist -- --n 16384
same "128 cores" p now

# ---- a checkpoint: the launches that are executed
count now 0 --near=c --config "$four" --interval-cycles 64 --checkpoint "$work/cp" $program
same "with a checkpoint" a now
"$MPU" resume "$work/cp" >"$work/out" 2>"$work/err" || fail "mpu resume: $(<"$work/err")"
[[ $(cat "$work/now.csv") == "$head" ]] || fail "rows of launches that were not executed"
frame() { od -An -t u8 -j $((${1} + 16)) -N 8 "$work/cp" | tr -d ' '; }
at=0
for k in 1 2; do at=$((at + 40 + $(frame $at))); done # the head and the first launch
truncate -s $at "$work/cp"
"$MPU" resume --threads 2 "$work/cp" >"$work/out" 2>"$work/err" || fail "mpu resume: $(<"$work/err")"
diff <(sed '/^1,/d' "$work/a.csv") "$work/now.csv" >"$work/diff" || fail "launches 2 and 3 of a resumed run: $(head -n 3 "$work/diff")"

# ---- ends: faults and launches behind them, a limit, signals
for o in "" "--config $four" "--config $four --threads 3"; do
  count now 3 --near=c $o --interval-cycles 64 $program -- fault
  good now 64 part
  [[ ! -e $work/fault.csv ]] || [[ $o != *threads* ]] || same "a fault, with threads" fault now
  cp "$work/now.csv" "$work/fault.csv"
done
grep -q '^5,_Z5firstPjj,' "$work/now.csv" || fail "no launch behind a fault"
for limit in 1 63 64 65 100 700 1111; do
  count now 3 --near=c --config "$four" --interval-cycles 64 --max-cycles $limit $program
  good now 64 part
done
# all cores stand still: the launch ends where they are, and so do its rows
count now 3 --near=c --config "$four" --interval-cycles 64 --max-cycles 900 $program -- stuck
good now 64 part
(($(grep -c '^1,_Z5stuckv,' "$work/now.csv") < 10)) || fail "rows behind the end of a launch whose cores stand still"
count now 3 --near=c --config "$four" --interval-cycles 64 --max-cycles 5000 $program -- spin
good now 64 part
rows() { (( $(wc -l 2>/dev/null <"$2" || echo 0) > $1)); }
for signal in INT TERM KILL; do
  rm -f "$work"/now.*
  "$MPU" run -q --near=c --config "$four" --interval "$work/now.csv" --stats "$work/now.stats" $program -- spin >"$work/out" 2>"$work/err" &
  pid=$!
  wait_for rows 20 "$work/now.csv.part" || fail "SIG$signal: no rows"
  kill -s $signal $pid
  wait $pid 2>/dev/null
  [[ $signal == KILL ]] || good now 1000 part
done
[[ ! -e $work/now.csv ]] && rows 20 "$work/now.csv.part" || fail "SIGKILL: what there was is not kept"
awk -F, -v n="$(tr -cd , <<<"$head" | wc -c)" 'NF != n + 1 { exit 1 }' "$work/now.csv.part" || fail "SIGKILL: rows are not whole"

# ---- no room: whole rows, and it is said
size=$(stat -c %s "$work/a.csv")
for blocks in 1 3 $((size / 1024)) $((size / 1024 + 1)); do
  (
    trap '' XFSZ
    ulimit -f $blocks
    rm -f "$work/now.csv"
    "$MPU" run -q --near=c --config "$four" --interval "$work/now.csv" --interval-cycles 64 $program >"$work/out" 2>"$work/err"
  )
  status=$?
  ((status == (blocks * 1024 >= size ? 0 : 2))) || fail "room for $blocks KB: it ends with $status"
  if ((blocks * 1024 >= size)); then
    same "room for all" a now
  else
    [[ ! -e $work/now.csv ]] || fail "room for $blocks KB: what is not whole has the name"
    kept=$(stat -c %s "$work/now.csv.part")
    cmp -s <(head -c "$kept" "$work/a.csv") "$work/now.csv.part" || fail "room for $blocks KB: other rows"
    ((kept > blocks * 1024 - 300)) && [[ $(tail -c 1 "$work/now.csv.part" | od -An -c | tr -d ' ') == '\n' ]] || fail "room for $blocks KB: $kept bytes"
    next=$(head -c $((kept + 300)) "$work/a.csv" | sed -n "$(($(wc -l <"$work/now.csv.part") + 1))p" | cut -d, -f3)
    grep -qxF "mpu: cannot write '$work/now.csv': File too large; '$work/now.csv.part' ends before cycle $next" "$work/err" ||
      fail "room for $blocks KB: $(<"$work/err")"
  fi
done
"$MPU" run -q --near=c --interval /dev/full $program >"$work/out" 2>"$work/err"
[[ $? == 2 ]] || fail "/dev/full: exit status"
grep -qxF "mpu: cannot write '/dev/full': No space left on device; nothing of the intervals is kept" "$work/err" || fail "/dev/full: $(<"$work/err")"
"$MPU" run -q --near=c --config "$four" --interval-cycles 64 --interval >(cat >"$work/piped.csv") $program >"$work/out" 2>&1 || fail "a pipe"
wait_for cmp -s "$work/piped.csv" "$work/a.csv"
same "a pipe" piped a
count now 0 --near=c $program -- nothing
[[ $(cat "$work/now.csv") == "$head" ]] || fail "a program that does nothing has rows"

# ---- the page has the columns, in this order
diff <(tr , '\n' <<<"$head") <(grep -oP '^\| `\K[a-z_]+(?=` \|)' docs/interval.md) >"$work/diff" || fail "docs/interval.md: $(head -n 4 "$work/diff")"

# ---- wrong use
run() { expect "$1" "$MPU" run -q --near=c "${@:2}" kernels/axpy -- --n 100; }
for n in 0 1 63 x 1.5 -64 64x 99999999999999999999; do
  run "--interval-cycles takes a number from 64, not '$n'" --interval "$work/x.csv" --interval-cycles=$n
done
run "--interval-cycles needs --interval FILE" --interval-cycles 100
run "--interval needs a file" --interval=
run "--interval writes a file, not standard output" --interval -
run "cannot write '$work/none/x.csv': No such file or directory" --interval "$work/none/x.csv"
run "'$work/x' is named for two outputs" --interval "$work/x" --timeline "$work/x"
expect "--interval is not for the functional machine" "$MPU" run -q --near=none --interval "$work/x.csv" kernels/axpy
expect "--interval observes one device; it does not go with --cards 2" "$MPU" run -q --near=c --cards 2 --interval "$work/x.csv" kernels/axpy
# the settings of the program by itself
itself=$(find "$work/cache" -type f -perm -u+x | head -n 1)
export MPU_NEAR=c MPU_INTERVAL=$work/x.csv
MPU_INTERVAL_CYCLES=63 expect "--interval-cycles takes a number from 64, not '63'" "$itself"
MPU_INTERVAL_CYCLES=100 "$itself" || fail "the program by itself"
[[ $(cut -d, -f4 "$work/x.csv" | sed -n 2p) == 100 ]] || fail "its rows"
exit $failed
