#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# freeze.sh sees what differs, says what and where, and records nothing that is wrong.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fails() {
  printf 'FAILED: %s\n' "$1"
  cat "$work/out"
  failed=1
}
cat >"$work/cases" <<'CASES'
# a program, many cores, sweeps
machine four paper machine: {processors: 2, cores: 2}; map: {first: processor}

run a/axpy none small axpy --n 300
run a/kmeans threads,none four --maxregs=32 kmeans --n 300
dram a/dram - --accesses 200 --rows 1,2
noc a/noc --chips 1x1 --load 0.05 --warm 50 --cycles 100
CASES
freeze() { bash tb/freeze/freeze.sh --cases "$work/cases" --file "$work/frozen" -j 2 "$@" >"$work/out" 2>&1; }
# expect STATUS TEXT... : of freeze with `with`
with=()
expect() {
  freeze "${with[@]}"
  local status=$?
  ((status == $1)) || fails "$case: status $status, not $1"
  for text in "${@:2}"; do grep -qF -- "$text" "$work/out" || fails "$case: this is not said: $text"; done
}
# doctored SED: frozen.txt, changed by SED
doctored() {
  sed "$1" "$work/good" >"$work/frozen"
  ! cmp -s "$work/good" "$work/frozen" || fails "$case: nothing is doctored"
}

case='no file'
expect 2 "--update records it"
case='first record' with=(--update)
expect 0 "recorded 4 cases"
cp "$work/frozen" "$work/good"
if [[ ${MPU_LONG:-} ]]; then
  case='record again'
  expect 0
  cmp -s "$work/good" "$work/frozen" || fails "a second record is another one"
fi
case=same with=()
expect 0 "4 cases are as in frozen"

# what is seen in the runs in C alone is looked for in them alone, several in one
with=(--quick)
case='a counter, one that was 0, one that was not'
doctored 's/^\(a\/axpy core.subcores.2 .*issued=\)\([0-9]*\)/\11\2/
  s/^\(a\/axpy core.nbus.1 .*\)/\1 held=7/
  s/^\(a\/axpy core.nbus.0.banks.0 .*\) act=[0-9]*/\1/;s/^\(a\/axpy core.nbus.0.banks.0\) act=[0-9]*/\1/'
issued=$(sed -n 's/^a\/axpy core.subcores.2 .*issued=\([0-9]*\).*/\1/p' "$work/good")
expect 1 "DIFFERS a/axpy" "core.subcores.2.issued" "was 1$issued, is $issued" "--only '^a/axpy\$'" \
  "mpu run -q --config small --near=c kernels/axpy -- --n 300" "1 differences" \
  "core.nbus.1.held" "was 7, is" "core.nbus.0.banks.0.act" "was 0, is"
grep -qE 'DIFFERS a/(kmeans|dram|noc)' "$work/out" && fails "more than one case differs"
case='digests, one core of many, one link of many, a point of a sweep'
doctored 's/^\(a\/kmeans results.* memory=\)./\1x/;s/^\(a\/kmeans results.* retire=\)./\1x/
  s/^\(a\/kmeans each .*3=\)/\11/
  s/^\(a\/kmeans network.links each=\)/\11/;s/^\(a\/kmeans network.links .*waited=\)/\11/
  s/^\(a\/dram dram.1 .*cycles=\)/\11/;s/^\(a\/noc noc.0.points.0 .*latency=\)/\11/'
expect 1 "DIFFERS a/kmeans" "memory  " "retire  " "the machine four of" "counters of core 3 are others" \
  "network.links.each" "network.links.waited" "was 1" \
  "DIFFERS a/dram" "dram.1.cycles" "DIFFERS a/noc" "noc.0.points.0.latency" "mpu dram --accesses 200"
case='other counters'
doctored 's/^\(names core.nbus.N.packets_up .*\) FAULT/\1/;s/^names core.subcores.N /&frobs /;s/^a.kmeans core.subcores.1 /&frobs=3 /'
expect 1 "NEW counter core.nbus.N.packets_up.FAULT" "GONE counter core.subcores.N.frobs" "1 differences"
grep -q DIFFERS "$work/out" && fails "a new counter looks like another behaviour"
case='a case that is not recorded, and one that is no more'
doctored '/^a\/axpy /d;s/^a\/noc .*/&\nb&/'
expect 1 "NOT RECORDED a/axpy" "NO CASE ba/noc" "2 differences"
case='some cases' with=(--only noc)
expect 0 "1 cases are as in frozen"

# a record of some cases leaves the others
case='record of some' with=(--only axpy --update)
doctored 's/^a\/.*/&1/'
expect 0 "recorded 1 cases"
diff <(grep '^a/axpy' "$work/good") <(grep '^a/axpy' "$work/frozen") || fails "the record of some is another one"
[[ $(grep -cE '^a/(kmeans|dram|noc) .*1$' "$work/frozen") == $(grep -cE '^a/(kmeans|dram|noc)' "$work/good") ]] ||
  fails "a record of some changes others"

# what fails is not recorded: the program's check, runs that must be the same. FAULTS: a line each, how and where
cp "$work/good" "$work/frozen"
cat >"$work/tool" <<TOOL
#!/usr/bin/env bash
while read -r how where; do
  [[ " \$* " =~ \$where ]] || continue
  case \$how in
  seed) exec "$MPU" "\$@" --seed 2 ;;
  status) echo no more; exit 1 ;;
  check) "$MPU" "\$@"; at=(\${*##*--stats}); exec sed -i 's/"pass"/"fail"/' \${at[0]} ;;
  esac
done <<<"\$FAULTS"
exec "$MPU" "\$@"
TOOL
chmod +x "$work/tool"
tool=$MPU
export MPU=$work/tool MPU_CACHE=$work/cache FAULTS
for with in ${MPU_LONG:+""} --update; do
  with=(${with:+"$with"})
  case='two threads and the functional machine differ, a sweep fails'
  FAULTS=$'seed --threads \nseed =none .*/axpy \nstatus ^ dram '
  expect 1 "a/kmeans: threads (is) does not do what c (was) does" "a/axpy: none (is) does not" "memory  " \
    "mpu run -q --near=none kernels/axpy -- --n 300" "FAILED a/dram (c)" "3 runs failed"
  case='a run fails, and a check'
  FAULTS=$'status =c .*/axpy \ncheck =none .*/kmeans '
  expect 1 "FAILED a/axpy (c)" "no more" "FAILED a/kmeans (none)" "2 runs failed"
  cmp -s "$work/good" "$work/frozen" || { fails "what fails is recorded"; cp "$work/good" "$work/frozen"; }
done
MPU=$tool
case='no reading of files' FAULTS= with=(--quick)
expect 0
unset MPU_CACHE

wrong() { case=$1 with=("${@:2}") && expect 2 "$1"; }
wrong "unknown option '--frob'" --frob
wrong "--only needs a value" --only
wrong "no case matches 'frob'" --only frob
wrong "not '('" --only '('
wrong "-j takes a number from 1, not '0'" -j 0
wrong "--update does not go with --quick" --update --quick
echo 'frob a' >>"$work/cases"
wrong "'frob' is not machine, run, dram or noc"
sed -i '$d' "$work/cases"
sed -i '$p' "$work/cases"
wrong "there are two cases a/noc"
exit $failed
