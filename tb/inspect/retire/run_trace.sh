#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --retire and mpu retire: the same bytes from every model and any number of threads, what is in them, what the filters
# leave; runs that end early, files that are cut or find no room.
set -uo pipefail
. tb/cli/expect.sh
export MPU_CACHE=$work/cache
unset MPU_NEAR
cu=$PWD/tb/inspect/retire/trace.cu kernels=$PWD/kernels checkpoint=$PWD/tb/mpu/machine/checkpoint.cu
cd "$work" || exit 1

# record FILE OPTIONS...: a run
record() { "$MPU" run -q --retire "$@" >run.out 2>run.err || fail "mpu run --retire $*: $(tail -n 1 run.err)"; }
show() { "$MPU" retire "$@" || fail "mpu retire $*: status $?"; }
lines() { show "$@" | grep -vE '^(launch|    issue) '; }
has() { show "${@:2}" >shown; grep -qE -- "$1" shown; } # PATTERN OPTIONS...: is it in what is shown
is() { [[ $1 == "$2" ]] || fail "$3: $1, not $2"; } # GOT WANTED WHAT
key() { grep -oE "\"$1\": [0-9]+" "$2" | head -n 1 | grep -oE '[0-9]+$'; }

# ---- the same in all modes
one=(kernels/hist -- --n 3000)
many=(--config paper kernels/pr -- --n 4096)
ln -s "$kernels" kernels
record one --near=c --stats one.json "${one[@]}"
record many --near=c --stats many.json "${many[@]}"
for mode in rtl lockstep; do
  record other --near=$mode "${one[@]}"
  cmp one other || fail "one core, $mode: another file"
done
for options in --threads=2 --threads=5 "--near=lockstep --rtl-core 3,64" "--near=lockstep --threads 3"; do
  record other --near=c $options "${many[@]}"
  cmp many other || fail "many cores, $options: another file"
done
# and the functional machine executes the same
for what in one many; do
  declare -n program=$what
  args=("${program[@]}")
  [[ $what == one ]] || args=("${args[@]:2}")
  record "f$what" --near=none --trace "$what.txt" "${args[@]}"
  [[ $(show --diff $what "f$what") == "the same: $(key warp_instructions $what.json) instructions of "* ]] ||
    fail "$what: not as the functional machine: $(show --diff $what "f$what" | head -n 3)"
done
record other --near=none "${one[@]}"
cmp fone other || fail "the functional machine without --trace: another file"
is "$(show --diff many fmany)" "$(show --diff fmany many)" "--diff the other way round"

# also where no lane executes what would be near
record special --near=c "$cu" -- 0 0 8
record fspecial --near=none "$cu" -- 0 0 8
has ' 00000000 F  @p[0-9]+ add\.u32\.N ' fspecial || fail "no near instruction without lanes"
is "$(show --diff special fspecial | grep -o '^the same')" "the same" "near instructions without lanes"

# ---- what is in it
for what in one many; do
  all=$(key warp_instructions $what.json)
  is "$(show --count $what)" "$all" "$what: records"
  is "$(lines $what | wc -l)" "$all" "$what: lines"
  is "$(show --count --near $what)" "$(key near_instructions $what.json)" "$what: near"
  is "$(show --count --far $what)" "$(key far_instructions $what.json)" "$what: far"
  # issue, end, core, block, warp, pc, lanes, side; a subcore issues once a cycle, a warp in order
  lines $what >text
  awk -v cores="$(key cores $what.json)" '{
      if ($1 > $2) bad = "ends before its issue"
      split($3, at, ".")
      if (at[1] >= cores || at[2] != $5 % 4) bad = "place"
      if (($1, $3) in issued) bad = "two issues in a cycle"
      issued[$1, $3] = 1
      if (bad) { print bad ": " $0; exit 1 }
    }' text || fail "$what: what no core does"
done
# the last block ends when its NBUs have said that all is complete (SYNC), a few cycles behind the last instruction; cycles of a
# launch are from the first cycle to behind that one
behind=$(($(key cycles one.json) - $(lines one | sort -n -k 2 | awk 'END { print $2 }')))
((behind >= 1 && behind <= 20)) || fail "the last instruction ends $behind cycles before the launch"
# of the functional machine: its own trace, in its order, and cycles count
lines fone | awk '{ printf "%d %d %s %s %s\n", $4, $5, $6, $7, $8 }' >got
awk '{ if ($4 == "00000000") $5 = "F"; print $1, $2, $3, $4, $5 }' one.txt >want
cmp got want || fail "the functional machine has another trace"
is "$(lines fone | awk '$1 != NR - 1 || $2 != NR - 1')" "" "numbers of the functional machine"
# instructions and lines are those of the compiler
record axpy --near=c kernels/axpy -- --n 4096
"$MPU" cc kernels/plain/axpy/axpy.cu -S axpy.lst -o axpy.program
is "$(lines axpy | grep -c 'fma.rn.f32.* axpy.cu:10$')" 128 "lines with the instruction of axpy"
line=$(grep -n 'y\[i\] = a' kernels/plain/axpy/axpy.cu | cut -d : -f 1)
is "$(show --count --line "$line" axpy)" "$(lines axpy | grep -c "axpy.cu:$line$")" "--line"
is "$(show --count --line axpy.cu:"$line" axpy)" "$(show --count --line "$line" axpy)" "--line FILE:N"
is "$(show --count --line axpy/axpy.cu:"$line" axpy)" "$(show --count --line "$line" axpy)" "--line DIRECTORY/FILE:N"
is "$(show --count --line xpy.cu:"$line" axpy)" 0 "--line with half a name"
# and it is small
((10 * $(stat -c %s axpy) < 60 * $(show --count axpy))) || fail "$(stat -c %s axpy) bytes for $(show --count axpy) records"

# ---- what the filters leave: as awk has it from all lines; `text` is of many
filter() { # CONDITION OPTIONS...
  lines "${@:2}" many >got
  awk "$1" text >want
  [[ -s want ]] || fail "${*:2}: nothing to see"
  cmp got want || fail "${*:2}: other lines"
  is "$(show "${@:2}" --count many)" "$(wc -l <want)" "${*:2} --count"
}
filter '$3 ~ /^17\./' --core 17
filter '$4 == 12' --block 12
filter '$5 == 3' --warp=3
filter '$6 == "a0"' --pc a0
filter '$6 == "a0"' --pc=0xA0
filter '$1 < 500 && $2 >= 400' --cycles 400:500
filter '$2 >= 600' --cycles 600:
at=$(awk 'NR > 100 && $1 != last { print $1; exit } { last = $1 }' text) # something is issued in this cycle, which is left out
filter "\$1 < $at" --cycles=:"$at"
filter '$8 == "N"' --near
filter '$8 == "F" && $4 == 5' --far --block 5
filter 'NR <= 37' --limit 37
filter '$3 ~ /^17\./ && ++n <= 5' --limit 5 --core 17
is "$(show --count --launch 1 many)" "$(show many | awk '/^launch 2/ { exit } !/^launch|^    issue/' | wc -l)" "--launch 1"
is $(($(show --count --launch 1 many) + $(show --count --launch 2 many))) "$(show --count many)" "both launches"
is "$(show --launch 3 many)" "" "a launch that is not there"
# the summary adds up
show --summary many >sum
is "$(awk '$NF != "line" && $NF != "all" { n += $1 } END { print n }' sum)" "$(show --count many)" "the summary's lines"
is "$(awk '$NF == "all" { print $1, $2, $4 }' sum)" \
  "$(awk '{ n++; near += $8 == "N"; took += $2 - $1 } END { printf "%d %.1f %.1f", n, 100 * near / n, took / n }' text)" "its sum"
is "$(show --summary --near many | awk '$NF == "all" { print $1, $2 }')" "$(show --count --near many) 100.0" "a summary of some"
is "$(show --summary --launch 3 many | wc -l)" 1 "a summary of nothing"

# ---- runs that end early
# early NAME OPTIONS... -- WHAT: as the functional machine, as far as it goes; the same for any number of threads
early() {
  local n
  for n in 1 3; do
    "$MPU" run -q --near=c --config paper --threads $n --retire "$1.$n" "${@:2:$#-2}" "$cu" -- ${!#} >out 2>&1
  done
  cmp "$1.1" "$1.3" || fail "$1: 3 threads: another file"
  "$MPU" run -q --near=none --max-instructions 20000 --retire "$1.f" "$cu" -- ${!#} >out 2>&1
  [[ $(show --diff "$1.1" "$1.f") == "the same: "*" in 2 launches, as far as both go" ]] || fail "$1: $(show --diff "$1.1" "$1.f" | head -n 4)"
  has '^launch 2 was ended in cycle [1-9][0-9]*$' "$1.1" || fail "$1: not said that the launch was ended"
}
early fault "1 5 150"
early trap "2 5 150"
for f in trap.1 trap.f; do
  has ' trap' --launch 2 $f && fail "$f: a trap has ended"
done
early limit --max-cycles 3000 "3 5 150"
early deadlock "7 5 150"
# a kill in a launch or between two: what was whole
killed() { # COMMAND...; bash says nothing about it
  ("$@"; exit $?) >out 2>/dev/null
  is $? 137 "status of a killed run"
}
killed "$MPU" run -q --near=c --retire killed "$cu" -- 8 0 20
record whole --near=c "$cu" -- 0 0 20
"$MPU" retire killed.part >out 2>err
is $? 1 "status with a file that was not completed"
[[ ! -e killed ]] || fail "what was not completed has the name"
is "$(cat err)" "mpu: 'killed.part' has nothing after cycle $(lines --launch 1 whole | sort -n -k 2 | awk 'END { print $2 }') of launch 1: the run was killed, or the file was truncated" "what is said"
cmp out <(show --launch 1 whole) || fail "a killed run: other lines"
rm -f killed.part
"$MPU" run -q --near=c --retire killed kernels/axpy -- --n 4194304 >out 2>&1 &
pid=$!
wait_for longer_than 100000 killed.part || fail "no trace of a run that is to be killed"
kill -KILL $pid
wait $pid 2>/dev/null
"$MPU" retire --cycles :4096 killed.part >out 2>err
is "$? $(grep -c "^mpu: 'killed.part' has nothing after cycle" err)" "1 1" "killed in a launch"
(($(grep -c axpy.cu out) > 5000)) || fail "killed in a launch: nothing is left"
# SIGINT ends the launch: the file is complete
"$MPU" run -q --near=c --retire stopped "$cu" -- 3 0 1 >out 2>&1 &
pid=$!
wait_for longer_than 10000 stopped.part || fail "no trace of a run that is to be stopped"
kill -INT $pid
wait $pid
is $? 130 "status of an interrupted run"
has '^launch 2 was ended in cycle' stopped || fail "an interrupted run"

# ---- a file cut anywhere: lines of the whole one, up to somewhere
record whole --near=c "$cu" -- 0 0 20
show whole >all
size=$(stat -c %s whole)
before=0
for at in 0 5 20 32 100 $((size / 3)) $((size / 2)) $((size - 100)) $((size - 1)); do
  head -c $at whole >cut
  "$MPU" retire cut >out 2>err
  is "$? $(wc -l <err)" "1 1" "cut at $at"
  n=$(wc -l <out)
  cmp out <(head -n "$n" all) || fail "cut at $at: other lines"
  ((n >= before)) || fail "cut at $at: fewer lines"
  before=$n
done
((before > 100)) || fail "nothing of a cut file"
"$MPU" retire --count cut >out 2>err
is "$? $(cat out)" "1 $(show --count whole)" "--count of a cut file"
"$MPU" retire --summary cut >out 2>err
is "$? $(cmp out <(show --summary whole))" "1 " "--summary of a cut file"

# ---- no room: run and report stand, and the file is good as far as it goes, under another name
record axpy --near=c kernels/axpy
"$MPU" run --near=c kernels/axpy | grep -v '^host' >want
for blocks in 1 60 200; do
  (
    trap '' XFSZ
    ulimit -f $blocks
    exec "$MPU" run --near=c --retire full kernels/axpy >got 2>err
  )
  is "$? $(wc -l <err)" "2 1" "no room for more than $blocks: status"
  [[ ! -e full ]] || fail "no room: what is not whole has the name"
  cmp want <(grep -v '^host' got) || fail "no room: another report"
  cycle=$(sed -nE "s/^mpu: cannot write 'full': File too large; 'full.part' ends in launch 1, with what ended before cycle ([0-9]+)$/\1/p" err)
  is $((cycle % 4096)) 0 "no room: what is said"
  "$MPU" retire full.part >out 2>err
  is $? 1 "no room: status of reading"
  cmp <(lines axpy | awk -v n="$cycle" '$2 < n') <(grep -vE '^launch|^    issue' out) || fail "no room for more than $blocks: other lines"
  [[ $blocks == 1 ]] || ((cycle > 0)) || fail "no room for more than $blocks: nothing"
done

# ---- with a checkpoint: what was executed
record whole --near=c "$checkpoint"
DO=kill AT=4 killed "$MPU" run -q --near=c --retire resumed --checkpoint cp "$checkpoint"
"$MPU" resume cp >out 2>&1 || fail "mpu resume"
show resumed >out
is "$(grep -m 1 -o '^launch [0-9]*' out)" "launch 5" "the first launch of a resumed run"
cmp out <(show whole | awk '/^launch 5:/ { go = 1 } go') || fail "a resumed run: other lines"

# ---- a program by itself
MPU_RETIRE=alone MPU_NEAR=c ./axpy.program --n 4096 >out || fail "a program by itself"
record axpy --near=c kernels/axpy -- --n 4096
[[ $(show --diff --timing alone axpy) == "the same in the same cycles: 3200 "* ]] || fail "a program by itself: another trace"

# ---- wrong use
expect "cannot write '/nowhere/x': No such file" "$MPU" run --near=c --retire /nowhere/x kernels/axpy
expect "cannot write '/nowhere/x': No such file" env MPU_NEAR=c MPU_RETIRE=/nowhere/x ./axpy.program
echo no program >broken.cu # is not compiled
expect "cannot write '/nowhere/x': No such file" "$MPU" run --near=c --retire /nowhere/x broken.cu
expect "--retire needs a file" "$MPU" run kernels/axpy --retire
expect "which file?" "$MPU" retire
expect "unknown option '--frob'" "$MPU" retire --frob whole
expect "--near takes no value, not 'c'" "$MPU" retire --near=c whole
expect "one file at a time; 'one' is a second" "$MPU" retire whole one
expect "'many' is a third" "$MPU" retire --diff whole one many
expect "--diff takes two files" "$MPU" retire --diff whole
for o in "--core 1" --near --count --summary --limit=4 "--line 3"; do
  expect "only --timing goes with it" "$MPU" retire --diff $o whole one
done
expect "--timing goes with --diff" "$MPU" retire --timing whole
expect "--count or --summary" "$MPU" retire --count --summary whole
expect "--near and --far together select nothing" "$MPU" retire --near --far whole
for o in "--core 128" "--core -1" "--core x" "--core ''" "--warp 32" "--limit 0" "--launch 0" "--block 4294967296" "--core"; do
  expect "${o% *} takes a number from" "$MPU" retire whole $o
done
expect "--pc takes a number (hexadecimal) from 0, not '0y'" "$MPU" retire --pc 0y whole
for v in x axpy.cu axpy.cu: :3 0 axpy.cu:-1; do
  expect "--line takes a line, like 9 or axpy.cu:9, not '$v'" "$MPU" retire --line $v whole
done
for v in x 3 : 5:4 5:5 3:x x:3 -1:3; do
  expect "--cycles takes cycles A:B, from A on and before B (or A: or :B), not '$v'" "$MPU" retire --cycles $v whole
done
expect "cannot read 'none': No such file" "$MPU" retire none
expect "cannot read '.': Is a directory" "$MPU" retire .
expect "'cp' is not an instruction trace" "$MPU" retire cp
expect "cannot read 'none'" "$MPU" retire --diff whole none
expect "cannot read 'none'" "$MPU" retire --diff none whole
{ head -c $((size / 2)) whole; printf x; tail -c +$((size / 2 + 2)) whole; } >bad
"$MPU" retire bad >out 2>err
is "$? $(grep -cE "^mpu: 'bad' is damaged after byte [1-9][0-9]*$" err)" "2 1" "a damaged file"
cmp out <(head -n "$(wc -l <out)" all) || fail "a damaged file: other lines"
expect "'bad' is damaged after byte" "$MPU" retire --count bad
expect "'bad' is damaged after byte" "$MPU" retire --summary bad
expect "'bad' is damaged after byte" "$MPU" retire --diff bad bad
"$MPU" retire whole >/dev/full 2>err
is "$? $(cat err)" "2 mpu: cannot write to standard output: No space left on device" "no room for the output"
exit $failed
