#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The layers hold, and an include that breaks them is seen: one of each kind is put into a copy.
set -uo pipefail
. tb/cli/expect.sh
bash tb/layers/layers.sh || fail "includes that layers.txt does not allow"
mkdir "$work/copy"
cp -r --parents csim harness kernels/mpucc tb "$work/copy"
broken() { # FILE INCLUDE TEXT
  printf '#include "%s"\n' "$2" >>"$work/copy/$1"
  bash tb/layers/layers.sh "$work/copy" >"$work/said" && fail "$1 may include $2"
  grep -qF "$1:" "$work/said" && grep -qF "$3" "$work/said" || fail "$1, $2: $(cat "$work/said")"
  cp "$1" "$work/copy/$1"
}
broken csim/base/fifo.c csim/mpu/tsv.h 'csim/base/ may include - (nothing)'
broken csim/dram/bankctl.c csim/isa/isa.h 'csim/dram/ may include csim/base/'
broken csim/mpu/nbu.c harness/base/noc/noc.h 'csim/*/ may include'
broken harness/base/noc/noc.c harness/machines/mpu/core/core.h 'harness/base/ may include'
broken harness/machines/mpu/core/core.c harness/inspect/wave/wave.h 'harness/machines/*/ may include'
broken harness/inspect/debug/debug.c harness/base/noc/noc_priv.h 'is private to harness/base/noc/'
broken tb/base/noc/test_noc.c harness/base/noc/noc_priv.h 'is private to harness/base/noc/'
broken csim/base/fifo.c tb/isa/prog.h 'csim/base/ may include - (nothing)'
broken tb/base/noc/test_noc.c kernels/plain/axpy/axpy.h 'tb/ may include'
broken harness/tool/run.c ../cuda/rt.h 'climbs'
bash tb/layers/layers.sh "$work/copy" || fail "the copy is not what it was"
exit $failed
