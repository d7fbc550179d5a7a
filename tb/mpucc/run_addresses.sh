#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_addresses.sh [--seed N]: addresses as sums, as listings have them; and that, in random launches of programs,
# they are the addresses that threads access. With MPU_LONG all programs, else some.
set -uo pipefail
. tb/cli/expect.sh
seed=7
[[ ${1:-} == --seed ]] && seed=$2
check=$(dirname "$MPU")/tb/check_addresses

cat >"$work/sums.cu" <<'CU'
__global__ void sums(float *a, const int *at, int n, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[y * pitch + x] = 1;                                                // line 3: two dimensions
  for (int k = x; k < n; k += gridDim.x * blockDim.x) a[k] += 2;       // 4: a loop with steps of the grid
  a[at[x]] = 3;                                                        // 5: a gather
  a[threadIdx.x / 32 * 64 + threadIdx.x % 32] = 4;                     // 6: powers of two
  a[threadIdx.x / n] = 5;                                              // 7: a division
  unsigned w = threadIdx.x * pitch;
  a[w] = 6;                                                            // 9: may wrap
  int z = x;
  if (at[0] > 3) z = y;
  a[z] = 7;                                                            // 12: by the path
  for (int r = 0; r < n; r++)
    for (int c = 0; c < pitch; c++) a[r * pitch + c * 2 + x] = 8;      // 14: two loops
  int s = 0;
  for (int k = 0; k < at[1]; k++) s += k;
  a[s] = 9;                                                            // 17: not even
  int q = x;
  while (at[q] > 3) q += 4;                                            // 19: a loop
  a[q] = 10;                                                           // 20: behind it
}
int main() {}
CU
"$MPU" cc -O1 "$work/sums.cu" -S "$work/sums.lst" --ptx "$work/sums.ptx" -o "$work/sums" || fail "sums.cu"
sed '1,/^\/\/ addresses of/d; s/_Z4sumsPfPKiii_param_/p/g' "$work/sums.lst" |
  sed -E 's|[^ ]*/sums.cu:|:|g; s|^//   ||' >"$work/got"
# line N TEXT: an access of line N has the text
line() { grep -qF -- ":$1: $2" "$work/got" || { fail "line $1 has no '$2'"; grep ":$1:" "$work/got"; }; }
line 3 'p0 + 4*tid.x + 4*tid.y*p3 + 4*ctaid.x*ntid.x + 4*ctaid.y*ntid.y*p3'
line 4 'p0 + 4*tid.x + 4*ctaid.x*ntid.x + 4*ntid.x*nctaid.x*loop1'
line 5 'p1 + 4*tid.x + 4*ctaid.x*ntid.x'
line 5 'not affine: it depends on what ld gives, :5'
line 6 'p0 + 4*tid.x + 128*tid.x/32'
line 7 'not affine: it depends on what div gives, :7'
line 9 'p0 + 4*tid.x*p3'
line 12 'not affine: it differs by the path that a thread takes, :11'
line 14 'p0 + 4*tid.x + 4*ctaid.x*ntid.x + 4*p3*loop2 + 8*loop3'
line 17 'not affine: '
line 19 'p1 + 4*tid.x + 4*ctaid.x*ntid.x + 16*loop'
line 20 'not affine: it does not grow evenly, or is used behind its loop, '

# forms NAME LINE TEXT: the same of a program of ours
forms() {
  "$MPU" cc "kernels/$1/${1#*/}.cu" -S "$work/lst" -o "$work/program" || fail "$1"
  grep -E "^// .*:$2: " "$work/lst" | sed -E 's/_Z[A-Za-z0-9_]*_param_/p/g' >"$work/lines"
  grep -qF -- ": $3" "$work/lines" || { fail "$1, line $2 has no '$3'"; cat "$work/lines"; }
}
forms plain/axpy 10 'p2 + 4*tid.x + 4*ctaid.x*ntid.x + 4*ntid.x*nctaid.x*loop1'
forms tiled/blur 24 'p1 + 4*tid.x + 128*tid.y + 512*ctaid.x + 512*nctaid.x*loop1 + 512*p2*loop2'
forms tiled/gemv 20 'p0 + 4*tid.x + 512*ctaid.x + 512*nctaid.x*loop1 + 512*p3*loop2'
forms plain/nw 27 'p0 + tid.x + ctaid.x*p3 + ntid.x*loop2 + nctaid.x*p3*loop1'
forms plain/blur 29 'not affine: it depends on what div gives'

# check NAME PTX LEAST: in random launches so many addresses at least are known, and none is wrong
check() {
  local said
  "$MPU" mpucc "$2" -o "$work/object" || { fail "$1"; return; }
  said=$("$check" "$seed" "$work/object" 2>"$work/err") || { fail "$1: $check $seed $2"; head -n 5 "$work/err"; }
  [[ $said =~ ^compared\ ([0-9]+) && ${BASH_REMATCH[1]} -ge $3 ]] || fail "$1: $said"
}
check sums "$work/sums.ptx" 1000
"$check" "$seed" "$work/object" | grep -q 'not known [1-9]' || fail "no address wraps"
programs=(kernels/plain/{hist,kmeans,nw,pr}/ kernels/tiled/{blur,gemv,knn}/)
[[ ! ${MPU_LONG:-} ]] || programs=(kernels/{plain,tiled}/*/)
for program in "${programs[@]}"; do
  "$MPU" cc "$program"/*.cu --ptx "$work/ptx" -o "$work/program" || fail "$program"
  case $program in # divisions
    */plain/blur/ | */plain/conv/ | */plain/maxp/ | */plain/ttrans/ | */plain/upsamp/) least=0 ;;
    *) least=500 ;;
  esac
  check "$program" "$work/ptx" $least
done

exit $failed
