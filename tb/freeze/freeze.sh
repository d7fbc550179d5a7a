#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records what programs and sweeps do, and compares (docs/testing.md): cases.txt has the cases, frozen.txt what was recorded.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
root=${here%/tb/*}
frozen=$here/frozen.txt cases=$here/cases.txt

# What statistics and sweeps say at the top level that is not behaviour: of the host, of the model at hand, of the build,
# what is compared on its own, and what copies and streams take.
except="schema program result end near agree model host_seconds cpu_seconds host_memory core_cycles_per_second
        memory_digest version build configuration configuration_hash models copies stream_time"

usage() {
  cat <<'TEXT'
usage: bash tb/freeze/freeze.sh [--update] [--quick] [--only REGEX] [--list] [-j N]

Runs the cases of tb/freeze/cases.txt and compares cycles, counters, device memory and instruction
traces with tb/freeze/frozen.txt.

  --update      record what they are now, unless a case fails its own check
  --quick       the near side in C only, without the further runs that must give the same
  --only REGEX  only cases whose name matches
  --list        print the names of the cases
  --file FILE, --cases FILE   instead of frozen.txt and cases.txt
  -j N          runs at a time (number of processors)
  -h, --help    this text

Exit status: 0 nothing differs, 1 something does or a case failed, 2 wrong use.
TEXT
}
say() { printf 'freeze: %s\n' "$*" >&2; }
wrong() { say "$*"; exit 2; }

update='' quick='' only='' list='' jobs=$(nproc)
while (($#)); do
  case $1 in
  --update) update=1 ;;
  --quick) quick=1 ;;
  --list) list=1 ;;
  --only | --file | --cases | -j)
    (($# > 1)) || wrong "$1 needs a value; see --help"
    case $1 in --only) only=$2 ;; --file) frozen=$2 ;; --cases) cases=$2 ;; -j) jobs=$2 ;; esac
    shift
    ;;
  -h | --help) usage; exit 0 ;;
  *) wrong "unknown option '$1'; see --help" ;;
  esac
  shift
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || wrong "-j takes a number from 1, not '$jobs'"
if [[ $only ]]; then
  [[ x =~ $only ]] || (($? < 2)) || wrong "--only takes a regular expression, not '$only'"
fi

# ---- cases
declare -A base changes kind also how
names=()
n=0
while read -r what name rest; do
  n=$((n + 1))
  case $what in
  '' | '#'*) ;;
  machine) read -r "base[$name]" "changes[$name]" <<<"$rest" ;;
  run | dram | noc)
    [[ ! -v kind[$name] ]] || wrong "$cases:$n: there are two cases $name"
    kind[$name]=$what
    if [[ $what == noc ]]; then
      also[$name]=- how[$name]=$rest
    else
      read -r "also[$name]" "how[$name]" <<<"$rest"
    fi
    [[ $only && ! $name =~ $only ]] || names+=("$name")
    ;;
  *) wrong "$cases:$n: '$what' is not machine, run, dram or noc" ;;
  esac
done <"$cases" || exit 2
((${#names[@]})) || wrong "no case matches '$only'; --list prints their names"
if [[ $list ]]; then printf '%s\n' "${names[@]}"; exit 0; fi
[[ ! $update || ! $quick ]] || wrong "--update does not go with --quick"
[[ $update || -e $frozen ]] || wrong "there is no $frozen: --update records it"

# ---- the tool, which is built when nobody names it
if [[ ! ${MPU:-} ]]; then
  "$root/mpu" config --list >/dev/null || exit 2
  if [[ ! $quick ]]; then
    "$root/mpu" run --help --near=lockstep >/dev/null || exit 2
    "$root/mpu" run -q --near=lockstep "$root/kernels/axpy" -- --n 32 >/dev/null || exit 2
    "$root/mpu" dram --model both --accesses 100 >/dev/null || exit 2
  fi
  MPU=$root/build/release/mpu-tool
fi
export MPU_ROOT=$root MPU_POSTMORTEM=none
# programs have the runtime of the tool's build in them
export MPU_CACHE=${MPU_CACHE:-$(dirname "$MPU")/freeze-cache}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; wait; exit 130' INT TERM

for name in "${!base[@]}"; do
  printf 'base: %s\n%s\n' "${base[$name]}" "${changes[$name]//; /$'\n'}" >"$work/$name.yaml"
done

# ---- runs. Each leaves $work/CASE.MODE with / as +: .flat, .results and, when it failed, .failed.

# call NAME MODE: the command, in `call`, up to what it writes
call() {
  local name=$1 mode=$2 machine program options=() args=() words
  case ${kind[$name]} in
  run)
    read -r machine words <<<"${how[$name]}"
    for word in $words; do
      if [[ ${program:-} ]]; then args+=("$word"); elif [[ $word == -* ]]; then options+=("$word"); else program=$word; fi
    done
    [[ ! -v base[$machine] ]] || machine=$work/$machine.yaml
    case $mode in
    none) options+=(--near=none) ;;
    threads) options+=(--config "$machine" --near=c --threads 2) ;;
    *) options+=(--config "$machine" "--near=$mode") ;;
    esac
    call=("$MPU" run -q "${options[@]}")
    behind=("$root/kernels/$program" -- "${args[@]}")
    ;;
  *)
    call=("$MPU" "${kind[$name]}")
    [[ $mode != both ]] || call+=(--model both)
    read -ra behind <<<"${how[$name]}"
    ;;
  esac
}

tokens() { grep -oE '"([^"\\]|\\.)*"|[][{}:,]|[-+.0-9a-z]+' "$1"; }
flat() { tokens "$1" | awk -v except="$except" -v several="$2" -f "$here/flat.awk" | sort; }
field() { grep -oE "\"$1\": (\"[^\"]*\"|[a-z0-9]+)" "$2" | head -n 1 | sed 's/.*: //;s/"//g'; }
digest() { sha256sum | cut -c1-16; }

# The instructions of a trace without what pages and compilers call them: launches by their numbers, the lines of the source not.
instructions() {
  "$MPU" retire "$1" | awk '
    /^launch / { gsub(/[^0-9]+/, " "); print "launch" $0; next }
    $1 == "issue" { next }
    { sub(/ +([^ ]+:[0-9]+|PTX line [0-9]+)$/, ""); $1 = $1; print }'
}

run() { # NAME MODE
  local out=$work/${1//\//+}.$2 call behind
  call "$1" "$2"
  if [[ ${kind[$1]} != run ]]; then
    if "${call[@]}" --json "${behind[@]}" >"$out.json" 2>"$out.said"; then
      flat "$out.json" "${kind[$1]}" >"$out.flat"
      : >"$out.results"
    else
      tail -n 4 "$out.said" >"$out.failed"
    fi
    return
  fi
  [[ $2 == none ]] || call+=(--retire "$out.trace")
  if ! "${call[@]}" --stats "$out.json" "${behind[@]}" >"$out.said" 2>&1 ||
    [[ $(field result "$out.json") != pass || $(field end "$out.json") != done ]]; then
    tail -n 4 "$out.said" >"$out.failed"
    return
  fi
  printf '%s results memory=%s' "$1" "$(field memory_digest "$out.json")" >"$out.results"
  if [[ $2 != none ]]; then
    instructions "$out.trace" >"$out.text"
    printf ' retire=%s' "$(digest <"$out.text")" >>"$out.results"
    rm -f "$out.trace" "$out.text"
    flat "$out.json" '' >"$out.flat"
  fi
  echo >>"$out.results"
  rm -f "$out.json"
}

modes() { # NAME
  echo c
  [[ $quick || ${also[$1]} == - ]] || tr ',' '\n' <<<"${also[$1]}"
}
# programs are compiled once, before runs of them at the same time
running=0
for phase in first others; do
  for name in "${names[@]}"; do
    for mode in $(modes "$name"); do
      [[ $phase == first && $mode == c || $phase == others && $mode != c ]] || continue
      ((running < jobs)) || { wait -n; running=$((running - 1)); }
      run "$name" "$mode" &
      running=$((running + 1))
    done
  done
  wait
  running=0
done

# ---- names of counters: those of frozen.txt, and those that runs had
if [[ -e $frozen ]]; then grep '^names ' "$frozen" >"$work/names"; else : >"$work/names"; fi
awk '{ for (n = 3; n <= NF; n++) print $2, $n }' "$work/names" | sort -u >"$work/names-then"
for name in "${names[@]}"; do
  out=$work/${name//\//+}.c
  [[ ! -e $out.flat ]] || awk -f "$here/names.awk" "$out.flat"
done | sort -u >"$work/names-now"
comm -13 "$work/names-then" "$work/names-now" >"$work/new"
# gone is what is missing where others of its kind are there
comm -23 "$work/names-then" "$work/names-now" >"$work/missing"
awk 'NR == FNR { there[$1]; next } $1 in there' "$work/names-now" "$work/missing" >"$work/gone"

# ---- results
failures=0 differences=0
repeat() { # NAME MODE
  local call behind
  call "$1" "$2"
  printf '    again: bash tb/freeze/freeze.sh --only '\''^%s$'\''\n' "$1"
  printf '    by hand: mpu %s\n' "${call[*]:1} ${behind[*]}" | sed -E "s| $root/| |g; s|--config $work/([^ ]*)\.yaml|--config FILE (the machine \1 of tb/freeze/cases.txt)|"
}
lines() { # NAME MODE: as in frozen.txt
  local out=$work/${1//\//+}.$2
  awk -v name="$1" -f "$here/lines.awk" "$work/names" "$out.flat" | cat - "$out.results"
}
[[ ! $update ]] || awk '$1 != kind { printf "%snames %s", kind == "" ? "" : "\n", $1; kind = $1 } { printf " %s", $2 } END { print "" }' \
  <(if [[ $only ]]; then sort -u "$work/names-then" "$work/names-now"; else cat "$work/names-now"; fi) >"$work/names"

for name in "${names[@]}"; do
  out=$work/${name//\//+}
  for mode in $(modes "$name"); do
    if [[ -e $out.$mode.failed || ! -e $out.$mode.results ]]; then
      printf 'FAILED %s (%s)\n' "$name" "$mode"
      sed 's/^/    /' "$out.$mode.failed" 2>/dev/null
      repeat "$name" "$mode"
      failures=$((failures + 1))
    elif [[ $mode == c ]]; then
      lines "$name" c >"$out.c.lines"
      grep -F "$name " "$frozen" 2>/dev/null | awk -v name="$name" '$1 == name' >"$out.frozen"
      if [[ ! -s $out.frozen ]]; then
        [[ $update ]] && continue
        printf 'NOT RECORDED %s: run --update in the commit that adds it\n' "$name"
        differences=$((differences + 1))
      elif ! cmp -s "$out.frozen" "$out.c.lines"; then
        awk -v gone="$work/gone" -f "$here/differ.awk" "$out.frozen" "$out.c.lines" >"$out.differ"
        if [[ -s $out.differ ]]; then
          printf 'DIFFERS %s\n' "$name"
          cat "$out.differ"
          [[ $update ]] || repeat "$name" c
          differences=$((differences + 1))
        fi
      fi
    elif [[ -e $out.c.lines ]]; then
      if [[ $mode == none ]]; then
        sed 's/ retire=.*//' "$out.c.results" | cmp -s - "$out.none.results" && continue
        awk -f "$here/differ.awk" <(sed 's/ retire=.*//' "$out.c.results") "$out.none.results" >"$out.differ"
      else
        lines "$name" "$mode" | cmp -s "$out.c.lines" - && continue
        awk -f "$here/differ.awk" "$out.c.lines" <(lines "$name" "$mode") >"$out.differ"
      fi
      printf 'FAILED %s: %s (is) does not do what c (was) does\n' "$name" "$mode"
      cat "$out.differ"
      repeat "$name" "$mode"
      failures=$((failures + 1))
    fi
  done
done

if [[ ! $only && -e $frozen ]]; then
  printf '%s\n' "${names[@]}" | sort -u >"$work/cases"
  grep -v '^\(#\|names \|$\)' "$frozen" | cut -d' ' -f1 | sort -u | comm -13 "$work/cases" - >"$work/left"
  while read -r name; do
    [[ $update ]] || printf 'NO CASE %s: it is in frozen.txt, but not in cases.txt\n' "$name"
    differences=$((differences + 1))
  done <"$work/left"
fi
if [[ -e $frozen ]]; then
  sed 's/ /./; s/^run\.//; s/.*/NEW counter &/; s/$/: run --update in the commit that adds it/' "$work/new"
  sed 's/ /./; s/^run\.//; s/.*/GONE counter &/; s/$/: run --update in the commit that takes it away/' "$work/gone"
fi
[[ ! -s $work/new && ! -s $work/gone ]] || differences=$((differences + 1))

# ---- the end
if [[ ! $update ]]; then
  if ((failures || differences)); then
    say "${#names[@]} cases: $failures runs failed, $differences differences from ${frozen##*/}"
    exit 1
  fi
  say "${#names[@]} cases are as in ${frozen##*/}"
  exit 0
fi
((!failures)) || { say "nothing is recorded: $failures runs failed"; exit 1; }
{
  cat <<'TEXT'
# What the cases of cases.txt do, recorded by `bash tb/freeze/freeze.sh --update`; docs/testing.md explains the lines.
# First the names of the counters, then a line or two a case, then their counters part by part, without those that are 0.
TEXT
  cat "$work/names"
  {
    if [[ $only && -e $frozen ]]; then
      printf '%s\n' "${names[@]}" | awk 'NR == FNR { again[$1]; next } !/^(#|names )/ && NF && !($1 in again)' - "$frozen"
    fi
    for name in "${names[@]}"; do cat "$work/${name//\//+}.c.lines"; done
  } | sort >"$work/all"
  grep -E '^[^ ]+ (run|results) ' "$work/all"
  grep -vE '^[^ ]+ (run|results) ' "$work/all"
} >"$frozen.new" && mv "$frozen.new" "$frozen" || { rm -f "$frozen.new"; say "cannot write $frozen"; exit 1; }
say "recorded ${#names[@]} cases"
