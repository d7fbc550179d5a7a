# SPDX-License-Identifier: Apache-2.0
# mpu area --memory: the model of memory.awk against CACTI's points, the paper's figures and memories of
# flip-flops. Runs after memory.awk on the configuration, cacti.txt, and the facts of mapped ram_1r1w.
$1 == "1rw" || $1 == "1r1w" {
  if (!n++) {
    printf "At %s nm, um2 (synth/cacti.txt)\n\n", config["memory_nm"]
    printf "%-5s %6s %6s %10s %10s %7s\n", "ports", "words", "bits", "CACTI 7", "model", "error"
  }
  cacti = $4 * 1e6
  model = macro_um2($2, $3, $1)
  error = 100 * (model / cacti - 1)
  if (error > most || -error > most) most = error > 0 ? error : -error
  printf "%-5s %6d %6d %10.1f %10.1f %6.1f%%\n", $1, $2, $3, cacti, model, error
}
$1 == "library" && $2 == "nand2" { nand = $4 }
$1 == "unit" && $3 == "ram_1r1w" { split($4 " " $5 " " $6, p, /[ =]/); for (k = 1; k < 6; k += 2) size[$2, p[k]] = p[k + 1]; rams[++n_rams] = $2 }
$1 == "of" && $3 == "area" { gates[$2] = $4 / nand }

# The paper's figures are doubled for the DRAM process and for so many parts a die.
function paper(what, mm2, parts, kind, words, width, pieces, said,  one, a) {
  one = mm2 / 2 / parts * 1e6
  a = pieces * macro_um2(words, width, kind)
  printf "%-34s %9.0f %8.3f %9.0f %8.3f %9.2f  %s\n", what, one, one / said, a, a / said, a / one, pieces " x " words " x " width " " kind
}
END {
  printf "\nworst error %.1f %%\n\n", most
  printf "The paper's figures for one part, um2 without the DRAM factor, and the model at %s nm (not scaled)\n\n", config["memory_nm"]
  printf "%-34s %9s %8s %9s %8s %9s  %s\n", "", "paper", "a bit", "model", "a bit", "ratio", "as"
  config["memory_width"] = 1024
  paper("Register File, 16 KB", 9.71, 16, "1r1w", 32, 1024, 4, 131072)
  paper("Operand Collector x 4", 2.43, 16, "1r1w", 32, 1024, 1, 32768)
  paper("LSU-extension", 2.43, 16, "1r1w", 32, 1024, 1, 32768)
  paper("Shared Memory, 64 KB", 0.84, 4, "1rw", 512, 1024, 1, 524288)
  paper("Shared Memory, 64 KB, as here", 0.84, 4, "1rw", 512, 32, 32, 524288)
  config["memory_width"] = 128
  paper("Register File of macros of 128", 9.71, 16, "1r1w", 32, 1024, 4, 131072)
  config["memory_width"] = 1024
  if (!n_rams) exit
  printf "\nMemories of flip-flops (ram_1r1w mapped to cells) and the model, at %s nm, um2\n\n", config["node_nm"]
  printf "%6s %6s %12s %9s %10s %8s %10s %8s %7s\n", "words", "bits", "gate equiv.", "a bit", "flip-flops", "a bit", "model", "a bit", "ratio"
  for (k = 1; k <= n_rams; k++) {
    u = rams[k]
    words = size[u, "DEPTH"]
    width = size[u, "LANES"] * size[u, "BITS"]
    a = gates[u] * config["gate_um2"] / config["utilization"]
    m = macro_scaled(words, width, "1r1w")
    printf "%6d %6d %12.0f %9.1f %10.0f %8.2f %10.0f %8.2f %7.2f\n", words, width, gates[u], gates[u] / words / width, a, a / words / width, m, m / words / width, a / m
  }
}
