#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The views for GTKWave (waves/): a real GTKWave shows each of their signals in a fresh file, for any core and NBU, with the names
# that filters give; these are those of the Verilog. Pictures of them, and what is wrong to ask for. With MPU_LONG more views of
# another core, and a picture more.
set -uo pipefail
. tb/cli/expect.sh
export MPU_CACHE=$work/cache HOME=$work NO_AT_BRIDGE=1 GDK_BACKEND=x11 GSETTINGS_BACKEND=memory DBUS_SESSION_BUS_ADDRESS=disabled:
unset MPU_NEAR MPU_POSTMORTEM DISPLAY WAYLAND_DISPLAY
check=$(dirname "$MPU")/tb/wave_check
screen=''
trap '[[ ! $screen ]] || kill "$screen"; wait; rm -rf "$work"' EXIT
for need in Xvfb gtkwave; do
  command -v $need >/dev/null || { echo "FAILED: there is no $need (Debian: xvfb gtkwave)"; exit 1; }
done
one=$work/one.fst two=$work/two.fst cards=$work/cards.fst
"$MPU" run -q --near=rtl --wave "$one" --wave-window :1500 kernels/hist -- --n 3000 >"$work/out" 2>&1 || fail "a run with waves"
printf 'base: paper\nmachine: {processors: 1, cores: 2}\n' >"$work/two.yaml"
"$MPU" run -q --near=rtl --config "$work/two.yaml" --wave "$two" --wave-window 100:500 --wave-scope core1 kernels/hist -- --n 3000 >"$work/out" 2>&1 ||
  fail "waves of core 1"

"$MPU" run -q --near=rtl --cards 2 --wave "$cards" "$PWD/harness/systemc/examples/halves.cu" -- 512 >"$work/out" 2>&1 || fail "waves of a platform"

# ---- what GTKWave makes of each view
Xvfb -displayfd 3 -screen 0 1600x1200x24 -nolisten tcp -noreset 3>"$work/display" 2>"$work/log" &
screen=$!
wait_for test -s "$work/display" || fail "Xvfb does not start"
export DISPLAY=:$(<"$work/display")
echo 'splash_disable 1' >"$work/rc"
# names and number of all traces; what filters show: number of the filter in the view, text
cat >"$work/show.tcl" <<'TCL'
set f [open $::env(SHOWN) w]
puts $f "traces [gtkwave::getTotalNumTraces]"
foreach s [gtkwave::getDisplayedSignals] { puts $f "signal $s" }
set at [gtkwave::getMinTime]
set step [expr {max(11000, ([gtkwave::getMaxTime] - $at) / 300)}]
for {} {$at < [gtkwave::getMaxTime]} {incr at $step} {
  gtkwave::setMarker $at
  set filter 0
  for {set k 0} {$k < [gtkwave::getTotalNumTraces]} {incr k} {
    if {[gtkwave::getTraceFlagsFromIndex $k] & 0x2000} {
      incr filter
      set text "filter $filter [gtkwave::getTraceValueAtMarkerFromIndex $k]"
      if {![info exists known($text)]} { set known($text) 1; puts $f $text }
    }
  }
}
close $f
exit
TCL

# The signals that a view names: (k)name[n:0] is bit n - k of it.
named() {
  sed -nE 's/^\+\{[^}]*\} /signal /p; s/^#\{[^}]*\} //p' "$1" | awk '
    /^signal/ { print; next }
    { for (n = 1; n <= NF; n++) {
        k = substr($n, 2) + 0
        sub(/^\([0-9]+\)/, "", $n)
        match($n, /\[[0-9]+:0\]$/)
        print "signal " substr($n, 1, RSTART - 1) "[" substr($n, RSTART + 1) - k "]"
      } }'
}

shows() { # FILE VIEW CORE NBU
  local n=0 file text
  "$MPU" waves --view "$2" --core "$3" --nbu "$4" --write "$work/view.gtkw" "$1" || { fail "$2: not written"; return; }
  rm -f "$work/shown"
  SHOWN=$work/shown timeout 600 gtkwave -r "$work/rc" -S "$work/show.tcl" "$1" "$work/view.gtkw" >"$work/log" 2>&1
  [[ -s $work/shown ]] || { fail "$2: GTKWave does not show it: $(tail -n 1 "$work/log")"; return; }
  diff <(named "$work/view.gtkw") <(grep ^signal "$work/shown") >"$work/diff" ||
    fail "$2 of core $3, NBU $4: $(grep -c '^[<>]' "$work/diff") signals: $(grep -m 3 '^[<>]' "$work/diff" | tr '\n' ' ')"
  [[ $(grep -c '^[-+#]' "$work/view.gtkw") == $(sed -n 's/^traces //p' "$work/shown") ]] || fail "$2: other groups"
  ! grep -qE "core[^$3]|(nbu|sub|rtt)[^$4/]" <(sed -nE 's/^\+\{([^}]*)\}.*/\1/p' "$work/view.gtkw" | grep -v 'smem\|^nbu ') ||
    fail "$2: names of others"
  # of each filter, what is shown is in it
  while read -r file; do
    n=$((n + 1))
    grep -q "^filter $n " "$work/shown" || fail "$2: filter $n, $file, is not applied"
    grep "^filter $n " "$work/shown" | cut -d ' ' -f 3- | while read -r text; do
      [[ $text == *[!x]* ]] || continue # before the first launch of a card
      cut -d ' ' -f 2- "$file" | grep -qxF -- "$text" || echo "$text"
    done >"$work/nameless"
    [[ ! -s $work/nameless ]] || fail "$2: what $file does not have: $(head -n 3 "$work/nameless" | tr '\n' ' ')"
  done < <(sed -n 's/^^1 //p' "$work/view.gtkw")
  [[ $n -gt 0 ]] || fail "$2: no filters"
}
views=$(cd waves && ls ./*.gtkw | sed 's/^..//; s/\.gtkw$//; /^platform$/d')
for view in $views; do shows "$one" "$view" 0 0; done
for view in story rtt ${MPU_LONG:+bankctl smem}; do shows "$two" "$view" 1 3; done
shows "$cards" platform 0 0
# a range: from its first cycle through its last one
cat >"$work/range.tcl" <<'TCL'
source waves/open.tcl
set f [open $::env(SHOWN) w]
puts $f "[gtkwave::getWindowStartTime] [gtkwave::getWindowEndTime]"
close $f
exit
TCL
for range in 600:700 ":30"; do
  "$MPU" waves --range $range --write "$work/view.gtkw" "$one" || fail "--range $range: not written"
  rm -f "$work/shown"
  SHOWN=$work/shown timeout 600 gtkwave -r "$work/rc" -S "$work/range.tcl" "$one" "$work/view.gtkw" >"$work/log" 2>&1
  from=${range%:*} to=${range#*:}
  awk -v from="${from:-0}" -v to="${to:-1500}" '
    function about(a, b) { return a > b - (to - from) * 10 && a < b + (to - from) * 10 }
    { ok = about($1, from * 1000) && about($2, to * 1000) } END { exit !ok }' "$work/shown" || fail "--range $range shows $(<"$work/shown") ps"
done
kill $screen && wait $screen
screen=''
unset DISPLAY

# ---- all values that occur, not only where GTKWave was asked
for view in $views; do
  awk '/^\^1 / { filter = $2 } /^@/ { filter = "" } /^\+/ && filter { sub(/^\+\{[^}]*\} /, ""); sub(/\[[0-9]+:0\]$/, ""); print $0, filter }' "waves/$view.gtkw"
done | sort -u >"$work/filtered"
"$check" values "$one" $(cut -d ' ' -f 1 "$work/filtered" | sort -u) >"$work/values" || fail "values"
while read -r signal filter; do
  [[ $filter != NAMES ]] && filter=waves/$filter || filter=$one.names
  awk -v signal="$signal" -v filter="$filter" '
    function key(text) { text = tolower(text); sub(/^0+/, "", text); return text == "" ? "0" : text }
    BEGIN { while ((getline line <filter) > 0) { split(line, w, " "); known[key(w[1])] = 1 } }
    $1 == signal && !(key($2) in known) { print signal ": " $2 " has no name in " filter }' "$work/values"
done <"$work/filtered" >"$work/nameless"
[[ ! -s $work/nameless && $(wc -l <"$work/filtered") -gt 50 ]] || { fail "values without a name"; head -n 5 "$work/nameless"; }

# ---- names of states and operations are those of the Verilog
# is FILTER: its lines, but for those without a name, are those of stdin ("name = 3'd2"; without PREFIX; ADD more)
is() { # FILTER PREFIX ADD
  sed -nE "s/.*\\b$2([A-Za-z0-9_]+) += +[0-9]+'d([0-9]+).*/\\1 \\2/p" | awk -v add="${3:-0}" '{ printf "%X %s\n", $2 + add, $1 }' >"$work/want"
  [[ -s $work/want ]] || fail "nothing to compare $1 with"
  diff -i "$work/want" <(grep -v ' -$' "waves/filters/$1.txt") >"$work/diff" || { fail "$1.txt is not as the Verilog has it"; head -n 5 "$work/diff"; }
}
params() { # FILE FIRST: a localparam that begins with FIRST, a name a line
  awk -v first=" $2 = " '/localparam/ && index($0, first) { on = 1 } on { print } /;/ { on = 0 }' "rtl/$1" |
    sed -E "s/\\bSW'\\(([0-9]+)\\)/3'd\\1/g" | grep -oE "[A-Za-z]+ = [0-9]'d[0-9]+"
}
params mpu/lsux/lsux_bank.sv Idle | is lsux_bank_state ''
grep 'localparam \[1:0\]' rtl/mpu/lsux/lsux_pkg.sv | is lsux_how ''
params mpu/lsux/lsux_shared.sv Idle | is lsux_shared_state ''
params mpu/smem/smem.sv Idle | is smem_state ''
params mpu/regmove/regmove_rd.sv Idle | is regmove_rd_state ''
for first in Idle Step; do params mpu/regmove/regmove_wr.sv $first; done | is regmove_wr_state ''
params dram/bankctl/bankctl_execute.sv Act | is command ''
grep 'localparam \[2:0\]' rtl/mpu/valu/valu_pkg.sv | is valu_kind ''
grep 'localparam \[3:0\]' rtl/mpu/fpu/fpu_pkg.sv | is fpu_op ''
grep MTYPE_ rtl/mpu/tsv_pkg.sv | is memory_type MTYPE_
{ grep -E 'MOP_(LD|ST) ' rtl/mpu/tsv_pkg.sv | sed 's/MOP_/ATOM_/; s/4.d\(.\)/5'"'"'d\1 - 4/'; } >"$work/mops"
{ echo "0 ld"; echo "1 st"; sed -nE "s/.* ATOM_([A-Z]+) = 5'd([0-9]+);/\2 \1/p" rtl/mpu/isa_pkg.sv | awk '{ printf "%X %s\n", $1 + 4, tolower($2) }'; } >"$work/want"
diff "$work/want" <(grep -v ' -$' waves/filters/memory_op.txt) >"$work/diff" || { fail "memory_op.txt is not as the Verilog has it"; cat "$work/diff"; }
diff <(sed -n '/typedef enum fpu_op/,/FPU_OPS/p' csim/mpu/fpu.h | sed -nE 's/^ *FPU_([A-Z0-9_]+),$/\L\1/p' | awk '{ printf "%X %s\n", NR - 1, $0 }') \
  waves/filters/fpu_op.txt >"$work/diff" || { fail "fpu_op.txt is not what csim/mpu/fpu.h has"; cat "$work/diff"; }
diff <(sed -n '/typedef enum lsu_phase/,/}/p' harness/machines/mpu/core/lsu.h | sed -nE 's/^ *LSU_([A-Z]+),.*/\L\1/p' | awk '{ print NR, $0 }') \
  <(grep -v ' -$' waves/filters/lsu_phase.txt) >"$work/diff" || { fail "lsu_phase.txt is not what lsu.h of the core has"; cat "$work/diff"; }
[[ $(grep up0_op csim/mpu/ports/rtt.def) == *"\"$(sed 's/$/,/' waves/filters/rtt_op.txt | tr '\n' ' ' | sed 's/, $//')\""* ]] || fail "rtt_op.txt is not what rtt.def says"

diff <(sed -nE 's/^CARD_VALUE\(CONTEXT_STATE, ([0-9]), ([A-Z]+),.*/0000000\1 \2/p' harness/systemc/card/card.def) waves/filters/context_state.txt >"$work/diff" ||
  { fail "context_state.txt is not what card.def has"; cat "$work/diff"; }

# ---- no room for a view, of a picture either: the reason is said, nothing is left
mkdir "$work/none"
for option in write picture; do
  # what is said goes through a pipe, which has no limit
  (trap '' XFSZ; ulimit -f 0; exec "$MPU" waves --$option "$work/none/x.png" "$one") 2>&1 >/dev/null | cat >"$work/err"
  [[ ${PIPESTATUS[0]} == 2 ]] && grep -qE "^mpu: cannot write '$work/none/x.png(\.gtkw)?': File too large$" "$work/err" || fail "--$option without room: $(<"$work/err")"
  [[ -z $(ls -A "$work/none") ]] || fail "--$option without room: $(ls -A "$work/none")"
done

# ---- pictures: of the view as a whole, the same each time
size() { od -A n -t u1 -j 16 -N 8 "$1" | awk '{ print ($3 * 256 + $4) "x" ($7 * 256 + $8) }'; }
"$MPU" waves --picture "$work/1.png" "$one" >"$work/out" 2>&1 || { fail "a picture"; cat "$work/out"; }
"$MPU" waves --picture "$work/2.png" "$one" && cmp "$work/1.png" "$work/2.png" || fail "another picture the second time"
[[ $(size "$work/1.png") == 1200x$((17 * $(grep -c '^[-+#]' waves/story.gtkw) + 110)) ]] || fail "size of a picture: $(size "$work/1.png")"
for options in "--view opc" "--nbu 1" ${MPU_LONG:+"--cycle 700"} "--range 600:610"; do
  "$MPU" waves $options --picture "$work/2.png" "$one" || fail "a picture with $options"
  (($(stat -c %s "$work/2.png") > 20000)) && ! cmp -s "$work/1.png" "$work/2.png" || fail "the same picture with $options"
done
"$MPU" waves --picture "$work/3.png" "$two" && (($(stat -c %s "$work/3.png") > 20000)) || fail "a picture of another core"
[[ ! -e $work/1.png.gtkw && ! -e $work/one.story.gtkw ]] || fail "a view is left"
# nothing of it stays, however it ends: the number of its display is of its process
lives() { pgrep -f "^Xvfb :$((1000 + $1 % 50000)) |gtkwave .*$work/" >/dev/null; }
"$MPU" waves --picture "$work/4.png" "$one" &
pid=$!
wait $pid
! lives $pid || fail "processes are left"
mkdir "$work/bin"
printf '#!/bin/sh\nexec tail -f %s/rc\n' "$work" >"$work/bin/gtkwave" && chmod +x "$work/bin/gtkwave"
draws() { pgrep -f "^tail -f $work/" >/dev/null; }
nothing_left() { ! lives "$1" && ! draws; }
for signal in INT TERM KILL; do
  (trap - INT; PATH=$work/bin:$PATH exec "$MPU" waves --picture "$work/4.png" "$one") &
  pid=$!
  wait_for draws || fail "GTKWave is not started"
  kill -$signal $pid
  wait $pid 2>/dev/null
  wait_for nothing_left $pid || fail "SIG$signal: processes are left"
done

# ---- wrong use
mkdir "$work/bare"
echo '#!/bin/sh' >"$work/bin/gtkwave"
expect "has not written '$work/5.png'" env PATH="$work/bin:$PATH" "$MPU" waves --picture "$work/5.png" "$one"
expect "a picture needs Xvfb (Debian: xvfb)" env PATH="$work/bare" "$MPU" waves --picture "$work/5.png" "$one"
ln -s "$(command -v Xvfb)" "$work/bare/Xvfb"
ln -s "$(command -v sh)" "$(command -v xkbcomp)" "$work/bare/"
expect "a picture needs GTKWave (Debian: gtkwave)" env PATH="$work/bare" "$MPU" waves --picture "$work/5.png" "$one"
expect "cannot write '$work/no/picture.png" "$MPU" waves --picture "$work/no/picture.png" "$one"
expect "cannot write '$work/none': Is a directory" "$MPU" waves --picture "$work/none" "$one"
expect "which file?" "$MPU" waves
expect "unknown view 'none'; known: bankctl " "$MPU" waves --view none "$one"
expect "unknown view '../story'" "$MPU" waves --view ../story "$one"
expect "--core takes a number from 0 to 127, not 'x'" "$MPU" waves --core x "$one"
expect "--core takes a number from 0 to 127, not '128'" "$MPU" waves --core 128 "$one"
expect "--nbu takes a number from 0 to 3, not '4'" "$MPU" waves --nbu 4 "$one"
expect "--cycle takes a number from 0 to " "$MPU" waves --cycle -1 "$one"
for range in 7 : 5:5 9:1 a:b -1:5 1:2:3; do
  expect "--range takes cycles A:B, from A on and before B (or A: or :B), not '$range'" "$MPU" waves --range=$range "$one"
done
for range in 1500: 1500:1600 99999:; do
  expect "'$one' has cycles 0 to 1499; --range $range is outside of them" "$MPU" waves --range $range --picture "$work/5.png" "$one"
done
expect "'$two' has cycles 100 to 499; --range :100 is outside of them" "$MPU" waves --range :100 --picture "$work/5.png" "$two"
printf '\0fst' >"$work/short.fst"
expect "'$work/short.fst' has no cycles for --range 1:2" "$MPU" waves --range 1:2 --picture "$work/5.png" "$work/short.fst"
expect "--range and --cycle do not go together" "$MPU" waves --range 1:2 --cycle 1 "$one"
expect "cannot read '$work/none.fst'" "$MPU" waves "$work/none.fst"
expect "is not a wave file (FST)" "$MPU" waves waves/story.gtkw
expect "GTKWave needs a display" "$MPU" waves "$one"
expect "unknown option '--what'" "$MPU" waves --what "$one"
expect "one file at a time" "$MPU" waves "$one" "$two"
expect "cannot write '$work/no/view.gtkw'" "$MPU" waves --write "$work/no/view.gtkw" "$one"
exit $failed
