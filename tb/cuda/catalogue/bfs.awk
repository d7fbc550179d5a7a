# SPDX-License-Identifier: Apache-2.0
# bfs.awk GRAPH: steps from the source to each node of a graph of `data.sh graph`.
{ for (k = 1; k <= NF; k++) word[++words] = $k }
END {
  n = word[1]
  source = word[2 + 2 * n]
  edges = 4 + 2 * n
  for (k = 0; k < n; k++) cost[k] = -1
  cost[source] = 0
  queue[last = 1] = source
  for (first = 1; first <= last; first++) {
    from = queue[first]
    for (j = 0; j < word[3 + 2 * from]; j++) {
      to = word[edges + 2 * (word[2 + 2 * from] + j)]
      if (cost[to] < 0) { cost[to] = cost[from] + 1; queue[++last] = to }
    }
  }
  for (k = 0; k < n; k++) print k ") cost:" cost[k], cost[k]
}
