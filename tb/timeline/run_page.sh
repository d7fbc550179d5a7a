#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The listings of docs/timeline.md are what these commands say.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPU_NEAR=c
failed=0 listings=0
mpu() { "$MPU" "$@"; }
page=$PWD/docs/timeline.md
ln -s "$PWD/kernels" "$work/kernels"
cd "$work" || exit 1
check() { # COMMAND, EXPECTED
  listings=$((listings + 1))
  diff <(eval "$1" 2>&1) <(printf '%s' "$2") >diff && return
  echo "FAILED: $1"
  head -n 5 diff
  failed=1
}
command='' text=''
while IFS= read -r line; do
  if [[ $line == '    $ '* ]]; then
    command=${line#'    $ '} text=''
  elif [[ $command && $line == '    '* ]]; then
    text+=${line#'    '}$'\n'
  elif [[ $command ]]; then
    check "$command" "$text"
    command=''
  fi
done <"$page"
((listings == 3)) || { echo "FAILED: $listings listings, not 3"; failed=1; }
exit $failed
