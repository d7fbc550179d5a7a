# SPDX-License-Identifier: Apache-2.0
# For scripts that test a command by what it says: a folder for files, failures, wrong use.
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/wait.sh"
. "$(dirname "${BASH_SOURCE[0]}")/terminal.sh"
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# What a command that takes long says meanwhile, and nothing else: how many netlists it has to map, and each that it has mapped.
progress_lines='^[a-z]+: ([0-9]+ to map, which takes seconds to minutes each|[A-Za-z0-9_]+ mapped in [0-9]+ s) \([0-9]+ of [0-9]+\)$|^[a-z]+: [0-9]+ of [0-9]+ mapped, under way: '

# expect TEXT COMMAND...: exit status 2; on stderr one line with TEXT, behind how far it was; nothing on stdout
expect() {
  local text=$1 got
  shift
  "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  if [[ $got != 2 || -s $work/out || $(grep -cvE "$progress_lines" "$work/err") != 1 ]] || ! tail -n 1 "$work/err" | grep -qF -- "$text"; then
    fail "$*: expected status 2 and one line with \"$text\"; got $got and:"
    head -n 5 "$work/err"
  fi
}
