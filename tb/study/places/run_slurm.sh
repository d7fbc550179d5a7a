#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu study --on slurm with a real Slurm, only with MPU_LONG: the same numbers as here; mpu study and the controller killed in
# the middle, jobs that are cancelled, two at a time, runs that fail, options that Slurm refuses.
set -uo pipefail
[[ ${MPU_LONG:-} ]] || { echo "only with mpu test --long"; exit 0; }
root=$PWD
. tb/cli/expect.sh
. tb/study/places/daemons.sh
. "$root/tb/study/places/study.sh"
cd "$root" || exit 1
keep
start_slurm || { fail "Slurm does not start"; tail -n 5 "$work"/*.log; exit 1; }
cd "$work" || exit 1
export MPU_CACHE=$work/cache
jobs_of() { squeue --noheader --states=all --format=%F | sort -u | wc -l; } # array jobs that there were
settled() { [[ ! $(squeue --noheader) ]]; }

# ---- the same as here; MaxArraySize is 4: two array jobs
study short 0
of short here || { fail "here: $(tail -n 1 err)"; exit 1; }
rm -f ran
of short slurm.db --on slurm || fail "slurm: $(tail -n 1 err)"
same_table here slurm.db
once "slurm"
[[ $(jobs_of) == 2 ]] || fail "six runs are $(jobs_of) array jobs"
[[ ! -e slurm.db.jobs ]] || fail "folders of jobs are left: $(ls slurm.db.jobs)"
of short slurm.db --on slurm || fail "slurm, again"
once "slurm, again"

# ---- killed in the middle: the second start goes on with what is in the queue
study long 700
of long here2 || fail "here, long"
rm -f ran
before=$(jobs_of)
"$MPU" study long.yaml --store kill.db --on slurm -q & pid=$!
wait_for lines ran 2
kill -9 $pid
wait $pid 2>/dev/null
of long kill.db || status $? 2 "here, with runs that Slurm has"
says "(is|are) with another place \('slurm [0-9]+_[0-9]+'\): mpu study --on slurm collects"
of long kill.db --on slurm || fail "after kill -9: $(tail -n 1 err)"
same_table here2 kill.db
once "after kill -9"
(($(jobs_of) == before + 2)) || fail "the second start has submitted jobs: $(($(jobs_of) - before))"

# ---- killed when sbatch has submitted and nobody knows the number
rm -f ran
mkdir kills
printf '#!/bin/bash\n%q "$@" >/dev/null\nkill -9 $PPID\nsleep 9\n' "$work/bin/sbatch" >kills/sbatch
chmod +x kills/sbatch
PATH=$work/kills:$PATH "$MPU" study long.yaml --store lost.db --on slurm -q 2>/dev/null
before=$(jobs_of)
of long lost.db --on slurm || fail "after kill -9 in sbatch: $(tail -n 1 err)"
same_table here2 lost.db
once "after kill -9 in sbatch"
(($(jobs_of) == before + 1)) || fail "of two array jobs one was there: $(($(jobs_of) - before)) were submitted"

# ---- two at a time on one store
rm -f ran
"$MPU" study long.yaml --store two.db --on slurm -q 2>err2 & pid=$!
of long two.db --on slurm || fail "the first of two: $(tail -n 1 err)"
wait $pid || fail "the second of two: $(<err2)"
same_table here2 two.db
once "two at a time"

# ---- SIGINT leaves jobs, and says how to end them; then they are made again. Those that run when they are cancelled run twice.
rm -f ran
"$MPU" study long.yaml --store int.db --on slurm -q 2>err & pid=$!
wait_for lines ran 1
kill -INT $pid
wait $pid
status $? 130 "SIGINT"
says "[0-9]+ runs with Slurm go on; .scancel [0-9 ]+. ends them"
eval "$(sed -n 's/.*`\(scancel [0-9 ]*\)`.*/\1/p' err)"
wait_for settled
of long int.db --on slurm || fail "after scancel: $(tail -n 1 err)"
same_table here2 int.db
[[ $(sort -u ran | xargs) == "10 20 30 40 50 60" ]] || fail "after scancel these ran: $(ran)"

# ---- cancelled while mpu study waits: not made, and not kept as a run that failed
rm -f ran
"$MPU" study long.yaml --store gone.db --on slurm -q 2>err & pid=$!
wait_for lines ran 1
squeue --noheader --format=%F | sort -u | xargs scancel
wait $pid
status $? 1 "scancel"
says "runs? (was|were) not made: Slurm job [0-9]+_[0-9]+ ended as CANCELLED; the same command tries again"
[[ $(db gone.db "select count(*) from runs where outcome not in ('pass', 'none')") == 0 ]] || fail "cancelled jobs are runs that failed"
of long gone.db --on slurm || fail "after scancel from outside: $(tail -n 1 err)"
same_table here2 gone.db

# ---- the controller goes and comes back
rm -f ran
"$MPU" study long.yaml --store ctl.db --on slurm -q 2>err & pid=$!
wait_for lines ran 1
stop_slurmctld
wait_for grep -q "Slurm answers again\|waiting until Slurm answers" err
start_slurmctld
wait $pid || fail "with another controller: $(tail -n 1 err)"
says "squeue: .*; waiting until Slurm answers again"
of long ctl.db || fail "what another controller has made"
same_table here2 ctl.db
once "with another controller"

# ---- a run that fails is kept; one that takes too long ends itself, within the limit of Slurm
rm -f ran
study fails 0 10 f
of fails fail.db --on slurm
status $? 1 "a run that fails"
[[ $(db fail.db "select outcome || ' ' || message from runs where arguments like 'f%'") == "fail FAIL p: as it was told" ]] || fail "the run that fails: $(db fail.db 'select outcome, message from runs')"
once "a run that fails" 10 f
study slow 9000 10
of slow slow.db --on slurm --seconds 1 --megabytes 300
status $? 1 "a run that takes too long"
[[ $(db slow.db "select outcome from runs") == time ]] || fail "the run that takes too long: $(db slow.db 'select outcome, message from runs')"

# ---- what Slurm refuses; a node that cannot begin
of short wrong.db --on slurm --slurm "-p nowhere"
status $? 2 "a partition that is missing"
says "^mpu: sbatch: Batch job submission failed: Invalid partition name specified; --slurm has options for it"
[[ $(db wrong.db "select count(*) from runs") == 0 && ! -e wrong.db.jobs ]] || fail "refused jobs have left something"
of short wrong.db --on slurm --slurm "--nice=5 --comment='two words'" || fail "--slurm with options: $(tail -n 1 err)"
same_table here wrong.db
exit $failed
