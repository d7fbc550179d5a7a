# Runs the twelve workloads with sets of compile options. Sourced by run_*.sh, which name the sets.
# Each run's own check decides; the report must say "pass" too.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
workloads=(blur conv gemv hist kmeans knn ttrans maxp nw upsamp axpy pr)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# only NAMES...: these alone, unless MPU_LONG is set; each of the twelve has a place in some run_*.sh
only() { [[ ${MPU_LONG:-} ]] || workloads=("$@"); }

# try OPTIONS...: all of them with these options
try() {
  local k
  for k in "${workloads[@]}"; do
    if ! "$MPU" run -q "$@" --stats "$work/stats" "kernels/$k" >"$work/out" 2>&1 ||
      ! grep -q '"result": "pass"' "$work/stats"; then
      printf 'FAILED: mpu run %s kernels/%s\n' "$*" "$k"
      tail -n 5 "$work/out"
      failed=1
    fi
    rm -f "$work/stats"
  done
}
