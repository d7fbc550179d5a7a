# SPDX-License-Identifier: Apache-2.0
# A netlist for OpenSTA, which takes no parameters of instances: each memory becomes an instance of a module of its
# size, which has a flip-flop of the library behind each input and in front of each output. Reads what library.awk
# says, then the netlist. -v name= for these modules.
FILENAME ~ /library$/ { if ($1 == "flop") flop = $2; else if ($1 == "cell") { outputs[$2] = $5; clock[$2] = $6 } next }
$1 == flop && $NF == "(" { inside = 1 }
inside && /^    \./ { pin = $1; sub(/^\./, "", pin); sub(/\(.*/, "", pin); if (pin != clock[flop] && pin != outputs[flop]) data = pin }
/^  \);/ { inside = 0 }
$1 == "ram_1r1w" && $2 == "#(" { setting = 1; next }
setting && /^    \./ { p = v = $1; sub(/^\./, "", p); sub(/\(.*/, "", p); sub(/^[^(]*\(/, "", v); sub(/\).*/, "", v); sub(/^[0-9]+'s?d/, "", v); set[p] = v; next }
setting { setting = 0; size = name "_" set["LANES"] "_" set["BITS"] "_" set["DEPTH"]; sizes[size] = 1; lanes[size] = set["LANES"]; bits[size] = set["BITS"]; depth[size] = set["DEPTH"]; sub(/^ *\)/, "  " size) }
{ print }
function ports(direction, port, width,  k) {
  printf "  %s [%d:0] %s;\n", direction, width - 1, port
  for (k = 0; k < width; k++)
    if (direction == "input") body = body sprintf("  %s \\%s%d (.%s(clk_i), .%s(%s[%d]), .%s());\n", flop, port, k, clock[flop], data, port, k, outputs[flop]) 
    else body = body sprintf("  %s \\%s%d (.%s(clk_i), .%s(%s[%d]), .%s(%s[%d]));\n", flop, port, k, clock[flop], data, port, k, outputs[flop], port, k)
}
END {
  for (s in sizes) {
    if (!data) data = "D"
    for (rows = 1; 2 ^ rows < depth[s]; rows++);
    printf "module %s (clk_i, r_en_i, r_row_i, r_data_o, w_en_i, w_row_i, w_mask_i, w_data_i);\n  input clk_i;\n", s
    body = ""
    ports("input", "r_en_i", 1); ports("input", "r_row_i", rows); ports("output", "r_data_o", lanes[s] * bits[s])
    ports("input", "w_en_i", 1); ports("input", "w_row_i", rows); ports("input", "w_mask_i", lanes[s]); ports("input", "w_data_i", lanes[s] * bits[s])
    printf "%sendmodule\n", body
  }
}
