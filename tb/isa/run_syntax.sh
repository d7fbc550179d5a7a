#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The syntax files of docs/syntax on real listings: of mpu dis, of -S, and dumps. Each name of an instruction with all of its
# modifiers is matched, and each operand; what is not an instruction is not.
set -uo pipefail
. tb/cli/expect.sh
grammar=docs/syntax/mpu.tmLanguage.json
regex() { jq -r ".repository.$1.match" $grammar; }
jq -e . $grammar docs/syntax/package.json >/dev/null || fail "not JSON"
diff <(jq -r '.patterns[].include[1:] as $r | .repository[$r].match' $grammar) <(sed -n "s/^    - match: '\(.*\)'$/\1/p" docs/syntax/mpu.sublime-syntax) >"$work/diff" ||
  fail "the grammars differ: $(head -n 2 "$work/diff")"
[[ $(jq -r .firstLineMatch $grammar) == "$(jq -r '.contributes.languages[0].firstLine' docs/syntax/package.json)" ]] || fail "package.json"

# ---- listings
for ptx in tb/wrong/*.ptx harness/systemc/*/*.ptx harness/systemc/*/*/*.ptx; do
  "$MPU" mpucc -S "$work/l" -o "$work/o" "$ptx" 2>/dev/null || continue
  sed '/^\/\/ totals/,/^$/d' "$work/l" >>"$work/lst"
  "$MPU" dis "$work/o" >>"$work/dis"
  "$MPU" mpucc --dump-after allocate -o - "$ptx" | sed -n '/^\.block/,$p' >>"$work/mir"
done
"$MPU" mpucc -S "$work/axpy.lst" -o "$work/o" harness/systemc/guest/axpy.ptx
(($(wc -l <"$work/dis") > 700)) || fail "only $(wc -l <"$work/dis") lines of listings"
# names FILE: of each line that is an instruction, by itself
names() { sed -E 's,(//|;).*,,' "$1" | sed -nE 's/^ +(\[.\] )?(@!?%?p[0-9t]+(:F)? )?([^ ]+).*/\4/p'; }
# matched FILE: what the grammar takes for one
matched() { grep -oP "$(regex instruction)" "$1" | awk '{ print $NF }'; }
for file in lst dis mir; do
  names "$work/$file" >"$work/names"
  matched "$work/$file" >"$work/matched"
  (($(sort -u "$work/names" | wc -l) > 60)) || fail "$file: few instructions"
  diff "$work/names" "$work/matched" >"$work/diff" || fail "$file: names that are not matched: $(head -n 3 "$work/diff")"
  # operands, but for labels: what is left when those that are matched, and punctuation, are taken out
  sed -E 's,(//|;).*,,' "$work/$file" | grep -v '\bbra\b' | sed -nE 's/^ +(\[.\] )?(@!?%?p[0-9t]+(:F)? )?([^ ]+) //p' | grep '[^ ]' >"$work/operands"
  grep -oP "(?:$(regex special)|$(regex predicate)|$(regex register)|$(regex number)|[][, +|-])+\$" "$work/operands" >"$work/whole"
  diff "$work/operands" "$work/whole" >"$work/diff" || fail "$file: operands that are not matched: $(head -n 3 "$work/diff")"
done
[[ $(grep -cP "$(regex directive)" "$work/dis") == "$(grep -c '^\.' "$work/dis")" ]] || fail "directives"
[[ $(grep -cP "$(regex label)" "$work/dis") == "$(grep -c ':$' "$work/dis")" && $(grep -cP "$(regex label)" "$work/lst") == "$(grep -c ':$' "$work/lst")" ]] || fail "labels"

# ---- each instruction of the manual; and what is none
sed -n '/^## Opcodes/,/^## Encoding/s/^| [0-9]* | `\([a-z0-9]*\)` .*/  \1.f32.N r1, r2/p' docs/isa.md >"$work/manual"
(($(wc -l <"$work/manual") > 60)) || fail "few opcodes in docs/isa.md"
[[ $(matched "$work/manual" | wc -l) == "$(wc -l <"$work/manual")" ]] || fail "opcodes of docs/isa.md"
for line in "  foo.b32 r1" "  add.bogus.u32 r1, r2" "  addu32 r1" "  add.u32.X r1" "  mov.b32..N r1" "add_1:"; do
  ! grep -qP "$(regex instruction)" <<<"$line" || fail "this is taken for an instruction: $line"
done

# ---- Vim's, where there is one
if command -v vim >/dev/null; then
  cat >"$work/show.vim" <<'VIM'
let out = []
for n in range(1, line('$'))
  let text = getline(n)
  let groups = map(range(1, strlen(text)), 'synIDattr(synID(n, v:val, 1), "name")')
  for g in ['Opcode', 'Modifier', 'Near', 'Far', 'Register', 'Guard', 'Comment', 'Label', 'Directive']
    let s = ''
    for k in range(strlen(text))
      if groups[k] ==# 'mpu' . g
        let s .= text[k]
      endif
    endfor
    call add(out, n . ' ' . g . ' ' . s)
  endfor
endfor
call writefile(out, $SHOWN)
qall!
VIM
  sed 's/  */ /' "$work/axpy.lst" >"$work/v.lst"
  "$MPU" dis "$work/o" >>"$work/v.lst"
  mkdir -p "$work/vim/syntax"
  cp docs/syntax/mpu.vim "$work/vim/syntax/" # where docs/isa.md says
  SHOWN=$work/shown timeout 100 vim -u NONE -i NONE -es --cmd "set nocompatible rtp^=$work/vim" -c "syntax on" -c "set filetype=mpu" \
    -c "source $work/show.vim" "$work/v.lst" >"$work/out" 2>&1 </dev/null
  shown() { awk -v g="$1" '$2 == g && NF > 2 { print $3 }' "$work/shown"; }
  diff <(names <(sed '/^\/\/ totals/,/^$/d' "$work/v.lst") | sed 's/\..*//') <(shown Opcode) >"$work/diff" || fail "Vim: opcodes: $(head -n 3 "$work/diff")"
  diff <(names <(sed '/^\/\/ totals/,/^$/d' "$work/v.lst") | sed -E 's/^[^.]*//; s/\.[NF]$//' | grep .) <(shown Modifier) >"$work/diff" ||
    fail "Vim: modifiers: $(head -n 3 "$work/diff")"
  [[ $(shown Directive | grep -c .) == "$(grep -c '^\.[a-z]' <(grep -v ':$' "$work/v.lst"))" ]] || fail "Vim: directives"
  [[ $(shown Label | grep -c .) == "$(grep -c ':$' "$work/v.lst")" ]] || fail "Vim: labels"
fi
exit $failed
