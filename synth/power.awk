# SPDX-License-Identifier: Apache-2.0
# Prints what mpu power found: for each module "block DEPTH NAME", then the lines of switch.awk.
# -v volts= of the library, csv=, json=, missing=, wave=
$1 == "config" { config[$2] = $3; next }
FILENAME ~ /library$/ { if ($1 == "library") library = $2; next }
$1 == "block" { n++; depth[n] = $2; name[n] = $3; next }
$1 == "missing" { lost[n, ++n_lost[n]] = $2; next }
$1 == "known" { all_bits[n] = $2; known[n] = $3; next }
NF == 2 { is[$1, n] = $2; next }

# How many of them a near-bank unit or a slice has: as many scopes as there are below one of what it is in.
function a_die(k,  up, j) {
  for (j = k; j > 1 && depth[j] > 0; j--);
  up = is["scopes", k] / is["scopes", j]
  return up * (name[j] ~ /^smem(__|$)/ ? 1 : config["nbus_a_slice"]) * config["slices_a_die"]
}
function row(label, scopes, runs, open, share, clock, register, logic, wires, leak, all, small, die) {
  printf "%-" widest "s %6s %6s %6s %6s %8s %8s %8s %8s %8s %9s %8s %8s\n", label, scopes, runs, open, share, clock, register, logic, wires, leak, all, small, die
}
function mw(x) { return sprintf("%.3f", x) }

END {
  scale = config["node_nm"] / config["library_nm"] * (config["node_volts"] / volts) ^ 2 * config["dram_energy"]
  cycles = is["cycles", 1]
  widest = 8
  for (k = 1; k <= n; k++) if (length(name[k]) + 2 * depth[k] > widest) widest = length(name[k]) + 2 * depth[k]
  printf "%s: %d cycles; mW at %.4g GHz, mean of the ones in the wave; %s, %.4g V\n", wave, cycles, config["clock_ghz"], library, volts
  printf "%d nm: energy times %.4g / %.4g (length) and (%.4g V / %.4g V)^2", config["node_nm"], config["node_nm"], config["library_nm"], config["node_volts"], volts
  if (config["dram_energy"] != 1) printf " and %.4g (DRAM process)", config["dram_energy"]
  printf ": %.5f\n\n", scale
  row("", "in the", "clock", "flops", "known", "", "", "", "", "", "", config["node_nm"] " nm", "a die,")
  row("module", "wave", "runs %", "run %", "%", "clock", "register", "logic", "wires", "leakage", "all", "mW", "mW")
  for (k = 1; k <= n; k++) {
    f = config["clock_ghz"]
    dynamic[k] = (is["clock", k] + is["register", k] + is["logic", k] + is["wires", k]) * f
    small[k] = dynamic[k] * scale
    count[k] = a_die(k)
    die[k] = small[k] * count[k]
    total += die[k]
    share[k] = all_bits[k] ? 100 * known[k] / all_bits[k] : 100
    row(sprintf("%" (2 * depth[k]) "s%s", "", name[k]), is["scopes", k], sprintf("%.1f", 100 * is["runs", k]), sprintf("%.1f", 100 * is["open", k]), sprintf("%.1f", share[k]), mw(is["clock", k] * f),
      mw(is["register", k] * f), mw(is["logic", k] * f), mw(is["wires", k] * f), mw(is["leakage", k]), mw(dynamic[k]), mw(small[k]), sprintf("%.1f", die[k]))
  }
  row("together", "", "", "", "", "", "", "", "", "", "", "", sprintf("%.1f", total))
  for (k = 1; k <= n; k++) if (n_lost[k]) {
    printf "%s: the wave does not have %d of %d bits of registers and inputs%s\n", name[k], n_lost[k], all_bits[k], missing ? ":" : "; --missing names them"
    if (missing) for (j = 1; j <= n_lost[k]; j++) print "  " lost[k, j]
  }
  for (k = 1; k <= n; k++) if (is["misfits", k])
    printf "%s: wave and netlist differ: %d times a register has another value than the gates in front of it gave it\n", name[k], is["misfits", k]
  if (csv) {
    print "module,depth,scopes,cycles,runs,flops_run,misfits,known,clock_mw,register_mw,logic_mw,wires_mw,leakage_mw,all_mw,node_mw,count,die_mw" > csv
    for (k = 1; k <= n; k++)
      printf "%s,%d,%d,%d,%.6f,%.6f,%d,%.6f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", name[k], depth[k], is["scopes", k], is["cycles", k], is["runs", k], is["open", k], is["misfits", k], share[k] / 100,
        is["clock", k] * f, is["register", k] * f, is["logic", k] * f, is["wires", k] * f, is["leakage", k], dynamic[k], small[k], count[k], die[k] > csv
    if (close(csv)) exit 3
  }
  if (json) {
    printf "{\"wave\": \"%s\", \"library\": \"%s\", \"volts\": %s, \"scale\": %.6g, \"die_mw\": %.6g,\n \"config\": {", wave, library, volts, scale, total > json
    m = 0
    for (c in config) printf("%s\"%s\": %s", m++ ? ", " : "", c, config[c]) > json
    printf "},\n \"modules\": [" > json
    for (k = 1; k <= n; k++) {
      printf("%s\n  {\"module\": \"%s\", \"depth\": %d, \"scopes\": %d, \"cycles\": %d, \"runs\": %.6f, \"flops_run\": %.6f, \"misfits\": %d, \"known\": %.6f, \"clock_mw\": %.6g, \"register_mw\": %.6g,", (k > 1) ? "," : "",
        name[k], depth[k], is["scopes", k], is["cycles", k], is["runs", k], is["open", k], is["misfits", k], share[k] / 100, is["clock", k] * f, is["register", k] * f) > json
      printf(" \"logic_mw\": %.6g, \"wires_mw\": %.6g, \"leakage_mw\": %.6g, \"all_mw\": %.6g, \"node_mw\": %.6g, \"count\": %.6g, \"die_mw\": %.6g, \"missing\": [", is["logic", k] * f,
        is["wires", k] * f, is["leakage", k], dynamic[k], small[k], count[k], die[k]) > json
      for (j = 1; j <= n_lost[k]; j++) printf("%s\"%s\"", (j > 1) ? ", " : "", lost[k, j]) > json
      printf "]}" > json
    }
    print "\n]}" > json
    if (close(json)) exit 3
  }
}
