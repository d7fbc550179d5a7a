#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints harness/study/gpu/v100.csv anew: bytes and warp instructions of both sets of programs, counted by the functional machine,
# and the time that they take on a V100 at its best (docs/gpu.md).
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.." && pwd)
# shellcheck source=harness/study/gpu/rows.sh
. "$root/harness/study/gpu/rows.sh"

usage() {
  cat <<'TEXT'
usage: bash harness/study/gpu/count.sh [options] > TABLE

Counts compulsory bytes and warp instructions of the programs of kernels/plain and kernels/tiled, at
their default and their papers' sizes, and prints the table of harness/study/gpu/v100.csv.

  --only REGEX  only rows of which PROGRAM,ARGUMENTS matches
  --rows        without the comment and the line of columns
  --page        count nothing: print the frozen table as docs/gpu.md has it
  -h, --help    this text

MPU names the tool; without it, ./mpu is used. Exit status: 0, 1 when a program fails, 2 wrong use.
TEXT
}
say() { printf 'count: %s\n' "$*" >&2; }
wrong() { say "$*"; exit 2; }
only='' rows='' page=''
while (($#)); do
  case $1 in
  --only) (($# > 1)) || wrong "--only needs a value; see --help"; only=$2; shift ;;
  --rows) rows=1 ;;
  --page) page=1 ;;
  -h | --help) usage; exit 0 ;;
  *) wrong "unknown option '$1'; see --help" ;;
  esac
  shift
done
check_only "$only"
if [[ $page ]]; then
  awk -F, '
    /^#/ || $1 == "set" { next }
    { printf "| `%s` | %s | %s | %s | %s | %.2f | %s |\n", $2, $3 ? "`" $3 "`" : "", $4, $5, $6, $7 / 1000, $8 }' "$root/harness/study/gpu/v100.csv"
  exit 0
fi
if [[ ! ${MPU:-} ]]; then MPU=$root/mpu; fi
export MPU_ROOT=$root
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

field() { # KEY: a count of the statistics
  grep -oE "\"$1\": [0-9]+" "$work/stats" | grep -oE '[0-9]+$' || { say "the statistics have no $1"; exit 1; }
}

# 0.8 TB/s are 800 bytes a ns, 441 G/s are 441 warp instructions a ns
time_of() { # BYTES INSTRUCTIONS: NS,BOUND
  awk -v bytes="$1" -v instructions="$2" 'BEGIN {
    memory = bytes / 800; issue = instructions / 441
    if (memory >= issue) printf "%.1f,memory\n", memory; else printf "%.1f,issue\n", issue }'
}

count() { # SET NAME ARGUMENTS
  local folder=$root/kernels/$1/$2 read write instructions
  # shellcheck disable=SC2086
  if ! "$MPU" run -q --near=none --count-bytes --stats "$work/stats" "$folder" -- $3 >"$work/out" 2>&1; then
    say "mpu run --near=none --count-bytes ${folder#"$root/"} -- $3 failed:"
    tail -n 5 "$work/out" >&2
    exit 1
  fi
  read=$(field compulsory_read_bytes) write=$(field compulsory_write_bytes) instructions=$(field warp_instructions)
  echo "$1,kernels/$1/$2,$3,$read,$write,$instructions,$(time_of $((read + write)) "$instructions")"
}

if [[ ! $rows ]]; then
  cat <<TEXT
# V100 at best: what each program takes at least on a V100, at the sizes of its arguments. docs/gpu.md has the assumptions.
# bytes: of sectors of 32 bytes that are read and not written before, and that are written, each once
# ns: the longer of bytes / 0.8 TB/s (memory) and warp instructions / 441 G/s (issue)
# Frozen: a later compiler or machine does not change it. Counted at $("$MPU" --version | sed -n 's/^commit //p') by
# bash harness/study/gpu/count.sh, with $(clang --version | head -n 1).
set,program,arguments,read_bytes,write_bytes,warp_instructions,ns,bound
TEXT
fi
each_row "$only" count
