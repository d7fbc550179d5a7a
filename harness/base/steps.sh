# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by what starts builds: BUILD 2>&1 | show_steps LOG. The output goes to the log; where stderr is a terminal, it
# shows the step that the build has come to.
show_steps() {
  local line
  if [[ ! -t 2 ]]; then
    cat >"$1"
    return
  fi
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ ! $line =~ ^\[[0-9]+/[0-9]+\] ]] || printf '\r\033[K%.*s' $((${COLUMNS:-80} - 1)) "$line" >&2
  done >"$1"
  printf '\r\033[K' >&2
}
