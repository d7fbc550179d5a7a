#!/usr/bin/env bash
# mpu config: what it prints is a file again; the manual is what the table makes; wrong use.
set -u
. tb/cli/expect.sh
unset MPU_NEAR  # the machine of --config is the cycle-by-cycle one

# the values of a file, without comments
values() { sed 's/ *#.*//' "$1" | grep .; }

"$(dirname "$MPU")/config_gen" >"$work/manual"
diff -u docs/configuration.md "$work/manual" || fail "docs/configuration.md is not what config_gen prints"

# every preset that --list names prints a file that prints itself, whole or as changes
"$MPU" config --list >"$work/list" || fail "mpu config --list"
presets=$(cut -d' ' -f1 "$work/list")
(($(wc -w <<<"$presets") == 18)) || fail "--list names $(wc -w <<<"$presets") presets"
grep -qx 'paper  *the machine of the paper.*' "$work/list" || fail "--list says what paper is"
for p in $presets; do
  "$MPU" config "$p" >"$work/$p.yaml" || fail "mpu config $p"
  "$MPU" config "$work/$p.yaml" >"$work/again" || fail "mpu config of what it printed for $p"
  diff <(values "$work/$p.yaml") <(values "$work/again") || fail "$p printed, read and printed"
  "$MPU" config --changes "$p" >"$work/changes.yaml" || fail "mpu config --changes $p"
  "$MPU" config "$work/changes.yaml" >"$work/again" || fail "mpu config of the changes of $p"
  diff <(values "$work/$p.yaml") <(values "$work/again") || fail "changes of $p printed and read"
done
diff <("$MPU" config) "$work/paper.yaml" || fail "mpu config is mpu config paper"
(cd "$work" && "$MPU" config small.yaml >again) || fail "a file by its bare name"
diff <(values "$work/small.yaml") <(values "$work/again") || fail "a file by its bare name"
diff <("$MPU" config --changes | sed 1d) <(echo base: paper) || fail "paper does not differ from paper"
diff <("$MPU" config --changes rows-2 | sed 's/ *#.*//' | grep .) - <<'YAML' || fail "the changes of rows-2"
base: paper
machine:
  processors: 1
  cores: 1
dram:
  row_buffers: 2
YAML

# comments: unit, what it is, what is allowed or why it cannot be changed
line() { grep -qxF -- "$1" "$work/paper.yaml" || fail "no line '$1'"; }
line '  warp_slots: 16              # warps of a subcore; 1 to 16'
line '  schedule: lrr               # which ready warp of a subcore issues; lrr or gto'
line '  tREFI: 3900                 # cycles, from one refresh of a bank to the next; 500 to 100000'
line '  tRCD: 14                    # cycles, ACT to RD or WR; 1 to 255'
line '  banks: 4                    # banks of a near-bank unit; fixed by the Verilog: req_bank_i of rtl/dram/bankctl/bankctl.sv'
line '  tsv_bit: 4.53               # pJ, a bit over a TSV; 0 to 1000000'

expect "unknown option '--frob'; see mpu config --help" "$MPU" config --frob
expect "one configuration at a time; 'rows-1' is a second" "$MPU" config small rows-1
expect "--list goes alone" "$MPU" config --list small
expect "--list goes alone" "$MPU" config --changes --list
expect "unknown preset 'smal'; presets: paper, small, " "$MPU" config smal
expect "unknown preset ''" "$MPU" config ""
expect "cannot read 'none.yaml': No such file or directory" "$MPU" config none.yaml
expect "cannot read './docs': Is a directory" "$MPU" config ./docs
printf 'base: small\n\ncore:\n  warp_slot: 4\n' >"$work/bad.yaml"
expect "$work/bad.yaml:4: unknown key 'core.warp_slot'; nearest: core.warp_slots" "$MPU" config "$work/bad.yaml"
printf 'dram: {banks: 8}\n' >"$work/bad.yml"
expect "$work/bad.yml:1: dram.banks: must be 4, not '8': it is a parameter of the Verilog (req_bank_i of rtl/dram/bankctl/bankctl.sv)" \
  "$MPU" config "$work/bad.yml"
: >"$work/empty.yaml"
expect "$work/empty.yaml:1: the file is empty" "$MPU" config "$work/empty.yaml"
head -c 4000 "$MPU" >"$work/binary.yaml"
expect "$work/binary.yaml:1: not YAML: " "$MPU" config "$work/binary.yaml"

# what `mpu run` cannot make of a machine and its options
expect "--locate does not fit the core.location of location-far" "$MPU" run --config location-far --locate=near kernels/axpy
expect "--dies=far-shared does not fit rows-1, which is --dies=hybrid" "$MPU" run --config rows-1 --dies=far-shared kernels/axpy
for option in "--config small" "--max-cycles 5" "--threads 2" "--rtl-core 0" "--blocks x" "--checkpoint x"; do
  expect "are not for the functional machine" "$MPU" run --near=none $option kernels/axpy
done
if [[ -e /dev/full ]]; then
  "$MPU" config 2>"$work/err" >/dev/full
  [[ $? == 2 ]] && grep -q "cannot write to standard output: No space left on device" "$work/err" || fail "output on a full disk"
fi
grep -q '^usage: mpu config' <("$MPU" config --help) || fail "mpu config --help"
exit $failed
