# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by mpu area, timing and power: what they have in common. Callers set tool, the command's name, and run in
# the root of the repository; from is where the user was.
die() { echo "$tool: $*" >&2; exit 2; }
absolute() { [[ $1 == /* ]] && echo "$1" || echo "$from/$1"; }
default_liberty=${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib

# The options that all have are legal, and their files there.
check_options() {
  local f
  [[ $jobs =~ ^[1-9][0-9]*$ ]] || die "-j takes a number from 1, not '$jobs'"
  [[ -r $config ]] || die "cannot read the configuration '$config'"
  for f in "$@"; do # files to be written
    [[ ! $f ]] || { : >>"$f"; } 2>/dev/null || die "cannot write '$f'"
  done
}
check_liberty() {
  [[ -r $liberty ]] && return
  [[ $liberty != "$default_liberty" ]] || die "cannot read the library '$liberty'; Debian: qflow-tech-osu018"
  die "cannot read the library '$liberty'"
}
# Configuration and library, as the other scripts read them: in the folder work.
read_config() { awk -v tool="$tool" -v file="$config" -v sets="$sets" -f synth/config.awk "$config" >"$work/config"; }
read_library() { awk -f synth/library.awk "$liberty" 2>"$work/said" >"$work/library" || die "$(sed 's/^[a-z]*: //' "$work/said")"; }
