#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --config and --set of area, timing, power, export, formal, mutate and coverage are the machine: its sizes reach the
# modules that have them, through all of the die; what is wrong is told as by any other command, and nothing is run. Nothing is mapped
# here: figures of a mapped module are made up. With MPU_LONG each script is told all that is wrong, and the die of the default is
# counted too.
set -uo pipefail
. tb/cli/expect.sh
export MPU MPU_AREA_CACHE=$work/cache
same() { [[ $2 == "$3" ]] || fail "$1: '$2', not '$3'"; } # WHAT GOT EXPECTED

# ---- sizes of a configuration as parameters
for preset in $("$MPU" config --list | cut -d' ' -f1); do
  want=''
  [[ $preset != nearbank* ]] || want="FORMS=64 PATTERNS=1 SKEW=1"
  same "sizes of $preset" "$("$MPU" structure --config "$preset")" "$want"
done
same "sizes" "$("$MPU" structure --set dram.queue=8 --set dram.row_bytes=512 --set core.near_rf_bytes=8192 --set shared.bytes=32768)" \
  "QUEUE=8 RF_ROWS=16 COLS=16 SMEM_ROWS=256"

# ---- the table of what modules have is what die_slice, nbu and tsv give them; rowbuf is beside them
awk -F'|' '!/^#/ { gsub(/ /, "", $1); n = split($2, p, " "); for (k = 1; k <= n; k++) { if (!sub(/=/, " ", p[k])) p[k] = p[k] " " p[k]; print $1, p[k] } }' \
  synth/structure.txt >"$work/table"
printf 'rowbuf %s %s\n' ROWS ROWS SUBARRAYS SUBARRAYS >"$work/verilog"
awk '{ print "die_slice", $2, $3 }' <(sed -nE 's/^STRUCTURE\([a-z_]+, ([A-Z_]+),.*/x \1 \1/p' csim/mpu/structure.def) >>"$work/verilog"
for f in rtl/mpu/{die_slice/die_slice,nbu/nbu,tsv/tsv,regfile/regfile,regmove/regmove,lsux/lsux}.sv; do
  tr '\n' ' ' <"$f" | grep -oE '[a-z_]+ #\([^;]*\) i_[a-z]+' | awk -v file="$f" '
    { m = $1; while (match($0, /\.[A-Z_]+\([A-Z_]+\)/)) { s = substr($0, RSTART + 1, RLENGTH - 2); sub(/\(/, " ", s); print m, s; $0 = substr($0, RSTART + RLENGTH) } }'
done | awk '$1 == "fifo" || $2 == "LANES" || $2 == "PORT_AW" || ($1 ~ /^lsux_/ && $2 != "SKEW") { next } $1 == "regfile_bank" { $3 = "RF_ROWS" } 1' | sort -u >>"$work/verilog"
diff <(sort "$work/table") <(sort "$work/verilog") >"$work/diff" || { fail "synth/structure.txt (<) and the Verilog (>)"; cat "$work/diff"; }

# A copy: proofs write to build/formal of their root, and a mapping that makes figures up takes the place of map.sh.
mkdir "$work/copy"
cp -r --parents rtl synth tb/cosim/blocks.txt tb/formal "$work/copy"

# ---- wrong values: the configuration's message; no tool is started
mkdir "$work/fake"
printf '#!/bin/bash\necho "$0 $*" >>%q\nexit 1\n' "$work/started" >"$work/fake/yosys"
chmod +x "$work/fake/yosys"
cp "$work/fake/yosys" "$work/fake/sta"
: >"$work/wave"
for script in "synth/area.sh" "synth/timing.sh" "synth/power.sh $work/wave" "synth/export.sh -o $work/made" "$work/copy/tb/formal/run.sh" tb/cosim/mutate.sh tb/cosim/coverage.sh; do
  # shellcheck disable=SC2086
  set -- env PATH="$work/fake:$PATH" bash $script
  expect "--set near.collectors=17: near.collectors: 17 is out of range; allowed: 1 to 16" "$@" --config small --set=near.collectors=17
  expect "unknown preset 'smal'" "$@" --config=smal
  expect "--set needs a value" "$@" --set
  if [[ ${MPU_LONG:-} || $script == synth/area.sh ]]; then # what all scripts have of one file
    expect "--set dram.tRDC=20: unknown key 'dram.tRDC'; nearest: dram.tRCD" "$@" --set dram.tRDC=20
    expect "--set dram.queue=3: dram.queue: 3 is not a power of two from 1 to 16" "$@" --config small --set dram.queue=3
    expect "--set takes section.key=value, as dram.page=closed; not 'QUEUE=8'" "$@" --set QUEUE=8
    expect "'/nowhere/mpu' is not built" env MPU=/nowhere/mpu "$@" --config small
  fi
  [[ ! -e $work/started && ! -e $work/made ]] || fail "$script: something was started: $(cat "$work/started")"
done
for o in --small --check --update-baseline --memory "--sweep rows=1,2"; do
  # shellcheck disable=SC2086
  expect "--config and --set do not go together with" bash synth/area.sh $o --set dram.queue=8
done
expect "--config and --set do not go together with" bash synth/timing.sh --small --set dram.queue=8

# ---- formal: the sizes of a machine take the place of the proof's own, and only where the module has them
chparam() { # PROOF OPTIONS...: what Yosys is told
  rm -f "$work/started"
  (PATH=$work/fake:$PATH bash "$work/copy/tb/formal/run.sh" "${@:2}" "$1") >"$work/out" 2>"$work/err"
  grep -oE 'chparam( -set [A-Z_]+ [0-9]+)* [a-z_]+' "$work/started" | head -n 1
}
same "proof of tsv_tx" "$(chparam tsv_tx)" "chparam -set CREDITS 5 tsv_tx"
same "proof of tsv_tx" "$(chparam tsv_tx --set tsv.up_flits=9 --set dram.queue=8)" "chparam -set CREDITS 9 tsv_tx"
same "proof of regfile" "$(chparam regfile --set core.near_rf_bytes=4096)" "chparam -set ROWS 8 -set LANES 1 regfile"
[[ $(head -n 1 "$work/err") == "formal: regfile with ROWS=8 LANES=1" ]] || fail "formal does not say what it proves: $(<"$work/err")"
same "proof of fifo" "$(chparam fifo --set core.near_rf_bytes=4096)" "chparam -set WIDTH 2 -set DEPTH 3 fifo"

# ---- mutate and coverage: the same, over the sizes of tb/cosim/blocks.txt
for script in mutate coverage; do
  small() { # BLOCK OPTIONS...: what Yosys is to be told
    rm -rf "$work/built"
    (PATH=$work/fake:$PATH NEARBANK_BUILD=$work/built bash "tb/cosim/$script.sh" "${@:2}" "$1") >"$work/out" 2>"$work/err"
    grep -ohE 'chparam( -set [A-Z_]+ [0-9]+)* [a-z_]+' "$work/built/$script/$1/ports.ys"
  }
  same "$script of regfile" "$(small regfile)" "chparam -set LANES 4 -set ROWS 4 regfile"
  same "$script of regfile" "$(small regfile --set core.near_rf_bytes=4096)" "chparam -set ROWS 8 -set LANES 4 regfile"
  same "$script of tsv" "$(small tsv --set tsv.up_flits=9 --set dram.queue=8)" "chparam -set UP_CREDITS 9 tsv"
  same "$script of fifo" "$(small fifo --config paper --set dram.queue=8)" ""
done

# ---- export: each block its own; --param counts more; a file of a configuration beside the user
mkdir "$work/a b"
printf 'base: small\ntsv: {down_flits: 8}\ncore: {near_rf_bytes: 8192}\n' >"$work/a b/my.yaml"
root=$PWD
(cd "$work/a b" && bash "$root/synth/export.sh" --config ./my.yaml --param ROWS=4 -o one regfile &&
  bash "$root/synth/export.sh" --config ./my.yaml --set core.near_rf_bytes=4096 -o . tsv regfile) 2>"$work/err" || { fail "export"; cat "$work/err"; }
first() { head -n 1 "$work/a b/$1"; }
[[ $(first one/regfile.f) == *"of regfile, to be elaborated with ROWS=4;"* ]] || fail "--param: $(first one/regfile.f)"
[[ $(first tsv.f) == *"of tsv, to be elaborated with RX_DEPTH=8;"* ]] || fail "tsv: $(first tsv.f)"
[[ $(first regfile.f) == *"of regfile, to be elaborated with ROWS=8;"* ]] || fail "regfile: $(first regfile.f)"
grep -qE '^module tsv_rx__DEPTH8' "$work/a b/tsv.v" || fail "tsv.v: $(grep '^module' "$work/a b/tsv.v")"
grep -q '^// tsv with RX_DEPTH=8 of nearbank' "$work/a b/tsv.v" || fail "tsv.v does not say its sizes"
[[ $(sed -n 2p "$work/a b/regfile.mem.csv") == "g_bank[0].i_bank/i_ram,8,1024,32,1r1w" ]] || fail "memories of regfile: $(<"$work/a b/regfile.mem.csv")"

# ---- area: the die from top to bottom
mv "$work/copy/synth/map.sh" "$work/copy/synth/children.sh"
cat >"$work/copy/synth/map.sh" <<'SH'
[[ " $* " != *" --children "* ]] || exec bash "$(dirname "$0")/children.sh" "$@"
while [[ $1 == --* ]]; do
  case $1 in --out) out=$2 ;; --cut) cut=$2 ;; esac
  shift 2
done
mkdir -p "$out"
area=80
for p in "${@:2}"; do area=$((area + ${p#*=})); done
{ printf 'area %d\ncells 10\nflops 2\nlatches 0\n' "$area"; [[ ! $cut ]] || bash "$(dirname "$0")/children.sh" --children --out "$out/c" --cut "$cut" "$@"; } >"$out/report"
: >"$out/netlist.v"
SH
area() { bash "$work/copy/synth/area.sh" "$@" >"$work/out" 2>"$work/err" || { fail "area $*: status $?"; cat "$work/err"; }; }
units() { jq -r '.units[] | "\(.module) \(.parameters) x \(.in_die_slice)"' "$work/json"; }
has() { units | grep -qxF -- "$1" || { fail "the die has no '$1':"; units; }; }
if [[ ${MPU_LONG:-} ]]; then
  area --json "$work/json"
  cp "$work/out" "$work/default"
  [[ $(<"$work/json") != *structure* && $(head -n 4 "$work/out") != *"other sizes"* ]] || fail "the default tells sizes"
  area --config paper
  cmp "$work/out" "$work/default" || fail "--config paper is not the default"
  # a sweep changes what is in the die, whose parts have parameters
  area --sweep regfile=8,16
  [[ $(head -n 1 "$work/out") == *"Register File"* ]] || fail "a sweep changes nothing: $(<"$work/out")"
fi
sizes=(--set dram.queue=8 --set dram.subarrays=16 --set core.near_rf_bytes=8192 --set near.collectors=2)
area --json "$work/json" "${sizes[@]}"
has "die_slice QUEUE=8 COLLECTORS=2 RF_ROWS=16 SUBARRAYS=16 x 1"
has "bankctl COLS=32 DEPTH=8 ROWS=16384 SUBARRAYS=16 x 4"
has "regfile ROWS=16 x 4"
has "opc COLLECTORS=2 x 4"
[[ $(jq '.rows | length' "$work/json") == 13 ]] || fail "the table has $(jq '.rows | length' "$work/json") rows, not 13"
same "structure in the JSON" "$(jq -r .structure "$work/json")" "QUEUE=8 COLLECTORS=2 RF_ROWS=16 SUBARRAYS=16"
grep -qx "QUEUE=8 COLLECTORS=2 RF_ROWS=16 SUBARRAYS=16; other sizes as in the Verilog" "$work/out" || fail "area does not say the sizes"
has "rowbuf SUBARRAYS=16 x 0"
support() { jq ".rows[] | select(.name == \"Multi-row-buffer Support\") | .$1" "$work/json"; }
same "row buffers of the die" "$(support number)" 64
[[ $(support gate_equivalents) != 0 ]] || fail "row buffers take no area"
area --json "$work/json" "${sizes[@]}" --set dram.row_buffers=1
same "row buffers of the die, with one a bank" "$(support number)" 0
area --blocks bankctl,opc:COLLECTORS=3,fpu --json "$work/json" --set dram.queue=8 --set near.collectors=2
same "--blocks" "$(jq -r '.units[] | "\(.module) \(.parameters)"' "$work/json" | tr '\n' ,)" "bankctl DEPTH=8,opc COLLECTORS=3,fpu ,"
exit $failed
