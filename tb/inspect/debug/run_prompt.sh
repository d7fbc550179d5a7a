#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where commands come from, what is said to wrong ones, and how sessions end.
. tb/cli/terminal.sh
set -uo pipefail
. tb/inspect/debug/session.sh

# ---- wrong use
printf 'step\n' >"$work/step"
expect "which program? see mpu debug --help" "$MPU" debug --near=c
expect "-x needs a file" "$MPU" debug --near=c "$work/turn.cu" -x
expect "cannot read '$work/none': No such file" "$MPU" debug --near=c -x "$work/none" "$work/turn.cu"
expect "unknown option '-x'" "$MPU" run -x "$work/step" "$work/turn.cu"
expect "mpu debug is for the cycle-by-cycle machine" "$MPU" debug --near=none "$work/turn.cu"
expect "mpu debug writes no checkpoints" "$MPU" debug --near=c --checkpoint "$work/cp" "$work/turn.cu"
[[ $("$MPU" debug --help) == "usage: mpu debug "* ]] || fail "mpu debug --help"

# ---- wrong commands: the one that is wrong ends the run, with its line and what is wrong with it
refuses() { # TEXT COMMAND: in a launch of which 150 cycles are done
  session turn --near=c < <(printf '# a comment, and an empty line\n\nuntil 150\n%s\nstep\n' "$2")
  [[ $status == 2 ]] || fail "'$2': exit status $status, not 2"
  [[ $(cat "$work/err") == "mpu: $work/commands:4: "*"$1"* ]] || { fail "'$2': not said: $1"; cat "$work/err"; }
  [[ $(tail -n 1 "$work/out") == "(mpu) $2" ]] || { fail "'$2' goes on"; tail -n 3 "$work/out"; }
}
refuses "unknown command 'frob'; help lists them" frob
refuses "unknown command 'frob'; help lists them" "help frob"
refuses "'qu' may be quit, queues" qu
refuses "'wa' may be watch, warp, wave" "wa 0 0"
refuses "watch what? see help watch" watch
refuses "'frob' cannot be printed; see help print" "watch frob"
refuses "nothing is allocated at 0x0" "watch memory 0"
refuses "unknown watch 1" "watch off 1"
refuses "watch off takes one number, or nothing" "watch off x"
refuses "finish takes no arguments" "finish 3"
refuses "step takes a number from 1, not '0'" "step 0"
refuses "step takes a number from 1, not '-1'" "step -1"
refuses "next takes a number from 1, not '1x'" "next 1x"
refuses "step takes one number" "step 1 2"
refuses "cycle 150 is over; the next one is cycle 150" "until 150"
refuses "until which cycle?" until
refuses "until takes a number, not 'x'" "until x"
refuses "continue takes no arguments" "continue 3"
refuses "where? see help break" break
refuses "'here' is not a valid place; allowed: LINE, FILE:LINE, *PC, cycle N or event NAME" "break here"
refuses "turn.cu:4 has no code; the next line with code is 6" "break 4"
refuses "neither turn.cu:400 nor a later line has code" "break 400"
refuses "neither none.cu:6 nor a later line has code" "break none.cu:6"
refuses "'0x8' is not a valid pc of _Z4turnPKiPi: pcs are multiples of 16 up to 0x150" "break *0x8"
refuses "is not a valid pc of _Z4turnPKiPi" "break *0x160"
refuses "which cycle? see help break" "break cycle"
refuses "cycle 149 is over; the next one is cycle 150" "break cycle 149"
refuses "events are start, block, barrier, retire, fault, bank and packet, not 'frob'" "break event frob"
refuses "events are start, block, barrier, retire, fault, bank and packet, not 'b'" "break event b"
refuses "commands of banks are act, pre, sasel, rd, wr and ref, not 'none'" "break event bank none"
refuses "packets have the names of docs/tsv.md (exec, line, done), not 'act'" "break event packet act"
refuses "'frob' is not a valid condition for this breakpoint" "break 6 frob 1"
refuses "'nbu' is not a valid condition for this breakpoint" "break 6 nbu 1"
refuses "'warp' is not a valid condition for this breakpoint" "break event block warp 0 0"
refuses "'core' is not a valid condition for this breakpoint" "break cycle 200 core 0"
refuses "an NBU is a number from 0 to 3, not '4'" "break event bank act nbu 4"
refuses "a bank is a number from 0 to 3, not ''" "break event bank act bank"
refuses "a row is a number from 0 to 16383, not '16384'" "break event bank act row 16384"
refuses "a core is a number from 0 to 0, not '1'" "break 6 core 1"
refuses "which warp? BLOCK WARP" "break 6 warp 0"
refuses "unknown breakpoint 1" "delete 1"
refuses "unknown breakpoint 0" "delete 0"
refuses "info takes breaks, launch, cores and memory, not 'frob'" "info frob"
refuses "a core is a number from 0 to 0, not '1'" "select core 1"
refuses "select core N, or select warp BLOCK WARP" "select frob 1"
refuses "a block of this launch is a number from 0 to 0, or x,y,z, not '1'" "warp 1 0"
refuses "a block of this launch is a number from 0 to 0, or x,y,z, not '0,1,0'" "warp 0,1,0 0"
refuses "a warp of a block is a number from 0 to 1, not '2'" "select warp 0 2"
refuses "where takes all or no argument" "where frob"
refuses "print what? see help print" print
refuses "'frob' cannot be printed; see help print" "print frob"
refuses "the kernel has registers r0 to r9" "print r10"
refuses "'32' is neither lanes (0-3,7) nor a type" "print r0 32"
refuses "'1,' is neither lanes (0-3,7) nor a type" "print r0 1,"
refuses "'3-1' is neither lanes (0-3,7) nor a type" "print r0 3-1"
refuses "a register has 32 bits: x32, u32, s32 or f32" "print r0 f64"
refuses "the kernel has 1 predicates" "print p1"
refuses "print memory ADDRESS [COUNT] [TYPE]" "print memory"
refuses "'frob' is not a valid address; allowed: a number, a variable, or @N of info memory, and +BYTES" "print memory frob"
refuses "'@3' is not a valid address" "print memory @3"
refuses "nothing is allocated at 0x0" "print memory 0"
refuses "nothing is allocated at 0x1300" "print memory @1+256"
refuses "only 256 bytes from 0x1200 on are allocated" "print memory @1 65"
refuses "'0' is neither a count from 1 to 4096 nor a type" "print memory @1 0"
refuses "print shared OFFSET" "print shared x"
refuses "the shared memory of a block has 256 bytes" "print shared 256"
refuses "the shared memory of a block has 256 bytes" "print shared 252 2"
refuses "an NBU is a number from 0 to 3" "banks 4"
refuses "a pc is a multiple of 16, not '1'" "disassemble 1"
refuses "the last pc of _Z4turnPKiPi is 0x150" "disassemble 0x160"
refuses "line numbers begin at 1" "list 0"
refuses "wave on [FILE], or wave off" wave
refuses "wave on [FILE], or wave off" "wave over"
session turn --near=c < <(printf 'x%.0s' {1..500})
ends 2
grep -q 'commands:1: a line has at most 399 characters' "$work/err" || fail "a line that is too long"
session turn --near=c < <(for n in {1..32}; do echo "break event barrier"; done)
ends 2
grep -q 'commands:32: there are 31 breakpoints already: delete some' "$work/err" || fail "too many breakpoints"

# ---- help: every command is in the list and in the page, with the same arguments
session turn --near=c <<'X'
help
help break
h print
X
ends 0
contains "In short: b" "event packet KIND [nbu N]" "TYPE: x32 (without one), u32, s32, f32, u64, f64, u8"
sed -nE 's/^COMMAND\((\w+), [^,]+, "([^"]*)", "([^"]*)".*/\1 \2~\3/p' harness/inspect/debug/commands.def >"$work/table"
(($(wc -l <"$work/table") > 20)) || fail "the table of commands"
while IFS='~' read -r usage text; do
  usage=${usage% }
  grep -qxE -- "$(sed 's/[][|+.*()]/\\&/g' <<<"$usage") +$(sed 's/[][|+.*()]/\\&/g' <<<"$text")" "$work/out" || fail "help has no $usage"
  grep -F -- "| \`${usage//|/\\|}\` |" docs/debugger.md | grep -qF -- "| $text |" || fail "docs/debugger.md has no $usage, $text"
done <"$work/table"

# ---- a pipe: as a file; the program's own input is empty then, and is its own with -x
printf 'step\ninfo\nfrob\n' | "$MPU" debug -q --near=c "$work/turn.cu" >"$work/out" 2>"$work/err"
[[ $? == 2 && $(cat "$work/err") == "mpu: standard input:3: unknown command 'frob'; help lists them" ]] || fail "a wrong command in a pipe"
says "(mpu) step" "before cycle 1" "(mpu) info" "before cycle 1, cycle 1 of launch 1"
printf 'run\n' | "$MPU" debug -q --near=c "$work/turn.cu" -- argument >"$work/out" || fail "a pipe"
says "(mpu) run" "read nothing, right"
printf 'a line\n' | "$MPU" debug -q --near=c -x "$work/step" "$work/turn.cu" -- argument >"$work/out" || fail "a program that reads"
says "(mpu) step" "the commands have ended: the program runs to its end" "read a line, right"
"$MPU" debug -q --near=c "$work/turn.cu" </dev/null >"$work/out" || fail "no commands at all"
says "the commands have ended: the program runs to its end" right
"$MPU" debug -q --near=c "$work/turn.cu" <&- >"$work/out" 2>"$work/err"
[[ $? == 2 ]] && grep -q 'no commands to read: name a file with -x FILE' "$work/err" || fail "no standard input"

# ---- ends: commands that nobody reads; quit, before and in a launch; a report, and what it counts
session turn --near=c <<'X'
run
# a comment
step
X
ends 0
says right
grep -q "commands:3: the program has ended; this command and those after it were not executed" "$work/err" || fail "commands that are left"
for at in 0 120; do
  session turn --near=c --stats "$work/stats" < <(((at)) && echo "step $at"; echo quit; echo step)
  ends 130
  [[ $(grep -o '"end": "interrupted"\|"cycles": [0-9]*, "cycles_whole"' "$work/stats" | xargs) == "end: interrupted cycles: $at, cycles_whole" ]] ||
    fail "the report after quit in cycle $at"
  grep -q "^mpu: stopped in the launch of _Z4turnPKiPi$" "$work/err" || fail "quit does not say where it was"
done
printf 'step\nquit\n' >"$work/commands"
"$MPU" debug --near=c -x "$work/commands" "$work/turn.cu" </dev/null >"$work/out" 2>/dev/null
grep -q '^cycles  *1 ' "$work/out" || fail "no report after quit"

# ---- signals: back to the prompt of a pipe; without more commands the end
cat >"$work/endless.cu" <<'CU'
__global__ void kernel(volatile int *p) {
  while (p[threadIdx.x] == 0)
    ;
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  kernel<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  puts("never");
}
CU
"$MPU" run --near=c --max-cycles 10 "$work/endless.cu" >/dev/null 2>&1 # compiled
until_said() { wait_for grep -q "$1" "$work/out" || fail "not said: $1"; }
mkfifo "$work/fifo"
: >"$work/out"
"$MPU" debug -q --near=c "$work/endless.cu" <"$work/fifo" >"$work/out" 2>"$work/err" &
pid=$!
exec 7>"$work/fifo"
printf 'until 200\ncontinue\n' >&7
until_said '^(mpu) continue'
kill -INT $pid
printf 'step\nwhere\n' >&7
until_said 'where'
echo quit >&7
wait $pid
[[ $? == 130 ]] || fail "quit after an interrupt"
exec 7>&-
(($(grep -c '^before cycle [0-9]\{3,\}$' "$work/out") == 3)) || { fail "the prompt after an interrupt"; cat "$work/out"; }
contains "  block 0 warp 1: pc 0x"
! grep -q never "$work/out" || fail "the program went on"
for signal in INT TERM; do
  printf 'continue\nwhere\n' >"$work/commands"
  : >"$work/out"
  "$MPU" debug -q --near=c -x "$work/commands" "$work/endless.cu" </dev/null >"$work/out" 2>"$work/err" &
  pid=$!
  until_said '^(mpu) continue'
  kill -s $signal $pid
  wait $pid
  [[ $? == 130 ]] || fail "SIG$signal in a session from a file"
  [[ $(tail -n 1 "$work/out") == "(mpu) continue" ]] || fail "commands after SIG$signal"
done

# ---- a terminal: a prompt; nothing is said twice, an empty line is the last one again, wrong commands end nothing; ^C
command -v script >/dev/null || { echo "script (util-linux) is missing"; exit 1; }
# The debugger as a process whose number is in $work/pid, on a terminal of its own. What that shows comes to $work/shown.
cat >"$work/debug" <<SH
#!/bin/sh
echo \$\$ >"$work/pid"
exec "$MPU" debug -q --near=c "\$@"
SH
chmod +x "$work/debug"
mkfifo "$work/keys"
open_terminal() { # COMMAND
  : >"$work/shown"
  seen=0
  TERM=xterm script -qec "$1" /dev/null <"$work/keys" >"$work/shown" 2>&1 &
  terminal=$!
  exec 7<>"$work/keys" # both, so that keys for a session that has ended do no harm
}
# types TEXT KEYS: when what was shown since the last keys matches the regular expression TEXT
types() {
  wait_for shows "$1" || { fail "on a terminal: this does not come: $1"; cat -v "$work/shown"; kill "$terminal"; }
  seen=$(stat -c %s "$work/shown")
  printf "$2" >&7
}
shows() { gone "$terminal" || tail -c +$((seen + 1)) "$work/shown" | grep -qzE -- "$1"; }
interrupts() { # when the launch runs, and has run for some time
  wait_for_work "$(<"$work/pid")" 20
  seen=$(stat -c %s "$work/shown")
  printf '\003' >&7
}
close_terminal() { # when the session has ended
  wait "$terminal"
  status=$?
  exec 7>&-
}
# a terminal that does not echo
terminal() { # OPTIONS
  open_terminal "stty -echo; $work/debug $*"
}
plain_end() { close_terminal; tr -d '\r' <"$work/shown" >"$work/out"; }
# a terminal that echoes: what a line became is in its echo, without what draws it
editing_end() {
  close_terminal
  sed -E 's/\x1b\[[0-9]*[CK]//g; s/\r+$//; s/.*\r//' "$work/shown" >"$work/out"
}
prompt='\(mpu\) '
if has_terminals; then
  terminal "$work/turn.cu"
  types "$prompt" 'step 3\n\nfrob\nrun\n'
  plain_end
  ends 0
  says "(mpu) before cycle 3" "(mpu) before cycle 6" "(mpu) unknown command 'frob'; help lists them" "(mpu) right"
  terminal "-x $work/step $work/turn.cu >$work/file"
  types "$prompt" 'info\nquit\n'
  plain_end
  ends 130
  says "(mpu) before cycle 1, cycle 1 of launch 1"
  mv "$work/file" "$work/out"
  says "(mpu) step" "before cycle 1"
  # a line is edited (^A, cursor keys, backspace, ^W, ^U), the last ones come again, words are completed
  open_terminal "$work/debug $work/turn.cu"
  types "$prompt" 'tepx 3 4\001s\033[C\033[C\033[C\033[3~\005\027\177\n'
  types "before cycle 3.*$prompt" '\033[A\n'
  types "before cycle 6.*$prompt" 'frob\025inf\tbr\t\n'
  types "there are no breakpoints.*$prompt" 'step 2\033[A\033[A\033[B\033[B\n'
  types "before cycle 8.*$prompt" 'br\t\tev\tba\t\t\025\004'
  editing_end
  ends 130
  says "(mpu) step 3" "before cycle 3" "before cycle 6" "(mpu) info breaks " "there are no breakpoints" "(mpu) step 2" "before cycle 8" "cycle  event" "barrier  bank"
  # ^C while it runs stops it; the terminal is then as it was
  open_terminal "$work/debug $work/endless.cu; stty -a"
  types "$prompt" 'continue\n'
  interrupts
  types "before cycle .*$prompt" '\004'
  editing_end
  (($(grep -c 'before cycle [0-9]\{3,\}' "$work/out") == 1)) || { fail "^C on a terminal that edits"; cat -v "$work/out"; }
  grep -q ' icanon' "$work/out" && grep -q ' echo ' "$work/out" || { fail "the terminal is not as it was"; cat -v "$work/out"; }
  terminal "$work/endless.cu"
  types "$prompt" 'continue\n'
  interrupts
  types "before cycle .*$prompt" '\003'
  types "$prompt" 'step 2\n\004'
  plain_end
  ends 130
  grep -qE '^\(mpu\) (\^C)?before cycle [0-9]{3,}' "$work/out" && (($(grep -c '^(mpu) .*before cycle' "$work/out") == 2)) ||
    { fail "^C on a terminal"; cat -v "$work/out"; }
fi
exit $failed
