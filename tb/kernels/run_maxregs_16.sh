#!/usr/bin/env bash
# The twelve with 16 registers a thread, all far.
source tb/kernels/matrix.sh
try --maxregs=16 --locate=far
exit $failed
