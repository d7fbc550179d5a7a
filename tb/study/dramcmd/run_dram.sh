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

grep -q '^usage: mpu dram' <("$MPU" dram --help) || fail "--help"
refuses "unknown option '--frob'" --frob
refuses "unknown argument 'frob'" frob
refuses "--streams: '0' is not 1 to 1024" --pattern rows --streams 0
refuses "--streams: '1.5' is not 1 to 1024" --pattern rows --streams=1.5
refuses "--turn: '' is not 1 to 65536" --pattern rows --turn
refuses "--visit: '70000' is not" --pattern rows --visit 70000
refuses "--banks: '2' is not 1 or 4" --banks 2
refuses "--reads: '67' is not 0 to 1: it is a share, no longer percent; --reads 0.67?" --reads 67
refuses "--reads: '1.5' is not 0 to 1: it is a share" --sweep reads=0,1.5
refuses "--reads: '101' is not 0 to 1" --reads 101
refuses "--reads: '-0.1' is not 0 to 1" --reads=-0.1
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
refuses "--pattern: 'any' is not one of: random sequential rows" --pattern any
refuses "--model: 'verilog' is not one of: c rtl both" --model verilog
refuses "--page: 'ajar' is not one of: open closed" --page ajar
refuses "--refresh: '' is not one of: on off" --refresh
refuses "--sweep takes NAME=LIST" --sweep 0.1,0.2
refuses "--sweep takes NAME=LIST" --sweep rows=1,2
refuses "--rate: '2' is not" --sweep rate=0.1,2
refuses "--rate: '0.1:0.2' is not" --sweep rate=0.1:0.2
refuses "'0' is not a step above 0" --sweep rate=0.1:0.2:0
refuses "'0.2:0.1:0.1' is an empty list" --sweep rate=0.2:0.1:0.1
refuses "more than 512 values" --sweep rate=0.0001:0.9:0.0001
refuses "--sweep rate takes numbers, not max" --sweep rate=0.1,max
refuses "--rate and --sweep rate, not both" --rate 0.1 --sweep rate=0.1,0.2
refuses "--streams is for --pattern sequential and rows" --streams 2
refuses "--visit is for --pattern sequential and rows" --sweep visit=1,2
refuses "--plot needs a --sweep of at least two values" --plot "$work/p.svg"
refuses "--points needs --plot" --points "$work/points"
refuses "--plot needs a file" --sweep rate=0.01,0.02 --plot
expect "cannot write '/nowhere/p.svg'" silent "$MPU" dram --accesses 100 --sweep rate=0.01,0.02 --plot /nowhere/p.svg
expect "cannot write '/nowhere/t'" silent "$MPU" dram --write-trace /nowhere/t
refuses "--write-trace writes the generated accesses of one run" --sweep rate=0.01,0.02 --write-trace "$work/t"
echo '0 0 0 0 R' >"$work/t"
refuses "leave --reads out" --trace "$work/t" --reads 0.5
refuses "leave --rate out" --trace "$work/t" --sweep rate=0.1,0.2
refuses "leave --pattern out" --trace "$work/t" --pattern random
refuses "--write-trace writes" --trace "$work/t" --write-trace "$work/u"
refuses "cannot read '$work/none'" --trace "$work/none"
printf '0 0 0 0 R\n1 0 0 0 X\n' >"$work/wrong"
refuses "$work/wrong:2: the fifth word is R or W" --trace "$work/wrong"
printf '# x y name\n0.01 50 a\n0.02 high a\n' >"$work/points"
refuses "$work/points:3: a line has X, Y and a name" --sweep rate=0.01,0.02 --plot "$work/p.svg" --points "$work/points"
printf '0.01 50' >"$work/points"
refuses "$work/points:1: a line has X, Y and a name" --sweep rate=0.01,0.02 --plot "$work/p.svg" --points "$work/points"
refuses "cannot read '$work/none'" --sweep rate=0.01,0.02 --plot "$work/p.svg" --points "$work/none"

# a run, its trace, and the run of that
some=(--pattern sequential --streams 3 --turn 2 --visit 20 --banks 4 --reads 0.6 --accesses 3000 --seed 9)
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
line=$(run --json --reads 0.67 --accesses 20000)
awk -v rd="$(figure RD "$line")" -v n="$(figure measured "$line")" \
  'BEGIN {exit !(rd > 0.65 * n && rd < 0.69 * n)}' || fail "--reads is a share: $line"
(($(cycles --banks 4) < $(cycles))) || fail "--banks"
# times of the banks come from the configuration
(($(cycles --rows 1) < $(cycles --rows 1 --set dram.tRCD=20 --set dram.tRP=17))) || fail "--set of times"
(($(cycles --set dram.tREFI=39000) < $(cycles))) || fail "--set dram.tREFI"
refuses "dram.tRCD: 256 is out of range; allowed: 1 to 255" --set dram.tRCD=256
# and so do rows, columns and subarrays
small=(--set dram.rows=64 --set dram.row_bytes=256 --set dram.subarrays=2)
echo '0 0 64 0 R' >"$work/t"
refuses "$work/t:1: the third word is a row, 0 to 63" "${small[@]}" --trace "$work/t"
refuses "--streams: '65' is not 1 to 64, the rows of a bank (dram.rows)" "${small[@]}" --pattern rows --sweep streams=1,65
run "${small[@]}" --accesses 2000 --write-trace "$work/t" >/dev/null
[[ $(awk '!/#/ { print $3 }' "$work/t" | sort -nu | wc -l) == 64 && $(awk '!/#/ { print $4 }' "$work/t" | sort -nu | tail -n 1) == 7 ]] ||
  fail "random places of 64 rows of 8 columns"
run "${small[@]}" --trace "$work/t" >/dev/null
(($(cycles) < $(cycles --set dram.subarrays=2))) || fail "--set dram.subarrays"
[[ $(figure visit "$(run --json --accesses 100 --pattern sequential "${small[@]}")") == 8 ]] || fail "--visit is a row"
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

# beyond saturation latency measures the length of the run: it is not shown; below, runs of any
# length settle
busy=(--rows 1 --rate 0.025)
for n in 2000 20000; do
  run "${busy[@]}" --accesses $n >"$work/out"
  [[ $(awk 'END {print $6, $7, $8, $9, $10, $NF}' "$work/out") == "- - - - - saturated" ]] ||
    fail "a saturated run: $(cat "$work/out")"
  grep -q '"saturated": true, "waiting": [1-9][0-9]*, "latency": null, ' <(run "${busy[@]}" --accesses $n --json) ||
    fail "a saturated run in JSON"
  for rate in 0.001 0.01 0.016 max; do
    grep -q '"saturated": false,.*"mean": [1-9]' <(run --rows 1 --rate $rate --accesses $n --json) ||
      fail "$n accesses at $rate are said to saturate"
  done
done

# the Verilog
if [[ -e $(dirname "$MPU")/libbankctlrtl.so ]]; then
  for model in c rtl both; do
    run "${some[@]}" --rows 1,2,4 --model "$model" >"$work/$model"
    diff "$work/c" "$work/$model" || fail "--model $model"
    run "${some[@]}" "${small[@]}" --rows 1,2,4 --model "$model" >"$work/small.$model"
    diff "$work/small.c" "$work/small.$model" || fail "--model $model of small banks"
    # a slow DDR4, and ten times the default
    slow=(dram.tRCD=16 dram.tRP=16 dram.tRAS=39 dram.tRFC=420 dram.tREFI=9360)
    ten=(dram.tRCD=140 dram.tCCD=20 dram.tRTP=40 dram.tRP=140 dram.tRAS=330 dram.tRFC=3500 dram.tREFI=39000 dram.CL=20
      dram.CWL=20 dram.burst=20 dram.tWR=150 dram.tWTR=80 dram.tRRD=40 dram.tFAW=160 dram.tSCD=10 dram.tRA=10 dram.tWA=120)
    run "${some[@]}" --rows 1,2,4 --model "$model" "${slow[@]/#/--set=}" >"$work/slow.$model"
    diff "$work/slow.c" "$work/slow.$model" || fail "--model $model of a slow DDR4"
    run "${some[@]}" --rows 1,2,4 --model "$model" "${ten[@]/#/--set=}" >"$work/ten.$model"
    diff "$work/ten.c" "$work/ten.$model" || fail "--model $model of ten times"
  done
else
  refuses "the verilated models are missing" --model rtl
fi
((failed)) && exit 1
echo "mpu dram: all is well"
