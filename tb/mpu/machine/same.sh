# SPDX-License-Identifier: Apache-2.0
# Runs with --stats, and what they have counted; for the scripts of this folder.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
config=paper

fails() {
  printf 'FAILED: %s\n' "$1"
  [[ ! -s $work/out ]] || tail -n 4 "$work/out"
  failed=1
}
# counted NAME "OPTIONS" PROGRAM ARGUMENTS...: the program's check passes; $work/NAME is what was counted, but for what depends on the
# mode and on the host.
counted() {
  "$MPU" run -q --config "$config" $2 --stats "$work/stats" "$3" -- "${@:4}" >"$work/out" 2>&1 ||
    { fails "mpu run --config $config $2 $3 -- ${*:4}"; rm -f "$work/$1"; return 1; }
  sed -E 's/"near": "[a-z]*", //;s/"(agree|host_seconds|cpu_seconds|host_memory|core_cycles_per_second)": [^,]*, //g' "$work/stats" >"$work/$1"
}
# same "OPTIONS" PROGRAM ARGUMENTS...: as `base` has counted.
same() {
  counted now "$@" || return
  cmp -s "$work/base" "$work/now" && return
  fails "$2 ${*:3}: $1 gives other statistics"
  diff <(tr ',' '\n' <"$work/base") <(tr ',' '\n' <"$work/now") | head -n 6
}
