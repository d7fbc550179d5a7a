#!/usr/bin/env bash
# The twelve from clang at -O1.
source tb/kernels/matrix.sh
try -O1
exit $failed
