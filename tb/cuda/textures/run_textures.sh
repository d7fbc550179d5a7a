#!/usr/bin/env bash
# Textures, surfaces and arrays in whole programs, from clang at two levels (unless MPU_LONG arrays at -O0, the others at -O2);
# on the functional machine, and cycle by cycle.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# fails NAME: what it said.
fails() {
  printf 'FAILED: %s\n' "$1"
  tail -n 20 "$work/out"
  failed=1
}

for source in tb/cuda/textures/cu/*.cu; do
  name=$(basename "$source" .cu)
  levels='-O0 -O2'
  [[ ${MPU_LONG:-} ]] || { [[ $name == arrays ]] && levels=-O0 || levels=-O2; }
  for level in $levels; do
    if ! "$MPU" cc $level "$source" -o "$work/$name" >"$work/out" 2>&1 || [[ -s $work/out ]] ||
      ! MPU_NEAR=none MPU_QUIET=1 "$work/$name" >"$work/out" 2>&1; then
      fails "$name $level"
    fi
  done
done
for name in fetch references surfaces rotate; do
  if ! MPU_NEAR=c "$work/$name" >"$work/out" 2>&1; then
    fails "$name, cycle by cycle"
  fi
done
if [[ -e $(dirname "$MPU")/libnearrtl.so ]]; then
  for name in references surfaces rotate; do
    if ! MPU_NEAR=lockstep "$work/$name" >"$work/out" 2>&1; then
      fails "$name, in lockstep"
    fi
  done
fi

if [[ -e $(dirname "$MPU")/libnearcard.so ]] &&
  ! "$MPU" run --near=c --device card "$work/references" >"$work/out" 2>&1; then
  fails "references, on a card"
fi

# What a fault says, and where; with cycles, too.
for near in none c; do
  MPU_NEAR=$near "$work/wrong" >"$work/out" 2>&1
  for text in 'a texture or surface is used that nothing is bound to' \
    'has another dimension or resource than the function' 'are not what the function reads' \
    'tex2Dgather needs an array' 'an access outside of the surface' \
    'trap, .*cu/wrong.cu:[0-9]' 'mipmaps are not supported'; do
    grep -q "$text" "$work/out" || fails "no message '$text' (MPU_NEAR=$near)"
  done
  [[ $(grep -c '(docs/textures.md)' "$work/out") == 14 ]] || fails "a trap without its reason (MPU_NEAR=$near)"
done

# A reference that nothing is bound to, in every standard of C++.
printf '%s\n' 'texture<float> t; __global__ void k(float *p) { *p = tex1Dfetch(t, 0); }' \
  'int main() { k<<<1, 1>>>(0); return cudaDeviceSynchronize() != cudaErrorLaunchFailure; }' >"$work/unbound.cu"
for standard in c++11 ${MPU_LONG:+c++14} c++20; do
  if ! "$MPU" cc -std=$standard "$work/unbound.cu" -o "$work/unbound" >"$work/out" 2>&1 || [[ -s $work/out ]] ||
    ! "$work/unbound" >"$work/out" 2>&1 || ! grep -q 'nothing is bound' "$work/out"; then
    fails "unbound $standard"
  fi
done
# The host API in C, and in C++ without clang's attributes.
printf '%s\n' '#include <cuda_runtime.h>' 'int main(void) { cudaArray_t a; struct cudaChannelFormatDesc d =' \
  'cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned); return cudaMallocArray(&a, &d, 1, 1, 0); }' \
  >"$work/host.c"
cp "$work/host.c" "$work/host.cpp"
for host in host.c host.cpp; do
  if ! cc -fsyntax-only -Wall -Werror -Iharness/cuda/include "$work/$host" >"$work/out" 2>&1; then
    fails "$host"
  fi
done
exit $failed
