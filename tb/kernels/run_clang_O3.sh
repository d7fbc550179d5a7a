#!/usr/bin/env bash
# The twelve from clang at -O3.
source tb/kernels/matrix.sh
try -O3
exit $failed
