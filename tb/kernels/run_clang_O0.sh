#!/usr/bin/env bash
# The twelve from clang at -O0, and the hardware decides where instructions execute.
source tb/kernels/matrix.sh
try -O0 --locate=none
exit $failed
