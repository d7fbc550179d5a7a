#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# catalogue.sh with a small suite of our own: what it says of programs that are right, wrong, do not build, do not end, fail; that
# a second run renews what it is asked to and keeps the rest, also suites that it is not given.
set -u
. tb/cli/expect.sh
here=$PWD/tb/cuda/catalogue
[[ $MPU == /* ]] || MPU=$PWD/$MPU
export MPU
mkdir -p "$work/tables" "$work/suite/programs" && cp "$here"/{catalogue.sh,numbers.sh} "$work/tables"
catalogue() { bash "$work/tables/catalogue.sh" --work "$work/work" --page "$work/page.md" --seconds 20 "$@" >"$work/out" 2>&1; }
echo '# Title' >"$work/tables/page_head"
printf 'ours\nother\n' >"$work/tables/order"
cat >"$work/tables/ours.txt" <<'EOF'
[*]
title: Ours
from: here
version: 1
about: Small.
once: echo 3 >once.txt
dir: programs
build: make $NAME
run: ./$NAME
right: $HERE/numbers.sh $TOP/once.txt $LOG 0.1

[right]

[wrong]

[does/not]
build: make not
note: its own defect

[slow]
build: cp /bin/sleep slow
seconds: 1
run: ./slow 60

[fails]
build: cp /bin/false fails

[unchecked]
data: echo 1 >data.txt
build: cp /bin/cat unchecked
run: ./unchecked data.txt
right: -
EOF
sed 's/Ours/Other/; /^\[right\]/,$d' "$work/tables/ours.txt" >"$work/tables/other.txt"
cat >"$work/suite/programs/Makefile" <<'EOF'
%: %.cu
	$(CUDA_PATH)/bin/nvcc -o $@ $<
EOF
cat >"$work/suite/programs/right.cu" <<'EOF'
#include <cstdio>
__global__ void k(float *p) { *p = 1.0f + VALUE; }
int main() {
  float *p, h = 0;
  cudaMalloc(&p, 4), k<<<1, 1>>>(p), cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost), printf("%f\n", h);
}
EOF
sed 's/VALUE/7/' "$work/suite/programs/right.cu" >"$work/suite/programs/wrong.cu"
sed -i 's/VALUE/2/' "$work/suite/programs/right.cu"
echo 'int main() { return undeclared; }' >"$work/suite/programs/not.cu"

line() { grep -qxF -- "$1" "$work/page.md" || { fail "no line: $1"; cat "$work/page.md" "$work/out"; }; }
catalogue ours="$work/suite" || fail "the first run"
line '| right | yes | yes | yes | |'
line '| wrong | yes | yes | no | error: 1 of 1 numbers differ; number 1: 3 and 8 |'
line '| does/not | no | - | - | its own defect |'
line '| slow | yes | no | - | longer than 1 s |'
line '| fails | yes | no | - | status 1 |'
line '| unchecked | yes | yes | - | nothing to compare with |'
line '| Ours | 6 | 5 | 3 | 1 | 2 |'
[[ ! -e $work/suite/once.txt && ! -e $work/suite/programs/right ]] || fail "the folder of the suite was written to"

# another suite, which keeps the first; then programs that were not right, of which one is now
catalogue other="$work/suite" || fail "another suite"
line '| Ours | 6 | 5 | 3 | 1 | 2 |'
line '| wrong | yes | yes | no | error: 1 of 1 numbers differ; number 1: 3 and 8 |'
sed -i 's/1.0f + 7/3.0f/' "$work/work/ours/copy/programs/wrong.cu"
catalogue --again --only '[rw]*' ours="$work/suite" || fail "again"
grep -q '^right' "$work/out" && fail "--again runs what was right"
line '| wrong | yes | yes | yes | |'
line '| fails | yes | no | - | status 1 |'
# in another copy of the project: what the page says of programs that are not run stays
rm -rf "$work/work"
catalogue --only right ours="$work/suite" || fail "without results of before"
line '| wrong | yes | yes | yes | |'
line '| does/not | no | - | - | its own defect |'
line '| fails | yes | no | - | status 1 |'
line '| Ours | 6 | 5 | 3 | 2 | 2 |'

catalogue nothing="$work/suite" && fail "a suite without a table"
grep -q "no table for 'nothing'; there are: ours other" "$work/out" || fail "message about a suite without a table"
catalogue ours="$work/none" && fail "a folder that is not there"
bash "$here/catalogue.sh" --help | grep -q 'SUITE=FOLDER' || fail "--help"
# every table has what its programs need
for table in $(<"$here/order"); do
  for key in title from version about run; do
    grep -q "^$key: " "$here/$table.txt" || fail "$table.txt has no $key"
  done
done
printf 'x 1 2.5e1\n' >"$work/a" && printf '1.0001 25\n' >"$work/b" && printf '1 24\n' >"$work/c" && printf '1 nan\n' >"$work/d"
numbers() { bash "$here/numbers.sh" "$@" >/dev/null; }
numbers "$work/a" "$work/b" 1e-3 || fail "numbers.sh: near"
numbers "$work/a" "$work/b" 1e-5 && fail "numbers.sh: not near enough"
numbers "$work/a" "$work/c" 1e-3 && fail "numbers.sh: another number"
numbers "$work/a" "$work/d" 1e-3 && fail "numbers.sh: nan"
numbers /dev/null /dev/null && fail "numbers.sh: nothing"
printf '3e-5 1\n' >"$work/e" && printf '4e-5 1\n' >"$work/f"
numbers "$work/e" "$work/f" 1e-3 || fail "numbers.sh: small ones are all the same"
numbers "$work/e" "$work/f" 1e-3 1e-5 && fail "numbers.sh: small ones"

bits() { perl -e 'print pack q(V f<*), @ARGV' -- "$@"; }
floats() { bash "$here/floats.sh" "$@" >/dev/null 2>&1; }
bits 7 1 250 3e-5 >"$work/a" && bits 7 1.0001 250 3e-5 >"$work/b" && bits 8 1 250 3e-5 >"$work/c" && bits 7 1 250 4e-5 >"$work/d"
floats "$work/a" "$work/b" 1e-3 1 4 || fail "floats.sh: near"
floats "$work/a" "$work/b" 1e-5 1 4 && fail "floats.sh: not near enough"
floats "$work/a" "$work/c" 1e-3 1 4 && fail "floats.sh: another head"
floats "$work/a" "$work/d" 1e-3 1 4 || fail "floats.sh: small ones are all the same"
floats "$work/a" "$work/d" 1e-3 1e-5 4 && fail "floats.sh: small ones"
bits 7 1 nan 3e-5 >"$work/b" && floats "$work/a" "$work/b" 1e-3 1 4 && fail "floats.sh: nan"
bits 7 1 250 >"$work/b" && floats "$work/a" "$work/b" 1e-3 1 4 && fail "floats.sh: fewer"
floats /dev/null /dev/null 1e-3 && fail "floats.sh: nothing"
bits 7 0 0 >"$work/b" && floats "$work/b" "$work/b" 1e-3 1 4 && fail "floats.sh: all zeros"

bash "$here/avi.sh" 7 5 3 >"$work/film.avi"
[[ $(stat -c %s "$work/film.avi") == $(($(od -An -t u4 -j 4 -N 4 "$work/film.avi") + 8)) ]] || fail "avi.sh: its size"
[[ $(grep -aoF 00db "$work/film.avi" | wc -l) == 3 ]] || fail "avi.sh: its frames"
exit $failed
