# SPDX-License-Identifier: Apache-2.0
# What differs between the lines of a case, for freeze.sh: those of the first file and of the second. A counter that is in
# neither line is 0. The file `gone` has counters that no run has any more: "KIND KEY".
BEGIN { while (gone && (getline counter < gone) > 0) left[counter] = 1 }
FNR == 1 { file++ }
{
  for (n = 3; n <= NF; n++) {
    k = index($n, "=")
    key = $2 " " substr($n, 1, k - 1)
    if (!(key in seen)) order[++keys] = key
    seen[key] = 1
    value[file, key] = substr($n, k + 1)
  }
}
END {
  for (n = 1; n <= keys; n++) {
    key = order[n]
    was = (1, key) in value ? value[1, key] : 0
    is = (2, key) in value ? value[2, key] : 0
    what = key
    gsub(/[0-9]+/, "N", what)
    sub(/ .*/, "", what)
    if (was "" == is "" || (what substr(key, index(key, " "))) in left) continue
    if (++differ > 10) continue
    what = key
    if (what ~ /^each /) { sub(/^each /, "counters of core ", what); printf "    %s are others\n", what }
    else if (what ~ /^results /) { sub(/^results /, "", what); printf "    %-44s was %s, is %s\n", what, was, is }
    else { sub(/^run /, "", what); gsub(/ /, ".", what); printf "    %-44s was %s, is %s\n", what, was, is }
  }
  if (differ > 10) printf "    and %d more\n", differ - 10
}
