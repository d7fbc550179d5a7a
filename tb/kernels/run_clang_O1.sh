#!/usr/bin/env bash
# The twelve from clang at -O1, all that can be near is; four of them unless MPU_LONG.
source tb/kernels/matrix.sh
only blur kmeans ttrans axpy
try -O1 --locate=near
exit $failed
