#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tables of docs/card.md are those of card.def.
set -u
. tb/cli/expect.sh
gen=$(dirname "$MPU")/card_gen
"$gen" <docs/card.md >"$work/page" || fail "card_gen fails"
diff -u docs/card.md "$work/page" || fail "docs/card.md is not what card_gen makes of it: card_gen <docs/card.md"
sed 's/| DOORBELL | RING |/| DOORBELL | RO |/' docs/card.md | "$gen" | diff -q - docs/card.md >"$work/out" || fail "card_gen leaves a wrong table as it is"
echo '<!-- table: nonsense -->' | "$gen" >"$work/out" 2>&1 && fail "card_gen knows a table 'nonsense'"
exit $failed
