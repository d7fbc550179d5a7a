#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# catalogue.sh [OPTION...] SUITE=FOLDER...
#
# Builds and runs the programs of public suites that you have, unchanged, and writes what works into docs/compatibility.md.
# SUITE is a table of this folder (rodinia, polybench, ...); FOLDER holds the suite and is copied, not changed. Each program is
# built with its own Makefile against the folder of `mpu sdk`, runs on the functional machine with small data, and is compared as
# its table says. docs/compatibility.md (section "Making this page") explains the tables.
#
#   --only PATTERN   only programs whose name matches, as 'nw' or 'mri-*'; the others keep their results
#   --again          only programs that were not right the last time
#   --jobs N         programs at a time (2)
#   --seconds N      time limit of a run (120); a build has 5 times as long, a comparison twice
#   --work FOLDER    copies, logs and results (build/catalogue)
#   --page FILE      write this page (docs/compatibility.md)
#
# MPU names the tool (./mpu), as in the tests.
set -u
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(readlink -f "$here/../../..")
die() { echo "catalogue.sh: $*" >&2; exit 2; }

# ---- tables: blocks `[name]` with lines `key: text`; the block [*] has what programs do not say themselves
names() { sed -n 's/^\[\(.*\)\]$/\1/p' "$1" | grep -vxF '*'; }
field() { # TABLE NAME KEY
  awk -v name="$2" -v key="$3: " '
    /^\[.*\]$/ { block = substr($0, 2, length($0) - 2) }
    index($0, key) == 1 && (block == name || block == "*") { value[block] = substr($0, length(key) + 1); has[block] = 1 }
    END { print (name in has) ? value[name] : value["*"] }' "$1"
}

# ---- one program
limited() { # SECONDS LOG LINE: the line, in the folder of the program
  timeout -k 5 "$1" setsid -w bash -c "$3" >"$2" 2>&1 </dev/null
}
reason() { # LOG STATUS SECONDS: the line that says why, without folders
  if (($2 == 124 || $2 == 137)); then
    echo "longer than $3 s"
    return
  fi
  local line
  line=$(grep -aE -m1 'fatal error:|error:|undefined reference|No rule to make|[Nn]o such file|not found|FAIL|rror|illegal|not supported' "$1")
  [[ $line ]] || line=$(grep -av '^$' "$1" | tail -n 1)
  ((${#line})) || line="status $2"
  printf '%s\n' "$line" | tr -d '\033\r' | LC_ALL=C tr -cd '\11\40-\176' |
    sed -E "s#(/[A-Za-z0-9_.+-]+)+/##g; s/\[[0-9;]*m//g; s/\|/ /g; s/\`/'/g; s/^ +//" | cut -c 1-120
}
program() { # TABLE NAME: writes NAME.result with builds|runs|right|why
  local table=$1 name=$2 log=$out/${2//\//-} seconds builds=no runs=- right=- why="" line status
  export NAME=$name LOG=$log.run
  seconds=$(field "$table" "$name" seconds)
  : "${seconds:=$SECONDS_OF_RUN}"
  dir=$(field "$table" "$name" dir)
  dir=$(eval "echo \"$dir\"")
  if ! cd "$TOP"/$dir 2>/dev/null; then
    why="no folder $dir"
  elif ! limited $((5 * seconds)) "$log.build" "$(field "$table" "$name" build)"; then
    why=$(reason "$log.build" 1 $((5 * seconds)))
  else
    builds=yes
    line=$(field "$table" "$name" data)
    [[ ! $line ]] || limited $((2 * seconds)) "$log.data" "$line" || echo "$name: no data, see $log.data" >&2
    limited "$seconds" "$LOG" "$(field "$table" "$name" run)"
    status=$?
    runs=yes
    line=$(field "$table" "$name" right)
    if ((status)) || { [[ ! $line || $line == - ]] && grep -aq '^mpu: ' "$LOG"; }; then
      runs=no
      why=$(reason "$LOG" $status "$seconds")
    elif [[ ! $line || $line == - ]]; then
      why="nothing to compare with"
    elif limited $((2 * seconds)) "$log.right" "$line"; then
      right=yes
    else
      right=no
      why=$(cat "$log.right" "$LOG" >"$log.both"; reason "$log.both" 1 0)
    fi
  fi
  line=$(field "$table" "$name" note)
  [[ ! $line ]] || why=$line
  echo "$name|$builds|$runs|$right|$why" >"$log.result"
  printf '%-28s builds %-4s runs %-4s right %-4s %s\n' "$name" "$builds" "$runs" "$right" "$why"
}

# ---- one suite
# Results that the page has and this folder has not, as in another copy of the project.
recall() { # TABLE
  local line name
  [[ -e $page ]] || return 0
  awk -v head="## $(field "$1" '*' title)" '/^## / { on = $0 == head } on && /^[|] / && !/^[|] (program|---) /' "$page" |
    sed -e 's/^| //' -e 's/ *|$//' -e 's/ | /|/g' -e 's/ |$/|/' |
    while read -r line; do
      name=${line%%|*}
      [[ -e $out/${name//\//-}.result ]] || printf '%s\n' "$line" >"$out/${name//\//-}.result"
    done
}
suite() { # SUITE FOLDER
  local name=$1 table=$here/$1.txt line
  export TOP=$work/$name/copy out=$work/$name/results HERE=$here
  export HOME=$TOP
  mkdir -p "$out"
  rm -f "$work/$name/none"
  recall "$table"
  if [[ ! -e $work/$name/copied ]]; then
    rm -rf "$TOP" && cp -a "$2" "$TOP" && chmod -R u+w "$TOP" || die "cannot copy $2"
    line=$(field "$table" '*' once)
    [[ ! $line ]] || (cd "$TOP" && NAME='' limited 900 "$work/$name/once.log" "$line") ||
      die "$name: preparing it failed, see $work/$name/once.log"
    touch "$work/$name/copied"
  fi
  export -f program limited reason field
  names "$table" | while read -r line; do
    # shellcheck disable=SC2053  # a pattern
    [[ $line == $only ]] && ! { ((again)) && grep -qs '^[^|]*|yes|yes|yes|' "$out/${line//\//-}.result"; } && printf '%s\n' "$line"
  done | xargs -r -d '\n' -P "$jobs" -I NAME bash -c 'program "$@"' program "$table" NAME 9>&-
  section "$name" "$table" >"$work/$name/section.md"
}
section() { # SUITE TABLE: its part of the page
  local line key title version
  title=$(field "$2" '*' title)
  version=$(field "$2" '*' version)
  printf '## %s\n' "$title"
  printf '%s, %s. %s\n' "$(field "$2" '*' from)" "$version" "$(field "$2" '*' about)" | fmt -w 120
  echo
  printf '| program | builds | runs | right | remarks |\n| --- | --- | --- | --- | --- |\n'
  while read -r line; do
    key=$out/${line//\//-}.result
    [[ ! -e $key ]] || sed 's/|/ | /g; s/^/| /; s/ *$/ |/' "$key"
  done < <(names "$2")
}

# ---- the page: sections of suites that were run are new, others stay
write_page() {
  local old=$work/old.md new=$work/new.md table name title
  { [[ -e $page ]] && cat "$page"; } >"$old" || : >"$old"
  {
    cat "$here/page_head"
    printf '\n| suite | programs | build | run | right | compared |\n| --- | --- | --- | --- | --- | --- |\n'
    : >"$work/body.md"
    for table in $(<"$here/order"); do
      title=$(field "$here/$table.txt" '*' title)
      name=$work/$table.md
      if [[ " $suites " == *" $table "* ]]; then cp "$work/$table/section.md" "$name"
      else awk -v head="## $title" '/^## / { on = $0 == head } on' "$old" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$name"; fi
      [[ -s $name ]] || continue
      count "$title" "$name"
      { echo; cat "$name"; } >>"$work/body.md"
    done
    cat "$work/body.md"
  } >"$new"
  cp "$new" "$page"
}
count() { # TITLE SECTION: its line of the first table
  awk -F ' *[|] *' -v title="$1" '
    /^\| / && $2 != "program" && $2 != "---" { n++; b += $3 == "yes"; r += $4 == "yes"; ok += $5 == "yes"; c += $5 != "-" }
    END { printf "| %s | %d | %d | %d | %d | %d |\n", title, n, b, r, ok, c }' "$2"
}

[[ ${1-} != program ]] || { shift; program "$@"; exit; }
only='*' again=0 jobs=2 seconds=120 work=$root/build/catalogue page=$root/docs/compatibility.md suites=""
declare -A folder
while (($#)); do
  case $1 in
    --only | --jobs | --seconds | --work | --page)
      (($# > 1)) || die "$1 needs a value"
      declare "${1#--}=$2"
      shift ;;
    --again) again=1 ;;
    --help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    --*) die "unknown option $1; --help lists them" ;;
    *=*)
      [[ -e $here/${1%%=*}.txt ]] || die "no table for '${1%%=*}'; there are: $(tr '\n' ' ' <"$here/order")"
      [[ -d ${1#*=} ]] || die "${1#*=} is not a folder"
      folder[${1%%=*}]=$(readlink -f "${1#*=}")
      suites+=" ${1%%=*}" ;;
    *) die "'$1' is not SUITE=FOLDER" ;;
  esac
  shift
done
[[ $suites ]] || die "which suites? SUITE=FOLDER... ; --help explains"
mpu=${MPU:-$root/mpu}
mkdir -p "$work" && work=$(readlink -f "$work")
exec 9>"$work/lock" && flock -n 9 || die "another run works in $work; --work names another folder"
export SDK=$work/sdk SECONDS_OF_RUN=$seconds MPU_NEAR=none OMP_NUM_THREADS=2 LC_ALL=C.UTF-8
export CUDA_PATH=$SDK CUDA_HOME=$SDK CUDA_DIR=$SDK CUDACXX=$SDK/bin/nvcc PATH=$SDK/bin:$PATH
"$mpu" sdk "$SDK" 9>&- || die "$mpu sdk failed"
for name in $suites; do suite "$name" "${folder[$name]}"; done
write_page
