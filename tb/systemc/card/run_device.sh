#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --device card: programs behave as without it, to the last counter, whatever the near side is, with faults, and with
# what looks on; only what passes between program and card is added. Wrong use.
set -u
. tb/cli/expect.sh
export MPU_CACHE=$work/cache MPU_POSTMORTEM=none
unset MPU_NEAR
kernels=$PWD/kernels
here='del(.host_seconds, .cpu_seconds, .host_memory, .core_cycles_per_second, .card, .copies, .stream_time)'

# same NAME OPTIONS...: direct and over the card; the statistics of the latter are in $work/card.json
same() {
  local name=$1 how got=()
  shift
  for how in direct card; do
    "$MPU" run -q --device $how --stats "$work/$how.json" "$@" >"$work/$how.out" 2>"$work/$how.err" </dev/null
    got+=($?)
  done
  [[ ${got[0]} == "${got[1]}" ]] || fail "$name: status ${got[1]} with the card, ${got[0]} without: $(head -n 3 "$work/card.err")"
  cmp -s "$work/direct.out" "$work/card.out" || fail "$name: other output with the card: $(diff "$work/direct.out" "$work/card.out" | head -n 5)"
  # the program is told of a fault by the call that waits for a card
  [[ ! ${later:-} ]] || sed -i 's/cuda[A-Za-z]*():/CALL:/' "$work/direct.err" "$work/card.err"
  cmp -s "$work/direct.err" "$work/card.err" || fail "$name: other messages with the card: $(diff "$work/direct.err" "$work/card.err" | head -n 5)"
  [[ ! ${placed:-} ]] || return # where its memory is differs, and so its cycles
  diff <(jq -S "$here" "$work/direct.json") <(jq -S "$here" "$work/card.json") >"$work/diff" ||
    fail "$name: other statistics with the card: $(head -n 5 "$work/diff")"
  [[ $(jq '.card.commands > 3 and .card.ps > 0 and .card.doorbells > 3' "$work/card.json") == true ]] ||
    fail "$name: the card counts nothing: $(jq -c .card "$work/card.json")"
  [[ $(jq .card "$work/direct.json") == null ]] || fail "$name: there is a card without a card"
}

# ---- the twelve
while read -r name arguments; do
  # shellcheck disable=SC2086 # words
  same "$name" --near=c "$kernels/$name" -- $arguments
done <<'PROGRAMS'
axpy --n 20000
blur --width 64 --height 48
conv --width 64 --height 48
gemv --rows 64 --cols 96
hist --n 8192
kmeans --n 512
knn --n 8192
maxp --width 64 --height 64
nw --n 2 --length 64
pr --n 8192
ttrans
upsamp
PROGRAMS
same "axpy in lockstep" --near=lockstep "$kernels/axpy" -- --n 2000
[[ $(jq .agree "$work/card.json") == true ]] || fail "lockstep over the card compares nothing"
same "hist in Verilog" --near=rtl "$kernels/hist" -- --n 2048
same "hist on 16 cores" --near=c --config paper --set machine.processors=1 --threads 2 "$kernels/hist" -- --n 65536

# ---- the link: of the card's time, not of a kernel's
cycles=$(jq .cycles "$work/card.json") ps=$(jq .card.ps "$work/card.json")
same "a slow link" --near=c --config paper --set machine.processors=1 --set link.latency=50000 --set link.down=100 "$kernels/hist" -- --n 65536
[[ $(jq .cycles "$work/card.json") == "$cycles" ]] || fail "a slower link changes the cycles of a kernel"
(($(jq .card.ps "$work/card.json") > 2 * ps)) || fail "a slower link takes no longer"
(($(jq .card.bytes_down "$work/card.json") > 65536)) || fail "bytes down: $(jq -c .card "$work/card.json")"

# ---- what programs do beside kernels: variables, constants, printf, shared memory of host and device, faults, a reset
# after the fault its programs are loaded again
placed=otherwise same "all of it" --near=c "$PWD/tb/systemc/card/all.cu"
grep -q '^managed 63$' "$work/card.out" && grep -q '^still 7' "$work/card.out" || fail "this program does not do what it is for: $(<"$work/card.out")"
same "calls behind a launch" --near=c "$PWD/tb/systemc/card/pending.cu"
grep -q '^mapped .* 2$' "$work/card.out" && grep -q '^reset 0 sync 0 malloc 0$' "$work/card.out" || fail "behind a launch: $(<"$work/card.out")"
later=told same "a limit" --near=c --max-cycles 100 "$kernels/axpy"

# ---- observers write the same files; the time of streams, which the card does not keep, is not drawn
tracks=launches,blocks,instructions,offload,requests,remote,bus,packets,completions,shared,commands,rows,counters
for look in retire timeline interval wave; do
  [[ $look == timeline ]] && only=(--timeline-tracks $tracks) || only=()
  for how in direct card; do
    "$MPU" run -q --near=c --device $how --$look "$work/$how.$look" "${only[@]}" "$kernels/axpy" -- --n 2000 >"$work/out" 2>&1 ||
      fail "--$look with $how: $(<"$work/out")"
  done
  [[ -s $work/card.$look ]] || fail "--$look: nothing is written"
  [[ $look == wave ]] || cmp -s "$work/direct.$look" "$work/card.$look" || fail "--$look: another file with the card"
done

# ---- a checkpoint goes on, with the card
"$MPU" run -q --near=c --device card --checkpoint "$work/cp" --stats "$work/direct.json" "$kernels/kmeans" -- --n 512 >"$work/direct.out" 2>&1 ||
  fail "--checkpoint with the card: $(<"$work/direct.out")"
"$MPU" resume "$work/cp" >"$work/card.out" 2>"$work/err" || fail "mpu resume: $(<"$work/err")"
cmp -s "$work/direct.out" "$work/card.out" || fail "a resumed run prints something else"

# ---- wrong use
expect "--device takes direct or card, not 'bus'" "$MPU" run --device bus "$kernels/axpy"
expect "--device card is for the cycle-by-cycle machine" "$MPU" run --device card --near=none "$kernels/axpy"
exit $failed
