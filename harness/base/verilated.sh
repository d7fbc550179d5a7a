#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# verilated.sh BUILD TARGET SIZES: prints the file name of the library TARGET of verilated models with these
# sizes ("QUEUE=8 ENTRIES=4", those of csim/mpu/structure.def that are not the default ones), and builds
# it first when it is not there. BUILD is the folder of a build; the library lies in
# BUILD/models/HASH, whose hash is over target, sizes and all that the library is made of. Two that want
# the same one build it once. Errors and progress go to stderr; after an error the status is not 0. A
# build keeps the KEPT libraries that were used last; the others are removed when a new one is built.
set -euo pipefail
build=$1 target=$2 sizes=$3
KEPT=16
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
say() { printf 'mpu: %s\n' "$*" >&2; }
# shellcheck source=steps.sh
. "$root/harness/base/steps.sh"

# Removes the folders that were used longest ago, but for KEPT; never one that somebody builds in.
remove_old() {
  local old
  find "$build/models" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | LC_ALL=C sort -rn |
    tail -n +$((KEPT + 1)) | cut -d ' ' -f 2- | while IFS= read -r old; do
    (
      exec 8>"$old.lock"
      if flock -n 8; then rm -rf "$old"; fi
    )
  done
}

cd "$root"
hash=$({
  echo "$target $sizes"
  verilator --version 2>/dev/null || true
  find rtl csim CMakeLists.txt CMakePresets.json -type f \( -name '*.sv' -o -name '*.svh' -o -name '*.vlt' \
    -o -name '*.map' -o -name '*.def' -o -name '*.h' -o -name '*.cpp' -o -name 'CMake*' \) -print0 |
    LC_ALL=C sort -z | xargs -0 cat
} | sha256sum | cut -c 1-16)
dir=$build/models/$hash library=$dir/lib$target.so
if [[ -e $library ]]; then
  touch -c "$dir" 2>/dev/null || true # when it was used last
  echo "$library"
  exit
fi
mkdir -p "$build/models" && : >>"$dir.lock" || { say "cannot write to '$build/models', where the Verilog for $sizes would be built"; exit 2; }
exec 9>"$dir.lock"
if ! flock -n 9; then
  say "waiting for another build of the Verilog for $sizes"
  flock 9
fi
if [[ ! -e $library ]]; then
  mkdir -p "$dir"
  for tool in cmake verilator make ninja; do
    command -v "$tool" >/dev/null || { say "cannot build the Verilog for $sizes: $tool is missing"; exit 2; }
  done
  say "building the Verilog for $sizes, takes about 2 minutes"
  work=$dir/build log=$dir/log begun=$SECONDS
  rm -rf "$work"
  if ! { cmake -S "$root" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc \
    "-DNEARBANK_SIZES=$sizes" && cmake --build "$work" --target "$target" -j "$(nproc)"; } 2>&1 9>&- | show_steps "$log"; then
    grep -E -m 10 'rror' "$log" >&2 || tail -n 20 "$log" >&2
    say "building the Verilog for $sizes failed; the whole log is in $log"
    exit 2
  fi
  mv -f "$work/lib$target.so" "$library"
  rm -rf "$work"
  touch "$dir"
  remove_old
  say "the Verilog for $sizes is built ($((SECONDS - begun)) s)"
fi
echo "$library"
