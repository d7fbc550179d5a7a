#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` gives, moved to another place: platforms outside of the tree are built against it, by
# find_package and by pkg-config, and run.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
build=$(dirname "${MPU:-$root/build/test/mpu-tool}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
fail() { echo "FAILED: $*"; exit 1; }
quiet() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "$*"; }; }
passes() { # COMMAND...
  "$@" >"$work/log" 2>&1 && grep -qx PASS "$work/log" || { tail -n 30 "$work/log"; fail "$*"; }
}

[[ -e $build/harness/systemc/package/libnearbank-card.a ]] || { echo "skipped: built without SystemC"; exit 0; }
quiet cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/moved"
sdk=$work/moved
export PKG_CONFIG_PATH=$sdk/lib/pkgconfig
! grep -rlF -e "$root" -e "$work" "$sdk/lib/pkgconfig" "$sdk/lib/cmake" "$sdk/include" ||
  fail "these files name the folder of the build"
[[ $(pkg-config --modversion nearbank) == "$(<"$root/VERSION")" ]] || fail "pkg-config gives another version than VERSION"

# examples outside of the tree
cp -r "$root/harness/systemc/examples" "$work/outside"
cd "$work/outside/platform" || exit 2
quiet "$build/mpu-tool" cc triple.ptx -o triple.o

quiet cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$sdk"
quiet cmake --build build
passes build/platform triple.o
passes build/sparse
[[ -e $sdk/lib/nearbank/libspaceartl.so ]] && passes build/sparse spacea-small lockstep
if [[ -e $sdk/lib/nearbank/libnearrtl.so ]]; then
  passes build/platform triple.o lockstep
  mv "$sdk/lib/nearbank" "$sdk/lib/elsewhere"
fi
# without the Verilog
! build/platform triple.o rtl >"$work/log" 2>&1 && grep -q 'cannot find .*/moved/lib/nearbank/libnearrtl.so' "$work/log" ||
  { cat "$work/log"; fail "the message about missing Verilog"; }

read -ra flags < <(pkg-config --cflags --libs nearbank)
quiet g++ -std=c++17 -Wall main.cpp -o by-pkg-config "${flags[@]}" -Wl,-rpath,"$sdk/lib"
passes ./by-pkg-config triple.o

# the driver by itself, in a static program in C
cat >driver.c <<'C'
#include "harness/systemc/driver/driver.h"
int main(void) { driver_close(0); return CARD_OK; }
C
quiet gcc -static -I"$sdk/include/nearbank" driver.c -o driver -L"$sdk/lib" -lnearbank-driver
quiet ./driver

# SpaceA, with what it says without its Verilog
quiet gcc -I"$sdk/include/nearbank" "$root/kernels/spmv/conjugate_gradient.c" -o cg -L"$sdk/lib" -lnearbank-spmv -Wl,-rpath,"$sdk/lib" -lm
passes ./cg 8
rm -f "$sdk/lib/nearbank/libspaceartl.so"
! ./cg 8 spacea-small rtl >"$work/log" 2>&1 && grep -q 'cannot find .*/moved/lib/nearbank/libspaceartl.so' "$work/log" ||
  { cat "$work/log"; fail "the message about missing Verilog of SpaceA"; }

# the pins of the die
if [[ -e $sdk/lib/libnearbank-pins.so ]]; then
  read -ra flags < <(pkg-config --cflags --libs nearbank-pins)
  quiet g++ -std=c++17 ../die_pins.cpp -o pins "${flags[@]}" -Wl,-rpath,"$sdk/lib"
  passes ./pins waves
  [[ -s waves.vcd ]] || fail "no waves of the pins"
fi

# what an installation lacks is said
rm "$sdk/lib/libnearbank-card.a"
! cmake -G Ninja -S . -B again -DCMAKE_PREFIX_PATH="$sdk" >"$work/log" 2>&1 && tr -s ' \n' ' ' <"$work/log" |
  grep -q 'nearbank::card is missing: it was not built before the installation' || { cat "$work/log"; fail "the message about a missing part"; }
