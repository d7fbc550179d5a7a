# Runs programs of kernels/. Sourced by run_irregular.sh and run_iterate.sh.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# one PROGRAM OPTIONS... [-- ARGUMENTS...]: its own check decides
one() {
  "$MPU" run -q "kernels/$1" "${@:2}" >"$work/out" 2>&1 && return
  printf 'FAILED: mpu run kernels/%s %s\n' "$1" "${*:2}"
  tail -n 5 "$work/out"
  failed=1
}
