#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What pages show of commands is what the commands print. In an indented block that begins with `$ COMMAND`, the lines behind a
# command, up to the next one, are all that it writes to stdout and stderr; `...` stands for any number of lines. The commands of
# a page run one after the other in a folder of their own, which has kernels/, tb/, harness/, csim/ and rtl/. What needs all
# twelve workloads on 128 cores runs with MPU_LONG.
set -uo pipefail
pages="docs/adding-a-machine.md docs/energy.md docs/retire.md docs/profile.md docs/report.md docs/diff.md docs/timeline.md docs/interval.md docs/debugger.md docs/debugging.md docs/waves.md docs/export.md"

root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPU_CACHE=$work/cache LC_ALL=C
unset MPU_NEAR MPU_POSTMORTEM
failed=0
mkdir "$work/bin"
printf '#!/bin/bash\n[[ $1 != export ]] || exec bash %q "${@:2}"\nexec %q "$@"\n' "$root/synth/export.sh" "$MPU" >"$work/bin/mpu"
chmod +x "$work/bin/mpu"
export PATH=$work/bin:$PATH

# The listings of a page: for the n-th command the files n.line, n.command, n.want.
split() { # PAGE FOLDER
  awk -v to="$2/" '
    function done() { if (n) { close(to n ".want"); close(to n ".command") } }
    function put(text) { print text > (to n ".want") }
    /^    / {
      text = substr($0, 5)
      if (!block) { block = 1; listing = sub(/^\$ /, "", text); found = listing; blank = 0 }
      else found = listing && sub(/^\$ /, "", text)
      if (!listing) next
      if (found) { done(); n++; print NR > (to n ".line"); close(to n ".line"); printf "" > (to n ".want") }
      if (found || more) { print text > (to n ".command"); more = text ~ /\\$/; blank = 0; next }
      for (; blank; blank--) put("")
      put(text)
      next
    }
    /^$/ { blank++; next }
    { block = 0 }' "$1"
}

# Are the lines of the second file those of the first, in which `...` stands for any number of them?
matches() {
  awk 'NR == FNR { want[++w] = $0; next } { got[++g] = $0 }
    END {
      i = j = 1
      while (j <= g)
        if (i <= w && want[i] == "...") { star = i++; from = j }
        else if (i <= w && want[i] == got[j]) { i++; j++ }
        else if (star) { i = star + 1; j = ++from }
        else exit 1
      while (i <= w && want[i] == "...") i++
      exit i <= w
    }' "$1" "$2"
}

for page in $pages; do
  [[ -e $root/$page ]] || { echo "FAILED: there is no $page"; failed=1; continue; }
  name=$(basename "$page" .md)
  mkdir "$work/$name" "$work/$name.listings"
  ln -s "$root/kernels" "$root/tb" "$root/harness" "$root/csim" "$root/rtl" "$work/$name"
  split "$root/$page" "$work/$name.listings"
  [[ -e $work/$name.listings/1.command ]] || { echo "FAILED: $page has no listing"; failed=1; }
  for ((n = 1; ; n++)); do
    of=$work/$name.listings/$n
    [[ -e $of.command ]] || break
    [[ ${MPU_LONG:-} || $(<"$of.command") != *ttrans* ]] || continue
    (cd "$work/$name" && timeout 300 bash "$of.command") >"$of.got" 2>&1 </dev/null
    matches "$of.want" "$of.got" && continue
    echo "FAILED: $page:$(<"$of.line"): $(<"$of.command") prints something else (>)"
    diff "$of.want" "$of.got" | head -n 20
    failed=1
  done
done
exit $failed
