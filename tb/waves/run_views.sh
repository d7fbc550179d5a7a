#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The views for GTKWave (waves/): a real GTKWave finds each of their signals in a fresh file, the names that filters give are
# those of the Verilog, and each value that occurs has one. A picture can be drawn.
set -uo pipefail
work=$(mktemp -d)
screen=''
trap '[[ ! $screen ]] || kill "$screen" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
for need in Xvfb gtkwave fst2vcd import; do
  command -v $need >/dev/null || { echo "FAILED: there is no $need (Debian: xvfb gtkwave imagemagick)"; exit 1; }
done

"$MPU" run -q --near=rtl --wave "$work/one.fst" --wave-window 0:1500 kernels/hist -- --n 4096 >"$work/out" 2>&1 || fail "a run with waves"
"$MPU" run -q --near=c --rtl-core 1 --config paper --wave "$work/two.fst" --wave-window 100:500 --wave-scope core1 \
  kernels/axpy -- --n 20000 >"$work/out" 2>&1 || fail "waves of core 1"

export HOME=$work NO_AT_BRIDGE=1 GDK_BACKEND=x11
Xvfb -displayfd 3 -screen 0 1200x800x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
screen=$!
for ((n = 0; n < 200 && ! $(wc -c <"$work/display"); n++)); do sleep 0.1; done
DISPLAY=:$(<"$work/display")
export DISPLAY
printf 'enable_fast_exit 1\nsplash_disable 1\n' >"$work/rc"
cat >"$work/script" <<TCL
set f [open $work/shown w]
foreach s [gtkwave::getDisplayedSignals] { puts \$f \$s }
close \$f
exit
TCL

# Signals that a view names, as GTKWave lists them: (k)name[n:0] is bit n - k.
named() {
  awk '/^core/ { print }
       /^#\{/ { for (n = 2; n <= NF; n++) {
                  k = substr($n, 2) + 0
                  name = $n
                  sub(/^\([0-9]+\)/, "", name)
                  top = name
                  sub(/.*\[/, "", top)
                  sub(/\[[0-9]+:0\]$/, "", name)
                  print name "[" top - k "]"
                } }' "$1"
}

check_view() { # FILE.fst VIEW core nbu
  "$MPU" waves --view "$2" --core "$3" --nbu "$4" --write "$work/view.gtkw" "$1" || { fail "$2: not written"; return; }
  rm -f "$work/shown"
  timeout 60 gtkwave -r "$work/rc" -S "$work/script" "$1" "$work/view.gtkw" >"$work/log" 2>&1
  [[ -s $work/shown ]] || { fail "$2: GTKWave does not show it: $(tail -n 1 "$work/log")"; return; }
  diff <(named "$work/view.gtkw") "$work/shown" >"$work/diff" ||
    fail "$2 of core $3, NBU $4: $(grep -c '^[<>]' "$work/diff") signals: $(grep -m 3 '^[<>]' "$work/diff" | tr '\n' ' ')"
  sed -n 's/^^1 //p' "$work/view.gtkw" | sort -u | while read -r filter; do
    [[ -s $filter ]] || echo "$filter"
  done >"$work/missing"
  [[ ! -s $work/missing ]] || fail "$2: no filter $(<"$work/missing")"
}
for view in waves/*.gtkw; do
  check_view "$work/one.fst" "$(basename "$view" .gtkw)" 0 0
done
check_view "$work/two.fst" story 1 3
check_view "$work/two.fst" rtt 1 2

# ---- each value of a filtered signal has a name
fst2vcd -f "$work/one.fst" -o "$work/one.vcd"
for view in waves/*.gtkw; do
  # signal and filter
  awk '/^\^1 / { filter = $2 } /^core/ && filter { print $0, filter; filter = "" } /^@/ && !/^@2/ { filter = "" }' "$view"
done | sort -u | while read -r signal filter; do
  [[ $filter != NAMES ]] || filter=$work/one.fst.names
  [[ $filter == /* ]] || filter=waves/$filter
  awk -v path="${signal%%[*}" -v filter="$filter" '
    function hex(bits, n, s) {
      while (length(bits) % 4) bits = "0" bits
      for (n = 1; n <= length(bits); n += 4)
        s = s sprintf("%X", substr(bits, n, 1) * 8 + substr(bits, n + 1, 1) * 4 + substr(bits, n + 2, 1) * 2 + substr(bits, n + 3, 1))
      return s
    }
    BEGIN { while ((getline line <filter) > 0) { split(line, w, " "); known[toupper(w[1])] = 1 } }
    /^\$scope/ { scope = scope sep $3; sep = "."; next }
    /^\$upscope/ { sub(/\.?[^.]*$/, "", scope); if (scope == "") sep = ""; next }
    /^\$var/ { if (scope "." $5 == path) code = $4; next }
    /^b/ { if (($2 "") == (code "") && !(hex(substr($1, 2)) in known)) bad[hex(substr($1, 2))] = 1 }
    END { for (b in bad) print path ": " b " has no name in " filter }' "$work/one.vcd"
done >"$work/nameless"
[[ ! -s $work/nameless ]] || { fail "values without a name"; head -n 5 "$work/nameless"; }

# ---- names of states are those of the Verilog
states() { # FILE of Verilog, FILTER
  diff <(sed -n '/localparam logic \[[0-9]*:0\] Idle/,/;/p' "rtl/$1" | grep -oE "[A-Z][A-Za-z]* = [0-9]'d[0-9]+" | sed -E "s/([A-Za-z]+) = [0-9]'d([0-9]+)/\2 \1/") \
    "waves/filters/$2" >"$work/diff" || { fail "$2 is not what rtl/$1 has"; cat "$work/diff"; }
}
states lsux/lsux_bank.sv lsux_bank_state.txt
states lsux/lsux_shared.sv lsux_shared_state.txt
states smem/smem.sv smem_state.txt
states regmove/regmove_rd.sv regmove_rd_state.txt
states regmove/regmove_wr.sv regmove_wr_state.txt

diff <(sed -n '/typedef enum fpu_op/,/FPU_OPS/p' csim/fpu.h | sed -nE 's/^ *FPU_([A-Z0-9_]+),$/\L\1/p' | awk '{ printf "%X %s\n", NR - 1, $0 }') \
  waves/filters/fpu_op.txt >"$work/diff" || { fail "fpu_op.txt is not what csim/fpu.h has"; cat "$work/diff"; }

# ---- a picture, and what is wrong use
unset DISPLAY
"$MPU" waves --cycle 300 --picture "$work/picture.png" "$work/one.fst" >"$work/out" 2>&1 || { fail "a picture"; cat "$work/out"; }
[[ $(identify -format '%wx%h' "$work/picture.png") == 1500x950 && $(identify -format '%k' "$work/picture.png") -gt 8 ]] || fail "what is in the picture"
refuses() { # message, arguments
  local want=$1
  shift
  "$MPU" waves "$@" >"$work/out" 2>&1
  [[ $? == 2 ]] && grep -qF -- "$want" "$work/out" || { fail "mpu waves $*"; cat "$work/out"; }
}
refuses "which file?"
refuses "there is no view 'none'; there are: bankctl " --view none "$work/one.fst"
refuses "--core takes a number from 0 to 127, not 'x'" --core x "$work/one.fst"
refuses "--nbu takes a number from 0 to 3, not '4'" --nbu 4 "$work/one.fst"
refuses "cannot read '$work/none'" "$work/none"
refuses "is no wave file (FST)" waves/story.gtkw
refuses "there is no display for GTKWave" "$work/one.fst"
refuses "unknown option '--what'" --what "$work/one.fst"
refuses "cannot write '$work/no/picture.png'" --picture "$work/no/picture.png" "$work/one.fst"
exit $failed
