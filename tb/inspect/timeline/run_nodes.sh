#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A machine of nodes: its timeline has the events that they declare, as many as they count and as
# long; windows cut them; the number of threads changes nothing; wrong use.
set -uo pipefail
. tb/inspect/timeline/common.sh
. tb/cli/expect.sh
reduce() { # NAME OPTIONS...
  "$MPU" machine reduce --near c --timeline "$work/$1.json" --stats "$work/$1.stats" "${@:2}" >"$work/out" 2>"$work/err" ||
    fail "$*: $(<"$work/err")"
}
# slices of a name, and the cycles that they take together
slices() { grep -cF "\"name\":\"$2\",\"args\":{\"cycle\"" "$work/$1.json"; }
cycles() { awk -F'"dur":' -v name="\"name\":\"$2\"" 'index($0, "\"X\"") && index($0, name) { sub(/,.*/, "", $2); sum += 1000 * $2 } END { print sum + 0 }' "$work/$1.json"; }
counter() { grep -oP "\"$2\": \{[^}]*\"$3\": \K[0-9]+" "$work/$1.stats" | head -n 1; }
same() { [[ $2 == "$3" ]] || fail "$1: $2, not $3"; }

small=(--set machine.processors=1 --set machine.cores=4 --set reduce.accesses=20 --set reduce.requests=3)
reduce one "${small[@]}"
good "$work/one.json"
same "requests" "$(slices one request)" "$(counter one engine requests)"
same "reads" "$(slices one read)" "$(counter one engine accesses)"
same "answers" "$(slices one answer)" "$(counter one host answers)"
# a request is busy from the cycle behind the one in which it is taken
same "cycles of requests" "$(cycles one request)" $(($(counter one engine busy) + $(counter one engine requests)))
for k in 1 2 3; do # the sums at the host are those that the engines say
  sum=$(grep -oP "\"pid\":$((k + 1)),.*\"name\":\"request\",.*\"sum\":\K[0-9]+" "$work/one.json" | awk '{ sum = (sum + $1) % 4294967296 } END { printf "%.0f", sum }')
  same "the sums of engine $k" "$sum" "$(grep -oP '"sums": \[\K[^]]*' "$work/one.stats" | cut -d, -f"$k" | tr -d ' ')"
done
reduce two "${small[@]}" --threads 2
cmp -s "$work/one.json" "$work/two.json" || fail "two threads give another file"

reduce cut "${small[@]}" --timeline-window 60:100
good "$work/cut.json"
grep -q '"name":"request".*"cut":"start"' "$work/cut.json" || fail "nothing is cut at the start"
grep -q '"name":"request".*"cut":"end"' "$work/cut.json" || fail "nothing is cut at the end"
grep -oP '"ts":\K[0-9.]+' "$work/cut.json" | awk '$1 < 0.06 || $1 >= 0.1 { bad = 1 } END { exit bad }' || fail "the window"
reduce none "${small[@]}" --timeline-window 5000:
said "none of them is in --timeline-window 5000:"
reduce long --set machine.processors=1 --set machine.cores=2 --set reduce.accesses=65535 --set reduce.requests=4
said "long.json' has cycles 0 to 99999 of"

small=(machine reduce --near c "${small[@]}")
expect "--timeline-window takes cycles A:B" "$MPU" "${small[@]}" --timeline "$work/x.json" --timeline-window 7
expect "--timeline-window needs --timeline FILE" "$MPU" "${small[@]}" --timeline-window 1:7
expect "cannot write '$work/none/t.json': No such file or directory" "$MPU" "${small[@]}" --timeline "$work/none/t.json"
grep -q 'event    engine.request: .*; with first, accesses; ends with sum' <("$MPU" machine --list reduce) || fail "the events are not listed"
exit $failed
