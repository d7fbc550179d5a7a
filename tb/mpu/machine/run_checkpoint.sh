#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checkpoints: runs that are killed anywhere and go on end as runs that nothing ended; what cannot go on says why. With MPU_LONG
# on more machines, and files are cut at and beside every record.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPU_CACHE=$work/cache
failed=0
fail() {
  echo "FAILED: $*"
  head -n 5 "$work/err"
  failed=1
}
cu=$PWD/tb/mpu/machine/checkpoint.cu kernels=$PWD/kernels

# Output and statistics without what depends on the host.
steady() {
  grep -vE '^host (time|memory) ' "$1.out"
  sed -E 's/"(host_seconds|cpu_seconds|host_memory|core_cycles_per_second)": [^,]*, //g' "$1.json"
}
# same NAME: the run `again` ended as the run `whole`
same() {
  diff <(steady "$work/whole") <(steady "$work/again") >"$work/diff" && return
  fail "$1: it ends otherwise than the whole run"
  head -n 5 "$work/diff"
}
# run OPTIONS...: the program, with all output to `again`; its status
run() {
  (cd "$work" && exec "$MPU" run --stats again.json "$@" >again.out 2>err)
}
resume() {
  rm -f "$work/again.json"
  (cd / && exec "$MPU" resume "$@" >"$work/again.out" 2>"$work/err")
}
# One of these that is to be killed; bash says nothing about that.
killed() {
  ("$@"; exit $?) 2>/dev/null
  [[ $? == 137 ]] || fail "$*: it was not killed"
}
# goes_on NAME OPTIONS...: a resumed run
goes_on() {
  local name=$1 status
  shift
  resume "$@"
  status=$?
  [[ $status == "${expected:-0}" ]] || fail "$name: mpu resume $* ends with $status"
  same "$name"
}
# refuses STATUS TEXT COMMAND...: it ends like that, and a line on stderr has the text
refuses() {
  local wanted=$1 text=$2 status
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  status=$?
  [[ $status == "$wanted" ]] || fail "$*: status $status, not $wanted"
  grep -q "^mpu: .*$text" "$work/err" || fail "$*: does not say '$text'"
}
# Where the frames of a file begin, and its end.
frames() {
  local at=0 size
  size=$(stat -c %s "$1")
  while ((at < size)); do
    echo $at
    at=$((at + 40 + $(od -An -t u8 -j $((at + 16)) -N 8 "$1")))
  done
  echo $at
}

# ---- killed in several rounds, on several machines
several() { # THREADS-LATER OPTIONS...
  local threads=$1 round
  shift
  run "$@" "$cu" || fail "$*: the whole run"
  mv "$work/again.out" "$work/whole.out"
  mv "$work/again.json" "$work/whole.json"
  rm -f "$work/cp"
  DO=kill AT=0 killed run "$@" --checkpoint "$work/cp" "$cu"
  for round in 4 5 9; do
    DO=kill AT=$round killed resume --threads "$threads" "$work/cp"
    grep -c 'of kernel' "$work/again.out" | grep -qx $round || fail "$*: no $round rounds"
  done
  goes_on "$* in pieces" "$work/cp"
  grep -q "launches 1 to 9 come from '$work/cp'" "$work/err" || fail "$*: launches 1 to 9 were executed again"
  goes_on "$* once more" "$work/cp"
  grep -q . "$work/err" && fail "$*: a launch was executed"
}
several 1 --near=c
[[ ! ${MPU_LONG:-} ]] || several 2 --near=c --config paper --threads 1
echo 3 0 64 3 127 >"$work/blocks"
[[ ! ${MPU_LONG:-} ]] || several 1 --near=c --arrays
several 2 --near=c --config paper --threads 1 --arrays
grep -q '"name": "old"' "$work/again.json" && grep -qE '^arrays +bytes' "$work/again.out" || fail "--arrays: nothing is counted by array"
several 1 --near=c --config paper --threads 2 --blocks blocks
for n in 2 1; do
  DO=tell refuses 4 'ended after 0 launches' "$MPU" resume $([[ $n == 1 ]] && echo --threads 1) "$work/cp"
  grep -qx "threads $n" "$work/err" || fail "not on $n threads"
done
echo 3 0 64 3 126 >"$work/blocks"
refuses 2 "begun with another list of cores in 'blocks'" "$MPU" resume "$work/cp"
several 2 --near=lockstep --rtl-core 3${MPU_LONG:+,64} --config paper
if [[ ${MPU_LONG:-} ]]; then
  several 1 --near=lockstep
  several 1 --near=rtl
  several 2 --near=lockstep --config paper
fi

# ---- workloads; the file of a whole run, cut where a kill could cut it
cuts=0
cut_everywhere() { # NAME OPTIONS...
  local name=$1 at before=0 size all
  shift
  run "$@" || fail "$name: the whole run"
  mv "$work/again.out" "$work/whole.out"
  mv "$work/again.json" "$work/whole.json"
  rm -f "$work/cp"
  run --checkpoint "$work/cp" "$@" || fail "$name with a checkpoint"
  same "$name with a checkpoint"
  cp "$work/cp" "$work/all"
  mapfile -t all < <(frames "$work/all")
  [[ ${all[-1]} == "$(stat -c %s "$work/all")" ]] || fail "$name: the frames are not the file"
  size=${all[1]}
  for at in "${all[@]:1}"; do
    for n in $((at - 1)) $((at - 9)) "$at" $((at + 1)) $((at + 11)) $((at + 31)) $((at + 33)) $((at + 1000)); do
      ((n >= size && n <= all[-1])) || continue
      # every third one of the eight about each record, so that each of them has its turn
      [[ ${MPU_LONG:-} || $((++cuts % 3)) == 0 ]] || continue
      head -c "$n" "$work/all" >"$work/cp"
      goes_on "$name cut at $n" "$work/cp"
      if printf '%s\n' "${all[@]}" | grep -qx "$n"; then
        grep -q 'is incomplete' "$work/err" && fail "$name cut at $n: nothing is torn"
      else
        grep -q 'is incomplete' "$work/err" || fail "$name cut at $n: nothing is said about the torn record"
      fi
      [[ $(frames "$work/cp" | wc -l) == "${#all[@]}" ]] || fail "$name cut at $n: the file is not whole afterwards"
    done
  done
}
cut_everywhere kmeans --near=c --config paper --arrays "$kernels/kmeans" -- --n 512
cut_everywhere nw --near=c "$kernels/nw" -- --n 2 --length 64
[[ ! ${MPU_LONG:-} ]] || cut_everywhere pr --near=c --config paper "$kernels/pr" -- --n 4096

# ---- in the middle of a launch
run --near=c "$cu"
mv "$work/again.out" "$work/whole.out"
mv "$work/again.json" "$work/whole.json"
rm -f "$work/cp"
DO='kill later' AT=6 killed run --near=c --checkpoint "$work/cp" "$cu"
[[ $(frames "$work/cp" | wc -l) == 8 ]] || fail "it was not killed in the launch of round 6"
DO='kill later' AT=6 killed resume "$work/cp"
[[ $(frames "$work/cp" | wc -l) == 8 ]] || fail "it was not killed in the launch of round 6 when resumed"
goes_on "killed in a launch" "$work/cp"

# ---- a program with a fault, which goes on after it
expected=3
for arrays in "" --arrays; do
  "$MPU" run --near=c $arrays --stats "$work/whole.json" "$cu" -- fault >"$work/whole.out" 2>"$work/whole.err"
  rm -f "$work/cp"
  DO=kill AT=3 killed run --near=c $arrays --checkpoint "$work/cp" "$cu" -- fault
  goes_on "fault $arrays" "$work/cp"
  diff <(grep -v 'launches 1 to' "$work/err") "$work/whole.err" || fail "fault $arrays: it is told otherwise"
done
expected=0

# ---- no room: the run goes on, and the file is whole as far as it goes
"$MPU" run --near=c --stats "$work/whole.json" "$cu" -- full >"$work/whole.out"
for blocks in 60 100; do
  rm -f "$work/cp"
  (
    trap '' XFSZ
    ulimit -f $blocks
    run --near=c --checkpoint "$work/cp" "$cu" -- full
  ) || fail "no room: the run fails"
  same "no room"
  [[ $(grep -c "cannot write '$work/cp': File too large; the checkpoint ends with launch [1-9]" "$work/err") == 1 ]] ||
    fail "no room: not said once"
  n=$(frames "$work/cp" | wc -l)
  ((n > 2 && n < 13)) || fail "no room for all, but for some: $n frames"
  goes_on "no room" "$work/cp"
  grep -q 'is incomplete' "$work/err" && fail "no room: half a record was left"
  [[ $(frames "$work/cp" | wc -l) == 13 ]] || fail "no room: the file was not completed"
done

# ---- a file that is none, or not whole in its middle
mapfile -t all < <(frames "$work/cp")
cp "$work/cp" "$work/all"
spoil() { # BYTE: changes it
  local old
  cp "$work/all" "$work/cp"
  old=$(od -An -t u1 -j "$1" -N 1 "$work/cp")
  printf "\\x$(printf %x $((old ^ 16)))" | dd of="$work/cp" bs=1 seek="$1" conv=notrunc status=none
}
at=${all[4]}
for n in 0 7; do
  spoil $n
  refuses 2 "'.*cp' is not a checkpoint" "$MPU" resume "$work/cp"
done
spoil 12
refuses 2 'of version 20.* has version 4' "$MPU" resume "$work/cp"
for n in 16 24 40 $((all[1] - 1)); do
  spoil "$n"
  refuses 2 "'.*cp' is damaged in its first bytes" "$MPU" resume "$work/cp"
done
for n in 0 12 16 17 24 32 120 $((all[5] - at - 4000)) $((all[5] - at - 1)); do
  spoil $((at + n))
  refuses 2 "'.*cp' is damaged after byte $at; truncate -s $at " "$MPU" resume "$work/cp"
done
grep -q sum "$work/out" && fail "the damaged file was used"
truncate -s "$at" "$work/cp"
goes_on "the file without its damaged part" "$work/cp"
head -c 100 "$work/all" >"$work/cp"
refuses 2 "is empty" "$MPU" resume "$work/cp"
: >"$work/cp"
refuses 2 "is empty" "$MPU" resume "$work/cp"
refuses 2 "cannot read '$work/none': No such file" "$MPU" resume "$work/none"
refuses 2 "'$cu' is not a checkpoint" "$MPU" resume "$cu"

# ---- a program that does something else
for what in grid:'launch 6 is .*<<<(25, 1, 1), (64, 1, 1), 0>>>.* was .*<<<(24, ' shared:'), 64>>>' kernel:'launch 6 is _Z6finish' \
  parameter:'launch 6, .*step.* has other parameters' data:'before launch 6, .*step' managed:'before launch 6' constant:'before launch 6' \
  allocate:'before launch 6' end:'ended after 5 launches; .* 11 at least'; do
  cp "$work/all" "$work/cp"
  DO=${what%%:*} AT=5 refuses 4 "${what#*:}" "$MPU" resume "$work/cp"
  grep -q '^after round 4' "$work/out" || fail "$what: the launches before it are not used"
  grep -q '^cycles\|^sum' "$work/out" && fail "$what: there is a report"
  cmp -s "$work/all" "$work/cp" || fail "$what: the file was changed"
done
for what in parameter data; do
  head -c "$at" "$work/all" >"$work/cp"
  DO=$what AT=1 refuses 0 '' "$MPU" resume --unchecked "$work/cp"
done
cp "$work/all" "$work/cp"
mkdir "$work/cache/away"
program=$(tr '\0' '\n' <"$work/all" 2>/dev/null | grep -a -o 'program=.*' | head -n 1)
program=${program#program=}
cp "$program" "$work/kept"
printf x >>"$program"
refuses 2 "belongs to another program: '$program'" "$MPU" resume "$work/cp"
rm "$program"
refuses 2 "cannot be resumed: its program is missing" "$MPU" resume "$work/cp"
cp "$work/kept" "$program"
goes_on "with its program again" "$work/cp"

# ---- wrong use
refuses 2 "'.*cp' exists: continue it with mpu resume" "$MPU" run --near=c --checkpoint "$work/cp" "$cu"
cmp -s "$work/all" "$work/cp" || fail "a second run changed the file"
refuses 2 "cannot write '$work/none/cp': No such file" "$MPU" run --near=c --checkpoint "$work/none/cp" "$cu"
refuses 2 'checkpoint are not for the functional machine' "$MPU" run --near=none --checkpoint "$work/new" "$cu"
# of a run that is still going: stopped when its first launch is in the file, and it has a copy for a post-mortem
setsid env -u MPU_POSTMORTEM "$MPU" run -q --near=lockstep --checkpoint "$work/going" "$cu" >"$work/going.out" 2>&1 &
going=$!
for _ in {1..600}; do
  [[ ! -s $work/going || $(frames "$work/going" | wc -l) -lt 3 || $(pgrep -c -g $going) -lt 2 ]] || break
  sleep 0.1
done
[[ $(pgrep -c -g $going) -ge 2 ]] || fail "a run in lockstep without a copy for its post-mortem"
kill -STOP -- -$going
refuses 2 'is the checkpoint of a run that is still going' "$MPU" resume "$work/going"
# its copies for a post-mortem do not hold it when it is gone
kill -KILL -- $going
wait $going 2>/dev/null
resume "$work/going" || fail "mpu resume right after the end of a run, whose copies are stopped"
kill -KILL -- -$going 2>/dev/null
refuses 2 'threads takes a number from 1 to 64' "$MPU" resume --threads 0 "$work/cp"
refuses 2 'which checkpoint' "$MPU" resume
refuses 2 'unknown option' "$MPU" resume --near=c "$work/cp"
refuses 2 'one checkpoint at a time' "$MPU" resume "$work/cp" "$work/cp"
exit $failed
