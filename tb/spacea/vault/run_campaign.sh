#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random matrices in lockstep: rows of all lengths, columns near each other or anywhere, both mappings and semirings,
# turns of all lengths, small and large memories of lines. With `./mpu test --long` until 10^8 cycles of bank groups.
set -uo pipefail
. tb/cli/expect.sh
cd "$work" || exit 1
least=$([[ ${MPU_LONG:-} ]] && echo 100000000 || echo 100000)

# A matrix: about as many entries as `most`, in rows of which some are empty and few are long.
matrix() { # SEED
  awk -v seed="$1" 'BEGIN {
    srand(seed); rows = 1 + int(rand() * 400); cols = int(seed / 4) % 2 ? rows : 1 + int(rand() * 900)
    band = rand() < 0.5 ? 1 + int(rand() * 60) : cols
    for (r = 1; r <= rows; r++) {
      if (rand() < 0.1) continue
      n = rand() < 0.02 ? int(rand() * cols) : int(rand() * 30); delete has
      for (k = 0; k < n; k++) {
        c = 1 + (int(r * cols / rows) + int(rand() * band)) % cols
        if (!has[c]++) line[lines++] = r " " c " " rand() - 0.5
      }
    }
    print "%%MatrixMarket matrix coordinate real general"; print rows, cols, lines + 0
    for (k = 0; k < lines; k++) print line[k]
  }'
}

pick() { # SEED VALUES: one of them
  local -a of=("${@:2}")
  echo "${of[$1 % ${#of[@]}]}"
}

all=0 seed=0
while ((all < least)); do
  seed=$((seed + 1))
  matrix $seed >m.mtx
  options=(--map "$(pick $seed spacea naive near)" --semiring "$(pick $((seed / 3)) plus-times min-plus)"
    --set spacea.turn="$(pick $((seed / 2)) 6 1 2 13)" --set spacea.tsv_flits="$(pick $((seed / 5)) 2 0 1)"
    --set spacea.tsv_latency="$(pick $((seed / 7)) 1 4)" --iterate "$(pick $((seed / 4)) 1 3)" --seed $seed)
  "$MPU" spacea run --config spacea-small --near=lockstep "${options[@]}" --stats s.json m.mtx >out 2>err ||
    { fail "matrix of seed $seed, ${options[*]}"; cat err; break; }
  all=$((all + $(jq '.sums.vault.busy * (.sums.vault.layers / 4 - 1)' s.json)))
  ((seed % 500)) || echo "$seed matrices, $all cycles of bank groups"
done
echo "$seed matrices, $all cycles of bank groups, $failed differ"
exit $failed
