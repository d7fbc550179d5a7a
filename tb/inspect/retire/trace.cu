// SPDX-License-Identifier: Apache-2.0
// trace WHAT WHO BLOCKS: three launches; the second one does something special in block WHO.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__device__ int table[64];

__global__ void before(int *p) {
  p[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}

__global__ void kernel(int *p, int what, int who) {
  const int me = blockIdx.x, lane = threadIdx.x;
  int sum = 0;
  if (what == 1 && me == who && lane == 37)
    p[lane << 20] = 1;
  if (what == 2 && me == who && p[me * 64 + lane] == lane)
    asm volatile("trap;");
  while (what == 3 && me == who && ((volatile int *)p)[0] == 0)
    ;
  if (what == 4 && me == who)
    sum = p[lane] * 3;
  for (int n = 0; n < lane % (what == 5 && me >= who ? 7 : 3); n++)
    sum += p[me * 64 + n];
  if (what == 6 && me == who && lane % 8 == 5)
    sum++;
  if (what == 7 && me == who) {
    if (lane < 32)
      asm volatile("bar.sync 1, 64;");
    else
      asm volatile("bar.sync 2, 64;");
  }
  // near the bank, but in warps of one block only
  asm volatile(
      "{.reg .pred p;\n"
      "setp.eq.s32 p, %1, 2;\n"
      "@p add.s32 %0, %0, 1;}"
      : "+r"(sum)
      : "r"(me));
  p[me * 64 + lane] = sum + table[me % 64];
}

int main(int argc, char **argv) {
  const int what = atoi(argv[1]), who = atoi(argv[2]), blocks = atoi(argv[3]);
  int *p;
  cudaMalloc(&p, blocks * 256);
  before<<<blocks, 64>>>(p);
  if (what == 8)
    kill(getpid(), SIGKILL);
  kernel<<<blocks, 64>>>(p, what, who);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  if (what != 9)
    before<<<1, 32 + 32 * (what == 10)>>>(p);
  printf("done\n");
  return !ok;
}
