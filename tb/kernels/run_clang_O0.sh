#!/usr/bin/env bash
# The twelve from clang at -O0, and the hardware decides where instructions execute; four of them unless MPU_LONG.
source tb/kernels/matrix.sh
only conv hist nw pr
try -O0 --locate=none
exit $failed
