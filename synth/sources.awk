# SPDX-License-Identifier: Apache-2.0
# A mapped netlist -> the same without memories and modules that are mapped by themselves: a flip-flop i_source_N_ drives
# what each bit of their outputs drove. OpenSTA knows no times, and so no energies, behind what it does not know.
# Reads what library.awk says, then the netlist, twice: pass=count, pass=write
FILENAME ~ /library$/ {
  if ($1 == "cell") { known[$2] = 1; outputs[$2] = $5; clock[$2] = $6 }
  else if ($1 == "flop") flop = $2
  next
}
function trimmed(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
# A flip-flop for each bit of an expression
function drive(text,  n, k, parts, name, hi, lo, ends) {
  text = trimmed(text)
  if (text ~ /^\{/) { sub(/^\{/, "", text); sub(/\}$/, "", text) }
  n = split(text, parts, ",")
  for (k = 1; k <= n; k++) {
    name = trimmed(parts[k])
    if (match(name, /\[[0-9]+:[0-9]+\]$/)) {
      split(substr(name, RSTART + 1, RLENGTH - 2), ends, ":")
      name = trimmed(substr(name, 1, RSTART - 1))
      hi = ends[1] + 0; lo = ends[2] + 0
    } else if (name in width) { hi = width[name] - 1 + first[name]; lo = first[name] }
    else { if (name != "") put(name); continue }
    for (; hi >= lo; hi--) put(name (name ~ /^\\/ ? " " : "") "[" hi "]")
  }
}
function put(net) {
  if (net ~ /^\\[^ ]*$/) net = net " "
  printf "  %s i_source_%d_ (.%s(clk_i), .%s(1\047b0), .%s(%s));\n", flop, ++sources, clock[flop], data == "" ? "D" : data, outputs[flop], net
}
pass == "count" && /^  (wire|input|output|reg) / {
  text = $0
  sub(/;.*$/, "", text)
  if (match(text, /\[[0-9]+:[0-9]+\]/)) {
    split(substr(text, RSTART + 1, RLENGTH - 2), ends, ":")
    name = trimmed(substr(text, RSTART + RLENGTH))
    width[name] = ends[1] - ends[2] + 1
    first[name] = ends[2] + 0
  }
}
pass == "count" {
  if ($NF == "(") inside = $1 == flop
  else if (inside && data == "" && /^    \./) {
    pin = $1; sub(/^\./, "", pin); sub(/\(.*/, "", pin)
    if (pin != clock[flop] && pin != outputs[flop]) data = pin
  }
  next
}
/^  [A-Za-z_\\].*\($/ && !($1 in known) { skipping = 1; next }
skipping && /^    \./ {
  pin = $1; sub(/^\./, "", pin); sub(/\(.*/, "", pin)
  if (pin !~ /_o$/) next
  sub(/^[^(]*\(/, ""); sub(/\),?$/, "")
  if (pin == "clk_o") print "  assign " $0 " = clk_i;"  # behind a gate for clocks
  else drive($0)
  next
}
skipping { if (/^  \);/) skipping = 0; next }
{ print }
