# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Waiting in tests: for what is expected, not for a time, so that a slow or loaded machine only takes longer.
# What does not come within five minutes, or WAIT seconds, does not come.

# wait_for COMMAND...: until it succeeds
wait_for() {
  local end=$((SECONDS + ${WAIT:-300}))
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.05
  done
}

# gone PID: the process, which need not be a child, has ended
gone() { # also when its parent has not asked for its status yet
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  [[ ${stat##*) } == [ZX]* ]]
}

# wait_for_work PID [TICKS]: until the process has computed for so many hundredths of a second more (30), so that it is in the
# middle of a run however slow the machine is; or has ended
wait_for_work() {
  local from
  from=$(ticks "$1")
  wait_for worked "$1" $((from + ${2:-30}))
}
worked() { gone "$1" || (($(ticks "$1") >= $2)); }
ticks() { # PID: user and system time; the name before may have blanks
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || { echo 0; return; }
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  echo $((${12} + ${13}))
}
# longer_than BYTES FILE
longer_than() { (($(stat -c %s "$2" 2>/dev/null || echo 0) > $1)); }
