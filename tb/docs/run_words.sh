#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The text of the pages and messages: lines of at most 120 columns (but for tables, listings and lines that are one link), a
# README of at most 120 lines, links that lead somewhere, and none of the phrases of tb/docs/phrases.txt. With an argument, the
# folder to check instead of this checkout.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${1:-$here/../..}" || exit 2
failed=0
fail() { echo "FAILED: $*"; failed=1; }

mapfile -t pages < <(find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sed 's|^\./||' | sort)
((${#pages[@]})) || fail "there are no pages here"
((${#pages[@]} > 20)) || [[ ${1:-} ]] || fail "only ${#pages[@]} pages were found"

# ---- columns, lines
wide=$(LC_ALL=C.UTF-8 awk '
  FNR == 1 { fenced = 0 }
  /^ *```/ { fenced = !fenced }
  fenced || /^    / || /^ *\|/ || /^ *[-*]? *!?\[[^]]*\]\([^)]*\)[.,]?$/ { next }
  length($0) > 120 { print FILENAME ":" FNR ": " length($0) " columns, 120 at most" }' "${pages[@]}")
[[ ! $wide ]] || fail "$(head -n 20 <<<"$wide")"
[[ -e README.md ]] || fail "there is no README.md"
n=$(wc -l 2>/dev/null <README.md)
((${n:-0} <= 120)) || fail "README.md has $n lines, 120 at most"

# ---- links: PAGE LINE TARGET for each relative one; headings as the anchors that they make
links() {
  awk '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced }
    fenced || /^    / { next }
    { text = $0
      gsub(/`[^`]*`/, "", text)
      while (match(text, /\]\([^) ]*\)/)) {
        target = substr(text, RSTART + 2, RLENGTH - 3)
        text = substr(text, RSTART + RLENGTH)
        if (target !~ /^[a-z]+:/) print FILENAME, FNR, target
      } }' "${pages[@]}"
}
anchors() { # PAGE
  awk '/^ *```/ { fenced = !fenced } !fenced && /^#+ /' "$1" 2>/dev/null |
    sed -E 's/^#+ +//; s/\[([^]]*)\]\([^)]*\)/\1/g; s/[^A-Za-z0-9 _-]//g; s/ /-/g; y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/' |
    awk '{ print seen[$0]++ ? $0 "-" (seen[$0] - 1) : $0 }'
}
count=0
while read -r page line target; do
  count=$((count + 1))
  file=${target%%#*} anchor=
  [[ $target != *#* ]] || anchor=${target#*#}
  if [[ ! $file ]]; then file=$page
  else file=$(dirname "$page")/$file
  fi
  if [[ ! -e $file ]]; then fail "$page:$line: the link leads to $target, which does not exist"
  elif [[ $anchor ]] && ! grep -qxF -- "$anchor" < <(anchors "$file"); then
    fail "$page:$line: the link leads to $target, but $file has no heading for #$anchor"
  fi
done < <(links)
((count > 50)) || [[ ${1:-} ]] || fail "only $count links were found"

# ---- phrases, in pages and in what programs print: C, shell, tables; not in comments that are whole lines
mapfile -t messages < <(find csim harness kernels synth mpu -type f 2>/dev/null \
  \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.sh' -o -name mpu -o -name '*.cu' \))
while IFS= read -r phrase; do
  [[ $phrase && $phrase != \#* ]] || continue
  places=$(grep -nEi -- "$phrase" "${pages[@]}" "${messages[@]}" /dev/null | grep -vE '^[^:]*\.(c|h|def|sh|cu):[0-9]+: *(//|#)' | cut -c 1-160)
  [[ ! $places ]] || fail "'$phrase' is on the list of phrases to avoid (tb/docs/phrases.txt):"$'\n'"$places"
done <"$here/phrases.txt"

# ---- each check is seen to fail, in a folder with one defect
if [[ ! ${1:-} ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  sees() { # PATTERN: what the check of $work/page has to say
    bash "$here/run_words.sh" "$work/page" >"$work/out" && fail "passes: $*"
    grep -qE -- "$1" "$work/out" || fail "no '$1' in: $(<"$work/out")"
  }
  fresh() { rm -rf "$work/page"; mkdir -p "$work/page/docs" "$work/page/harness"; printf '# A page\n' >"$work/page/README.md"; }
  long=$(printf 'word %.0s' {1..25})
  fresh
  printf '%s\n' "| $long |" '' "    $long" '' "[$long](README.md)" "[a](docs/b.md#to-end-it)" >>"$work/page/README.md"
  printf '## To end `it`\n' >"$work/page/docs/b.md"
  bash "$here/run_words.sh" "$work/page" >"$work/out" || fail "a page without a defect: $(<"$work/out")"
  echo "$long" >>"$work/page/docs/b.md"
  sees '^FAILED: docs/b.md:2: 125 columns'
  fresh; printf 'a\n%.0s' {1..120} >>"$work/page/README.md"
  sees '^FAILED: README.md has 121 lines'
  fresh; echo '[a](docs/none.md)' >>"$work/page/README.md"
  sees '^FAILED: README.md:2: the link leads to docs/none.md, which does not exist'
  fresh; echo '[a](#b-page)' >>"$work/page/README.md"
  sees '^FAILED: README.md:2: .*no heading for #b-page'
  fresh; echo 'Where two runs part.' >>"$work/page/README.md"
  sees '^README.md:2:Where two runs part'
  fresh; echo "puts(\"'x' is no number\");" >"$work/page/harness/a.c"
  sees '^harness/a.c:1:'
fi
exit $failed
