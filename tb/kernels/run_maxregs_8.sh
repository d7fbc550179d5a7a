#!/usr/bin/env bash
# The twelve with 8 registers a thread; four of them unless MPU_LONG.
source tb/kernels/matrix.sh
only conv hist knn nw
try --maxregs=8
exit $failed
