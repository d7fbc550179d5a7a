# SPDX-License-Identifier: Apache-2.0
# A netlist as Yosys writes it -> the same with buffers where a net drives more than most (ABC puts none behind
# flip-flops and inputs), and with the names for instances of cut modules that their netlists have:
#   smem_slot #( .AW(32'sd14), .LANES(32'sd32) ) i_slot0 (   ->   smem_slot__AW14_LANES32 i_slot0 (
# Clocks, also those behind gates, are left alone. Runs after nets.awk. Inputs: what library.awk says, then the netlist, twice. -v cut='MODULES' -v most=N
BEGIN {
  n = split(cut, names, " ")
  for (k = 1; k <= n; k++) is_cut[names[k]] = 1
}

pass == "library" {
  if ($1 == "cell") { output_pins[$2] = "," $5 ","; clock_pin[$2] = $6 }
  else if ($1 == "buffer") { buffer = $2; buffer_in = $4; buffer_out = $5 }
  next
}

function is_net(b) { return b !~ /^[0-9]+'/ }

# ---- first pass: widths of wires, loads of nets
function count(net) { if (is_net(net) && !loads[net]++) nets[++n_nets] = net }

# ---- between them: which buffers a net gets, as few as can be, in levels; source[b] drives buffer b
function up(x) { return x > int(x) ? int(x) + 1 : int(x) }
function plant(net,  n, m, k, from) {
  n = up(loads[net] / most)
  share[net] = up(loads[net] / n)
  leaf[net] = from = buffers + 1
  buffers += n
  while (n > most) {
    m = up(n / most)
    for (k = 0; k < n; k++) source[from + k] = "_buffer_" (buffers + 1 + int(k * m / n)) "_"
    from = buffers + 1
    buffers += m
    n = m
  }
  for (k = 0; k < n; k++) source[from + k] = net
}

# ---- second pass: who drives the next load of a net
function driver(net,  n) {
  if (!(net in leaf)) return net
  n = served[net]++
  return "_buffer_" (leaf[net] + int(n / share[net])) "_"
}
function written(net) { return net ~ /^\\[^ ]*$/ ? net " " : net }

pass == "write" && FNR == 1 {
  for (k = 1; k <= n_nets; k++) if (loads[nets[k]] > most && !(nets[k] in is_clock)) plant(nets[k])
}
pass == "write" && /^module / { header = 1 }
pass == "write" && header {
  print
  if (!/\);$/) next
  header = 0
  for (b = 1; b <= buffers; b++) print "  wire _buffer_" b "_;"
  next
}
/^  (wire|input|output|reg) / && pass == "count" { declare($0); next }

$2 == "#(" { type = $1; renamed = $1 in is_cut; n_set = 0; in_list = 1; if (pass == "write" && !renamed) print; next }
in_list && $1 ~ /^\./ {
  if (!renamed) { if (pass == "write") print; next }
  p = v = $1
  gsub(/^\.|\(.*/, "", p)
  gsub(/^[^(]*\(|\),?$/, "", v)
  sub(/^[0-9]+'s?d/, "", v)
  for (k = n_set++; k > 0 && set_name[k - 1] > p; k--) { set_name[k] = set_name[k - 1]; set_value[k] = set_value[k - 1] }
  set_name[k] = p
  set_value[k] = v
  next
}
in_list {
  if (renamed) {
    tail = ""
    for (k = 0; k < n_set; k++) tail = tail (k ? "_" : "__") set_name[k] set_value[k]
    sub(/^ *\)/, "  " type tail)
  }
  if (pass == "write") print
  in_list = 0
  inside = 1
  next
}
/^  [A-Za-z_\\].* \($/ { type = $1; inside = 1; if (pass == "write") print; next }
/^  \);/ { inside = 0 }
inside && /^    \./ {
  at = index($0, "(")
  pin = substr($0, 6, at - 6)
  rest = substr($0, at + 1)
  match(rest, /\),?$/)
  tail = substr(rest, RSTART)
  expr = trimmed(substr(rest, 1, RSTART - 1))
  if (type in output_pins) input = index(output_pins[type], "," pin ",") == 0 && pin != clock_pin[type]
  else input = pin ~ /_n?i$/ && pin != "clk_i"
  if (pass == "count" && (pin == "clk_i" || type in clock_pin && pin == clock_pin[type])) is_clock[expr] = 1
  if (!input || expr == "") { if (pass == "write") print; next }
  if (type in output_pins) { bits = 1; bit[1] = expr } else split_bits(expr)
  if (pass == "count") { for (k = 1; k <= bits; k++) count(bit[k]); next }
  changed = 0
  for (k = 1; k <= bits; k++) {
    to = driver(bit[k])
    if (to != bit[k]) changed = 1
    bit[k] = to
  }
  if (!changed) { print; next }
  text = ""
  for (k = 1; k <= bits; k++) text = text (k > 1 ? ", " : "") written(bit[k])
  print "    ." pin "(" (bits > 1 ? "{ " text " }" : text) tail
  next
}
pass == "write" && /^endmodule/ {
  for (b = 1; b <= buffers; b++)
    printf "  %s i_buffer_%d_ (\n    .%s(%s),\n    .%s(_buffer_%d_)\n  );\n", buffer, b, buffer_in, written(source[b]), buffer_out, b
}
pass == "write" { print }
