#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of options: what the launcher asks it, scripts that have the same options, the manual page, completion,
# and --config and --set on every command with a machine.
set -u
. tb/cli/expect.sh

# ---- what a command line needs is what it does when it is executed
needs() { # EXPECTED ARGUMENTS...
  local got
  got=$(MPU_NEAR=${near:-} "$MPU" needs "${@:2}")
  [[ $got == "$1" ]] || fail "needs ${*:2}: '$got', not '$1'"
}
needs nearrtl run kernels/axpy
needs nearrtl run kernels/axpy --near=lockstep
needs "" run --near=c kernels/axpy
needs "" run --near c kernels/axpy -- --near=rtl --wave x
needs "" run --near=rtl --near=c kernels/axpy # the last one counts
needs nearrtl run --near=c --near rtl kernels/axpy
needs nearrtl run --near=c --rtl-core 0 kernels/axpy
needs nearwave run --near=c --wave x.fst kernels/axpy
needs nearwave run --near=c --wave=x.fst kernels/axpy
needs "" run --stats --near=rtl --near=c kernels/axpy # that is the name of a file
needs "" run --help
needs "" run kernels/axpy -h
needs nearrtl run kernels/axpy -- -h
near=c needs "" run kernels/axpy
near=none needs "" run kernels/axpy
near=rtl needs nearrtl run kernels/axpy
near=rtl needs "" profile kernels/axpy
needs nearrtl profile --near=lockstep kernels/axpy
needs nearwave debug --near=c kernels/axpy
# of other sizes the run builds the Verilog that it needs; the default one is not built for it
needs nearwave run --set near.collectors=8 kernels/axpy
needs nearwave run --near=rtl --set dram.queue=8 --set dram.subarrays=2 kernels/axpy
needs nearrtl run --set near.collectors=4 --set dram.tRCD=20 kernels/axpy
needs "" run --near=c --set near.collectors=8 kernels/axpy
needs nearrtl run --set near.collectors=3.5 kernels/axpy # wrong: the run says so
needs nearrtl bench core
needs "" bench
needs bankctlrtl dram --model both
needs "" dram --model=c
needs "" dram --trace --model=rtl
needs picture waves --picture x.png y.fst
needs "" config small
needs "" frob

# ---- scripts: the options in their help are those of the table
page=$("$MPU" man)
options_of() { # COMMAND: in the manual page
  awk -v command="mpu $1" '/^\.SH / { on = $0 == ".SH " command } on && /^\.B / { sub(/^\.B /, ""); gsub(/\\-/, "-"); print }' <<<"$page" |
    tr ',' '\n' | awk '{ sub(/[=[].*/, "", $1); print $1 }' | sort -u
}
shown_by() { # COMMAND...: in its help
  "$@" 2>&1 | grep -E '^  -' | sed -E 's/^  //; s/  .*//' | tr ',' '\n' | awk '{ sub(/[=[].*/, "", $1); print $1 }' | sort -u
}
same_options() { # NAME COMMAND...
  diff <(options_of "$1") <(shown_by "${@:2}") >"$work/diff" || { fail "options of $1: table and help"; cat "$work/diff"; }
}
diff <(./mpu --help) <("$MPU" help) >"$work/diff" || { fail "the commands that the launcher lists"; cat "$work/diff"; }
same_options mpucc "$MPU" mpucc --help
same_options test ./mpu test --help
same_options area bash synth/area.sh --help
same_options timing bash synth/timing.sh --help
same_options power bash synth/power.sh --help
same_options export bash synth/export.sh --help
same_options run "$MPU" run --help
# those say it in sentences
for script in formal:tb/formal/run.sh mutate:tb/cosim/mutate.sh coverage:tb/cosim/coverage.sh; do
  for o in $(options_of "${script%%:*}"); do
    [[ $o == -h || $o == --help ]] || bash "${script#*:}" --help 2>&1 | grep -qF -- "$o" || fail "${script%%:*} does not say what $o is"
  done
done

# ---- help without a build: the folder is not there, and is not made
for command in area timing power export formal mutate coverage test doctor; do
  cp mpu "$work/mpu"
  (MPU_NO_INSTALL=1 PATH=/usr/bin:/bin ./mpu "$command" --help) >"$work/out" 2>"$work/err" || fail "mpu $command --help"
  ! grep -q 'building\|installing' "$work/err" || fail "mpu $command --help builds or installs"
done

# ---- the manual page and completion
"$MPU" man >"$work/mpu.1"
for command in $("$MPU" --help | awk '/^  [a-z]/ { print $1 }' | grep -vx help); do
  grep -qx ".SH mpu $command" "$work/mpu.1" || fail "the manual page has no $command"
done
if command -v man >/dev/null && command -v groff >/dev/null; then
  LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$work/mpu.1" 2>"$work/err" >/dev/null
  [[ ! -s $work/err ]] || { fail "warnings of the manual page"; head -n 3 "$work/err"; }
fi
"$MPU" completion bash >"$work/completion" || fail "mpu completion bash"
expect "mpu completion supports bash only" "$MPU" completion
expect "mpu completion supports bash only" "$MPU" completion fish
completes() { # EXPECTED WORDS...: the last word is completed to it, among others
  local got
  got=$(bash -c '. "$1"; compopt() { :; }; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mpu; printf "%s\n" "${COMPREPLY[@]}"' x "$work/completion" "${@:2}")
  grep -qx -- "$1" <<<"$got" || fail "completion of '${*:2}' has no $1"
}
completes profile mpu pro
completes --stats mpu run --st
completes lockstep mpu run --near lo
completes rows-2 mpu run --config rows
completes dram.row_buffers= mpu dram --set dram.row
completes --tech-set mpu area --tech

# ---- --config and --set: wrong ones are told, and nothing is done
for command in "run --near=c kernels/axpy --stats $work/made" "profile kernels/axpy --json $work/made" \
  "debug --near=c kernels/axpy --stats $work/made" config "dram --plot $work/made" "noc --plot $work/made" "energy --list"; do
  set -- $command
  expect "--set dram.tRDC=20: unknown key 'dram.tRDC'; nearest: dram.tRCD" "$MPU" "$@" --set dram.tRDC=20
  expect "--set dram.row_buffers=3: dram.row_buffers: 3 is not a power of two from 1 to 4" "$MPU" "$@" --set=dram.row_buffers=3
  expect "--set core.location=near and --set core.compute=base_die: core.location: with core.compute base_die" \
    "$MPU" "$@" --set core.compute=base_die --set core.location=near
  expect "--set takes section.key=value, as dram.page=closed; not 'page'" "$MPU" "$@" --set page
  expect "--set needs a value" "$MPU" "$@" --set
  expect "unknown preset 'smal'" "$MPU" "$@" --config smal
  printf 'core:\n\twarp_slots: 4\n' >"$work/tab.yaml"
  expect "$work/tab.yaml:2: a tab: YAML indents and separates with spaces" "$MPU" "$@" --config "$work/tab.yaml"
  printf '\xef\xbb\xbfbase: small\n' >"$work/bom.yaml"
  expect "$work/bom.yaml:1: begins with a byte order mark" "$MPU" "$@" --config "$work/bom.yaml"
  [[ ! -e $work/made ]] || fail "$command: something was made"
done
# a key that contradicts what the file says of others
printf 'network: {topology: concentrated}\n' >"$work/grouped.yaml"
expect "--set machine.cores=1: network.group_columns: groups of 2 x 2 do not divide" "$MPU" config --config "$work/grouped.yaml" --set machine.cores=1
expect "--set, the 2 together: network.group_columns: groups of 2 x 2 do not divide" \
  "$MPU" config --config "$work/grouped.yaml" --set machine.cores=1 --set dram.tRCD=20
expect "--threads takes a number from 1 to 64, not '5000'" "$MPU" machine reduce --near c --threads 5000
# values count over those of a file or preset, the last one over those before
value() { "$MPU" config "${@:2}" 2>&1 | awk -v key="$1:" '$1 == key { print $2 }'; }
printf 'base: small\ndram: {row_buffers: 2, page: closed}\n' >"$work/my.yaml"
[[ $(value row_buffers "$work/my.yaml") == 2 ]] || fail "a value of a file"
[[ $(value row_buffers --set dram.row_buffers=1 "$work/my.yaml") == 1 ]] || fail "--set before a file"
[[ $(value row_buffers --set dram.row_buffers=4 --config "$work/my.yaml" --set dram.row_buffers=1) == 1 ]] || fail "the last --set"
[[ $(value page --set dram.row_buffers=1 --config "$work/my.yaml") == closed ]] || fail "the other values of the file"
# and reach what is run
cycles() { "$MPU" run -q --near=c --stats "$work/s" "$@" kernels/axpy -- --n 4096 >/dev/null && grep -o '"cycles": [0-9]*' "$work/s" | head -n 1; }
[[ $(cycles) != "$(cycles --set core.schedule=lrr --set core.warp_slots=2)" ]] || fail "--set changes no run"
[[ $(cycles --config closed-page) == "$(cycles --set dram.page=closed)" ]] || fail "--set is not what a preset sets"
latency() { "$MPU" "$@" --json | grep -o '"mean": [0-9.]*' | head -n 1; }
[[ $(latency dram --rate 0.01 --page closed --accesses 2000) == "$(latency dram --rate 0.01 --set dram.page=closed --accesses 2000)" ]] || fail "mpu dram --set dram.page"
[[ $(latency dram --rate 0.01 --page open --set dram.page=closed --accesses 2000) == "$(latency dram --rate 0.01 --accesses 2000)" ]] || fail "mpu dram --page over --set"

# ---- options
expect "unknown option '--stat'; nearest: --stats; see mpu run --help" "$MPU" run --stat x kernels/axpy
expect "--near takes c, rtl, lockstep or none, not 'here'" "$MPU" run --near=here kernels/axpy
expect "--near takes c, rtl or lockstep, not 'none'" "$MPU" profile --near none kernels/axpy
expect "--quiet takes no value, not '1'" "$MPU" run --quiet=1 kernels/axpy
expect "-D needs its value in the same word" "$MPU" run -D kernels/axpy
expect "--json takes no value" "$MPU" dram --json=x
expect "unknown argument 'x'" "$MPU" noc x
expect "--config and --set are for mpu bench core, machine and spacea" "$MPU" bench --set dram.page=closed
expect "unknown key 'dram.tRDC'; nearest: dram.tRCD" "$MPU" bench core --set dram.tRDC=20
exit $failed
