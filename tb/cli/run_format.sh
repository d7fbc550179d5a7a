#!/usr/bin/env bash
# Every C source is as clang-format has it (the file in the root).
set -u
mapfile -t files < <(git ls-files '*.c' '*.h' 2>/dev/null || find csim harness kernels tb -name '*.[ch]')
((${#files[@]} > 50)) || { echo "FAILED: only ${#files[@]} sources found"; exit 1; }
clang-format --dry-run -Werror "${files[@]}" 2>&1 | head -n 20
exit "${PIPESTATUS[0]}"
