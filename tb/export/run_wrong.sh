#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wrong use of mpu export, full disks, ends in the middle: one line that says what is wrong, the exit status, and no
# file that looks whole.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tb/cli/wait.sh
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

# expect STATUS TEXT ARGUMENTS...: its last line has TEXT, when it is wrong use the only one; and no file comes of it
lines=1
expect() {
  local status=$1 text=$2 got
  shift 2
  rm -rf "$work/out"
  bash synth/export.sh -o "$work/out" "$@" >"$work/stdout" 2>"$work/err" </dev/null
  got=$?
  [[ $got == "$status" && ! -s $work/stdout && $(wc -l <"$work/err") == "$lines" ]] && tail -n 1 "$work/err" | grep -F -- "$text" >/dev/null ||
    { wrong "$*: status $got, not $status with '$text':"; head -n 5 "$work/err"; }
  [[ ! -d $work/out || -z $(ls -A "$work/out") ]] || wrong "$*: left $(ls -A "$work/out")"
}

blocks="bankctl rowbuf die_slice forms fpu lsux nbu opc order regfile regmove rtt smem tsv valu"
expect 2 "export: unknown block 'frob'; known: $blocks" frob
expect 2 "unknown block 'valu_lane'" valu_lane
expect 2 "unknown block ''" ""
expect 2 "unknown block '../rtl'" ../rtl
expect 2 "unknown option '--frob'" --frob tsv
for o in -o --param --period; do expect 2 "$o needs a value" tsv "$o"; done
expect 2 "-o needs a value" tsv -o ""
for s in LANES LANES= =4 LANES=x LANES=-4 LANES=0 LANES=4x LANES=1234567890 'LANES=4 ROWS=4' 'L;x=4' lanes=4; do
  expect 2 "--param takes PARAMETER=NUMBER, not '$s'" --param "$s" opc
  expect 2 "--param takes PARAMETER=NUMBER, not '$s'" "--param=$s" opc
done
expect 2 "LANES is set twice" --param LANES=4 --param LANES=8 opc
expect 2 "tsv has no parameter LANES; it has FLITS RX_DEPTH UP_CREDITS" --param LANES=4 tsv
expect 2 "fpu has no parameter LANES" --param LANES=4 fpu
expect 2 "bankctl has no parameter LANES; it has DEPTH MAX_SHORT" --param LANES=4 # all blocks
expect 2 "regfile has no parameter BANKS" --param LANES=4 --param BANKS=4 regfile
expect 2 "LANES of valu: lanes, 1 to 32; not 33" --param LANES=33 valu
expect 2 "LANES of smem: lanes of a request, a power of two, 2 to 32; not 6" --param LANES=6 smem
expect 2 "LANES of lsux: lanes, a power of two, 4 to 32; not 2" --param LANES=2 lsux
expect 2 "ENTRIES of lsux: accesses under way, a power of two, 2 to 32; not 64" --param ENTRIES=64 lsux
expect 2 "LANES of regmove: lanes, even, 4 to 32; not 5" --param LANES=5 regmove
for p in 0 0.0 -1 1e3 x 1. .5 1.1234567; do expect 2 "--period takes nanoseconds, not '$p'" --period "$p" tsv; done

# what is missing
mkdir "$work/bin"
for tool in bash dirname basename sed awk grep sort cut cat tail mktemp mkdir rm ls; do ln -s "$(command -v $tool)" "$work/bin"; done
got=$(PATH=$work/bin "$work/bin/bash" synth/export.sh -o "$work/out" tsv 2>&1)
[[ $? == 2 && $got == "export: yosys is missing; Debian: yosys" ]] || wrong "without Yosys: $got"

# a folder that cannot be one
: >"$work/file"
got=$(bash synth/export.sh -o "$work/file" tsv 2>&1)
[[ $? == 2 && $got == "export: cannot write to '$work/file'" ]] || wrong "a file as the folder: $got"
got=$(bash synth/export.sh -o /proc/none tsv 2>&1)
[[ $? == 2 && $got == "export: cannot write to '/proc/none'" ]] || wrong "/proc: $got"

# Tools that fail: the one named is in front of the PATH
lines=2
mkdir "$work/fake"
fails() { # TOOL WHAT-IT-DOES STATUS TEXT
  printf '#!/bin/bash\nreal=%s\n%s\n' "$(command -v "$1")" "$2" >"$work/fake/$1"
  chmod +x "$work/fake/$1"
  PATH=$work/fake:$PATH expect "$3" "$4" tsv
  rm "$work/fake/$1"
}
fails yosys 'echo "rtl/mpu/tsv/tsv.sv:7: ERROR: no."; exit 1' 1 "export: Yosys cannot convert this to Verilog: rtl/mpu/tsv/tsv.sv:7: ERROR: no."
fails yosys 'kill -KILL $$' 1 "export: Yosys cannot convert this to Verilog: Yosys ended with status 137"
full="trap '' XFSZ; ulimit -f" # in kilobytes
disk="export: cannot write to '$work/out': is the disk full?"
fails yosys "$full 8"'; exec $real "$@"' 2 "is the disk full?"
fails awk "[[ \$* != *export.awk* ]] || { $full 8; }"'; exec $real "$@"' 2 "export: cannot write to '$work/out': "
fails cp "$full 1"'; exec $real "$@"' 2 "$disk"
fails mv 'exit 1' 2 "$disk"

# one that is ended leaves nothing, neither files nor Yosys, and what was there before
lines=1
mkdir -p "$work/out"
echo before >"$work/out/tsv.v"
TMPDIR=$work bash synth/export.sh -o "$work/out" lsux 2>/dev/null &
pid=$!
works() { pgrep -P "$1" yosys >/dev/null || gone "$1"; }
wait_for works "$pid"
yosys=$(pgrep -P "$pid" yosys)
kill -TERM $pid
wait $pid
got=$?
[[ $got == 130 ]] || wrong "ended: status $got"
[[ $yosys ]] || wrong "it was not Yosys that was ended"
WAIT=20 wait_for gone "$yosys" || wrong "Yosys goes on"
[[ $(ls -A "$work/out") == tsv.v && $(<"$work/out/tsv.v") == before ]] || wrong "ended: $(ls -A "$work/out")"
[[ -z $(find "$work" -name script.ys) ]] || wrong "ended: a folder is left"

# names with blanks, a folder in a folder, the folder of another export
got=$(cd "$work" && bash "$OLDPWD/synth/export.sh" -o "a b/c" --param RX_DEPTH=8 tsv 2>&1) || wrong "blanks: $got"
bash synth/export.sh -o "$work/a b/c" regfile 2>/dev/null || wrong "a second export"
for f in tsv.v regfile.v tsv.sdc regfile.f ram_1r1w.v ram_1r3w.v rtl/mpu/tsv/tsv.sv rtl/common/check.svh; do
  [[ -s "$work/a b/c/$f" ]] || wrong "there is no $f"
done
grep -q 'tsv with RX_DEPTH=8' "$work/a b/c/tsv.v" || wrong "tsv.v does not say what was set"
exit $failed
