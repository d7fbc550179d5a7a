# SPDX-License-Identifier: Apache-2.0
# Timelines of runs, for the scripts of this folder.
. tb/cli/wait.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check=$(dirname "$MPU")/tb/check_timeline
fail() {
  printf 'FAILED: %s\n' "$*"
  failed=1
}
# draw NAME OPTIONS...: a run with its timeline $work/NAME.json and statistics $work/NAME.stats; its
# exit status
draw() {
  rm -f "$work/$1.json"
  "$MPU" run -q --stats "$work/$1.stats" --timeline "$work/$1.json" "${@:2}" >"$work/out" 2>"$work/err" </dev/null
}
# good FILE [STATISTICS]: the checker takes it
good() {
  "$check" "$@" >"$work/checked" && return
  fail "${*/$work\//}"
  head -n 5 "$work/checked"
  return 1
}
# said TEXT: a line on stderr has it
said() { grep -qF -- "$1" "$work/err" || { fail "this is not said: $1"; head -n 3 "$work/err"; }; }
four=$work/four.yaml
printf 'base: paper\nmachine: {processors: 2, cores: 2}\n' >"$four"
# All spaces, atomics of 32 and 64 bits, barriers, memory that other cores have.
cat >"$work/spaces.cu" <<'CU'
__global__ void kernel(unsigned long long *wide, int *p) {
  __shared__ unsigned long long sums[2];
  __shared__ float ones[2];
  int a[20], t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 2)
    sums[threadIdx.x] = 0, ones[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 20; k++)
    a[k] = t * 20 + k;
  for (int k = 0; k < 4; k++)
    a[(p[k] + k + t) % 20] += a[(p[k] * 7 + k) % 20] ^ k;
  if (threadIdx.x % 16 == 0)
    atomicAdd(&sums[threadIdx.x / 16 % 2], (unsigned long long)a[3]);
  atomicAdd(&ones[threadIdx.x & 1], 1.0f);
  atomicAdd(&p[64 + (t * 37 & 255)], 3);
  if (t % 8 == 0)
    atomicMax(&wide[t / 8 * 100], (unsigned long long)a[5]);
  __syncthreads();
  if (threadIdx.x < 2)
    wide[blockIdx.x * 2 + threadIdx.x + 1] = sums[threadIdx.x] + (int)ones[threadIdx.x];
}
int main() {
  unsigned long long *wide;
  int *p;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  cudaMalloc(&wide, 65536);
  cudaMemset(wide, 0, 65536);
  for (int k = 0; k < 2; k++)
    kernel<<<4, 48>>>(wide, p);
  return cudaDeviceSynchronize();
}
CU
