#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu matrix: every form of a Matrix Market file and each of its faults; generated matrices meet the figures of their list and
# survive a file; drawings.
set -u
. tb/cli/expect.sh
cd "$work" || exit 1

# reads NAME SAYS TEXT: the file is read; written again it has the entries SAYS ("row column value; ...")
reads() {
  printf '%b' "$3" >a.mtx
  # a generated copy: through spy and info only what is read counts
  "$MPU" matrix convert a.mtx b.mtx >out 2>&1 || { fail "$1: $(<out)"; return; }
  [[ $(tail -n +3 b.mtx | tr '\n' ';') == "$2" ]] || fail "$1: $(tail -n +3 b.mtx | tr '\n' ';'), not $2"
}
reads general "1 1 2.5;3 2 -4;" '%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 2 2\n3 2 -4\n1 1 2.5\n'
reads "other case, blanks, line ends" "1 1 2.5;3 2 -4;" '%%matrixmarket MATRIX Coordinate REAL General\r\n 3  2\t2 \r\n 1 1 +2.5\r\n\r\n%\r\n3 2 -4e0\r\n'
reads "no line end" "1 1 7;" '%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 7'
reads symmetric "1 1 1;1 2 5;2 1 5;" '%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 5\n'
reads skew "1 2 -5;2 1 5;" '%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n'
reads pattern "1 2;2 1;" '%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n'
reads "duplicates are summed" "1 1 6;1 2 0;" '%%MatrixMarket matrix coordinate real general\n1 2 4\n1 1 1\n1 2 0\n1 1 2\n1 1 3\n'
reads array "1 1 1;1 2 4;2 1 2;2 2 5;3 1 3;3 2 6;" '%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n'
reads "symmetric array" "1 1 1;1 2 2;2 1 2;2 2 3;" '%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n'
reads "skew array" "1 2 -2;2 1 2;" '%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n'
reads "no entries" "" '%%MatrixMarket matrix coordinate real general\n5 4 0\n'
reads "NaN and infinity" "1 1 nan;1 2 inf;1 3 -inf;1 4 inf;" '%%MatrixMarket matrix coordinate real general\n1 4 4\n1 1 NaN\n1 2 inf\n1 3 -Infinity\n1 4 1e999\n'
reads "0.1 to the bit" "1 1 0.10000000000000001;" '%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.1\n'

# refuses SAYS TEXT
refuses() {
  printf '%b' "$2" >a.mtx
  expect "$1" "$MPU" matrix info a.mtx
}
general='%%MatrixMarket matrix coordinate real general\n'
refuses "a.mtx:1: the file is empty" ''
refuses "a.mtx:1: not a Matrix Market file" 'hello\n'
refuses "a.mtx:1: object: 'vector' is not one of: matrix" '%%MatrixMarket vector coordinate real general\n'
refuses "a.mtx:1: format: 'dense' is not one of: coordinate, array" '%%MatrixMarket matrix dense real general\n'
refuses "a.mtx:1: complex matrices are not supported" '%%MatrixMarket matrix coordinate complex general\n'
refuses "a.mtx:1: complex matrices are not supported" '%%MatrixMarket matrix coordinate real hermitian\n'
refuses "a.mtx:1: the first line has no symmetry" '%%MatrixMarket matrix coordinate real\n'
refuses "a.mtx:1: 'x' is too much" '%%MatrixMarket matrix coordinate real general x\n'
refuses "'pattern' is for 'coordinate'" '%%MatrixMarket matrix array pattern general\n'
refuses "a pattern has no signs" '%%MatrixMarket matrix coordinate pattern skew-symmetric\n'
refuses "a.mtx:2: the file ends; the line with rows and columns is missing" "$general"
refuses "a.mtx:2: a matrix of 0 x 3 has no elements" "${general}0 3 0\n"
refuses "a.mtx:2: a matrix of 3 x 0 has no elements" "${general}3 0 0\n"
refuses "a.mtx:2: rows: '-1' is not a whole number from 0 on" "${general}-1 3 0\n"
refuses "a.mtx:2: entries is missing" "${general}3 3\n"
refuses "a.mtx:2: more than 4294967294 rows or columns" "${general}4294967295 3 0\n"
refuses "a.mtx:2: a symmetric matrix is square, not 2 x 3" '%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n'
refuses "a.mtx:4: row 3 is not 1 to 2" "${general}%\n2 2 1\n3 1 1\n"
refuses "a.mtx:3: row 0 is not 1 to 2" "${general}2 2 1\n0 1 1\n"
refuses "a.mtx:3: column 3 is not 1 to 2" "${general}2 2 1\n1 3 1\n"
refuses "a.mtx:3: the value is missing" "${general}2 2 1\n1 1\n"
refuses "a.mtx:3: 'x' is not a number" "${general}2 2 1\n1 1 x\n"
refuses "a.mtx:3: '2' is too much" "${general}2 2 1\n1 1 1 2\n"
refuses "a.mtx:4: the file ends; entry 2 of 2 is missing" "${general}2 2 2\n1 1 1\n"
refuses "a.mtx:4: more entries than the size line says" "${general}2 2 1\n1 1 1\n1 2 1\n"
refuses "a.mtx:3: row 1, column 2 is above the diagonal" '%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n'
refuses "a.mtx:3: a skew-symmetric matrix has nothing on its diagonal" '%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n'
refuses "a.mtx:2: the line is longer than" "$general$(printf '%05000d' 1)\n"
# a size that no memory has is refused where the file ends, not before
refuses "a.mtx:4: the file ends; entry 2 of 18446744073709551615 is missing" "${general}2 2 18446744073709551615\n1 1 1\n"
printf '%s\n1 1 1\n1 1 1\n' "${general%\\n}" | gzip >a.mtx.gz
"$MPU" matrix info a.mtx.gz >out 2>&1 && grep -q '^entries *1,' out || fail "a packed file: $(<out)"
head -c 40 a.mtx.gz >cut.mtx.gz
expect "cut.mtx.gz:" "$MPU" matrix info cut.mtx.gz
printf '%b' "${general}1 1 1\n1 1 1\n" | "$MPU" matrix info - >out 2>&1 || fail "standard input: $(<out)"

# generated: rows, and within 1 % mean and deviation of the list; the same for a seed, another for another
"$MPU" matrix list >list || fail "mpu matrix list"
names=$(awk 'NR > 1 && NF > 5 && $5 + 0 > 0 {print $1}' list)
[[ $(wc -w <<<"$names") == 15 ]] || fail "not fifteen matrices: $names"
# shellcheck disable=SC2086
"$MPU" matrix info $names >info || fail "mpu matrix info"
awk '$1 == "matrix" {name = $2} $1 == "rows" {rows[name] = $2 + 0} $1 == "columns" {columns[name] = $2}
  $1 == "in" {mean[name] = $4 + 0; deviation[name] = $6 + 0}
  function off(a, b) { return a < b * 0.99 || a > b * 1.01 }
  FILENAME == "list" && $5 + 0 > 0 && (rows[$1] != $2 || columns[$1] != $2 || off(mean[$1], $4) || off(deviation[$1], $5)) {
    print $1, "has", rows[$1], mean[$1], deviation[$1], "and should have", $2, $4, $5 }' info list >wrong
[[ ! -s wrong ]] || fail "$(<wrong)"
for seed in 1 1 2; do "$MPU" matrix gen --seed $seed bcsstk32 - | sha256sum; done >sums
[[ $(sort -u sums | wc -l) == 2 && $(head -n 2 sums | sort -u | wc -l) == 1 ]] || fail "seeds"
"$MPU" matrix gen soc-sign-epinions a.mtx.gz && "$MPU" matrix convert a.mtx.gz a.mtx && "$MPU" matrix gen soc-sign-epinions b.mtx && cmp a.mtx b.mtx ||
  fail "a matrix by way of a file"
"$MPU" matrix gen --values dominant cant a.mtx && awk 'NR > 2 && $1 <= 50 { if ($1 == $2) d[$1] = $3; else s[$1] += $3 < 0 ? -$3 : $3 }
  END { for (r in d) if (d[r] <= s[r]) print r }' a.mtx >out && [[ ! -s out ]] || fail "--values dominant"
"$MPU" matrix gen --values ones xenon2 - | head -n 1 | grep -q pattern || fail "--values ones"

# drawings: the diagonal of 2 x 2 is two cells
printf '%b' "${general}2 2 2\n1 1 1\n2 2 1\n" >a.mtx
"$MPU" matrix spy a.mtx a.svg && grep -q "d='M0 0h1v1h-1zM1 1h1v1h-1z'" a.svg || fail "mpu matrix spy"

expect "'cantt' is neither a file nor the name of a matrix" "$MPU" matrix info cantt
expect "cannot read './cant'" "$MPU" matrix info ./cant
expect "'cantt' is not the name of a matrix" "$MPU" matrix gen cantt x.mtx
expect "which matrix" "$MPU" matrix gen cant
expect "what is to be done" "$MPU" matrix
expect "'draw' is not one of" "$MPU" matrix draw
expect "--seed: '-1' is not a whole number from 0 on" "$MPU" matrix gen --seed -1 cant x.mtx
expect "cannot write '/dev/full': No space left" "$MPU" matrix gen rma10 /dev/full
expect "cannot write '/nowhere/x'" "$MPU" matrix spy a.mtx /nowhere/x
exit $failed
