#!/usr/bin/env bash
# The twelve with --locate=none.
source tb/kernels/matrix.sh
try --locate=none
exit $failed
