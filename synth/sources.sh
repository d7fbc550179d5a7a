# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that read the Verilog: which files a module needs. Everything is relative to the root.

# Files of a module and of all below it, packages first. A file is named as its module. What is below the
# modules named after it is left out.
block_files() { # module [cut...]
  local -A seen=() path=()
  local f top=$1 todo=("$1") m other
  shift
  for f in rtl/*/*.sv rtl/*/*/*.sv synth/model/*.sv; do path[$(basename "$f" .sv)]=$f; done
  for f in rtl/*/*_pkg.sv rtl/*/*/*_pkg.sv; do [[ -e $f ]] && echo "$f"; done
  while ((${#todo[@]})); do
    m=${todo[0]} todo=("${todo[@]:1}")
    [[ ${seen[$m]:-} ]] && continue
    seen[$m]=1
    echo "${path[$m]}"
    [[ $m == "$top" || " $* " != *" $m "* ]] || continue
    for other in $(grep -oE '^ *[a-z_][a-z_0-9]* +(#\(|[iu]_[a-z_0-9]+ *\()' "${path[$m]}" | grep -oE '^ *[a-z_0-9]+'); do
      [[ ${path[$other]:-} ]] && todo+=("$other")
    done
  done
}
