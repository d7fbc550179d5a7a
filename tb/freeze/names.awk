# SPDX-License-Identifier: Apache-2.0
# The names of counters in sorted lines "PATH KEY VALUE", as lines "KIND KEY" with N for each number, for freeze.sh. Those of
# each core are those of all together.
{
  gsub(/[0-9]+/, "N", $1)
  sub(/^each\.N/, "core", $1)
  if (!(($1, $2) in seen)) print $1, $2
  seen[$1, $2] = 1
}
