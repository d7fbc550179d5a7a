#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The hint of a waiting loop on each kind of host: it assembles, and is that host's instruction.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
cc=${CLANG:-clang-19}
printf '#include "%s"\nvoid wait(void) { cpu_relax(); }\n' "$PWD/harness/base/schedule/cpu_relax.h" >"$work/wait.c"
check() { # TARGET BYTES: of the instruction, as they are in the object
  "$cc" --target="$1" -std=c17 -Wall -Wextra -Werror -ffreestanding -O2 -c "$work/wait.c" -o "$work/wait.o" ||
    { echo "FAILED: $1 does not compile"; failed=1; return; }
  od -An -v -tx1 "$work/wait.o" | tr -d ' \n' | grep -q "$2" || { echo "FAILED: $1: no $2"; failed=1; }
}
check x86_64-linux-gnu f390
check i686-linux-gnu f390
check aarch64-linux-gnu 3f2003d5
check armv7-linux-gnueabi 01f020e3
check riscv64-linux-gnu 0f000001
check s390x-linux-gnu .
# nothing else is for one kind of host; what headers of CUDA programs hold is PTX, and nvcc writes directives of ELF, and
# clang's assembly; a compiler driver has the words themselves, in quotes
others=$(grep -rnE '__builtin_ia32|_mm_|<[a-z]*mmintrin.h>|__asm__|\basm\b *\(' --include='*.[ch]' csim harness kernels/mpucc | grep -v -e '^harness/base/schedule/cpu_relax.h:' -e '^harness/cuda/include/' -e '^harness/cuda/sdk/nvcc/' -e '"__asm__"')
[[ ! $others ]] || { echo "FAILED: code for one kind of host: $others"; failed=1; }
exit $failed
