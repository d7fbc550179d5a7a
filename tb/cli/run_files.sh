#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files that commands write: a disk that is full, standard output that is closed or full, folders that cannot be written to, "-", a signal.
# There is a message, the status is not 0, and what is not whole has not got the name of the file.
set -uo pipefail
. "$(dirname "$0")/expect.sh"
axpy=$PWD/kernels/axpy
cd "$work" || exit 2
small=(-- --n 1000)
mkdir here

# full COMMAND...: with room for no file of more than 1 KB
full() (
  trap '' XFSZ
  ulimit -f 1
  exec "$@" 2>err </dev/null
)
# refused NAME TEXT STATUS...: the last command; `here` has nothing new
refused() {
  [[ $3 == 2 ]] || fail "$1: exit status $3, not 2"
  grep -qF -- "$2" err || { fail "$1: not said: $2"; head -n 3 err; }
  [[ -z $(ls -A here) ]] || fail "$1: what is left: $(ls -A here)"
  rm -rf here/*
}
"$MPU" run -q --near=c "$axpy" "${small[@]}" >/dev/null || fail "axpy" # is compiled now
for option in --stats --timeline --retire --wave; do
  full "$MPU" run -q --near=c $option here/x "$axpy" "${small[@]}" >out
  status=$?
  grep -q '^PASS axpy' out || fail "$option: the program's own output"
  rm -f here/x.part here/x.part.names here/x.part.gtkw # are said to be there, and can be read
  refused $option "mpu: cannot write 'here/x': " $status
done
full "$MPU" run -q --near=none --trace here/x "$axpy" "${small[@]}" >out
refused --trace "mpu: cannot write 'here/x': File too large" $?
"$MPU" cc --ptx x.ptx -o x "$axpy/axpy.cu" || fail "cc"
"$MPU" mpucc -o x.elf x.ptx
full "$MPU" dis -o here/x.s x.elf
refused "dis -o" "mpu: cannot write 'here/x.s': File too large" $?
"$MPU" dis -o x.s x.elf
full "$MPU" dram --accesses 2000 --write-trace here/x >out
refused "dram --write-trace" "mpu: cannot write 'here/x': File too large" $?
printf 'a,b\n1,2\n2,3\n' >table
full "$MPU" plot table here/x.svg
refused "plot" "mpu: cannot write 'here/x.svg': File too large" $?
for command in "run -q --near=c --stats /dev/full $axpy" "run -q --near=none --trace /dev/full $axpy" "cc -S /dev/full -o here.elf x.ptx" \
  "cc -o /dev/full x.ptx" "mpucc -o /dev/full x.ptx" "asm -o /dev/full x.s" "profile -q --html /dev/full $axpy"; do
  "$MPU" $command >out 2>err
  refused "$command" "cannot write '/dev/full': No space left on device" $?
done
# a file that was there stays as it was
echo old >old
full "$MPU" run -q --near=c --stats old "$axpy" "${small[@]}" >out
[[ $? == 2 && $(<old) == old ]] || fail "a file that was there: $(head -c 100 old)"
# the program's own status is not hidden
full "$MPU" run -q --near=c --stats old "$axpy" -- --n many >out
[[ $? == 2 ]] || fail "another status"

# standard output: full, or closed; no file gets what is printed
for to in '/dev/full No space left on device' '&- Bad file descriptor'; do
  for command in "config" "run --near=c $axpy" "run --near=c -q $axpy" "dis x.elf" "retire r" "--help"; do
    [[ $command != "retire r" || -e r ]] || "$MPU" run -q --near=c --retire r "$axpy" "${small[@]}" >/dev/null
    eval "\"\$MPU\" $command >${to%% *} 2>err"
    refused "$command >${to%% *}" "mpu: cannot write to standard output: ${to#* }" $?
  done
done
"$MPU" run --near=c --timeline t.json --stats s.json "$axpy" "${small[@]}" >&- 2>err
grep -q PASS t.json s.json && fail "what the program prints is in a file"
tail -n 1 t.json | grep -q '^\]}$' || fail "a timeline with standard output closed: $(tail -c 100 t.json)"
"$MPU" run -q --near=c --stats s.json "$axpy" "${small[@]}" <&- >out 2>&1 || fail "standard input closed"
"$MPU" run --near=c "$axpy" "${small[@]}" 2>&- >out || fail "standard error closed"

# "-" is standard output for text, and no name of a file for anything else
"$MPU" run -q --near=c --stats - "$axpy" "${small[@]}" | tail -n 1 | grep -q '^{"schema".*}$' || fail "--stats -"
"$MPU" cc -S - -o x.elf x.ptx >text && grep -q '^// kernel' text || fail "cc -S -"
"$MPU" mpucc -o - x.ptx | cmp - x.elf || fail "mpucc -o -"
"$MPU" dis -o - x.elf | cmp - x.s || fail "dis -o -"
grep -q '^</svg>$' <("$MPU" plot table -) || fail "plot -"
expect "'x.json' is named for two outputs" "$MPU" run --near=c --stats x.json --timeline x.json "$axpy"
expect "'x.json' is named for two outputs" "$MPU" machine reduce --near c --stats x.json --timeline x.json
expect "'x.json' is named for two outputs" "$MPU" profile --stats x.json --json x.json "$axpy"
for option in --retire --timeline --interval --wave --checkpoint; do
  expect "$option writes a file, not standard output" "$MPU" run --near=c $option - "$axpy"
done
expect "-o of a program writes a file" "$MPU" cc -o - "$axpy/axpy.cu"
[[ ! -e - ]] || fail "there is a file of the name -"

# a name with blanks, and a program in such a folder
mkdir "a b"
cp "$axpy/axpy.cu" "a b/c d.cu"
"$MPU" run -q --near=c -I"$axpy" --stats "a b/s t" --retire "a b/r e" "a b/c d.cu" "${small[@]}" >out 2>err || { fail "blanks in names"; cat err; }
[[ -s "a b/s t" && -s "a b/r e" ]] || fail "files with blanks in their names"

# a signal: while it runs there is no file under the name; then there is all until then, and the report says so
"$MPU" run --near=c --stats s2.json --timeline t2.json "$axpy" -- --n 4194304 >out 2>err &
pid=$!
wait_for test -s t2.json.part || fail "no timeline of a run that is to be stopped"
[[ ! -e t2.json && ! -e s2.json ]] || fail "there is a file before its end"
kill -TERM $pid
wait $pid
[[ $? == 130 ]] || fail "SIGTERM: status"
grep -q '^end  *interrupted: ' out || fail "SIGTERM: the report does not say so"
grep -q '"end": "interrupted"' s2.json && [[ -s t2.json && ! -e t2.json.part ]] || fail "SIGTERM: the files"

# no result of the program's own: its status
echo '__global__ void kernel() {} int main(int argc, char **argv) { kernel<<<1, 32>>>(); return argc > 1 ? atoi(argv[1]) : 0; }' >plain.cu
for status in 0 7; do
  "$MPU" run --near=c plain.cu -- $status >out
  [[ $? == "$status" ]] && grep -qx "result             exit status $status" out || fail "exit status $status: $(grep result out)"
done
exit $failed
