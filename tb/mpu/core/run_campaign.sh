#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random programs in lockstep, on a machine with all features of nearbank; with `./mpu test --long` 10^8 cycles, a third
# of them with all features, a third with none, a third with some: those of the compiler are drawn for each program.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/mixed.yaml" <<'YAML'
base: small
near: {forms: 2, predicates: on, packets: 8, collectors: 2}
shared: {place: both}
dram: {row_buffers: 2, queue: 4}
tsv: {flits_per_cycle: 1}
YAML
machines=(nearbank-small) programs=20
[[ ! ${MPU_LONG:-} ]] || machines=(nearbank-small small "$work/mixed.yaml") programs=1400
for machine in "${machines[@]}"; do
  MPU_CONFIG=$machine MPU_NEAR=lockstep "$(dirname "$MPU")/tb/test_corpus_corpus" --seed 7 --count $programs >"$work/out" 2>&1 ||
    { cat "$work/out"; exit 1; }
  echo "$(basename "$machine"): $(grep 'programs,' "$work/out")"
  grep -qE '^[1-9][0-9]* cycles of cores' "$work/out" || { echo "FAILED: nothing was executed in cycles"; exit 1; }
done
