#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a run of SpaceA leaves that went wrong: with a fault in the Verilog of one bank group (fault.c), the state of its vault as
# text, and the waves of the cycles before, which are those that the command that is told writes. Also late, with several
# multiplications, threads and a timeline, and for a rule of the DRAM. Nothing where nothing is wrong or wanted.
set -uo pipefail
root=$PWD
. tb/cli/expect.sh
unset MPU_POSTMORTEM
gcc -std=gnu17 -Wall -Wextra -shared -fPIC -o "$work/fault.so" -I"$root" -I"$root"/csim/{base,dram,spacea} tb/spacea/vault/fault.c -ldl ||
  fail "the fault cannot be compiled"
cd "$work" || exit 1
small="--config spacea-small"
wrong() { # KIND GROUP EDGE OPTIONS...
  FAULT=$1 FAULT_GROUP=$2 FAULT_EDGE=$3 LD_PRELOAD=$work/fault.so "$MPU" spacea run $small "${@:4}" >out 2>err
}
said() { grep -qE "$1" err || { fail "nobody says '$1':"; head -n 15 err; }; }
"$MPU" matrix gen --values ones lhr71 big.mtx >out 2>err || fail "mpu matrix gen: $(<err)"
awk 'NR == 1 { print; next } !n && !/^%/ { n = 1; next } $1 <= 1200 && $2 <= 1200' big.mtx >body
{ head -n 1 body; echo "1200 1200 $(($(wc -l <body) - 1))"; tail -n +2 body; } >part.mtx

# The waves are those of the command that does it again, up to the cycle in which it went wrong.
again() { # FILE
  local options
  options=$(sed -n 's/^mpu: to repeat it with waves: mpu spacea run --config spacea-small //p' err)
  [[ $options ]] || { fail "nobody says how to repeat it"; return; }
  read -ra options <<<"$options"
  FAULT=$kind FAULT_GROUP=$group FAULT_EDGE=$edge LD_PRELOAD=$work/fault.so "$MPU" spacea run $small "${options[@]}" >out 2>err2
  fst2vcd -f "$1" -o one.vcd && fst2vcd -f again.fst -o two.vcd && cmp one.vcd two.vcd || fail "$1 has other waves than those of: ${options[*]}"
  [[ $(grep -c '^mpu: waves' err2) == 1 ]] || fail "waves twice"
}

# ---- models differ, in layer 2 of vault 2: 3000 edges are as many cycles, as it has not stood still
kind=differ group=5 edge=3000
wrong $kind $group $edge --near lockstep part.mtx
[[ $? == 3 ]] || fail "not 3 when models differ"
said '^mpu: part.mtx: vault 2, cycle 2999: edge 3000: bgroup and its Verilog differ$'
said '^mpu: waves of vault 2, cycles 1999 to 2999: mismatch.fst, .* mpu waves mismatch.fst$'
said '^mpu: the state of vault 2: mismatch.txt$'
again mismatch.fst
grep -q '^vault 2, cycle 2999$' mismatch.txt || fail "mismatch.txt: another vault or cycle"
[[ $(grep -c 'its models differ' mismatch.txt) == 1 ]] && grep -q '^vault 2, layer 2: its models differ' mismatch.txt || fail "mismatch.txt: not layer 2"
head -n 3 mismatch.txt | grep -q 'port cmd ' || fail "mismatch.txt does not begin with what went wrong"
for what in '  PE [01]: ' '  lines: [0-9]+; by sets:' '  lines under way: ' '  bank [01]: row [0-9]+ is open' 'its controller has [0-9]+ lines' \
  '      [0-7]>? +[0-9]+  [-.?!#]{21}  ' '  vectors: [0-9]+ reads under way'; do
  grep -qE "$what" mismatch.txt || fail "mismatch.txt has no line like '$what'"
done

# ---- late, from a snapshot that was taken on the way; with threads and a timeline, which is whole
kind=differ group=3 edge=70000
wrong $kind $group $edge --near lockstep --iterate 12 --threads 2 --timeline t.json --timeline-window 0: --postmortem late.fst part.mtx
[[ $? == 3 ]] || fail "not 3 when models differ late"
said '^mpu: waves of vault 1, cycles [67][0-9]{4} to [67][0-9]{4}: late.fst'
jq -e '.traceEvents | length > 100' t.json >/dev/null || fail "the timeline of a run that went wrong is not whole"
[[ -s late.txt ]] || fail "no late.txt"
again late.fst

# ---- a rule of the DRAM, with Verilog alone, whose state cannot be seen; also in some vaults only
kind=rule group=0 edge=400
wrong $kind $group $edge --near rtl part.mtx
[[ $? == 3 ]] || fail "not 3 for a rule of the DRAM"
said '^mpu: waves of vault 0, cycles 0 to 400: violation.fst'
grep -q 'its state is inside the Verilog' violation.txt && grep -q 'that is open' violation.txt || fail "violation.txt: $(head -n 3 violation.txt)"
again violation.fst
kind=rule group=0 edge=500
wrong $kind $group $edge --rtl-node 3 part.mtx # its first group is the first one in Verilog
said '^mpu: waves of vault 3, cycles 0 to 500: violation.fst'
[[ $(grep -c '^  lines: ' violation.txt) == 0 ]] || fail "the state of Verilog is shown"

# ---- a line of vault 1 is lost: its layer 1 looks for it forever, refreshes, and is found to be stalled
kind=lost group=2 edge=20
wrong $kind $group $edge --near rtl --set core.stall_limit=10000 part.mtx
[[ $? == 3 ]] || fail "not 3 when a bank group is stalled"
said '^mpu: part.mtx: vault 1, cycle [0-9]+: it waits for something that does not come$'
said '^mpu: waves of vault 1, cycles [0-9]+ to [0-9]+: deadlock.fst'
grep -q '^vault 1, cycle [0-9]+' -E deadlock.txt || fail "deadlock.txt: $(head -n 3 deadlock.txt)"

# ---- nothing: none, no fault, C
rm -f ./*.fst ./*.txt
wrong rule 0 400 --near rtl --postmortem none part.mtx
MPU_POSTMORTEM=none wrong rule 0 400 --near rtl part.mtx
wrong rule 0 1000000 --near lockstep part.mtx || fail "a fault that does not come: $(<err)"
wrong rule 0 400 --postmortem c.fst part.mtx || fail "C has no fault: $(<err)"
[[ ! $(ls ./*.fst ./*.txt 2>/dev/null) ]] || fail "files that nobody wants: $(ls ./*.fst ./*.txt)"
wrong rule 0 400 --near rtl --wave w.fst part.mtx
said '^mpu: the state of vault 0: violation.txt$'
[[ -s w.fst && ! -e violation.fst ]] || fail "waves that are written anyway are written twice"
wrong rule 0 400 --near rtl --postmortem no/w.fst part.mtx
[[ $? == 2 ]] && grep -q 'no/w.fst' err || fail "a file that cannot be written: $(<err)"
exit $failed
