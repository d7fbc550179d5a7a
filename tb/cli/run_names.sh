#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Commands on blocks of the Verilog: an unknown name, option or number is refused before
# anything is done.
set -u
. tb/cli/expect.sh
expect "formal: unknown proof 'fifoo'; known: " bash tb/formal/run.sh --quick fifo fifoo
expect "mutate: unknown block 'fifoo'; known: " bash tb/cosim/mutate.sh --sample fifo fifoo
expect "coverage: unknown block 'fifoo'; known: " bash tb/cosim/coverage.sh fifoo
grep -q ' fpu ' "$work/err" || fail "fpu is not among the known ones"
for script in tb/formal/run.sh:--timeout tb/cosim/mutate.sh:--seed tb/cosim/mutate.sh:--timeout tb/cosim/coverage.sh:--seed tb/cosim/coverage.sh:--cycles; do
  o=${script#*:} script=${script%:*}
  expect ": unknown option '--frob'; see mpu " bash "$script" --frob
  for v in x -1 1.5 ""; do
    expect ": $o takes a number from" bash "$script" "$o" "$v"
    expect ": $o takes a number from" bash "$script" "$o=$v"
  done
  expect ": $o takes a number from" bash "$script" "$o"
done
exit $failed
