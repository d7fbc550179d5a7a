# SPDX-License-Identifier: Apache-2.0
# Adds up what was mapped (lines of area.sh's facts) and prints the tables of mpu area.
# -v wanted= modules to be listed instead of the die, small=, csv= and json= files.
# Runs after memory.awk.

rows {
  if (/^#/ || NF == 0) next
  n_rows++
  split($0, f, "|")
  for (k = 1; k <= 5; k++) gsub(/^ +| +$/, "", f[k])
  row_name[n_rows] = f[1]
  row_of[n_rows] = f[2]
  row_parts[n_rows] = f[3]
  if (split(f[4], three, " ") == 3) {
    paper_number[n_rows] = three[1]
    paper_mm2[n_rows] = three[2]
    paper_percent[n_rows] = three[3]
  }
  reason[n_rows] = f[5]
  next
}

$1 == "config" { keys[++n_keys] = $2 }
# The machine of --config and --set: its row buffers, and sizes that are not the default ones
$1 == "machine" {
  structure = $0
  sub(/^machine [0-9]* ?/, "", structure)
  buffers = $2
}
$1 == "tool" { tool = $0; sub(/^tool [^ ]+ /, "", tool) }
$1 == "file" { file[$2] = $3; hash[$2] = $4 }
$1 == "library" && $2 == "library" { library = $3 }
$1 == "library" && $2 == "nand2" { nand = $4; nand_name = $3 }
$1 == "unit" {
  units[++n_units] = $2
  module[$2] = $3
  call = $0
  sub(/^unit [^ ]+ [^ ]+ ?/, "", call)
  parameters[$2] = call
}
$1 == "of" && $3 == "area" { gates[$2] = $4 / nand }
$1 == "of" && $3 == "cells" { cells[$2] = $4 }
$1 == "of" && $3 == "flops" { flops[$2] = $4 } # without the latches of clock gates
$1 == "of" && $3 == "child" { child[$2, ++children[$2]] = $4; child_count[$2, children[$2]] = $5 }
$1 == "of" && $3 == "memory" {
  memory_bits[$2] += $4 * $5 * $6 * $7
  macro[$2] += $4 * macro_scaled($7, $5 * $6, $8)
}

# With all that is in it: sums in sum_*[u].
function add_up(u,  k, c, n) {
  if (u in sum_gates) return
  sum_gates[u] = gates[u]
  sum_cells[u] = cells[u]
  sum_flops[u] = flops[u]
  sum_bits[u] = memory_bits[u]
  sum_macro[u] = macro[u]
  for (k = 1; k <= children[u]; k++) {
    c = child[u, k]
    n = child_count[u, k]
    add_up(c)
    sum_gates[u] += n * sum_gates[c]
    sum_cells[u] += n * sum_cells[c]
    sum_flops[u] += n * sum_flops[c]
    sum_bits[u] += n * sum_bits[c]
    sum_macro[u] += n * sum_macro[c]
  }
}
function count_all(u, times,  k) {
  count[u] += times
  for (k = 1; k <= children[u]; k++) count_all(child[u, k], times * child_count[u, k])
}
function um2(g, m) { return g * config["gate_um2"] / config["utilization"] + m }

function thousands(x,  s, t) {
  s = sprintf("%.0f", x)
  t = ""
  while (length(s) > 3) { t = "," substr(s, length(s) - 2) t; s = substr(s, 1, length(s) - 3) }
  return s t
}
function line(name, number, g, bits, m, mm2, percent, paper, ratio) {
  printf "%-26s %6s %13s %11s %11s %9s %7s %7s %6s\n", name, number, g, bits, m, mm2, percent, paper, ratio
}

# rowbuf is in the arrays: outside of die_slice, one for each memory controller; none where a bank has one row buffer.
function beside(  j, n) {
  for (j = 1; j <= n_units; j++) if (module[units[j]] == "bankctl") n += count[units[j]]
  return buffers == 1 ? 0 : n
}
# One row: its sums for one of its units in r_*, how many there are on a die in r_number.
function gather(k,  n, i, j, names, own, u, here, times) {
  r_gates = r_flops = r_bits = r_macro = r_number = 0
  n = split(row_of[k], names, " ")
  for (i = 1; i <= n; i++) {
    own = sub(/=$/, "", names[i])
    here = 0
    for (j = 1; j <= n_units; j++) {
      u = units[j]
      times = names[i] == "rowbuf" ? beside() : count[u]
      if (module[u] != names[i] || !times) continue
      here += times
      r_gates += own ? gates[u] : sum_gates[u]
      r_flops += own ? flops[u] : sum_flops[u]
      r_bits += own ? memory_bits[u] : sum_bits[u]
      r_macro += own ? macro[u] : sum_macro[u]
    }
    if (here > r_number) r_number = here
  }
  r_number *= config["slices_a_die"]
  r_mm2 = um2(r_gates, r_macro) * config["dram_factor"] * r_number / 1e6
}

function out_csv(table, name, number, g, f, b, m, mm2, paper) {
  if (csv == "") return
  printf "%s,\"%s\",%s,%.2f,%d,%d,%.2f,%.6f,%.4f,%s,%s\n", table, name, number, g, f, b, m, mm2, 100 * mm2 / config["die_mm2"], paper,
    paper == "" ? "" : sprintf("%.4f", mm2 / paper) > csv
}
function figures(g, f, b, m) {
  return sprintf("\"gate_equivalents\": %.2f, \"flop_bits\": %d, \"memory_bits\": %d, \"macro_um2\": %.2f, \"um2\": %.2f", g, f, b, m, um2(g, m))
}
function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }

function block_line(u, number) {
  printf "%-16s %6s %13s %11s %11s %11s %13s%s\n", module[u], number, thousands(sum_gates[u]), thousands(sum_flops[u]),
    thousands(sum_bits[u]), thousands(sum_macro[u]), thousands(um2(sum_gates[u], sum_macro[u])), parameters[u] == "" ? "" : "  " parameters[u]
  out_csv("block", module[u] (parameters[u] == "" ? "" : " " parameters[u]), number == "-" ? "" : number, sum_gates[u], sum_flops[u], sum_bits[u], sum_macro[u],
    um2(sum_gates[u], sum_macro[u]) * config["dram_factor"] * (number == "-" ? 1 : number) / 1e6, "")
}
function block_list(  j, u, k, n, names, times) {
  printf "%-16s %6s %13s %11s %11s %11s %13s  %s\n", "block, one of it", "a die", "gate equiv.", "flop bits", "memory bits", "macros um2", "um2", "parameters"
  if (wanted != "" || small) {
    for (j = 1; j <= n_units; j++) {
      u = units[j]
      if (small || (" " wanted " ") ~ (" " module[u] " ")) block_line(u, "-")
    }
    return
  }
  n = split("fpu valu regfile opc lsux bankctl rowbuf smem regmove tsv order forms nbu_decode nbu_completions clkgate nbu die_slice rtt", names, " ")
  for (k = 1; k <= n; k++)
    for (j = 1; j <= n_units; j++)
      if (module[units[j]] == names[k]) {
        times = names[k] == "rowbuf" ? beside() : count[units[j]]
        block_line(units[j], times ? times * config["slices_a_die"] : "-")
      }
}

END {
  for (j = 1; j <= n_units; j++) add_up(units[j])
  printf "%s: %s is the gate equivalent, area %s; %s\n", library, nand_name, nand, tool
  printf "%s nm: %s um2 a gate equivalent, memories scaled from %s nm; DRAM process x %s; a die of %s mm2\n\n", config["node_nm"], config["gate_um2"],
    config["memory_nm"], config["dram_factor"], config["die_mm2"]
  if (csv != "") print "table,name,number,gate_equivalents,flop_bits,memory_bits,macro_um2,mm2_a_die,percent,paper_mm2,ratio" > csv
  if (structure != "") printf "%s; other sizes as in the Verilog\n\n", structure
  whole = wanted == "" && !small
  if (whole) {
    for (j = 1; j <= n_units && die == ""; j++) if (module[units[j]] == "die_slice") die = units[j]
    count_all(die, 1)
    line("on a die", "number", "gate equiv.", "flop bits", "memory bits", "mm2", "%", "paper", "ratio")
    for (k = 1; k <= n_rows; k++) {
      gather(k)
      parts = row_parts[k]
      if (!(k in paper_mm2) && !table_done) {
        table_done = 1
        line("as Table III", "", "", "", "", sprintf("%.2f", sum), sprintf("%.2f", 100 * sum / config["die_mm2"]), sprintf("%.2f", paper_sum), sprintf("%.2f", sum / paper_sum))
        out_csv("sum", "as Table III", "", 0, 0, 0, 0, sum, paper_sum)
        table_sum = sum
      }
      sum += r_mm2
      if (row_of[k] != "rowbuf") parts_gates += r_gates * r_number
      if (row_of[k] != "rowbuf") parts_macro += r_macro * r_number
      percent = 100 * r_mm2 / config["die_mm2"]
      paper = k in paper_mm2 ? paper_mm2[k] : ""
      ratio = k in paper_mm2 ? r_mm2 / paper_mm2[k] : ""
      if (k in paper_mm2) paper_sum += paper_mm2[k]
      line(row_name[k], r_number * parts, thousands(r_gates / parts), thousands(r_flops / parts), thousands(r_bits / parts), sprintf("%.2f", r_mm2),
        sprintf("%.2f", percent), paper, ratio == "" ? "" : sprintf("%.2f", ratio))
      out_csv(k in paper_mm2 ? "table3" : "other", row_name[k], r_number * parts, r_gates / parts, r_flops / parts, r_bits / parts, r_macro / parts, r_mm2, paper)
      if (ratio != "" && (ratio > 1.1 || ratio < 0.9)) differs[++n_differs] = k
      rows_json = rows_json sprintf("%s\n    {\"name\": %s, \"number\": %d, %s, \"mm2\": %.6f, \"percent\": %.4f%s}", rows_json == "" ? "" : ",", quoted(row_name[k]), r_number * parts,
        figures(r_gates / parts, r_flops / parts, r_bits / parts, r_macro / parts), r_mm2, percent,
        ratio == "" ? "" : sprintf(", \"paper_number\": %s, \"paper_mm2\": %s, \"paper_percent\": %s, \"ratio\": %.4f", paper_number[k], paper_mm2[k], paper_percent[k], ratio))
    }
    line("all", "", "", "", "", sprintf("%.2f", sum), sprintf("%.2f", 100 * sum / config["die_mm2"]), "", "")
    out_csv("sum", "all", "", 0, 0, 0, 0, sum, "")
    slice = um2(sum_gates[die], sum_macro[die])
    parts_um2 = um2(parts_gates, parts_macro) / config["slices_a_die"]
    printf "\ndie_slice: %s um2 before the DRAM factor; the rows above without row buffers: %s um2\n", thousands(slice), thousands(parts_um2)
    if (slice - parts_um2 > 1e-6 * slice || parts_um2 - slice > 1e-6 * slice) {
      print "area: the rows are not all of die_slice" > "/dev/stderr"
      status = 2
    }
    if (n_differs) print "\nMore than 10 % from the paper:"
    for (k = 1; k <= n_differs; k++) printf "- %s: %s\n", row_name[differs[k]], reason[differs[k]] == "" ? "no reason is written down" : reason[differs[k]]
    print ""
  }
  block_list()
  if (csv != "") close(csv)
  if (json != "") {
    printf "{\n  \"tool\": %s,\n  \"library\": {\"name\": %s, \"hash\": %s, \"nand2\": %s, \"nand2_area\": %s},\n", quoted(tool), quoted(library), quoted(hash["liberty"]), quoted(nand_name), nand > json
    printf "  \"config_hash\": %s,\n  \"config\": {", quoted(hash["config"]) > json
    for (k = 1; k <= n_keys; k++) printf "%s\"%s\": %s", (k > 1 ? ", " : ""), keys[k], config[keys[k]] + 0 > json
    printf "},\n" > json
    if (structure != "") printf "  \"structure\": %s,\n", quoted(structure) > json
    if (whole) printf "  \"rows\": [%s\n  ],\n  \"table3_mm2\": %.6f,\n  \"all_mm2\": %.6f,\n  \"paper_mm2\": %.2f,\n", rows_json, table_sum, sum, paper_sum > json
    printf "  \"units\": [" > json
    for (j = 1; j <= n_units; j++) {
      u = units[j]
      printf "%s\n    {\"name\": %s, \"module\": %s, \"parameters\": %s, \"in_die_slice\": %d, \"cells\": %d, %s,\n     \"own\": {%s}}", (j > 1 ? "," : ""), quoted(u), quoted(module[u]), quoted(parameters[u]),
        count[u], sum_cells[u], figures(sum_gates[u], sum_flops[u], sum_bits[u], sum_macro[u]), figures(gates[u], flops[u], memory_bits[u], macro[u]) > json
    }
    printf "\n  ]\n}\n" > json
    close(json)
  }
  exit status
}
