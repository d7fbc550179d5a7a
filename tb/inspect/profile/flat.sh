# SPDX-License-Identifier: Apache-2.0
# For scripts that look at JSON files: `flat FILE` prints its values as lines, path and value; members of lists have numbers.
flat() {
  grep -oE '"([^"\\]|\\.)*"|[][{}:,]|[-+.0-9a-z]+' "$1" | awk '
    function path(  n, p) { for (n = 1; n <= depth; n++) p = p (n > 1 ? "." : "") at[n]; return p }
    $0 == "{" || $0 == "[" { if (depth && array[depth]) at[depth]++; depth++; array[depth] = $0 == "["; at[depth] = array[depth] ? -1 : ""; value = 0; next }
    $0 == "}" || $0 == "]" { depth--; next }
    $0 == ":" { value = 1; next }
    $0 == "," { value = 0; next }
    { gsub(/^"|"$/, ""); if (value) { print path(), $0; value = 0 }
      else if (depth && array[depth]) { at[depth]++; print path(), $0 } else at[depth] = $0 }'
}
