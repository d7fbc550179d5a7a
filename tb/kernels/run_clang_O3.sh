#!/usr/bin/env bash
# The twelve from clang at -O3, with 32 registers a thread; four of them unless MPU_LONG.
source tb/kernels/matrix.sh
only gemv knn maxp upsamp
try -O3 --maxregs=32
exit $failed
