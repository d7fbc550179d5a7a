# SPDX-License-Identifier: Apache-2.0
# The rows of tables of GPU times, for those who count or measure them: both sets of programs, at their default and their papers'
# sizes.

# --only, where it was given, is a regular expression.
check_only() { # REGEX
  [[ ! $1 ]] || [[ x =~ $1 ]] || (($? < 2)) || wrong "--only takes a regular expression, not '$1'"
}

# Calls COMMAND SET NAME ARGUMENTS for each row of which PROGRAM,ARGUMENTS matches; sets n to their number.
each_row() { # REGEX COMMAND
  local set name arguments
  n=0
  for set in plain tiled; do
    for name in axpy blur conv gemv hist kmeans knn maxp nw pr ttrans upsamp; do
      for arguments in "" --paper; do
        [[ ! $1 || kernels/$set/$name,$arguments =~ $1 ]] || continue
        "$2" $set $name "$arguments"
        n=$((n + 1))
      done
    done
  done
  ((n)) || wrong "no row matches '$1'"
}
