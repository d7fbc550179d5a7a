#!/usr/bin/env bash
# The proofs of tb/formal/jobs; those that take minutes only with --long.
set -euo pipefail
exec bash tb/formal/run.sh $([[ ${MPU_LONG:-} ]] || echo --quick)
