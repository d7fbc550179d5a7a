#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The frozen table of "V100 at best": three of its rows counted again, the arithmetic of all, and the page that shows them.
# Warp instructions are those of the compiler that counted them first; bytes are the program's.
set -u
. tb/cli/expect.sh
table=harness/study/gpu/v100.csv
count() { bash harness/study/gpu/count.sh "$@"; }
rows() { grep -vE '^(#|set,)' "$1"; }

only='^kernels/(plain/axpy|tiled/(hist|kmeans)),$'
count --rows --only "$only" >"$work/again" 2>"$work/err" || { fail "count.sh"; cat "$work/err"; }
diff <(cut -d, -f1-5 "$work/again") <(rows $table | awk -F, -v only="$only" '$2 "," $3 ~ only' | cut -d, -f1-5) || fail "bytes now (<) and frozen (>)"
[[ $(wc -l <"$work/again") == 3 ]] || fail "not three rows"

check() { # FILE: what is wrong with its rows
  rows "$1" | awk -F, '
    function say(text) { print $2, $3 ": " text; bad = 1 }
    NF != 8 { say(NF " columns"); next }
    $2 !~ "^kernels/" $1 "/[a-z]+$" { say("is not of the set " $1) }
    seen[$2, $3]++ { say("is there twice") }
    $4 % 32 || $5 % 32 { say("not whole sectors") }
    $6 !~ /^[1-9][0-9]*$/ { say("no instructions") }
    { memory = ($4 + $5) / 0.8e12; issue = $6 / 441e9; best = memory >= issue ? memory : issue
      if ($7 - best * 1e9 > 0.051 || best * 1e9 - $7 > 0.051) say($7 " ns, by its counts " best * 1e9)
      if ($8 != (memory >= issue ? "memory" : "issue")) say("is not bound by " $8) }
    END { exit bad }'
}
check $table || fail "the frozen table"
check "$work/again" || fail "what count.sh prints"
[[ $(rows $table | wc -l) == 48 ]] || fail "the table has $(rows $table | wc -l) rows, not two sizes of two sets of twelve"
for wrong in 's/251658.2/251659.2/' 's/,memory$/,issue/' 's/^tiled,/plain,/' 's/67108864/67108865/'; do
  sed "$wrong" $table >"$work/wrong"
  ! check "$work/wrong" >/dev/null || fail "not noticed: $wrong"
done
count --rows --only '^kernels/tiled/kmeans,$' | diff - <(grep '^tiled,kernels/tiled/kmeans,,' "$work/again") || fail "a second count differs"

# the page has the table
diff <(grep '^| `kernels/' docs/gpu.md) <(count --page) || fail "docs/gpu.md (<) and count.sh --page (>)"

expect "count: no row matches 'axpyx'" count --rows --only axpyx
expect "count: --only takes a regular expression, not '('" count --only '('
expect "count: --only needs a value; see --help" count --only
expect "count: unknown option '--frob'; see --help" count --frob
MPU=false count --rows --only '^kernels/tiled/kmeans,$' >"$work/out" 2>"$work/err"
[[ $? == 1 && ! -s $work/out ]] && grep -q '^count: mpu run --near=none --count-bytes kernels/tiled/kmeans -- *failed:$' "$work/err" || { fail "a program that fails"; cat "$work/err"; }
exit $failed
