#!/usr/bin/env bash
# The twelve with 32 registers a thread.
source tb/kernels/matrix.sh
try --maxregs=32
exit $failed
