#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The programs of kernels/irregular: sizes that fit no block on the functional machine, one core in lockstep, 128 cores.
# The programs check their results.
source tb/kernels/sets.sh
for p in gups chase hashtable; do
  one irregular/$p --near=none
  one irregular/$p --near=c --config nearbank
done
one irregular/gups --near=none -- --n 1 --updates 1
one irregular/gups --near=none -- --n 12345 --updates 777
one irregular/chase --near=none -- --n 1 --chains 1
one irregular/chase --near=none -- --n 777 --chains 12345 --steps 3
one irregular/hashtable --near=none -- --n 1 --slots 2
one irregular/hashtable --near=none -- --n 1234 --slots 1235
one irregular/gups --near=lockstep --config nearbank-small -- --updates 2000
one irregular/chase --near=lockstep --config nearbank-small -- --chains 300
one irregular/hashtable --near=lockstep --config nearbank-small -- --n 600 --slots 1000
exit $failed
