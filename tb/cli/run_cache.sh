#!/usr/bin/env bash
# The cache of compiled programs gives the program that was asked for, whatever the files' ages.
set -eu
MPU=${MPU:-$PWD/build/release/mpu-tool}
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MPU_CACHE=$work/cache
fail() { echo "FAILED: $*"; exit 1; }
says() { # EXPECTED COMMAND...
  local expected=$1 got
  shift
  got=$("$@")
  [[ $got == "$expected" ]] || fail "$*: '$got', not '$expected'"
}
cd "$work"
program() { printf '#include <cstdio>\n%s\nint main() { puts(%s); }\n' "$1" "$2"; }

program '' '"one"' >p.cu
program '' '"two"' >q.cu
touch -d '2 hours ago' q.cu
says one "$MPU" run -q p.cu
built=$(stat -c %Y.%y cache/*/program)
says one "$MPU" run -q p.cu
[[ $(stat -c %Y.%y cache/*/program) == "$built" ]] || fail "the second start compiles again"
mv q.cu p.cu
says two "$MPU" run -q p.cu

mkdir -p a/inc b/inc
echo '#define V "a"' >a/inc/v.h
echo '#define V "b"' >b/inc/v.h
touch -d '2 hours ago' a/inc/v.h b/inc/v.h
program '#include "v.h"' V >i.cu
cd a
says a "$MPU" run -q -Iinc ../i.cu
cd ../b
says b "$MPU" run -q -Iinc ../i.cu
echo '#define V "c"' >inc/w.h
touch -d '1 hour ago' inc/w.h
mv inc/w.h inc/v.h
says c "$MPU" run -q -Iinc ../i.cu
cd "$root"

# PTX from elsewhere is another program
count() {
  "$MPU" run -q --stats "$work/s" "$@" kernels/axpy >/dev/null
  sed 's/.*"warp_instructions": \([0-9]*\).*/\1/' "$work/s"
}
own=$(count) other=$(count --device-ptx tb/vendor/axpy.ptx)
[[ $own != "$other" ]] || fail "both compilers' programs take $own instructions"
[[ $(count) == "$own" ]] || fail "after --device-ptx the own program is gone"
[[ $(count --device-ptx tb/vendor/axpy.ptx) == "$other" ]] || fail "--device-ptx a second time"
