#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu report: pages of runs on one core and on several, with and without what other commands write, of a machine of nodes,
# of statistics that lack something or hold what nobody expects; wrong files and options. The figures of a page are those
# of the statistics. Pages are looked at in a browser (run_pages.sh).
set -u
. tb/cli/expect.sh
MPU=$(readlink -f "$MPU")
export MPU
pages=$work/pages
mkdir -p "$pages"
report() { "$MPU" report "$@" >"$work/out" 2>"$work/err" || fail "mpu report $*: $(<"$work/err")"; }
has() { # PAGE TEXT...
  local text
  for text in "${@:2}"; do grep -qF -- "$text" "$pages/$1.html" || fail "$1: no '$text'"; done
}
lacks() { ! grep -qF -- "$2" "$pages/$1.html" || fail "$1 has '$2'"; }
# Cells of the table whose first cell is a text: with | between, without marks
row() { # PAGE FIRST
  sed -n "s|^<tr><td class=\"[^\"]*\"[^>]*>$2</td>||p" "$pages/$1.html" | sed 's/<[^>]*>/|/g; s/||*/|/g; s/^|//; s/|$//'
}
commas() { sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta'; }

# ---- one core, with all parts
"$MPU" run -q --near=c --stats "$work/one.json" --interval "$work/interval.csv" --interval-cycles 100 kernels/hist -- --n 5000 >/dev/null ||
  fail "mpu run"
"$MPU" profile -q --near=c --json "$work/profile.json" kernels/hist -- --n 5000 >/dev/null || fail "mpu profile"
report "$work/one.json" --interval "$work/interval.csv" --profile "$work/profile.json" -o "$pages/one.html"
[[ $(<"$work/out") == "$pages/one.html" ]] || fail "it does not say where the page is"
has one 'its own check passed' 'one core' 'machine.processors' 'hist.cu:21' 'Use of the parts of the machine' 'Fig. 10'
cycles=$(jq .cycles "$work/one.json")
[[ $(row one 'TSV bus' | head -n 1) == "$(jq .bound_tsv "$work/one.json" | commas)|$(jq '1000 * .bound_tsv / .cycles | round / 10' "$work/one.json" | sed 's/^[0-9]*$/&.0/') %|"* ]] ||
  fail "the bound of the TSV bus: $(row one 'TSV bus')"
[[ $(row one 'the run') == "$(commas <<<"$cycles")|100 %" ]] || fail "the cycles of the run: $(row one 'the run')"
# classes add up to 100 %, and to the cycles
row one 'all subcores' | head -n 1 | tr '|' '\n' | awk '{ n++; sum += $1 } END { exit !(n == 10 && sum > 99.9999 && sum < 100.0001) }' ||
  fail "the classes: $(row one 'all subcores')"
all=$(jq '[.core.subcores[] | .cycles_issue, .cycles_scoreboard, .cycles_memory, .cycles_barrier, .cycles_fetch, .cycles_engine, .cycles_empty] | add' "$work/one.json")
row one 'all subcores' | tail -n 1 | tr -d , | tr '|' '\n' | awk -v all="$all" '{ n++; if (n < 11) sum += $1; else last = $1 } END { exit !(sum == all && last == all) }' ||
  fail "the cycles of the classes are not $all: $(row one 'all subcores')"
# energy is that of mpu energy
uj=$("$MPU" energy --json "$work/one.json" | jq '.runs[0].joules * 1e6 | . * 1000 | round / 1000')
grep -q "<dd>$(printf '%.4g' "$uj") uJ, without" "$pages/one.html" || fail "energy: not $uj uJ"
[[ $(row one 'subcores 0' | wc -l) == 0 && $(row one 'subcore 3' | wc -l) == 2 ]] || fail "rows of subcores"

# what differs from the preset is shown twice, and marked in the list of all keys
[[ $(row one machine.cores) == $'1|16|cores of a processor\n* 1|16|cores of a processor' && $(row one dram.tRCD | wc -l) == 1 ]] ||
  fail "the configuration: $(row one machine.cores), $(row one dram.tRCD)"

# many intervals become fewer points
awk -F, 'NR == 1 { print; next } { for (k = 0; k < 3; k++) print }' "$work/interval.csv" >"$work/long.csv"
report "$work/one.json" --interval "$work/long.csv" -o "$work/long.html"
grep -q "Each point is the mean of $(((3 * ($(wc -l <"$work/interval.csv") - 1) + 239) / 240)) rows" "$work/long.html" || fail "points of intervals"

# ---- several cores
"$MPU" run -q --near=c --set machine.processors=2 --set machine.cores=4 --stats "$work/many.json" kernels/hist -- --n 5000 >/dev/null || fail "mpu run, cores"
report "$work/many.json" -o "$pages/many.html"
has many '8 cores of 2 processors' 'core 7 (processor 1, core 3)' 'run the program with --interval FILE' 'run mpu profile --json FILE'
[[ $(row many 'processor 1' | wc -l) == 2 ]] || fail "a row for each processor"
sent=$(jq '[.each[] | [.subcores[].remote] | add] | join(",")' "$work/many.json")
got=$(sed -n '/Each core/,/<\/details>/p' "$pages/many.html" | grep '^<tr><td' | sed 's/<[^>]*>/|/g; s/||*/|/g' | awk -F'|' '{ gsub(",", ""); printf("%s%s", (NR > 1 ? "," : ""), $9) }')
[[ "\"$got\"" == "$sent" ]] || fail "requests sent: $got, not $sent"

# links of the network, also those that are nowhere
jq '.network.links = [
    {processor: 0, from: 0, to: 1, direction: "east", flits: 100, waited: 7, queued: 100, queued_most: 1},
    {processor: 0, from: 1, to: 0, direction: "west", flits: 400, waited: 0, queued: 400, queued_most: 1},
    {processor: 1, from: 1, to: 3, direction: "south", flits: 10, waited: 0, queued: 10, queued_most: 1},
    {gateway: 0, from: 0, to: 1, direction: "east", flits: 350, waited: 0, queued: 350, queued_most: 1},
    {processor: 9, from: 0, to: 1, direction: "east", flits: 1}, {gateway: 0, from: 0, to: 77, flits: 1}, {}, 3]
  | .configuration.network.off_chip_mhz = 1000' "$work/many.json" >"$work/links.json"
report "$work/links.json" -o "$pages/links.html"
percent() { jq -r "1000 * $1 / .cycles | round / 10" "$work/many.json" | sed 's/^[0-9]*$/&.0/'; }
# on a processor a link takes two flits a core cycle, the one between them here one
[[ $(row links network | head -n 1) == "350|$(percent 350) %|flits of the link with the most, at its rate" ]] || fail "the bound of the network: $(row links network)"
has links "0 to 1 $(percent 50) %, 1 to 0 $(percent 200) %: " 'router 3 of processor 1'
[[ $(row links 'router 1 to 0 of processor 0') == "400|$(percent 200) %|0" ]] || fail "the table of links: $(row links 'router 1 to 0 of processor 0')"
jq 'del(.network, .arrays, .core.latencies, .core.arrays)' "$work/many.json" >"$work/cut.json"
report "$work/cut.json" -o "$pages/cut.html"
has cut 'What is missing' 'Links of the network: the mpu that wrote' 'Latencies: the mpu that wrote' 'Sectors by array: mpu run --arrays'
lacks many 'Links of the network: the mpu that wrote'

# with another run: its maps have the scales of both, whichever is first, and its own configuration
jq '.network.links[].flits? |= (. // 0) * 2 | .configuration.network.off_chip_mhz = 2000 | .each[0].served = 1000000' "$work/links.json" >"$work/twice.json"
report "$work/links.json" --before "$work/twice.json" -o "$pages/before.html"
report "$work/twice.json" --before "$work/links.json" -o "$pages/after.html"
for page in before after; do
  has $page 'id="maps-before"' 'Network, before' "0 to 1 $(percent 50) %, 1 to 0 $(percent 200) %: " "0 to 1 $(percent 100) %, 1 to 0 $(percent 400) %: "
  [[ $(grep -o '</svg>1M requests' "$pages/$page.html" | wc -l) == 2 ]] || fail "$page: the scale of the maps"
done
[[ $(grep -o 'id="[a-z]*-before"' "$pages/before.html" | sort -u | wc -l) == 2 ]] || fail "sections of the run before"
lacks links 'maps-before'
"$MPU" report "$work/links.json" --before "$work/none" >"$work/out" 2>&1 && fail "a missing run before"
jq 'del(.core)' "$work/many.json" >"$work/flat.json"
for wrong in "$work/links.json --before $work/flat.json" "$work/flat.json --before $work/links.json"; do
  "$MPU" report $wrong -o "$work/wrong.html" >"$work/out" 2>&1 && fail "taken: $wrong"
  grep -q 'of one device in cycles' "$work/out" || fail "$wrong: $(<"$work/out")"
done

# latencies, of 100 and of 3 accesses; ranges that are none
jq '.core.latencies = {near_bank: [{from: 8, count: 60}, {from: 24, count: 39}, {from: 49152, count: 1}],
    shared: [{from: 1, count: 3}], none: [], wrong: [{from: 7, count: 5}, {from: 4, count: -1}, {}, 1]}' "$work/one.json" >"$work/latencies.json"
report "$work/latencies.json" -o "$pages/latencies.html"
[[ $(row latencies 'near bank') == '100|8-11|24-31|24-31|from 49152' && $(row latencies shared) == '3|1|1|1|1' ]] ||
  fail "latencies: $(row latencies 'near bank'), $(row latencies shared)"
has latencies '24-31, near bank: 39<' '1, shared: 3<'
lacks latencies '>wrong<'
# arrays: of a run, and what no run writes; variables that nothing was for are left out
"$MPU" run -q --near=c --arrays --stats "$work/counted.json" kernels/hist -- --n 2048 >"$work/out" 2>&1 || fail "a run with --arrays: $(<"$work/out")"
report "$work/counted.json" -o "$pages/counted.html"
while IFS='|' read -r name cells; do
  [[ $(row counted "$name" | sed 's/,//g') == "$cells" ]] || fail "array $name: $(row counted "$name"), not $cells"
done < <(jq -r '.arrays.named[] | select(.variable | not) | "\(.name)|\(.place)|\(.bytes)|\(.read)|\(.written)|\(.remote_read)|\(.remote_written)|\(.atomics)|\(.row_hits)|\(.row_misses)|\(.row_conflicts)"' "$work/counted.json")
(($(jq '.arrays.named | length' "$work/counted.json") > 1)) || fail "a run with --arrays has no arrays"
jq '.arrays = {named: [{name: "x", place: "a.cu:3", bytes: 4096, read: 100, remote_read: 20}, {name: "<y>", written: 7}, 3, {name: "quiet", variable: true},
    {name: "loud", variable: true, read: 1}], local: {bytes: 64, written: 5}, others: {read: 0}}' "$work/latencies.json" >"$work/arrays.json"
report "$work/arrays.json" -o "$pages/latencies.html"
[[ $(row latencies x) == 'a.cu:3|4,096|100|missing|20|missing|missing|missing|missing|missing' ]] || fail "arrays: $(row latencies x)"
[[ $(row latencies loud) == 'variable|missing|1|'* && $(row latencies 'local memory') == '64|missing|5|'* ]] || fail "arrays: $(row latencies loud), $(row latencies 'local memory')"
has latencies 'x, remote reads: 20<' '&lt;y&gt;, own writes: 7<'
lacks latencies '>quiet<' '>others<'
jq '.arrays = {named: [range(0; 40) | {name: "a\(.)", read: 1}]}' "$work/one.json" >"$work/arrays.json"
report "$work/arrays.json" -o "$work/arrays.html"
grep -q '16 more arrays are in the statistics' "$work/arrays.html" || fail "many arrays"

# ---- no cycles; a machine of nodes; several devices
"$MPU" run -q --near=none --arrays --stats "$work/none.json" kernels/plain/axpy -- --n 1000 >/dev/null || fail "mpu run, no cycles"
report "$work/none.json" -o "$pages/none.html"
has none 'without cycles' 'The configuration is missing'
"$MPU" machine reduce --near c --set machine.processors=1 --set machine.cores=4 --stats "$work/nodes.json" >/dev/null || fail "mpu machine"
report "$work/nodes.json" -o "$pages/nodes.html"
has nodes 'machine of nodes' 'engine'
[[ $(row nodes accesses | head -n 1) == 768 ]] || fail "a counter of the nodes: $(row nodes accesses)"
jq '{schema, program, result, "end", launches, devices: [{launches, cycles, cores, processors, core}, {launches, cycles, cores, processors, core}], configuration}' \
  "$work/one.json" >"$work/devices.json"
report "$work/devices.json" -o "$pages/devices.html"
has devices 'Bounds, device 1' 'id="cycles-1"' 'Energy is missing'

# ---- a run of a store, and a study
cat >"$work/s.yaml" <<'YAML'
study: small
title: A small study
sets:
  own: [{program: kernels/plain/axpy, arguments: "--n 1000"}]
figures:
  rows:
    title: Time to open a row
    sweep: {dram.tRCD: [10, 20]}
    baseline: tRCD=10
    columns:
      time: "cycles / cycles[base]"
YAML
"$MPU" study "$work/s.yaml" --store "$work/s.db" -q --html "$pages/study.html" || fail "mpu study"
report 2 --store "$work/s.db" -o "$pages/stored.html"
has stored '<dt>Command</dt><dd>mpu run -q ' '<h1>axpy</h1>' 'dram.tRCD' 'Fig. 10'
report "$work/s.yaml" --store "$work/s.db" -o "$work/again.html"
cmp -s "$work/again.html" "$pages/study.html" || fail "the page of a study is another one with mpu report"
expect "has no run 99" "$MPU" report 99 --store "$work/s.db"
expect "'/no/such.db' is missing: run a study first" "$MPU" report 1 --store /no/such.db
expect "is not a store of runs" "$MPU" report 1 --store "$work/one.json"
expect "unknown study 'frob'" "$MPU" report frob
expect "cannot read 'frob.json'" "$MPU" report frob.json
printf '%s\n' '#include <unistd.h>' 'int main() { _exit(1); }  // without statistics' >"$work/bad.cu"
sed "s|\[{program: .*}\]|[$work/bad.cu]|" "$work/s.yaml" >"$work/f.yaml"
"$MPU" study "$work/f.yaml" --store "$work/f.db" -q --html "$pages/failed.html" 2>/dev/null
[[ $? == 1 ]] || fail "mpu study of a program that fails"
has failed 'Runs that failed' 'Nothing to draw'
expect "run 1 has no statistics: its outcome is " "$MPU" report 1 --store "$work/f.db"

# ---- what nobody expects
jq '.program = "<b>&\"x/../y" | .result = "fail" | .end = "fault"' "$work/one.json" >"$work/hard.json"
(cd "$work" && report hard.json && mv '<b>&"x_.._y.html' "$pages/hard.html") || fail "the name of the page"
has hard '&lt;b&gt;&amp;&quot;x/../y' 'its own check failed' 'It ended early'
lacks hard '<b>'
# each key is missing once: a page all the same, without numbers that are none
n=0
while read -r path; do
  jq "del($path)" "$work/one.json" >"$work/cut.json"
  if "$MPU" report "$work/cut.json" -o "$work/cut.html" >/dev/null 2>"$work/err"; then
    ! grep -qiE '="[^"<]*\b(nan|inf)\b|>-?nan|>-?inf\b' "$work/cut.html" || fail "without $path: a number that is none"
  else
    [[ $? -lt 3 && $(wc -l <"$work/err") == 1 ]] || fail "without $path: $(<"$work/err")"
  fi
  n=$((n + 1))
done < <(jq -r 'keys[] | "." + .' "$work/one.json"; jq -r '.core | keys[] | ".core." + .' "$work/one.json"
  printf '%s\n' '.core.subcores[1]' '.core.nbus[].banks' '.core.nbus[0].packets_down' '.configuration.dram' '.configuration.tsv' \
    '.configuration.machine' '.core.subcores[].cycles_issue' '.core.nbus[].banks[].row_hits_2')
((n > 40)) || fail "only $n keys were cut"
for what in '.core = 3' '.core = []' '.cycles = "x"' '.cycles = 0' '.cores = 0' '.processors = 0' '.core.subcores = {}' '.core.nbus = "x"' \
  '.each = [1, 2]' '.each = []' '.configuration = []' '.cores = 128' '.cores = 1e9' '.cores = -1' '.processors = 5' '.cores = 3 | .processors = 2 | .each = [{}, {}, {}]' '.cores = 1e300' '.processors = 1e-9' '.core.latencies = [1]' '.arrays = 3' '.arrays = [[1]]' '.arrays = {named: {b: {}}, local: 3, others: []}' '.arrays = {named: [1, {}, {name: 3, variable: "x"}]}' '.configuration.dram.tCCD = "x"' \
  '.configuration.network.columns = 1000' '.configuration.new = {"key": 1}' '.core.cycles_drain = 1e30' '.devices = [1, {}]' '.machine = "x"' '.cores = 4 | .network.links = [{}, {processor: 1e300, from: -1, to: 1e300, flits: "x"}]'; do
  jq "$what" "$work/one.json" >"$work/cut.json"
  "$MPU" report "$work/cut.json" -o "$work/cut.html" >/dev/null 2>"$work/err"
  got=$?
  ((got < 3)) && [[ $(wc -l <"$work/err") -le 1 ]] || fail "$what: status $got, $(<"$work/err")"
  ((got)) || ! grep -qiE '="[^"<]*\b(nan|inf)\b|>-?nan|>-?inf\b' "$work/cut.html" || fail "$what: a number that is none"
done

jq '.cores = 6 | .processors = 4' "$work/one.json" >"$work/cut.json"
expect "is damaged: it cannot have 6 cores of 4 processors" "$MPU" report "$work/cut.json"

# ---- where the page goes
report "$work/one.json" -o "$work"
[[ -s $work/hist.html ]] || fail "-o DIRECTORY"
report "$work/one.json" -o -
grep -q '</html>' "$work/out" || fail "-o -"
cp "$work/hist.html" "$work/before.html"
expect "cannot write" "$MPU" report "$work/one.json" -o /no/such/folder/page.html
expect "cannot write '/dev/full': No space left on device" "$MPU" report "$work/one.json" -o /dev/full
[[ ! $(find "$work" -name '*.part') ]] || fail "a part of a page is left"

# ---- wrong use
expect "which run?" "$MPU" report
expect "one run at a time; 'b' is a second" "$MPU" report a b
expect "unknown option" "$MPU" report --frob
expect "/no/such.json" "$MPU" report /no/such.json
echo '{"a": 1}' >"$work/other.json"
expect "is not the statistics of a run; they come from mpu run --stats FILE" "$MPU" report "$work/other.json"
head -c 1000 "$work/one.json" >"$work/part.json"
expect "part.json:" "$MPU" report "$work/part.json"
expect "has no column 'cycle'" "$MPU" report "$work/one.json" --interval "$work/other.json"
expect ":2: 4 cells are expected" "$MPU" report "$work/one.json" --interval <(printf 'cycle,cycles,cycles_issue,rd\n1,2\n')
expect "has no 'kernels'; --profile takes what mpu profile --json wrote" "$MPU" report "$work/one.json" --profile "$work/one.json"
head -n 1 "$work/interval.csv" >"$work/empty.csv"
report "$work/one.json" --interval "$work/empty.csv" -o "$pages/empty.html"
has empty 'the table has no rows'

# ---- in a browser
bash tb/study/page/run_pages.sh "$pages"/{one,links,latencies,nodes,study}.html || failed=1
exit $failed
