# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by mpu area, timing, power, export and formal: what they have in common. Callers set tool, the command's name, and run in
# the root of the repository; from is where the user was.
die() { echo "$tool: $*" >&2; exit 2; }
absolute() { [[ $1 == /* ]] && echo "$1" || echo "$from/$1"; }
default_liberty=${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib

number() { # OPTION VALUE LEAST
  [[ ${2:-} =~ ^(0|[1-9][0-9]{0,8})$ ]] && (($2 >= $3)) || die "$1 takes a number from $3, not '${2:-}'"
}

# The options that all have are legal, and their files there.
check_options() {
  local f
  [[ $jobs =~ ^[1-9][0-9]*$ ]] || die "-j takes a number from 1, not '$jobs'"
  [[ -r $config ]] || die "cannot read the technology '$config'"
  for f in "$@"; do # files to be written
    [[ $f != "$from/-" ]] || die "'-' is not a file here; a file of that name is ./-"
    [[ ! $f ]] || can_write "$f" || die "cannot write '$f'"
  done
}
# Nothing stays of the attempt.
can_write() { # FILE
  if [[ -e $1 ]]; then
    [[ ! -d $1 && -w $1 ]]
  else
    { : >"$1.$$.part"; } 2>/dev/null && rm -f "$1.$$.part"
  fi
}
# A file has its name only when it is whole and on the disk. Where nowhere is asked for, nothing.
deliver() { # FILE WHERE
  [[ $2 ]] || return 0
  if [[ -e $2 && ! -f $2 ]]; then
    cat "$1" 2>/dev/null >"$2" || die "cannot write '$2': is the disk full?"
    return
  fi
  local to
  to=$(realpath -m -- "$2")
  if ! { cat "$1" >"$to.$$.part" && sync "$to.$$.part" && mv -f "$to.$$.part" "$to"; } 2>/dev/null; then
    rm -f "$to.$$.part"
    die "cannot write '$2': is the disk full?"
  fi
}
# Where mapped netlists are kept, so that a checkout that cannot be written to will do.
check_cache() {
  local cache=${MPU_AREA_CACHE:-build/area/cache}
  mkdir -p "$cache" 2>/dev/null && [[ -w $cache ]] ||
    die "cannot write to '$cache', where mapped netlists are kept; MPU_AREA_CACHE=FOLDER names another folder"
  cache=$(realpath "$cache")
  [[ $cache != *[[:space:]]* ]] ||
    die "Yosys takes no blanks in names of files: '$cache', where mapped netlists are kept; MPU_AREA_CACHE=FOLDER names another folder"
}
check_liberty() {
  [[ -r $liberty ]] && return
  [[ $liberty != "$default_liberty" ]] || die "cannot read the library '$liberty'; Debian: qflow-tech-osu018"
  die "cannot read the library '$liberty'"
}
# Configuration and library, as the other scripts read them: in the folder work.
read_config() { awk -v tool="$tool" -v file="$config" -v sets="$sets" -f synth/config.awk "$config" >"$work/config"; }
read_library() { awk -f synth/library.awk "$liberty" 2>"$work/said" >"$work/library" || die "$(sed 's/^[a-z]*: //' "$work/said")"; }
# ---- the machine of --config and --set, whose structure is parameters of the Verilog
machine=() structure='' row_buffers=''
take_machine() { # --config|--set VALUE
  [[ ${2:-} ]] || die "$1 needs a value; see mpu $tool --help"
  machine+=("$1" "$2")
}
# In structure those of die_slice that are not the default. The tool checks the configuration, and says what is wrong.
read_machine() {
  ((${#machine[@]})) || return 0
  local mpu=${MPU:-build/release/mpu-tool}
  [[ -x $mpu ]] || die "'$mpu' is not built, which --config and --set need; start as ./mpu $tool"
  mpu=$(realpath "$mpu")
  structure=$(cd "$from" && "$mpu" structure "${machine[@]}") || exit 2
  row_buffers=$(cd "$from" && "$mpu" config "${machine[@]}" | sed -nE 's/^ *row_buffers: *([0-9]+).*/\1/p') || exit 2
}
# Parameters of a module, with blanks between: those given, and those that it gets from the machine.
with_structure() { # MODULE [PARAMETER=VALUE...]
  local module=$1 p s all
  shift
  all=$*
  [[ ! $structure ]] || for p in $(awk -F'|' -v m="$module" '!/^#/ { gsub(/ +$/, "", $1) } $1 == m { print $2 }' synth/structure.txt); do
    [[ " $* " != *" ${p%%=*}="* ]] || continue
    for s in $structure; do [[ ${s%%=*} != "${p#*=}" ]] || all+="${all:+ }${p%%=*}=${s#*=}"; done
  done
  printf '%s\n' "$all"
}
