#!/usr/bin/env bash
# The twelve from clang at -O3, with 32 registers a thread.
source tb/kernels/matrix.sh
try -O3 --maxregs=32
exit $failed
