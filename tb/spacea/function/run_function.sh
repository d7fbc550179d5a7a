#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu spacea run --near=none: Y of files, vectors, iterations, programs; the mapping changes nothing in it; wrong use.
set -u
. tb/cli/expect.sh
cd "$work" || exit 1
run() { "$MPU" spacea run --near=none "$@"; }

printf '%%%%MatrixMarket matrix coordinate real general\n3 4 5\n1 1 2\n1 4 -1\n3 2 0.5\n3 3 4\n1 1 1\n' >a.mtx
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n10\n' >x.mtx
# y FILE: the values of Y, on one line
y() { tail -n +3 "$1" | awk '{ printf "%s ", NF == 3 ? $3 : 1 }'; }
run a.mtx --x x.mtx --out y.mtx >out || fail "a.mtx: $(<out)"
grep -q '^functional machine: results only, no cycles$' out || fail "it does not say that it has no cycles"
grep -q '^check .* right' out || fail "$(<out)"
[[ $(y y.mtx) == "-7 0 13 " ]] || fail "Y is $(y y.mtx)"
run a.mtx --x x.mtx --out y.mtx --semiring min-plus >out || fail "min-plus: $(<out)"
[[ $(y y.mtx) == "4 inf 2.5 " ]] || fail "Y of min-plus is $(y y.mtx)"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 1\n2 1 1\n' >fib.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 1\n' >one.mtx
run fib.mtx --x one.mtx --iterate 10 --out y.mtx >out || fail "iterations: $(<out)"
[[ $(y y.mtx) == "89 55 " ]] || fail "Y after ten times is $(y y.mtx)"
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 0\n' >none.mtx
run none.mtx --out y.mtx >out && [[ $(y y.mtx) == "0 0 " ]] || fail "a matrix without entries: $(<out)"

for map in naive spacea; do
  run bcsstk32 --map $map --out $map.mtx >out || fail "$map: $(<out)"
done
cmp -s naive.mtx spacea.mtx || fail "the mapping changes Y"
run bcsstk32 --seed 2 --out other.mtx >out && cmp -s other.mtx spacea.mtx && fail "--seed"
run soc-sign-epinions --map naive --program pagerank >out && grep -q 'until nothing changed' out || fail "pagerank: $(<out)"
run soc-sign-epinions --map naive --program sssp --values ones --from 7 >out && grep -q 'until nothing changed' out || fail "sssp: $(<out)"
run soc-sign-epinions --map naive --program sssp --values ones --iterate 1 >out && grep -q 'still changes' out || fail "one iteration: $(<out)"

expect "what is to be done?" "$MPU" spacea
expect "which matrix?" "$MPU" spacea run
expect "one matrix" run a.mtx a.mtx
expect "as many rows as columns are needed, not 3 and 4" run a.mtx --iterate 2
expect "row 1, column 4 is -1" run --program sssp <(sed 's/^3 4 5/4 4 5/' a.mtx)
expect "--from is a vertex from 1 to 2" run fib.mtx --program sssp --from 3
expect "--from is a vertex from 1 to 2" run fib.mtx --program sssp --from 0
expect "X is a column of 2 rows, this has 4 and 1" run fib.mtx --x x.mtx
expect "an X of its own" run fib.mtx --x one.mtx --program sssp
expect "writes a file, not standard output" run fib.mtx --out -
expect "--near" run fib.mtx --near verilog
exit $failed
