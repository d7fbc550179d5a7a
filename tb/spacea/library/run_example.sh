#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example of the library, built by the line of docs/spacea.md and run: it prints what the page shows. The header in C
# and C++ with all warnings; what the library exports.
set -uo pipefail
. tb/cli/expect.sh
build=$(dirname "$MPU")
page=docs/spacea.md
[[ -e $build/libnearbank-spmv.so ]] || { echo "FAILED: build the target nearbank-spmv first"; exit 1; }

# ---- the lines of the page, with this build in place of build/release
line=$(awk '/^    gcc kernels\/spmv/ { in_it = 1 } in_it { print; if (!/\\$/) exit }' $page)
[[ $line == *-lnearbank-spmv* ]] || fail "$page has no line that builds the example"
line=${line//\$PWD\/build\/release/$build}
line=${line//build\/release/$build}
bash -c "${line/-o cg/-o $work/cg}" >"$work/log" 2>&1 || fail "$line: $(<"$work/log")"
[[ -s $work/log ]] && fail "warnings: $(<"$work/log")"

# ---- what it prints; the number of cycles is that of the day
without_cycles() { sed 's/^\(cycles *\)[1-9][0-9]*$/\1N/'; }
awk '/^    \$ .\/cg$/ { in_it = 1; next } in_it && !/^    / { exit } in_it { print substr($0, 5) }' $page >"$work/want"
"$work/cg" >"$work/got" 2>&1 || fail "cg: $(<"$work/got")"
[[ -s $work/want ]] && diff <(without_cycles <"$work/want") <(without_cycles <"$work/got") || fail "$page shows something else (<)"
grep -q '^cycles  *[1-9]' "$work/got" || fail "no cycles"
"$work/cg" 32 spacea-small none >"$work/none" 2>&1 || fail "near none: $(<"$work/none")"
diff <(grep -v '^cycles' "$work/got") "$work/none" >/dev/null || fail "near none: $(<"$work/none")"
"$work/cg" 4 spacea-large >"$work/out" 2>&1
[[ $? == 2 && $(<"$work/out") == "conjugate_gradient: unknown preset 'spacea-large'"* ]] || fail "a wrong preset: $(<"$work/out")"

# ---- the header, and the names that a program cannot have
strict=(-Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -I harness/machines/spacea/library)
gcc -std=c17 "${strict[@]}" kernels/spmv/conjugate_gradient.c || fail "warnings of the example"
echo '#include <spmv.h>' >"$work/a.cpp"
g++ -std=c++17 "${strict[@]}" "$work/a.cpp" || fail "the header in C++"
nm -D --defined-only "$build/libnearbank-spmv.so" | awk '{ print $3 }' | sort >"$work/exported"
grep -oE '\bspmv_[a-z_]+\(' harness/machines/spacea/library/spmv.h | grep -v '_run(a\|_put(x\|_get(y' | tr -d '(' | sort -u >"$work/declared"
diff "$work/declared" "$work/exported" || fail "the library exports (>) what the header does not declare, or less (<)"
exit $failed
