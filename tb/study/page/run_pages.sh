#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pages in a browser: Chromium lays each out at 400 and 1600 pixels, light and dark, and a script that is
# added to a copy of it (look.js) says what is wrong: errors, figures that are not drawn, dead links, what
# is too wide, too small, too pale, or upon another text. One start of the browser for all of them: pages
# are frames of one. With arguments: pages to look at, instead of the samples.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(dirname "${MPU:?the tool}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
command -v chromium >/dev/null || { echo "FAILED: Chromium is missing (Debian: chromium)"; exit 1; }

# ---- frames: what each looks at, and what it has to find
names=() widths=() schemes=() patterns=()
frame() { # NAME PAGE WIDTH light|dark PATTERN: what it finds, empty: nothing
  local n=${#names[@]}
  names+=("$1") widths+=("$3") schemes+=("$4") patterns+=("$5")
  awk -v look="$here/look.js" '
    /<head>/ && !begun {
      sub(/<head>/, "&<script>window.wrong = []; onerror = text => { wrong.push(text) }</script>")
      begun = 1
    }
    /<\/body>/ {
      print "<script>"
      while ((getline line <look) > 0) print line
      print "</script>"
    }
    { print }' "$2" >"$work/frame$n.html"
  printf '<iframe src="frame%d.html" style="width:%dpx;height:900px;color-scheme:%s"></iframe>\n' \
    "$n" "$3" "$4" >>"$work/frames"
}
look_at() { # NAME PAGE
  local width scheme
  for width in 400 1600; do
    for scheme in light dark; do frame "$1" "$2" "$width" "$scheme" ''; done
  done
}

if (($#)); then
  for page; do look_at "$(basename "$page")" "$page"; done
else
  "$build/tb/check_samples" "$work/samples.html" || exit 1
  look_at samples "$work/samples.html"
  # every check is seen to fail: a page with one defect each
  "$build/tb/check_samples" --few "$work/few.html" || exit 1
  defect() { # PATTERN SED
    sed -E "$2" "$work/few.html" >"$work/defect.html"
    ! cmp -s "$work/few.html" "$work/defect.html" || fail "no defect by $2"
    frame "defect $2" "$work/defect.html" 400 light "$1"
  }
  frame few "$work/few.html" 400 light ''
  defect '^the page is [0-9]* wide' 's|<main>|<main><p style="width:600px;max-width:none">x</p>|'
  defect '^two things have the id' 's|id="bars"|id="texts"|'
  defect 'leads nowhere$' 's|href="#bars"|href="#cars"|'
  defect 'leaves the page$' 's|href="#bars"|href="https://example.org/"|'
  defect 'comes from elsewhere$' 's|<main>|<main><img src="x.png" alt="x"/>|'
  defect 'described by .*, which is missing$' 's|<title id="t1">|<title id="other">|'
  defect 'is not defined' 's|<main>|<main><script>nothing()</script>|'
  defect "has no drawing\$" 's|<svg viewBox="0 0 380.*|<p|'
  defect "'[^']*' is [0-9]* x [0-9]*\$" 's|(<svg viewBox="0 0 380 )[0-9]+|\13|'
  defect "has no marks\$" 's|</title></rect>|</title><title/></rect>|; s|<rect class="bar[^>]*>.*</rect>||'
  defect ': [a-z]*="[^"]*nan' 's|(<rect class="bar [^>]*width=")[0-9.]+|\1nan|'
  defect 'not inside of the drawing$' 's|(<rect class="bar [^>]*width=")[0-9.]+|\1900|'
  defect "is upon text" 's|(<text x="[0-9.]+" y=")[0-9.]+(" text-anchor="end">)|\150\2|'
  defect 'pixels high$' 's|\.narrow text,\.small text\{font-size:12px\}|.narrow text,.small text{font-size:11px}|'
  defect 'has a contrast of' 's|--grey:#57606a|--grey:#8b949d|'
  defect 'has a contrast of' 's|--ht10:#ffffff|--ht10:#10151a|'
fi

# ---- the browser
{
  echo '<!DOCTYPE html><html><head><meta charset="utf-8"/></head><body>'
  cat <<'TEXT'
<pre id="found"></pre>
<script>
onmessage = e => {
  const n = [...document.querySelectorAll('iframe')].findIndex(f => f.contentWindow === e.source);
  found.textContent += `${n} has ${e.data.figures} figures, ${e.data.texts} texts\n`;
  for (const text of e.data.wrong) found.textContent += `${n}: ${text.replace(/[<>&\s]+/g, ' ')}\n`;
};
</script>
TEXT
  cat "$work/frames"
  echo '</body></html>'
} >"$work/all.html"
timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
  --window-size=1700,1000 --virtual-time-budget=60000 --dump-dom "file://$work/all.html" >"$work/dom" 2>"$work/log" ||
  fail "chromium failed: $(tail -n 5 "$work/log")"

# ---- what they found
for ((n = 0; n < ${#names[@]}; n++)); do
  at="${names[n]} at ${widths[n]} pixels, ${schemes[n]}"
  sed -n "s/^\(<pre id=\"found\">\)\?$n: //p" "$work/dom" >"$work/found"
  if ! grep -qE "^(<pre id=\"found\">)?$n has [0-9]+ figures, [1-9][0-9]* texts" "$work/dom"; then
    fail "$at: the script did not look at it. $(<"$work/found")"
  elif [[ ${patterns[n]} ]]; then
    grep -q -- "${patterns[n]}" "$work/found" || fail "$at: '${patterns[n]}' was not found, but: $(<"$work/found")"
  elif [[ -s $work/found ]]; then
    fail "$at:"$'\n'"$(head -n 20 "$work/found")"
  fi
done
exit $failed
