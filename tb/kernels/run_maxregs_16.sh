#!/usr/bin/env bash
# The twelve with 16 registers a thread.
source tb/kernels/matrix.sh
try --maxregs=16
exit $failed
