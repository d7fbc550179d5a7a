#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs of kernels/iterate: sizes that fit no block on the functional machine, one core in lockstep, 128 cores.
# The programs check their results.
source tb/kernels/sets.sh
for p in jacobi bfs kmeans; do
  one iterate/$p --near=none
  one iterate/$p --near=c --config nearbank
done
one iterate/jacobi --near=none -- --width 1 --height 1
one iterate/jacobi --near=none -- --width 37 --height 61 --iterations 5
one iterate/bfs --near=none -- --n 1
one iterate/bfs --near=none -- --n 12345 --degree 2 --from 77
one iterate/kmeans --near=none -- --n 1
one iterate/kmeans --near=none -- --n 777 --clusters 64 --iterations 1000
one iterate/jacobi --near=lockstep --config nearbank-small -- --width 64 --height 32 --iterations 2
one iterate/bfs --near=lockstep --config nearbank-small -- --n 300
one iterate/kmeans --near=lockstep --config nearbank-small -- --n 200 --iterations 2
exit $failed
