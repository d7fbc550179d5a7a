# SPDX-License-Identifier: Apache-2.0
# The lines of frozen.txt of one case, for freeze.sh: `name`; the counters' names, then sorted lines "PATH KEY VALUE". Counters
# that are 0 are left out. Each core of many has one number for all of its counters; so have all links of a network together,
# `each`, beside the sums of their counters. What has no name is left out, too.
function close_line() {
  if (text != "") print name, of text
  text = ""
}
# A number for a counter of a core, whichever core: so that one more does not change what others add to the sum.
function weight(key, from,  n, w) {
  key = substr(key, from)
  if (!(key in weights)) {
    w = 7
    for (n = 1; n <= length(key); n++) w = (w * 131 + index(letters, substr(key, n, 1))) % 1000003
    weights[key] = w + 1
  }
  return weights[key]
}
BEGIN { letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_. " }
FNR == 1 { file++ }
file == 1 { for (n = 3; n <= NF; n++) known[$2, $n] = 1; next }
{
  kind = $1
  gsub(/[0-9]+/, "N", kind)
  if ($1 ~ /^each\.[0-9]/) {
    core = $1
    sub(/^each\./, "", core)
    sub(/\..*/, "", core)
    sub(/^each\.N/, "core", kind)
    if ((kind, $2) in known && $3 != "0") sums[core] = (sums[core] + $3 % 2147483629 * weight($1 " " $2, length(core) + 6)) % 2147483629
    if (core + 1 > cores) cores = core + 1
    next
  }
  if (kind == "network.links.N") {
    if (!((kind, $2) in known) || $3 !~ /^[0-9]+$/) next
    links[$2] += $3
    links["each"] = (links["each"] + $3 % 2147483629 * weight($1 " " $2, 1)) % 2147483629
    next
  }
  if (!((kind, $2) in known) || $3 == "0" && kind !~ /^core\.latencies\./) next
  if (kind ~ /^core\.latencies\./) { # a range with its count
    if ($2 == "count") { counted = $3; next }
    sub(/\.[0-9]+$/, "", $1)
    $2 = $3
    $3 = counted
  }
  if ($1 != of) close_line()
  of = $1
  if ($2 == "cycles") text = " " $2 "=" $3 text
  else text = text " " $2 "=" $3
}
END {
  close_line()
  of = "network.links"
  k = split("each flits queued waited", keys, " ")
  for (n = 1; n <= k; n++) if (links[keys[n]]) text = text " " keys[n] "=" sprintf("%d", links[keys[n]])
  close_line()
  of = "each"
  for (n = 0; n < cores; n++) text = text " " n "=" sprintf("%d", sums[n])
  close_line()
}
