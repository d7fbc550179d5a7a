#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The launcher and packages, in a tree and with a dpkg, an apt-get and a cmake of the test's own: what is installed for which command,
# how to refuse it, mirrors that stumble, a machine without dpkg, what mpu doctor and --version say, a test that fails.
set -u
. tb/cli/expect.sh
tree=$work/tree bin=$work/bin
mkdir -p "$tree"/{csim,harness/base,kernels/mpucc,rtl,tb/fuzz,build/release} "$bin"
cp mpu VERSION "$tree"
cp harness/base/steps.sh "$tree/harness/base"
: >"$tree/CMakeLists.txt" >"$tree/CMakePresets.json"
cp "$MPU" "$tree/build/release/mpu-tool"
for tool in bash env readlink dirname cat sed awk grep tail head mktemp rm mv mkdir find flock touch cut xargs nproc id wc tr echo; do
  ln -sf "$(type -P "$tool")" "$bin/$tool"
done
script() { # NAME: standard input is what it does
  { echo "#!$(type -P bash)"; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}
script cmake <<<'exit 0'
script sleep <<<'exit 0'
script sudo <<<'exec "$@"'
missing=' '
script dpkg-query <<'SH'
[[ $MISSING != *" ${*: -1} "* ]] && echo installed
SH
script apt-get <<'SH'
echo "apt-get $*" >>"$LOG"
echo "E: the mirror stumbles" >&2
n=$(wc -l <"$LOG")
((n > FAILS))
SH
launch() { LOG=$work/log FAILS=${fails:-0} MISSING=$missing PATH=$bin "$tree/mpu" "$@" >"$work/out" 2>"$work/err" </dev/null; }
says() { grep -qF -- "$1" "$work/err" || { fail "this is not said: $1"; cat "$work/err"; }; }
status() { # WANTED GOT WHAT
  [[ $1 == "$2" ]] || { fail "$3: status $2, not $1"; head -n 3 "$work/err"; }
}

# all is there
launch config small; status 0 $? "mpu config"
[[ ! -e $work/log ]] || fail "apt-get was called for nothing"

# what is missing is installed, and the line says how to refuse it
missing=' libyaml-dev verilator gtkwave yosys '
launch config small; status 0 $? "mpu config, with a package to install"
says "installing Debian packages: libyaml-dev (MPU_NO_INSTALL=1 or mpu --no-install refuses that)"
grep -q 'install .*libyaml-dev$' "$work/log" || fail "apt-get install libyaml-dev, and nothing else: $(<"$work/log")"

# refused
rm -f "$work/log"
MPU_NO_INSTALL=1 launch config; status 2 $? "MPU_NO_INSTALL=1"
says "these packages are missing, and MPU_NO_INSTALL says not to install them: libyaml-dev"
launch --no-install config; status 2 $? "--no-install"
says "libyaml-dev"
[[ ! -e $work/log ]] || fail "apt-get was called all the same"
missing=' verilator gtkwave yosys '
MPU_NO_INSTALL=1 launch config small; status 0 $? "no command asks for what it does not need"
MPU_NO_INSTALL=1 launch dram --model=both; status 2 $? "mpu dram --model=both"
says "verilator"
! grep -q 'gtkwave\|yosys' "$work/err" || fail "mpu dram asks for more than it needs"

# a mirror that stumbles twice is tried a third time; one that does so for good ends it, with the log
missing=' libyaml-dev '
rm -f "$work/log"
fails=2 launch config small; status 0 $? "apt-get update fails twice"
says "apt-get update failed; trying again in 10 s (3 of 3)"
rm -f "$work/log"
fails=99 launch config small; status 2 $? "apt-get fails"
says "E: the mirror stumbles"
says "apt-get failed; the whole log is in "
[[ $(grep -c update "$work/log") == 3 ]] || fail "apt-get update was not tried three times"

# mpu doctor: by tier, installs nothing
missing=' verilator xvfb '
rm -f "$work/log"
launch doctor; status 1 $? "mpu doctor, packages missing"
grep -q '^run --near=c.* installed$' "$work/out" || fail "doctor: run"
grep -q '^run --near=rtl.* missing: verilator$' "$work/out" || fail "doctor: verilator"
grep -q '^waves --picture.* missing: xvfb$' "$work/out" || fail "doctor: xvfb"
grep -q '^test --long ' "$work/out" || fail "doctor: test --long"
[[ ! -e $work/log ]] || fail "mpu doctor calls apt-get"
missing=' '
launch doctor; status 0 $? "mpu doctor, nothing missing"

# without dpkg: what is there is used
rm "$bin/dpkg-query" "$bin/apt-get"
launch config small; status 0 $? "mpu config without dpkg"
launch --help; status 0 $? "mpu --help without dpkg"
launch doctor; status 0 $? "mpu doctor without dpkg"
grep -q 'unknown without dpkg: gcc' "$work/out" || fail "doctor does not say what it cannot know"
says "these are names of Debian packages"

# --version: of the tree, and of what is built
launch --version; status 0 $? "mpu --version"
grep -q '^built: commit [0-9a-f]\{12\}' "$work/out" && grep -q '^built: compiler [A-Z]' "$work/out" && grep -q '^built: verilog ' "$work/out" ||
  fail "--version of what is built: $(<"$work/out")"
rm -r "$tree/build"
launch --version; status 0 $? "mpu --version"
grep -qx "nearbank $(<VERSION)" "$work/out" || fail "--version has no release"
grep -qx 'commit unknown (no git)' "$work/out" || fail "--version without git"
[[ ! -e $tree/build ]] || fail "--version builds"
grep -qx 'not built yet' "$work/out" || fail "--version does not say that nothing is built"

# a test that fails: what it was, its last lines, where the rest is
script dpkg-query <<<'echo installed'
script ctest <<'SH'
d=${2}/Testing/Temporary
mkdir -p "$d"
printf '7:noc.storm\n9:cli.errors\n' >"$d/LastTestsFailed.log"
printf 'much\nFAILED: the very reason\n' >"$d/LastTest.log"
exit 8
SH
cat >"$tree/tb/fuzz/campaign.sh" <<'SH'
mkdir -p "$(dirname "$0")/../../build/fuzz/corpus"
echo "fuzz_ptx: FOUND something" >"$(dirname "$0")/../../build/fuzz/corpus/fuzz_ptx.log"
exit 1
SH
launch test --seconds 1; status 1 $? "mpu test that fails"
says "these tests failed: noc.storm cli.errors"
says "FAILED: the very reason"
says "their output is in $tree/build/test/Testing/Temporary/LastTest.log"
says "fuzz_ptx: FOUND something"
says "the logs are in $tree/build/fuzz/corpus"
launch test -R noc; status 1 $? "mpu test -R that fails"
! grep -q fuzz "$work/err" || fail "mpu test -R speaks of fuzzers"
script ctest <<<'exit 0'
launch test -R noc; status 0 $? "mpu test that passes"
says "all tests passed"
# packages that would start services are unpacked for mpu test --long, and not installed
script apt-get <<'SH'
echo "apt-get $*" >>"$LOG"
case $* in
*--simulate*)
  [[ ! -e $LOG.unknown ]] || { echo "E: Unable to locate package munge" >&2; exit 100; }
  printf 'Inst %s\n' "munge (0.5 Debian)" "libmunge2 [0.4] (0.5 Debian)"; echo "Conf munge (0.5 Debian)"
  ;;
download*) touch munge.deb libmunge2.deb ;;
esac
SH
script dpkg-deb <<'SH'
touch "$3/${2##*/}.is.here"
SH
rm -f "$work/log"
MPU_NO_INSTALL=1 launch test --long -R noc; status 2 $? "MPU_NO_INSTALL=1 mpu test --long"
says "MPU_NO_INSTALL says not to install them: slurmctld slurmd"
[[ ! -e $work/log ]] || fail "apt-get was called all the same: $(<"$work/log")"
touch "$work/log.unknown"
launch test --long -R noc; status 2 $? "mpu test --long with packages that are unknown"
says "E: Unable to locate package munge"
rm "$work/log.unknown" "$work/log"
launch test --long -R noc; status 0 $? "mpu test --long"
says "unpacking Debian packages under build/daemons, without installing them: munge libmunge2"
[[ -e $tree/build/daemons/munge.deb.is.here && -e $tree/build/daemons/libmunge2.deb.is.here ]] || fail "in build/daemons is $(ls "$tree/build/daemons")"
[[ $(grep -c "download -q munge libmunge2" "$work/log") == 1 && ! $(grep "install" "$work/log" | grep -v -e --simulate) ]] || fail "mpu test --long has installed: $(<"$work/log")"
rm "$work/log"
launch test --long -R noc; status 0 $? "mpu test --long, again"
[[ ! -e $work/log ]] || fail "what was unpacked is unpacked again"
launch doctor
grep -q '^test --long, study --on  *unpacked in build/daemons$' "$work/out" || fail "doctor: what is unpacked"
# and when it does not build
script cmake <<<'echo "error: no such header"; exit 1'
touch "$tree/CMakeLists.txt"
launch test -R noc; status 2 $? "mpu test that does not build"
says "error: no such header"
says "the build failed; the whole log is in $tree/build/test.log"
exit $failed
