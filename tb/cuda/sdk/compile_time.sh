#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compile_time.sh [-n RUNS] [-I FOLDER]... FILE.cu...
#
# What `nvcc -c FILE` takes, compared with clang's own passes for device and host: the same headers and levels, but
# without libclc, forced inlining, mpucc and packing. Seconds of the processor, and of the clock; each is the shortest of
# RUNS (5), which alternate. SDK names a folder of `mpu sdk`.
set -u
runs=5 options=()
while getopts n:I: o; do
  case $o in
    n) runs=$OPTARG ;;
    I) options+=(-I "$OPTARG") ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
nvcc=${SDK:?names a folder of mpu sdk}/bin/nvcc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'

# clang_passes FILE: the commands of nvcc for device and host, less what is ours
clang_passes() {
  "$nvcc" -dryrun -c "${options[@]}" "$1" -o "$work/x.o" 2>&1 | sed -n 's/^#\$ \(clang.*\)/\1/p' |
    sed -E 's# -Xclang -mlink-builtin-bitcode -Xclang [^ ]+##; s# -mllvm -force-attribute=alwaysinline##;
      s# -Xclang -fcuda-include-gpubinary -Xclang [^ ]+##; s# -o "?[^ ]+"?$# -o '"$work"'/out#'
}
# timed COMMAND...: "CLOCK PROCESSOR" in seconds; fails as the command does
timed() {
  { time "$@" >"$work/said" 2>&1 || touch "$work/failed"; } 2>&1 | awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }'
}
shortest() { awk '{ if (NR == 1 || $1 < c) c = $1; if (NR == 1 || $2 < p) p = $2 } END { print c, p }' "$1"; }

printf '%-28s %7s %21s %21s %11s\n' '' '' 'clang: processor clock' 'nvcc: processor clock' 'ratio'
for file; do
  clang_passes "$file" >"$work/passes"
  : >"$work/clang" && : >"$work/nvcc" && rm -f "$work/failed"
  for ((k = 0; k < runs; k++)); do
    timed bash -e "$work/passes" >>"$work/clang"
    timed "$nvcc" -c "${options[@]}" "$file" -o "$work/x.o" >>"$work/nvcc"
  done
  if [[ -e $work/failed ]] || (($(wc -l <"$work/passes") != 2)); then
    echo "$file does not compile: $(head -1 "$work/said")" >&2
    exit 1
  fi
  echo "$(shortest "$work/clang") $(shortest "$work/nvcc")" |
    awk -v name="$(basename "$file")" -v lines="$(wc -l <"$file")" '{
      printf "%-28s %5d l %12.2f %8.2f %12.2f %8.2f %6.2f %4.2f\n", name, lines, $2, $1, $4, $3, $4 / $2, $3 / $1 }'
done
