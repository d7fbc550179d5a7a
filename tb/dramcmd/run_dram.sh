#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu dram: options, output and files; the twin, the Verilog and both; wrong use.
set -u
. tb/cli/expect.sh
refuses() { expect "$1" "$MPU" dram "${@:2}"; }  # TEXT ARGUMENTS...
silent() { "$@" >/dev/null; }                    # it has printed its table before

run() { "$MPU" dram "$@" || fail "dram $*"; }
# the figure of a name in a line of JSON
figure() { grep -o "\"$1\": [^,}]*" <<<"$2" | sed 's/.*: //'; }

"$MPU" dram --help | grep -q '^usage: mpu dram' || fail "--help"
refuses "unknown option '--frob'" --frob
refuses "unknown argument 'frob'" frob
refuses "--streams: '0' is not 1 to 1024" --pattern rows --streams 0
refuses "--streams: '1.5' is not 1 to 1024" --pattern rows --streams=1.5
refuses "--turn: '' is not 1 to 65536" --pattern rows --turn
refuses "--visit: '70000' is not" --pattern rows --visit 70000
refuses "--banks: '2' is not 1 or 4" --banks 2
refuses "--reads: '101' is not 0 to 100" --reads 101
refuses "--reads: 'nan' is not" --reads nan
refuses "--rate: '0' is not 0.000001 to 1, or max" --rate 0
refuses "--rate: '1.1' is not" --rate 1.1
refuses "--rate: '0.1x' is not" --rate 0.1x
refuses "--accesses: '99' is not 100 to 10000000" --accesses 99
refuses "--seed: '-1' is not" --seed -1
refuses "--rows: '3' is not 1, 2 or 4" --rows 1,3
refuses "--rows: more than 3 values" --rows 1,2,4,1
refuses "--rows: '' is not" --rows 1,
refuses "--queue: '17' is not 1 to 16" --queue 17
refuses "--pattern: 'any' is none of: random sequential rows" --pattern any
refuses "--model: 'verilog' is none of: c rtl both" --model verilog
refuses "--page: 'ajar' is none of: open closed" --page ajar
refuses "--refresh: '' is none of: on off" --refresh
refuses "--sweep takes NAME=LIST" --sweep 0.1,0.2
refuses "--sweep takes NAME=LIST" --sweep rows=1,2
refuses "--rate: '2' is not" --sweep rate=0.1,2
refuses "--rate: '0.1:0.2' is not" --sweep rate=0.1:0.2
refuses "'0' is no step above 0" --sweep rate=0.1:0.2:0
refuses "there is nothing in '0.2:0.1:0.1'" --sweep rate=0.2:0.1:0.1
refuses "more than 512 values" --sweep rate=0.0001:0.9:0.0001
refuses "max is no point on a line" --sweep rate=0.1,max
refuses "--rate and --sweep rate: one of them" --rate 0.1 --sweep rate=0.1,0.2
refuses "--streams is for --pattern sequential and rows" --streams 2
refuses "--visit is for --pattern sequential and rows" --sweep visit=1,2
refuses "--plot draws a --sweep of two values and more" --plot "$work/p.svg"
refuses "--points are marks in a --plot" --points "$work/points"
refuses "--plot needs a file" --sweep rate=0.01,0.02 --plot
expect "can't write '/nowhere/p.svg'" silent "$MPU" dram --accesses 100 --sweep rate=0.01,0.02 --plot /nowhere/p.svg
expect "can't write '/nowhere/t'" silent "$MPU" dram --write-trace /nowhere/t
refuses "--write-trace writes the generated accesses of one run" --sweep rate=0.01,0.02 --write-trace "$work/t"
echo '0 0 0 0 R' >"$work/t"
refuses "--reads has no meaning with it" --trace "$work/t" --reads 50
refuses "--rate has no meaning with it" --trace "$work/t" --sweep rate=0.1,0.2
refuses "--pattern has no meaning with it" --trace "$work/t" --pattern random
refuses "--write-trace writes" --trace "$work/t" --write-trace "$work/u"
refuses "can't read '$work/none'" --trace "$work/none"
printf '0 0 0 0 R\n1 0 0 0 X\n' >"$work/wrong"
refuses "$work/wrong:2: the fifth word is R or W" --trace "$work/wrong"
printf '# x y name\n0.01 50 a\n0.02 high a\n' >"$work/points"
refuses "$work/points:3: a line has X, Y and a name" --sweep rate=0.01,0.02 --plot "$work/p.svg" --points "$work/points"
printf '0.01 50' >"$work/points"
refuses "$work/points:1: a line has X, Y and a name" --sweep rate=0.01,0.02 --plot "$work/p.svg" --points "$work/points"
refuses "cannot read '$work/none'" --sweep rate=0.01,0.02 --plot "$work/p.svg" --points "$work/none"

# a run, its trace, and the run of that
some=(--pattern sequential --streams 3 --turn 2 --visit 20 --banks 4 --reads 60 --accesses 3000 --seed 9)
run "${some[@]}" --rate 0.1 --rows 1,2,4 --write-trace "$work/trace" >"$work/made"
run --trace "$work/trace" --rows 1,2,4 >"$work/read"
diff "$work/made" "$work/read" || fail "a trace gives what its stream gave"
(($(wc -l <"$work/made") == 4)) || fail "a line for each number of row buffers"
[[ $(head -c 5 "$work/made") == "rows " ]] || fail "the head of the table"

# JSON: a line a run, and it says what the table says
run "${some[@]}" --rate 0.1 --rows 1,2,4 --json >"$work/json"
(($(grep -c '^{.*}$' "$work/json") == 3)) || fail "three lines of JSON"
line=$(tail -n 1 "$work/json")
same() { awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN {exit !(a - b <= by && b - a <= by)}'; }
same "$(figure accepted "$line")" "$(awk 'END {print $3}' "$work/made")" 0.00001 || fail "accepted in JSON"
same "$(figure mean "$line")" "$(awk 'END {print $6}' "$work/made")" 0.05 || fail "mean in JSON"
[[ $(figure ACT "$line") == $(awk 'END {print $11}' "$work/made") ]] || fail "ACT in JSON"
[[ $(figure rows "$line") == 4 && $(figure rate "$line") == 0.1 ]] || fail "options in JSON"
awk -v rd="$(figure RD "$line")" -v wr="$(figure WR "$line")" -v n="$(figure measured "$line")" \
  'BEGIN {exit !(n == 2700 && rd + wr >= n && rd + wr < n + 20)}' || fail "RD and WR are the accesses"
[[ $(figure offered "$(run --json --accesses 100)") == null ]] || fail "nothing is offered at rate max"

# options do what they say
cycles() { figure cycles "$(run --json --accesses 2000 "$@")"; }
(($(cycles) < $(cycles --rows 1))) || fail "--rows"
(($(cycles --refresh off) < $(cycles))) || fail "--refresh"
(($(cycles) < $(cycles --queue 1))) || fail "--queue"
(($(cycles) < $(cycles --reads 0))) || fail "--reads"
(($(cycles --banks 4) < $(cycles))) || fail "--banks"
(($(cycles --pattern rows) < $(cycles --pattern sequential))) || fail "--pattern"
[[ $(cycles) == "$(cycles --seed 1)" && $(cycles) != "$(cycles --seed 2)" ]] || fail "--seed"
hits() { figure hit_rate "$(run --json --accesses 2000 --pattern sequential --rate 0.001 "$@")"; }
awk -v open="$(hits)" -v closed="$(hits --page closed)" 'BEGIN {exit !(open > 0.6 && closed < 0.1)}' ||
  fail "--page"

# sweeps and plots
printf '# the reference\n0.004 60 one\n0.008 76 one\n0.004 62 two, with a blank' >"$work/points"
run --accesses 2000 --rows 1,4 --sweep rate=0.002:0.010:0.004 --plot "$work/p.svg" --points "$work/points" >"$work/out"
[[ $(awk '{print $1, $2}' "$work/out" | tr '\n' ,) == "rows rate,1 0.002,1 0.006,1 0.01,4 0.002,4 0.006,4 0.01," ]] ||
  fail "the points of a sweep"
for text in '<svg' '>arrivals a cycle<' '>mean latency, cycles<' '>1 row buffer<' '>4 row buffers<' '>one<' '>two, with a blank<'; do
  grep -qF -- "$text" "$work/p.svg" || fail "'$text' in the plot"
done
(($(grep -c '<circle' "$work/p.svg") == 6 && $(grep -c 'class="mark"' "$work/p.svg") == 5)) || fail "points in the plot"
run --pattern sequential --sweep visit=1,2,4 --accesses 1000 --plot "$work/p.svg" >"$work/out"
grep -q '>bytes a cycle<' "$work/p.svg" || fail "the plot of a sweep over visits"

# the Verilog
if [[ -e $(dirname "$MPU")/libbankctlrtl.so ]]; then
  for model in c rtl both; do
    run "${some[@]}" --rows 1,2,4 --model "$model" >"$work/$model"
    diff "$work/c" "$work/$model" || fail "--model $model"
  done
else
  refuses "the verilated models are missing" --model rtl
fi
((failed)) && exit 1
echo "mpu dram: all is well"
