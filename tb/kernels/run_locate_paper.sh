#!/usr/bin/env bash
# The twelve with --locate=paper.
source tb/kernels/matrix.sh
try --locate=paper
exit $failed
