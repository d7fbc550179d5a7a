# SPDX-License-Identifier: Apache-2.0
# Prints what mpu timing found: for each block "block NAME PARAMETERS...", then "none" or what timing.tcl printed.
# -v fo4= ns, liberty=, path=, csv= and json= files. Reads lines of config.awk and library.awk before.

$1 == "config" { config[$2] = $3; next }
$1 == "library" && FILENAME ~ /library$/ { library = $2; next }
FILENAME ~ /library$/ { if ($1 == "inverter") inverter = $2; next }

$1 == "block" {
  n++
  name[n] = $2
  parameters[n] = ""
  for (k = 3; k <= NF; k++) parameters[n] = parameters[n] (k > 3 ? " " : "") $k
  steps[n] = 0
  part = ""
  next
}
$1 == "period" { ns[n] = $2; part = "launch"; next }
# The way of the data: "delay time edge pin (cell)", then "fanout net (net)"; before and behind it the clock.
part == "launch" && $1 == "Fanout" { part = "clock" }
part == "clock" && $NF ~ /^\(/ && $3 ~ /^[v^]$/ && $4 ~ /\// { part = "data"; edge = $2; next }
part == "clock" && $3 ~ /^[v^]$/ { edge = $2 }
# The path to the latch of a clock gate is followed by that from it to the gate. If the latch was not open yet, only
# the second is a path: it begins where the latch opens.
$1 == "through" { part = "through"; late = 0; next }
part == "through" && /time given to startpoint/ { late = 1 }
part == "through" && $NF ~ /^\(/ && $3 ~ /^[v^]$/ && $4 ~ /\// {
  if (late) steps[n]--
  else { steps[n] = 0; edge = $2 }
  part = "data"
  next
}
part == "data" && /data arrival time/ { part = "capture"; next }
part == "data" && $3 ~ /^[v^]$/ {
  s = ++steps[n]
  delay[n, s] = $1; at[n, s] = $2 - edge; goes[n, s] = $3 == "^" ? "rise" : "fall"
  pin = $4
  cell[n, s] = substr($5, 2, length($5) - 2)
  place = pin
  net[n, s] = sub(/\/[^\/]*$/, "", place) && sub(/\/[^\/]*$/, "/", place) ? place : ""
  next
}
part == "data" && /\(net\)$/ { net[n, steps[n]] = signal($2, net[n, steps[n]]); next }
part == "capture" && $1 ~ /^-?[0-9.]+$/ && /setup time/ { setup[n] = -$1; next }
part == "capture" && /^library setup time/ { setup[n] = -$NF; half[n] = 0; next } # of a latch that is open already
part == "capture" && /clock .*edge\)/ { half[n] = $2 - edge < 0.75 * ns[n] }
part == "capture" && /^Instance / { part = "end"; place = $2; if (!sub(/\/[^\/]*$/, "/", place)) place = ""; to[n] = $2; next }
part == "end" && $1 == "Cell:" { to_cell[n] = $2 }
part == "end" && / output / && $3 !~ /unconnected/ { to[n] = signal($3, place); part = "" }

# A net by its name in the Verilog, "" for those that have none there.
function signal(text, place) {
  gsub(/\\/, "", text)
  if (text ~ /(^|\/)_[0-9]+_$|(^|\/)_buffer_[0-9]+_$/) return ""
  gsub(/\//, ".", place)
  if (index(text, "/")) { gsub(/\//, ".", text); return text }
  return place text
}
function line(at, takes, goes, cell, drives,  text) {
  text = sprintf("%9.3f %9.3f  %-4s  %-10s %s", at, takes, goes, cell, drives)
  sub(/ +$/, "", text)
  print text
}
function bound(block) { return ("max_fo4_" block) in config ? config["max_fo4_" block] : config["max_fo4"] }
function mhz(t) { return t ? 1000 / t : 0 }
function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }

END {
  printf "FO4 of %s: %.4f ns (%s that drives four, mean of both edges)\n", library, fo4, inverter
  printf "at %.4g ps an FO4 a logic process, with %.4g times that a DRAM process; bound %.4g FO4\n\n", config["fo4_ps"], config["dram_delay"], config["max_fo4"]
  printf "%-16s %-24s %7s %6s %8s %10s\n", "", "", "longest", "", "", "MHz at"
  printf "%-16s %-24s %7s %6s %8s %10s %9s\n", "block", "parameters", "ns", "FO4", "MHz", config["fo4_ps"] " ps", "in DRAM"
  for (k = 1; k <= n; k++) {
    if (!(k in ns)) { printf "%-16s %-24s %7s\n", name[k], parameters[k], "no path between registers"; continue }
    f[k] = ns[k] / fo4
    logic[k] = mhz(f[k] * config["fo4_ps"] / 1000)
    dram[k] = logic[k] / config["dram_delay"]
    late = f[k] > bound(name[k])
    slow += late
    printf "%-16s %-24s %7.3f %6.1f %8.1f %10.0f %9.0f%s\n", name[k], parameters[k], ns[k], f[k], mhz(ns[k]), logic[k], dram[k], late ? "  over the bound" : ""
  }
  if (path) for (k = 1; k <= n; k++) if (k in ns) {
    printf "\n%s: %.3f ns%s\n", name[k], ns[k], half[k] ? ", twice the path: it has half a cycle" : ""
    printf "%9s %9s  %-4s  %-10s %s\n", "at ns", "takes", "", "cell", "drives"
    for (s = 1; s < steps[k] || (s == steps[k] && delay[k, s] > 0); s++)
      line(at[k, s], delay[k, s], goes[k, s], cell[k, s], s == 1 ? net[k, s] ", a register" : net[k, s] ~ /\// ? "" : net[k, s])
    line(at[k, steps[k]] + setup[k], setup[k], "", to_cell[k], to[k] ", setup")
  }
  if (csv) {
    print "block,parameters,ns,fo4,fmax,fmax_20nm,fmax_dram,from,to" > csv
    for (k = 1; k <= n; k++)
      if (k in ns) printf "%s,%s,%.4f,%.2f,%.2f,%.1f,%.1f,%s,%s\n", name[k], parameters[k], ns[k], f[k], mhz(ns[k]), logic[k], dram[k], net[k, 1], to[k] > csv
      else printf "%s,%s,,,,,,,\n", name[k], parameters[k] > csv
    if (close(csv)) exit 3
  }
  if (json) {
    printf "{\"library\": %s, \"fo4_ns\": %s,", quoted(library), fo4 > json
    m = 0
    for (c in config) printf "%s\"%s\": %s", m++ ? ", " : " \"config\": {", c, config[c] > json
    printf "},\n \"blocks\": [" > json
    for (k = 1; k <= n; k++) {
      printf("%s\n  {\"block\": %s, \"parameters\": %s", (k > 1) ? "," : "", quoted(name[k]), quoted(parameters[k])) > json
      if (k in ns) {
        printf ", \"ns\": %.4f, \"fo4\": %.2f, \"fmax\": %.2f, \"fmax_20nm\": %.1f, \"fmax_dram\": %.1f, \"half_cycle\": %s,\n   \"from\": %s, \"to\": %s, \"setup_ns\": %.4f, \"path\": [",
          ns[k], f[k], mhz(ns[k]), logic[k], dram[k], half[k] ? "true" : "false", quoted(net[k, 1]), quoted(to[k]), setup[k] > json
        for (s = 1; s <= steps[k]; s++)
          printf("%s\n    {\"at_ns\": %.4f, \"delay_ns\": %.4f, \"edge\": \"%s\", \"cell\": \"%s\", \"net\": %s}", (s > 1) ? "," : "", at[k, s], delay[k, s], goes[k, s], cell[k, s],
            quoted(net[k, s] ~ /\// ? "" : net[k, s])) > json
        printf "]" > json
      }
      printf "}" > json
    }
    print "\n]}" > json
    if (close(json)) exit 3
  }
  exit slow > 0
}
