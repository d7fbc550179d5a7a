# SPDX-License-Identifier: Apache-2.0
# mpu area --arrays: memories, and the arrays of registers that became flip-flops, of which the rule says why.
$1 == "config" { config[$2] = $3 }
function head() {
  if (!heads++) printf "%-14s %-20s %6s %6s %8s %6s %6s  %s\n", "module", "array", "words", "bits", "in all", "reads", "writes", "what it is"
}
$1 == "unit" { module[$2] = $3 }
$1 == "of" && $3 == "memory" {
  head()
  printf "%-14s %-20s %6d %6d %8d %6s %6s  %d macro%s %s\n", module[$2], "ram_1r1w", $7, $5 * $6, $5 * $6 * $7, "1", ($8 == "1rw" ? "or 1" : "1"), $4, ($4 > 1 ? "s" : ""), $8
}
$1 == "of" && $3 == "array" {
  head()
  if ($7 > 1 || $8 > 1) why = "flip-flops: more than one port to " ($7 > 1 ? $8 > 1 ? "read and write" : "read" : "write")
  else if ($5 < config["macro_words"]) why = "flip-flops: fewer than " config["macro_words"] " words"
  else if ($5 * $6 < config["macro_bits"]) why = "flip-flops: fewer than " config["macro_bits"] " bits"
  else { why = "flip-flops, BUT THE RULE SAYS MACRO: it should be behind ram_1r1w"; status = 1 }
  if ($5 * $6 >= config["macro_bits"] || status) printf "%-14s %-20s %6d %6d %8d %6d %6d  %s\n", module[$2], $4, $5, $6, $5 * $6, $7, $8, why
  else { small++; bits += $5 * $6 }
}
END {
  if (small) printf "%d smaller arrays, %d bits in all: flip-flops\n", small, bits
  exit status
}
