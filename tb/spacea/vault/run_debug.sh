#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu spacea debug: stops where it is told and changes nothing; what it shows in each cycle is what the profile counts; the same
# with threads and in lockstep. Where commands come from, quit, wrong ones, a run that fails.
set -uo pipefail
root=$PWD
. tb/cli/expect.sh
cd "$work" || exit 1
small="--config spacea-small --set spacea.turn=6" # slow enough that all find room to ask
debug() { "$MPU" spacea debug $small "$@" >out 2>err </dev/null; } # OPTIONS...
said() { grep -qE "$1" out || { fail "nobody says '$1':"; head -n 20 out err; }; }
plain() { jq -S 'del(.build, .made)' "$1"; }
{
  printf '%%%%MatrixMarket matrix coordinate real general\n200 200 1400\n'
  for c in {0..1399}; do echo "$((c * 7 % 200 + 1)) $((c * 11 % 199 + 1)) $c"; done
} >some.mtx
"$MPU" spacea run $small --stats plain.json --out plain.mtx --profile p.json some.mtx >run.out 2>err || fail "plain: $(<err)"
cycles=$(jq .cycles plain.json)

# ---- each cycle: PEs are in the classes that the profile has counted, and there is nothing to wait for between
for ((k = 0; k < cycles; k++)); do printf 'pes\nstep\n'; done >steps
for o in "" "--threads 3" "--near lockstep"; do
  debug $o -x steps --stats s.json --out y.mtx some.mtx || fail "each cycle, $o: $(<err)"
  diff <(plain plain.json) <(plain s.json) >/dev/null && cmp -s plain.mtx y.mtx || fail "the debugger changes the run ($o)"
  [[ $(grep -c '^before cycle ' out) -ge $((cycles - 1)) ]] && said '^before cycle 100$' || fail "it does not stop in each cycle ($o)"
  diff <(tail -n $(($(wc -l <run.out) - 1)) run.out) <(tail -n $(($(wc -l <run.out) - 1)) out) || fail "another end of the run ($o)"
  # full is a matter of the profile alone, which sees what was before: those cycles have other classes here
  awk '/^vault/ { v = substr($2, 1, length($2) - 1); for (k = 3; k < NF; k += 2) n[v "." $k " " $(k + 1)]++ } END { for (k in n) print k, n[k] }' out |
    grep -v ' done ' | sort >seen
  jq -r '.pes[] | "\(.vault).\(.layer).\(.pe)" as $w | .waits | to_entries[] | select(.key != "done" and .value > 0) | "\($w) \(.key) \(.value)"' p.json |
    sort >counted
  [[ $(jq .waits.full p.json) == 0 ]] || fail "elements of this matrix have found no room to ask; the checks below need one in which none has"
  diff seen counted >diff || { fail "the profile has counted something else ($o)"; head -n 5 diff; }
done

# ---- stops, what is shown there
cat >commands <<'C'
# where it is

until 150
show 1.2.0
until 3.1.0 lines
pes
step 7
show 2
u 2.2.0 done
line 3
column 13
C
debug -x commands some.mtx || fail "commands: $(<err)"
said '^before cycle 150$'
[[ $(grep -c '^(spacea) ' out) == 9 ]] || fail "commands of a file are not said, or comments are"
grep -A 1 '^(spacea) pes' out >/dev/null && [[ $(awk '/^\(spacea\) pes/ { on = 1 } on && /^vault 3:/ { print; exit }' out) == *" 1.0 lines"* ]] || fail "not where the PE waits for lines"
said '^vault 1, layer 2$'
said '^vault 2, cycle [0-9]+$'
[[ $(awk '/^before/ { n = $3; if (last == "step") print n - at; at = n } { last = $2 }' out) == 7 ]] || fail "step 7 is not 7 cycles"
said '^line 3 of vault 0$'
[[ $(grep -c '^line 3 of vault 0$' out) == 2 ]] || fail "column 13 is not in line 3"
said '^vault 0 has it$'
debug --near rtl -x commands some.mtx
[[ $? == 2 ]] && grep -q "commands:5: 'until 3.1.0 lines': this PE is inside the Verilog" err || fail "a class of a PE in Verilog: $(<err)"
said 'its state is inside the Verilog'

# ---- a place of the queue: the row and the elements are those of the matrix
printf '%%%%MatrixMarket matrix coordinate real general\n5 40 9\n3 40 1\n' >row.mtx
for c in {1..8}; do echo "3 $((3 * c)) $c" >>row.mtx; done
printf 'until 60\nshow\n' >one
debug -x one --map naive row.mtx || fail "one row: $(<err)"
for v in {0..3}; do printf 'show %s\n' "$v"; done >all
{ echo 'until 60'; cat all; } >one
debug -x one row.mtx || fail "one row: $(<err)"
[[ $(grep -cE '^ +0> +2  [^-]{9}-{12}  ' out) == 1 ]] || { fail "not one queue with 9 elements of row 3"; cat out; }

# ---- commands of a pipe; their end; quit; wrong ones
printf 'until 50\nshow 0.1.0\n' | "$MPU" spacea debug $small --stats s.json some.mtx >out 2>err || fail "a pipe: $(<err)"
[[ $(jq .cycles s.json) == "$cycles" ]] && said '^check  *right' || fail "the end of commands is not the end of the run"
rm -f s.json
for at in "" "until 40"; do
  printf '%s\nquit\n' "$at" | "$MPU" spacea debug $small --stats s.json some.mtx >out 2>err
  [[ $? == 130 && ! -s err && ! -e s.json ]] || fail "quit ($at): $(<err)"
done
wrong() { # TEXT COMMAND...
  printf '%s\n' until\ 9 "${@:2}" >bad
  debug -x bad some.mtx
  [[ $? == 2 && $(<err) == *"bad:$#: "*"$1"* ]] || fail "${*:2}: not 2, or no '$1': $(<err)"
}
wrong "no such command" frobnicate
wrong "this cycle is over" "until 9"
wrong "until takes a cycle" until
wrong "until takes a class" "until 0.1.0 full"
wrong "until takes a cycle" "until 0.1 rows"
wrong "show takes VAULT" "show 4"
wrong "show takes VAULT" "show 0.3"
wrong "show takes VAULT" "show 0.0"
wrong "show takes VAULT" "show 0.1.2"
wrong "step takes a number" "step 0"
wrong "line takes the number" "line x"
wrong "no such command" help frobnicate
debug -x nothing some.mtx
[[ $? == 2 ]] && grep -q "cannot read 'nothing'" err || fail "no file: $(<err)"
debug --near none some.mtx
[[ $? == 2 ]] && grep -q "no time" err || fail "the functional machine: $(<err)"
"$MPU" spacea run $small -x one some.mtx >out 2>err
[[ $? == 2 ]] && grep -q "mpu spacea debug" err || fail "-x of a run: $(<err)"

# ---- a run that fails: once more a prompt, and no files, as they were not asked for
gcc -std=gnu17 -shared -fPIC -o fault.so -I"$root" -I"$root"/csim/{base,dram,spacea} "$root/tb/spacea/vault/fault.c" -ldl || fail "the fault cannot be compiled"
printf 'continue\nshow 0.1.1\nstep\n' >late
FAULT_EDGE=100 LD_PRELOAD=$work/fault.so debug --near lockstep -x late some.mtx
[[ $? == 3 ]] || fail "not 3 for a run that fails"
said '^vault 0, layer 1: its models differ'
[[ ! -e mismatch.fst && ! -e mismatch.txt ]] || fail "files that nobody wants"
exit $failed
