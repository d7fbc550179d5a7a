# SPDX-License-Identifier: Apache-2.0
# A mapped netlist -> the same without memories and modules that are mapped by themselves: a flip-flop i_source_N_ drives
# what each bit of their outputs drove. OpenSTA knows no times, and so no energies, behind what it does not know.
# Reads what library.awk says, then the netlist, twice: pass=count, pass=write.
# Runs after nets.awk. -v linked='MODULE=NETLIST ...': these stay, as instances of that netlist, which may have other
# sizes; so only their ports of one bit are connected.
BEGIN {
  n_linked = split(linked, pairs, " ")
  for (k = 1; k <= n_linked; k++) { split(pairs[k], pair, "="); netlist_of[pair[1]] = pair[2] }
}
FILENAME ~ /library$/ {
  if ($1 == "cell") { known[$2] = 1; outputs[$2] = $5; clock[$2] = $6 }
  else if ($1 == "flop") flop = $2
  next
}
function put(net) {
  if (net ~ /^\\[^ ]*$/) net = net " "
  printf "  %s i_source_%d_ (.%s(clk_i), .%s(1\047b0), .%s(%s));\n", flop, ++sources, clock[flop], data == "" ? "D" : data, outputs[flop], net
}
pass == "count" && /^  (wire|input|output|reg) / { declare($0) }
pass == "count" {
  if ($NF == "(") inside = $1 == flop
  else if (inside && data == "" && /^    \./) {
    pin = $1; sub(/^\./, "", pin); sub(/\(.*/, "", pin)
    if (pin != clock[flop] && pin != outputs[flop]) data = pin
  }
  next
}
/^  [A-Za-z_\\].*\($/ && !($1 in known) {
  module = $1
  sub(/__.*/, "", module)
  if (!(module in netlist_of)) { skipping = 1; next }
  keeping = 1
  between = ""
  print "  " netlist_of[module] " " $2 " ("
  next
}
keeping && /^    \./ {
  pin = $1; sub(/\(.*/, "", pin)
  sub(/^[^(]*\(/, ""); sub(/\),?$/, "")
  split_bits($0)
  if (bits != 1 || bit[1] ~ /^([02-9]|1[0-9])[0-9]*'/) next
  printf "%s    %s(%s)", between, pin, $0
  between = ",\n"
  next
}
keeping { if (/^  \);/) { keeping = 0; print ""; print } next }
skipping && /^    \./ {
  pin = $1; sub(/^\./, "", pin); sub(/\(.*/, "", pin)
  if (pin !~ /_o$/) next
  sub(/^[^(]*\(/, ""); sub(/\),?$/, "")
  if (pin == "clk_o") print "  assign " $0 " = clk_i;"  # behind a gate for clocks
  else {  # a flip-flop for each bit
    split_bits($0)
    for (k = 1; k <= bits; k++) put(bit[k])
  }
  next
}
skipping { if (/^  \);/) skipping = 0; next }
{ print }
