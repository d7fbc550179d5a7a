#!/usr/bin/env bash
# mpu formal [options] [proof...]: proves the assertions of modules for all time (Yosys to AIGER,
# ABC's pdr; or, for those marked `ind`, induction with CaDiCaL), and shows for each cover that it can be
# reached. A proof without assertions fails. The list of proofs is tb/formal/jobs, with the small sizes that
# they take.
#   --timeout SECONDS for each proof
#   --quick           leaves out those marked `long`, of minutes
#   --config NAME, --set KEY=VALUE  modules have those sizes of a machine that are not the default
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/../.."
tool=formal
# shellcheck source=/dev/null
. synth/command.sh
work=build/formal
timeout=300
only=()
quick=0
while (($#)); do
  case $1 in
  --timeout=* | --config=* | --set=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
  --timeout) number "$1" "${2:-}" 1; timeout=$2; shift 2 ;;
  --quick) quick=1; shift ;;
  --config | --set) take_machine "$1" "${2:-}"; shift 2 ;;
  -h | --help) sed -n '2,9s/^# //p' "$0"; exit 0 ;;
  -*) die "unknown option '$1'; see mpu formal --help" ;;
  *) only+=("$1"); shift ;;
  esac
done
known=" $(sed -nE 's/^([^# |]+) *\|.*/\1/p' tb/formal/jobs | tr '\n' ' ')"
for name in "${only[@]}"; do
  [[ $known == *" $name "* ]] || die "unknown proof '$name'; known:${known% }"
done
read_machine
for need in yosys yosys-abc cadical; do
  command -v $need >/dev/null || { echo "formal: $need is missing (Debian packages yosys, cadical)" >&2; exit 2; }
done
mkdir -p "$work" 2>/dev/null && [[ -w $work ]] || { echo "formal: cannot write to '$PWD/$work'" >&2; exit 2; }

trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# Reads the design: the module's own assumptions are assumed, those of the modules in it are proved.
read_design() { # files parameters top macros mark
  local f first=1 free="" out="read_verilog -formal -sv -Irtl/common $(echo rtl/*/*_pkg.sv rtl/*/*/*_pkg.sv); "
  for f in $1; do
    if [[ $f == free:* ]]; then # its outputs are driven by nothing, and then by anything
      f=${f#free:} free+=" t:$(basename "${f%.sv}")"
      out+="read_verilog -formal -sv -lib -Irtl/common rtl/$f; "
      continue
    fi
    out+="verilog_defines -UNEARBANK_CHECK_SVH; "  # macros outlive a file; FORMAL_TOP is for the first one only
    out+="read_verilog -formal -sv -defer -Irtl/common -I$(dirname "rtl/$f") $( ((first)) && echo -DFORMAL_TOP) $4 rtl/$f; "
    first=0
  done
  local p set=""
  for p in $2; do set+=" -set ${p%=*} ${p#*=}"; done
  out+="${set:+chparam$set $3; }prep -flatten -top $3; ${free:+delete$free; setundef -undriven -anyseq; }"
  out+="async2sync; chformal -early; opt_clean; "
  [[ $4 == *FORMAL_SCORE* ]] && out+="delete t:\$assert a:src=*_score.svh* %d; "
  # what another job has proved is given
  [[ $4 == *FORMAL_WAITS* && $4 != *FORMAL_COVER* ]] &&
    out+="chformal -assert2assume t:\$assert a:src=*_waits.svh* %d; select -clear; "
  [[ $4 == *FORMAL_DATA* && $4 != *FORMAL_COVER* ]] &&
    out+="chformal -assert2assume t:\$assert a:src=*_data.svh* %d; select -clear; "
  if [[ $5 == *own* ]]; then
    local own
    own=$(dirname "${1%% *}")
    for f in $1; do
      [[ $f == free:* || ${f%/*} == "$own" ]] || out+="delete t:\$assert a:src=*|rtl/${f%/*}/* %i; "
    done
  fi
  echo "$out"
}

# Induction. What it prints says whether no assertion fails in the first cycles ("No output asserted in 4 frames"),
# nor in a cycle after two in which none did ("s UNSATISFIABLE").
induction() { # base
  local cycles=3 inputs outputs ands
  rm -f "$1.cycles.aig" "$1.step.aig" "$1.cnf" # of an earlier run: ABC's status is 0 also when it has written nothing
  yosys-abc -c "read_aiger $1.aig; fold; strash; orpos; print_stats; bmc3 -F $((cycles + 1));
                frames -F $cycles; comb; write_aiger $1.cycles.aig" || return
  read -r _ _ inputs _ outputs ands < <(head -n 1 "$1.cycles.aig")
  # Its outputs are one a cycle, then the state. Now the last cycle's comes first; those before it become constraints.
  {
    echo "aig $((inputs + ands)) $inputs 0 $cycles $ands"
    sed -n "$((1 + cycles))p" "$1.cycles.aig"
    sed -n "2,${cycles}p" "$1.cycles.aig"
    tail -n +$((2 + outputs)) "$1.cycles.aig"
  } >"$1.step.aig"
  yosys-abc -c "read_aiger $1.step.aig; constr -N $((cycles - 1)); fold; write_cnf $1.cnf" && [[ -s $1.cnf ]] || return
  cadical -q -n --unsat -t "$timeout" "$1.cnf"
}

lower="memory_map; setundef -undriven -anyseq; delete -output; opt -full; techmap; opt -fast; simplemap; setundef -anyseq; dffunmap; aigmap; opt_clean"

status=0
printf '| %-12s | %10s | %-10s | %7s | %s |\n' proof assertions result seconds covers
echo "| --- | --- | --- | --- | --- |"
while IFS='|' read -r name top files params mark; do
  name=$(trim "$name")
  [[ $name && $name != \#* ]] || continue
  top=$(trim "$top") files=$(trim "$files") params=$(trim "$params")
  if ((${#only[@]})) && [[ " ${only[*]} " != *" $name "* ]]; then continue; fi
  if [[ $mark == *long* ]] && ((quick)); then continue; fi
  base=$work/$name
  sized=$(with_structure "$top") # sizes of the machine take the place of the proof's
  if [[ $sized ]]; then
    for p in $params; do [[ " $sized" == *" ${p%%=*}="* ]] || sized+=" $p"; done
    params=$sized
    echo "formal: $name with $params" >&2
  fi
  macros=
  [[ $mark == *waits* ]] && macros=-DFORMAL_WAITS
  [[ $mark == *score* ]] && macros=-DFORMAL_SCORE
  [[ $mark == *data* ]] && macros=-DFORMAL_DATA
  begun=$(date +%s.%N)
  if ! yosys -q -l "$base.log" -p "$(read_design "$files" "$params" "$top" "$macros" "")
      tee -o $base.count select -count t:\$assert
      write_rtlil $base.il" >"$base.err" 2>&1; then
    printf '| %-12s | %10s | %-10s | %7s | %s |\n' "$name" - "no design" - "$(grep -m1 ERROR "$base.log" || true)"
    status=1
    continue
  fi
  count=$(grep -o '^[0-9]*' "$base.count")
  if ((count == 0)); then
    printf '| %-12s | %10s | %-10s | %7s | %s |\n' "$name" 0 VACUOUS - -
    status=1
    continue
  fi
  if ! yosys -q -p "read_rtlil $base.il; $lower; write_aiger -zinit -map $base.aim $base.aig" >>"$base.err" 2>&1; then
    printf '| %-12s | %10s | %-10s | %7s | %s |\n' "$name" "$count" "no AIGER" - "$(tail -n1 "$base.err")"
    status=1
    continue
  fi
  if [[ $mark == *ind* ]]; then
    LC_ALL=C induction "$base" >"$base.abc" 2>&1 || true
  else
    yosys-abc -c "read_aiger $base.aig; fold; strash; scorr; print_stats; pdr -T $timeout" >"$base.abc" 2>&1 || true
  fi
  if grep -q "Property proved" "$base.abc" ||
    { grep -q "No output asserted in 4 frames" "$base.abc" && grep -q "^s UNSATISFIABLE" "$base.abc"; }; then
    result=proved
  elif grep -q "was asserted in frame\|Output .* asserted\|asserted in frame" "$base.abc"; then
    result=FAILED
    status=1
  elif grep -q "^s SATISFIABLE" "$base.abc"; then
    result="NO STEP"
    status=1
    echo "formal: $name: after cycles without a failure one may fail; the assertions are wrong, or say too little of the state" >&2
  else
    result=UNDECIDED
    status=1
  fi
  # covers: each as an assertion that it never happens; a counterexample is what is wanted
  covers=none
  rm -f "$base.covers"
  if [[ $mark == *nocover* ]]; then
    :
  elif yosys -q -p "$(read_design "$files" "$params" "$top" "$macros -DFORMAL_COVER" "$mark")
      tee -o $base.covers select -count t:\$assert
      select -assert-min 1 t:\$assert; $lower; write_aiger -zinit $base.cover.aig" >>"$base.err" 2>&1; then
    wanted=$(grep -o '^[0-9]*' "$base.covers")
    yosys-abc -c "read_aiger $base.cover.aig; fold; strash; bmc3 -a -F 200 -T 60; print_status" >"$base.cover.abc" 2>&1 || true
    reached=$(grep -c "was asserted in frame" "$base.cover.abc" || true)
    covers="$reached of $wanted"
    ((reached == wanted)) || status=1
  elif [[ $(grep -o '^[0-9]*' "$base.covers" 2>/dev/null) != 0 ]]; then # there are some, or nobody knows
    covers=FAILED
    status=1
  fi
  seconds=$(awk -v a="$begun" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
  printf '| %-12s | %10s | %-10s | %7s | %s |\n' "$name" "$count" "$result" "$seconds" "$covers"
done <tb/formal/jobs
exit $status
