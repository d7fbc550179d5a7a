#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# harness/study/gpu/measure.sh with stand-ins for the vendor's tools (fake/): medians, what it writes, what it says of tools that
# are missing or fail. test_measured.c reads what it writes.
set -u
. tb/cli/expect.sh
fake=$PWD/tb/study/gpu/fake
export FAKE_COUNT=$work/count
measure() { PATH=$fake:$PATH bash harness/study/gpu/measure.sh "$@"; }
rows() { grep -v '^#' "$work/gpu.csv"; }

# medians of an odd and of an even number of runs, of one; both kernels count
medians() { # TIME OPTIONS...
  rm -f "$work/count" "$work/gpu.csv"
  measure -o "$work/gpu.csv" --only '^kernels/tiled/axpy,--paper$' "${@:2}" >"$work/out" 2>"$work/err" || { fail "measure ${*:2}"; cat "$work/err"; }
  diff <(rows) - <<CSV || fail "the median of measure ${*:2}"
program,arguments,ns,card
kernels/tiled/axpy,--paper,$1,"Tesla V100-PCIE-32GB"
CSV
}
medians 500017.0
medians 900017.0 --runs 1
medians 500017.0 --runs 3
medians 400017.0 --runs 4
FAKE_NSYS=quotes medians 500017.0
grep -q '^measure: kernels/tiled/axpy --paper: 500017.0 ns$' "$work/err" || fail "what is said of a row"
grep -q '^# driver 550.54.15; Cuda compilation tools, release 12.4, V12.4.131; NVIDIA Nsight Systems version 2024' "$work/gpu.csv" || fail "the tools in the file"

# rows are those of the frozen table, in its order
measure -o "$work/gpu.csv" --runs 1 --only '/(hist|nw),' >"$work/out" 2>"$work/err" || { fail "both sets, both sizes"; tail -n 3 "$work/err"; }
diff <(rows | cut -d, -f1,2 | tail -n +2) <(grep -E '/(hist|nw),' harness/study/gpu/v100.csv | cut -d, -f2,3) || fail "rows of gpu.csv (<) and v100.csv (>)"
names_of() { grep '^names=' "harness/study/gpu/$1.sh"; }
[[ $(names_of measure) == "$(names_of count)" ]] || fail "measure.sh and count.sh have other programs"

# what goes wrong is said, and leaves the file that was there
echo before >"$work/gpu.csv"
goes_wrong() { # STATUS TEXT COMMAND...
  "${@:3}" >"$work/out" 2>"$work/err"
  local got=$?
  [[ $got == "$1" && ! -s $work/out ]] && head -n 1 "$work/err" | grep -qF -- "measure: $2" || { fail "${*:3}: status $got"; cat "$work/err"; }
  [[ $(<"$work/gpu.csv") == before && ! -e $work/gpu.csv.part ]] || { fail "${*:3}: it wrote something"; echo before >"$work/gpu.csv"; }
}
one=(measure -o "$work/gpu.csv" --only 'tiled/(axpy|nw),')
FAKE_BREAKS=tiled/nw goes_wrong 1 "kernels/tiled/axpy: 500017.0 ns" "${one[@]}"
grep -q '^measure: nvcc failed with kernels/tiled/nw/nw.cu:$' "$work/err" && grep -q 'expected a ";"' "$work/err" || fail "a program that does not compile"
FAKE_FAILS=axpy goes_wrong 1 "kernels/tiled/axpy does not pass its own check:" "${one[@]}"
grep -q 'FAIL: element 3' "$work/err" || fail "what a program says that fails"
FAKE_NSYS=profile goes_wrong 1 "nsys profile failed with kernels/tiled/axpy:" "${one[@]}"
FAKE_NSYS=none goes_wrong 1 "nsys profile wrote no report.nsys-rep for kernels/tiled/axpy:" "${one[@]}"
FAKE_NSYS=stats goes_wrong 1 "nsys stats failed with kernels/tiled/axpy:" "${one[@]}"
FAKE_NSYS=empty goes_wrong 1 "nsys stats has no times of kernels for kernels/tiled/axpy:" "${one[@]}"
grep -q 'does not contain CUDA kernel data' "$work/err" || fail "what nsys says of a program without kernels"
FAKE_NSYS=units goes_wrong 1 "nsys stats has no times of kernels for kernels/tiled/axpy:" "${one[@]}"
goes_wrong 1 "nvidia-smi does not find GPU 1:" "${one[@]}" --device 1
goes_wrong 2 "no row matches 'axpyx'" measure -o "$work/gpu.csv" --only axpyx
goes_wrong 2 "--only takes a regular expression, not '('" measure -o "$work/gpu.csv" --only '('
goes_wrong 2 "--runs takes a number from 1 to 9999, not '0'" measure --runs 0
goes_wrong 2 "--device takes the number of a GPU, not 'a'" measure --device a
goes_wrong 2 "--runs needs a value; see --help" measure --runs
goes_wrong 2 "unknown option '--frob'; see --help" measure --frob
goes_wrong 2 "cannot write '/nowhere/gpu.csv'" measure -o /nowhere/gpu.csv

# a toolkit that is missing, or a part of it
mkdir "$work/bin"
for tool in bash awk sed sort mktemp rm mv cat dirname readlink tail head grep; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
for missing in nvcc nsys nvidia-smi; do
  goes_wrong 2 "$missing is missing: it comes with" env PATH="$work/bin" bash harness/study/gpu/measure.sh -o "$work/gpu.csv"
  ln -s "$fake/$missing" "$work/bin/$missing"
done
measure --help | grep -q '^usage: bash harness/study/gpu/measure.sh' || fail "--help"
exit $failed
