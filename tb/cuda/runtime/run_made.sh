#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Statistics say what made them: every key of the machine with its value, a hash of them, and the build.
set -u
. tb/cli/expect.sh
source="$work/a  name.cu"
cp kernels/plain/axpy/axpy.cu "$source"
run() { # NAME OPTIONS...
  "$MPU" run -q --stats "$work/$1.json" "${@:2}" -I"$PWD/kernels/plain/axpy" "$source" -- --n 256 >"$work/out" 2>&1 ||
    { fail "mpu run ${*:2}"; tail -n 3 "$work/out"; }
}
changed=(--set dram.row_buffers=2 --set dram.page=closed --set dram.refresh=off --set energy.tsv_bit=1.25)
run one --near=c
run two --near=c "${changed[@]}"
run again --near=c --config closed-page --set energy.tsv_bit=1.25 --set dram.refresh=no --set dram.row_buffers=4 --set dram.row_buffers=2
run functional --near=none

# as mpu config prints them
values() { sed -E 's/ *#.*//; /^$/d; s/: on$/: true/; s/: off$/: false/'; }
of_json() { jq -r '.configuration | to_entries[] | "\(.key):", (.value | to_entries[] | "  \(.key): \(.value)")' "$work/$1.json"; }
diff <("$MPU" config small | values) <(of_json one) || fail "the configuration of the preset small"
diff <("$MPU" config small "${changed[@]}" | values) <(of_json two) || fail "a configuration with values of --set"

hash_of() { jq -r .configuration_hash "$work/$1.json"; }
[[ $(hash_of one) =~ ^[0-9a-f]{16}$ ]] || fail "the hash is '$(hash_of one)'"
[[ $(hash_of one) != "$(hash_of two)" ]] || fail "two machines have one hash"
[[ $(hash_of two) == "$(hash_of again)" ]] || fail "one machine has two hashes"
[[ $(jq 'has("configuration") or has("configuration_hash")' "$work/functional.json") == false ]] || fail "the functional machine has a configuration"

for name in one functional; do
  diff <("$MPU" --version) <(jq -r '.build | "nearbank \(.release)", "commit \(.commit)", "compiler \(.compiler)", "verilog \(.verilog)"' "$work/$name.json") ||
    fail "the build in $name"
  [[ $(jq -r .program "$work/$name.json") == 'a  name' ]] || fail "the name of the program"
done
exit $failed
