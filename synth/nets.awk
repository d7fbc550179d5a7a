# SPDX-License-Identifier: Apache-2.0
# Nets of a netlist as Yosys writes it, for scripts that run after this one.
function trimmed(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }

# Takes down the width of what a line declares: "  wire [7:0] name;"
function declare(text,  ends, name) {
  sub(/;.*$/, "", text)
  if (!match(text, /\[[0-9]+:[0-9]+\]/)) return
  split(substr(text, RSTART + 1, RLENGTH - 2), ends, ":")
  name = trimmed(substr(text, RSTART + RLENGTH))
  width[name] = ends[1] - ends[2] + 1
  first[name] = ends[2] + 0
}

# The bits of an expression in bit[1..bits], the highest first; a constant stays whole.
function split_bits(text,  n, k, part, parts, ends, name, hi, lo) {
  bits = 0
  text = trimmed(text)
  if (text ~ /^\{/) { sub(/^\{/, "", text); sub(/\}$/, "", text) }
  n = split(text, parts, ",")
  for (k = 1; k <= n; k++) {
    part = trimmed(parts[k])
    if (part ~ /^[0-9]+'/) { bit[++bits] = part; continue }
    name = part
    if (match(part, /\[[0-9]+:[0-9]+\]$/)) {
      name = trimmed(substr(part, 1, RSTART - 1))
      split(substr(part, RSTART + 1, RLENGTH - 2), ends, ":")
      hi = ends[1] + 0; lo = ends[2] + 0
    } else if (name in width) { hi = width[name] - 1 + first[name]; lo = first[name] }
    else { bit[++bits] = part; continue }
    if (name ~ /^\\/) name = name " "
    for (; hi >= lo; hi--) bit[++bits] = name "[" hi "]"
  }
}
