#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# data.sh KIND SIZE...: small input for a program of a suite, as text on standard output. The same for the same words.
#   graph NODES [COST]     of bfs: nodes, edges, source, edges with costs from 1 to COST (10)
#   grid VALUES LOW HIGH   one number a line
#   keys COUNT             of Rodinia's b+tree: how many, then the keys
#   rows ROWS COLUMNS      a number, then COLUMNS more: points for kmeans
#   system SIZE            of Rodinia's gaussian: matrix, right side, solution
#   mesh SIZE              of Rodinia's cfd: a grid of SIZE x SIZE x SIZE tetrahedron-like cells
#   dna LETTERS            one line
#   bytes COUNT            letters, some much more frequent than others
LC_ALL=C awk -v kind="$1" -v a="${2-}" -v b="${3-}" -v c="${4-}" '
  function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
  function graph(n,   k, j, at) {
    print n
    for (k = 0; k < n; k++) { degree[k] = 2 + int(random() * 5); print at + 0, degree[k]; at += degree[k] }
    print "0\n" at
    for (k = 0; k < n; k++) for (j = 0; j < degree[k]; j++) print (j ? int(random() * n) : (k + 1) % n), 1 + int(random() * (b ? b : 10))
  }
  function system_of(n,   i, j) {
    print n
    for (i = 0; i < n; i++) { for (j = 0; j < n; j++) printf "%.3f ", (i == j ? n : 0) + random(); print "" }
    print ""
    for (i = 0; i < n; i++) printf "%.3f ", random() * 10
    print ""
    for (i = 0; i < n; i++) printf "0 "
    print ""
  }
  function mesh(n,   x, y, z, k) {
    print n * n * n
    for (z = 0; z < n; z++) for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
      print 1
      k = (z * n + y) * n + x + 1
      side(x ? k - 1 : -2, -1, 0, 0); side(x < n - 1 ? k + 1 : -2, 1, 0, 0)
      side(y ? k - n : -1, 0, -1, 0); side(y < n - 1 ? k + n : -1, 0, 1, 0)
    }
  }
  function side(k, x, y, z) { print k, x, y, z }
  BEGIN {
    seed = 1
    if (kind == "graph") graph(a)
    else if (kind == "grid") for (k = 0; k < a; k++) printf "%.4f\n", b + (c - b) * random()
    else if (kind == "keys") { print a; for (k = 0; k < a; k++) print k }
    else if (kind == "rows") for (k = 0; k < a; k++) { printf "%d", k; for (j = 0; j < b; j++) printf " %.3f", k % 5 * 10 + random() * 3; print "" }
    else if (kind == "system") system_of(a)
    else if (kind == "mesh") mesh(a)
    else if (kind == "bytes") for (k = 0; k < a; k++) printf "%c", 97 + int(26 * random() * random() * random())
    else if (kind == "dna") { for (k = 0; k < a; k++) printf "%s", substr("ACGT", 1 + int(4 * random()), 1); print "" }
    else { print "data.sh: unknown kind " kind >"/dev/stderr"; exit 2 }
  }'
