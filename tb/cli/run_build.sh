#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The launcher and builds, in a tree and with a cmake of the test's own: how far a build is, one at a time, a checkout that was moved or
# cannot be written to, a build that fails.
set -u
. tb/cli/expect.sh
tree="$work/a tree" bin=$work/bin
mkdir -p "$tree"/{csim,harness/base,kernels/mpucc,rtl,tb} "$bin"
cp mpu VERSION "$tree"
cp harness/base/steps.sh "$tree/harness/base"
: >"$tree/CMakeLists.txt" >"$tree/CMakePresets.json"
fake() { # NAME: standard input is what it does
  { echo "#!$(type -P bash)"; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}
fake dpkg-query <<<'echo installed'
fake cmake <<SH
tree=\${TREE:-$(printf %q "$tree")}
echo "cmake \$*" >>"$work/log"
if [[ \$1 == --preset ]]; then
  mkdir -p "\$tree/build/\$2"
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=\$tree" >"\$tree/build/\$2/CMakeCache.txt"
else
  echo "[1/2] Building C object a"
  while [[ -e "\${UNTIL_GONE:-}" ]]; do sleep 0.05; done
  [[ ! \${BROKEN:-} ]] || { echo "FAILED: b.o"; echo "b.c:3: error: no b"; exit 1; }
  echo "[2/2] Linking b"
  printf '#!/bin/sh\necho "the tool \$*"\n' >"\$2/mpu-tool"
  chmod +x "\$2/mpu-tool"
fi
SH
start() { PATH=$bin:$PATH "$tree/mpu" "$@" >"$work/out" 2>"$work/err" </dev/null; }
says() { grep -qF -- "$1" "$work/err" || { fail "this is not said: $1"; cat "$work/err"; }; }
builds() { # NUMBER WHAT: of builds since the last time
  local n
  n=$(grep -c 'cmake --build' "$work/log" 2>/dev/null)
  [[ ${n:-0} == "$1" ]] || fail "$2: ${n:-0} builds, not $1"
  rm -f "$work/log"
}
sed -i 's/^needs=.*//; s/  needs=.*/  needs=/' "$tree/mpu" # the tool of this test knows nothing of that

# once; in a path with a blank; the log has all of it, what is no terminal has a line
start config || fail "status $?"
grep -q '^the tool config$' "$work/out" || fail "the tool was not started"
[[ $(<"$work/err") == "mpu: building (release)" ]] || fail "what is said: $(<"$work/err")"
grep -q '^\[2/2\] Linking b$' "$tree/build/release.log" || fail "the log"
builds 1 "the first start"
start config && [[ ! -s $work/err ]] || fail "the second start"
builds 0 "the second start"

# a terminal is told how far it is
if has_terminals; then
  touch "$tree/csim/x.c"
  PATH=$bin:$PATH script -qec "$(printf %q "$tree/mpu") config" "$work/typescript" >/dev/null </dev/null || fail "on a terminal"
  grep -q '\[1/2\] Building C object a' "$work/typescript" && grep -q '\[2/2\] Linking b' "$work/typescript" ||
    { fail "on a terminal there are no steps"; cat "$work/typescript"; }
  builds 1 "on a terminal"
fi

# two at a time: the second says what it waits for, and need not build
touch "$tree/csim/x.c"
touch "$work/held"
UNTIL_GONE=$work/held PATH=$bin:$PATH "$tree/mpu" config >/dev/null 2>&1 &
wait_for grep -qs "cmake --build" "$work/log" || fail "the first of two does not build"
start config &
second=$!
wait_for grep -qF "mpu: another mpu builds in $tree/build/release; waiting for its end" "$work/err" || fail "the second of two does not say that it waits"
rm "$work/held"
wait "$second" || fail "the second of two: status $?"
wait
builds 1 "two at a time"

# a build that fails
touch "$tree/csim/x.c"
BROKEN=1 start config
[[ $? == 2 ]] || fail "a broken build: status"
says "b.c:3: error: no b"
says "mpu: the build failed; the whole log is in $tree/build/release.log"
start config || fail "after a broken build"
rm -f "$work/log"

# moved
mv "$tree" "$work/elsewhere"
tree=$work/elsewhere
echo old >"$tree/build/release/left"
TREE=$tree start config || fail "moved: status $?"
says "mpu: building (release) again: it was built in another folder"
[[ ! -e $tree/build/release/left ]] || fail "moved: what was built elsewhere is still there"
builds 1 "moved"
TREE=$tree start config
builds 0 "moved, the second time"

# cannot be written to: a build that is there is used
if ((EUID)); then
  chmod -w "$tree/build" "$tree/build/release"
  start config || fail "read-only: status $?"
  builds 0 "read-only"
  touch "$tree/csim/x.c"
  start config
  [[ $? == 2 ]] || fail "read-only and old: status"
  says "mpu: cannot write to $tree/build/release, and its build is missing, old, or of another folder"
  chmod +w "$tree/build" "$tree/build/release"
else # as root: there is a file in the place of the folder
  rm -rf "$tree/build"
  : >"$tree/build"
  start config
  [[ $? == 2 ]] || fail "no folder to build in: status"
  says "mpu: cannot write to $tree/build/release, and its build is missing, old, or of another folder"
fi
exit $failed
