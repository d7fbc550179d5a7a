#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/ptx.md is what ptx_gen prints; every instruction and type in it compiles, every other type and every instruction of
# its second table is refused, each by itself.
set -u
. tb/cli/expect.sh
gen=$(dirname "$MPU")/ptx_gen
"$gen" md >"$work/page" && diff -u docs/ptx.md "$work/page" || fail "docs/ptx.md is not what ptx_gen md prints"

"$gen" taken >"$work/taken.ptx"
(($(wc -l <"$work/taken.ptx") > 350)) || fail "only $(wc -l <"$work/taken.ptx") lines of instructions"
for options in "" "--locate=cost --reorder --maxregs=16"; do
  "$MPU" mpucc $options "$work/taken.ptx" -o "$work/object" 2>"$work/err" || fail "what docs/ptx.md lists: $(head -n 12 "$work/err")"
done

# one file for each: messages are counted, and each has to name its line
"$gen" refused >"$work/refused.ptx"
head -n 12 "$work/refused.ptx" >"$work/head"
mapfile -t statements < <(sed -n '13,/^END/p' "$work/refused.ptx" | grep -v ^END)
((${#statements[@]} > 400)) || fail "only ${#statements[@]} refused statements"
for ((n = 0; n < ${#statements[@]}; n += 20)); do # a run prints twenty messages
  part=("${statements[@]:n:20}")
  { cat "$work/head"; printf '%s\n' "${part[@]}" "}"; } >"$work/part.ptx"
  "$MPU" mpucc "$work/part.ptx" -o "$work/object" 2>"$work/err"
  [[ $? == 1 ]] || fail "refused: status of ${statements[n]}"
  refused=$(grep -oE '^[^ ]*part.ptx:[0-9]+:2: error: the opcode .* is not supported: ' "$work/err" | cut -d: -f2 | sort -u | wc -l)
  ((refused == ${#part[@]})) || fail "$refused of ${#part[@]} refused from ${part[0]} on: $(<"$work/err")"
done
# messages say what to do instead
says() { # STATEMENT TEXT
  { cat "$work/head"; printf '\t%s\n}\n' "$1"; } >"$work/one.ptx"
  "$MPU" mpucc "$work/one.ptx" -o "$work/object" 2>"$work/err"
  grep -qF -- "$2" "$work/err" || fail "'$1' should say '$2': $(<"$work/err")"
}
says 'mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};' 'no tensor cores: multiply with fma'
says 'cp.async.ca.shared.global [%r1], [%d1], 12;' 'expected 4, 8 or 16 bytes'
says 'div.f16 %h1, %h2, %h3;' '`div` takes u16 s16'
says 'call.uni (%r1), cudaGetParameterBufferV2, (%d1);' 'launch from the host'
says 'frobnicate.u32 %r1;' 'docs/ptx.md lists what is'
exit $failed
