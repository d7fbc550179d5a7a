#!/usr/bin/env bash
# The twelve with 8 registers a thread.
source tb/kernels/matrix.sh
try --maxregs=8
exit $failed
