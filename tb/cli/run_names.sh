#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Commands on blocks of the Verilog: a name that nothing has is refused, with those that there are, before anything is done.
set -u
. tb/cli/expect.sh
expect "formal: there is no proof 'fifoo'; there are: " bash tb/formal/run.sh --quick fifo fifoo
expect "mutate: there is no block 'fifoo'; there are: " bash tb/cosim/mutate.sh --sample fifo fifoo
expect "coverage: there is no block 'fifoo'; there are: " bash tb/cosim/coverage.sh fifoo
grep -q ' fpu ' "$work/err" || fail "fpu is not among those that there are"
exit $failed
