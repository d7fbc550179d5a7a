#!/usr/bin/env bash
# The twelve with --locate=far.
source tb/kernels/matrix.sh
try --locate=far
exit $failed
