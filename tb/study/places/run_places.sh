#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu study --on, with a Slurm and a GNU parallel of the test's own (fake/): how jobs are submitted and results collected, what
# is said when programs are missing, refuse, or say something odd. run_slurm.sh and run_ssh.sh have the real ones.
set -uo pipefail
here=$PWD/tb/study/places
. tb/cli/expect.sh
. "$here/study.sh"
export FAKE=$work/fake MPU_CACHE=$work/cache
mkdir -p "$FAKE" few
with=$here/fake:$PATH
for name in sh env sed cat; do ln -s "$(type -P $name)" few/$name; done
study one 0 10
study two 0 10 f
none() { # STORE WHAT: no runs and no folders in it
  [[ $(db "$1" "select count(*) from runs") == 0 && ! -e $1.jobs ]] || fail "$2 has left something: $(db "$1" 'select * from runs')"
}
fresh() { rm -rf "$FAKE" x.db x.db.lock ran; mkdir "$FAKE"; }

# ---- names of places
no() { expect "$1" env PATH="${path:-$PATH}" "$MPU" study one.yaml --store x.db "${@:2}"; }
no "--on takes here, slurm or ssh:HOSTS, not 'moon'" --on moon
no "'ssh:' has no hosts: --on ssh:HOST1,HOST2, or ssh: and a file of them" --on ssh:
no "'ssh' has no hosts" --on ssh
no "--slurm has options of sbatch, and needs --on slurm" --slurm "-p x"
no "--slurm has options of sbatch, and needs --on slurm" --on ssh:a --slurm "-p x"
no "--slurm has a quote that is not closed: '-p \"x'" --on slurm --slurm '-p "x'
no "--jobs takes a number from 1, not '0'" --on slurm --jobs 0

# ---- programs that are missing, a controller that does not answer, or that takes no arrays; nothing stays
path=$work/few no "the programs of Slurm are missing: install them (Debian: slurm-client)" --on slurm
path=$work/few no "GNU parallel is missing: install it (Debian: parallel), or use --on here" --on ssh:a
ln -s "$here/fake/parallel" "$(type -P bash)" few
PARALLEL_IS=parallel path=$work/few no "GNU parallel is missing" --on ssh:a
path=$work/few no "ssh is missing: install it (Debian: openssh-client), or use --on here" --on ssh:a
PATH=$with
touch "$FAKE/down"
no "the controller of Slurm does not answer: slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure); " --on slurm
rm "$FAKE/down"
echo 1 >"$FAKE/size"
no "this Slurm takes no array jobs (MaxArraySize is 1 in slurm.conf); use --on here" --on slurm
rm "$FAKE/size"
echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >"$FAKE/refuse"
no "sbatch: Batch job submission failed: Invalid partition name specified; --slurm has options for it, --on here does without it" --on slurm
rm "$FAKE/refuse"
echo "Submitted batch job 7" >"$FAKE/odd"
no "sbatch said 'Submitted batch job 7" --on slurm
none x.db "what cannot be started"

# ---- jobs of Slurm: one array, its options, limits in its words; the run that fails is kept
of two here
fresh
of two x.db --on slurm --slurm "-p 'a b' --time=1" --seconds 90 --megabytes 1000 --jobs 3 --threads 2
status $? 1 "a run that fails"
same_table here x.db
once "Slurm" 10 f
[[ $(db x.db "select outcome || message from runs where arguments like 'f%'") == "failFAIL p: as it was told" ]] || fail "the run that failed: $(db x.db 'select outcome, message from runs')"
[[ $(sed 's/mpu-study-[0-9a-f]*/NAME/' "$FAKE/sbatch.log") == "--time=4 --mem=1512M --cpus-per-task=2 -p a b --time=1 --parsable --job-name=NAME --array=1-2%3 --output=/dev/null" ]] || fail "words of sbatch: $(<"$FAKE/sbatch.log")"
[[ ! -e x.db.jobs && ! -e $FAKE/scancel.log ]] || fail "after the end: $(ls x.db.jobs) $(cat "$FAKE/scancel.log")"

# of two arrays the second is refused: what has been submitted stays
fresh
study many 0 1 2 3 4 5 6
echo 5 >"$FAKE/size"
yes RUNNING | head -n 6 >"$FAKE/states"
echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >"$FAKE/refuse.second"
of many x.db --on slurm
status $? 2 "the second array is refused"
says "^mpu: sbatch: QOSMaxSubmitJobPerUserLimit; "
says '^mpu: 4 runs with Slurm go on; `scancel 17` ends them'
[[ $(db x.db "select count(*), count(handed) from runs") == "4|4" ]] || fail "after the second array was refused: $(db x.db 'select * from runs')"

# ---- ends without a result: whose fault it is decides what is kept
fresh
printf '%s\n' TIMEOUT OUT_OF_MEMORY NODE_FAIL "" PREEMPTED FAILED >"$FAKE/states"
echo "17 CANCELLED" >"$FAKE/whole"
"$MPU" study many.yaml --store x.db --on slurm >out 2>err & pid=$!
wait_for test -e "$FAKE/17_6"
folder=$(sed -n 's/^#6 //p' "$FAKE/17.sh")
wait $pid
status $? 1 "jobs that end without a result"
says "^mpu: 4 runs were not made: Slurm job 17_6 ended as FAILED; the same command tries again"
[[ $(db x.db "select group_concat(arguments || ' ' || outcome || ' ' || message, '|') from (select * from runs order by arguments)") == \
  "1 0 time Slurm job 17_1 ended as TIMEOUT|2 0 memory Slurm job 17_2 ended as OUT_OF_MEMORY" ]] || fail "what is kept: $(db x.db 'select arguments, outcome, message from runs')"
[[ ! -e $folder && ! -e ran ]] || fail "$folder is left"

# ---- killed before it knew the number: the job is found by its name, is not submitted again, and its result is there
fresh
mkdir -p kills
printf '#!/bin/bash\n%q "$@" >/dev/null\nkill -9 $PPID\nsleep 9\n' "$here/fake/sbatch" >kills/sbatch
chmod +x kills/sbatch
PATH=$work/kills:$PATH bash -c '"$MPU" study one.yaml --store x.db --on slurm -q; true' 2>/dev/null
of one x.db --on slurm || fail "after kill -9: $(tail -n 1 err)"
once "after kill -9" 10
[[ $(wc -l <"$FAKE/sbatch.log") == 1 ]] || fail "after kill -9 it was submitted again"
# the same when squeue cannot say whether there are jobs: then nothing is submitted
fresh
PATH=$work/kills:$PATH bash -c '"$MPU" study one.yaml --store x.db --on slurm -q; true' 2>/dev/null
printf '#!/bin/sh\necho "squeue: error: no answer" >&2\nexit 1\n' >kills/squeue
chmod +x kills/squeue
rm kills/sbatch
path=$work/kills:$PATH no "a killed mpu study may have left jobs in Slurm, and squeue does not tell: no answer" --on slurm
wait_for grep -q COMPLETED "$FAKE/17_1"
of one x.db || fail "what a killed one has left: $(tail -n 1 err)"
once "left by a killed one" 10
# a job whose folder was made anew does nothing
mkdir -p anew
echo "another 1" >anew/slurm
sed "s|^#1 .*|#1 $work/anew|" "$FAKE/17.sh" >anew.sh
SLURM_ARRAY_TASK_ID=1 SLURM_SUBMIT_DIR=$work sh anew.sh || fail "a job whose folder was made anew"
once "a job whose folder was made anew" 10

# ---- SIGINT leaves jobs, and says how to end them; other places do not wait for them
fresh
echo RUNNING >"$FAKE/states"
"$MPU" study one.yaml --store x.db --on slurm -q 2>err & pid=$!
wait_for test -s "$FAKE/squeue.log"
kill -INT $pid
wait $pid
status $? 130 "SIGINT"
says '^mpu: 1 run with Slurm goes on; `scancel 17` ends it'
expect "1 run is with another place ('slurm 17_1'): mpu study --on slurm collects it" "$MPU" study one.yaml --store x.db -q
[[ ! -e $FAKE/scancel.log ]] || fail "scancel was called: $(<"$FAKE/scancel.log")"
# cancelled meanwhile: it is made again
echo CANCELLED >"$FAKE/17_1"
rm "$FAKE/states"
of one x.db --on slurm || fail "after scancel: $(tail -n 1 err)"
once "after scancel" 10

# ---- parallel: its words, what comes back, lines that are not of a job
fresh
printf '1\tresult %%zz\n1\t../x y\n9\tresult outcome pass\n0\tresult x\nresult outcome pass%%0a\n\n1\tlog\n1\tr outcome pass%%0a\n1\t outcome pass%%0a\n' >"$FAKE/says"
printf 'parallel: Warning: Removed far.away.example.\nparallel: Warning: Could not figure out number of cpus on h1 (). Using 1.\n' >"$FAKE/errors"
of two x.db --on ssh:2/h1,h2 --jobs 3
status $? 1 "a run that fails, with parallel"
same_table here x.db
once "parallel" 10 f
says "^mpu: far.away.example gets no runs: ssh to this host fails"
says "^mpu: h1 gets one run at a time: parallel is missing there"
grep -q -- "--filter-hosts --sshlogin 2/h1,h2 --jobs=3 --retries 3 " "$FAKE/parallel.log" || fail "words of parallel: $(<"$FAKE/parallel.log")"
[[ ! -e x.db.jobs ]] || fail "after the end: $(ls x.db.jobs)"
for n in 3 64; do # a run with more threads takes the place of so many
  fresh
  of one x.db --on ssh:h1 --threads $n
  grep -q -- "--sshlogin h1 --jobs=$((100 / n))% --retries" "$FAKE/parallel.log" || fail "--threads $n: $(<"$FAKE/parallel.log")"
done
fresh
echo 2/h1 >hosts
printf 'ssh: connect to host h1 port 22: Connection refused\r\n' >"$FAKE/fails"
of one x.db --on ssh:hosts
status $? 1 "hosts that refuse"
says "^mpu: 1 run was not made: no host has executed it: ssh: connect to host h1 port 22: Connection refused; the same command tries again"
grep -q -- "--sshloginfile hosts " "$FAKE/parallel.log" || fail "words of parallel, with a file: $(<"$FAKE/parallel.log")"
none x.db "hosts that refuse"
# what parallel has started ends with mpu study, however that ends
for signal in KILL TERM; do
  fresh
  touch "$FAKE/runs"
  "$MPU" study one.yaml --store x.db --on ssh:h1 -q 2>err & pid=$!
  wait_for test -s "$FAKE/runs"
  kill -$signal $pid
  wait $pid 2>/dev/null
  WAIT=20 wait_for gone "$(<"$FAKE/runs")" || fail "SIG$signal leaves what parallel has started"
done

# ---- a job as a text
job() { "$MPU" job --text "$1" >out 2>err </dev/null; }
for text in "" x %zz a%0 %0a "$PWD%0a" "$PWD%0aseconds%200%0amegabytes%200%0abuild%20any%0a" "$PWD%0aseconds%200%0abuild%20any%0ahelp%0a" "$PWD%0a%00"; do
  job "$text"
  status $? 2 "the text '$text'"
  [[ ! -s out ]] || fail "the text '$text' has printed something"
done
job "$PWD%0aseconds%200%0amegabytes%200%0abuild%200123456789abcdef%0arun%0a--near=c%0ap.cu%0a"
status $? 2 "another build"
says "has another build of nearbank: check out the same commit there and build it"
job "%2fnowhere%0aseconds%200%0amegabytes%200%0abuild%20any%0ahelp%0a" || fail "a text: $(<err)"
[[ $(sed -n '$s/%0a.*//p' out) == "result outcome pass" ]] || fail "the last line of a text: $(tail -n 1 out)"
[[ ! $(grep -P '[\x00-\x09\x0b-\x1f\x7f]' out) ]] || fail "a text has control characters"
exit $failed
