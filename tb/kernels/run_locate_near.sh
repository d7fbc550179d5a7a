#!/usr/bin/env bash
# The twelve with --locate=near.
source tb/kernels/matrix.sh
try --locate=near
exit $failed
