#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# picture.sh FILE.fst VIEW.gtkw CYCLE FILE.png: what GTKWave shows, drawn without a display. What `mpu waves --picture` runs.
set -euo pipefail
fst=$1 view=$2 cycle=$3 png=$4
die() { echo "mpu: $*" >&2; exit 2; }
for need in Xvfb:xvfb gtkwave:gtkwave import:imagemagick; do
  command -v "${need%:*}" >/dev/null || die "a picture needs ${need%:*} (Debian: ${need#*:})"
done
work=$(mktemp -d)
screen=''
trap '[[ ! $screen ]] || kill "$screen" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
# GTKWave keeps settings in the home directory; here it has none
export HOME=$work GDK_BACKEND=x11 NO_AT_BRIDGE=1 LIBGL_ALWAYS_SOFTWARE=1
Xvfb -displayfd 3 -screen 0 1500x950x24 -nolisten tcp 3>"$work/display" 2>"$work/log" &
screen=$!
for ((n = 0; n < 200; n++)); do
  [[ ! -s $work/display ]] || break
  kill -0 "$screen" 2>/dev/null || die "Xvfb ended: $(head -n 1 "$work/log")"
  sleep 0.1
done
[[ -s $work/display ]] || die "Xvfb does not start"
DISPLAY=:$(<"$work/display")
export DISPLAY
printf 'fill_waveform 1\nenable_fast_exit 1\nsplash_disable 1\n' >"$work/rc"
# the script runs when the view is there; drawing it takes some more turns of the window
cat >"$work/script" <<TCL
proc shot {} {
  exec import -window root $work/shot.png
  exit
}
gtkwave::setZoomFactor -14.0
gtkwave::setWindowStartTime ${cycle}ns
after 1500 shot
vwait forever
TCL
timeout 60 gtkwave -r "$work/rc" -S "$work/script" "$fst" "$view" >"$work/log" 2>&1 || true
[[ -s $work/shot.png ]] || die "GTKWave drew nothing: $(tail -n 1 "$work/log")"
convert "$work/shot.png" -strip -colors 32 "$work/small.png"
cp "$work/small.png" "$png" || die "cannot write '$png'"
