#!/usr/bin/env bash
# Runs every fuzzer for SECONDS, JOBS at a time, from the seeds in tb/fuzz/seeds/<target>.
# usage: campaign.sh SECONDS JOBS; MPU names the tool that compiles seeds (build/test/mpu-tool)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=$1 jobs=$2 dir=$root/build/fuzz
mkdir -p "$dir"
tool=${MPU:-$root/build/test/mpu-tool}
mapfile -t targets < <(find "$root/tb/fuzz" -name 'fuzz_*.c' -printf '%f\n' | sed 's/\.c$//' | sort)
# the fuzzers alone: the rest is four times as much to compile; with MPU_LONG that too, for the warnings of clang
if ! { cmake --preset fuzz -S "$root" && cmake --build "$dir" --target ${MPU_LONG:+all} "${targets[@]}"; } >"$dir/build.log" 2>&1; then
  tail -n 20 "$dir/build.log"
  exit 1
fi
# Objects and instruction words to start from: what the compiler makes of the PTX seeds.
mkdir -p "$dir/corpus/fuzz_elf" "$dir/corpus/fuzz_dis"
for ptx in "$root"/tb/fuzz/seeds/fuzz_ptx/*.ptx "$root"/tb/vendor/nw.ptx; do
  elf=$dir/corpus/fuzz_elf/$(basename "$ptx" .ptx).elf
  "$tool" mpucc "$ptx" -o "$elf"
  dd if="$elf" of="$dir/corpus/fuzz_dis/$(basename "$ptx" .ptx)" bs=16 skip=4 count=60 status=none
done
one() {
  local target=$1 work=$dir/corpus/$1 seeds=$root/tb/fuzz/seeds/$1
  mkdir -p "$work" "$dir/found"
  local dirs=("$work")
  [[ ! -d $seeds ]] || dirs+=("$seeds")
  if "$dir/tb/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=3000 -max_len=16384 \
    -print_final_stats=1 -artifact_prefix="$dir/found/$target-" "${dirs[@]}" >"$work.log" 2>&1; then
    printf '%s: %s runs in %s s, nothing found\n' "$target" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$work.log")" "$seconds"
  else
    tail -n 30 "$work.log"
    printf '%s: FOUND something; repeat with %s FILE (files in %s)\n' "$target" \
      "$dir/tb/$target" "$dir/found"
    return 1
  fi
}
export -f one
export root seconds dir
printf '%s\n' "${targets[@]}" |
  xargs -P "$jobs" -I{} bash -c 'one {}'
