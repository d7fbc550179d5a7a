#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu mutate [--sample] [--seed N] [--timeout SECONDS] [--config NAME] [--set KEY=VALUE] [block|module...]: how many
# faults the random traffic of a block finds. Yosys puts mutants into the netlist of the small build
# (tb/cosim/blocks.txt), all of a block in one model, chosen by an input; a recording of the block's traffic is played
# into each. Those that no output shows go through an equivalence proof; the rest are named. nbu and die_slice run with
# the Verilog of the blocks that they are made of. The name of a module in a block (nbu_completions) stands for mutants
# in that module only. --sample: a tenth of the mutants. With --config and --set a block has those sizes of a machine
# that are not the default.
set -euo pipefail
from=$PWD # shellcheck disable=SC2034 # of command.sh
cd "$(dirname "$0")/../.."
tool=mutate
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
# shellcheck source=/dev/null
. synth/command.sh
build=${NEARBANK_BUILD:-build/test}
bits=12 # of the number of a mutant
word='wire .*[.]mem\[0\]$' # of a memory, in RTLIL
seed=1 sample='' limit=60 cycles=40000 only=()
usage() { sed -n '3,9s/^# //p' "$0"; }
while (($#)); do
  case $1 in
  --seed=* | --timeout=* | --config=* | --set=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
  --sample) sample=1 ;;
  --seed) number "$1" "${2:-}" 0; seed=$2; shift ;;
  --timeout) number "$1" "${2:-}" 1; limit=$2; shift ;;
  --config | --set) take_machine "$1" "${2:-}"; shift ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option '$1'; see mpu mutate --help" ;;
  *) only+=("$1") ;;
  esac
  shift
done
# Targets: blocks, and modules that one of them has, as BLOCK/MODULE.
targets=()
for name in "${only[@]}"; do
  file=$(compgen -G "rtl/*/*/$name.sv" || true)
  block=$(basename "${file%/*}")
  if [[ $file && $block != "$name" && $(block_names "$block") ]]; then
    targets+=("$block/$name")
  else
    block_check "$name"
    targets+=("$name")
  fi
done
((${#only[@]})) || mapfile -t targets < <(block_names)
read_machine
blank_check
for need in verilator yosys yosys-abc; do
  command -v $need >/dev/null || die "$need is missing (Debian: verilator, yosys)"
done
[[ ! $sample ]] || cycles=$((cycles / 4)) limit=20
work=$build/mutate${sample:+_sample} # a sample in the tests leaves the files of a long run alone
mkdir -p "$work"
work=$(realpath "$work")
[[ $sample ]] && want=90 || want=95

run_yosys() { # FILE.ys, which says what it does in FILE.log
  yosys -q "$1.ys" >"$1.log" 2>&1 || die "$module: $(grep -m1 ERROR "$1.log")"
}

# The netlist for all that follows: flat, memories as registers, known at power-up.
prepare() {
  local other
  {
    yosys_read "$block" -DSYNTHESIS
    echo "prep -flatten -top $block; memory_map; opt -full; clean -purge"
    echo "write_rtlil $d/block.il"
    # blocks in this one have mutants of their own
    echo "select -set mine *"
    for other in $(block_files "$block" | sed -nE 's,^rtl/(.+/.+)/[^/]+$,\1,p' | sort -u); do
      [[ $other == */"$block" ]] || echo "select -set mine @mine a:src=*rtl/$other/* %d"
    done
    [[ $module == "$block" ]] || echo "select -set mine @mine a:src=*/$module.sv:* %i"
    echo "mutate -list $count -seed $seed -none -o $d/list -s $d/sources @mine"
  } >"$d/prepare.ys"
  run_yosys "$d/prepare"
  { yosys_read "$block" -nosynthesis -DRELY_ONLY
    echo "prep -flatten -top $block; memory_map; opt -full; clean -purge; write_rtlil $d/good.il"
  } >"$d/good.ys"
  run_yosys "$d/good"
  grep '^mutate ' "$d/list" | grep -v -e '-mode none' >"$d/mutants" ||
    die "$module: Yosys finds no place for a mutant, see $d/prepare.log"
}

build_replay() {
  local n=0 line pad parts
  {
    echo "read_rtlil $d/block.il"
    while read -r line; do
      n=$((n + 1))
      echo "mutate -ctrl mutsel $bits $n ${line#mutate }"
    done <"$d/mutants"
    echo "opt_clean; write_rtlil $d/mutants.il; write_verilog -noattr $d/mutants.v"
  } >"$d/mutate.ys"
  run_yosys "$d/mutate"
  block_shell shell "$block" "$d/ports" "" ", input [$((bits - 1)):0] mutsel" ",\n    .mutsel(mutsel)" >"$d/shell.v"
  # wide enough for the words of replay.cpp
  read -r n_in n_out < <(block_bits "$d/ports")
  pad=64
  mapfile -t parts < <([[ ! $(block_parts "$block") ]] || block_files "$block" | grep -v "/$block/")
  cat >"$d/top.v" <<VERILOG
module mutants (input clk, input [$((bits - 1)):0] mutsel, input [$((n_in + pad - 1)):0] in, output [$((n_out + pad - 1)):0] out);
  assign out[$((n_out + pad - 1)):$n_out] = 0;
  shell s (.clk(clk), .mutsel(mutsel), .in(in[$((n_in - 1)):0]), .out(out[$((n_out - 1)):0]));
endmodule
VERILOG
  verilator --cc --exe --build -O3 --x-initial 0 --x-assign 0 -Wno-fatal -Wno-lint -Wno-style --top-module mutants \
    --prefix Vmutants --Mdir "$d/obj" -CFLAGS "-O1" -o replay "$PWD/tb/cosim/replay.cpp" -DSYNTHESIS -Irtl/common \
    "${parts[@]}" "$d/top.v" "$d/shell.v" "$d/mutants.v" >"$d/verilator.log" 2>&1 || die "$block: see $d/verilator.log"
}

# For proofs the parts of a block are not in its netlists, but their ports are: what they give comes in as e1_i, e2_i ...,
# and what they get goes out as e3_o ... So a mutant is equivalent if the parts would not notice.
evert() {
  local form
  for form in mutants good; do
    {
      yosys_read "$block" -DSYNTHESIS | grep -e -lib -e _pkg
      awk '$1 == "cell" { part = $2 ~ /^\\/ ? substr($2, 2) : "" } $1 == "end" || $1 == "module" { part = "" }
        part && $1 == "parameter" && !seen[part, $(NF - 1)]++ { print "chparam -set", substr($(NF - 1), 2), $NF, part }' "$d/$form.il"
      echo "read_rtlil -nooverwrite $d/$form.il; expose -evert $block/c:*; tee -o $d/portlist portlist $block"
      echo "write_rtlil $d/$form.il"
    } >"$d/evert.ys"
    run_yosys "$d/evert"
    {
      echo "read_rtlil $d/$form.il; cd $block"
      awk '$3 ~ /[.]/ { print "rename", $3, "e" ++n ($1 == "input" ? "_i" : "_o") }' "$d/portlist"
      echo "cd ..; write_rtlil $d/$form.il"
    } >"$d/rename.ys"
    run_yosys "$d/rename"
  done
  awk '$3 ~ /[.]/ { split($2, of, /[^0-9]/); print "e" ++n ($1 == "input" ? "_i" : "_o"), of[2] + 1 }' "$d/portlist" >>"$d/ports"
}

# FILE.v with the modules that it is made of, as NAME=FILE in RTLIL, as FILE.aig; FILE.aim names its inputs.
aig_of() { # file, modules...
  local file=$1 m
  shift
  {
    echo "read_verilog $file.v; design -stash same"
    for m in "$@"; do echo "read_rtlil ${m#*=}; rename $block ${m%%=*}; design -stash ${m%%=*}"; done
    echo "design -load same"
    for m in "$@"; do echo "design -import ${m%%=*} -as ${m%%=*} ${m%%=*}"; done
    echo "hierarchy -check -top same; proc; flatten; async2sync; setundef -undriven -init -zero; setundef -zero; opt -fast; techmap; opt -fast"
    echo "simplemap; dffunmap; setundef -zero; aigmap; opt_clean; write_aiger -zinit -map $file.aim $file.aig"
  } >"$file.ys"
  run_yosys "$file"
}

# The block and its mutants side by side, for proofs: once a block. `bad` when the outputs differ after a reset in the
# first cycle, or what words of memories would hold next in any cycle. Both are the netlist with the mutants, one with
# none of them chosen: the same logic, mapped alike, is found to be the same quickly. What the block relies on is assumed,
# in a copy for that. The inputs end with `none`, which is 0, and mutsel.
build_miter() { # file, netlist with the mutants, its ports
  local n_in n_out plain_in plain_out
  read -r plain_in plain_out < <(block_bits "$d/ports")
  read -r n_in n_out < <(block_bits "$3")
  cat >"$1.v" <<VERILOG
module same (input clk, input [$((n_in - 1)):0] in, input [$((bits - 1)):0] none, input [$((bits - 1)):0] mutsel, output bad);
  reg up = 0;
  always @(posedge clk) up <= 1;
  wire [$((n_in - 1)):0] first = {in[$((n_in - 1)):1], in[0] & up};
  wire [$((n_out - 1)):0] a, b;
  good_shell relies (.clk(clk), .in(first[$((plain_in - 1)):0]), .out());
  bad_shell ga (.clk(clk), .mutsel(none), .in(first), .out(a));
  bad_shell gb (.clk(clk), .mutsel(mutsel), .in(first), .out(b));
  assign bad = up ? a != b : |((a ^ b) & ~{$plain_out{1'b1}});
endmodule
VERILOG
  {
    block_shell good_shell good "$d/ports" ""
    block_shell bad_shell bad "$3" "" ", input [$((bits - 1)):0] mutsel" ",\n    .mutsel(mutsel)"
  } >>"$1.v"
  aig_of "$1" good="$d/good.il" bad="$2"
  # "input <number> <bit> <name>": these two are the last ones, in order
  awk -v bits="$bits" -v n="$(head -n 1 "$1.aig" | cut -d' ' -f3)" '
    $4 == "none" { at[$3] = $2 } $4 == "mutsel" { at[bits + $3] = $2 }
    END { for (b = 0; b < 2 * bits; b++) if (at[b] != n - 2 * bits + b) exit 1 }' "$1.aim" ||
    die "$block: none and mutsel are not at the end of the inputs, see $1.aim"
}

# The netlist with the mutants, without the words of its memories: what they hold comes in as e1_i, e2_i ..., and what
# they would hold next goes out as e1_o ... So they hold the same in both of build_miter, but anything: in the next cycle
# too, if what they would hold is the same in every cycle. Proofs of what memories do not matter for end in seconds. A
# word with a mutant of its own stays in.
expose_words() {
  {
    echo "read_rtlil $d/mutants.il; cd $block; dffunmap; select -set words w:*.mem[[]* %ci1"
    echo "expose -evert-dff @words; opt_clean; tee -o $d/portlist portlist; cd ..; write_rtlil $d/words.il"
  } >"$d/words.ys"
  run_yosys "$d/words"
  awk '$3 ~ /[.]mem\[[0-9]+\][.][qd]$/ { split($2, of, /[^0-9]/); print $3, $1, of[2] + 1 }' "$d/portlist" |
    LC_ALL=C sort | awk '{ print $1, "e" int((NR + 1) / 2) ($2 == "input" ? "_i" : "_o"), $3 }' >"$d/words"
  { cat "$d/ports"; cut -d' ' -f2,3 "$d/words"; } >"$d/words.ports"
  {
    echo "read_rtlil $d/words.il; cd $block"
    sed -E 's/^([^ ]+ [^ ]+) .*/rename \1/' "$d/words"
    echo "cd ..; write_rtlil $d/words.il"
  } >"$d/rename.ys"
  run_yosys "$d/rename"
}

# Is `bad` never 1? Prints equivalent, different or unknown. The limit of pdr
# does not count for the steps before it: all of them have four times as long.
prove() { # file without .aig
  timeout $((4 * limit)) yosys-abc -c "read_aiger $1.aig; zero; fold; strash; scleanup; &get -n; &scl; &lcorr -c -C 100000; &scorr -c -C 1000; &put; pdr -T $limit" >"$1.abc" 2>&1 || true
  rm "$1.aig"
  if grep -q 'Property proved' "$1.abc"; then
    echo equivalent
  elif grep -q 'asserted in frame' "$1.abc"; then
    echo different
  else
    echo unknown
  fi
}

# Is the mutant the same for every input? Prints equivalent, different or unknown. The number of the mutant is no
# input then, but registers that keep it: in AIGER the last inputs become the first latches.
judge() { # mutant number
  local m=$1 b header miter verdict=unknown
  for miter in words same; do
    [[ -e $d/$miter.aig ]] || continue
    read -r -a header < <(head -n 1 "$d/$miter.aig") # aig M I L O A [B C J F]
    {
      echo "aig ${header[1]} $((header[2] - 2 * bits)) $((header[3] + 2 * bits)) ${header[*]:4}"
      for ((b = 0; b < bits; b++)); do echo 0; done
      for ((b = 0; b < bits; b++)); do ((m >> b & 1)) && echo "1 1" || echo 0; done
      tail -n +2 "$d/$miter.aig"
    } >"$d/$m.$miter.aig"
    verdict=$(prove "$d/$m.$miter")
    [[ $verdict != equivalent ]] || break # that they differ with words that no memory holds says nothing
  done
  echo "$verdict"
}

status=0 all=0 all_killed=0 all_same=0
printf '| %-8s | %-9s | %7s | %6s | %10s | %8s | %5s |\n' block parameters mutants killed equivalent survive score
echo "| --- | --- | --- | --- | --- | --- | --- |"
for target in "${targets[@]}"; do
  block=${target%/*} module=${target#*/}
  if why=$(block_lacks "$block"); then
    echo "mutate: $block left out: $why" >&2
    continue
  fi
  count=$(block_field "$block" 4)
  if ((count == 0)); then
    ((${#only[@]} == 0)) || echo "mutate: $block has no mutants of its own, tb/cosim/blocks.txt says" >&2
    continue
  fi
  d=$work/$module
  rm -rf "$d"
  mkdir -p "$d"
  [[ ! $sample ]] || count=$(((count + 9) / 10))
  block_ports "$block" "$d" >"$d/ports"
  block_record "$block" "$d/ports" "$cycles" "$d/stimulus"
  prepare
  build_replay
  total=$(wc -l <"$d/mutants")
  # shellcheck disable=SC2046 # a list
  "$d/obj/replay" "$d/stimulus.in" $(seq "$total") >"$d/results"
  # what survives meets twenty times as much traffic, of another seed
  mapfile -t survivors < <(sed -n 's/ survives//p' "$d/results")
  if ((${#survivors[@]})) && [[ ! $sample ]]; then
    block_record "$block" "$d/ports" $((20 * cycles)) "$d/stimulus" $((seed + 1))
    sed -i '/survives/d' "$d/results"
    half=$(((${#survivors[@]} + 1) / 2))
    "$d/obj/replay" "$d/stimulus.in" "${survivors[@]:0:half}" >"$d/again" &
    ((half == ${#survivors[@]})) || "$d/obj/replay" "$d/stimulus.in" "${survivors[@]:half}" >"$d/results2"
    wait
    cat "$d/again" "$d/results2" >>"$d/results" 2>/dev/null || true
  fi
  killed=$(grep -c killed "$d/results" || true)
  same=0 names=()
  if ((killed < total)); then
    if [[ $(block_parts "$block") ]]; then
      evert
    elif grep -q "$word" "$d/mutants.il"; then
      expose_words
      build_miter "$d/words" "$d/words.il" "$d/words.ports"
    fi
    build_miter "$d/same" "$d/mutants.il" "$d/ports"
  fi
  # a proof knows one edge of the clock, so that an inverted clock is the same to it
  grep -n -e '-port CLK ' "$d/mutants" | cut -d: -f1 >"$d/clocks" || true
  # the judge is judged by some whose difference was seen
  mapfile -t known < <( ((killed == total)) || sed -n 's/ killed.*//p' "$d/results" | grep -vxFf "$d/clocks" | sed -n '1p;5p;9p;$p')
  mapfile -t survivors < <(sed -n 's/ survives//p' "$d/results")
  for m in "${known[@]}" "${survivors[@]}"; do
    (($(jobs -rp | wc -l) < $(nproc))) || wait -n
    if grep -qx "$m" "$d/clocks"; then echo unknown >"$d/$m.verdict"; else judge "$m" >"$d/$m.verdict" & fi
  done
  wait
  for m in "${known[@]}"; do
    [[ $(<"$d/$m.verdict") != equivalent ]] || die "$module: the proof says that mutant $m, which was killed, is equivalent"
  done
  for m in "${survivors[@]}"; do
    verdict=$(<"$d/$m.verdict")
    if [[ $verdict == equivalent ]]; then
      same=$((same + 1))
    else
      names+=("mutate: $module: survivor $m ($verdict): $(sed -n "${m}p" "$d/mutants" | sed -E 's/^mutate //; s/-module [^ ]+ //')")
    fi
  done
  score=$(((total - same) ? killed * 1000 / (total - same) : 1000))
  printf '| %-8s | %-9s | %7d | %6d | %10d | %8d | %3d.%d |\n' "$module" "$(block_params "$block")" "$total" "$killed" "$same" \
    $((total - killed - same)) $((score / 10)) $((score % 10))
  ((${#names[@]})) && printf '%s\n' "${names[@]}" >&2
  [[ $sample ]] || ((score >= want * 10)) || status=1
  all=$((all + total)) all_killed=$((all_killed + killed)) all_same=$((all_same + same))
done
((all)) && echo "mutate: $all mutants, $all_killed killed, $all_same equivalent: $(awk -v k=$all_killed -v n=$((all - all_same)) 'BEGIN { printf "%.1f", n ? 100 * k / n : 100 }') % (seed $seed)" >&2
[[ ! $sample || $((all_killed * 100)) -ge $(((all - all_same) * want)) ]] || status=1
exit $status
