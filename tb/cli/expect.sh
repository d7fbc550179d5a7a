# SPDX-License-Identifier: Apache-2.0
# For scripts that test a command by what it says: a folder for files, failures, wrong use.
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# expect TEXT COMMAND...: exit status 2, one line on stderr with TEXT, nothing on stdout
expect() {
  local text=$1 got
  shift
  "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  if [[ $got != 2 || -s $work/out || $(wc -l <"$work/err") != 1 ]] || ! grep -qF -- "$text" "$work/err"; then
    fail "$*: expected status 2 and one line with \"$text\"; got $got and:"
    head -n 5 "$work/err"
  fi
}
