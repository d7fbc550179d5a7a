#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu platform --qemu: a program in a guest says PASS, and an interrupt was counted. However somebody dies in the middle, and
# whatever takes too long: the others end, nothing is left behind, and a sentence says what happened. Then mpu platform --listen,
# without a guest.
set -u
. tb/cli/expect.sh
unset MPU_NEAR
build=$(dirname "$MPU")
guest() { "$MPU" platform --qemu --time-out 300 "$@" >"$work/out" 2>"$work/err" </dev/null; }
says() { # FILE REGEX
  grep -qE -- "$2" "$work/$1" || { fail "${what:-}: $1 does not say '$2'"; cat "$work/out" "$work/err"; }
}
status() { [[ $2 == "$1" ]] || { fail "${what:-}: status $2, not $1"; cat "$work/out" "$work/err"; }; }
pid_of() { sed -n "s/^$1 *process \([0-9]*\).*/\1/p" "$work/out"; }
shared() { find /dev/shm -newer "$work/begun" -name '*nearbank*'; }
# The processes of the last start are gone, and so are sockets and memory with names.
nothing_left() {
  local who pid
  for who in card qemu; do
    pid=$(pid_of $who)
    [[ $pid ]] || continue
    WAIT=10 wait_for gone "$pid" || fail "${what:-}: $who, process $pid, is left"
  done
  [[ -z $(shared) ]] || fail "${what:-}: shared memory is left: $(shared)"
  [[ -z $(find "$work/folder" -mindepth 1) ]] || fail "${what:-}: files are left: $(ls "$work/folder")"
}
mkdir "$work/folder"
: >"$work/begun"
export TMPDIR=$work/folder

# ---- a program, to its end
what='a run'
guest --no-cuda -- 5000 3
status 0 $?
for line in '^kernel +linux-image-6' '^guest +Linux 6\..* is up' '^driver +vfio-pci is loaded, the card is the device 0000:' \
  '^  \| axpy: n 5000, 3 launches$' '^  \| axpy: PASS, [1-9][0-9]* cycles' '^in guest +the program ended with status 0' \
  '^power off' '^card +10 commands, [0-9]+ doorbells, 10 interrupts; [1-9]' '^interrupts +10 raised by the card, [1-9][0-9]* taken by the guest$' \
  '^PASS$'; do
  says out "$line"
done
# the machine's cycles are the same for program and card
cycles=$(sed -n 's/.*PASS, \([0-9]*\) cycles.*/\1/p' "$work/out")
says out "; $cycles cycles of the machine"
nothing_left

# ---- a CUDA program of this tree, with the cycles that it takes without guest and card
what='a CUDA program'
guest kernels/hist -- --n 4096
status 0 $?
"$MPU" run -q --near=c --stats "$work/direct.json" kernels/hist -- --n 4096 >"$work/direct"
says out "^  \| $(<"$work/direct")$"
says out "; $(jq .cycles "$work/direct.json") cycles of the machine$"
says out '^interrupts +[1-9][0-9]* raised by the card, [1-9][0-9]* taken by the guest$'
says out '^PASS$'
nothing_left

# ---- somebody is killed while the guest computes
begin_long() {
  rm -f "$work/out"
  "$MPU" platform --qemu --no-cuda --time-out 60 -- 5000 4000000000 >"$work/out" 2>"$work/err" </dev/null &
  main=$!
  wait_for grep -q launches "$work/out" || fail "$what: the program does not begin"
}
what='QEMU killed'
begin_long
kill -KILL "$(pid_of qemu)"
wait "$main"
status 1 $?
says err 'QEMU was killed by signal 9 before the guest had powered off'
says err 'the card: the guest is gone, and 1 context of the card was on'
nothing_left

what='the card killed'
begin_long
kill -KILL "$(pid_of card)"
wait "$main"
status 1 $?
says err 'the card was killed by signal 9; QEMU was stopped'
nothing_left

what='mpu killed'
begin_long
kill -KILL "$main"
wait "$main" 2>/dev/null
nothing_left

what='mpu interrupted'
begin_long
kill -TERM "$main"
wait "$main"
status 130 $?
says err 'in guest: interrupted'
nothing_left

# ---- steps that take too long, or fail
what='a time-out'
guest --no-cuda --time-out 1
status 1 $?
says err '^mpu: guest: not done after 1 s \(--time-out\); everything was stopped'
nothing_left

what='a program that fails'
guest "$(type -P false)"
status 1 $?
says out '^in guest +the program ended with status 1'
says err 'the program in the guest ended with status 1'
guest "$(type -P true)"
status 1 $?
says err 'did not say PASS'
guest "$(type -P echo)" -- "it's PASS"
status 1 $?
says out "it's PASS"
says err 'the guest took no interrupt'
nothing_left

# ---- packages that are missing
what='no QEMU'
mkdir "$work/bin"
for tool in bash busybox; do ln -s "$(type -P $tool)" "$work/bin"; done
expect 'qemu-system-x86_64 is missing (Debian: qemu-system-x86)' env PATH="$work/bin" "$MPU" platform --qemu
rm "$work/bin/busybox"
ln -s "$(type -P qemu-system-x86_64)" "$work/bin"
expect 'busybox is missing (Debian: busybox-static)' env PATH="$work/bin" "$MPU" platform --qemu
for tool in mkdir find sort tail; do ln -s "$(type -P $tool)" "$work/bin"; done
expect 'MPU_NO_INSTALL says not to download it' env MPU_NO_INSTALL=1 PATH="$work/bin" bash harness/systemc/guest/kernel.sh "$work/none"
expect 'the kernel of Debian'\''s package linux-image-cloud-amd64, and apt-get cannot be found' env PATH="$work/bin" bash harness/systemc/guest/kernel.sh "$work/none"

# ---- wrong use
expect 'takes no program' "$MPU" platform --listen x kernels/axpy
expect 'one program at a time' "$MPU" platform --qemu a b
expect 'takes no program' "$MPU" platform --qemu --no-cuda kernels/axpy
expect 'are for --qemu' "$MPU" platform --no-cuda
expect '--cards and --wave are for' "$MPU" platform --qemu --cards 2
expect 'not both' "$MPU" platform --qemu --listen x
expect '--time-out takes a number from 1' "$MPU" platform --qemu --time-out 0
[[ $("$MPU" needs platform --qemu) == guest ]] || fail "needs: guest"
[[ $("$MPU" needs platform --qemu --near=rtl | xargs) == "nearrtl guest" ]] || fail "needs: nearrtl"

# ---- the card alone, and programs of this machine
what='a card that listens'
object=$work/axpy.o
"$MPU" cc harness/systemc/guest/axpy.ptx -o "$object" || fail "mpu cc axpy.ptx"
"$MPU" platform --listen "$work/folder/card" >"$work/out" 2>"$work/err" &
card=$!
wait_for test -S "$work/folder/card" || fail "$what: the socket is missing"
for n in 1 2; do
  "$build/axpy_guest" "$object" 3000 2 "$work/folder/card" | grep -q PASS || fail "$what: client $n"
done
two_clients() { (($(grep -c '^a client: 9 commands, .* 9 interrupts; [1-9]' "$work/out") == 2)); }
WAIT=10 wait_for two_clients || fail "$what: $(<"$work/out")"
# of CUDA: what programs do beside kernels; the cycles and the memory of a run without the card
cuda() { MPU_DEVICE=ivshmem:$work/folder/card "$@" 2>"$work/err"; }
"$MPU" cc tb/systemc/card/all.cu -o "$work/all" && "$MPU" cc kernels/plain/kmeans/kmeans.cu -o "$work/kmeans" || fail "mpu cc"
"$work/all" 2>/dev/null | grep -v '^memory' >"$work/direct"
cuda "$work/all" | grep -v '^memory' >"$work/first"
cmp -s "$work/direct" "$work/first" || fail "CUDA on the card alone: $(diff "$work/direct" "$work/first")"
cuda env MPU_STATS="$work/card.json" "$work/kmeans" --n 512 >"$work/first" || fail "kmeans: $(<"$work/err")"
"$MPU" run -q --near=c --stats "$work/direct.json" kernels/kmeans -- --n 512 >"$work/direct"
cmp -s "$work/direct" "$work/first" || fail "kmeans on the card alone: $(<"$work/first")"
[[ $(jq -c '[.result, .launches, .cycles, .warp_instructions, .memory_digest]' "$work/card.json") == "$(jq -c '[.result, .launches, .cycles, .warp_instructions, .memory_digest]' "$work/direct.json")" ]] ||
  fail "kmeans on the card alone: $(<"$work/card.json")"
(($(jq .interrupts "$work/card.json") > 5)) || fail "no interrupts: $(<"$work/card.json")"
expect 'cannot be observed from here' env MPU_DEVICE="ivshmem:$work/folder/card" MPU_RETIRE="$work/r" "$work/kmeans"
expect 'no card at' env MPU_DEVICE="ivshmem:$work/none" "$work/kmeans"
expect 'MPU_DEVICE takes direct, card, vfio or ivshmem:SOCKET' env MPU_DEVICE=bus "$work/kmeans"
"$build/axpy_guest" "$object" 3000 4000000000 "$work/folder/card" >"$work/first" &
first=$!
WAIT=10 wait_for grep -q launches "$work/first"
"$build/axpy_guest" "$object" 3000 1 "$work/folder/card" 2>"$work/second" && fail "$what: two clients at a time"
grep -q 'serves somebody else' "$work/second" || fail "$what: $(<"$work/second")"
kill -KILL $first
{ wait $first; } 2>/dev/null
WAIT=10 wait_for grep -q 'went away with 1 context on' "$work/out" || fail "$what: a client that was killed"
rm "$work/first"
"$build/axpy_guest" "$object" 3000 4000000000 "$work/folder/card" >"$work/first" 2>"$work/second" &
first=$!
WAIT=10 wait_for grep -q launches "$work/first"
kill -TERM $card
wait $first && fail "$what: the program does not see that the card is gone"
grep -qE 'the card (does nothing any more|is gone)' "$work/second" || fail "$what: $(<"$work/second")"
nothing_left
exit $failed
