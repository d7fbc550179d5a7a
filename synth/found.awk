# SPDX-License-Identifier: Apache-2.0
# What a mapping found, from: what library.awk says, dumps of instances and of arrays, the netlist; file is
# "library", "instances", "arrays" or "netlist" before each. Prints the lines that map.sh promises.

file == "library" && $1 == "cell" { area_of[$2] = $3; kind_of[$2] = $4 }

# RTLIL: cell TYPE NAME, parameter [signed] NAME VALUE, connect PORT SIGNAL
file == "instances" && $1 == "cell" { module = substr($2, 2); read_row = write_row = ""; n = 0; delete set }
file == "instances" && $1 == "parameter" {
  p = substr($(NF - 1), 2)
  set[p] = $NF
  for (k = n++; k > 0 && sorted[k - 1] > p; k--) sorted[k] = sorted[k - 1]
  sorted[k] = p
}
file == "instances" && $1 == "connect" && $2 == "\\r_row_i" { read_row = $0; sub(/.*r_row_i /, "", read_row) }
file == "instances" && $1 == "connect" && $2 == "\\w_row_i" { write_row = $0; sub(/.*w_row_i /, "", write_row) }
file == "instances" && $1 == "end" && module != "" {
  if (module == "ram_1r1w")
    memories[set["LANES"] " " set["BITS"] " " set["DEPTH"] " " (read_row == write_row ? "1rw" : "1r1w")]++
  else {
    parameters = name = ""
    for (k = 0; k < n; k++) {
      parameters = parameters " " sorted[k] "=" set[sorted[k]]
      name = name (k ? "_" : "__") sorted[k] set[sorted[k]]
    }
    children[module name]++
    child[module name] = module parameters
  }
  module = ""
}

file == "arrays" && $1 == "cell" { array = $3; delete set }
file == "arrays" && $1 == "parameter" { set[substr($(NF - 1), 2)] = $NF }
file == "arrays" && $1 == "end" && array != "" {
  print "array", substr(array, 2), set["SIZE"], set["WIDTH"], set["RD_PORTS"], set["WR_PORTS"]
  array = ""
}

file == "netlist" && $NF == "(" && $1 in area_of {
  gates[$1]++
  cells++
  area += area_of[$1]
  if (kind_of[$1] == "flop") flops++
  else if (kind_of[$1] == "latch") latches++
}

END {
  printf "area %.4f\ncells %d\nflops %d\nlatches %d\n", area, cells, flops, latches
  for (g in gates) print "gates", g, gates[g], area_of[g] | "sort"
  for (c in children) print "child", c, children[c], child[c] | "sort"
  for (m in memories) print "memory", memories[m], m | "sort"
  close("sort")
}
