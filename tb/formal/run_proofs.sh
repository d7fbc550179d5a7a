#!/usr/bin/env bash
# The proofs of tb/formal/jobs that take seconds.
set -euo pipefail
exec bash tb/formal/run.sh --timeout 120
