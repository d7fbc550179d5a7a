# SPDX-License-Identifier: Apache-2.0
# The area of a node: what mpu area --csv says of each module, times the number that the node declares. Files: that CSV, then
# lines KIND NUMBER MODULE.
NR == FNR {
  split($0, column, ",")
  name = column[2]
  gsub(/"/, "", name)
  if (column[1] == "block") {
    gates[name] = column[4]
    mm2[name] = column[8]
  }
  next
}
{
  if (!($1 in all)) order[++kinds] = $1
  all[$1] += $2 * mm2[$3]
  all_gates[$1] += $2 * gates[$3]
  of[$1] = of[$1] (of[$1] ? ", " : "") $2 " of " $3
}
END {
  printf "\n%-16s %14s %12s  %s\n", "a node", "gate equiv.", "mm2", "made of"
  for (k = 1; k <= kinds; k++) printf "%-16s %14.0f %12.6f  %s\n", order[k], all_gates[order[k]], all[order[k]], of[order[k]]
}
