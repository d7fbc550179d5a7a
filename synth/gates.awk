# SPDX-License-Identifier: Apache-2.0
# Puts clock gates in front of flip-flops with enables: RTLIL of single bits -> the same, in which flip-flops that share
# clock, enable and reset are behind one gate, and have no enable themselves.
#
#   enable or reset ----> latch ----AND---> gated clock
#                           |        |
#   clock --+--> inverter --+        |
#           +------------------------+
#
# The latch is open while the clock is low. So the enable has the whole cycle, and the gated clock has no spikes. The
# library says how many flip-flops an AND can drive; for more of them there are more ANDs behind the same latch.
# Where a reset works without the enable ($_SDFFE_), it opens the gate too.
# Inputs: what library.awk says, then the RTLIL, twice. -v least=N: groups of fewer flip-flops keep their enables.
BEGIN {
  n_wires = split("is reset open low enable", wire, " ")
  n_pins = split("C D E Q R", pins, " ")
}
pass == "library" {
  if ($1 == "latch") { latch = $2; open = $4; latch_in = $5; latch_clock = $6; latch_out = $7 }
  else if ($1 == "and") { both = $2; both_a = $4; both_b = $5; both_out = $6; most = $7 }
  else if ($1 == "inverter") { inverter = $2; inverter_in = $4; inverter_out = $5 }
  next
}
FNR == 1 { able = latch != "" && both != "" && most > 0; module = 0 }
pass == "write" && FNR == 1 {
  for (k = 1; k <= keys; k++) {
    if (bits[all[k]] < least) continue
    split(all[k], part, SUBSEP)
    gate[all[k]] = ++gates
    module_of[gates] = part[1]
    clock_of[gates] = part[2]
    enable_of[gates] = part[3]
    reset_of[gates] = part[4]
    for (n = 0; n < bits[all[k]]; n += most) { gate_of[++nets] = gates; if (!n) first[gates] = nets }
  }
}
/^module / {
  module++
  if (pass == "count") next
  print
  for (n = 1; n <= nets; n++) {
    g = gate_of[n]
    if (module_of[g] != module) continue
    print "  wire \\_gated_" n "_"
    if (n == first[g]) for (k = 1; k <= n_wires; k++) print "  wire \\_" wire[k] "_" g "_"
  }
  next
}

# A flip-flop with an enable and a rising clock, from its first line to its end.
/^  cell / {
  split($2, part, "_")
  kind = part[2]
  levels = part[3]
  taken = able && (kind == "DFFE" && levels ~ /^P[NP]$/ || kind ~ /^SDFFC?E$/ && levels ~ /^P[NP][01][NP]$/)
  if (taken) { head = $3; split("", pin); next }
}
taken && /^    connect / { name = substr($2, 2); sub(/^ +connect [^ ]+ /, ""); pin[name] = $0; next }
taken && /^  end/ {
  taken = 0
  reset = kind == "SDFFE" ? substr(levels, 2, 1) " " pin["R"] : ""
  enable = substr(levels, length(levels)) " " pin["E"]
  key = module SUBSEP pin["C"] SUBSEP enable SUBSEP reset
  if (pass == "count") { if (!bits[key]++) all[++keys] = key; next }
  plain = kind == "DFFE" ? "$_DFF_P_" : "$_SDFF_" substr(levels, 1, 3) "_"
  if (key in gate) {
    g = gate[key]
    pin["C"] = "\\_gated_" (first[g] + int(behind[g] / most)) "_"
    behind[g]++
    delete pin["E"]
  } else plain = "$_" kind "_" levels "_"
  print "  cell " plain " " head
  for (k = 1; k <= n_pins; k++) if (pins[k] in pin) print "    connect \\" pins[k] " " pin[pins[k]]
  print "  end"
  next
}
pass == "count" { next }

function cell(type, name, a, to_a, b, to_b, c, to_c) {
  print "  cell " type " \\i" name "\n    connect \\" a " " to_a "\n    connect \\" b " " to_b
  if (c != "") print "    connect \\" c " " to_c
  print "  end"
}
# A net "LEVEL NET" as one that is high at that level.
function high(net, name,  of) {
  of = substr(net, 3)
  if (net ~ /^P/) return of
  cell("$_NOT_", name, "A", of, "Y", "\\" name)
  return "\\" name
}
/^end/ {
  for (n = 1; n <= nets; n++) {
    g = gate_of[n]
    if (module_of[g] != module) continue
    if (n == first[g]) {
      enable = high(enable_of[g], "_is_" g "_")
      if (reset_of[g] != "") {
        cell("$_OR_", "_open_" g "_", "A", enable, "B", high(reset_of[g], "_reset_" g "_"), "Y", "\\_open_" g "_")
        enable = "\\_open_" g "_"
      }
      if (open == "high") {
        cell("\\" inverter, "_low_" g "_", inverter_in, clock_of[g], inverter_out, "\\_low_" g "_")
        low = "\\_low_" g "_"
      } else low = clock_of[g]
      cell("\\" latch, "_enable_" g "_", latch_in, enable, latch_clock, low, latch_out, "\\_enable_" g "_")
    }
    cell("\\" both, "_gated_" n "_", both_a, clock_of[g], both_b, "\\_enable_" g "_", both_out, "\\_gated_" n "_")
  }
}
{ print }
