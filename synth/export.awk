# SPDX-License-Identifier: Apache-2.0
# mpu export: cuts the Verilog of all modules into a file for each block; with its constraints and lists of memories.
# Reads facts (lines of export.sh; modules and parameters as Yosys lists them), then that Verilog, in which a module
# export_tops has an instance of each block. A module is named as in the SystemVerilog, with those of its parameters that
# are not as they are by default: fifo__WIDTH448.

FNR == NR && $1 == "default" { default_of[$2, $3] = plain($4); next }
FNR == NR && $1 == "module" {
  yosys = substr($2, 1, 1) == "$" ? "\\" $2 : substr($2, 2) # as it is in the Verilog
  base = $2
  sub(/^\$paramod(\$[0-9a-f]*)?/, "", base)
  sub(/^\\/, "", base)
  sub(/\\.*/, "", base)
  name[yosys] = base
  between = "__"
  next
}
FNR == NR && $1 == "parameter" {
  p = substr($(NF - 1), 2)
  if (plain($NF) != default_of[base, p]) { name[yosys] = name[yosys] between p plain($NF); between = "_" }
  next
}
FNR == NR && $1 == "set" { set_of[$2] = substr($0, length($1 $2) + 3); next }
FNR == NR { fact[$1] = substr($0, length($1) + 2); next }
FNR == 1 { name["ram_1r1w"] = "ram_1r1w"; name["ram_1r3w"] = "ram_1r3w"; name["clkgate"] = "clkgate" }

# A number as Yosys and the SystemVerilog write it: 32, 1'1, 1'b1
function plain(v) { sub(/^[0-9]*'s?[bd]?/, "", v); return v }
function decimal(hex,  v, k) {
  for (k = 1; k <= length(hex); k++) v = 16 * v + index("0123456789abcdef", substr(hex, k, 1)) - 1
  return v
}

/^module / {
  m = $2
  sub(/\(.*/, "", m)
  sub(/^module [^ (]* ?/, "module " name[m] " ")
  ports[m] = substr($0, index($0, "("))
  head = 1
}
head && !/^module / { ports[m] = ports[m] $0 }
head && /\);$/ { head = 0 }
/^  (input|output) / { port = $NF; sub(/;/, "", port); direction[m, port] = $1; wide[m, port] = NF > 2 }
# an instance: TYPE NAME ( or TYPE #( ... ) NAME (
/^  [^ ]+ +[^ ]+( +\()?$/ && $1 in name {
  i = ++instances[m]
  type[m, i] = $1
  called[m, i] = $2
  sub(/^  [^ ]+ +/, "  " name[$1] " ")
}
/^  \) [^ ]+ +\($/ { called[m, i] = $2 }
/^    \.[A-Z]+\(32'sh[0-9a-f]+\),?$/ {
  match($0, /sh[0-9a-f]+/)
  v = decimal(substr($0, RSTART + 2, RLENGTH - 2))
  match($0, /[A-Z]+/)
  value[m, i, substr($0, RSTART, RLENGTH)] = v
  sub(/32'sh[0-9a-f]+/, v)
}
/^    \.[rw]_row_i\(/ { v = $0; sub(/,$/, "", v); row[m, i, substr(v, 6, 1)] = substr(v, 14) }
m != "" { text[m, ++lines[m]] = $0 }
/^endmodule/ { m = "" }

# ---- what is in a module: how many of each, paths of memories
function look(m, path,  i) {
  if (!count[m]++) order[++n] = m
  for (i = 1; i <= instances[m]; i++) {
    sub(/^\\/, "", called[m, i])
    if (type[m, i] ~ /^ram_/) memory(m, i, path called[m, i])
    else look(type[m, i], path called[m, i] "/")
  }
}
function memory(m, i, path,  what, kind) {
  what = value[m, i, "DEPTH"] "," value[m, i, "LANES"] * value[m, i, "BITS"] "," value[m, i, "LANES"]
  kind = type[m, i] == "ram_1r1w" && row[m, i, "r"] == row[m, i, "w"] ? "1rw" : substr(type[m, i], 5)
  print path "," what "," kind > list
  what = type[m, i] " LANES=" value[m, i, "LANES"] " BITS=" value[m, i, "BITS"] " DEPTH=" value[m, i, "DEPTH"] " " kind
  if (!memories[what]++) kinds[++k] = what
}

function verilog(block, top,  file, i, j, m, done) {
  file = to block ".v"
  print "// SPDX-License-Identifier: Apache-2.0" > file
  print "// " block (set_of[block] != "" ? " with " set_of[block] : "") " of nearbank, made by mpu export (" fact["by"] ") of the files that " block ".f lists. Memories are" > file
  print "// instances of ram_1r1w and ram_1r3w, clock gates of clkgate." > file
  for (i = 1; i <= n; i++) {
    m = order[i]
    if (m == "clkgate" || name[m] in done) continue
    done[name[m]] = 1
    print "" > file
    if (m == top) sub(/^module [^ ]+/, "module " block, text[m, 1])
    for (j = 1; j <= lines[m]; j++) print text[m, j] > file
  }
  close(file)
}

function constraints(block, top,  file, f, p, i) {
  file = to block ".sdc"
  print "# " block " of nearbank, by mpu export. Outputs depend on registers only and are there early in the cycle; the rest of it is for" > file
  print "# the block that takes them. docs/export.md has more." > file
  print "set_units -time ns" > file
  print "set period " fact["period"] > file
  print "set early [expr {0.3 * $period}]" > file
  print "create_clock -name clk -period $period [get_ports clk_i]" > file
  print "set_clock_uncertainty [expr {0.05 * $period}] [get_clocks clk]" > file
  gsub(/[(); ]/, "", ports[top])
  p = split(ports[top], f, /,/)
  for (i = 1; i <= p; i++) {
    if (f[i] == "clk_i") continue
    if (direction[top, f[i]] == "input") printf "set_input_delay $early" > file
    else printf "set_output_delay [expr {$period - $early}]" > file
    print " -clock clk [get_ports {" f[i] (wide[top, f[i]] ? "[*]" : "") "}]" > file
  }
  close(file)
}

END {
  for (b = 1; b <= instances["export_tops"]; b++) {
    top = type["export_tops", b]
    block = substr(called["export_tops", b], 3)
    n = k = 0
    split("", count)
    split("", memories)
    list = to block ".memories"
    printf "" > list
    look(top, "")
    close(list)
    verilog(block, top)
    constraints(block, top)
    if (block != "die_slice") continue
    list = to "die.csv"
    print "module,in_die_slice,on_a_die" > list
    for (i = 1; i <= n; i++) print name[order[i]] "," count[order[i]] "," count[order[i]] * fact["slices"] > list
    for (i = 1; i <= k; i++) print kinds[i] "," memories[kinds[i]] "," memories[kinds[i]] * fact["slices"] > list
    close(list)
  }
}
