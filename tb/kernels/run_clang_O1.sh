#!/usr/bin/env bash
# The twelve from clang at -O1, all that can be near is.
source tb/kernels/matrix.sh
try -O1 --locate=near
exit $failed
