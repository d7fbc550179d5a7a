# shellcheck shell=bash
# Sourced by the scripts of this folder: the small builds of blocks (blocks.txt), their files, ports
# and a shell around them. Everything is relative to the root of the repository.
# SPDX-License-Identifier: Apache-2.0
tech=${OSU018:-/usr/share/qflow/tech/osu018}
# shellcheck source=/dev/null
. synth/sources.sh

trim() { local s=$1; s=${s#"${s%%[![:space:]]*}"}; echo "${s%"${s##*[![:space:]]}"}"; }

die() {
  local name=${0##*/}
  echo "${name%.sh}: $*" >&2
  exit 2
}

# Names of the blocks in the table, or of those asked for that are in it.
block_names() {
  local line name
  while IFS='|' read -r name _; do
    name=$(trim "$name")
    [[ $name && $name != \#* ]] || continue
    if (($#)) && [[ " $* " != *" $name "* ]]; then continue; fi
    echo "$name"
  done <tb/cosim/blocks.txt
}

# What was asked for is in the table.
block_check() { # NAMES...
  local known b
  known=" $(block_names | tr '\n' ' ')"
  for b in "$@"; do
    [[ $known == *" $b "* ]] || die "unknown block '$b'; known:${known% }"
  done
}

# Verilator takes a blank for the end of a name.
blank_check() {
  [[ $PWD != *[[:space:]]* ]] || die "this works in no path with blanks: '$PWD'"
}

# block column: 2 parameters, 3 cycles of the signature, 4 mutants. block_params has the sizes of a machine too.
block_field() {
  local line
  line=$(grep -E "^$1 *\|" tb/cosim/blocks.txt) || die "no block $1 in tb/cosim/blocks.txt"
  trim "$(cut -d'|' -f"$2" <<<"$line")"
}

# Parameters of the small build. The sizes of the machine (--config, --set) take the place of those in the table.
block_params() { # block
  local p all=''
  [[ ! ${structure:-} ]] || all=$(with_structure "$1")
  for p in $(block_field "$1" 2); do [[ " $all" == *" ${p%%=*}="* ]] || all+="${all:+ }$p"; done
  echo "$all"
}

# What a block still lacks to be run here: prints it, and succeeds when it lacks something.
block_lacks() {
  [[ $(compgen -G "rtl/*/$1/$1.sv") || -e rtl/common/$1.sv ]] || { echo "no Verilog"; return 0; }
  [[ $(compgen -G "csim/*/$1.c") ]] || { echo "no twin"; return 0; }
  [[ $(compgen -G "tb/*/$1/drive.c") ]] || { echo "no driver"; return 0; }
  return 1
}

# The blocks that one is made of which is too wide for cells, if they are in it at all.
block_parts() { # block
  (($(block_field "$1" 3))) || block_names | grep -vx "$1"
}

# The start of a Yosys script: the block, small, its hierarchy complete. Of the parts of a wide one only their ports.
yosys_read() { # block [more arguments of read_verilog]
  local top=$1 p set="" f files parts how
  shift
  for p in $(block_params "$top"); do set+=" -set ${p%=*} ${p#*=}"; done
  mapfile -t parts < <(block_parts "$top")
  mapfile -t files < <(block_files "$top" "${parts[@]}")
  for f in "${files[@]}"; do
    how=-defer
    [[ " ${parts[*]} " != *" $(basename "$f" .sv) "* ]] || how=-lib
    [[ $f != *_pkg.sv ]] || how=''
    echo "read_verilog -sv $how $* -Irtl/common $f"
  done
  echo "${set:+chparam$set $top}"
  echo "hierarchy -check -top $top"
}

# Lines "name bits" of the small build, in the order of csim/*/ports/<block>.def, inputs then outputs;
# rst_n first.
block_ports() { # block work
  local top=$1 work=$2 dir name suffix bits
  { yosys_read "$top" -DSYNTHESIS; echo "tee -o $work/portlist portlist $top"; } >"$work/ports.ys"
  yosys -q "$work/ports.ys" >"$work/ports.log" 2>&1 || die "$top: $(grep -m1 ERROR "$work/ports.log")"
  echo "rst_ni 1"
  for dir in IN OUT; do
    [[ $dir == IN ]] && suffix=i || suffix=o
    for name in $(sed -nE "s/^${dir}(_W)?\(([a-z_0-9]+),.*/\2/p" csim/*/ports/"$top.def"); do
      bits=$(sed -nE "s/^(input|output) \[([0-9]+):0\] ${name}_$suffix\$/\2/p" "$work/portlist")
      [[ $bits ]] || die "$top: no port ${name}_$suffix in the Verilog"
      echo "${name}_$suffix $((bits + 1))"
    done
  done
}

# module <name>: the block behind one vector of inputs and one of outputs, as recordings have them.
# parameters are given unless it is a netlist; ports is a file of block_ports.
block_shell() { # name module ports parameters extra-input-declaration extra-connection
  local name=$1 module=$2 ports=$3 params=$4 bits port n_in=0 n_out=0 p s="" conn=""
  while read -r port bits; do
    if [[ $port == *_o ]]; then
      conn+=",\n    .$port(out[$n_out +: $bits])"
      n_out=$((n_out + bits))
    else
      conn+=",\n    .$port(in[$n_in +: $bits])"
      n_in=$((n_in + bits))
    fi
  done <"$ports"
  for p in $params; do s+="${s:+, }.${p%=*}(${p#*=})"; done
  printf 'module %s (input clk, input [%d:0] in, output [%d:0] out%b);\n' "$name" $((n_in - 1)) $((n_out - 1)) "${5:-}"
  printf '  %s%s dut (.clk_i(clk)%b%b);\nendmodule\n' "$module" "${s:+ #($s)}" "$conn" "${6:-}"
}

# Bits of the inputs, of the outputs
block_bits() {
  awk '/_o / { o += $2; next } { i += $2 } END { print i, o }' "$1"
}

# Records cycles of every mode's traffic as $readmemh files <out>.in and <out>.out.
block_record() { # block ports cycles out [seed]
  local program=$build/tb/cosim_$1
  [[ -x $program ]] || die "$program is not built"
  sed -E 's/^(rst_n)i /\1 /' "$2" >"$4.widths"
  # shellcheck disable=SC2086 # words, where the machine has other sizes than the Verilog in the program
  "$program" --quiet ${structure:+--twin --sizes "$structure"} --cycles "$3" --seed "${5:-${seed:-1}}" --widths "$4.widths" --record "$4" || die "$1: the recording failed"
}

# verilator --build into a directory, but with the runtime library of Verilator compiled once for all that
# are of a kind (the same options for the compiler). Short runs: the compiler's time is what counts.
optimise=-O0
verilate() { # kind directory arguments...
  local kind=$build/verilated/$1 dir=$2
  shift 2
  mkdir -p "$kind" "$dir"
  cp -p "$kind"/*.o "$dir" 2>/dev/null || true
  verilator --build --Mdir "$dir" -Wno-fatal -Wno-lint -Wno-style -MAKEFLAGS "OPT_FAST=$optimise OPT_SLOW=-O0" "$@" >"$dir.log" 2>&1 || return 1
  cp -pn "$dir"/verilated*.o "$kind" || true
}
