# Runs programs of kernels/. Sourced by run_irregular.sh and run_iterate.sh.
set -u
. tb/cli/expect.sh

# one PROGRAM OPTIONS... [-- ARGUMENTS...]: its own check decides
one() {
  "$MPU" run -q "kernels/$1" "${@:2}" >"$work/out" 2>&1 && return
  fail "mpu run kernels/$1 ${*:2}"
  tail -n 5 "$work/out"
}
