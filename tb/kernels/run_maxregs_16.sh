#!/usr/bin/env bash
# The twelve with 16 registers a thread, all far; four of them unless MPU_LONG.
source tb/kernels/matrix.sh
only blur kmeans pr ttrans
try --maxregs=16 --locate=far
exit $failed
