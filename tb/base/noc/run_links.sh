#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The links in the statistics of the machine `reduce`: all of them, with the flits of the network, whatever the threads.
set -u
. tb/cli/expect.sh
sum() { grep -oP "$1" "$work/stats" | awk '{ n += $1 } END { print n + 0 }'; }
links() { # LINKS OPTIONS...
  "$MPU" machine reduce --near c --stats "$work/stats" "${@:2}" >"$work/report" 2>&1 || fail "$*: $(<"$work/report")"
  [[ $(grep -o '"direction"' "$work/stats" | wc -l) == "$1" ]] || fail "${*:2}: not $1 links"
  for kind in processor:on gateway:off; do
    [[ $(sum "\"${kind%:*}\": \\d+, \"from\": [^}]*\"flits\": \\K\\d+") == "$(sum "\"${kind#*:}_chip_flits\": \\K\\d+")" ]] ||
      fail "${*:2}: links have other flits than ${kind#*:}_chip_flits"
  done
}
links 8 --set machine.processors=1 --set machine.cores=4 --set reduce.requests=12
links 98 --set machine.processors=2
[[ $(sum '"waited": \K\d+') != 0 ]] || fail "nothing waited"
cp "$work/stats" "$work/one"
links 98 --set machine.processors=2 --threads 2
cmp "$work/one" "$work/stats" || fail "two threads count otherwise than one"
exit $failed
