#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the programs of both sets on a GPU of this host, with the tools of its vendor, and writes gpu.csv (docs/gpu.md).
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.." && pwd)
# shellcheck source=harness/study/gpu/rows.sh
. "$root/harness/study/gpu/rows.sh"

usage() {
  cat <<'TEXT'
usage: bash harness/study/gpu/measure.sh [options]

Builds the programs of kernels/plain and kernels/tiled with nvcc, runs them under nsys at their
default and their papers' sizes, and writes the time in kernels, a median of several runs.

  -o FILE       what is written (gpu.csv)
  --runs N      runs of each program (5)
  --only REGEX  only rows of which PROGRAM,ARGUMENTS matches
  --device N    the GPU, as nvidia-smi numbers them (0)
  --arch ARCH   what nvcc compiles for (native)
  -h, --help    this text

nvcc, nsys (Nsight Systems 2023 or later) and nvidia-smi have to be in PATH.
Exit status: 0, 1 when a program or a tool fails, 2 wrong use or a tool is missing.
TEXT
}
say() { printf 'measure: %s\n' "$*" >&2; }
wrong() { say "$*"; exit 2; }
failed() { # FILE MESSAGE: with the last lines of what the tool said
  say "$2"
  tail -n 5 "$1" >&2
  exit 1
}

out=gpu.csv runs=5 only='' device=0 arch=native
while (($#)); do
  case $1 in
  -o | --runs | --only | --device | --arch)
    (($# > 1)) || wrong "$1 needs a value; see --help"
    case $1 in -o) out=$2 ;; --runs) runs=$2 ;; --only) only=$2 ;; --device) device=$2 ;; --arch) arch=$2 ;; esac
    shift
    ;;
  -h | --help) usage; exit 0 ;;
  *) wrong "unknown option '$1'; see --help" ;;
  esac
  shift
done
[[ $runs =~ ^[1-9][0-9]{0,3}$ ]] || wrong "--runs takes a number from 1 to 9999, not '$runs'"
[[ $device =~ ^[0-9]+$ ]] || wrong "--device takes the number of a GPU, not '$device'"
check_only "$only"
declare -A from=([nvcc]="the CUDA toolkit" [nsys]="Nsight Systems" [nvidia-smi]="the driver of the GPU")
for tool in nvcc nsys nvidia-smi; do
  command -v $tool >/dev/null || wrong "$tool is missing: it comes with ${from[$tool]}; its folder has to be in PATH"
done

work=$(mktemp -d)
trap 'rm -rf "$work" "$out.part"' EXIT
: 2>/dev/null >"$out.part" || wrong "cannot write '$out'"
nvidia-smi -i "$device" --query-gpu=name,driver_version --format=csv,noheader >"$work/card" 2>&1 ||
  failed "$work/card" "nvidia-smi does not find GPU $device:"
IFS=, read -r card driver <"$work/card"
[[ $card ]] || failed "$work/card" "nvidia-smi does not say what GPU $device is:"
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$device

# Sum of the times of all kernels in what nsys stats prints: messages, then a line of columns, then a line a kernel. Names of
# kernels, which may have commas in them, come behind the times.
kernel_time() { # FILE
  awk -F, '
    { gsub(/"/, "") }
    !column { for (k = 1; k <= NF; k++) if ($k == "Total Time (ns)") column = k; next }
    !NF || /^Processing / { exit }
    $column !~ /^[0-9]+$/ { bad = 1; exit }
    { sum += $column }
    END { if (bad || !sum) exit 1; printf "%.0f\n", sum }' "$1"
}

median() { # FILE: a number a line
  sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.1f\n", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

run_once() { # PROGRAM ARGUMENTS SHOWN: ns
  local report=$work/report.nsys-rep
  rm -f "$work"/report.*
  # shellcheck disable=SC2086
  nsys profile --trace=cuda --sample=none --cpuctxsw=none --force-overwrite=true -o "$work/report" "$1" $2 >"$work/log" 2>&1 ||
    failed "$work/log" "nsys profile failed with $3:"
  [[ -e $report ]] || failed "$work/log" "nsys profile wrote no report.nsys-rep for $3:"
  nsys stats --report cuda_gpu_kern_sum --format csv --force-export=true "$report" >"$work/sum" 2>"$work/log" ||
    failed "$work/log" "nsys stats failed with $3:"
  kernel_time "$work/sum" || failed "$work/sum" "nsys stats has no times of kernels for $3:"
}

measure() { # SET NAME ARGUMENTS
  local source=$root/kernels/$1/$2/$2.cu program=$work/$1-$2 shown="kernels/$1/$2${3:+ $3}"
  if [[ ! -e $program ]]; then
    nvcc -O3 -std=c++17 -arch="$arch" -o "$program" "$source" >"$work/log" 2>&1 || failed "$work/log" "nvcc failed with ${source#"$root/"}:"
  fi
  # shellcheck disable=SC2086
  "$program" $3 >"$work/log" 2>&1 || failed "$work/log" "$shown does not pass its own check:"
  : >"$work/times"
  for ((k = 0; k < runs; k++)); do run_once "$program" "$3" "$shown" >>"$work/times"; done
  echo "kernels/$1/$2,$3,$(median "$work/times"),\"${card//\"/\"\"}\"" >>"$out.part"
  say "$shown: $(median "$work/times") ns"
}

{
  echo "# Times in kernels, measured by harness/study/gpu/measure.sh: medians of $runs runs."
  echo "# driver$driver; $(nvcc --version | grep -m 1 release || echo nvcc); $(nsys --version | head -n 1)"
  echo "program,arguments,ns,card"
} >"$out.part"
each_row "$only" measure
mv "$out.part" "$out"
say "$n rows in $out"
