# SPDX-License-Identifier: Apache-2.0
# For tests of the debugger: programs whose values and times are known, and sessions with them.
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/expect.sh"

# Two launches: of a block of two warps, of two blocks of one. The code of `turn` begins so:
#   pc 0x0   ld.param      x                      pc 0x50  ld.global   x[i]: a line of NBU 0 or 1
#   pc 0x10  ld.param      y                      pc 0x60  add.N
#   pc 0x20  s2r           i                      pc 0x70  shl.N       4 * i, which is far
#   pc 0x30  mulw          4 * i                  pc 0x80  st.shared.N
#   pc 0x40  add.u64                              pc 0x90  bar.sync
cat >"$work/turn.cu" <<'CU'
__device__ int table[64];
__constant__ float factor = 2.5f;
__global__ void turn(const int *x, int *y) {
  __shared__ int s[64];
  int i = threadIdx.x;
  s[i] = x[i] + 1;
  __syncthreads();
  y[i] = s[63 - i] * 3;
  if (i < 8)
    table[i] = i;
}
__global__ void add(const int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 7;
}
int main(int argc, char **argv) {
  int h[64], *x, *y;
  char line[20] = "nothing";
  for (int n = 0; n < 64; n++)
    h[n] = 100 + n;
  if (argc > 1 && fgets(line, sizeof line, stdin))
    line[strlen(line) - 1] = 0;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  turn<<<1, 64>>>(x, y);
  add<<<2, 32>>>(y, y);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  int right = 1;
  for (int n = 0; n < 64; n++)
    right &= h[n] == (164 - n) * 3 + 7;
  if (argc > 1)
    printf("read %s, ", line);
  printf("%s\n", right ? "right" : "wrong");
  return !right;
}
CU

# session PROGRAM OPTIONS...: commands from stdin; what is said is in $work/out and $work/err
session() {
  cat >"$work/commands"
  timeout 900 "$MPU" debug -q -x "$work/commands" "${@:2}" "$work/$1.cu" >"$work/out" 2>"$work/err" </dev/null
  status=$?
}
# ends STATUS
ends() {
  [[ $status == "$1" ]] || { fail "exit status $status, not $1"; tail -n 3 "$work/out" "$work/err"; }
}
# says LINE...: these lines, one behind the other, perhaps with others between them
says() {
  local line
  exec 8<"$work/out"
  for line; do
    while :; do
      IFS= read -r got <&8 || { fail "not said: $line"; head -n 30 "$work/out"; break 2; }
      [[ $got != "$line" ]] || break
    done
  done
  exec 8<&-
}
# contains TEXT...: somewhere
contains() {
  local text
  for text; do
    grep -qF -- "$text" "$work/out" || { fail "not said: $text"; head -n 30 "$work/out"; }
  done
}
counters() { # FILE: what is not the host's
  sed -E 's/"(host_seconds|host_memory|cpu_seconds|core_cycles_per_second)": [^,]*, //g' "$1"
}
