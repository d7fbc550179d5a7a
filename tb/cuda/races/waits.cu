// Programs that wait: they end only in a fair order. waits KIND
#include <cstdio>
#include <cstring>

__device__ int lock_word, counter, flag, arrived, ring[4], taken[64];
__device__ volatile int seen;

__global__ void lock_by_warp(int rounds) {
  for (int k = 0; k < rounds; k++) {
    if (threadIdx.x % 32 == 0) {
      while (atomicCAS(&lock_word, 0, 1) != 0) {
      }
      counter = *(volatile int *)&counter + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
    }
    __syncwarp();
  }
}

// The block `from` sets the flag, all others wait for it.
__global__ void flag_from(int from) {
  if (threadIdx.x)
    return;
  if (blockIdx.x == from)
    atomicExch(&flag, 7);
  else
    while (atomicAdd(&flag, 0) != 7) {
    }
  atomicAdd(&counter, 1);
}

// Warp 0 puts numbers into a slot, warp 1 takes them.
__global__ void pipe(int n) {
  volatile int *slot = ring;
  if (threadIdx.x == 0)
    for (int k = 1; k <= n; k++) {
      while (slot[0]) {
      }
      slot[0] = k;
      __threadfence();
    }
  if (threadIdx.x == 32)
    for (int k = 1; k <= n; k++) {
      while (slot[0] != k) {
      }
      counter += k;
      slot[0] = 0;
      __threadfence();
    }
}

__global__ void grid_barrier(int rounds, int *values) {
  for (int k = 1; k <= rounds; k++) {
    values[blockIdx.x * blockDim.x + threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&arrived, 1);
      while (atomicAdd(&arrived, 0) < (int)gridDim.x * k) {
      }
    }
    __syncthreads();
    volatile int *other = values + (blockIdx.x + k) % gridDim.x * blockDim.x;
    if (other[threadIdx.x] < k)
      atomicAdd(&counter, 1);  // the barrier let somebody through
  }
}

static int value() {
  int n = -1;
  cudaMemcpyFromSymbol(&n, counter, sizeof n);
  return n;
}

static int check(const char *what, int got, int wanted) {
  printf("%s: %d\n", what, got);
  return cudaGetLastError() != cudaSuccess || got != wanted;
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  if (!strcmp(kind, "lock")) {
    lock_by_warp<<<8, 128>>>(10);
    return check(kind, value(), 8 * 4 * 10);
  }
  if (!strcmp(kind, "later")) {
    flag_from<<<300, 32>>>(299);
    return check(kind, value(), 300);
  }
  if (!strcmp(kind, "earlier")) {
    flag_from<<<5000, 32>>>(0);
    return check(kind, value(), 5000);
  }
  if (!strcmp(kind, "pipe")) {
    pipe<<<1, 64>>>(100);
    return check(kind, value(), 5050);
  }
  if (!strcmp(kind, "grid")) {
    int *values, blocks, wrong = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_barrier, 128, 0);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    blocks *= p.multiProcessorCount;
    cudaMalloc(&values, blocks * 128 * sizeof(int));
    cudaMemset(values, 0, blocks * 128 * sizeof(int));
    grid_barrier<<<blocks, 128>>>(3, values);
    wrong = check(kind, value(), 0);
    cudaFree(values);
    return wrong;
  }
  return 2;
}
