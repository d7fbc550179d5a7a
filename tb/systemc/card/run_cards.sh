#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --cards N: what a program sees of several devices, that they compute at the same time as each would alone, and what
# of it is in the statistics. Wrong use.
set -u
. tb/cli/expect.sh
export MPU_CACHE=$work/cache MPU_POSTMORTEM=none
unset MPU_NEAR
halves=$PWD/harness/systemc/examples/halves.cu

cat >"$work/want" <<'LINES'
2 devices, 0 is current
no such device 101 101
no such properties 101 101
bus 0000:00:01.0 is device 1, peer access 0 217
addresses differ 1
launch 0 0
launch 1 0
device 0 has 17, device 1 has 54
they overlap 1
of device 1, counter is 25
of device 0, counter is 15
peer 0, default 0: 54 17
wrong peer 101
set 0: 0
attribute of device 1
memory 1
more than a share 1
a kernel on memory of the other device 700
still 700
device 1 0 has 2002
reset 0, device 0 has 4
counter is 8
refused 9, free 0 0 1
LINES
for near in c lockstep; do
  "$MPU" run -q --near=$near --cards 2 --stats "$work/s.json" tb/systemc/card/devices.cu >"$work/out" 2>"$work/err"
  [[ $? == 3 ]] || fail "$near: the fault of a device is not in the status: $(<"$work/err")"
  cmp -s "$work/want" "$work/out" || fail "$near: $(diff "$work/want" "$work/out")"
  [[ $(jq -c '[.end, .launches, [.devices[].launches]]' "$work/s.json") == '["fault",9,[5,4]]' ]] ||
    fail "$near: launches: $(jq -c '[.end, .launches, [.devices[].launches]]' "$work/s.json")"
done
[[ $(jq -c '[.devices[].agree]' "$work/s.json") == '[true,true]' ]] || fail "lockstep of two cards compares nothing"

cat >"$work/want" <<'LINES'
stream 0 0 7
stream 1 0 7
stream of another device 400, event of another device 400
stream 700, event 700, elapsed 700, managed 700 700, copy 700, free 700 700
device 0 0
LINES
"$MPU" run -q --near=c --cards 2 "$PWD/tb/systemc/card/streams.cu" >"$work/out" 2>"$work/err"
cmp -s "$work/want" "$work/out" || fail "streams: $(diff "$work/want" "$work/out")"

# ---- each computes as one alone does, at the same time, whatever the number of threads
"$MPU" run -q --near=c --stats "$work/one.json" "$halves" -- 8192 >"$work/out" || fail "one device: $(<"$work/out")"
for threads in 1 2; do
  "$MPU" run -q --near=c --cards 3 --threads $threads --stats "$work/s.json" "$halves" -- 24576 >"$work/out.$threads" ||
    fail "three devices: $(<"$work/out")"
  for k in 0 1 2; do
    diff <(jq -S .core "$work/one.json") <(jq -S ".devices[$k].core" "$work/s.json") >"$work/diff" ||
      fail "device $k of 3 is not as one alone: $(head -n 5 "$work/diff")"
  done
done
cmp "$work/out.1" "$work/out.2" || fail "other times with two threads"
[[ $(grep -c 'from 0.000 us' "$work/out.1") == 3 ]] || fail "they do not begin at the same time: $(<"$work/out.1")"
(($(jq .warp_instructions "$work/s.json") == 3 * $(jq .warp_instructions "$work/one.json"))) || fail "three devices issue $(jq .warp_instructions "$work/s.json")"
"$MPU" run --near=c --cards 2 "$halves" -- 4096 >"$work/out"
[[ $(grep -cE '^device [01]  |^card  ' "$work/out") == 4 ]] || fail "the report: $(<"$work/out")"

# ---- waves of the platform: bus, registers, and of each core what it does alone
toggles() { "$MPU" activity "$1" --scope "$2" | sed -n '2s/,.*//p'; }
"$MPU" run -q --near=c --wave "$work/one.fst" "$halves" -- 8192 >"$work/out" 2>&1 || fail "waves of one device: $(<"$work/out")"
"$MPU" run -q --near=c --cards 2 --wave "$work/two.fst" --stats "$work/s.json" "$halves" -- 16384 >"$work/out" 2>&1 ||
  fail "waves of two cards: $(<"$work/out")"
for k in 0 1; do
  for scope in rtt1 nbu0 nbu3; do
    [[ $k$scope != 1nbu* ]] || continue # its rows have other numbers
    # the waves of one alone end with its launch, just before the last fall of busy
    alone=$(toggles "$work/one.fst" core0.$scope) beside=$(toggles "$work/two.fst" card$k.core0.$scope)
    [[ $alone == [1-9]*toggles && ($alone == "$beside" || "$((${alone% *} + 1)) toggles" == "$beside") ]] ||
      fail "waves of $scope of card $k: $(toggles "$work/two.fst" card$k.core0.$scope), alone $(toggles "$work/one.fst" core0.$scope)"
  done
  "$MPU" activity "$work/two.fst" --scope card$k.registers,bus.card$k --table "$work/table" >"$work/out"
  for signal in CONTEXT0_TAIL CONTEXT0_DONE CONTEXT0_STATE address; do
    grep -q "$signal" "$work/table" || fail "waves of card $k have no $signal"
  done
done
# the simulation ends with the last one
[[ $(toggles "$work/two.fst" host.interrupts) == "$((2 * $(jq '[.devices[].card.interrupts] | add' "$work/s.json") - 2)) toggles" ]] ||
  fail "interrupts: $(toggles "$work/two.fst" host.interrupts)"
[[ $(toggles "$work/two.fst" bus.host) == [1-9]*toggles ]] || fail "nothing happens on the bus"
[[ -s $work/two.gtkw && -s $work/two.fst.names ]] || fail "waves without a view"
"$MPU" run -q --near=c --cards 2 --wave "$work/bus.fst" --wave-scope bus "$halves" -- 512 >"$work/out" 2>&1 || fail "$(<"$work/out")"
[[ $("$MPU" activity "$work/bus.fst" --scope bus | head -n 1) == *" 18 signals "* ]] || fail "scope bus: $("$MPU" activity "$work/bus.fst")"

# ---- wrong use
expect "no scope of this platform matches 'card2.core0'" "$MPU" run -q --near=c --cards 2 --wave "$work/w.fst" --wave-scope bus,card2.core0 "$halves" -- 512
[[ ! -e $work/w.fst && ! -e $work/w.fst.part ]] || fail "wrong scopes leave a file behind"
expect "--postmortem observes one device" "$MPU" run -q --near=c --cards 2 --postmortem "$work/p.fst" "$halves"
expect "--cards takes 1 to 8, not '9'" "$MPU" platform --cards 9
expect "--wave-window" "$MPU" run -q --near=c --cards 2 --wave "$work/w.fst" --wave-window 1:2 "$halves" -- 512
expect "--cards takes 1 to 8" "$MPU" run --near=c --cards 9 "$halves"
expect "--cards takes a number from 1, not '0'" "$MPU" run --near=c --cards 0 "$halves"
expect "--cards needs --device card" "$MPU" run --near=c --cards 2 --device direct "$halves"
expect "--device card is for the cycle-by-cycle machine" "$MPU" run --near=none --cards 2 "$halves"
for look in retire timeline checkpoint; do
  expect "--$look observes one device" "$MPU" run --near=c --cards 2 --$look "$work/$look" "$halves"
done
exit $failed
