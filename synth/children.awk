# SPDX-License-Identifier: Apache-2.0
# Modules that are instances in a netlist, and where a wave has them: MODULE SCOPE,SCOPE...
# Reads what library.awk says, then the netlist. -v scopes= where the wave has the netlist.
FILENAME ~ /library$/ { if ($1 == "cell") cell[$2] = 1; next }
/^  [A-Za-z_].*\($/ && !($1 in cell) && $2 != "#(" && $1 != "module" {
  name = $2
  gsub(/\\/, "", name)
  name = "." name
  gsub(/\.i_/, ".", name)
  if (!($1 in at)) order[++n] = $1
  m = split(scopes, scope, ",")
  for (k = 1; k <= m; k++) at[$1] = at[$1] (at[$1] == "" ? "" : ",") scope[k] name
}
END { for (k = 1; k <= n; k++) print order[k], at[order[k]] }
