#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verilog with a fault in any block (tb/mpu/near/plant.sh), in a run of a whole program: lockstep ends it with a report that
# names cycle, block and port, and exit status 3.
# That cycle, block and port are the right ones is a test of test_faulty.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
while read -r mutant block port program arguments; do
  if [[ $program == odd ]]; then program=tb/mpu/core/odd.cu; else program=kernels/$program; fi
  read -ra arguments <<<"$arguments"
  say() {
    echo "FAILED: mutant of $mutant, $program: $1"
    head -n 3 "$work/err"
    failed=1
  }
  MPU_MUTANT=$mutant "$MPU" run -q --near=lockstep --stats "$work/stats" "$program" -- "${arguments[@]}" >"$work/out" 2>"$work/err"
  status=$?
  [[ $status == 3 ]] || say "exit status $status, not 3"
  grep -qE "^mpu: core 0, $block, cycle [0-9]+: twin and Verilog differ\$" "$work/err" || say "block and cycle"
  grep -qE "^  port $port " "$work/err" || say "port"
  grep -q '"end": "differ".*"agree": false' "$work/stats" || say "the report"
done <<'TABLE'
tsv      NBU.[0-3]:.tsv      up_data      blur    --width 64 --height 48
opc      NBU.[0-3]:.opc      x_[abc]      axpy    --n 2000
regfile  NBU.[0-3]:.regfile  r[0-3]_data  axpy    --n 2000
valu     NBU.[0-3]:.valu     mask         axpy    --n 2000
fpu      NBU.[0-3]:.fpu      d            axpy    --n 2000
lsux     NBU.[0-3]:.lsux     req_wmask    axpy    --n 2000
regmove  NBU.[0-3]:.regmove  up_body      odd
bankctl  NBU.[0-3]:.bankctl  cmd          axpy    --n 2000
smem     smem                q[0-3]_rdata hist    --n 2048
rtt      rtt.of.subcore.[0-3] lk_far      odd
nbu      NBU.[0-3]:.nbu      tx_head.of.tsv axpy  --n 2000
TABLE
for program in "axpy --n 2000" "hist --n 2048"; do
  read -ra arguments <<<"$program"
  "$MPU" run -q --near=lockstep "kernels/${arguments[0]}" -- "${arguments[@]:1}" >/dev/null || { echo "FAILED: $program as it is"; failed=1; }
done
"$MPU" run -q --near=lockstep tb/mpu/core/odd.cu || { echo "FAILED: odd as it is"; failed=1; }
exit $failed
