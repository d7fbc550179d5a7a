#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu study --on ssh: with GNU parallel and real sshd, only with MPU_LONG: the same numbers as here, on hosts that do not see
# the store; hosts that refuse, that go away in the middle, that have another build; mpu study killed and interrupted.
set -uo pipefail
[[ ${MPU_LONG:-} ]] || { echo "only with mpu test --long"; exit 0; }
root=$PWD
. tb/cli/expect.sh
. tb/study/places/daemons.sh
. "$root/tb/study/places/study.sh"
cd "$root" || exit 1
keep
start_sshd h1 && start_sshd h2 || { fail "sshd does not start"; tail -n 5 "$work"/*.log; exit 1; }
cd "$work" || exit 1
export MPU_CACHE=$work/cache
# What executes on a host: its text begins with the folder of this test.
there() { pgrep -f "mpu-tool job --text $work"; }
nobody() { [[ ! $(there) ]]; }
# The folders of its jobs on hosts.
folders() { grep -ls "$work/p.cu" /tmp/mpu-job.*/command | xargs -r dirname; }

# ---- the same as here; two hosts with two runs at a time
study short 0
of short here || { fail "here: $(tail -n 1 err)"; exit 1; }
rm -f ran
of short hidden/ssh.db --on ssh:2/h1,2/h2 || fail "ssh: $(tail -n 1 err)"
same_table here hidden/ssh.db
once "ssh"
[[ ! -e hidden/ssh.db.jobs ]] || fail "folders of jobs are left: $(ls hidden/ssh.db.jobs)"
[[ $(db hidden/ssh.db "select count(*) from runs where host <> '' and seconds > 0") == 6 ]] || fail "hosts and times of runs: $(db hidden/ssh.db 'select host, seconds from runs')"
grep -q "Accepted publickey" h1.log && grep -q "Accepted publickey" h2.log || fail "one host had nothing to do"

# ---- a list of hosts in a file; a host that refuses; without --jobs and parallel's own count
printf '2/h1\n1/refused\n' >hosts
rm -f ran
of short hidden/file.db --on ssh:hosts || fail "with a host that refuses: $(tail -n 1 err)"
says "refused gets no runs: ssh to this host fails"
same_table here hidden/file.db
once "with a host that refuses"
of short hidden/count.db --on ssh:h1 --jobs 2 || fail "--jobs: $(tail -n 1 err)"
same_table here hidden/count.db

# ---- all refuse: nothing is made, and nothing is a run that failed
rm -f ran
of short hidden/none.db --on ssh:2/refused
status $? 1 "all hosts refuse"
says "^mpu: 6 runs were not made: no host has executed it: no host can be used; the same command tries again"
[[ $(db hidden/none.db "select count(*) from runs") == 0 && ! -e hidden/none.db.jobs && ! -e ran ]] || fail "refusing hosts have left something"

# ---- a run that fails is kept, and tried once
study fails 0 10 f
of fails hidden/fail.db --on ssh:2/h1
status $? 1 "a run that fails"
[[ $(db hidden/fail.db "select outcome || ' ' || message from runs where arguments like 'f%'") == "fail FAIL p: as it was told" ]] || fail "the run that fails: $(db hidden/fail.db 'select outcome, message from runs')"
once "a run that fails" 10 f
study slow 9000 10
of slow hidden/slow.db --on ssh:2/h1 --seconds 1
[[ $(db hidden/slow.db "select outcome from runs") == time ]] || fail "the run that takes too long: $(db hidden/slow.db 'select outcome, message from runs')$(tail -n 3 err)"

# ---- killed in the middle: what runs there ends, too; what was made is not made again
study long 900
of long here2 || fail "here, long"
for signal in KILL INT; do
  rm -f ran
  "$MPU" study long.yaml --store hidden/$signal.db --on ssh:2/h1 -q 2>err & pid=$!
  wait_for lines ran 3
  kill -$signal $pid
  wait $pid 2>/dev/null
  got=$?
  [[ $signal == KILL ]] || status $got 130 "SIGINT"
  wait_for nobody || fail "after SIG$signal there is still: $(there)"
  made=$(db hidden/$signal.db "select count(*) from runs where outcome is not null")
  of long hidden/$signal.db --on ssh:2/h1 || fail "after SIG$signal: $(tail -n 1 err)"
  same_table here2 hidden/$signal.db
  says "^mpu: $((6 - made)) runs made .*, $made were in the store"
  [[ $(sort -u ran | xargs) == "10 20 30 40 50 60" ]] || fail "after SIG$signal these ran: $(ran)"
done
[[ ! $(folders) ]] || fail "folders are left on hosts: $(folders)"

# ---- a host goes away in the middle
rm -f ran
"$MPU" study long.yaml --store hidden/away.db --csv hidden/away.db.csv --on ssh:2/h1,2/h2 -q 2>err & pid=$!
wait_for lines ran 2
stop_sshd h2
wait $pid || fail "a host that goes away: $(tail -n 1 err)"
same_table here2 hidden/away.db
[[ $(sort -u ran | xargs) == "10 20 30 40 50 60" ]] || fail "with a host that goes away these ran: $(ran)"
folders | xargs -r rm -rf # a host that dies does not remove them
exit $failed
