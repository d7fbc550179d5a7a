#!/usr/bin/env bash
# The twelve from clang at -O0.
source tb/kernels/matrix.sh
try -O0
exit $failed
