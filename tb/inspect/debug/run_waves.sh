#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Waves of a session: from the cycle in which they are asked for on, until they are no more, in one file; they change nothing.
set -uo pipefail
. tb/inspect/debug/session.sh
plain() { "$MPU" run -q --near=$1 --stats "$work/plain" "$work/turn.cu" >/dev/null || fail "--near=$1"; }

for near in c lockstep; do
  plain $near
  rm -f "$work/waves.fst"
  session turn --near=$near --stats "$work/stats" < <(printf '%s\n' "step 120" "wave on $work/waves.fst" "until 144" "wave off" \
    "until 200" "wave on" "step 10" "wave off" continue "step 20" "wave on" run)
  ends 0
  from=$(sed -nE 's/^launch 2: .*, from cycle ([0-9]+) on$/\1/p' "$work/out")
  says "(mpu) wave on $work/waves.fst" "waves go to '$work/waves.fst' from cycle 120 on" "'$work/waves.fst' has the waves before cycle 144" \
    "waves go to '$work/waves.fst' from cycle 200 on" "'$work/waves.fst' has the waves before cycle 210" \
    "waves go to '$work/waves.fst' from cycle $((${from:-0} + 20)) on" right
  grep -qE "^mpu: waves: $work/waves.fst, [0-9.]+ MB, [0-9]+ signals, cycles 120 to [0-9]+; " "$work/err" || { fail "what is said of the file"; cat "$work/err"; }
  [[ -s $work/waves.fst ]] || fail "there is no file"
  diff <(counters "$work/plain") <(counters "$work/stats") >/dev/null || fail "--near=$near: other counters with waves"
done
# from the first cycle to the last one that is asked for; another file; none; one that cannot be written
session turn --near=c < <(printf '%s\n' "wave on $work/all.fst" "step 1" "wave off" "wave on $work/other.fst")
ends 2
grep -q "commands:4: the waves of this run go to '$work/all.fst'$" "$work/err" || { fail "a second file"; cat "$work/err"; }
grep -qE "^mpu: waves: $work/all.fst, .*, cycles 0 to [01]; " "$work/err" || { fail "waves of one cycle"; cat "$work/err"; }
session turn --near=c < <(printf 'wave off\n')
ends 2
grep -q 'commands:1: no waves are being written$' "$work/err" || { fail "off without on"; cat "$work/err"; }
session turn --near=c < <(printf 'wave on /nowhere/waves.fst\n')
ends 2
grep -q "commands:1: .*/nowhere/waves.fst" "$work/err" || { fail "a file that cannot be written"; cat "$work/err"; }
# with --wave the file is there from the beginning
session turn --near=c --wave "$work/run.fst" --wave-window 50: < <(printf '%s\n' "until 100" "wave off" "until 150" "wave on")
ends 0
grep -qE "^mpu: waves: $work/run.fst, .*, cycles 50 to [0-9]{3}; " "$work/err" || { fail "--wave"; cat "$work/err"; }
exit $failed
